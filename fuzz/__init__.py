"""Structured fuzzing of everything that reads what people bring: ``python -m fuzz`` (``make fuzz``).

Real and demo files are cut small, spoiled by `fuzz.mutations` and given to the readers, which must keep their promises: no error
but the project's own, no hang, every record accounted for, and what was read writes and reads back equal. Input number n of a
seed is always the same input. Mutators know the formats (values, texts, bytes, containers), which coverage guidance of bytes
alone would take long to find. atheris was left out unmeasured: it has a wheel, but it follows Python code, and much of what our
readers do with a file's bytes is done in C by json, yaml and re.
"""

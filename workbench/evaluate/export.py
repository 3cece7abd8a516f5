"""Rankings of a run as files that other tools read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.records import QuestionResult, Run

FORMATS = ("trec", "csv", "parquet")


def query_id(result: QuestionResult) -> str:
    """A question's name outside: ``benchmark/case/question``, blanks as underscores since TREC columns end at blanks."""
    return "_".join(f"{result.case}/{result.question}".split())


def write(run: Run, path: Path, form: str) -> int:
    """Write every kept rank of a run; the number of rows is returned.

    TREC runs hold all methods, the method being the tag; note ids lose their blanks as query ids do.

    Raises
    ------
    ValueError
        For another format than trec, csv or parquet.
    OSError
        If the file can't be written.
    """
    if form not in FORMATS:
        raise ValueError(f"no export format {form!r}; known: {', '.join(FORMATS)}")
    if form == "trec":
        lines = list(_trec(run))
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
        return len(lines)
    import pandas as pd  # Half a second to import, which only this needs.

    frame = pd.DataFrame(
        [
            (run.id, r.case, r.question, r.type, r.method, rank, note, score)
            for r in run.results
            for rank, (note, score) in enumerate(zip(r.note_ids, r.scores, strict=True), 1)
        ],
        columns=["run", "case", "question", "type", "method", "rank", "note", "score"],
    )
    frame.to_csv(path, index=False) if form == "csv" else frame.to_parquet(path, index=False)
    return len(frame)


def _trec(run: Run) -> Iterator[str]:
    """Scores are made from ranks, so that a reader that sorts by score keeps our order of ties."""
    for result in run.results:
        for rank, note in enumerate(result.note_ids, 1):
            yield f"{query_id(result)} Q0 {'_'.join(note.split())} {rank} {len(result.note_ids) - rank + 1} {result.method}\n"

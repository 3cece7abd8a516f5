"""Benchmarks and input formats, one self-registering file each."""

"""Extractions of the same cases beside each other: vocabulary, notes, blind spots, support, and what they do to MRR."""

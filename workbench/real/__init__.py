"""REAL: facts with validity, confidence and intent; intervals derived from assertions; a guided beam search over them."""

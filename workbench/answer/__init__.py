"""Answers by a language model from what a method retrieved, and how right they are (TAGGRAPH 5.4, F.2)."""

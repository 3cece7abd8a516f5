"""Evaluation: relevance, measures, intervals and runs."""

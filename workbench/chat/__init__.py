"""Asking language models: any OpenAI-compatible service, its outputs recorded so that they can be replayed without it."""

"""Embedding backends, one self-registering file each, and what is done with their vectors."""

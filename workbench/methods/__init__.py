"""Retrieval methods, one self-registering file each."""

"""Retrieval measures, one self-registering file each."""

"""Extractors: from an interaction to 5W tags, one self-registering file each."""

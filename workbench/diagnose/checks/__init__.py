"""Failure checks, one self-registering file each."""

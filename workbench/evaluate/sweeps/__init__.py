"""Sweeps: one setting or the size of the store moved over several points, self-registering."""

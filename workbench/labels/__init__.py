"""What analysts make of the misses: a taxonomy of causes, labels, their agreement, and gold that they contest."""

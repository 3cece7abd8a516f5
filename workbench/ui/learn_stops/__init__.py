"""The stops of the tour, one file each; each registers itself."""

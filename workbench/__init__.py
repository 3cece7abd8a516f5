"""TagGraph Workbench: see why a memory was not found."""

__version__ = "0.1.0"

"""One file a page: each chooses inputs, calls the core and draws."""

"""AriadneMem (arXiv 2603.03290): entries, gate, coarsening, and a query's terminals, bridges, paths and budget, as data.

Written from the paper's formulas alone. Where they degenerate without a language model another rule is the default, and the
paper's is the setting's literal value.
"""

"""The citation graph on the command line: what lists miss, and how their papers belong together."""

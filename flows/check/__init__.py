"""Checks of lists: what is known of their papers, the lines that a change touches, findings in five forms."""

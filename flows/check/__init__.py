"""Checks of lists: what is known of their papers, which lines a change touches, and the formats of the report."""

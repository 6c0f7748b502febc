"""Whole refreshes against services that fail, lie or are cut off, each held against an unharmed one."""

"""Checks of a reading list: its text and what is known of its papers in, findings by line out. Pure."""

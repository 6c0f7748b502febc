"""Semantic Scholar: its graph API, what it sends, its datasets."""

"""Semantic Scholar as the tests need it."""

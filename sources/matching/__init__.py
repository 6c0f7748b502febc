"""Finds the paper behind a mention: evidence, verdict, and the cheapest order of questions. Pure."""

"""Finds the paper behind a mention: evidence -> verdict, and the order of asking that costs least. Pure."""

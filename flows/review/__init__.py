"""Decisions of people about mentions: the review queue and the decision files."""

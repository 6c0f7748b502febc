"""Keeping a lake sound: check, compact, reparse."""

"""Reads the lake: read-only SQL, changes, exports and bibliographies."""

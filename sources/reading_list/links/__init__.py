"""Links: where they stand, what kind of page they lead to, and the identifiers they carry."""

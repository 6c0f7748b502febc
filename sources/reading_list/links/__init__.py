"""The links of an entry: where they stand, what they lead to, and which identifiers they carry."""

"""DBLP: its release files, and the works that its records belong to."""

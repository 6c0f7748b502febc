"""DBLP: its release files, which nobody asks for over the network here, and the works that its records are of."""

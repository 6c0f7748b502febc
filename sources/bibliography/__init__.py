"""What the parser, matching, export and citation keys all know of names, venues and years. Pure."""

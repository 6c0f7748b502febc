"""Names, titles, venues, years and identifiers, as parsing, matching and export use them. Pure."""

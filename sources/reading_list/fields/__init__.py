"""The fields of a citation: titles, authors, venues, years, and how an entry is cut into them."""

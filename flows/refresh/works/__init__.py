"""OpenAlex in a refresh: the works of papers, and the citation graph around them."""

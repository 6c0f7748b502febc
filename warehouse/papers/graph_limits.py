"""Which papers the citation graph is asked for; apart, so that who only reads the lake needs nothing of the network."""

LEAST_PAPERS = 10
"""Papers of a list for which its citations are looked into."""
MOST_CITED = 500
"""Citations beyond which a paper's citing works are not asked for."""

"""Limits of the citation-graph harvest. A module of its own so that read-only commands need no HTTP imports."""

LEAST_PAPERS = 10  # papers of a list for which its citations are looked into
MOST_CITED = 500  # citations beyond which a paper's citing works are not asked for

"""How both services are asked for many papers at once: their limits, and titles in their query languages. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote_plus

from sources.bibliography.search_phrases import phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRules:
    """What one request to a service may hold.

    Attributes:
        most_ids: Identifiers.
        most_titles: Titles: alternatives few enough for one page to hold every hit.
        room: Characters of a title search in the address.
        term: A phrase in the query language.
        both: Stands between terms that must all be there.
        either: Stands between terms of which one is enough.
    """

    most_ids: int
    most_titles: int = 40
    room: int = 6_000
    term: str
    both: str
    either: str

    def titles_query(self, titles: Sequence[str]) -> str:
        """Returns `titles` in the query language: quoted phrases, any of which will do."""
        terms = ([self.term.format(words) for words in phrases(title)] for title in titles)
        return self.either.join(
            f"({self.both.join(parts)})" if len(parts) > 1 else parts[0] for parts in terms if parts
        )

    def room_taken(self, title: str) -> int:
        """Returns how many characters of the address a title takes."""
        return len(quote_plus(self.titles_query([title]) + self.either))


ARXIV = QueryRules(most_ids=100, term='ti:"{}"', both=" AND ", either=" OR ")
"""arXiv states no limit of identifiers, and 642 in one address were too many (HTTP 414). Servers of this kind take
8,000 characters of address. The language: https://info.arxiv.org/help/api/user-manual.html#query_details ."""

S2 = QueryRules(most_ids=500, term='"{}"', both=" + ", either=" | ")
"""Semantic Scholar's batches: https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data . Its gateway takes about
8,000 characters of address, and a page of its bulk search 1,000 hits. The language:
https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data/operation/get_graph_paper_bulk_search ."""

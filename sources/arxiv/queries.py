"""Questions to arXiv: their keys and their words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote_plus

from sources.bibliography.search_phrases import phrases
from sources.http.request import request_key

MAX_IDS = 100
"""Identifiers in one request; arXiv states no limit, and 642 in one address were too many (HTTP 414)."""
MAX_TITLES = 40
"""Titles in one request: an OR of phrases, few enough for one page to hold every hit."""
QUERY_ROOM = 6_000
"""Characters of a search in the address; servers of this kind take 8,000 for the whole of it."""


def ids_key(ids: Sequence[str]) -> str:
    """Returns the key of the question which papers stand behind `ids`."""
    return request_key("query", ids=list(ids))


def titles_key(titles: Sequence[str], *, start: int, size: int) -> str:
    """Returns the key of one page of the question which papers are called one of `titles`."""
    return request_key("query", titles=list(titles), start=start, size=size)


def titles_query(titles: Sequence[str]) -> str:
    """Returns `titles` in arXiv's query language: https://info.arxiv.org/help/api/user-manual.html#query_details ."""
    phrases_of_titles = ([f'ti:"{words}"' for words in phrases(title)] for title in titles)
    return " OR ".join(
        f"({' AND '.join(terms)})" if len(terms) > 1 else terms[0] for terms in phrases_of_titles if terms
    )


def room_taken(title: str) -> int:
    """Returns how many characters of the address a title takes."""
    return len(quote_plus(titles_query([title]) + " OR "))

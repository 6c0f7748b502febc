"""Questions to Semantic Scholar: their keys and their words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote_plus

from sources.bibliography.search_phrases import phrases
from sources.http.request import request_key
from sources.semantic_scholar.payload import BATCH, BULK, FIELDS, MATCH

MAX_IDS = 500
"""Identifiers in one batch: https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data ."""
MAX_TITLES = 40
"""Titles in one bulk search: alternatives few enough for one page of 1,000 to hold every hit."""
QUERY_ROOM = 6_000
"""Characters of a search in the address; the gateway takes about 8,000 for the whole of it."""


def ids_key(ids: Sequence[str]) -> str:
    """Returns the key of the question which papers stand behind `ids`, in that order."""
    return request_key(BATCH, ids=list(ids), fields=list(FIELDS))


def titles_key(titles: Sequence[str], *, token: str | None) -> str:
    """Returns the key of one page of the question which papers hold one of `titles` as a phrase."""
    return request_key(BULK, titles=list(titles), token=token, fields=list(FIELDS))


def match_key(title: str) -> str:
    """Returns the key of the question which one paper is called `title`."""
    return request_key(MATCH, title=title, fields=list(FIELDS))


def titles_query(titles: Sequence[str]) -> str:
    """Returns `titles` in the bulk search's language: quoted phrases, any of which will do.

    The language: https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data/operation/get_graph_paper_bulk_search .
    """
    phrases_of_titles = ([f'"{words}"' for words in phrases(title)] for title in titles)
    return " | ".join(f"({' + '.join(terms)})" if len(terms) > 1 else terms[0] for terms in phrases_of_titles if terms)


def room_taken(title: str) -> int:
    """Returns how many characters of the address a title takes."""
    return len(quote_plus(titles_query([title]) + " | "))

"""Values of a filter: what can be written into one, and how many an address bears. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote_plus

from sources.http.queries import batches

_ROOM = 3_400
"""Characters that DOIs may take of an address, which may have 4,094 (pyalex's issue 85)."""
_UNASKABLE = frozenset('|,+"!*\\ ')
"""What means something in a filter, even where it is encoded: https://github.com/ropensci/openalexR/issues/254 ."""


def is_askable(doi: str) -> bool:
    """Returns whether a DOI can be written into a filter."""
    return bool(doi) and _UNASKABLE.isdisjoint(doi) and doi.isascii() and doi.isprintable()


def doi_batches(dois: Sequence[str], *, most: int) -> list[list[str]]:
    """Returns the DOIs in batches of `most` at the most, each of which an address bears."""
    return list(batches(dois, most=most, room=_ROOM, size=lambda doi: len(quote_plus(f"{doi}|"))))

"""Venues: whether what a list calls a venue is where a paper appeared. Pure."""

from __future__ import annotations

import re

from sources.matching.titles import fold

_YEAR = re.compile(r"(?<!\d)(19[5-9]\d|20[0-4]\d)(?!\d)")
_SHORT_YEAR = re.compile(r"['\u2019](\d\d)(?!\d)")
_WORD = re.compile(r"[^\W\d_]+")
_SAME = {"nips": "neurips", "icassp": "icassp", "arxiv": "arxiv", "corr": "arxiv"}
_EMPTY = frozenset(
    "of the on in for and a an to at by proceedings proc conference international annual symposium workshop journal "
    "transactions ieee acm advances th st nd rd".split()
)


def years_in(text: str | None) -> frozenset[int]:
    """Returns the years that a venue's text names ("UAI 2005", "ICLR'21")."""
    if not text:
        return frozenset()
    short = (int(digits) for digits in _SHORT_YEAR.findall(text))
    return frozenset(map(int, _YEAR.findall(text))) | {1900 + year if year > 50 else 2000 + year for year in short}


def same_venue(written: str | None, true: str | None) -> bool:
    """Returns whether two texts name one venue, by acronym, by name, or by one's initials being the other.

    False says nothing against a candidate: preprints, workshop versions and journals go by many names.
    """
    if not written or not true:
        return False
    mine, theirs = _names(written), _names(true)
    return bool(mine & theirs)


def _names(text: str) -> frozenset[str]:
    """Returns the names that a venue's text holds: its acronyms, and the initials of each run of its words."""
    found: set[str] = set()
    for part in re.split(r"[;,()/:]", text[:300]):
        words = _WORD.findall(fold(part))
        telling = [word for word in words if word not in _EMPTY]
        initials = "".join(word[0] for word in words if word not in ("of", "the", "on", "in", "for", "and", "to"))
        short = [word for word in telling if len(words) <= 3 or part.find(word.upper()) >= 0]
        found |= {_SAME.get(name, name) for name in (*short, "".join(telling), initials) if len(name) >= 3}
    return frozenset(found - {"arxiv"})

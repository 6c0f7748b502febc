"""How much words read like those of a person's name, and not like those of a title.

A word's odds are how often authors of real papers have it beside how often titles do. They are in data/names.bin, by
checksum of the word; `python -m benchmarks.model` counts them.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from zlib import crc32

STEP = 0.05
"""What one unit of stored odds is worth, in natural logarithms."""

_OF_TITLES, _MOST_OF_TITLES = -2.5, 2
"""The odds below which a word is a title's, and from how many such words on a name is none."""

MOST_ODDS = 5.0
"""What the odds of one word are at most, in natural logarithms: a word decides less than two."""

_INITIAL_WEIGHT = 2.0
"""What the initials of a name count together, as one word does; "A" may be none."""

_LAST_LATIN = "\u024f"
"""The last letter of the alphabets in which the counted names are written."""

NAME_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
"""A word as names and titles hold it."""

SELDOM = ""
"""What stands in the table for words that are seldom met: names are, more often than words of titles."""

_BYTES_OF_WORD = 5


@lru_cache(maxsize=32768)
def word_odds(word: str) -> float:
    """Returns the logarithm of the odds that `word` is of a person's name and not of a title; 0 is even."""
    if len(word) == 1:
        return _INITIAL_WEIGHT / 2 if word == "A" else _INITIAL_WEIGHT
    if not word or word[0] > _LAST_LATIN:
        return 0.0
    found = _look_up(word)
    if found is None and len(parts := word.strip("-").split("-")) > 1:
        return sum(map(word_odds, parts)) / len(parts)
    return found if found is not None else _look_up(SELDOM) or 0.0


def _look_up(word: str) -> float | None:
    codes, odds = _table()
    code = word_code(word)
    at = bisect_left(codes, code)
    return odds[at] * STEP if at < len(codes) and codes[at] == code else None


def word_code(word: str) -> int:
    """Returns the checksum that `word` is found by, in whatever case."""
    return crc32(word.lower().encode("utf-8", "replace"))


def name_odds(words: Sequence[str]) -> float:
    """Returns the mean of the odds of `words`, all initials being one word; 0 where there are none."""
    odds = [word_odds(word) for word in words if len(word) > 1]
    if len(odds) < len(words):
        odds.append(max(word_odds(word) for word in words if len(word) == 1))
    return sum(odds) / len(odds) if odds else 0.0


def is_title_like(words: Sequence[str]) -> bool:
    """Returns whether two of `words` or more are surely words of titles, so that no name has them together."""
    return sum(word_odds(word) < _OF_TITLES for word in words) >= _MOST_OF_TITLES


@lru_cache(maxsize=1)
def _table() -> tuple[array[int], array[int]]:
    """Returns the checksums of the words that are known, in order, and their odds."""
    content = resources.files("sources.reading_list").joinpath("data/names.bin").read_bytes()
    count = len(content) // _BYTES_OF_WORD
    codes, odds = array("I", content[: 4 * count]), array("b", content[4 * count :])
    if sys.byteorder == "big":
        codes.byteswap()
    return codes, odds


def forget() -> None:
    """Forgets what was read of the words, for who has just counted others."""
    _table.cache_clear()
    word_odds.cache_clear()

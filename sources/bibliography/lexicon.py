"""The lexicon: which words there are, and how frequent a word is in titles of papers.

Both are data files beside this module, made by `benchmarks/lexicon.py`; `data/words.LICENSE.txt` states their sources
and terms. They are read when a word is first looked up, not at import.
"""

from __future__ import annotations

import lzma
from functools import cache, lru_cache
from importlib.resources import files

WORDS = "words.txt.xz"
"""The words, folded as `sources.bibliography.titles` folds them, sorted, one a line."""
FREQUENCIES = "frequencies.tsv"
"""The frequent words of titles, each with the number of titles in a million that have it."""
LEAST_FREQUENT = 1 / 3_200
"""The smallest share of titles for which a word is among the frequent ones."""


@lru_cache(maxsize=65536)
def is_word(word: str) -> bool:
    """Returns whether the folded `word` is in the lexicon, as it stands or with the `s` of a possessive or plural."""
    return _is_listed(word) or (len(word) > 4 and word[-1] == "s" and word[-2] != "s" and _is_listed(word[:-1]))


def frequency(word: str) -> float:
    """Returns the share of titles that have the folded `word`, 0 to 1; 0 where it is below `LEAST_FREQUENT`."""
    return _frequencies().get(word, 0.0)


def frequent_words() -> frozenset[str]:
    """Returns the words that stand in at least `LEAST_FREQUENT` of all titles."""
    return frozenset(_frequencies())


def _is_listed(word: str) -> bool:
    """Returns whether a line of the list is `word`. The list is searched as it is: as a set it takes ten times more."""
    words, wanted = _words(), word.encode()
    low, high = 0, len(words)
    while low < high:
        start = words.rfind(b"\n", 0, (low + high) // 2) + 1
        end = words.find(b"\n", start)
        line = words[start:end]
        if line == wanted:
            return True
        if line < wanted:
            low = end + 1
        else:
            high = start
    return False


@cache
def _words() -> bytes:
    return lzma.decompress(_data(WORDS))


@cache
def _frequencies() -> dict[str, float]:
    lines = _data(FREQUENCIES).decode().splitlines()
    return {word: int(count) / 1_000_000 for word, count in (line.split("\t") for line in lines)}


def _data(name: str) -> bytes:
    return (files(__package__) / "data" / name).read_bytes()

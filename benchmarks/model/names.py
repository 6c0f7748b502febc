"""The model of names: how often authors have a word beside how often titles do, and as which part of their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sources.lists.reading.author_lists import MOST_ODDS, NAME_WORD, SELDOM, STEP, word_code

_FEWEST = 12
"""How often a word is met, at the least, before it counts."""


def learn(shared: Path) -> bytes:
    """Returns the checksums of words in order, four bytes each, and then their odds, two signed bytes each.

    The first byte is of a name and not of a title, the second of a given name and not of a family name.
    """
    table = pq.read_table(shared / "facts/background.parquet", columns=["title", "authors"])
    people = [name for authors in table["authors"].to_pylist() for name in authors or ()]
    names = _words(people)
    titles = _words(table["title"].to_pylist())
    words = sorted(word for word in names | titles if names[word] + titles[word] >= _FEWEST)
    for count in (names, titles):
        count[SELDOM] = count.total() - sum(count[word] for word in words)
    words.append(SELDOM)
    whole = [parts for name in people if len(parts := name.split()) > 1]
    given, family = _words(parts[0] for parts in whole), _words(parts[-1] for parts in whole)
    units = np.stack((_units(words, names, titles), _units(words, given, family)), axis=1)
    rows = dict(zip(map(word_code, words), units, strict=True))
    codes = sorted(rows)
    return np.array(codes, dtype="<u4").tobytes() + np.array([rows[code] for code in codes], dtype=np.int8).tobytes()


def _units(words: Sequence[str], ones: Counter[str], others: Counter[str]) -> np.ndarray:
    """Returns the logarithm of the odds that each word is among `ones` and not among `others`, in units of `STEP`."""
    of_ones = np.array([ones[word] + 0.5 for word in words]) / ones.total()
    of_others = np.array([others[word] + 0.5 for word in words]) / others.total()
    return np.rint(np.clip(np.log(of_ones / of_others), -MOST_ODDS, MOST_ODDS) / STEP).astype(int)


def _words(texts: Iterable[str]) -> Counter[str]:
    """Returns how often each word of more than one letter occurs."""
    return Counter(word.lower() for text in texts for word in NAME_WORD.findall(text) if len(word) > 1)

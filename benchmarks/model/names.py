"""The model of names: how often authors of real papers have a word, beside how often titles do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sources.lists.reading.author_lists import MOST_ODDS, NAME_WORD, SELDOM, STEP, word_code

_FEWEST = 12
"""How often a word is met, at the least, before it counts."""


def learn(shared: Path) -> bytes:
    """Returns the checksums of words in order, four bytes each, and then their odds, a signed byte each."""
    table = pq.read_table(shared / "facts/background.parquet", columns=["title", "authors"])
    names = _words(name for authors in table["authors"].to_pylist() for name in authors or ())
    titles = _words(table["title"].to_pylist())
    words = sorted(word for word in names | titles if names[word] + titles[word] >= _FEWEST)
    for count in (names, titles):
        count[SELDOM] = count.total() - sum(count[word] for word in words)
    words.append(SELDOM)
    of_names = np.array([names[word] + 0.5 for word in words]) / names.total()
    of_titles = np.array([titles[word] + 0.5 for word in words]) / titles.total()
    odds = np.clip(np.log(of_names / of_titles), -MOST_ODDS, MOST_ODDS)
    rows = {word_code(word): round(value / STEP) for word, value in zip(words, odds, strict=True)}
    codes = sorted(rows)
    return np.array(codes, dtype="<u4").tobytes() + np.array([rows[code] for code in codes], dtype=np.int8).tobytes()


def _words(texts: Iterable[str]) -> Counter[str]:
    """Returns how often each word of more than one letter occurs."""
    return Counter(word.lower() for text in texts for word in NAME_WORD.findall(text) if len(word) > 1)

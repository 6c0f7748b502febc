"""A title as a phrase that both services' query languages read as plain words. Pure.

Quotes, brackets and operators would change the query; a hyphen excludes in arXiv's language
(https://github.com/arXiv/arxiv-search/issues/322) and parts words in both; TeX is indexed in ways nobody documents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_TEX = re.compile(r"\$[^$]{0,200}\$|\\[A-Za-z]+\s*|\\.")
_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u00b4": "'", "`": "'"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+|(?<=\d)\.(?=\d)\d+)*")
_LONGEST_PHRASE_WORDS = 24
GAP = "\u2026"
"""Stands in a title for words left out; the parts around it must all be there, in whatever order."""
_SURE_WORDS = 4


def phrase(title: str) -> str | None:
    r"""Returns the longest run of plain words in `title`, None where there is none.

    A run ends at TeX. Words with letters beyond ASCII end it too where four or more plain words stand together, as
    arXiv has `Poincar\'e` where a list has `Poincaré`.
    """
    text = _plain(title)
    runs = [_WORD.findall(run.replace("{", "").replace("}", "")) for run in _TEX.split(text)]
    plain = [run for words in runs for run in _ascii_runs(words)]
    best = max(plain, key=_weight, default=[])
    if len(best) < _SURE_WORDS:
        best = max(runs, key=_weight, default=[])
    return " ".join(best[:_LONGEST_PHRASE_WORDS]) or None


def phrases(title: str) -> tuple[str, ...]:
    """Returns the phrase of each part of `title` between gaps: one for a title without gaps, none without words."""
    return tuple(words for part in title.split(GAP) if (words := phrase(part)))


def plain_words(text: str) -> str:
    """Returns every word of `text` in lower case, one blank apart."""
    return " ".join(_WORD.findall(_plain(text))).casefold()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


def _weight(words: list[str]) -> tuple[int, int]:
    return len(words), sum(map(len, words))


def _ascii_runs(words: list[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for word in words:
        if word.isascii():
            run.append(word)
        else:
            yield run
            run = []
    yield run

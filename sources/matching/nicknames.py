"""Recognizes the works that a name alone may stand for, such as "YOLO". Pure.

A name proves nothing by itself: other works have it too. So a work is taken for it only where the papers of the same
list cite the work; the others are candidates for a person to choose from.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from sources.bibliography.lexicon import is_word
from sources.bibliography.titles import fold, title_words
from sources.matching.word_match import looks_coined

# distinct: the title has the name as one of its parts, in letters that no common word has, or spells it with the first
# letters of at least four words. weak: the same of a common word, or of three words.
NameSign = Literal["distinct", "weak"]

_FEWEST_INITIALS, _DISTINCT_INITIALS = 3, 4


def known_as(name: str, title: str) -> NameSign | None:
    """Returns how a work with that title bears a name, None where its title does not have it.

    Args:
        name: What the list writes, at most a few words.
        title: The work's title.
    """
    written, whole = title_words(name), title_words(title)
    length = len(written.words)
    for start, end in pairwise((0, *sorted(whole.cuts), len(whole.words))):
        if length and end - start == length < len(whole.words) and whole.words[start:end] == written.words:
            as_written = _letters(whole.raw[start:end]) == _letters(written.raw) or not all(map(is_word, written.words))
            return "distinct" if as_written and any(map(looks_coined, whole.raw[start:end])) else "weak"
    letters, first_part = fold(name), whole.words[: whole.head or None]
    if length != 1 or len(letters) < _FEWEST_INITIALS or letters != "".join(word[0] for word in first_part):
        return None
    return "distinct" if name.isupper() and len(letters) >= _DISTINCT_INITIALS else "weak"


def _letters(words: Iterable[str]) -> list[str]:
    """Returns words without punctuation; capitals stay."""
    return ["".join(filter(str.isalnum, word)) for word in words]

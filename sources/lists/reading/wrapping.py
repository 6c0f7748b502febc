"""Tells the line breaks that only keep lines short from those that part a title from what follows it.

A program that breaks paragraphs into lines, or whoever does it by hand, breaks a line where the next word has no room.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from sources.lists.reading.marked_text import Rich

_LEAST_WIDTH, _GREATEST_WIDTH = 50, 120
_FEWEST_BREAKS = 4
_SHARE = 0.75  # of the breaks at which the next word has no room
_SHARE_IN_WORDS = 0.15  # of those behind which a small letter shows that a sentence goes on
_WIDE = 0.9  # this share of the lines is no longer than the width
_LONGEST_WORD = 25  # what is longer stands on a line of its own anyway: an address
_NEWLINE = re.compile("\n")
_FIRST_ASIAN = "\u2e80"  # from which on no blanks part the words
_OWN_LINE = re.compile(r"\s*(?:[-*+•>|#]|\[\d{1,4}\]|\(?\d{1,3}[.)、]\s|\w[\w ]{0,30}[:：]\s)")


def wrapped_breaks(lines: Sequence[str], texts: Sequence[Rich]) -> dict[int, frozenset[int]]:
    """Returns where breaks in the `texts` stand for a blank, by the number of the text.

    Args:
        lines: The lines of the list, as written.
        texts: Stretches of it of one line or more.
    """
    found: list[tuple[int, int, int, int, bool]] = []  # text, place, length, length with the next word, goes on small
    for number, text in enumerate(texts):
        for at, match in enumerate(_NEWLINE.finditer(text.text), text.line - 1):
            above, below = (lines[place].rstrip() if place < len(lines) else "" for place in (at, at + 1))
            first = next(iter(below.split(None, 1)), "")
            runs_on = above and first and len(first) <= _LONGEST_WORD and not _OWN_LINE.match(below)
            if runs_on and max(above[-1], first[0]) < _FIRST_ASIAN:
                longer = len(above) + 1 + len(first)
                found.append((number, match.start(), len(above), longer, first[0].islower()))
    if len(found) < _FEWEST_BREAKS:
        return {}
    width = sorted(length for _, _, length, _, _ in found)[int(_WIDE * (len(found) - 1))]
    full = [(number, place, is_small) for number, place, _, longer, is_small in found if longer > width]
    wraps = _LEAST_WIDTH <= width <= _GREATEST_WIDTH and len(full) >= _SHARE * len(found)
    if not wraps or sum(is_small for _, _, is_small in full) < _SHARE_IN_WORDS * len(full):
        return {}
    blanks: defaultdict[int, set[int]] = defaultdict(set)
    for number, place, _ in full:
        blanks[number].add(place)
    return {number: frozenset(places) for number, places in blanks.items()}

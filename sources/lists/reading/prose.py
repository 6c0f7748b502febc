"""Finds the papers that prose cites: a title in quotation marks, and behind it the journal and a number or a year.

"The debate begins with Ann Lee, who wrote "On the Size of Choirs", *Early Music* 12 (1984), and goes on until ...".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from sources.lists.reading.author_lists import names_of_line, read_authors
from sources.lists.reading.citation_parts import GAP, skip_marks
from sources.lists.reading.marked_text import Mark
from sources.lists.reading.title_model import LONG_QUOTE

_IN_SINGLE_MARKS = re.compile(r"(?<!\w)[‘']([^‘’'\x1d\n]{12,250})[’'](?!\w)")
_JOINT = re.compile(r"[.,]?\s?\(?[*_]?")  # between the title and its journal
_NUMBER = re.compile(rf"[*_]?,?\s?(?:\w{{1,5}}\.?\s)?[(\[]?(?:\d|[IVXLC]+\b|{GAP}{{6}})")  # behind the journal
_PLACE_AND_YEAR = re.compile(r"\s?\([A-Z][^()\n]{1,60}?\s(?:19|20)\d\d\)")
_END = re.compile(rf"(?<=[\d){GAP}])(?:[.;:]|\)[.,;:]?)(?=\s|$)")
_FEWEST_WORDS = 6  # of prose in front of what is cited
_LONGEST_NAME, _LONGEST_PLACE = 6, 200  # words, characters


def cited_in_prose(text: str, marks: Sequence[Mark]) -> dict[tuple[int, int], bool]:
    """Returns the stretches that `text` consists of, where prose cites papers, and whether each is what is cited.

    What is cited begins with the people before the title, and ends with the numbers behind the journal.
    """
    journals = {mark.start: mark.end for mark in marks if mark.kind == "italic"}
    quotations = [*LONG_QUOTE.finditer(text), *(_IN_SINGLE_MARKS.finditer(text) if journals else ())]
    cuts: list[int] = []
    for title in sorted(quotations, key=lambda match: match.start()):
        end = _place_behind(text, title.end(), journals)
        if not end or (cuts and title.start() < cuts[-1]):
            continue
        begin = _with_people(text, cuts[-1] if cuts else 0, title.start())
        if not cuts and _begins_with_people(text, begin):
            return {}
        cuts += [begin, end]
    if len(cuts) == 2 and text.count(" ", 0, cuts[0]) < _FEWEST_WORDS:
        return {}
    bounds = pairwise([0, *cuts, len(text)]) if cuts else ()
    return {(start, end): number % 2 == 1 for number, (start, end) in enumerate(bounds) if start < end}


def _place_behind(text: str, position: int, journals: Mapping[int, int]) -> int:
    """Returns where the journal in italics with its numbers, or the bracket with place and year, ends; 0 without."""
    if place := _PLACE_AND_YEAR.match(text, position):
        return place.end()
    joint = _JOINT.match(text, position)
    end = journals.get(joint.end(), 0) if joint else 0
    if not end or _NUMBER.match(text, end) is None:
        return 0
    stop = _END.search(text, end, end + _LONGEST_PLACE)
    return stop.end() if stop else end


def _begins_with_people(text: str, end: int) -> bool:
    people = read_authors(text, skip_marks(text, 0))
    return people is not None and (people.sure or people.end >= end - 2)


def _with_people(text: str, start: int, end: int) -> int:
    """Returns where the people begin who stand right before `end`, and not before `start`; `end` where none do."""
    words = list(re.finditer(r"\S+", text[start:end]))[-_LONGEST_NAME:]
    for word in words:
        names = text[start + word.start() : end].strip(" ,:(" + GAP)
        if names[:1].isupper() and names_of_line(names):
            return start + word.start()
    return end

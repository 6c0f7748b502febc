"""The authors in front of a title, in the many ways of naming them: in full, by surname, inverted, as a body."""

from __future__ import annotations

import re

from sources.bibliography.years import year_in
from sources.reading_list.fields.author_lists import SURNAME, UPPER, Authors, inverted_name, is_surname, read_authors
from sources.reading_list.fields.citation_parts import BOUNDARY, GAP
from sources.reading_list.fields.name_model import name_odds
from sources.reading_list.fields.title_model import UNLIKELY, title_odds
from sources.reading_list.markdown.marked_text import Mark

_BODY = (
    r"(?:Collaborations?|Consortium|Investigators|(?:Research|Study|Working|Trial|Collaborative|Task) (?:Group|Force)|"
    r"Committee|Council|Organi[sz]ation|Association|Society|Commission|Federation)"
)
_GROUP_IN_FRONT = re.compile(
    rf"((?:The )?(?:[{UPPER}][\w’'-]* (?:(?:of|the|for|and|on|&) )*){{1,9}}{_BODY}(?: of [{UPPER}]\w+)?)"
    rf"(?:(?=(\.\s+[{UPPER}\d][^\s.]*(?:\s+[^\s.]+){{2}}|,?\s\(?(?:19|20)\d\d|\s?\x1d))|(?=,\s[{UPPER}]))"
)
"""A body of people whose name ends as such names do, before the title of what it wrote, or before people's names."""
_PAIR = re.compile(rf"({SURNAME.pattern}) & ({SURNAME.pattern})(?=,? ?\(?(?:19|20)\d\d\)?: | [-–—] )")
_DATED_SURNAME = re.compile(
    rf"({SURNAME.pattern})(?:,? (?:19|20)\d\d[a-z]?(?:[:.,] | [-–—]+ | )| {GAP}{{6,8}}(?:[:.,] | ))"
)
"""A surname and a year, or the gap that a year in brackets left."""
_SURELY_NAME = 3.0
"""Logarithm of the odds from which a word alone before a year is a surname, and no system's name."""
_OPENING_QUOTES = '"“„«「『《'
MARKS = re.compile(r"[\s.,:;。，：；、\x1d|–—-]*")
_BEHIND_BRACKET = re.compile(rf" ?{GAP}+[:.,]? ")
YEAR = re.compile(r"\(?((?:19|20)\d\d)[a-z]?\)?[\s.,:;]+")
_BETWEEN = GAP + " -–—:0123456789,.;()\n"
"""What stands between names and the title behind them."""


def authors_in_front(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    """Returns who is named at `position`, before a title; None where nobody is."""
    return (
        read_authors(text, position)
        or _surnames_before(text, marks, position)
        or _inverted_before(text, marks, position)
        or _group_in_front(text, position)
        or _surname_before(text, marks, position)
    )


def starts_mark(text: str, marks: tuple[Mark, ...], position: int) -> bool:
    """Returns whether a title in italics or quotation marks starts at `position`, behind a label."""
    if text[position : position + 1] in _OPENING_QUOTES:
        return bool(text[position : position + 1])
    return any(
        mark.kind == "italic" and abs(mark.start - position) <= 1 and mark.end - mark.start > 20 for mark in marks
    )


def first_part(text: str, position: int) -> str:
    """Returns what may be the title behind `position`: what stands there up to where a part of a citation may end."""
    return BOUNDARY.split(text[position : position + 200].lstrip(_BETWEEN), maxsplit=1)[0].split(GAP, maxsplit=1)[0]


def _group_in_front(text: str, position: int) -> Authors | None:
    """Returns the body at `position` that wrote the title behind it, and the people who are named with it."""
    match = _GROUP_IN_FRONT.match(text, position)
    if match is None:
        return None
    if match[2] is None and (people := read_authors(text, match.end() + 2)) and people.sure:
        return people._replace(names=(match[1], *people.names))
    named = match[2] is not None or match[1].endswith("Collaboration")
    return Authors((match[1],), match.end(), sure=True, others=False) if named else None


def _surnames_before(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    """Returns surnames alone before the bracket of a year, a colon, or a title in bold or italics."""
    ahead = text[position : position + 80]
    if " & " in ahead and (pair := _pair_in_front(text, position)):
        return pair if title_odds(first_part(text, pair.end + 1)) > UNLIKELY else None
    marked = any(mark.kind in ("bold", "italic") and position < mark.start < position + 80 for mark in marks)
    if not (marked or GAP in ahead or "(" in ahead or ": " in ahead):
        return None
    authors = read_authors(text, position, surnames=True)
    if authors is None:
        return None
    after = len(text) - len(text[authors.end :].lstrip(" .,:"))
    starts = any(mark.kind in ("bold", "italic") and abs(mark.start - after) <= 1 for mark in marks)
    behind = text[authors.end :].lstrip(" ")[:1]
    within = any(mark.start <= position and authors.end < mark.end for mark in marks)
    cited = behind == ":" and not within and (GAP in text[authors.end :] or year_in(text[authors.end :]) is not None)
    titled = cited and title_odds(first_part(text, authors.end + 1)) > UNLIKELY
    return authors if starts or titled or behind in (GAP, "(") else None


def _surname_before(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    """Returns one surname before a year, or the gap of one, and a title, which is marked where the name is rare."""
    match = _DATED_SURNAME.match(text, position)
    if match is None or not is_surname(match[1]):
        return None
    odds = name_odds([match[1]])
    is_author = odds >= _SURELY_NAME or (odds >= 0 and starts_mark(text, marks, match.end()))
    return Authors((match[1],), match.end(1), sure=True, others=False) if is_author else None


def _pair_in_front(text: str, position: int) -> Authors | None:
    """Returns the two surnames at `position` that "&" joins and a dash, or a colon, parts from what follows."""
    match = _PAIR.match(text, position)
    if match is None or not all(map(is_surname, match.groups())):
        return None
    return Authors((match[1], match[2]), match.end(2), sure=True, others=False)


def is_dated_name(text: str, marks: tuple[Mark, ...], position: int) -> bool:
    """Returns whether a bracket that held a year, and a title in quotation marks or italics, follow a name."""
    match = _BEHIND_BRACKET.match(text, position)
    return match is not None and starts_mark(text, marks, match.end())


def _inverted_before(text: str, marks: tuple[Mark, ...], position: int) -> Authors | None:
    """Returns one name with the surname in front, before a title in quotation marks or italics."""
    authors = inverted_name(text, position) if ", " in text[position : position + 40] else None
    if authors is None:
        return None
    after = MARKS.match(text, authors.end)
    start = after.end() if after else authors.end
    start = dated.end() if (dated := YEAR.match(text, start)) else start
    return authors if starts_mark(text, marks, start) else None

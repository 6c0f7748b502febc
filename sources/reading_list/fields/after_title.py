"""What follows a title: authors, the journal or the book that it is in, the year."""

from __future__ import annotations

import re
from functools import lru_cache

from sources.bibliography.years import year_in
from sources.reading_list.fields.author_lists import Authors, only_authors, read_authors
from sources.reading_list.fields.citation_parts import (
    GAP,
    Citation,
    abbreviated_journal,
    atoms,
    dated_journal,
    dated_place,
    is_journal_name,
    is_signed,
    journal_ahead,
    one_surname,
)
from sources.reading_list.fields.imprints import Imprint, imprint_of, is_numbers
from sources.reading_list.links.link_kinds import FIELD
from sources.reading_list.markdown.marked_text import Mark

_JOURNAL_WITH_VOLUME = re.compile(
    r"([^\W\d_][^\d,;()\n\x1d\v]{2,80}?),?\s(?:Jg\.\s|Bd\.\s|vol\.\s)?\d{1,4}(?=[\s,.:(\x1d/])"
)
_PREPOSITION = re.compile(
    r"[\s.,;:()\[\]*_|–—\x1d\v\U0001f000-\U0001faff\u2600-\u27bf\ufe0f-]*(?:(?:in:?|by|at|from|de|von|par|par:)\s+|"
    + FIELD
    + r")?",
    re.IGNORECASE,
)
_BEHIND_STROKES = re.compile(r"([^\W\d_][^\n\v\x1d]{3,90}?)(?=\.? [—–-] |[.,;]\s|\x1d|$)")
"""What stands behind two strokes in references of the Russian standard, up to the dash: "// Journal. — 1938"."""
_MEDICAL = re.compile(
    r"\s*([A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*){0,7})(?=\. (?:19|20)\d\d(?: [A-Z][a-z]{2}(?: \d\d?)?)?;\s?\d)"
)
"""A journal, and year and volume as medicine writes them: "N Engl J Med. 2014;370"."""
_ACRONYM_BEFORE_VOLUME = re.compile(
    r"\s*([A-Z][A-Za-z]{0,6}[A-Z][a-z]{0,4}) (?!(?:19|20)\d\d)(?:\d{3,4}(?!\d)|\d{1,2}(?=\())(?=[(\s.,;:\x1d]|$)"
)
"""A journal by its first letters, and its volume: "QJE 118(4)"."""
_EDGES = " \t\n.,;:*_()[]|-–—"
_PLACE = re.compile(r"[A-Z][A-Z&]{1,7}|(?=.*[A-Z].*[A-Z])[A-Z][A-Za-z]{2,11}")
"""An acronym, or a name with capitals in it: before a year, a venue that nobody has told us of."""
_YEAR_ENDS = re.compile(r"(?:19|20)\d\d\s?年?$")


def read_tail(text: str, marks: tuple[Mark, ...], start: int, found: Citation, limit: int = 14) -> None:
    """Reads authors, venue and year from what follows a title, up to the first stretch that is none of them."""
    strangers, position, unknown = 0, start, ""
    for _ in range(limit):
        stretch = next(iter(atoms(text, position, 1)), None)
        if stretch is None:
            return
        begin, end = _behind_preposition(text, stretch[0]), stretch[1]
        if found.venue is None and text[stretch[0] : begin].strip().lower() == "in:":
            found.venue = _named_collection(text, begin)
        if found.venue is None and (match := _BEHIND_STROKES.match(text, begin)) and text[begin - 3 : begin] == "// ":
            found.venue, position = match[1], match.end()
            continue
        position = _place_at_end(text, begin, found) or _people_or_journal(text, marks, begin, found)
        if position > begin:
            continue
        position = end
        atom = text[begin:end].strip(_EDGES)
        if atom and not _take(atom, found):
            strangers += 1
            unknown = atom
            if strangers > 2 or len(atom.split()) > 12:
                return
        elif atom:
            if found.venue is None and _PLACE.fullmatch(unknown) and is_numbers(atom):
                found.venue = unknown
            unknown = ""


def _place_at_end(text: str, begin: int, found: Citation) -> int:
    """Reads the journal or the publisher that ends a reference with its year; returns where that ends, 0 without it."""
    if found.venue is not None or found.year is not None or not found.authors:
        return 0
    place = dated_place(text, begin)
    if place is None:
        return 0
    found.venue, found.year = place
    end = text.find("\n", begin)
    return end if end > 0 else len(text)


def _people_or_journal(text: str, marks: tuple[Mark, ...], begin: int, found: Citation) -> int:
    """Reads authors, editors or the name of a journal at `begin`; returns where they end, `begin` where none is."""
    if journal_match := abbreviated_journal(text, begin) or _MEDICAL.match(text, begin):
        found.venue = found.venue or journal_match[1].strip()
        return journal_match.end()
    if authors := _signing(text, begin):
        if authors.sure or not found.authors:
            found.authors = found.authors or authors.names
            return authors.end
        return begin
    if (mark := _italic(text, marks, begin)) is not None:
        name = text[begin : mark.end].split(GAP, maxsplit=1)[0].strip(" \n.,;:")
        imprint = imprint_of(name) or Imprint(name, None)
        found.venue = found.venue or imprint.venue
        found.year = found.year if found.year is not None else imprint.year
        return mark.end
    if (
        found.venue is None
        and found.authors
        and (journal := journal_ahead(text, begin) or _journal_before_volume(text, begin))
    ):
        found.venue = text[journal[0] : journal[1]].strip(_EDGES)
        return journal[1]
    return begin


def _journal_before_volume(text: str, position: int) -> tuple[int, int] | None:
    """Returns where a journal stands at `position` before the number of a volume, which cannot be a year."""
    match = _JOURNAL_WITH_VOLUME.match(text, position)
    if match and is_journal_name(match[1]):
        return match.span(1)
    match = _ACRONYM_BEFORE_VOLUME.match(text, position)
    return match.span(1) if match else None


def _named_collection(text: str, position: int) -> str | None:
    """Returns the journal that "in:" introduces, up to its volume; None where editors of a book stand there."""
    match = _JOURNAL_WITH_VOLUME.match(text, position)
    return match[1] if match else None


def _signing(text: str, position: int) -> Authors | None:
    """Returns the authors named at `position` behind a title."""
    authors = read_authors(text, position, surnames=True)
    if authors is None:
        return one_surname(text, position)
    return authors if authors.sure or is_signed(text, authors.end) else None


def _italic(text: str, marks: tuple[Mark, ...], position: int) -> Mark | None:
    """Returns the stretch in italics at `position`, which behind a title is where it appeared; None without one."""
    mark = next((mark for mark in marks if mark.kind == "italic" and mark.start <= position < mark.end), None)
    if mark is None:
        return None
    name = text[position : mark.end].split(GAP, maxsplit=1)[0].strip(" \n.,;:")
    long = [word for word in name.split() if len(word) > 3]
    capitals = 5 * sum(word[0].isupper() for word in long) >= 3 * len(long)
    fitting = 3 <= len(name) <= 90 and name[0].isupper() and capitals and not is_numbers(name)
    return mark if fitting and not only_authors(name) else None


def _behind_preposition(text: str, start: int) -> int:
    match = _PREPOSITION.match(text, start)
    return match.end() if match else start


def _take(atom: str, found: Citation) -> bool:
    """Puts `atom` where it belongs in `found`; returns False where it is neither authors, venue nor year."""
    if imprint := imprint_of(atom):
        found.year = found.year if found.year is not None else imprint.year
        found.venue = found.venue or imprint.venue
        return True
    if not found.authors and (names := only_authors(atom)):
        found.authors = names
        return True
    if found.authors and found.venue is None and (journal := dated_journal(atom)):
        found.venue, found.year = journal.venue, found.year if found.year is not None else journal.year
        return True
    if is_numbers(atom) or (len(atom) <= 40 and len(atom.split()) <= 4 and _YEAR_ENDS.search(atom)):
        found.year = found.year if found.year is not None else year_in(atom)
        return True
    return False


@lru_cache(maxsize=4096)
def is_credit(text: str) -> bool:
    """Returns whether `text` is authors and where or when they published, and nothing else."""
    authors = read_authors(text, surnames=True) if _YEAR_ENDS.search(text.rstrip(_EDGES)) else None
    if authors is None or not authors.sure:
        return False
    rest = text[authors.end :].strip(_EDGES)
    journal = abbreviated_journal(rest, 0) if rest[:1].isupper() else None
    return bool(rest) and (imprint_of(rest) or imprint_of(rest[journal.end() :] if journal else "")) is not None

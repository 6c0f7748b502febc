"""What stands behind a title: authors, venue, year, in any order, up to the first remark."""

from __future__ import annotations

import re

from sources.reading_list.dates import year_in
from sources.reading_list.parts import GAP, Citation, atoms, is_signed, journal_ahead
from sources.reading_list.people import Authors, only_authors, read_authors
from sources.reading_list.rich import Mark
from sources.reading_list.venues import imprint_of, is_numbers

_PREPOSITION = re.compile(r"[\s.,;:()\[\]*_|–—\x1d\v-]*(?:(?:in:?|by|at|from|de|von|par|par:)\s+)?", re.IGNORECASE)
_YEAR_ENDS = re.compile(r"(?:19|20)\d\d\s?年?$")


def read_tail(text: str, marks: tuple[Mark, ...], start: int, found: Citation, limit: int = 14) -> None:
    """Reads authors, venue and year from what follows a title, up to the first stretch that is none of them."""
    strangers, done = 0, start
    for atom_start, atom_end in atoms(text, start, limit):
        if atom_start < done:
            continue
        atom_start = _behind_preposition(text, atom_start)
        if not found.authors and (authors := _signing(text, atom_start)):
            found.authors, done = authors.names, authors.end
            continue
        atom = text[atom_start:atom_end].strip(" \t\n.,;:*_()[]|-–—")
        if found.venue is None and (name := _italic(text, marks, atom_start)):
            found.venue = name
            done = atom_start + len(name)
            continue
        if found.venue is None and found.authors and journal_ahead(text, atom_start) is not None:
            found.venue = atom
            continue
        if atom and not _take(atom, found):
            strangers += 1
            if strangers > 2 or len(atom.split()) > 12:
                return


def _signing(text: str, position: int) -> Authors | None:
    """Returns the authors named at `position` behind a title."""
    authors = read_authors(text, position, surnames=True)
    return authors if authors is not None and (authors.sure or is_signed(text, authors.end)) else None


def _italic(text: str, marks: tuple[Mark, ...], position: int) -> str | None:
    """Returns the stretch in italics at `position`, which behind a title is where it appeared; None without one."""
    mark = next((mark for mark in marks if mark.kind == "italic" and mark.start <= position < mark.end), None)
    if mark is None:
        return None
    name = text[mark.start : mark.end].split(GAP, maxsplit=1)[0].strip(" \n.,;:")
    if imprint_of(name) or only_authors(name) or is_numbers(name) or not 3 <= len(name) <= 80 or not name[0].isupper():
        return None
    return name


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
    if is_numbers(atom) or (len(atom) <= 40 and len(atom.split()) <= 4 and _YEAR_ENDS.search(atom)):
        found.year = found.year if found.year is not None else year_in(atom)
        return True
    return False

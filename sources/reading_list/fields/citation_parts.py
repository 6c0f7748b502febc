"""Text of a citation -> its parts, and whether what follows a point in it is authors, venue or year.

The text comes with resource links and the like already blanked by `GAP`; positions stay those of the entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sources.bibliography.names import is_organisation
from sources.reading_list.fields.author_lists import read_authors
from sources.reading_list.fields.imprints import imprint_of, is_numbers, is_venue

GAP = "\x1d"
"""Stands where something was taken out of the text: a resource link, a bracket with year and venue."""


@dataclass(slots=True)
class Citation:
    """What a stretch of text tells about one paper.

    `how` names how the title was told from the rest: link, quoted, bold, italic, text.
    """

    title: str | None = None
    start: int = 0
    end: int = 0
    how: str = ""
    name: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    label: str | None = None
    scheduled: bool = False
    quoted: bool = False


_LEAD = re.compile(
    r"(?::[a-z0-9_+-]{2,30}:|[\s\x1d*_•·▪▶►◆●○■□★☆✓✔✅❌⭐\-–—+>|#.,;:→]|"
    r"[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|"
    r"\(\*+\)|(?:TODO|DONE|NEXT|WAITING|READING|READ)\b:?\s|\[[ xX]?\]|[\[(]\d{1,4}[\])]|\(?\d{1,3}[.)、](?=\s|"
    r"[^\d\s.])|[①-⑳]|\[\^?[\w.:-]{1,20}\]:?(?=\s*[A-Z]))+"
)
BOUNDARY = re.compile(
    r"[\s.。；;|，,—：:](?:"
    r"(?<=[\x1d\v])[\x1d\v]*|(?<=[^\s.]\.)(?=\s|$)|(?<=[。；;|：\n])|(?<=，)\s?|(?<=,)\s+|(?<=—)\s*|"
    r"(?<=\s)(?:\s*—\s*|[-–—~/]+\s|(?:[-=]+>|[→⇒])\s|(?=[iI]n:?\s)|(?=by\s+[A-Z])|·\s|(?=(?:arXiv|doi|PMID)\s?:)|//\s)|"
    r"(?<=[?!]\s)|(?<=[a-z]:)\s(?=[A-Z]\w+ et al))"
)
"""Where one part of a citation may end and the next start. Its first character is told first: `re` skips to such."""

ABBREVIATION = re.compile(
    r"(?:^|[\s(.])(?:[A-ZÀ-Þ]|vs|et|al|e\.g|i\.e|cf|no|vol|st|dr|mr|jr|fig|approx|resp|incl|ver|v\d+|[a-z])$",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(r"\s*((?:[A-Z][a-z]{1,9}\.\s?){2,6}(?:[A-Z][A-Za-z.]*\s?){0,2}?),?\s*(?=[A-Z]?\d|[(\x1d])")
_CAPITALS = re.compile(r"[A-Z][A-Z&-]{1,5}")
_SMALL = frozenset("of on the and in for de la und &".split())
_AFTER_NAME = re.compile(r"\s*[,.(]\s*([^,.;()\n\x1d]{2,40})")


@lru_cache(maxsize=8192)
def skip_marks(text: str, position: int) -> int:
    """Returns where the words start behind bullets, numbers, check boxes, emoji and the like at `position`."""
    match = _LEAD.match(text, position)
    if match is None:
        return position
    return match.end()


def atoms(text: str, start: int, limit: int) -> list[tuple[int, int]]:
    """Returns the stretches between boundaries from `start` on, at most `limit` of them."""
    atoms: list[tuple[int, int]] = []
    position = start
    for match in BOUNDARY.finditer(text, start, min(len(text), start + 900)):
        if match[0] == "." and ABBREVIATION.search(text[max(position, match.start() - 8) : match.start()]):
            continue
        if text[position : match.start()].strip():
            atoms.append((position, match.start()))
            if len(atoms) >= limit:
                return atoms
        position = match.end()
    end = min(len(text), start + 900)
    if text[position:end].strip():
        atoms.append((position, end))
    return atoms


def is_imprint_ahead(text: str, position: int) -> bool:
    """Returns whether what starts at `position` is authors, venue or year, and so not the title's own words."""
    bounds = next(iter(atoms(text, position, 1)), None)
    if bounds is None:
        return True
    stretch = text[slice(*bounds)].strip()
    if stretch.startswith("by "):
        signed = read_authors(stretch, 3, surnames=True)
        return signed is not None and (signed.sure or signed.end == len(stretch))
    if imprint_of(stretch) is not None or is_numbers(stretch) or is_organisation(stretch):
        return True
    return _is_collection(stretch) or abbreviated_journal(text, position) is not None or _are_authors(text, position)


def _is_collection(stretch: str) -> bool:
    """Returns whether `stretch` says where a paper is: "In" and a venue, or "In" and the editors of a book."""
    if not stretch.lower().startswith(("in ", "in: ")):
        return False
    return is_venue(stretch[3:]) or (stretch[0] == "I" and read_authors(stretch, 3) is not None)


def _are_authors(text: str, position: int) -> bool:
    """Returns whether authors are named at `position`; behind a comma, surnames alone may be words of the title."""
    listed = text[max(position - 2, 0) : position] == ", "
    position += text[position : position + 1] == " "
    authors = read_authors(text, position, surnames=not listed)
    if authors is None:
        return False
    bare = listed and not authors.others and all(" " not in name for name in authors.names)
    return (authors.sure and not bare) or is_signed(text, authors.end)


def abbreviated_journal(text: str, position: int) -> re.Match[str] | None:
    """Returns the match of an abbreviated journal with its volume at `position`, as in "Phys. Rev. Lett. 116"."""
    return _ABBREVIATED.match(text, position)


def journal_ahead(text: str, position: int) -> tuple[int, int] | None:
    """Returns where an unknown journal stands at `position`: capitalised words and a year, or a last acronym."""
    stretches = atoms(text, position, 2)
    if len(stretches) == 1 and _CAPITALS.fullmatch(text[slice(*stretches[0])].strip(GAP + " .")):
        return stretches[0]
    if len(stretches) < 2:
        return None
    (start, end), (after, stop) = stretches
    words = text[start:end].split()
    if not 2 <= len(words) <= 6 or not all(word[0].isupper() or word in _SMALL for word in words) or words[0] == "and":
        return None
    imprint = imprint_of(text[after:stop])
    return (start, end) if imprint is not None and imprint.year is not None and imprint.venue is None else None


def is_signed(text: str, position: int) -> bool:
    """Returns whether year or venue follow at `position`: two capitalised words before them are a name."""
    match = _AFTER_NAME.match(text, position)
    return match is not None and imprint_of(match[1]) is not None

"""Text of a citation -> its parts: where one ends, whether authors, venue or year follow, what stands behind a title.

The text comes with resource links and the like already blanked by `GAP`; positions stay those of the entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sources.bibliography.names import is_organisation
from sources.reading_list.fields.author_lists import SURE_NAMES, SURNAME, Authors, read_authors
from sources.reading_list.fields.imprints import Imprint, imprint_of, is_numbers, is_venue
from sources.reading_list.fields.name_model import name_odds
from sources.reading_list.fields.title_model import title_odds
from sources.reading_list.fields.titles import clean_title

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
    r"(?::[a-z0-9_+-]{2,30}:|[\s\x1d*_•·▪▶►◆●○■□★☆✓✔✅❌⭐\-–—+>|#.,;:→]|!\s|"
    r"[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|"
    r"\(\*+\)|(?:TODO|DONE|NEXT|WAITING|READING|READ)\b:?\s|\[[ xX]?\]|[\[(]\d{1,4}[\])]|\(?\d{1,3}[.)、](?=\s|"
    r"[^\d\s.])|by\s(?=[A-Z])|[①-⑳]|\[\^?[\w.:-]{1,20}\]:?(?=\s*[A-Z]))+"
)
BOUNDARY = re.compile(
    r"[\s.。；;|，,—：:](?:(?<=\s)(?:(?<=[\x1d\v])[\x1d\v]*|(?<=\n)|"
    r"(?=[\s—–~/=→⇒·iIbadP-])(?:\s*—\s*|[-–—~/]+\s|(?:[-=]+>|[→⇒])\s|(?=[iI]n:?\s)|(?=by\s+[A-Z])|·\s|"
    r"(?=(?:arXiv|doi|PMID)\s?:)|//\s)|(?<=[?!]\s))|"
    r"(?<!\s)(?:(?<=[^\s.]\.)(?=\s|$)|(?<=[。；;|：])|(?<=，)\s?|(?<=,)\s+|(?<=—)\s*|(?<=[a-z]:)\s(?=[A-Z]\w+ et al)))"
)
"""Where one part of a citation may end and the next start. Its first character is told first, as `re` skips to such;
then whether it is a blank, as most are, and what the word behind a blank begins with.
"""

ABBREVIATION = re.compile(
    r"(?:^|[\s(.])(?:[A-ZÀ-Þ]|vs|et|al|e\.g|i\.e|cf|no|vol|st|dr|mr|jr|fig|approx|resp|incl|ver|v\d+|[a-z])$",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(
    r"\s*((?:(?:[A-Z][a-z]{1,9}|J)\.\s?){2,6}(?:[A-Z][A-Za-z.]*\s?){0,2}?),?\s*(?=[A-Z]?\d|[(\x1d])"
)
_VOLUME_FIRST = re.compile(
    r"\s*\d{1,4} ((?:[A-Z][\w.’'&]*,? |& |of ){1,8}?)\d{1,5}(?:, \d[\d–-]*)?(?=\s*(?:[\x1d(\[;]|\.?\s*$))"
)
"""A journal between its volume and the page, as lawyers cite: "131 Harv. L. Rev. 1598 (2018)"."""
_CAPITALS = re.compile(r"[A-Z][A-Z&-]{1,5}")
_SMALL = frozenset("of on the and in for de la und &".split())
_AFTER_NAME = re.compile(r"\s*[,.(]\s*([^,.;()\n\x1d]{2,40})")


@lru_cache(maxsize=8192)
def odds_of_parts(text: str) -> float:
    """Returns the odds of that part of `text`, which may be a whole citation, that reads most like a title."""
    return max([title_odds(clean_title(part)) for part in BOUNDARY.split(text)])


@lru_cache(maxsize=8192)
def skip_marks(text: str, position: int) -> int:
    """Returns where the words start behind bullets, numbers, check boxes, emoji and the like at `position`."""
    match = _LEAD.match(text, position)
    return position if match is None else match.end()


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


_LISTED_ON = re.compile(r",?\s+(?:and|&|or)\s|,\s(?:[^\W\d_]+,\s){0,3}(?:and|&|or)\s")
"""How an enumeration goes on: "The Art, Science, and Engineering of ..." names no journal."""


def is_imprint_ahead(text: str, position: int) -> bool:
    """Returns whether what starts at `position` is authors, venue or year, and so not the title's own words."""
    bounds = next(iter(atoms(text, position, 1)), None)
    if bounds is None:
        return True
    stretch = text[slice(*bounds)].strip()
    if stretch.startswith("by "):
        signed = read_authors(stretch, 3, surnames=True)
        return signed is not None and (signed.sure or signed.end == len(stretch))
    if imprint_of(stretch) is not None:
        return not (stretch.isalpha() and _LISTED_ON.match(text, bounds[1]))
    if is_numbers(stretch) or is_organisation(stretch):
        return True
    if _is_collection(stretch):
        return not text[max(position - 2, 0) : position].strip().isalnum() or _HAS_IMPRINT.search(stretch) is not None
    return abbreviated_journal(text, position) is not None or _are_authors(text, position)


_DATED = re.compile(r"([A-Z].{4,90}?),? ((?:19|20)\d\d)")
_HAS_IMPRINT = re.compile(r"^In|\d|[A-Z]\w*[A-Z]|[A-Z][\w.]* [A-Z]\w*\.|\b[Pp]roc")
"""What "in" goes on with where only a blank parts it from a title and it is no word of that: not "Neural Networks"."""


def _is_collection(stretch: str) -> bool:
    """Returns whether `stretch` says where a paper is: "In" and a venue, or "In" and the editors of a book."""
    if not stretch.lower().startswith(("in ", "in: ")):
        return False
    if stretch[2] == ":" or stretch[3] in '«“„"':
        return True
    return is_venue(stretch[3:]) or (stretch[0] == "I" and read_authors(stretch, 3) is not None)


def _are_authors(text: str, position: int) -> bool:
    """Returns whether authors are named at `position`; behind a comma, surnames alone may be words of the title."""
    listed = text[max(position - 2, 0) : position] == ", "
    position += text[position : position + 1] == " "
    authors = read_authors(text, position, surnames=True)
    if authors is None:
        return one_surname(text, position) is not None
    behind_words = text.count(" ", max(position - 60, 0), position) > 2
    joined = behind_words and "&" in text[position : authors.end] and not text[authors.end :].strip(GAP + " .\n\v")
    bare = listed and not joined and not authors.others and all(" " not in name for name in authors.names)
    bare = bare and name_odds(authors.names) < SURE_NAMES
    return (authors.sure and not bare) or is_signed(text, authors.end)


def one_surname(text: str, position: int) -> Authors | None:
    """Returns the surname at `position`, by itself behind a title and before the place where that came out."""
    match = SURNAME.match(text, position)
    if match is None or " " in match[0] or name_odds([match[0]]) < 0 or text[match.end() : match.end() + 2] != ", ":
        return None
    place = BOUNDARY.split(text[match.end() + 2 : match.end() + 102], maxsplit=1)[0].split(GAP, maxsplit=1)[0].strip()
    imprint = imprint_of(place) or dated_journal(place)
    signed = imprint is not None and imprint.venue is not None and imprint.year is not None
    return Authors((match[0],), match.end(), sure=True, others=False) if signed else None


def dated_journal(text: str) -> Imprint | None:
    """Returns two capitalised words or more and the year behind them, which behind authors are a journal."""
    match = _DATED.fullmatch(text)
    return Imprint(match[1], int(match[2])) if match and is_journal_name(match[1]) else None


def is_journal_name(text: str) -> bool:
    """Returns whether `text` is made of capitalised words, or abbreviated ones, as names of journals are."""
    words = text.split()
    if not 2 <= len(words) <= 8 or words[0] in _SMALL or not all(word in _SMALL or word[0].isupper() for word in words):
        return False
    stopped = [word for word in words[:-1] if word[-1] == "." and word != "J."]
    parted = any(len(word) < 4 or word[:-1].isupper() for word in stopped) or 0 < 3 * len(stopped) <= len(words)
    return not parted and sum(word not in _SMALL for word in words) > 1


def abbreviated_journal(text: str, position: int) -> re.Match[str] | None:
    """Returns the match of an abbreviated journal with its volume at `position`, as in "Phys. Rev. Lett. 116"."""
    return _ABBREVIATED.match(text, position) or _VOLUME_FIRST.match(text, position)


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

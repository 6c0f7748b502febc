"""Splits the text of a citation into parts, and recognises each part.

The text comes with resource links and the like already blanked by `GAP`; positions stay those of the entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from sources.bibliography.names import is_organisation
from sources.bibliography.titles import ends_with_part, is_inside_part, part_at, stands_between
from sources.lists.reading.author_lists import SURE_NAMES, SURNAME, UPPER, Authors, name_odds, read_authors
from sources.lists.reading.imprints import Imprint, imprint_of, is_numbers, is_venue
from sources.lists.reading.title_model import FUNCTION_WORDS, clean_title, title_odds

GAP = "\x1d"  # stands where something was taken out of the text: a resource link, a bracket with year and venue


@dataclass(slots=True)
class Citation:
    """What a stretch of text tells about one paper.

    `how` names how the title was told from the rest: link, quoted, bold, italic, text. `numbers` are the places where
    what looks like a year begins a title; `in_lines` says that authors, title and place have a line each.
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
    numbers: frozenset[int] = frozenset()
    in_lines: bool = False


_LEAD = re.compile(
    r"(?::[a-z0-9_+-]{2,30}:|[\s\x1d*_•·▪▶►◆●○■□★☆✓✔✅❌⭐\-–—+>|#.,;:→]|!\s|"
    r"[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|"
    r"\(\*+\)|(?:TODO|DONE|NEXT|WAITING|READING|READ)\b:?\s|\[[ xX]?\]|[\[(]\d{1,4}[\])]|\(?\d{1,3}[.)、](?=\s|"
    r"[^\d\s.])|by\s(?=[A-Z])|[①-⑳]|\[\^?[\w.:-]{1,20}\]:?(?=\s*[A-Z]))+"
)
# Where one part of a citation may end and the next start. Its first character is told first, as `re` skips to such;
# then whether it is a blank, as most are, and what the word behind a blank begins with.
BOUNDARY = re.compile(
    r"[\s.。；;|，,—：:](?:(?<=\s)(?:(?<=[\x1d\v])[\x1d\v]*|(?<=\n)|"
    r"(?=[\s—–~/=→⇒·iIbadP-])(?:\s*—\s*|[-–—~/]+\s|(?:[-=]+>|[→⇒])\s|(?=[iI]n:?\s)|(?=by\s+[A-Z])|·\s|"
    r"(?=(?:arXiv|doi|PMID)\s?:)|//\s)|(?<=[?!]\s))|"
    r"(?<!\s)(?:(?:(?<=[^\s.]\.)|(?<=[^\s.]\.\.))(?=\s|$)|(?<=[。；;|：])|"
    r"(?<=，)\s?|(?<=,)\s+|(?<=—)\s*|(?<=[a-z]:)\s(?=[A-Z]\w+ et al)))"
)

ABBREVIATION = re.compile(
    r"(?:^|[\s(.])(?:[A-ZÀ-ÞА-Я]|vs|et|al|e\.g|i\.e|cf|no|vol|st|dr|mr|jr|fig|approx|resp|incl|ver|pt|bd|cz|v\d+|[a-z])$",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(
    r"\s*((?:(?:[A-Z][a-z]{1,9}|J)\.\s?){2,6}(?:[A-Z][A-Za-z.]*\s?){0,2}?),?\s*(?=[A-Z]?\d|[(\x1d])"
)
# A journal between its volume and the page, as lawyers cite: "131 Harv. L. Rev. 1598 (2018)".
_VOLUME_FIRST = re.compile(
    r"\s*\d{1,4} ((?:[A-Z][\w.’'&]*,? |& |of ){1,8}?)\d{1,5}(?:, \d[\d–-]*)?(?=\s*(?:[\x1d(\[;]|\.?\s*$))"
)
_CAPITALS = re.compile(r"[A-Z][A-Z&-]{1,5}")
_SMALL = frozenset(
    "of on the and in for de la und & voor van het di dei della delle degli del e och og w i do da dos des der "
    "du".split()
)
_ELISION = re.compile(r"^(?:[ld]|dell|dall|nell|sull)['’]")
_AFTER_NAME = re.compile(r"\s*[,.(]\s*([^,.;()\n\x1d]{2,40})")


# What may be a year before a title with nothing but a blank or a colon between.
_NUMBER_IN_FRONT = re.compile(r"(?:(?<![^\s\x1d\"“„«『「《*_\[])|^)((?:19|20)\d\d)(?=:?\s+[^\W\d_])")
_DATED_ELSEWHERE = re.compile(
    r"(?:(?<=[,;(]\s)|(?<=[,;(])|^\W{0,4})((?:19|20)\d\d)(?=\s?[-–—|,.;)\]]|$)|(?<=\s)((?:19|20)\d\d)(?=\W*$)"
)


@lru_cache(maxsize=8192)
def odds_of_parts(text: str) -> float:
    """Returns the odds of that part of `text`, which may be a whole citation, that reads most like a title."""
    return max([title_odds(clean_title(part)) for part in BOUNDARY.split(text)])


def title_numbers(text: str, years: Iterable[tuple[int, int]], *, undated: bool) -> frozenset[int]:
    """Returns where a number like a year is the first word of a title, as in "1984 Revisited, 2010", and no date.

    So it is where the year stands elsewhere in the entry: in a bracket or a date before it, or a later year behind it.

    Args:
        text: The text of an entry.
        years: The places of the brackets that were taken out of it and tell years, and the years.
        undated: Whether a year before a title would be out of place: it is told elsewhere, or few entries have one.
    """
    found = [(match.start(), int(match[1])) for match in _NUMBER_IN_FRONT.finditer(text)]
    if not found:
        return frozenset()
    dated = [*years, *((match.start(), int(match[1] or match[2])) for match in _DATED_ELSEWHERE.finditer(text))]
    return frozenset(
        at
        for at, number in found
        if undated or any(year != number if place < at else year > number + 1 for place, year in dated if place != at)
    )


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


# How an enumeration goes on: "The Art, Science, and Engineering of ..." names no journal.
_LISTED_ON = re.compile(r",?\s+(?:and|&|or)\s|,\s(?:[^\W\d_]+,\s){0,3}(?:and|&|or)\s")


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


def goes_on_as_part(text: str, start: int, at: int, after: int) -> bool | None:
    """Returns whether the title from `start` goes on behind the boundary at `at` to `after`, as it names a part there.

    It goes on before the name of a part, "... . II", and behind it where neither authors nor a place follow. None where
    no part is named beside the boundary.
    """
    if not stands_between(text, at, after):
        return None
    if is_inside_part(text, at):
        return True
    label = part_at(text, after)
    if label is not None and len(text[start:at].strip()) > 1 and not _is_initial(text, after, label):
        return True
    if not ends_with_part(text[start:at]) or at - start < _SHORTEST_BEFORE_PART:
        return None
    following = next(iter(atoms(text, after, 1)), None)
    if following is None or text[after:].lstrip(" ")[:1] in _ENDS_OF_PART:
        return False
    stretch = text[slice(*following)].strip()
    is_journal = is_journal_name(stretch) and _VOLUME_NEXT.match(text, following[1]) is not None
    is_journal = is_journal or dated_place(text, following[0]) is not None
    return not is_journal and not is_imprint_ahead(text, following[0]) and dated_journal(stretch) is None


_DATED_PLACE = re.compile(
    rf"\s*([{UPPER}][^\n\v\x1d\d;:()]{{1,80}}?),?(?:\s\d[\d(),–-]*,?)?\s(?:\(?|\x1d)(1[5-9]\d\d|20\d\d)\)?\.?\s*(?:$|\n)"
)
_MOST_WORDS_OF_PLACE, _LONGEST_ABBREVIATION = 8, 7
_ENDS_OF_PART = ("", GAP, "\n", "\v")
_VOLUME_NEXT = re.compile(r",?\s\d")
_SHORTEST_BEFORE_PART = 8


def _is_initial(text: str, position: int, label: str) -> bool:
    """Returns whether a Roman number of one letter is the initial of an author: "V. Vapnik", but not "V. Dynamics"."""
    if label not in ("I", "V", "X"):
        return False
    authors = read_authors(text, position + text[position : position + 1].isspace(), surnames=True)
    return authors is not None and name_odds([name.split()[-1] for name in authors.names]) >= 0


_DATED = re.compile(r"([A-Z].{4,90}?),? ((?:19|20)\d\d)")
# What "in" goes on with where only a blank parts it from a title and it is no word of that: not "Neural Networks".
_HAS_IMPRINT = re.compile(r"^In|\d|[A-Z]\w*[A-Z]|[A-Z][\w.]* [A-Z]\w*\.|\b[Pp]roc")


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


def dated_place(text: str, position: int) -> Imprint | None:
    """Returns the journal or publisher at `position`, in capitals, with the year that ends an entry behind it.

    So ends a reference: "Math. Annalen 1899.", "Nieuw Archief voor Wiskunde 12 (1921)", "Teubner 1909".
    """
    match = _DATED_PLACE.match(text, position)
    if match is None:
        return None
    words = match[1].split()
    named = all(_ELISION.sub("", word)[:1].isupper() or word in FUNCTION_WORDS or word in _SMALL for word in words)
    named = named and all(word[-1] not in ".," or len(word) <= _LONGEST_ABBREVIATION for word in words[:-1])
    return Imprint(match[1].rstrip(" ,."), int(match[2])) if len(words) <= _MOST_WORDS_OF_PLACE and named else None


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

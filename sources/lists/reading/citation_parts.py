"""Splits the text of a citation into parts, and recognises each: venue, year, pages, authors.

The text comes with resource links and the like already blanked by `GAP`; positions stay those of the entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from sources.bibliography.names import is_organisation
from sources.bibliography.titles import ends_with_part, is_inside_part, part_at, stands_between
from sources.bibliography.venues import ACRONYMS, AMBIGUOUS, KEYWORDS, VOLUMES, WHOLE_NAMES
from sources.bibliography.years import (
    DATE,
    SHORT_MONTHS,
    YEAR_DIGITS,
    YEARS,
    full_year,
    glued_year,
    is_year,
    year_in,
    year_of_meeting,
)
from sources.lists.reading.author_lists import SURE_NAMES, SURELY_NAME, SURNAME, UPPER, Authors, name_odds, read_authors
from sources.lists.reading.title_model import CJK, EVEN, FUNCTION_WORDS, LIKELY, clean_title, title_odds, words_in


class Imprint(NamedTuple):
    """What a stretch tells about where and when a paper appeared."""

    venue: str | None = None
    year: int | None = None


_NOISE = re.compile(
    r"\b(?:oral|spotlight|poster|highlight|best (?:student )?paper(?: award)?|award|runner-up|accepted|accept|"
    r"at|in|on|to appear|appear|under review|submitted|published|presented|invited|extended abstract|"
    r"short paper|short|long|full|main(?: track)?|track|"
    r"demo|outstanding paper|honorable mention|distinguished paper|findings|revised|modify|modified|updated?|"
    r"upd|preprint|version|v\d+)\b|[★☆🔥⭐✨🏆,;:|/·•。，、;.!?*&()\[\]-]",
    re.IGNORECASE,
)
# "In", in five languages, as it begins what names the book that a chapter is in.
IN_WORDS = ("In", "En", "Em", "Dans", "Nel", "Teoksessa")
_EDGES = " \t\n.,;:|-–—*_/?~"
_NAME_EDGES = _EDGES + "()[]"
_PUBLISHERS = frozenset("acm ieee siam usenix".split())
_PRAISE = frozenset("oral poster spotlight highlight best paper award".split())
_SERIES = ("foundations and trends", "transactions on", "journal of", "proceedings of")
# What stands before "Transactions" in the names of journals that end so.
_SERIES_BEFORE = _PUBLISHERS | {"philosophical", "transactions"}
_SMALL_OF_VENUES = frozenset(
    "of on the and in for at to a an by de la et und workshop workshops oral poster spotlight track findings best "
    "paper award short long demo preprint".split()
)
_HEAD_KEYWORD = re.compile(
    r"(?:in:?\s+)?(?:the\s+)?(?:\d+(?:st|nd|rd|th)\s+|[A-Z]\w+(?:th|st|nd|rd)\s+)?(?:annual\s+|international\s+|"
    r"int\.?\s+|ieee\S*\s+|acm\S*\s+|usenix\s+|european\s+|asian\s+)*"
    r"(?:proc\b|proceedings|conference|conf\b|symposium|symp\b|workshop|journal|transactions|trans\b|annals|"
    r"advances in|lecture notes|communications of|comm\.|tech(?:nical|\.)? ?report|"
    r"technical memo|internal report|research report|ph\.?d|master|bachelor|doctoral|thesis|dissertation|arxiv|"
    r"corr\b|preprint|ieee|acm|usenix|siam|springer|elsevier|lncs|bulletin|acta|"
    r"pages?\b|pp\b|vol|volume|editors?\b|eds?\b|chapter|unpublished|under review|to appear)",
    re.IGNORECASE,
)
_VOLUME = re.compile(
    r"(?<=[A-Za-z.])[ ;,]+(?:vol\.? ?)?\d+[\d\s():;,./–-]*$|[\s;,:]+\d*\(?\d*\)?:\s?[\d–-]+$", re.IGNORECASE
)
# A journal by what stands behind its name: "Physical Review D, 69(10), 103501", "Science, 379(6630): 313–315".
_WITH_VOLUME = re.compile(
    r"([^\W\d_][^\d,;()]{2,80}), \d{1,4} ?(?:\(\d{1,5}(?:[-–/]\d+)?\))?[,:] ?[A-Za-z]?\d+(?: ?[-–—]+ ?[A-Za-z]?\d+)?"
)
_NUMBERED = re.compile(r"(?:(?:vol(?:ume)?|no|pp?|pages?|issue|number|chapters?|sections?)\b[.\s]*)+", re.IGNORECASE)
_NAME_DATED = re.compile(r"([A-Z][^\d()]{2,90}?),? ((?:19|20)\d\d)")
_DATED_ACRONYMS = ACRONYMS - VOLUMES
_LETTERS = re.compile(r"[^\W\d_]+(?:[.-][^\W\d_]+)*")
# The words, in small letters, of which a venue holds one, unless its whole name tells what it is.
_VENUE_WORDS = frozenset(max(words_in(name), key=len) for name in KEYWORDS | ACRONYMS)
_DAY = re.compile(r"(?:\d{1,2}\s)+(?=[^\W\d])")  # what is left of days in front of a venue
_DIGIT = re.compile(r"\d")
_PART = re.compile(r"[,.;]\s+")
_PLACE_WORD = re.compile(r"\b(?:conference|workshop|symposium|transactions|journal)\b", re.IGNORECASE)
_WORK_WORD = re.compile(r"\b(?:reports? on|technical report|tech report|notes|thesis|chapter|paper)\b", re.IGNORECASE)
_FEWEST_BEFORE_VENUE = 3  # words
_FEWEST_UNKNOWN = 4  # words beside an acronym that make the name of a venue doubtful
# Words that many titles begin with, and the name of no venue.
NO_VENUE_BEGINS = frozenset("a an on how what why when from to toward towards is are can does using".split())
_YEAR_GLUED = re.compile(r"['’‘]?(?:\d\d)?\d\d$")
_APOSTROPHE = re.compile(r"([A-Z][\w&/.-]+(?: (?:Workshop|Sec\.?|Security|ATC|WS))?)\s?['’](\d\d)")
_TOKEN = re.compile(r"[^\s,;/|·()\[\]@:]+")
_ACRONYM_SHAPE = re.compile(r"(?:[a-z]{0,3}[A-Z][A-Za-z]*[A-Z][A-Za-z]*|[A-Z]{2,})(?:[-/+&@][A-Z][A-Za-z]*)*")
_ACRONYM_DATED = re.compile(r"(\S{2,14}?)(?: |-|['’‘`´ ]{1,2})?((?:19|20)?\d\d)")
_ARXIV_CLASS = re.compile(
    r"(?:cs|stat|math|eess|q-bio|q-fin|econ|physics|cond-mat|hep-\w+|quant-ph|astro-ph)\.?[A-Z]{0,2}"
)
_NUMBERS = re.compile(
    r"^(?:pp?\.?\s*)?[\d():.,/\s–-]+$|^(?-i:[a-z]{1,5}\d{4,7})$|^(?:pages?|pp\.?|vol(?:ume)?\.?|no\.?|number|issue|article)\s*[A-Z]?[\d(]",
    re.IGNORECASE,
)


RANGE = re.compile(r"\d\s?[-–—]+\s?\d")
# The pages of a paper in its volume: "S. 25–53", "pp. 98-127", "41(3): 98-127".
_PAGES = re.compile(
    r"(?<![^\W\d_])(?:pp?|[Pp]ages?|Pp|SS?|ss|Seiten?|págs?|стр|[СсC])\.?\s?\d+\s?[-–—]+\s?\d+|"
    r"[\d)]\s?[:,]\s?(?:\d{1,5}\s?[-–—]\s?\d{1,5})(?![\d-])"
)


def has_pages(text: str) -> bool:
    """Returns whether `text` tells the pages of a paper."""
    return RANGE.search(text) is not None and _PAGES.search(text) is not None  # most texts hold no range


def imprint_of(text: str) -> Imprint | None:
    """Returns the venue and year that `text` consists of; None where it holds anything else."""
    text = text.strip(_EDGES)
    if not 0 < len(text) <= 160:
        return None
    imprint = _imprint_of(text)
    if imprint is None and text[-1].isdigit() and (match := _APOSTROPHE.fullmatch(text)):
        return Imprint(match[1], full_year(match[2]))  # whatever stands before an apostrophe and two digits is a venue
    return imprint


@lru_cache(maxsize=8192)
def _imprint_of(text: str) -> Imprint | None:
    if _DIGIT.search(text) is None:
        name = " ".join(text.split()).strip(_NAME_EDGES) if _LETTERS.search(text) else ""
        return _named(name, None, None) if name else None
    year = year_in(text)
    rest = DATE.sub(" ", text)
    if not _LETTERS.search(rest) or not _LETTERS.search(_NOISE.sub(" ", rest)):
        return Imprint(None, year) if year is not None else None
    name = " ".join(rest.split()).strip(_NAME_EDGES)
    if (journal := _WITH_VOLUME.fullmatch(name)) and _has_capitals_as_names(journal[1]):
        return Imprint(journal[1], year)
    if year is not None:
        name = _DAY.sub("", name, count=1) if _DAY.match(name) else name
    glued = glued_year(name) if year is None and len(name.split()) <= 3 else None
    if glued is not None and " " in name and _without_glued_year(name).lower() not in _DATED_ACRONYMS:
        glued = None
    if glued is None:
        name = _VOLUME.sub("", name).strip(_NAME_EDGES)
    if not name:
        return Imprint(None, year) if year is not None else None
    return _named(name, year, glued)


def dated_acronym(text: str) -> Imprint | None:
    """Returns the imprint that `text` is, where its place says that it is one: any acronym with a year, CHEOPS 22."""
    match = _ACRONYM_DATED.fullmatch(text.strip(_EDGES))
    if match is None or not _ACRONYM_SHAPE.fullmatch(match[1]):
        return None
    if text.strip(_EDGES)[len(match[1])].isdigit() and not (match[1].isupper() or match[1].lower() in ACRONYMS):
        return None  # the name of a system: DFloat11
    return Imprint(match[1], year_of_meeting(match[2]))


def dated_name(text: str) -> Imprint | None:
    """Returns the imprint that `text` is, where nothing but one can stand: capitalised words and a year."""
    match = _NAME_DATED.fullmatch(text.strip(_EDGES))
    if (
        match is None
        or not is_year(int(match[2]))
        or not all(word[0].isupper() or word in _SMALL_OF_VENUES for word in match[1].split())
    ):
        return None
    return Imprint(match[1].rstrip(" ,"), int(match[2]))


def _named(name: str, year: int | None, glued: int | None) -> Imprint | None:
    """Returns the imprint of a stretch whose dates are taken out: `name` is what is left."""
    if glued is not None:
        stem = _without_glued_year(name)
        return Imprint(stem, glued) if is_venue(stem) else None
    if _NUMBERED.fullmatch(name):
        return Imprint(None, year)
    if (venue := is_venue(name)) or year is None:
        return Imprint(_trimmed(name), year) if venue else None
    words = name.split()
    if len(words) <= 8 and _has_keyword(name):
        return Imprint(_trimmed(name), year)
    if len(name) <= 30 and len(words) <= 2 and not CJK.search(name) and _ACRONYM_SHAPE.fullmatch(words[0]):
        return Imprint(None if is_organisation(name) else name, year)
    return Imprint(None, year) if is_organisation(name) else None


# The title of a report on a model: "Qwen2.5-Coder Technical Report".
_REPORT_ON = re.compile(
    r"(?=\S*[A-Za-z])(?:\S*\d\S*|\S*[a-z][A-Z]\S*|\S+ \d[\d.]*)(?: [\w.-]+)? [Tt]echnical [Rr]eport"
)


def is_venue(text: str) -> bool:
    """Returns whether `text` names a venue: a known acronym, a journal, or words that only venues are made of."""
    lowered = text.lower().strip(" .,")
    is_known = (
        lowered in WHOLE_NAMES
        or lowered.startswith(_SERIES)
        or (" " not in lowered and _ARXIV_CLASS.fullmatch(text.strip()) is not None)
    )
    if before_venue(text) or (not is_known and _VENUE_WORDS.isdisjoint(words_in(lowered))):
        return False
    words = _TOKEN.findall(text)
    in_words = len(words) > 16 or (not text.isascii() and len(CJK.findall(text)) > 14)
    if not words or in_words or _REPORT_ON.fullmatch(text.strip(" .,")):
        return False
    if is_known:
        return True
    if len(words) > 3 and not text[0].isupper() and not text[0].isdigit() and words[0] not in ("in", "the"):
        return False
    unknown = [word for word in words if not _is_acronym(word)]
    if len(unknown) < min(len(words), _FEWEST_UNKNOWN):
        return not any(word.islower() and word not in _SMALL_OF_VENUES for word in unknown)
    begins = _has_keyword(text) and text.split(maxsplit=1)[0].lower() not in NO_VENUE_BEGINS
    headed = begins and _HEAD_KEYWORD.match(text) is not None
    return headed or (begins and max(map(title_odds, (text, *_PART.split(text)))) < LIKELY)


def names_place(text: str) -> bool:
    """Returns whether `text` is the name of a journal or a meeting, and no report, thesis or chapter."""
    meets = text.lower().strip(" .,") in WHOLE_NAMES or _PLACE_WORD.search(text) is not None
    return meets and _WORK_WORD.search(text) is None and is_venue(text) and title_odds(text) < EVEN


def before_venue(text: str) -> str:
    """Returns the title before a colon and its journal, as pages of publishers are called; empty where it is none."""
    head, _, tail = text.rpartition(": ")
    titled = len(head.split()) >= _FEWEST_BEFORE_VENUE and is_venue(tail) and not is_venue(head)
    return head if titled and not ends_with_part(text) else ""


def _has_keyword(text: str) -> bool:
    """Returns whether a word that venues are made of is in `text`; at the end, transactions are those of databases."""
    words = _LETTERS.findall(text.lower())
    if words and words[-1] == "transactions" and words[0] not in _SERIES_BEFORE:
        words.pop()
    return not KEYWORDS.isdisjoint(words)


def is_numbers(text: str) -> bool:
    """Returns whether `text` is pages, volume or number of an issue."""
    return _NUMBERS.match(text.strip()) is not None


@lru_cache(maxsize=8192)
def _is_acronym(word: str) -> bool:
    bare = word.strip(".'’*_\"“”-–")
    if bare[-1:].isdigit():
        bare = _YEAR_GLUED.sub("", bare)
    lowered = bare.lower()
    if lowered not in ACRONYMS:
        return False
    if lowered in AMBIGUOUS:
        return bare.isupper() and len(bare) > 1
    return bare[:1].isupper() or len(bare) >= 4 or not bare.isalpha()


def _without_glued_year(name: str) -> str:
    return name.rstrip("abcdef").rstrip("0123456789").rstrip(" -'’‘") or name


def _trimmed(name: str) -> str:
    """Returns the venue without a remark behind a comma, an organisation in another script, a preprint's number."""
    head, comma, rest = name.partition(",")
    if comma and is_venue(head):
        name = head
    elif comma and is_venue(rest.strip()) and " " not in head:
        name = rest.strip()
    if name.lower().startswith("arxiv"):
        return name[:5]
    first, _, rest = name.partition(" ")
    if rest and CJK.search(first) and not CJK.search(rest):
        return rest
    words = name.split()
    while len(words) > 1 and words[-1].lower() in _PRAISE:
        words.pop()
    name = " ".join(words)
    if (
        len(words) > 2
        and _is_acronym(words[0])
        and words[0].lower() not in _PUBLISHERS
        and not _has_keyword(" ".join(words[1:]))
    ):
        known = [index for index, word in enumerate(words) if _is_acronym(word) or word.lower() in _SMALL_OF_VENUES]
        return " ".join(words[: known[-1] + 1])
    return name


GAP = "\x1d"  # stands where something was taken out of the text: a resource link, a bracket with year and venue


@dataclass(slots=True)
class Citation:
    """What a stretch of text tells about one paper.

    `how` names how the title was told from the rest: link, quoted, bold, italic, text. `numbers` are the places where
    what looks like a year begins a title; `whole` says that the form leaves no doubt where the title begins and ends,
    `placed` that "In:" stands before the place.
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
    whole: bool = False
    placed: bool = False

    def fill(self, venue: str | None = None, year: int | None = None, authors: tuple[str, ...] = ()) -> None:
        """Takes what is given where nothing is known yet."""
        self.venue = self.venue or venue
        self.year = self.year if self.year is not None else year
        self.authors = self.authors or authors


_LEAD = re.compile(
    r"(?::[a-z0-9_+-]{2,30}:|\\[a-z]{2,30}(?:\{\}|\x1d\x1d)|%\s|[\s\x1d*_•·▪▶►◆●○■□★☆✓✔✅❌⭐◯△×\-–—+>|#.,;:→]|!\s|"
    r"[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|"
    r"\([^\w\s()]{1,4}\)|(?:TODO|DONE|NEXT|WAITING|READING|READ)\b:?\s|\[[ xX]?\]|[\[(]\d{1,4}[\])]|"
    r"[A-Z]{1,5}-?0\d{1,3}(?:\s[—–-]|[:.)])\s|\(?\d{1,3}[.)、](?=\s|"
    r"[^\d\s.])|by\s(?=[A-Z])|[①-⑳]|\[\^?[\w.:-]{1,40}\]:?(?=\s*[A-Z]))+"
)
# Where one part of a citation may end and the next start. Its first character is told first, as `re` skips to such;
# then whether it is a blank, as most are, and what the word behind a blank begins with.
BOUNDARY = re.compile(
    r"[\s.。；;|，,—：:](?:(?<=\s)(?:(?<=[\x1d\v])[\x1d\v]*|(?<=\n)|"
    r"(?=[\s—–~/=→⇒·iIbadP-])(?:\s*—\s*|[-–—~/]+\s|(?:[-=]+>|[→⇒])\s|(?=[iI]n:?\s)|(?=by\s+[A-Z])|·\s|"
    r"(?=(?:arXiv|doi|PMID)\s?:)|//\s)|(?<=[?!]\s))|"
    r"(?<!\s)(?:(?:(?<=[^\s.]\.)|(?<=[^\s.]\.\.))(?=\s|$)|(?<=[。；;|：])(?<!&lt;)(?<!&gt;)(?<!&amp;)|"
    r"(?<=，)\s?|(?<=,)\s+|(?<=—)(?:\s+|(?<![a-zа-я\d]—)|(?![a-zа-яA-ZА-Я\d]))|(?<=[a-z]:)\s(?=[A-Z]\w+ et al)))"
)

ABBREVIATION = re.compile(
    r"(?:^|[\s(.])(?:[A-ZÀ-ÞА-Я]|(?-i:[А-Я][а-я])|vs|et|al|e\.g|i\.e|cf|no|vol|st|dr|mr|jr|fig|approx|resp|incl|ver|spp|sp|subsp|ssp|var|aff|pt|co|bd|cz|v\d+|[a-z])$",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(
    r"\s*((?:(?:(?:[A-Z][a-z]{1,9}|J)\.\s?){2,6}(?:[A-Z][A-Za-z.]*\s?){0,2}?|"
    r"(?:[A-Z][a-z]{1,4}\.\s)?J\.\s(?:[A-Z][a-z]+\.?\s?){1,5}?)),?\s*(?=[A-Z]?\d|[(\x1d])"
)
# A journal between its volume and the page, as lawyers cite: "131 Harv. L. Rev. 1598 (2018)"; no day: "2021 Aug 21".
_VOLUME_FIRST = re.compile(
    rf"\s*\d{{1,4}} (?!(?:{SHORT_MONTHS.title()})\b)"
    r"((?:[A-Z][\w.’'&]*,? |& |of ){1,8}?)\d{1,5}(?:, \d[\d–-]*)?(?=\s*(?:[\x1d(\[;]|\.?\s*$))"
)
# A journal as Italians and Poles cite it: "«Medioevo e Rinascimento», 3 (1989)", ", 1989, p. 9", "„Ethos” t. XIX".
_QUOTED_JOURNAL = re.compile(
    r"\s*[«„]([^«»„”“\x1d]{3,120})[»”“],? "
    r"(?=(?:(?:n|vol|a|s|t|fasc|nr|z|cz|R|r|č|roč)\. ?[\w.]{1,5},? ){0,2}"
    r"(?:(?:t|R|nr|z|cz|vol|n)\.? ?)?(?:\d{1,3}|[IVXLC]{1,7})(?:[ ,/.\x1d-]|$)"
    rf"|{YEAR_DIGITS}, (?:pp?|n|fasc|nr|s)\b)"
)
# A journal by its first letters, with volume and pages: "KZfSS 35, S. 29".
_ACRONYM_WITH_PAGES = re.compile(r"\s*([A-Z][A-Za-z]*[A-Z][A-Za-z]*) \d{1,4}(?: \x1d+)?, (?:S|pp?|págs?)\. ?\d")
_CAPITALS = re.compile(r"[A-Z][A-Z&-]{1,5}")
_SMALL = frozenset(
    "of on the and in for de la und & voor van het di dei della delle degli del e och og w i do da dos des der "
    "du".split()
)
_ELISION = re.compile(r"^(?:[ld]|dell|dall|nell|sull)['’]")
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
    if (is_numbers(stretch) and not YEARS.fullmatch(stretch)) or is_organisation(stretch):
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


# Volume, issue and pages in a line that names a journal: "Vol. 356, Issue 6333, pp. 92-95", "34 (4): 969-979".
_NUMBERS_OF_LINE = re.compile(
    r"(?:\b(?:vol(?:ume)?|issue|no|number|pp?|pages|article(?: (?:number|no|id))?)\b[.:]?\s*)?[Ee]?\d[\w–-]*|[():;,|]",
    re.IGNORECASE,
)
# What a line begins with that tells when its writer added something, and no journal.
_OF_READER = frozenset(
    "added updated read last posted date accessed written created modified version from on in".split()
)
_DATED_PLACE = re.compile(
    rf"\s*([{UPPER}][^\n\v\x1d\d;:()]{{1,80}}?),?(?:\s\d[\d(),–-]*,?)?\s(?:\(?|\x1d)({YEAR_DIGITS})\)?\.?\s*(?:$|\n)"
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
    word, _, rest = stretch.partition(" ")
    if word in IN_WORDS[1:]:
        return not rest or rest[0].isupper()
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


_YEAR_NEXT = re.compile(rf" {GAP}{{6}}|, (?:19|20)\d\d(?=[,.;]|$)")  # also what a year in brackets left


def one_surname(text: str, position: int) -> Authors | None:
    """Returns the surname at `position`, by itself behind a title and before the place where that came out."""
    match = SURNAME.match(text, position)
    if match is None or " " in match[0] or name_odds([match[0]]) < 0:
        return None
    if _YEAR_NEXT.match(text, match.end()) and text[position - 2 : position] == ", ":
        clear = name_odds([match[0]]) >= SURELY_NAME
        return Authors((match[0],), match.end()) if clear else None
    if text[match.end() : match.end() + 2] != ", ":
        return None
    place = BOUNDARY.split(text[match.end() + 2 : match.end() + 102], maxsplit=1)[0].split(GAP, maxsplit=1)[0].strip()
    imprint = imprint_of(place) or dated_journal(place)
    signed = imprint is not None and imprint.venue is not None and imprint.year is not None
    return Authors((match[0],), match.end()) if signed else None


def dated_journal(text: str) -> Imprint | None:
    """Returns two capitalised words or more and the year behind them, which behind authors are a journal."""
    match = _DATED.fullmatch(text)
    return Imprint(match[1], int(match[2])) if match and is_journal_name(match[1]) else None


def dated_line(line: str) -> Imprint | None:
    """Returns the journal and the year that a line of its own consists of, with whatever volume, pages and day."""
    year = year_in(line)
    name = _NUMBERS_OF_LINE.sub(" ", DATE.sub(" ", line)).strip(_NAME_EDGES)
    words = name.split()
    named = year is not None and 0 < len(words) <= _MOST_WORDS_OF_PLACE and not re.search(r"\w\s{2,}\w", name)
    named = named and words[0].lower() not in _OF_READER and _has_capitals_as_names(name)
    return Imprint(name, year) if named and title_odds(name) < LIKELY else None


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


def _has_capitals_as_names(text: str) -> bool:
    words = text.split()
    return words[0] not in _SMALL and all(word in _SMALL or word[0].isupper() or word == "&" for word in words)


def is_journal_name(text: str) -> bool:
    """Returns whether `text` is made of capitalised words, or abbreviated ones, as names of journals are."""
    words = text.split()
    if not 2 <= len(words) <= 8 or not _has_capitals_as_names(text):
        return False
    stopped = [word for word in words[:-1] if word[-1] == "." and word != "J."]
    parted = any(len(word) < 4 or word[:-1].isupper() for word in stopped) or 0 < 3 * len(stopped) <= len(words)
    return not parted and sum(word not in _SMALL for word in words) > 1


def abbreviated_journal(text: str, position: int) -> re.Match[str] | None:
    """Returns the match of a journal and its volume at `position`: "Phys. Rev. Lett. 116", "«Quaderni storici», 3"."""
    return (
        _ABBREVIATED.match(text, position)
        or _VOLUME_FIRST.match(text, position)
        or _QUOTED_JOURNAL.match(text, position)
    )


def journal_ahead(text: str, position: int) -> tuple[int, int] | None:
    """Returns where an unknown journal stands at `position`: capitalised words and a year, or a last acronym."""
    if match := _ACRONYM_WITH_PAGES.match(text, position):
        return match.span(1)
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

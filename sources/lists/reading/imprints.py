"""Recognises venues as lists write them, and stretches of nothing but venue and year."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sources.bibliography.names import is_organisation
from sources.bibliography.venues import ACRONYMS, AMBIGUOUS, KEYWORDS, VOLUMES, WHOLE_NAMES
from sources.bibliography.years import DATE, full_year, glued_year, is_year, year_in, year_of_meeting
from sources.lists.reading.languages import words_in
from sources.lists.reading.title_model import LIKELY, title_odds


class Imprint(NamedTuple):
    """What a stretch tells about where and when a paper appeared."""

    venue: str | None
    year: int | None


_NOISE = re.compile(
    r"\b(?:oral|spotlight|poster|highlight|best (?:student )?paper(?: award)?|award|runner-up|accepted|accept|"
    r"at|in|on|to appear|appear|under review|submitted|published|presented|invited|extended abstract|"
    r"short paper|short|long|full|main(?: track)?|track|"
    r"demo|outstanding paper|honorable mention|distinguished paper|findings|revised|modify|modified|updated?|"
    r"upd|preprint|version|v\d+)\b|[★☆🔥⭐✨🏆,;:|/·•。，、;.!?*&()\[\]-]",
    re.IGNORECASE,
)
_EDGES = " \t\n.,;:|-–—*_/?~"
_NAME_EDGES = _EDGES + "()[]"
_PUBLISHERS = frozenset("acm ieee siam usenix".split())
_PRAISE = frozenset("oral poster spotlight highlight best paper award".split())
_SERIES = ("foundations and trends", "transactions on", "journal of", "proceedings of")
# What stands before "Transactions" in the names of journals that end so.
_SERIES_BEFORE = _PUBLISHERS | {"philosophical", "transactions"}
_SMALL = frozenset(
    "of on the and in for at to a an by de la et und workshop workshops oral poster spotlight track findings best "
    "paper award short long demo preprint".split()
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
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
_NUMBERED = re.compile(r"(?:(?:vol(?:ume)?|no|pp?|pages?|issue|number|chapters?|sections?)\b[.\s]*)+", re.IGNORECASE)
_NAME_DATED = re.compile(r"([A-Z][^\d()]{2,60}?),? ((?:19|20)\d\d)")
_DATED = ACRONYMS - VOLUMES
_LETTERS = re.compile(r"[^\W\d_]+(?:[.-][^\W\d_]+)*")
# The words, in small letters, of which a venue holds one, unless its whole name tells what it is.
_VENUE_WORDS = frozenset(max(words_in(name), key=len) for name in KEYWORDS | ACRONYMS)
_DAY = re.compile(r"(?:\d{1,2}\s)+(?=[^\W\d])")  # what is left of days in front of a venue
_DIGIT = re.compile(r"\d")
_PART = re.compile(r"[,.;]\s+")
# Words that many titles begin with, and the name of no venue.
_NO_VENUE_BEGINS = frozenset("a an on how what why when from to toward towards is are can does using".split())
_YEAR_GLUED = re.compile(r"['’‘]?(?:\d\d)?\d\d$")
_APOSTROPHE = re.compile(r"([A-Z][\w&/.-]+(?: (?:Workshop|Sec\.?|Security|ATC|WS))?)\s?['’](\d\d)")
_TOKEN = re.compile(r"[^\s,;/|·()\[\]@:]+")
_ACRONYM_SHAPE = re.compile(r"(?:[a-z]{0,3}[A-Z][A-Za-z]*[A-Z][A-Za-z]*|[A-Z]{2,})(?:[-/+&@][A-Z][A-Za-z]*)*")
_ACRONYM_DATED = re.compile(r"(\S{2,14}?)(?: |-|['’‘`´ ]{1,2})?((?:19|20)?\d\d)")
_ARXIV_CLASS = re.compile(
    r"(?:cs|stat|math|eess|q-bio|q-fin|econ|physics|cond-mat|hep-\w+|quant-ph|astro-ph)\.?[A-Z]{0,2}"
)
_NUMBERS = re.compile(
    r"^(?:pp?\.?\s*)?[\d():.,/\s–-]+$|^(?:pages?|pp\.?|vol(?:ume)?\.?|no\.?|number|issue|article)\s*[A-Z]?[\d(]",
    re.IGNORECASE,
)


_RANGE = re.compile(r"\d\s?[-–—]+\s?\d")
# The pages of a paper in its volume: "S. 25–53", "pp. 98-127", "41(3): 98-127".
_PAGES = re.compile(
    r"(?<![^\W\d_])(?:pp?|[Pp]ages?|Pp|SS?|ss|Seiten?|págs?|стр|[СсC])\.?\s?\d+\s?[-–—]+\s?\d+|"
    r"[\d)]\s?[:,]\s?(?:\d{1,5}\s?[-–—]\s?\d{1,5})(?![\d-])"
)


def has_pages(text: str) -> bool:
    """Returns whether `text` tells the pages of a paper."""
    return _RANGE.search(text) is not None and _PAGES.search(text) is not None  # most texts hold no range


def imprint_of(text: str) -> Imprint | None:
    """Returns the venue and year that `text` consists of; None where it holds anything else."""
    text = text.strip(_EDGES)
    if not 0 < len(text) <= 160:
        return None
    return _imprint_of(text) or (_dated_name(text) if text[-1].isdigit() else None)


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
    if year is not None:
        name = _DAY.sub("", name, count=1) if _DAY.match(name) else name
    glued = glued_year(name) if year is None and len(name.split()) <= 3 else None
    if glued is not None and " " in name and _stem(name).lower() not in _DATED:
        glued = None
    if glued is None:
        name = _VOLUME.sub("", name).strip(_NAME_EDGES)
    if not name:
        return Imprint(None, year) if year is not None else None
    return _named(name, year, glued)


def _dated_name(text: str) -> Imprint | None:
    """Returns the imprint of a name with an apostrophe and two digits: whatever stands before them is a venue."""
    match = _APOSTROPHE.fullmatch(text)
    return Imprint(match[1], full_year(match[2])) if match else None


def dated_acronym(text: str) -> Imprint | None:
    """Returns the imprint that `text` is, where its place says that it is one: any acronym with a year, CHEOPS 22."""
    match = _ACRONYM_DATED.fullmatch(text.strip(_EDGES))
    if match is None or not _ACRONYM_SHAPE.fullmatch(match[1]):
        return None
    return Imprint(match[1], year_of_meeting(match[2]))


def dated_name(text: str) -> Imprint | None:
    """Returns the imprint that `text` is, where nothing but one can stand: capitalised words and a year."""
    match = _NAME_DATED.fullmatch(text.strip(_EDGES))
    if (
        match is None
        or not is_year(int(match[2]))
        or not all(word[0].isupper() or word in _SMALL for word in match[1].split())
    ):
        return None
    return Imprint(match[1].rstrip(" ,"), int(match[2]))


def _named(name: str, year: int | None, glued: int | None) -> Imprint | None:
    """Returns the imprint of a stretch whose dates are taken out: `name` is what is left."""
    if glued is not None:
        stem = _stem(name)
        return Imprint(stem, glued) if is_venue(stem) else None
    if _NUMBERED.fullmatch(name):
        return Imprint(None, year)
    if (venue := is_venue(name)) or year is None:
        return Imprint(_trimmed(name), year) if venue else None
    words = name.split()
    if len(words) <= 8 and _has_keyword(name):
        return Imprint(_trimmed(name), year)
    if len(name) <= 30 and len(words) <= 2 and not _CJK.search(name) and _ACRONYM_SHAPE.fullmatch(words[0]):
        return Imprint(None if is_organisation(name) else name, year)
    return Imprint(None, year) if is_organisation(name) else None


def is_venue(text: str) -> bool:
    """Returns whether `text` names a venue: a known acronym, a journal, or words that only venues are made of."""
    lowered = text.lower().strip(" .,")
    is_known = (
        lowered in WHOLE_NAMES
        or lowered.startswith(_SERIES)
        or (" " not in lowered and _ARXIV_CLASS.fullmatch(text.strip()) is not None)
    )
    if not is_known and _VENUE_WORDS.isdisjoint(words_in(lowered)):
        return False
    words = _TOKEN.findall(text)
    if not words or len(words) > 16 or (not text.isascii() and len(_CJK.findall(text)) > 14):
        return False
    if is_known:
        return True
    if len(words) > 3 and not text[0].isupper() and not text[0].isdigit() and words[0] not in ("in", "the"):
        return False
    if (unknown := _without_acronyms(words)) is not None:
        return not any(word.islower() and word not in _SMALL for word in unknown)
    return _has_keyword(text) and (_HEAD_KEYWORD.match(text) is not None or not _holds_title(text))


def _holds_title(text: str) -> bool:
    """Returns whether `text` or a part of it between commas and stops is a title, or `text` begins as no venue does."""
    if text.split(maxsplit=1)[0].lower() in _NO_VENUE_BEGINS:
        return True
    return any(title_odds(part) >= LIKELY for part in (text, *_PART.split(text)))


def _without_acronyms(words: list[str]) -> list[str] | None:
    """Returns the words that are no acronyms of venues, 3 at most; None where there are more, or no acronym."""
    unknown: list[str] = []
    for word in words:
        if not _is_acronym(word):
            unknown.append(word)
            if len(unknown) > 3:
                return None
    return unknown if len(unknown) < len(words) else None


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


def _stem(name: str) -> str:
    """Returns `name` without the two digits of a year glued to it."""
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
    if rest and _CJK.search(first) and not _CJK.search(rest):
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
        known = [index for index, word in enumerate(words) if _is_acronym(word) or word.lower() in _SMALL]
        return " ".join(words[: known[-1] + 1])
    return name

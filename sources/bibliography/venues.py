"""The table of venues: their kinds, and whether two texts name the same venue. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path

from sources.bibliography.titles import fold


class Kind(Enum):
    """What a venue is."""

    JOURNAL = "journal"
    CONFERENCE = "conference"
    PREPRINT = "preprint"
    PUBLISHER = "publisher"


def _read_table() -> list[tuple[str, Kind, frozenset[str], tuple[str, ...]]]:
    """Returns name, kind, marks and other names of every venue; the file says what they mean."""
    rows = []
    for line in (Path(__file__).parent / "data" / "venues.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, kind, marks, others = (*line.split("\t"), "", "")[:4]
            rows.append((name, Kind(kind), frozenset(marks.split()), tuple(filter(None, others.split("; ")))))
    return rows


_TABLE = _read_table()
_NAMED = [(other, name, kind, marks) for name, kind, marks, others in _TABLE for other in (name, *others)]
# Names without blanks, in lower case: they count wherever they stand.
ACRONYMS = frozenset(
    name for name, _, _, marks in _NAMED if " " not in name and ("inside" in marks or "whole" not in marks)
)
# Names, in lower case, that count where nothing stands beside them.
WHOLE_NAMES = frozenset(name for name, _, _, marks in _NAMED if " " in name or "whole" in marks)
# Acronyms that are words too: they count in capitals only.
AMBIGUOUS = frozenset(name for name, _, _, marks in _NAMED if "word" in marks)
# Those that count in volumes: two digits behind a blank are no year, as in "JMLR 13".
VOLUMES = frozenset(name for name, _, kind, marks in _NAMED if kind is Kind.JOURNAL or "volumes" in marks)
_CANONICAL = {name: canonical for name, canonical, _, _ in _NAMED}
_KINDS = {name: kind for name, _, kind, _ in _NAMED}
_OWN_KINDS = {name: kind for name, kind, _, _ in _TABLE}

# Words that names of venues and imprints are made of. Titles hold some of them too, so one alone proves little.
KEYWORDS = frozenset(
    """
    proc proceedings conference conf symposium symp workshop workshops journal transactions trans annals letters
    lett magazine bulletin advances arxiv corr preprint report thesis dissertation       press
    springer springer-verlag elsevier wiley addison-wesley mcgraw-hill prentice           vol
        pp chapter acta revue zeitschrift     communications comm   ieee acm usenix siam
    aaai vldb unpublished whitepaper manuscript submission   phd ph.d monograph lecture       memo
    conferencia actas revista tesis informe congreso thèse actes colloque konferenz konferenzband журнал конференция
    конференции доклады труды вестник 会议 期刊 学报 论文集   論文誌 研究報告 学会 학회 논문지
    """.split()
)

_WORD = re.compile(r"[^\W\d_]+")
_YEAR_OR_ORDINAL = re.compile(r"\b(?:(?:19|20)\d\d|\d+(?:st|nd|rd|th))\b|\s\d+$|['’]\d\d\b")
_LEADING = re.compile(r"^(?:in )?(?:(?:the|annual|proceedings of(?: the)?|proc\.?) )+")
_SIDE_EVENT = re.compile(r"\b(workshops?|findings|companion|adjunct|tutorials?|demo(nstration)?s?|track|satellite)\b")
_LEADING_WRITTEN = re.compile(_LEADING.pattern, re.IGNORECASE)
_PREPRINT = re.compile(r"\b(arxiv(\.org)?|corr|biorxiv|medrxiv|chemrxiv|ssrn|openreview|preprint|hal)\b")
_MEETING = re.compile(
    r"\b(conference|conf|proceedings|proc|workshops?|symposium|colloquium|congress|annual meeting|meeting of the|"
    r"chapter of the|summit)\b|^usenix |\w@\w"
)
_SERIES = re.compile(r"\b(journal|transactions|letters|annals|review|reviews|magazine|acta|bulletin|archives?)\b")
_EMPTY = frozenset(
    "of the on in for and a an to at by proceedings proc conference international annual symposium workshop journal "
    "transactions ieee acm advances th st nd rd".split()
)


@lru_cache(maxsize=8192)
def kind_of(venue: str | None) -> Kind:
    """Returns how a paper came out, as its venue tells: without one as a preprint, in one not known in a journal."""
    text = fold(venue or "").strip()
    bare = _without_year_and_number(text)
    if not text or (_PREPRINT.search(text) and not _MEETING.search(text)):
        return Kind.PREPRINT
    known = _KINDS.get(text) or _KINDS.get(bare, Kind.PUBLISHER)
    if known is not Kind.PUBLISHER:
        return known
    if _SERIES.search(text):
        return Kind.JOURNAL
    first, _, rest = bare.partition(" ")  # a conference and its track: "NeurIPS Datasets", "ACL Findings"
    is_meeting = first in ACRONYMS and _KINDS[first] is Kind.CONFERENCE
    is_meeting = is_meeting and ((len(first) > 3 and first not in AMBIGUOUS) or " " not in rest)
    return Kind.CONFERENCE if is_meeting or _MEETING.search(text) else Kind.JOURNAL


def _without_year_and_number(text: str) -> str:
    return _LEADING.sub("", " ".join(_YEAR_OR_ORDINAL.sub(" ", text).split()).strip(" .,;:()-"))


def same_venue(written: str | None, true: str | None) -> bool:
    """Returns whether two texts name one venue, by acronym, by name, or by one's initials being the other.

    False says nothing against a candidate: preprints, workshop versions and journals go by many names.
    """
    if not written or not true:
        return False
    return not _names(written).isdisjoint(_names(true))


@lru_cache(maxsize=8192)
def _names(text: str) -> frozenset[str]:
    """Returns the names that a venue's text holds: its acronyms, and the initials of each run of its words."""
    found: set[str] = set()
    if (whole := _without_year_and_number(fold(text))) in _CANONICAL and ":" in whole:
        return frozenset({_CANONICAL[whole]})  # a name with a colon in it
    for part in re.split(r"[;,()/:]", text[:300]):
        folded = fold(part)
        words = _WORD.findall(folded)
        telling = [word for word in words if word not in _EMPTY]
        initials = "".join(word[0] for word in words if word not in ("of", "the", "on", "in", "for", "and", "to"))
        acronyms = {word.lower() for word in _WORD.findall(part) if _is_acronym(word)}
        short = [word for word in telling if len(words) <= 3 or word.upper() in part or word in acronyms]
        names = (*short, "".join(telling), initials, _without_year_and_number(folded))
        found |= {_CANONICAL.get(name, name) for name in names if len(name) >= 3}
    return frozenset(found - {"arxiv"})


def known_venues(text: str) -> frozenset[str]:
    """Returns the conferences and journals of the table that a text names, each by the name that stands for all."""
    return frozenset(name for name in _names(text) if _OWN_KINDS.get(name) in (Kind.CONFERENCE, Kind.JOURNAL))


@dataclass(frozen=True, slots=True)
class VenueName:
    """What a venue is called without its years."""

    key: str  # the same for all texts that name the venue
    written: str  # the text without year and number of the edition


def venue_name(text: str) -> VenueName | None:
    """Returns what the venue of a paper is called, None where the text names no venue but an archive of preprints.

    A known conference or journal has one name, however it is written; of a workshop held there the name is its own.
    """
    bare = _without_year_and_number(fold(text).strip())
    if not bare or kind_of(text) is Kind.PREPRINT:
        return None
    written = _LEADING_WRITTEN.sub("", " ".join(_YEAR_OR_ORDINAL.sub(" ", text).split())).strip(" .,;:()-")
    inside = {_CANONICAL[word.lower()] for word in _WORD.findall(text) if _is_acronym(word)}
    known = _CANONICAL.get(bare, inside.pop() if len(inside) == 1 and not _SIDE_EVENT.search(bare) else bare)
    return VenueName(known, written or text.strip())


def _is_acronym(word: str) -> bool:
    """Returns whether `word` stands for a conference or journal, as its capitals tell too."""
    folded = word.lower()
    kind = _KINDS.get(folded) if folded in ACRONYMS else None
    return kind in (Kind.CONFERENCE, Kind.JOURNAL) and sum(letter.isupper() for letter in word) > 1

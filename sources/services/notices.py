"""Notices about papers, such as retractions, and which of them are about a paper. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from sources.bibliography.names import parse_name, same_people
from sources.bibliography.titles import title_key
from sources.services.agreement import Description, is_generic, is_surely_one

# What a notice can be; only the first retracts a paper, and the last takes that back.
NATURES = ("retraction", "correction", "expression of concern", "reinstatement")
_MARK = re.compile(
    r"^\s*(?:\[\s*(?:retracted|withdrawn)[^\]]{0,20}\]|(?:retracted|withdrawn)(?:\s+(?:article|paper|chapter))?\s*[:：])\s*"
    r"|\s*[\[(]\s*retracted(?:\s+(?:article|paper|chapter))?\s*[\])]\s*$",
    re.IGNORECASE,
)
_YEARS_TO_PUBLICATION = 3  # years from a preprint to the publication that was retracted


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notice about a paper, as Retraction Watch has it."""

    record: str  # Retraction Watch's number for it
    nature: str  # one of `NATURES`
    title: str  # the paper's title, without a mark such as "RETRACTED:"
    authors: tuple[str, ...] = ()  # names in order; empty where nobody is named
    doi: str | None = None  # the paper's; None where it has none
    original_year: int | None = None  # when the paper came out
    notice_doi: str | None = None  # the notice's own DOI, which may be the paper's
    noticed_on: date | None = None  # the day of the notice
    reasons: tuple[str, ...] = ()  # Retraction Watch's words for the reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Retraction:
    """What the notices about one paper come to."""

    notice: Notice  # the newest retraction
    reinstated: bool  # whether a later notice took it back
    matched_by: Match  # how the paper was recognised


Match = Literal["doi", "title and authors"]


def without_mark(title: str) -> str:
    """Returns a title without what publishers put before or behind that of a retracted paper."""
    return _MARK.sub("", title).strip() or title


def retraction_among(notices: Iterable[Notice], paper: Description, dois: Collection[str]) -> Retraction | None:
    """Returns what the notices say of a paper; None where none of them retracts it."""
    matched = {notice: match for notice in notices if (match := match_of(notice, paper, dois))}
    retractions = [notice for notice in matched if notice.nature == "retraction"]
    if not retractions:
        return None
    newest = max(retractions, key=lambda notice: (notice.noticed_on or date.min, int(notice.record)))
    last = newest.noticed_on or date.min
    reinstated = any(notice.nature == "reinstatement" and (notice.noticed_on or last) >= last for notice in matched)
    return Retraction(notice=newest, reinstated=reinstated, matched_by=matched[newest])


def match_of(notice: Notice, paper: Description, dois: Collection[str]) -> Match | None:
    """Returns how a notice is known to be about a paper; None where it is not.

    With the DOI, title and people must agree, as far as they are known. Without it, the whole title, all people and the
    year must agree, and few works may bear the title: papers are republished under theirs, and namesakes write about
    the same things.
    """
    other = Description(title=notice.title, authors=notice.authors, year=notice.original_year)
    paper = Description(title=without_mark(paper.title or ""), authors=paper.authors, year=paper.year)
    if notice.doi is not None and dois:
        return "doi" if notice.doi in dois and is_surely_one(paper, other) else None
    if is_generic(notice.title):
        return None
    if title_key(paper.title or "") != title_key(notice.title) or not same_people(paper.authors, notice.authors):
        return None
    alone = len(paper.authors) == 1
    if paper.year is None or notice.original_year is None:
        return None if alone else "title and authors"
    if alone and not (abs(notice.original_year - paper.year) <= 1 and _same_name(paper.authors[0], notice.authors[0])):
        return None
    return "title and authors" if -1 <= notice.original_year - paper.year <= _YEARS_TO_PUBLICATION else None


def _same_name(name: str, other: str) -> bool:
    """Returns whether two names are one but for initials in the middle; initials alone are too little."""
    first, second = parse_name(name), parse_name(other)
    if first is None or second is None or not first.surname & second.surname or not first.given or not second.given:
        return False
    mine, theirs = ([name[0] for name in person.given[1:]] for person in (first, second))
    return first.given[0] == second.given[0] and len(first.given[0]) > 1 and (not mine or not theirs or mine == theirs)

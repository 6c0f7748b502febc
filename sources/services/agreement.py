"""Decides whether two descriptions are the same paper. Pure.

A service that mixes its records up sends sound ones under wrong identifiers. So a record is compared with what is known
of the paper, by title and by people: a new version may have another title, but has its people; a namesake has the
title, but other people.

Authors give arXiv the DOI of another paper at times, so that two papers of one DOI may both be sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sources.bibliography.identifiers import Identifier
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_keys, title_words
from sources.errors import DisputedRecord
from sources.matching.relation import compare_titles
from sources.matching.word_match import GENERIC, SEQUELS, are_numerals, number_in
from sources.records import SERVICE_NAMES, ArxivPaper, Mention, PaperRecord, S2Paper, SourceName

# agree: one paper. renamed: the same people under a title with nothing in common, or under that of a sequel. unknown:
# too little to tell by. disagree: two papers.
Stand = Literal["agree", "renamed", "unknown", "disagree"]

_CLOSE_YEARS = 1
_RENAMED_WITHIN_YEARS = 3
_ONE_TITLE = frozenset({"same", "named", "cut", "torn", "extended", "renamed"})
_HALF = 0.5
_TELLING_WORDS = 4  # a list's title of fewer words may be a nickname, or no title at all ("Paper", "PDF")


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What somebody says of a paper."""

    title: str | None  # its title; None where unknown
    authors: tuple[str, ...] = ()  # names in order; empty where unknown
    year: int | None = None  # when it came out, as preprint or in its venue
    # whether a reading list says so: its titles may be cut, wrong, or nicknames, its names organisations
    listed: bool = False


def described(record: PaperRecord) -> Description:
    """Returns how a service's record describes its paper."""
    if isinstance(record, ArxivPaper):
        year = record.published_at.year if record.published_at else None
        return Description(title=record.title, authors=record.authors, year=year)
    return Description(title=record.title, authors=record.authors, year=record.year)


def described_by_row(row: Mapping[str, Any]) -> Description:
    """Returns how a row of `papers` describes its paper."""
    return Description(title=row["title"] or None, authors=tuple(row["authors"]), year=row["year"])


def described_by_mention(mention: Mention) -> Description:
    """Returns how a list describes the paper that it mentions."""
    return Description(title=mention.title, authors=mention.authors, year=mention.year, listed=True)


def compare(known: Description, other: Description) -> Stand:
    """Returns how a record's description relates to what is known."""
    if not known.title or not other.title:
        return "unknown"
    titles, people = _titles(known, other), _people(known.authors, other.authors)
    if titles == "same":
        return "disagree" if people == "conflict" and not known.listed else "agree"
    if titles == "unknown":
        is_other = not known.listed and (people == "conflict" or _apart(known, other) > _RENAMED_WITHIN_YEARS)
        return "agree" if people == "agree" else "disagree" if is_other else "unknown"
    is_near = titles == "near"
    if is_near and not known.listed:
        mine, theirs = title_words(known.title), title_words(other.title)
        # A word or a number that makes another paper, as in "Part II", may be in one title only.
        telling = {word for word in set(mine.words) ^ set(theirs.words) if word in SEQUELS or number_in(word)}
        is_near = not telling or compare_titles(mine, theirs).relation != "lookalike"
    if people == "agree":
        return "agree" if is_near else "renamed" if _apart(known, other) <= _RENAMED_WITHIN_YEARS else "disagree"
    if is_near and people == "unknown":
        return "agree" if known.year and other.year and _apart(known, other) <= _CLOSE_YEARS else "unknown"
    return "disagree"


def is_surely_one(known: Description, other: Description) -> bool:
    """Returns whether title and people are those of one paper, as they must be where only a DOI links two descriptions.

    Authors type the DOI of another paper of theirs at times. So the titles must be the same but for spelling and a
    subtitle; one that many works bear, such as "Editorial", proves nothing unless people and year are the same as well.
    """
    if compare(known, other) != "agree":
        return False
    mine, theirs = title_words(known.title or ""), title_words(other.title or "")
    if is_generic(known.title or ""):
        is_of_one_year = known.year is not None and known.year == other.year
        return is_of_one_year and _people(known.authors, other.authors) == "agree"
    differing = set(mine.words) ^ set(theirs.words)
    if any(word in SEQUELS or number_in(word) or are_numerals(word, word) for word in differing):
        return False
    keys, others = title_keys(known.title or ""), title_keys(other.title or "")
    return keys[0] in others or others[0] in keys or compare_titles(mine, theirs).relation == "same"


def is_generic(title: str) -> bool:
    """Returns whether many works bear this title, such as "Editorial"."""
    return GENERIC.issuperset(title_words(title).words)


def same_title(known: Description, other: Description) -> bool:
    """Returns whether two descriptions bear one title, whoever wrote it."""
    return bool(known.title and other.title) and _titles(known, other) == "same"


def bears(record: PaperRecord, identifier: Identifier) -> bool:
    """Returns whether the record itself has `identifier`; a service that answers to it need not repeat it."""
    if isinstance(record, ArxivPaper):
        return identifier in (Identifier("arxiv", record.arxiv_id), Identifier("doi", record.doi or ""))
    if isinstance(record, S2Paper) and identifier.scheme == "s2":
        return record.s2_paper_id == identifier.value
    if isinstance(record, S2Paper) and identifier.scheme == "corpus":
        return record.corpus_id is not None and str(record.corpus_id) == identifier.value
    if identifier.scheme == "arxiv":
        return record.arxiv_id == identifier.value
    return any(
        item.scheme == identifier.scheme and item.value.casefold() == identifier.value.casefold()
        for item in record.identifiers
    )


def _titles(known: Description, other: Description) -> Literal["same", "near", "different", "unknown"]:
    mine, theirs = known.title or "", other.title or ""
    if title_key(mine) == title_key(theirs) != "":
        return "same"
    ours, others = title_words(mine), title_words(theirs)
    if _latin(ours.words) != _latin(others.words):
        return "unknown"
    both = (compare_titles(ours, others), compare_titles(others, ours))
    evidence = max(both, key=lambda each: (each.relation in _ONE_TITLE, each.agreement))
    if evidence.relation in _ONE_TITLE and evidence.agreement >= _HALF / 2:
        return "same" if evidence.relation != "renamed" else "near"
    if evidence.agreement >= _HALF:
        return "near"
    return "unknown" if known.listed and compare_titles(ours, others).words < _TELLING_WORDS else "different"


def _latin(words: Iterable[str]) -> bool:
    letters = [character for word in words for character in word if character.isalpha()]
    return 2 * sum(character.isascii() for character in letters) >= len(letters)


def _people(ours: tuple[str, ...], others: tuple[str, ...]) -> Literal["agree", "conflict", "weak", "unknown"]:
    """Returns whether the people are the same: of both lists at least half are in the other."""
    if _latin(ours) != _latin(others):
        return "unknown"
    there, back = compare_authors(ours, others), compare_authors(others, ours)
    if there.agreement == "agree" and 2 * back.matched >= min(back.named, 2 * there.named):
        return "agree"
    return "weak" if there.agreement == "agree" else there.agreement


def _apart(known: Description, other: Description) -> int:
    """Returns how many years lie between; 0 where one of them is unknown."""
    return abs(known.year - other.year) if known.year and other.year else 0


_SHOWN = 90


def disputed_record(
    source: SourceName, identifier: Identifier, record: PaperRecord, what: str, *, field: str
) -> DisputedRecord:
    """Returns the fault of the record that a service answered an identifier with.

    `what` is at odds, in words that follow the record's title; `field` is "title", "authors" or "figures", empty where
    the whole record is at odds.
    """
    text = f"{SERVICE_NAMES[source]} answered {identifier} with {record.title[:_SHOWN]!r}, {what}"
    return DisputedRecord(text, source=source, record=str(identifier), field=field)


def shared_doi(record: PaperRecord) -> DisputedRecord | None:
    """Returns the fault of a record that was sent with the DOI of another paper; None of others."""
    if not isinstance(record, S2Paper) or record.shared_doi is None:
        return None
    text = f"{SERVICE_NAMES['s2']} told of {record.title[:_SHOWN]!r} with the DOI of another paper, {record.shared_doi}"
    return DisputedRecord(text, source="s2", record=f"s2:{record.s2_paper_id}", field="figures")

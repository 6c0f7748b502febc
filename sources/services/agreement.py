"""Decides whether two descriptions are the same paper, and flags implausible counts and years. Pure.

A service that mixes its records up sends sound ones under wrong identifiers. So a record is compared with what is known
of the paper, by title and by people: a new version may have another title, but has its people; a namesake has the
title, but other people.

A paper does not lose most of its citations, come out long before the year that its arXiv identifier and the list tell,
or have all its counts in common with several others, or its DOI with one. Semantic Scholar alone tells such things, and
none of them leaves a doubt which paper it tells of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar

from sources.bibliography.identifiers import ArxivId, Identifier
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_keys, title_words
from sources.bounds import SURELY_CITED
from sources.errors import DisputedRecord
from sources.matching.relation import TitleEvidence, compare_titles
from sources.matching.word_match import GENERIC, SEQUELS, are_numerals, number_in
from sources.records import SERVICE_NAMES, ArxivPaper, Mention, PaperRecord, S2Paper, SourceName

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

# agree: one paper. renamed: the same people under a title with nothing in common, or under that of a sequel. unknown:
# too little to tell by. disagree: two papers.
Stand = Literal["agree", "renamed", "unknown", "disagree"]

K = TypeVar("K")
_CLOSE_YEARS = 1
_RENAMED_WITHIN_YEARS = 3
_ONE_TITLE = frozenset({"same", "named", "cut", "torn", "extended", "renamed"})
_HALF = 0.5
_TELLING_WORDS = 4  # a list's title of fewer words may be a nickname, or no title at all ("Paper", "PDF")


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What somebody says of a paper.

    Attributes:
        title: Its title; None where it is not told.
        authors: Names in order; empty where they are not told.
        year: When it came out, as preprint or in its venue.
        listed: Whether a reading list says so: its titles may be cut, wrong, or nicknames, its names organisations.
    """

    title: str | None
    authors: tuple[str, ...] = ()
    year: int | None = None
    listed: bool = False


class DescribedRow(TypedDict):
    """What a row of `papers` says of its paper; other columns do not matter here."""

    title: str
    authors: list[str]
    year: int | None


def described(record: PaperRecord) -> Description:
    """Returns how a service's record describes its paper."""
    if isinstance(record, ArxivPaper):
        year = record.published_at.year if record.published_at else None
        return Description(title=record.title, authors=record.authors, year=year)
    return Description(title=record.title, authors=record.authors, year=record.year)


def described_by_row(row: DescribedRow) -> Description:
    """Returns how a row of `papers` describes its paper."""
    return Description(title=row["title"] or None, authors=tuple(row["authors"]), year=row["year"])


def described_by_mention(mention: Mention) -> Description:
    """Returns how a list describes the paper that it mentions."""
    return Description(title=mention.title, authors=mention.authors, year=mention.year, listed=True)


def compare(known: Description, other: Description) -> Stand:
    """Returns how what a record tells stands to what is known."""
    if not known.title or not other.title:
        return "unknown"
    titles, people = _titles(known, other), _people(known.authors, other.authors)
    if titles == "same":
        return "disagree" if people == "conflict" and not known.listed else "agree"
    if titles == "unknown":
        is_other = not known.listed and (people == "conflict" or _apart(known, other) > _RENAMED_WITHIN_YEARS)
        return "agree" if people == "agree" else "disagree" if is_other else "unknown"
    is_near = titles == "near" and (known.listed or not _is_sequel(known, other))
    if people == "agree":
        return "agree" if is_near else "renamed" if _apart(known, other) <= _RENAMED_WITHIN_YEARS else "disagree"
    if is_near and people == "unknown":
        return "agree" if known.year and other.year and _apart(known, other) <= _CLOSE_YEARS else "unknown"
    return "disagree"


def is_surely_one(known: Description, other: Description) -> bool:
    """Returns whether title and people are those of one paper, as they must be where only a DOI links two descriptions.

    Authors type the DOI of another paper of theirs at times. So the titles must be the same but for spelling and a
    subtitle; one that many works bear, such as "Editorial", tells nothing unless people and year are the same as well.
    """
    if compare(known, other) != "agree":
        return False
    mine, theirs = title_words(known.title or ""), title_words(other.title or "")
    if is_generic(known.title or ""):
        is_of_one_year = known.year is not None and known.year == other.year
        return is_of_one_year and _people(known.authors, other.authors) == "agree"
    if any(_makes_another(word) for word in set(mine.words) ^ set(theirs.words)):
        return False
    keys, others = title_keys(known.title or ""), title_keys(other.title or "")
    return keys[0] in others or others[0] in keys or compare_titles(mine, theirs).relation == "same"


def is_generic(title: str) -> bool:
    """Returns whether many works bear this title, such as "Editorial"."""
    return GENERIC.issuperset(title_words(title).words)


def _makes_another(word: str) -> bool:
    return word in SEQUELS or bool(number_in(word)) or are_numerals(word, word)


def same_title(known: Description, other: Description) -> bool:
    """Returns whether two descriptions bear one title, whoever wrote it."""
    return bool(known.title and other.title) and _titles(known, other) == "same"


def bears(record: PaperRecord, identifier: Identifier) -> bool:
    """Returns whether `identifier` stands in the record itself; a service that answers to it need not repeat it."""
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
    if _in_other_letters(ours.words, others.words):
        return "unknown"
    evidence = max(compare_titles(ours, others), compare_titles(others, ours), key=_likeness)
    if evidence.relation in _ONE_TITLE and evidence.agreement >= _HALF / 2:
        return "same" if evidence.relation != "renamed" else "near"
    if evidence.agreement >= _HALF:
        return "near"
    return "unknown" if known.listed and compare_titles(ours, others).words < _TELLING_WORDS else "different"


def _is_sequel(known: Description, other: Description) -> bool:
    """Returns whether a word or a number that makes another paper, as in "Part II", stands in one title only."""
    mine, theirs = title_words(known.title or ""), title_words(other.title or "")
    telling = {word for word in set(mine.words) ^ set(theirs.words) if word in SEQUELS or number_in(word)}
    return bool(telling) and compare_titles(mine, theirs).relation == "lookalike"


def _likeness(evidence: TitleEvidence) -> tuple[bool, float]:
    return evidence.relation in _ONE_TITLE, evidence.agreement


def _in_other_letters(ours: Sequence[str], others: Sequence[str]) -> bool:
    """Returns whether one title is in Latin letters and the other is not, as a translation's original may be."""
    return _latin(ours) != _latin(others)


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
    """Returns how many years lie between; none where one of them is not told."""
    return abs(known.year - other.year) if known.year and other.year else 0


_SHOWN = 90
# A year that is further back than this is told twice before it is believed: few papers reach arXiv so late.
_YEARS_BACK = 5
_TIMES = 10
_MUCH_CITED = 100
_FEW = 3  # so many papers cited so often do not have all their counts in common; of all papers of an answer, two do not
# Years that a list's may be from that of the arXiv identifier, or a known paper's from that told before.
_YEARS_LISTED = 2


def implausible(
    found: Mapping[Identifier, ArxivPaper | S2Paper],
    rows: Mapping[Identifier, Mapping[str, Any]],
    by_arxiv: Collection[Identifier] = (),
) -> dict[Identifier, DisputedRecord]:
    """Returns the faults of records that tell figures which a paper hardly comes to have.

    A paper does not become years older or younger, nor lose most of its citations or gain many times what it had; where
    one in an answer does, the others whose counts do are not believed either. Semantic Scholar alone tells such things.

    Args:
        found: The records of an answer.
        rows: Identifier -> what the lake has of its paper.
        by_arxiv: Those of papers of which Semantic Scholar has not told yet.
    """
    s2_records = {item: record for item, record in found.items() if isinstance(record, S2Paper)}
    moved = moved_counts(
        {item: (rows[item]["citation_count"], record.citation_count) for item, record in s2_records.items()}
    )
    disputes: dict[Identifier, DisputedRecord] = {}
    for identifier, record in s2_records.items():
        figures: list[str] = []
        year = rows[identifier]["year"]
        if record.year and year and _is_of_another_time(record.year, rows[identifier], by_arxiv=identifier in by_arxiv):
            figures.append(f"of {record.year}, which is known as of {year}")
        if identifier in moved:
            cited = f"with {record.citation_count}" if record.citation_count else "without"
            figures.append(f"{cited} citations, which had {moved[identifier]}")
        if figures:
            disputes[identifier] = disputed_record("s2", identifier, record, " and ".join(figures), field="figures")
    return disputes


def disputed_record(
    source: SourceName, identifier: Identifier, record: PaperRecord, what: str, *, field: str
) -> DisputedRecord:
    """Returns the fault of the record that a service answered an identifier with.

    Args:
        source: The service.
        identifier: What it was asked for.
        record: What it answered.
        what: What is at odds, in words that follow the record's title.
        field: The one thing that is at odds, "title", "authors" or "figures"; empty where the whole record is.
    """
    text = f"{SERVICE_NAMES[source]} answered {identifier} with {record.title[:_SHOWN]!r}, {what}"
    return DisputedRecord(text, source=source, record=str(identifier), field=field)


def _is_of_another_time(year: int, row: Mapping[str, Any], *, by_arxiv: bool) -> bool:
    """Returns whether a paper cannot well be of `year`; one of arXiv's may come out years later elsewhere."""
    if year < row["year"]:
        return bool(year < row["year"] - (_YEARS_BACK if by_arxiv else _YEARS_LISTED))
    first = min(year, ArxivId(row["arxiv_id"]).year) if row.get("arxiv_id") else year
    return bool(not by_arxiv and first > row["year"] + _YEARS_LISTED)


def moved_counts(counts: Mapping[K, tuple[int | None, int | None]]) -> dict[K, int]:
    """Returns, of counts before and now, those before that have become a tenth, where one was not small, or tenfold."""
    both = {item: (before, now) for item, (before, now) in counts.items() if before and now is not None}
    fallen = {item: before for item, (before, now) in both.items() if _TIMES * now <= before}
    risen = {item: before for item, (before, now) in both.items() if now >= _TIMES * before}
    lost = fallen if max(fallen.values(), default=0) >= SURELY_CITED else {}
    return lost | (risen if max(risen.values(), default=0) >= _MUCH_CITED else {})


def shared_counts(found: Mapping[Identifier, ArxivPaper | S2Paper]) -> dict[Identifier, DisputedRecord]:
    """Returns the faults of records that have all their counts in common with records of other papers."""
    records = {item: record for item, record in found.items() if isinstance(record, S2Paper)}
    alike: defaultdict[tuple[int | None, ...], dict[Identifier, S2Paper]] = defaultdict(dict)
    for item, record in records.items():
        counts = (record.citation_count, record.influential_citation_count, record.reference_count)
        alike[counts][item] = record
    disputes: dict[Identifier, DisputedRecord] = {}
    papers_in_all = len({record.s2_paper_id for record in records.values()})
    for (cited, *_), each in alike.items():
        papers = len({record.s2_paper_id for record in each.values()})
        least = SURELY_CITED if papers == papers_in_all > 1 else _MUCH_CITED
        if (cited or 0) < least or (papers < _FEW and least == _MUCH_CITED):
            continue
        what = "with the counts of other papers"
        disputes |= {item: disputed_record("s2", item, record, what, field="figures") for item, record in each.items()}
    return disputes


def shared_counts_or_doi(found: Mapping[Identifier, ArxivPaper | S2Paper]) -> dict[Identifier, DisputedRecord]:
    """Returns the faults of records with the counts, or the DOI, of other papers."""
    dois = {item: fault for item, record in found.items() if (fault := shared_doi(record))}
    return {**shared_counts(found), **dois}


def shared_doi(record: PaperRecord) -> DisputedRecord | None:
    """Returns the fault of a record that was sent with the DOI of another paper; None of others."""
    if not isinstance(record, S2Paper) or record.shared_doi is None:
        return None
    text = f"{SERVICE_NAMES['s2']} told of {record.title[:_SHOWN]!r} with the DOI of another paper, {record.shared_doi}"
    return DisputedRecord(text, source="s2", record=f"s2:{record.s2_paper_id}", field="figures")


def too_early(record: PaperRecord, listed: int | None) -> DisputedRecord | None:
    """Returns the fault of a record from long before its arXiv identifier, of which a list's year is; None of others.

    Old papers are brought to arXiv at times, and lists name the year in which that was done.
    """
    if not isinstance(record, S2Paper) or not (record.arxiv_id and record.year and listed):
        return None
    year = ArxivId(record.arxiv_id).year
    if record.year >= year - _YEARS_BACK or abs(listed - year) > _YEARS_LISTED:
        return None
    text = f"{SERVICE_NAMES['s2']} told of {record.title[:_SHOWN]!r} of {record.year}, which is arxiv:{record.arxiv_id}"
    return DisputedRecord(text, source="s2", record=f"arxiv:{record.arxiv_id}", field="figures")

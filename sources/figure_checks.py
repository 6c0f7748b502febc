"""Finds years, counts and DOIs that a paper hardly comes to have; what is told in two runs is believed. Pure.

A paper does not lose most of its citations, come out long before the year that its arXiv identifier and the list tell,
or have all its counts in common with several others, or its DOI with one. Semantic Scholar alone tells such things.
None of them leaves a doubt which paper it tells of.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sources.bibliography.identifiers import ArxivId
from sources.errors import DisputedRecord
from sources.records import SERVICE_NAMES, S2Paper

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sources.bibliography.identifiers import Identifier
    from sources.records import ArxivPaper

_SHOWN = 90
_YEARS_BACK = 5
"""A year that is further back than this is told twice before it is believed: few papers reach arXiv so late."""
_CITED = 10
"""A paper cited less often than this may lose its count to a merge of records."""
_TIMES = 10
_MUCH_CITED = 100
_FEW = 3
"""So many papers cited so often do not have all their counts in common; of all papers of an answer, two do not."""
_YEARS_LISTED = 2
"""Years that a list's may be from that of the arXiv identifier, or a known paper's from that told before."""


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
    moved = _moved({item: (rows[item]["citation_count"], record.citation_count) for item, record in s2_records.items()})
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
            disputes[identifier] = _dispute(identifier, record, " and ".join(figures))
    return disputes


def _dispute(identifier: Identifier, record: S2Paper, figures: str) -> DisputedRecord:
    text = f"{SERVICE_NAMES['s2']} answered {identifier} with {record.title[:_SHOWN]!r}, {figures}"
    return DisputedRecord(text, source="s2", record=str(identifier), field="figures")


def _is_of_another_time(year: int, row: Mapping[str, Any], *, by_arxiv: bool) -> bool:
    """Returns whether a paper cannot well be of `year`; one of arXiv's may come out years later elsewhere."""
    if year < row["year"]:
        return bool(year < row["year"] - (_YEARS_BACK if by_arxiv else _YEARS_LISTED))
    first = min(year, ArxivId(row["arxiv_id"]).year) if row.get("arxiv_id") else year
    return bool(not by_arxiv and first > row["year"] + _YEARS_LISTED)


def _moved(counts: Mapping[Identifier, tuple[int | None, int | None]]) -> dict[Identifier, int]:
    """Returns the counts before of those that have become a tenth, where one was not small, or ten times as many."""
    both = {item: (before, now) for item, (before, now) in counts.items() if before and now is not None}
    fallen = {item: before for item, (before, now) in both.items() if _TIMES * now <= before}
    risen = {item: before for item, (before, now) in both.items() if now >= _TIMES * before}
    lost = fallen if max(fallen.values(), default=0) >= _CITED else {}
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
        least = _CITED if papers == papers_in_all > 1 else _MUCH_CITED
        if (cited or 0) < least or (papers < _FEW and least == _MUCH_CITED):
            continue
        disputes |= {item: _dispute(item, record, "with the counts of other papers") for item, record in each.items()}
    return disputes


def shared_dois(found: Mapping[Identifier, ArxivPaper | S2Paper]) -> dict[Identifier, DisputedRecord]:
    """Returns the faults of records that were sent with the DOI of another paper."""
    return {item: fault for item, record in found.items() if (fault := shared_doi(record))}


def shared_doi(record: ArxivPaper | S2Paper) -> DisputedRecord | None:
    """Returns the fault of a record that was sent with the DOI of another paper; None of others."""
    if not isinstance(record, S2Paper) or record.shared_doi is None:
        return None
    text = f"{SERVICE_NAMES['s2']} told of {record.title[:_SHOWN]!r} with the DOI of another paper, {record.shared_doi}"
    return DisputedRecord(text, source="s2", record=f"s2:{record.s2_paper_id}", field="figures")


def too_early(record: ArxivPaper | S2Paper, listed: int | None) -> DisputedRecord | None:
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

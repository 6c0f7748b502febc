"""What a paper's row becomes as its sources tell of it, and as papers are merged. Pure.

A source that corrects itself is believed: its newest word on a field replaces the one before, and what it does not tell
stays. Where both tell of a field, arXiv has title, authors, abstract and day, Semantic Scholar venue and DOI; the year
is that of the earlier publication.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sources.bibliography.identifiers import ArxivId
from warehouse.tables.declarations import PAPERS

if TYPE_CHECKING:
    from datetime import datetime

    from sources.records import ArxivPaper, S2Paper
    from warehouse.tables.rows import CitationCountRow, PaperColumns, PaperRow

_OWN = frozenset({"merged_into", "citation_key"})


def taken_over(loser: PaperRow, winner: PaperRow) -> PaperColumns:
    """Returns what a paper gains from one merged into it: what it did not know, the newer counts, arXiv's title."""
    lacking = {name for name, value in winner.items() if value in (None, [])} - _OWN
    gained = cast("PaperColumns", {name: value for name, value in loser.items() if name in lacking})
    if loser["counted_at"] and (winner["counted_at"] is None or loser["counted_at"] > winner["counted_at"]):
        gained |= counts_of(loser) | {"counted_at": loser["counted_at"]}
    if loser["categories"] and not winner["categories"]:
        gained |= {
            "title": loser["title"] or winner["title"],
            "title_keys": loser["title_keys"] or winner["title_keys"],
            "authors": loser["authors"] or winner["authors"],
        }
    first_seen = min(loser["first_seen_at"], winner["first_seen_at"])
    return gained | {"year": _earliest(loser["year"], winner["year"]), "first_seen_at": first_seen}


def from_arxiv(record: ArxivPaper, row: PaperRow) -> PaperColumns:
    """Returns what arXiv's record makes of the row: what it tells replaces what it told before, and erases nothing."""
    published = record.published_at.date() if record.published_at else None
    by_s2 = row if row["s2_paper_id"] else {"venue": None, "doi": None}
    return {
        "title": record.title,
        "abstract": record.abstract or row["abstract"],
        "authors": list(record.authors) or row["authors"],
        "year": _earliest(row["year"], ArxivId(record.arxiv_id).year),
        "published_on": published or row["published_on"],
        "venue": by_s2["venue"] or record.journal_ref or row["venue"],
        "arxiv_id": record.arxiv_id,
        "arxiv_version": record.version or row["arxiv_version"],
        "doi": by_s2["doi"] or record.doi or row["doi"],
        "primary_category": record.primary_category or row["primary_category"],
        "categories": list(record.categories) or row["categories"],
        "withdrawn": row["withdrawn"] if record.withdrawn is None else record.withdrawn,
    }


def from_s2(record: S2Paper, row: PaperRow) -> PaperColumns:
    """Returns what Semantic Scholar's record makes of the row; of a paper that arXiv describes, arXiv's words stay."""
    told_by_arxiv = bool(row["categories"])
    arxiv_id = row["arxiv_id"] or record.arxiv_id
    return {
        "title": row["title"] if told_by_arxiv else record.title,
        "abstract": (row["abstract"] if told_by_arxiv else None) or record.abstract or row["abstract"],
        "authors": row["authors"] if told_by_arxiv and row["authors"] else list(record.authors) or row["authors"],
        "year": row["year"] if record.year is None else _earliest(record.year, arxiv_id and ArxivId(arxiv_id).year),
        "published_on": (row["published_on"] if told_by_arxiv else None) or record.published_on or row["published_on"],
        "venue": record.venue or row["venue"],
        "arxiv_id": arxiv_id,
        "doi": record.doi or row["doi"],
        "s2_paper_id": record.s2_paper_id,
        "s2_corpus_id": record.corpus_id if record.corpus_id is not None else row["s2_corpus_id"],
        "fields_of_study": list(record.fields_of_study) or row["fields_of_study"],
        "open_access_pdf_url": record.open_access_pdf_url or row["open_access_pdf_url"],
    }


def observation(paper_id: str, record: S2Paper, fetched_at: datetime) -> CitationCountRow:
    """Returns the row of `citation_counts` that a record of Semantic Scholar's brings."""
    return {
        "paper_id": paper_id,
        "source": "s2",
        "observed_at": fetched_at,
        "citation_count": record.citation_count,
        "influential_citation_count": record.influential_citation_count,
        "reference_count": record.reference_count,
        "reply_sha256": None,
    }


def counts_of(row: PaperRow | CitationCountRow) -> PaperColumns:
    """Returns the counts of a row, for the row of their paper."""
    return {
        "citation_count": row["citation_count"],
        "influential_citation_count": row["influential_citation_count"],
        "reference_count": row["reference_count"],
    }


def blank_row(paper_id: str, now: datetime) -> PaperRow:
    """Returns the row of a paper of which nothing is known yet, to be described at once."""
    row = cast("PaperRow", dict.fromkeys(PAPERS.names))
    row |= {"paper_id": paper_id, "title": "", "title_keys": [], "authors": [], "first_seen_at": now}
    return row | {"categories": [], "fields_of_study": []}


def _earliest(*years: int | str | None) -> int | None:
    return min((year for year in years if isinstance(year, int)), default=None)

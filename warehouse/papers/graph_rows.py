"""The rows of the citation graph that OpenAlex's replies make."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sources.bibliography.titles import title_key
from sources.openalex.answers import NO_PAPERS, paper_of

if TYPE_CHECKING:
    from datetime import date, datetime

    from sources.openalex.record import OpenAlexWork
    from warehouse.tables import rows

SOURCE = "openalex"
_LATE = timedelta(days=365)
"""So long after a work came out OpenAlex may learn what it cites."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPaper:
    """A paper whose citing works are due.

    Attributes:
        citation_count: As OpenAlex counted last.
        last: The row of `citing_harvests`, None where it was never asked for.
    """

    paper_id: str
    openalex_id: str
    citation_count: int
    last: rows.CitingHarvestRow | None

    @property
    def since(self) -> date | None:
        """Returns from which day on works are asked for; None where all are."""
        found_at = self.last["found_at"] if self.last else None
        return (found_at - _LATE).date() if found_at else None

    def has_told(self, citing: int) -> bool:
        """Returns whether so many citing works came the last time as well, when all were asked for, and did not do."""
        last = self.last
        figures = last and (last["status"], last["found_at"], last["citation_count"], last["citing_count"])
        return figures == ("failed", None, self.citation_count, citing)


@dataclass(slots=True)
class GraphRows:
    """The rows of a run: by their key, as a paper may be asked about more than once."""

    citations: dict[tuple[str, str], rows.PaperCitationRow] = field(default_factory=dict)
    harvests: dict[str, rows.CitingHarvestRow] = field(default_factory=dict)
    works: dict[str, rows.OutsideWorkRow] = field(default_factory=dict)

    @property
    def of_tables(self) -> dict[str, Any]:
        """Returns table -> its rows."""
        return {
            "paper_citations": list(self.citations.values()),
            "citing_harvests": list(self.harvests.values()),
            "outside_works": list(self.works.values()),
        }


def citing_harvest_row(paper: CitedPaper, citing: int, at: datetime, error: str | None) -> rows.CitingHarvestRow:
    """Returns the row of a paper whose citing works were asked for; `error` says why not all of them came."""
    last = paper.last
    again = last is not None and last["status"] == "failed"
    return {
        "paper_id": paper.paper_id,
        "source": SOURCE,
        "asked_at": at,
        "status": "failed" if error else "found",
        "citation_count": paper.citation_count,
        "citing_count": citing,
        "found_at": (last["found_at"] if last else None) if error else at,
        "tries": (last["tries"] + 1 if last is not None and again else 1) if error else 0,
        "error": error,
    }


def work_row(work: OpenAlexWork, at: datetime) -> rows.OutsideWorkRow:
    """Returns the row of a work, which came at `at`."""
    paper = paper_of(work)
    venue = work.primary.venue if work.primary and work.primary.venue_kind != "repository" else None
    return empty_work_row(work.work_id, "no_paper" if work.kind in NO_PAPERS else "found", at) | {
        "title": work.title,
        "title_key": title_key(work.title),
        "authors": [author.name for author in work.authors],
        "year": work.year,
        "doi": paper.doi if paper else work.doi,
        "arxiv_id": paper.arxiv_id if paper else None,
        "venue": venue,
        "type": work.kind,
        "citation_count": work.citation_count,
        "reference_count": work.reference_count,
        "retracted": work.retracted,
    }


def empty_work_row(work_id: str, status: str, at: datetime) -> rows.OutsideWorkRow:
    """Returns the row of a work of which nothing is known but its identifier."""
    return {
        "openalex_id": work_id,
        "status": status,
        "title": None,
        "title_key": None,
        "authors": [],
        "year": None,
        "doi": None,
        "arxiv_id": None,
        "venue": None,
        "type": None,
        "citation_count": None,
        "reference_count": None,
        "retracted": None,
        "version_of": None,
        "refreshed_at": at,
        "tries": 0,
        "error": None,
    }

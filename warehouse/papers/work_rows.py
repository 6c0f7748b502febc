"""Makes the rows of OpenAlex's tables from its works."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from sources.services.openalex.record import OpenAlexWork
    from warehouse.tables import rows

SOURCE = "openalex"


@dataclass(slots=True)
class WorkRows:
    """The rows that works make."""

    counts: list[rows.CitationCountRow] = field(default_factory=list)
    works: list[rows.OpenalexWorkRow] = field(default_factory=list)
    by_year: list[rows.CitationsByYearRow] = field(default_factory=list)
    references: list[rows.PaperReferenceRow] = field(default_factory=list)
    authors: list[rows.PaperAuthorRow] = field(default_factory=list)

    @property
    def of_works(self) -> dict[str, Any]:
        """Returns table -> its rows, for the tables that are OpenAlex's alone."""
        return {
            "openalex_works": self.works,
            "citations_by_year": self.by_year,
            "paper_references": self.references,
            "paper_authors": self.authors,
        }

    def add(self, paper_id: str, work: OpenAlexWork, at: datetime, reply: str | None) -> None:
        """Adds the rows of a paper's work, which came at `at` with the reply of that SHA-256."""
        if work.citation_count is not None:
            self.counts.append(
                {
                    "paper_id": paper_id,
                    "source": SOURCE,
                    "observed_at": at,
                    "citation_count": work.citation_count,
                    "influential_citation_count": None,
                    "reference_count": work.reference_count,
                    "reply_sha256": reply,
                }
            )
        self.works.append(_work_row(paper_id, work, at, reply))
        self.by_year += [
            {"paper_id": paper_id, "source": SOURCE, "year": year, "citation_count": count, "observed_at": at}
            for year, count in work.citations_by_year.items()
        ]
        self.references += [
            {
                "paper_id": paper_id,
                "source": SOURCE,
                "cited_openalex_id": cited,
                "cited_paper_id": None,  # known once all papers of the run are
                "observed_at": at,
            }
            for cited in work.references
        ]
        self.authors += [
            {
                "paper_id": paper_id,
                "position": position,
                "name": author.name,
                "source": SOURCE,
                "author_id": author.author_id,
                "orcid": author.orcid,
                "institutions": list(author.institutions),
                "observed_at": at,
            }
            for position, author in enumerate(work.authors, start=1)
        ]


def _work_row(paper_id: str, work: OpenAlexWork, at: datetime, reply: str | None) -> rows.OpenalexWorkRow:
    places = {place.url: place.version or "" for place in (work.primary, *work.locations) if place and place.url}
    return {
        "paper_id": paper_id,
        "openalex_id": work.work_id,
        "title": work.title,
        "doi": work.doi,
        "type": work.kind,
        "year": work.year,
        "published_on": work.published_on,
        "venue": work.primary.venue if work.primary else None,
        "version": work.primary.version if work.primary else None,
        "retracted": work.retracted,
        "topics": list(work.topics),
        "open_access": work.open_access,
        "open_access_url": work.open_url,
        "location_urls": list(places),
        "location_versions": list(places.values()),
        "citation_count": work.citation_count,
        "refreshed_at": at,
        "reply_sha256": reply,
    }

"""Asks OpenAlex about the papers of a run, holds its works against the papers, and makes rows of those that agree.

OpenAlex is known to have works under the DOIs and authors of others
(https://github.com/rpatrik96/bibtexupdater/pull/71). So a work must have the paper's title, and its people and year as
far as they are told; nothing of any other is written. A paper is asked for by its DOI and, where that brings nothing,
by the one that arXiv gave it: of a work with both OpenAlex has the published one alone.

Counts of OpenAlex stand beside those of Semantic Scholar and are compared with earlier ones of its own only.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sources.agreement import Description, compare, described_by_row, moved_counts
from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.bounds import SURELY_CITED
from sources.errors import AllowanceSpent, DisputedRecord, PayloadError
from sources.openalex.client import is_askable
from sources.openalex.record import arxiv_doi
from warehouse.loading.freshness import due, due_again

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime, timedelta

    from flows.refresh.run_rows import HarvestRows
    from flows.refresh.services import Service
    from sources.errors import SourceError
    from sources.openalex.record import OpenAlexWork
    from warehouse.papers.lake_papers import KnownPapers
    from warehouse.papers.paper_merge import RunPapers
    from warehouse.tables import rows
    from warehouse.tables.rows import HarvestRow, PaperRow

SOURCE = "openalex"
_YEARS_APART = 5
"""Years between a paper and its work beyond which they are two; a preprint may be years older than its publication."""
_MOST_AUTHORS = 100
"""So many authors of a work OpenAlex tells: https://help.openalex.org/data/authorships ."""


@dataclass(slots=True)
class WorkRows:
    """The rows that the works of a run make."""

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


class WorkHarvester:
    """Brings up to date what OpenAlex tells of papers.

    Args:
        known: The lake as it was before the run.
        run_papers: The papers of the run.
        notes: Where the results are noted.
        now: The run's instant.
        max_age: How old counts may get.
    """

    def __init__(
        self, *, known: KnownPapers, run_papers: RunPapers, notes: HarvestRows, now: datetime, max_age: timedelta
    ) -> None:
        self._known = known
        self._papers = run_papers
        self._notes = notes
        self._now = now
        self._max_age = max_age
        self.rows = WorkRows()

    def harvest(self, paper_ids: Collection[str], service: Service[Any]) -> None:
        """Asks about the papers that are due, in two rounds at most, and makes rows of what is told of them."""
        self._papers.read(paper_ids=paper_ids)
        there = self._papers.rows
        current = sorted({self._papers.current(item) for item in paper_ids if item in there})
        self._notes.before |= {(row["paper_id"], row["source"]): row for row in self._known.harvests(current)}
        dois = {item: _dois(there[item]) for item in current if self._is_due(item)}
        works: dict[str, OpenAlexWork] = {}
        errors: dict[str, SourceError] = {}
        for turn in range(max(map(len, dois.values()), default=0)):
            wanted: defaultdict[str, list[str]] = defaultdict(list)
            for paper_id, own in dois.items():
                is_open = paper_id not in works and isinstance(errors.get(paper_id), DisputedRecord | None)
                if turn < len(own) and is_open:
                    wanted[own[turn]].append(paper_id)
            self._ask(service, wanted, works, errors)
        self._note(service, {item for item, own in dois.items() if own}, works, errors)

    def _ask(
        self,
        service: Service[Any],
        wanted: Mapping[str, Collection[str]],
        works: dict[str, OpenAlexWork],
        errors: dict[str, SourceError],
    ) -> None:
        """Asks for DOIs, and adds to `works` and `errors` what that tells of the papers that have them."""
        answer = service.fetch_papers([Identifier("doi", doi) for doi in wanted])
        found = {item: work for doi, work in answer.found.items() for item in wanted[doi.value]}
        disputes = {item: fault for item, work in found.items() if (fault := self._another(item, work))}
        agreeing = {item: work for item, work in found.items() if item not in disputes}
        implausible = self._implausible(agreeing).items()
        believed = {item for item, fault in implausible if self._notes.believe_if_repeated(item, SOURCE, fault)}
        disputes |= {item: fault for item, fault in implausible if item not in believed}
        works.update({item: work for item, work in agreeing.items() if item not in disputes})
        errors.update(disputes)
        for doi, error in answer.failed.items():
            errors.update(dict.fromkeys(wanted[doi.value], error))

    def _another(self, paper_id: str, work: OpenAlexWork) -> DisputedRecord | None:
        """Returns the fault of a work that is not surely the paper; None of one that is."""
        known = described_by_row(self._papers.rows[paper_id])
        names = tuple(author.name for author in work.authors)
        if len(names) >= _MOST_AUTHORS:
            known = Description(title=known.title, authors=known.authors[:_MOST_AUTHORS], year=known.year)
        if compare(known, Description(title=work.title, authors=names, year=work.year)) != "agree":
            same = title_key(known.title or "") == title_key(work.title)
            what = f"by {names[0]!r:.90} and perhaps others" if same and names else "another paper"
            return _disputed(paper_id, work, f"which is {what}, for {known.title or ''!r:.90}", field="title")
        if known.year and work.year and abs(known.year - work.year) > _YEARS_APART:
            return _disputed(paper_id, work, f"of {work.year}, which is known as of {known.year}", field="figures")
        return None

    def _implausible(self, found: Mapping[str, OpenAlexWork]) -> dict[str, DisputedRecord]:
        """Returns the faults of works that lost most of their citations, gained tenfold, or share all their counts."""
        before = self._known.work_counts(found) if found else {}
        pairs = {item: (before.get(item), work.citation_count) for item, work in found.items()}
        faults = {
            item: _disputed(item, found[item], f"with {found[item].citation_count} citations, which had {count}")
            for item, count in moved_counts(pairs).items()
        }
        alike: defaultdict[Any, set[str]] = defaultdict(set)
        for item, work in found.items():
            alike[work.citation_count].add(item)
            alike[work.citation_count, *sorted(work.citations_by_year.items()), work.references].add(item)
        for figures, items in alike.items():
            works = len({found[item].work_id for item in items})
            least = _FEW if isinstance(figures, tuple) else max(_FEW, len(found) // 2)
            if works > least and (found[min(items)].citation_count or 0) >= SURELY_CITED:
                faults |= {item: _disputed(item, found[item], "with the counts of other papers") for item in items}
        return faults

    def _is_due(self, paper_id: str) -> bool:
        last = self._last(paper_id)
        if last is not None and last["status"] == "failed" and last["tries"]:
            return due_again(last["asked_at"], last["tries"], max_age=self._max_age, now=self._now)
        return bool(due([paper_id], [last] if last else [], SOURCE, max_age=self._max_age, now=self._now))

    def _last(self, paper_id: str) -> HarvestRow | None:
        return self._notes.before.get((paper_id, SOURCE))

    def _note(
        self,
        service: Service[Any],
        paper_ids: Collection[str],
        works: Mapping[str, OpenAlexWork],
        errors: Mapping[str, SourceError],
    ) -> None:
        own_ids = {item: Identifier("openalex", work.work_id) for item, work in works.items()}
        self._papers.read(identifiers=own_ids.values())
        for paper_id in sorted(paper_ids):
            if (work := works.get(paper_id)) is not None:
                at = service.fetched_at(work)
                origin = service.origin(work.work_id, at)
                self._papers.give(paper_id, [own_ids[paper_id]])
                self._add(paper_id, work, at, origin)
                self._notes.note_found(paper_id, SOURCE, at, asked_about=paper_id, reply=origin)
            elif (error := errors.get(paper_id)) is None:
                self._notes.note_absent(paper_id, SOURCE)
            elif not isinstance(error, AllowanceSpent):  # else nothing is known of it yet, and it stays due
                self._fail(service, paper_id, error)

    def _fail(self, service: Service[Any], paper_id: str, error: SourceError) -> None:
        """Notes a failure; one that is the service's own and comes again is asked about ever less often."""
        last = self._last(paper_id)
        again = last is not None and (last["status"], last["error"]) == ("failed", str(error))
        tries = last["tries"] + 1 if last is not None and again else 0
        if isinstance(error, DisputedRecord) and not again:
            service.blame(error)
        self._notes.note_failed(paper_id, SOURCE, error, tries=tries if isinstance(error, PayloadError) else 0)

    def _add(self, paper_id: str, work: OpenAlexWork, at: datetime, reply: str | None) -> None:
        if work.citation_count is not None:
            self.rows.counts.append(
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
        self.rows.works.append(_work_row(paper_id, work, at, reply))
        self.rows.by_year += [
            {"paper_id": paper_id, "source": SOURCE, "year": year, "citation_count": count, "observed_at": at}
            for year, count in work.citations_by_year.items()
        ]
        self.rows.references += [
            {
                "paper_id": paper_id,
                "source": SOURCE,
                "cited_openalex_id": cited,
                "cited_paper_id": None,  # known once all papers of the run are
                "observed_at": at,
            }
            for cited in work.references
        ]
        self.rows.authors += [
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


_FEW = 2
"""So many papers may have all their figures in common; that half of an answer's have one count is no chance either."""


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


def _dois(row: PaperRow) -> list[str]:
    """Returns the DOIs by which a paper is asked for, the published one first."""
    own = (row["doi"] or "", arxiv_doi(row["arxiv_id"]) if row["arxiv_id"] else "")
    return list(dict.fromkeys(filter(is_askable, own)))


def _disputed(paper_id: str, work: OpenAlexWork, what: str, *, field: str = "figures") -> DisputedRecord:
    text = f"OpenAlex answered with {work.work_id}, {work.title[:90]!r}, {what}"
    return DisputedRecord(text, source=SOURCE, record=paper_id, field=field)

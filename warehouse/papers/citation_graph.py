"""Chooses which works of the citation graph are worth a request, and makes rows of the replies.

The references of a paper come with its work. Works that cite a paper are asked for where it has few enough citations to
be read whole: a work that cites many papers of a list cites some of those. They are asked for once, and later only
where the count of the paper has changed, as far as they came out since. OpenAlex's counts disagree with its lists: of
fewer than half of the citations it is asked again, and the same told twice is believed. The facts of a work outside are
asked for where three papers of a list cite it or are cited by it. A list of fewer than ten papers says too little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any

from duckdb import DuckDBPyConnection

from sources.bibliography.titles import title_key
from sources.services.openalex.answers import NO_PAPERS, CitingAnswer, is_plausible, paper_of
from sources.services.openalex.record import OpenAlexWork
from warehouse.lake.session import rows_of
from warehouse.loading.load import registration
from warehouse.loading.reply_spool import due_again, is_ahead
from warehouse.papers.graph_limits import LEAST_PAPERS, MOST_CITED
from warehouse.papers.paper_facts import count_row
from warehouse.tables import declarations as tables
from warehouse.tables.schema import text_table

# The rows of the citation graph that OpenAlex's replies make.


SOURCE = "openalex"
_LATE = timedelta(days=365)  # so long after a work came out OpenAlex may learn what it cites


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPaper:
    """A paper whose citing works are due."""

    paper_id: str
    openalex_id: str
    citation_count: int  # as OpenAlex counted last
    last: tables.CitingHarvestRow | None  # the row of `citing_harvests`, None where it was never asked for

    @property
    def since(self) -> date | None:
        """Returns from which day on works are asked for; None where all are."""
        found_at = self.last["found_at"] if self.last else None
        return (found_at - _LATE).date() if found_at else None


# The row of a work of which nothing is known.
_EMPTY_WORK: dict[str, Any] = dict.fromkeys(tables.OUTSIDE_WORKS.names) | {"authors": [], "tries": 0}
# Papers of a list that cite a work, or that it cites, before it is looked at: as many as `missing_papers` asks for.
LEAST_LINKS = 3
_WAIT = timedelta(days=7)  # before the citing works of a paper are asked for again
_FACTS_AGE = timedelta(days=30)  # age at which the facts of works outside are asked for again
_RETRY = timedelta(days=1)


class CitationGraph:
    """The citations that the lake knows, and those that a run has just learnt.

    `listed` are lists and papers that they name, `works` what the run has learnt of papers; `told_at` is as of when a
    mirror tells that is asked in OpenAlex's place. `rows` is table -> key -> row, what the run has learnt: a paper may
    be asked about more than once.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        *,
        listed: Iterable[tuple[str, str | None]],
        works: WorkRows,
        now: datetime,
        told_at: datetime | None = None,
    ) -> None:
        self._connection, self._now, self._told_at = connection, now, told_at
        self._works = {row["paper_id"]: row for row in works.openalex_works}
        pairs = sorted({(list_id, paper_id) for list_id, paper_id in listed if paper_id is not None})
        self._given = {
            "run_listed": text_table(pairs, "list_id", "paper_id"),
            "run_works": tables.OPENALEX_WORKS.batch(works.openalex_works).select(
                ["paper_id", "openalex_id", "citation_count"]
            ),
            "run_references": text_table(
                [(row["paper_id"], row["cited_openalex_id"]) for row in works.paper_references], "paper_id", "work"
            ),
        }
        self.rows: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
        self._new_citing: defaultdict[str, set[str]] = defaultdict(set)

    def due_papers(self) -> list[CitedPaper]:
        """Returns the papers whose citing works are worth asking for now, those with the fewest citations first."""
        found = [CitedPaper(**row) for row in self._query(_CITED, [LEAST_PAPERS, MOST_CITED])]
        return [paper for paper in found if paper.paper_id not in self.rows["citing_harvests"] and self._is_due(paper)]

    def due_works(self, most: int) -> list[str]:
        """Returns the works outside whose facts are worth asking for now, those with the most links first."""
        found = self._query(_OUTSIDE, [LEAST_PAPERS, LEAST_LINKS])
        due = [
            row["work"]
            for row in found
            if row["work"] not in self.rows["outside_works"]
            and (row["status"] is None or self._is_due_again(row["refreshed_at"], row["tries"], _FACTS_AGE))
        ]
        return due[:most]

    def note_citing(self, papers: Sequence[CitedPaper], answer: CitingAnswer, at: datetime) -> None:
        """Makes rows of an answer: every link that came, and for each paper whether all of them did."""
        for citing, cited in answer.works.items():
            self._add_links(citing, cited, at)
        before: defaultdict[str, set[str]] = defaultdict(set)
        for link in self._of("paper_citations", "paper_id", (paper.paper_id for paper in papers)):
            before[link["paper_id"]].add(link["citing_openalex_id"])
        for paper in papers:
            citing_works = before[paper.paper_id] | self._new_citing[paper.paper_id]
            error = str(answer.error) if answer.error else None
            is_short = error is None and not is_plausible(citing_works, paper.citation_count)
            last = paper.last
            figures = last and (last["status"], last["found_at"], last["citation_count"], last["citing_count"])
            # So many came the last time as well, when all were asked for, and did not do.
            has_told = figures == ("failed", None, paper.citation_count, len(citing_works))
            if is_short and not has_told:
                error = f"OpenAlex told of {len(citing_works)} citing works, and counts {paper.citation_count}"
            tries = last["tries"] + 1 if last and last["status"] == "failed" else 1
            found_at = last["found_at"] if last and not is_short else None
            self.rows["citing_harvests"][paper.paper_id] = {
                "paper_id": paper.paper_id,
                "source": SOURCE,
                "asked_at": at,
                "status": "failed" if error else "found",
                "citation_count": paper.citation_count,
                "citing_count": len(citing_works),
                "found_at": found_at if error else at,
                "tries": tries if error else 0,
                "error": error,
            }

    def note_works(
        self, found: Mapping[str, OpenAlexWork], absent: Collection[str], failed: Mapping[str, str], at: datetime
    ) -> None:
        """Makes rows of OpenAlex's works outside, and of what they cite.

        One of which nothing sound came stays as it was, if something was known of it; `failed` says why.
        """
        for work_id, work in found.items():
            paper, place = paper_of(work), work.primary
            self.rows["outside_works"][work_id] = _EMPTY_WORK | {
                "openalex_id": work_id,
                "status": "no_paper" if work.kind in NO_PAPERS else "found",
                "title": work.title,
                "title_key": title_key(work.title),
                "authors": [author.name for author in work.authors],
                "year": work.year,
                "doi": paper.doi if paper else work.doi,
                "arxiv_id": paper.arxiv_id if paper else None,
                "venue": place.venue if place and place.venue_kind != "repository" else None,
                "type": work.kind,
                "citation_count": work.citation_count,
                "reference_count": work.reference_count,
                "retracted": work.retracted,
                "refreshed_at": at,
            }
            self._add_links(work_id, work.references, at)
        known = {row["openalex_id"]: row for row in self._of("outside_works", "openalex_id", {*absent, *failed})}
        for work_id in (*absent, *failed):
            before, error = known.get(work_id), failed.get(work_id)
            row = _EMPTY_WORK | {"openalex_id": work_id, "status": "failed" if error else "not_found"}
            tries = (before["tries"] if before else 0) + 1
            row = before if before and error else row
            self.rows["outside_works"][work_id] = row | {"refreshed_at": at, "tries": tries, "error": error}

    def _add_links(self, citing: str, cited: Iterable[str], at: datetime) -> None:
        own = self._own_works
        for paper_id in {own[work] for work in cited if work in own} - {own.get(citing, "")}:
            self._new_citing[paper_id].add(citing)
            self.rows["paper_citations"][paper_id, citing] = {
                "paper_id": paper_id,
                "source": SOURCE,
                "citing_openalex_id": citing,
                "citing_paper_id": None,  # known once all papers of the run are
                "observed_at": at,
            }

    @cached_property
    def _own_works(self) -> Mapping[str, str]:
        found = rows_of(
            self._connection,
            "SELECT i.value, coalesce(p.merged_into, p.paper_id) AS paper_id FROM paper_identifiers AS i "
            "JOIN papers AS p ON p.paper_id = i.paper_id WHERE i.scheme = 'openalex'",
        )
        own = {row["value"]: row["paper_id"] for row in found}
        return own | {row["openalex_id"]: paper_id for paper_id, row in self._works.items()}

    def _is_due(self, paper: CitedPaper) -> bool:
        last = paper.last
        if last is None:
            return True
        is_due = self._is_due_again(last["asked_at"], last["tries"] if last["status"] == "failed" else 0, _WAIT)
        return is_due and (last["status"] == "failed" or paper.citation_count != last["citation_count"])

    def _is_due_again(self, asked_at: datetime, tries: int, wait: timedelta) -> bool:
        """Returns whether the time has come to ask again, after tries without a result sooner than after an answer.

        A mirror answers alike until a newer one takes its place.
        """
        if self._told_at is not None:
            return asked_at < self._told_at
        if tries:
            return due_again(asked_at, tries, max_age=_RETRY, now=self._now)
        return is_ahead(asked_at, self._now) or self._now >= asked_at + wait

    def _query(self, sql: str, values: Sequence[Any]) -> list[dict[str, Any]]:
        given = {**self._given, "run_citations": text_table(self.rows["paper_citations"], "paper_id", "work")}
        with ExitStack() as stack:
            for name, table in given.items():
                stack.enter_context(registration(self._connection, name, table))
            return rows_of(self._connection, _RELATIONS + sql, values)

    def _of(self, table: str, column: str, values: Iterable[str]) -> list[dict[str, Any]]:
        sql = f"SELECT * FROM {table} WHERE {column} IN (SELECT unnest(?::VARCHAR[]))"
        return rows_of(self._connection, sql, [sorted(set(values))])


_RELATIONS = """
    WITH listed AS (
        SELECT DISTINCT unnest([list_id, 'all']) AS list_id, paper_id FROM (
            SELECT list_id, paper_id FROM mentions
            WHERE removed_at IS NULL AND paper_id IS NOT NULL AND list_id NOT IN (SELECT list_id FROM run_listed)
            UNION ALL FROM run_listed
        )
    ),
    worth AS (
        SELECT list_id FROM listed GROUP BY list_id HAVING count(*) >= ?
    ),
    works AS (
        FROM run_works
        UNION ALL
        SELECT paper_id, openalex_id, citation_count FROM openalex_works ANTI JOIN run_works USING (paper_id)
    ),
    links AS (
        SELECT paper_id, cited_openalex_id AS work FROM paper_references ANTI JOIN run_references USING (paper_id)
        UNION FROM run_references
        UNION SELECT paper_id, citing_openalex_id FROM paper_citations
        UNION FROM run_citations
    )
"""
_CITED = """
    SELECT w.*, CASE WHEN h.paper_id IS NOT NULL THEN h END AS last
    FROM works AS w
    LEFT JOIN citing_harvests AS h ON h.paper_id = w.paper_id
    WHERE w.citation_count BETWEEN 1 AND ?
        AND w.paper_id IN (SELECT paper_id FROM listed WHERE list_id IN (FROM worth))
    ORDER BY w.citation_count, w.paper_id
"""
_OUTSIDE = """
    , counted AS (
        SELECT work, max(papers) AS papers FROM (
            SELECT list_id, work, count(DISTINCT paper_id) AS papers
            FROM links JOIN listed USING (paper_id)
            WHERE list_id IN (FROM worth)
            GROUP BY list_id, work
        )
        GROUP BY work HAVING max(papers) >= ?
    )
    SELECT c.work, c.papers, o.status, o.tries, o.refreshed_at
    FROM counted AS c
    ANTI JOIN works AS w ON w.openalex_id = c.work
    ANTI JOIN (SELECT value FROM paper_identifiers WHERE scheme = 'openalex') AS i ON i.value = c.work
    LEFT JOIN outside_works AS o ON o.openalex_id = c.work
    ORDER BY c.papers DESC, c.work
"""


@dataclass(slots=True)
class WorkRows:
    """The rows that works make."""

    counts: list[tables.CitationCountRow] = field(default_factory=list)
    openalex_works: list[tables.OpenalexWorkRow] = field(default_factory=list)
    citations_by_year: list[tables.CitationsByYearRow] = field(default_factory=list)
    paper_references: list[tables.PaperReferenceRow] = field(default_factory=list)
    paper_authors: list[tables.PaperAuthorRow] = field(default_factory=list)

    @property
    def of_works(self) -> dict[str, Any]:
        """Returns table -> its rows, for the tables that are OpenAlex's alone."""
        return {table.name: getattr(self, table.name) for table in tables.WORK_TABLES}

    def add(self, paper_id: str, work: OpenAlexWork, at: datetime, reply: str | None) -> None:
        """Adds the rows of a paper's work, which came at `at` with the reply of that SHA-256."""
        if work.citation_count is not None:
            self.counts.append(count_row(paper_id, work, at, reply))
        places = {place.url: place.version or "" for place in (work.primary, *work.locations) if place and place.url}
        self.openalex_works.append(
            {
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
        )
        self.citations_by_year += [
            {"paper_id": paper_id, "source": SOURCE, "year": year, "citation_count": count, "observed_at": at}
            for year, count in work.citations_by_year.items()
        ]
        self.paper_references += [
            {
                "paper_id": paper_id,
                "source": SOURCE,
                "cited_openalex_id": cited,
                "cited_paper_id": None,  # known once all papers of the run are
                "observed_at": at,
            }
            for cited in work.references
        ]
        self.paper_authors += [
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

"""The answers of the tools of `paperlake mcp`: search, papers, missing works, status.

An answer is `found`, `none` (the lake was read, and holds nothing of the kind), or `could_not_ask` (nothing was found,
and a list or a source that may have had it could not be asked). The functions of the commands are behind them:
`paperlake sql`, `status` and `review` answer the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Annotated, Literal

from duckdb import DuckDBPyConnection
from pydantic import Field

from flows.commands.shared import Row, read_place
from flows.commands.status import read_changes, since_when, status_parts
from flows.list_names import one_list, wanted_lists
from flows.mcp.bounded_query import bounded_rows
from flows.review.decisions import identifier_of
from flows.review.queue import as_object, read_queue
from flows.times import as_of_instant
from sources.errors import UsageError
from warehouse.dashboard.first_five import list_papers, taking_off
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.query.citations import known_of, linked_to, outside_works_named, related_to, unknown_works
from warehouse.query.output import for_json, plain_rows, rows_of
from warehouse.query.papers import described, paper_of, search_papers
from warehouse.query.reading import next_of

Rows = list[Row]

ALL = "all"  # what the view `missing_papers` calls all lists together
_MOST_WITNESSES = 10  # entries that are told of each work, of those that cite it and of those that it cites

_MISSING = """
SELECT *, count(*) OVER () AS total FROM (
    SELECT m.list_id, m.list, m."rank", m.openalex_id, m.paper_id, m.title, m.authors, m.year, m.venue, m.doi,
        m.arxiv_id, m.citation_count, m.cited_by_listed, m.cites_listed, m.score, m.first_missing_at,
        m.citing_paper_ids, m.cited_paper_ids, 'openalex' AS source,
        coalesce(o.refreshed_at, w.refreshed_at) AS counted_at
    FROM missing_papers AS m
    LEFT JOIN outside_works AS o ON o.openalex_id = m.openalex_id
    LEFT JOIN openalex_works AS w ON w.paper_id = m.paper_id
    WHERE m.list_id IN (SELECT unnest($lists::VARCHAR[])) AND ($since IS NULL OR m.first_missing_at >= $since)
)
ORDER BY list_id, "rank"
LIMIT $most OFFSET $offset
"""
_WITNESSES = """
SELECT m.paper_id, l.location, m.line, p.title
FROM mentions AS m JOIN reading_lists AS l USING (list_id) JOIN papers AS p USING (paper_id)
WHERE m.removed_at IS NULL AND m.paper_id IN (SELECT unnest($ids::VARCHAR[]))
    AND ($lists = ['all'] OR m.list_id IN (SELECT unnest($lists::VARCHAR[])))
QUALIFY row_number() OVER (PARTITION BY m.paper_id ORDER BY l.location, m.line) = 1
"""
_UNKNOWN = """
WITH listed AS (
    SELECT DISTINCT paper_id FROM mentions
    WHERE removed_at IS NULL AND paper_id IS NOT NULL
        AND ($lists = ['all'] OR list_id IN (SELECT unnest($lists::VARCHAR[])))
)
SELECT 'references' AS what, 'openalex' AS source, count(*) AS papers, any_value(h.error) AS why
FROM listed ANTI JOIN paper_references AS r ON r.paper_id = listed.paper_id
LEFT JOIN harvests AS h ON h.paper_id = listed.paper_id AND h.source = 'openalex' HAVING count(*) > 0
UNION ALL
SELECT 'citing works', 'openalex', count(*), any_value(h.error)
FROM listed ANTI JOIN openalex_works AS w ON w.paper_id = listed.paper_id AND w.citation_count = 0
LEFT JOIN citing_harvests AS h ON h.paper_id = listed.paper_id
WHERE h.status IS DISTINCT FROM 'found' HAVING count(*) > 0
"""


def missing_works(
    connection: DuckDBPyConnection, list_ids: Sequence[str], since: datetime | None, *, most: int, offset: int
) -> tuple[list[Row], int, list[Row]]:
    """Returns works that the lists miss, best first, how many there are, and what of the citations is not known.

    Each has the entries that cite it (`cited_by`) and that it cites (`cites`), by place and title.

    `list_ids` are lists, each for itself; `ALL` alone is all of them together. `since` leaves only works that were
    first found missing since then.
    """
    lists = {"lists": list(list_ids)}
    found = rows_of(connection, _MISSING, lists | {"since": since, "most": most, "offset": offset})
    ids = {paper for row in found for paper in [*(row["citing_paper_ids"] or ()), *(row["cited_paper_ids"] or ())]}
    witnesses = {row["paper_id"]: row for row in rows_of(connection, _WITNESSES, lists | {"ids": sorted(ids)})}
    unknown = rows_of(connection, _UNKNOWN, lists)
    works = unknown_works(connection, list_ids)
    if works["works"]:
        unknown.append({"what": "works", "source": "openalex", "works": works["works"], "why": works["error"]})
    records, total = _without_total(found)
    for row in records:
        for name, ids_of in (("cited_by", "citing_paper_ids"), ("cites", "cited_paper_ids")):
            papers = (row.pop(ids_of) or ())[:_MOST_WITNESSES]
            row[name] = [witnesses[paper] for paper in papers if paper in witnesses]
    return records, total, unknown


def _without_total(rows: Rows) -> tuple[Rows, int]:
    """Returns the rows of a page without their column `total`, which says how many there are, and that number."""
    return [{name: row[name] for name in row if name != "total"} for row in rows], rows[0]["total"] if rows else 0


# What gains citations: by the counts that were observed, and by OpenAlex's years.
_RISING = """
    WITH named AS (
        SELECT DISTINCT paper_id FROM mentions
        WHERE removed_at IS NULL AND ($lists = ['all'] OR list_id IN (SELECT unnest($lists::VARCHAR[])))
    )
    SELECT paper_id, p.title, p.year, list_contains($clear, paper_id) AS takes_off,
        y.counted_year, y.cited AS cited_in_year, y.cited_before, y.gained AS gained_in_year, y.percentile,
        r.gained_per_week, r.count_then, r.count_now, r.since AS counted_since, r.until AS counted_at, r.source,
        count(*) OVER () AS total
    FROM named
    JOIN papers AS p USING (paper_id)
    LEFT JOIN rising_by_year AS y USING (paper_id)
    LEFT JOIN rising AS r USING (paper_id)
    WHERE y.gained > 0 OR r.gained_per_week > 0
    ORDER BY takes_off DESC, gained_per_week DESC NULLS LAST, gained_in_year DESC NULLS LAST, p.title, paper_id
    LIMIT $most OFFSET $offset
"""
_UNCOUNTED = """
    SELECT 'citations over time' AS what, count(DISTINCT paper_id) AS papers
    FROM mentions ANTI JOIN rising_by_year USING (paper_id) ANTI JOIN rising USING (paper_id)
    WHERE removed_at IS NULL AND paper_id IS NOT NULL
        AND ($lists = ['all'] OR list_id IN (SELECT unnest($lists::VARCHAR[])))
    HAVING count(*) > 0
"""
_MOST_RELATED = 1_000  # works near a paper that are ordered


MOST_RECORDS = 200  # records of one answer
LONGEST_QUERY_S = 20.0  # seconds after which a query is stopped

Limit = Annotated[int, Field(ge=1, le=MOST_RECORDS, description="The most records wanted.")]
Offset = Annotated[
    int, Field(ge=0, le=1_000_000_000, description="Records to pass over, to go on after an earlier answer.")
]
PaperName = Annotated[
    str,
    Field(
        description="A paper_id, a citation key, an arXiv identifier, a DOI, an address, or its whole title.",
        max_length=2_000,
    ),
]
ListName = Annotated[
    str | None,
    Field(description="A reading list: its location, or the end of it, such as reading.md. Without one: all lists."),
]

_REFRESHED = "SELECT max(finished_at) AS refreshed_at FROM runs"
_UNREAD = (
    "SELECT 'list' AS what, location, to_json(l) ->> 'fault' AS why FROM reading_lists AS l "
    "WHERE why IS NOT NULL ORDER BY location"
)
# Mentions that a source could not be asked about, and those of them that may be a paper with a title or identifier.
_FAILED = """
SELECT 'mentions' AS what, l.location, count(*) AS mentions, max(m.asked_at) AS asked_at,
    coalesce(arg_max(m.reason, m.asked_at), any_value(m.reason)) AS why,
    count(*) FILTER (WHERE m.title IS NULL AND coalesce(m.arxiv_id, m.doi) IS NULL
        OR lower(m.title) = lower($title) OR (m.title IS NULL AND $title IS NOT NULL)
        OR $identifier IN (m.arxiv_id, m.doi) OR (coalesce(m.arxiv_id, m.doi) IS NULL AND $identifier IS NOT NULL)
    ) AS hiding
FROM mentions AS m JOIN list_names AS l USING (list_id)
WHERE m.removed_at IS NULL AND m.status = 'failed'
GROUP BY l.location ORDER BY l.location
"""
_LISTS = """
SELECT l.list_id, c.location, c.list, c.mentions, c.resolved, c.ambiguous, c.not_found, c.failed, c.papers,
    c.percent_resolved, l.first_seen_at, l.parsed_at, l.revision AS revision_sha256, c.not_read_because
FROM coverage AS c JOIN reading_lists AS l USING (location)
ORDER BY c.location
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeMatches:
    """What a look at the lake found."""

    records: list[Row]  # those to be told
    total: int  # how many there are
    offset: int  # how many were passed over
    gaps: list[Row]  # what could not be asked, a record each
    hides: bool  # whether what could not be asked may have had more, so that "none" would be too much said
    refreshed_at: str | None  # when the lake was last refreshed, ISO 8601; None where it never was

    @property
    def verdict(self) -> Literal["found", "none", "could_not_ask"]:
        """Returns whether there is something, nothing, or nobody knows."""
        return "found" if self.total else "could_not_ask" if self.hides else "none"


class LakeAnswers:
    """Answers questions about one lake, each from the lake as last committed; writes nothing.

    The methods are the tools of `paperlake mcp`, with their docstrings; `sql` is behind one. All raise UsageError where
    there is no lake, no such list, or an argument is wrong, and WarehouseError where a data file is lost or spoiled.

    The lake of the option `--lake` need not be there yet. A query of `sql` is stopped after `longest_query_s`.
    """

    def __init__(self, lake: str | None, *, longest_query_s: float = LONGEST_QUERY_S) -> None:
        self._lake = lake
        self._longest_query_s = longest_query_s
        self._place: LakePlace = read_place(lake)

    def search(
        self,
        query: Annotated[
            str, Field(description="Words of a title, names of authors, or an identifier.", max_length=500)
        ],
        list: ListName = None,  # noqa: A002 - an argument of a tool, which all call the same
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> LakeMatches:
        """Finds papers, and entries of lists that have no paper yet, by words or by an identifier.

        Every word must occur, in the title, the authors, the venue or the abstract. `found_in` says where.
        """
        with self._open() as connection:
            lists = None if list is None else [*_lists_named(connection, list)]
            if list is None and identifier_of(query) is not None:
                papers = described(connection, paper_of(connection, query, identifier_of(query)), brief=True)
                return self._found(connection, [{"kind": "paper"} | row for row in papers], sought=query, offset=offset)
            records, total = search_papers(connection, query, lists, most=limit, offset=offset)
            return self._found(connection, records, total=total, sought=query, offset=offset)

    def paper(self, paper: PaperName, limit: Limit = 20, offset: Offset = 0) -> LakeMatches:
        """Tells all that is known of one paper, with the evidence; then works that cite it, and its references.

        `places`: where it stands in which list, and why that entry is this paper. `counts`: citations by source, each
        with the time of observation. `sources`: what each source said last: found, not_found, or failed, which means
        that it could not be asked. Citing works and references that lists name come first, with their `places`. A work
        that no list names (`kind` is outside work) is told where papers of lists cite it.
        """
        with self._open() as connection:
            identifier = identifier_of(paper)
            known = described(connection, paper_of(connection, paper, identifier))
            records = [{"kind": "paper"} | row for row in known]
            if not known:
                value = identifier.value if identifier else None
                outside = outside_works_named(connection, paper, identifier=value)
                records = [{"kind": "outside work"} | row for row in outside]
            unknown: Rows = []
            if len(records) == 1:
                work = str(records[0]["paper_id" if known else "work"])
                records += linked_to(connection, work)
                unknown = _unknown_of(connection, work) if known else []
            page = records[offset : offset + limit]
            sought, total = None if records else paper, len(records)
            return self._found(connection, page, total=total, sought=sought, offset=offset, unknown=unknown)

    def list(
        self,
        list: ListName = None,  # noqa: A002
        status: Annotated[
            Literal["resolved", "ambiguous", "not_found", "failed"] | None,
            Field(description="Only mentions with this verdict; failed means that a source could not be asked."),
        ] = None,
        only_review: Annotated[bool, Field(description="Only mentions that a person should decide about.")] = False,  # noqa: FBT002 - a tool's arguments are named
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> LakeMatches:
        """Tells the reading lists; with `list`, the entries of that list in order: verdict, paper, candidates."""
        with self._open() as connection:
            if list is None:
                return self._found(connection, rows_of(connection, _LISTS))
            locations = _lists_named(connection, list)
            chosen = [
                mention
                for mention in read_queue(self._place).mentions
                if mention.row["location"] in locations
                and status in (None, mention.row["status"])
                and (mention.needs_a_person or not only_review)
            ]
            records = [for_json(as_object(mention)) for mention in chosen[offset : offset + limit]]
            return self._found(connection, records, total=len(chosen), within=locations, offset=offset)

    def status(
        self,
        since: Annotated[
            str | None,
            Field(description="Tell what changed since then instead: 7d, 12h, or 2026-11-21.", max_length=40),
        ] = None,
        limit: Limit = MOST_RECORDS,
        offset: Offset = 0,
    ) -> LakeMatches:
        """Tells what is retracted, coverage by list, the age of the counts, runs, what is unresolved; or what changed.

        What changed begins with what to know first.
        """
        with self._open() as connection:
            parts = status_parts(connection) if since is None else read_changes(since_when(since), lake=self._lake)
            if since is not None and not any(rows.num_rows for name, rows in parts.items() if name != "first"):
                parts = {}  # nothing is new, which the verdict says
            records = [
                {"part": name} | row
                for name, rows in parts.items()
                for row in plain_rows(rows.slice(0, offset + limit))
            ]
            total = sum(rows.num_rows for rows in parts.values())
            return self._found(connection, records[offset : offset + limit], total=total, offset=offset)

    def missing(
        self,
        list: ListName = None,  # noqa: A002
        since: Annotated[
            str | None,
            Field(description="Only works first found missing since then: 7d, 12h, or 2026-11-21.", max_length=40),
        ] = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> LakeMatches:
        """Tells works that a list lacks although its papers cite them, or they its papers, far more than others do.

        `cited_by` and `cites` are the entries that say so; `score` is how much likelier that is than by fame alone.
        """
        began = None if since is None else since_when(since)
        with self._open() as connection:
            lists = [ALL] if list is None else [*_lists_named(connection, list).values()]
            records, total, unknown = missing_works(connection, lists, began, most=limit, offset=offset)
            return self._found(connection, records, total=total, offset=offset, unknown=unknown)

    def sql(self, query: str, *, as_of: str | None, limit: int, stop: Event | None = None) -> LakeMatches:
        """Returns the first rows of a query, by the guard of `paperlake sql`; `stop` stops it once it is set."""
        moment = as_of_instant(as_of, day_ends=True)
        with self._open() as connection:
            records, total = bounded_rows(
                self._lake, query, as_of=moment, most=limit, longest_s=self._longest_query_s, stop=stop
            )
            return self._found(connection, records, total=total)

    def next(
        self,
        list: ListName = None,  # noqa: A002
        limit: Limit = 5,
        offset: Offset = 0,
    ) -> LakeMatches:
        """Tells what to read next of a list: papers not marked as read, best first, and `because` says why.

        Read is what has a box with an x, is struck out, or says `read:` with a day or yes.
        """
        with self._open() as connection:
            list_id = one_list(connection, list)
            rows, states = next_of(connection, list_id, limit=limit, offset=offset)
            unknown = rows_of(connection, _UNKNOWN, {"lists": [list_id]})
            return self._found(connection, rows, total=states["to_read"], offset=offset, unknown=unknown)

    def related(self, paper: PaperName, limit: Limit = 10, offset: Offset = 0) -> LakeMatches:
        """Tells works near a paper: cited together with it, sharing references with it, cited by it or citing it."""
        with self._open() as connection:
            works = paper_of(connection, paper, identifier_of(paper))
            if len(works) > 1:
                raise UsageError(f"several papers have this title: name one by its paper_id, {', '.join(works)}")
            near = [row for work in works for row in related_to(connection, work, limit=_MOST_RELATED)]
            unknown = [gap for work in works for gap in _unknown_of(connection, work)]
            page = near[offset : offset + limit]
            sought = None if works else paper
            return self._found(connection, page, total=len(near), sought=sought, offset=offset, unknown=unknown)

    def rising(
        self,
        list: ListName = None,  # noqa: A002
        limit: Limit = 10,
        offset: Offset = 0,
    ) -> LakeMatches:
        """Tells which papers gain citations: first those that clearly take off beside papers of their year and field.

        `gained_per_week` is by counts of `source` from `counted_since` to `counted_at`. By OpenAlex are those of
        `counted_year`, what is gained on the year before, and `percentile`, the place among peers.
        """
        with self._open() as connection:
            lists = {"lists": [ALL] if list is None else [*_lists_named(connection, list).values()]}
            list_papers(connection, terms="all")
            clear = [row["paper_id"] for row in taking_off(connection)[1]]
            rows = rows_of(connection, _RISING, lists | {"clear": clear, "most": limit, "offset": offset})
            records, total = _without_total(rows)
            unknown = rows_of(connection, _UNCOUNTED, lists)
            return self._found(connection, records, total=total, offset=offset, unknown=unknown)

    @contextmanager
    def _open(self) -> Iterator[DuckDBPyConnection]:
        with closing(open_lake(self._place)) as connection:
            connection.execute("BEGIN")  # every query sees the same snapshot, also while a refresh commits
            yield connection

    def _found(
        self,
        connection: DuckDBPyConnection,
        records: Rows,
        *,
        total: int | None = None,
        sought: str | None = None,
        within: Collection[str] = (),
        offset: int = 0,
        unknown: Sequence[Row] = (),
    ) -> LakeMatches:
        """Returns the records with what is `unknown` of them and what could not be requested.

        That may hide more of the same, a paper `sought`, or what the lists `within` have.
        """
        identifier = None if sought is None else identifier_of(sought)
        title = sought if identifier is None else None
        unread_lists = rows_of(connection, _UNREAD)
        failed = rows_of(connection, _FAILED, {"title": title, "identifier": identifier.value if identifier else None})
        hiding = [row.pop("hiding") for row in failed]
        (last,) = rows_of(connection, _REFRESHED)
        return LakeMatches(
            records=records,
            total=len(records) if total is None else total,
            offset=offset,
            gaps=[*unknown, *unread_lists, *failed],
            hides=bool(unknown)
            or any(row["location"] in within for row in unread_lists)
            or (sought is not None and (bool(unread_lists) or any(hiding))),
            refreshed_at=last["refreshed_at"],
        )


def _unknown_of(connection: DuckDBPyConnection, work: str) -> Rows:
    known = known_of(connection, work)
    gaps = []
    if not known["reference_links"]:
        gaps.append({"what": "references", "source": "openalex", "status": known["status"], "why": known["error"]})
    if known["citing_status"] != "found" and known["citation_count"] != 0:
        why = known["citing_error"] or known["error"]
        gaps.append({"what": "citing works", "source": "openalex", "status": known["citing_status"], "why": why})
    return gaps


def _lists_named(connection: DuckDBPyConnection, name: str) -> dict[str, str]:
    return {location: list_id for location, list_id in wanted_lists(connection, [name]).items() if location}

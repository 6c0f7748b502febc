"""The answers that `paperlake mcp` gives, each from one look at the lake, which is opened to be read and sealed.

An answer is `found`, `none` (the lake was read, and holds nothing of the kind), or `could_not_ask` (nothing was found,
and a list or a source that may have had it could not be asked). The functions of the commands are behind them:
`paperlake sql`, `status` and `review` answer the same.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from flows.commands.shared import read_place
from flows.commands.status import read_changes, since_when, status_parts
from flows.list_names import lists_named
from flows.mcp.bounded_query import bounded_rows
from flows.mcp.missing import ALL, missing_works
from flows.mcp.papers import described, paper_of, rows_of, search_papers
from flows.review.decisions import identifier_of
from flows.review.queue import read_queue
from flows.review.view import as_object
from flows.times import as_of_instant
from warehouse.query.output import for_json, plain_rows
from warehouse.query.read_only import open_for_questions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from threading import Event

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace

Row = dict[str, Any]
MOST_RECORDS = 200
"""Records of one answer."""
LONGEST_QUERY_S = 20.0
"""Seconds after which a query is stopped."""
_REFRESHED = "SELECT max(finished_at) AS refreshed_at FROM runs"
_UNREAD = (
    "SELECT 'list' AS what, location, to_json(l) ->> 'fault' AS why FROM reading_lists AS l "
    "WHERE why IS NOT NULL ORDER BY location"
)
_FAILED = """
SELECT 'mentions' AS what, l.location, count(*) AS mentions, max(m.asked_at) AS asked_at,
    coalesce(arg_max(m.reason, m.asked_at), any_value(m.reason)) AS why,
    count(*) FILTER (WHERE m.title IS NULL AND coalesce(m.arxiv_id, m.doi) IS NULL
        OR lower(m.title) = lower($title) OR (m.title IS NULL AND $title IS NOT NULL)
        OR $identifier IN (m.arxiv_id, m.doi) OR (coalesce(m.arxiv_id, m.doi) IS NULL AND $identifier IS NOT NULL)
    ) AS hiding
FROM mentions AS m JOIN reading_lists AS l USING (list_id)
WHERE m.removed_at IS NULL AND m.status = 'failed'
GROUP BY l.location ORDER BY l.location
"""
"""Mentions that a source could not be asked about, and those of them that may be a paper with a title or identifier."""
_LISTS = """
SELECT l.list_id, c.location, c.list, c.mentions, c.resolved, c.ambiguous, c.not_found, c.failed, c.papers,
    c.percent_resolved, l.first_seen_at, l.parsed_at, l.revision AS revision_sha256, c.not_read_because
FROM coverage AS c JOIN reading_lists AS l USING (location)
ORDER BY c.location
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a look at the lake found.

    Attributes:
        records: Those to be told.
        total: How many there are.
        gaps: What could not be asked, a record each.
        hides: Whether what could not be asked may have had more, so that "none" would be too much said.
        refreshed_at: When the lake was last refreshed, ISO 8601; None where it never was.
    """

    records: list[Row]
    total: int
    gaps: list[Row] = field(default_factory=list)
    hides: bool = False
    refreshed_at: str | None = None

    @property
    def verdict(self) -> Literal["found", "none", "could_not_ask"]:
        """Returns whether there is something, nothing, or nobody knows."""
        return "found" if self.total else "could_not_ask" if self.hides else "none"


class LakeAnswers:
    """Answers questions about one lake, each from the lake as last committed; writes nothing.

    Args:
        lake: The option `--lake`.
        longest_query_s: Seconds after which a query of `sql` is stopped.

    Raises:
        UsageError: A setting has an impossible value. A lake need not be there yet.
    """

    def __init__(self, lake: str | None, *, longest_query_s: float = LONGEST_QUERY_S) -> None:
        self._lake = lake
        self._longest_query_s = longest_query_s
        self._place: LakePlace = read_place(lake)

    def search(self, query: str, *, within: str | None, limit: int, offset: int) -> Found:
        """Returns papers and unresolved mentions that have every word of `query`, or the identifier that it is.

        Raises:
            UsageError: There is no lake, no such list, or no word in the query.
        """
        with self._open() as connection:
            lists = self._locations(connection, within)
            if within is None and identifier_of(query) is not None:
                papers = described(connection, paper_of(connection, query), brief=True)
                return self._found(connection, [{"kind": "paper"} | row for row in papers], sought=query)
            records, total = search_papers(connection, query, lists, most=limit, offset=offset)
            return self._found(connection, records, total=total, sought=query)

    def paper(self, reference: str) -> Found:
        """Returns all that the lake knows of the paper that `reference` names, and of those with the same title.

        Raises:
            UsageError: There is no lake.
        """
        with self._open() as connection:
            records = described(connection, paper_of(connection, reference))
            return self._found(connection, records, sought=reference)

    def lists(self) -> Found:
        """Returns the lists of the lake, and what became of the mentions in each.

        Raises:
            UsageError: There is no lake.
        """
        with self._open() as connection:
            return self._found(connection, rows_of(connection, _LISTS))

    def mentions(self, name: str, *, status: str | None, only_review: bool, limit: int, offset: int) -> Found:
        """Returns the mentions of a list with their verdicts and candidates, as `paperlake review --json` does.

        Raises:
            UsageError: There is no lake or no such list, or a decisions file beside a list is broken.
        """
        with self._open() as connection:
            locations = self._locations(connection, name) or []
            chosen = [
                mention
                for mention in read_queue(self._place).mentions
                if mention.row["location"] in locations
                and status in (None, mention.row["status"])
                and (mention.needs_a_person or not only_review)
            ]
            records = [for_json(as_object(mention)) for mention in chosen[offset : offset + limit]]
            return self._found(connection, records, total=len(chosen), within=locations)

    def missing(self, name: str | None, *, since: str | None, limit: int, offset: int) -> Found:
        """Returns works that a list misses, all lists together where none is named, with the entries that say so.

        Raises:
            UsageError: There is no lake or no such list, `since` is no time, or the lake has no citations yet.
        """
        began = None if since is None else since_when(since)
        with self._open() as connection:
            lists = [ALL] if name is None else self._list_ids(connection, name)
            records, total, unknown = missing_works(connection, lists, began, most=limit, offset=offset)
            found = self._found(connection, records, total=total)
            return replace(found, gaps=unknown + found.gaps, hides=bool(unknown))

    def sql(self, query: str, *, as_of: str | None, limit: int, stop: Event | None = None) -> Found:
        """Returns the first rows of a query, by the guard of `paperlake sql`; `stop` stops it once it is set.

        Raises:
            UsageError: There is no lake, the query is refused, or it takes too long or too much memory.
            WarehouseError: A data file is lost or spoiled.
        """
        moment = as_of_instant(as_of, day_ends=True)
        with self._open() as connection:
            records, total = bounded_rows(
                self._lake, query, as_of=moment, most=limit, longest_s=self._longest_query_s, stop=stop
            )
            return self._found(connection, records, total=total)

    def status(self, since: str | None) -> Found:
        """Returns the rows of `paperlake status`, or of `paperlake status --since`, each with the part that it is of.

        Raises:
            UsageError: There is no lake, or `since` is no time.
        """
        with self._open() as connection:
            parts = status_parts(connection) if since is None else read_changes(since_when(since), lake=self._lake)
            records = [
                {"part": name} | row for name, rows in parts.items() for row in plain_rows(rows.slice(0, MOST_RECORDS))
            ]
            return self._found(connection, records, total=sum(rows.num_rows for rows in parts.values()))

    @contextmanager
    def _open(self) -> Iterator[DuckDBPyConnection]:
        with closing(open_for_questions(self._place)) as connection:
            connection.execute("BEGIN")  # every query sees the same snapshot, also while a refresh commits
            yield connection

    def _locations(self, connection: DuckDBPyConnection, name: str | None) -> list[str] | None:
        if name is None:
            return None
        return lists_named(name, [row["location"] for row in rows_of(connection, "SELECT location FROM reading_lists")])

    def _list_ids(self, connection: DuckDBPyConnection, name: str) -> list[str]:
        locations = self._locations(connection, name) or []
        rows = rows_of(connection, "SELECT list_id, location FROM reading_lists ORDER BY location")
        return [row["list_id"] for row in rows if row["location"] in locations]

    def _found(
        self,
        connection: DuckDBPyConnection,
        records: list[Row],
        *,
        total: int | None = None,
        sought: str | None = None,
        within: Collection[str] = (),
    ) -> Found:
        """Returns the records with what could not be asked, which may hide a paper `sought` or what lists hold."""
        identifier = None if sought is None else identifier_of(sought)
        title = sought if identifier is None else None
        unread_lists = rows_of(connection, _UNREAD)
        failed = rows_of(connection, _FAILED, {"title": title, "identifier": identifier.value if identifier else None})
        hiding = [row.pop("hiding") for row in failed]
        (last,) = rows_of(connection, _REFRESHED)
        return Found(
            records=records,
            total=len(records) if total is None else total,
            gaps=unread_lists + failed,
            hides=any(row["location"] in within for row in unread_lists)
            or (sought is not None and (bool(unread_lists) or any(hiding))),
            refreshed_at=last["refreshed_at"],
        )

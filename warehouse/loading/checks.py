"""What must hold: of the rows that a run touched before it commits, and of all rows of a lake when it is checked.

A commit is refused unless keys are unique, references resolve and sums are kept; rows that it did not touch were
checked when they were written. Whether whole tables agree takes too long for a refresh: `paperlake lake check` asks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sources.bounds import FIRST_YEAR, MOST_COUNTED
from sources.errors import CheckFailed
from warehouse.tables.declarations import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Check:
    """A query that finds what must not be; no row means that all is well.

    Attributes:
        name: What must be, in words.
        table: The table that it is about.
        sql: The query, with `{rows}` where the rows to look at stand: the table, or a query for some of it.
    """

    name: str
    table: str
    sql: str


def _orphans(table: str, column: str, target: str, target_column: str) -> Check:
    sql = (
        f'SELECT DISTINCT t."{column}" FROM {{rows}} t ANTI JOIN "{target}" o ON t."{column}" = o."{target_column}" '
        f'WHERE t."{column}" IS NOT NULL'
    )
    return Check(f"{table}.{column} is in {target}", table, sql)


CHECKS: tuple[Check, ...] = (
    *(Check(f"{table.name}: one row a key", table.name, table.duplicate_keys_sql("{rows}")) for table in TABLES),
    _orphans("mentions", "list_id", "reading_lists", "list_id"),
    _orphans("mentions", "paper_id", "papers", "paper_id"),
    _orphans("candidates", "mention_id", "mentions", "mention_id"),
    _orphans("findings", "mention_id", "mentions", "mention_id"),
    _orphans("paper_identifiers", "paper_id", "papers", "paper_id"),
    _orphans("citation_counts", "paper_id", "papers", "paper_id"),
    _orphans("harvests", "paper_id", "papers", "paper_id"),
    _orphans("papers", "merged_into", "papers", "paper_id"),
    Check(
        "a mention has a paper exactly when it is resolved",
        "mentions",
        "SELECT mention_id, status FROM {rows} WHERE (status = 'resolved') <> (paper_id IS NOT NULL)",
    ),
    Check(
        "status is one of the four",
        "mentions",
        "SELECT mention_id, status FROM {rows} WHERE status NOT IN ('resolved', 'ambiguous', 'not_found', 'failed')",
    ),
    Check(
        "mentions = resolved + ambiguous + not_found + failed",
        "runs",
        "SELECT run_id FROM {rows} WHERE mentions <> resolved + ambiguous + not_found + failed",
    ),
    Check(
        "no count is negative",
        "citation_counts",
        "SELECT paper_id FROM {rows} WHERE least(citation_count, influential_citation_count, reference_count) < 0",
    ),
)


def check(connection: DuckDBPyConnection, tables: Iterable[str], *, touched: Mapping[str, str] | None = None) -> None:
    """Runs every check on `tables`.

    Args:
        connection: An open lake.
        tables: Names of tables.
        touched: Table -> a query for those of its rows that are to be looked at; all of them where it is not there.

    Raises:
        CheckFailed: The first check that found something, with a sample of it.
    """
    wanted = set(tables)
    for item in CHECKS:
        if item.table not in wanted:
            continue
        rows = f"({touched[item.table]})" if touched and item.table in touched else f'"{item.table}"'
        sample = connection.execute(f"{item.sql.format(rows=rows)} LIMIT 5").fetchall()
        if sample:
            shown = [", ".join(str(value) for value in row) for row in sample]
            raise CheckFailed(
                f"check failed on {item.table}: {item.name}; for example {shown[0]}",
                check=item.name,
                table=item.table,
                sample=shown,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """A query that gives a row for each thing that is not as it should be.

    Attributes:
        name: What should be, in words.
        table: The table that it is about.
        sql: The query.
        reads: The tables that it needs.
        remedy: What to do; empty where it can only be paperlake's own fault.
        noted: Whether it is only worth knowing: nothing mends it, and nothing goes by it.
    """

    name: str
    table: str
    sql: str
    reads: tuple[str, ...]
    remedy: str = ""
    noted: bool = False


_AGREEMENT = (
    RowCheck(
        name="papers are as many as the runs added",
        table="papers",
        sql="SELECT papers.n || ' papers, where the runs added ' || runs.n "
        "FROM (SELECT count(*) AS n FROM papers) AS papers, "
        "(SELECT coalesce(sum(papers_new), 0)::BIGINT AS n FROM runs) AS runs WHERE papers.n <> runs.n",
        reads=("papers", "runs"),
    ),
    RowCheck(
        name="the last run counted the papers that are there",
        table="papers",
        sql="SELECT n || ' papers stand for themselves, where the last run told of ' || papers "
        "FROM (SELECT count(*) AS n FROM papers WHERE merged_into IS NULL), "
        "(SELECT arg_max(papers, finished_at) AS papers FROM runs WHERE finished_at <= now()) WHERE papers <> n",
        reads=("papers", "runs"),
    ),
    RowCheck(
        name="observations are as many as the runs wrote",
        table="citation_counts",
        sql="SELECT counts.n || ' observations, where the runs wrote ' || runs.n "
        "FROM (SELECT count(*) AS n FROM citation_counts) AS counts, "
        "(SELECT coalesce(sum(counts_written), 0)::BIGINT AS n FROM runs) AS runs WHERE counts.n <> runs.n",
        reads=("citation_counts", "runs"),
    ),
    RowCheck(
        name="a paper's count is one that was observed",
        table="papers",
        sql="SELECT p.paper_id, p.title FROM papers AS p ANTI JOIN ("
        "SELECT coalesce(q.merged_into, q.paper_id) AS paper_id, "
        "c.observed_at, c.citation_count FROM citation_counts AS c JOIN papers AS q ON q.paper_id = c.paper_id) AS o "
        "ON o.paper_id = p.paper_id AND o.observed_at = p.counted_at AND o.citation_count = p.citation_count "
        "WHERE p.merged_into IS NULL AND p.counted_at IS NOT NULL",
        reads=("papers", "citation_counts"),
    ),
    RowCheck(
        name="coverage adds up to the mentions that stand",
        table="mentions",
        sql="SELECT told || ' in coverage, ' || n || ' standing' FROM (SELECT sum(mentions)::BIGINT AS told, "
        "sum(resolved + ambiguous + not_found + failed)::BIGINT AS kinds FROM coverage), "
        "(SELECT count(*) AS n FROM mentions WHERE removed_at IS NULL) WHERE told <> n OR kinds <> n",
        reads=("mentions", "reading_lists", "papers"),
    ),
)


_COUNTS = ("citation_count", "influential_citation_count", "reference_count")
_DATED = (("papers", "counted_at"), ("papers", "refreshed_at"), ("harvests", "asked_at"), ("mentions", "asked_at"))
"""Instants by which a refresh decides what to ask."""
_DATED_FOR_EVER = (("citation_counts", "observed_at"), ("replies", "fetched_at"), ("runs", "finished_at"))
_ASKED_AGAIN = "the next refresh with a network asks for it again, and what it is told takes its place"
_PASSED_OVER = "it stays, as what was observed is never rewritten, and nothing that a refresh decides goes by it"


def _believable(table: str, column: str, condition: str, what: str, *, noted: bool = False) -> RowCheck:
    shown = next(item.key[0] for item in TABLES if item.name == table)
    return RowCheck(
        name=f"{table}.{column} is {what}",
        table=table,
        sql=f'SELECT {shown}, "{column}" FROM "{table}" WHERE NOT ({condition})',
        reads=(table,),
        remedy=_PASSED_OVER if noted else _ASKED_AGAIN,
        noted=noted,
    )


_IN_TIME = "{0} <= now() + INTERVAL 1 DAY"
_BELIEVABLE = (
    *(_believable("papers", name, f"{name} < {MOST_COUNTED}", "believable") for name in _COUNTS),
    _believable("papers", "year", f"year BETWEEN {FIRST_YEAR} AND year(now()) + 1", "believable"),
    *(_believable(table, name, _IN_TIME.format(name), "not in the future") for table, name in _DATED),
    *(_believable("citation_counts", name, f"{name} < {MOST_COUNTED}", "believable", noted=True) for name in _COUNTS),
    *(
        _believable(table, name, _IN_TIME.format(name), "not in the future", noted=True)
        for table, name in _DATED_FOR_EVER
    ),
)


def row_checks() -> tuple[RowCheck, ...]:
    """Returns the checks that every commit passed, over all rows, and those of agreement between tables."""
    names = [table.name for table in TABLES]
    full = [(item, item.sql.format(rows=f'"{item.table}"')) for item in CHECKS]
    passed = [
        RowCheck(name=item.name, table=item.table, sql=sql, reads=tuple(name for name in names if f'"{name}"' in sql))
        for item, sql in full
    ]
    return (*passed, *_AGREEMENT, *_BELIEVABLE)

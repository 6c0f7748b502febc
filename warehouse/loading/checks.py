"""What a commit must pass: the rows that it touched are sound, and the lake loses little of what it had.

A commit is refused unless keys are unique, references resolve and sums are kept; rows that it did not touch were
checked when they were written. Whether whole tables agree takes too long for a refresh: `paperlake lake check` asks
(`warehouse.maintenance.faults`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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

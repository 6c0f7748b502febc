"""Writes rows into tables, by append or by upsert; unchanged rows are not written again.

Rows come as Python objects, or as Arrow tables where there are many. The cost of a write grows with the incoming rows:
only the key columns of the table are read, and where the key has an instant, only the period of the incoming rows.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from warehouse.tables.schema import INSTANT, Rows, Table, identifier, literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckdb import DuckDBPyConnection


_INCOMING = "paperlake_incoming"
_WIDE = 20  # columns from which on a table is wide: `papers` and `mentions`
# Columns that are no news by themselves: since when a row is as it is, and what the lake makes of it.
_NO_NEWS = frozenset({"observed_at", "cited_paper_id", "citing_paper_id", "version_of"})
# Rows that are fetched by their numbers, which lets DuckDB leave unread every row group that has none of them.
_FEW = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """Rows to be written to a table, and the rows that the table has with the same keys."""

    table: Table  # the table
    rows: pa.Table  # the incoming rows, as Arrow
    name: str  # their name on the connection
    stored_name: str  # the name of the stored rows with the same keys, as they were before


def append(connection: DuckDBPyConnection, table: Table, rows: Rows) -> int:
    """Appends those `rows` whose key is not in the table yet, and returns how many they were."""
    batch = table.batch(rows)
    if batch.num_rows == 0:
        return 0
    with registration(connection, _INCOMING, batch):
        stored = f"(SELECT * FROM {identifier(table.name)} t WHERE {_in_period(table, batch)})"
        return _insert(connection, table, _INCOMING, stored)


def upsert(connection: DuckDBPyConnection, table: Table, rows: Rows) -> int:
    """Inserts new rows and replaces rows that differ, by key, and returns how many were written."""
    with incoming(connection, table, rows) as given:
        return put(connection, given)


def put(connection: DuckDBPyConnection, given: Incoming) -> int:
    """Does the same as `upsert`, with rows that are registered already."""
    if given.rows.num_rows == 0:
        return 0
    return _replace(connection, given) + _insert(connection, given.table, given.name, given.stored_name)


@contextmanager
def incoming(connection: DuckDBPyConnection, table: Table, rows: Rows) -> Iterator[Incoming]:
    """Registers `rows` with the connection, and the stored rows with the same keys, which are read once."""
    batch = table.batch(rows)
    given = Incoming(
        table=table, rows=batch, name=f"{_INCOMING}_{table.name}", stored_name=f"{_INCOMING}_{table.name}_held"
    )
    with registration(connection, given.name, batch):
        condition = among(table, batch, given.name)
        stored = fetch(connection, table, condition) if batch.num_rows else table.arrow().empty_table()
        with registration(connection, given.stored_name, stored):
            yield given


def fetch(connection: DuckDBPyConnection, table: Table, chosen: str, values: Sequence[Any] = ()) -> pa.Table:
    """Returns the rows of `table` that the query `chosen`, which begins with `SELECT t.*`, selects with `values`.

    DuckDB reads all columns of every row group before a join or a function filters. Of a table with many columns, the
    row numbers are therefore selected first; if they are few, the rows are read by number.
    """
    if len(table.columns) >= _WIDE:
        numbers = connection.execute(chosen.replace("SELECT t.*", "SELECT t.rowid", 1), values).to_arrow_table()
        if numbers.num_rows == 0:
            return table.arrow().empty_table()
        if numbers.num_rows <= _FEW:
            by_number = f"SELECT * FROM {identifier(table.name)} WHERE list_contains(?::BIGINT[], rowid)"
            return connection.execute(by_number, [numbers.column(0).to_pylist()]).to_arrow_table()
    return connection.execute(chosen, values).to_arrow_table()


def replace_where(connection: DuckDBPyConnection, table: Table, column: str, values: Sequence[str], rows: Rows) -> int:
    """Replaces the rows where `column` is one of `values` by `rows`, and returns how many were deleted or inserted.

    Nothing is written where they are the same.
    """
    new = table.batch(rows)
    if not values and not new.num_rows:
        return 0
    names = ", ".join(identifier(name) for name in table.names)
    where = f"WHERE {identifier(column)} IN (SELECT unnest(?::VARCHAR[]))"
    stored = connection.execute(
        f"SELECT {names} FROM {identifier(table.name)} {where}", [list(values)]
    ).to_arrow_table()
    if _as_set(stored.to_pylist()) == _as_set(new.to_pylist()):
        return 0
    if stored.num_rows:
        connection.execute(f"DELETE FROM {identifier(table.name)} {where}", [list(values)])
    append(connection, table, new)
    return int(stored.num_rows + new.num_rows)


def delete_others(connection: DuckDBPyConnection, given: Incoming, papers: Incoming | None = None) -> int:
    """Deletes the rows of papers that have incoming rows, but not with these keys, and returns how many there were.

    `papers` are rows of another table whose papers are meant, so that a paper may have no row left.
    """
    papers = papers or given
    if papers.rows.num_rows == 0:
        return 0
    name = identifier(given.table.name)
    others = (
        f"FROM {name} t SEMI JOIN {papers.name} p USING (paper_id) ANTI JOIN {given.name} i ON {_same_key(given.table)}"
    )
    gone = connection.execute(f"SELECT t.* {others}").to_arrow_table()
    if gone.num_rows:
        with registration(connection, _INCOMING, gone):
            connection.execute(f"DELETE FROM {name} t USING {_INCOMING} i WHERE {_same_key(given.table)}")
    return int(gone.num_rows)


@contextmanager
def registration(connection: DuckDBPyConnection, name: str, batch: pa.Table) -> Iterator[None]:
    """Makes an Arrow table a temporary one under `name`, for as long as the block lasts.

    It is copied, because joins hand filters to scans of Arrow, which refuse some of them now and then
    (https://github.com/duckdb/duckdb-python/issues/463).
    """
    scanned = f"{name}_arrow"
    connection.register(scanned, batch)
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM {scanned}")
    finally:
        connection.unregister(scanned)
    yield
    connection.execute(f"DROP TABLE temp.{name}")


def among(table: Table, batch: pa.Table, name: str) -> str:
    """Returns the query for the stored rows with the keys of `batch`, which is registered as `name`."""
    pairs = f"{identifier(table.name)} t SEMI JOIN {name} i ON {_same_key(table)}"
    return f"SELECT t.* FROM {pairs} WHERE {_in_period(table, batch)}"


def _insert(connection: DuckDBPyConnection, table: Table, rows: str, stored: str) -> int:
    news = f"SELECT i.* FROM {rows} i ANTI JOIN {stored} t ON {_same_key(table)}"
    row = connection.execute(f"INSERT INTO {identifier(table.name)} BY NAME {news}").fetchone()
    return int(row[0]) if row else 0


def _replace(connection: DuckDBPyConnection, given: Incoming) -> int:
    """Replaces stored rows by incoming ones with the same key that differ in more than `_NO_NEWS`; returns how many."""
    table = given.table
    values = [name for name in table.names if name not in table.key]
    compared = [name for name in values if name not in _NO_NEWS]
    differs = " OR ".join(f"t.{identifier(name)} IS DISTINCT FROM i.{identifier(name)}" for name in compared) or "false"
    changed = connection.execute(
        f"SELECT i.* FROM {given.name} i JOIN {given.stored_name} t ON {_same_key(given.table)} WHERE {differs}"
    ).to_arrow_table()
    if changed.num_rows == 0:
        return 0
    assignments = ", ".join(f"{identifier(name)} = i.{identifier(name)}" for name in values)
    with registration(connection, f"{given.name}_changed", changed):
        connection.execute(
            f"MERGE INTO {identifier(table.name)} t USING {given.name}_changed i ON {_same_key(given.table)} "
            f"WHEN MATCHED THEN UPDATE SET {assignments}"
        )
    return int(changed.num_rows)


def _in_period(table: Table, batch: pa.Table) -> str:
    """Returns a condition that every row with a key of `batch` meets.

    Rows are stored in the order of time, so a period lets DuckDB skip most files and row groups.
    """
    if batch.num_rows == 0:
        return "false"
    kinds = {column.name: column.type for column in table.columns}
    instants = [name for name in table.key if kinds[name] is INSTANT]
    return " AND ".join(_between(name, batch.column(name)) for name in instants) or "true"


def _between(name: str, instants: pa.ChunkedArray) -> str:
    ends = pc.min_max(instants).as_py()
    first, last = (f"{literal(ends[end].isoformat())}::TIMESTAMPTZ" for end in ("min", "max"))
    return f"t.{identifier(name)} BETWEEN {first} AND {last}"


def _same_key(table: Table) -> str:
    return " AND ".join(f"t.{identifier(name)} = i.{identifier(name)}" for name in table.key)


def _as_set(rows: list[dict[str, Any]]) -> set[str]:
    return {repr(sorted(row.items())) for row in rows}

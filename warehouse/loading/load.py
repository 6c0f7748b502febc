"""Writes rows into tables, by append or by upsert; unchanged rows are not written again.

Rows come as Python objects, or as Arrow tables where there are many. The cost of a write grows with the incoming rows:
only the key columns of the table are read, and where the key has an instant, DuckDB leaves unread what is of another
time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from duckdb import DuckDBPyConnection

from warehouse.tables.schema import Rows, Table, identifier

INCOMING = "paperlake_incoming"  # what temporary tables of incoming rows are called, before `_` and their table's name
# Columns that are no news by themselves: since when a row is as it is, and what the lake makes of it.
_NO_NEWS = frozenset({"observed_at", "cited_paper_id", "citing_paper_id", "version_of"})


def append(connection: DuckDBPyConnection, table: Table, rows: Rows) -> int:
    """Appends those `rows` whose key is not in the table yet, and returns how many they were."""
    batch = table.batch(rows)
    if batch.num_rows == 0:
        return 0
    with registration(connection, INCOMING, batch):
        return _insert(connection, table, INCOMING, identifier(table.name))


def upsert(connection: DuckDBPyConnection, table: Table, rows: Rows) -> int:
    """Inserts new rows and replaces rows that differ, by key, and returns how many were written."""
    batch = table.batch(rows)
    with incoming(connection, table, batch):
        return put(connection, table) if batch.num_rows else 0


def put(connection: DuckDBPyConnection, table: Table) -> int:
    """Does the same as `upsert`, with rows that are `incoming` already."""
    given = f"{INCOMING}_{table.name}"
    return _replace(connection, table, given) + _insert(connection, table, given, f"{given}_held")


@contextmanager
def incoming(connection: DuckDBPyConnection, table: Table, batch: pa.Table) -> Iterator[None]:
    """Makes temporary tables of the incoming rows, and, behind `_held`, of the stored rows with the same keys."""
    given = f"{INCOMING}_{table.name}"
    stored = stored_rows(table, given) if batch.num_rows else f"FROM {given}"
    with registration(connection, given, batch), temporary(connection, f"{given}_held", stored):
        yield


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


def delete_others(connection: DuckDBPyConnection, table: Table, papers: Table) -> int:
    """Deletes the rows that are not incoming of papers with incoming rows of another table, or this one.

    Returns how many there were.
    """
    return changed_by(
        connection,
        f"DELETE FROM {identifier(table.name)} AS t WHERE paper_id IN (SELECT paper_id FROM {INCOMING}_{papers.name}) "
        f"AND NOT EXISTS (FROM {INCOMING}_{table.name} AS i WHERE {_same_key(table)})",
    )


@contextmanager
def registration(connection: DuckDBPyConnection, name: str, batch: pa.Table) -> Iterator[None]:
    """Makes an Arrow table a temporary one under `name`, for as long as the block lasts.

    It is copied, because joins hand filters to scans of Arrow, which refuse some of them now and then
    (https://github.com/duckdb/duckdb-python/issues/463).
    """
    scanned = f"{name}_arrow"
    connection.register(scanned, batch)
    try:
        with temporary(connection, name, f"FROM {scanned}"):
            yield
    finally:
        connection.unregister(scanned)


@contextmanager
def temporary(connection: DuckDBPyConnection, name: str, query: str) -> Iterator[None]:
    """Makes a temporary table of what `query` gives, for as long as the block lasts."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}")
    yield
    connection.execute(f"DROP TABLE temp.{name}")


def stored_rows(table: Table, name: str) -> str:
    """Returns the query for the stored rows with the keys of the rows that are registered as `name`."""
    return f"SELECT t.* FROM {identifier(table.name)} t SEMI JOIN {name} i ON {_same_key(table)}"


def changed_by(connection: DuckDBPyConnection, sql: str) -> int:
    """Executes a statement that writes, and returns how many rows it changed."""
    ((number,),) = connection.execute(sql).fetchall()
    return int(number)


def _insert(connection: DuckDBPyConnection, table: Table, rows: str, stored: str) -> int:
    news = f"SELECT i.* FROM {rows} i ANTI JOIN {stored} t ON {_same_key(table)}"
    return changed_by(connection, f"INSERT INTO {identifier(table.name)} BY NAME {news}")


def _replace(connection: DuckDBPyConnection, table: Table, given: str) -> int:
    """Replaces stored rows by incoming ones with the same key that differ in more than `_NO_NEWS`; returns how many."""
    same_key = _same_key(table)
    values = {name: identifier(name) for name in table.names if name not in table.key}
    differs = [f"t.{quoted} IS DISTINCT FROM i.{quoted}" for name, quoted in values.items() if name not in _NO_NEWS]
    changed = f"SELECT i.* FROM {given} i JOIN {given}_held t ON {same_key} WHERE {' OR '.join(differs) or 'false'}"
    return changed_by(
        connection,
        f"MERGE INTO {identifier(table.name)} t USING ({changed}) i ON {same_key} "
        f"WHEN MATCHED THEN UPDATE SET {', '.join(f'{quoted} = i.{quoted}' for quoted in values.values())}",
    )


def _same_key(table: Table) -> str:
    return " AND ".join(f"t.{identifier(name)} = i.{identifier(name)}" for name in table.key)


def _as_set(rows: list[dict[str, Any]]) -> set[str]:
    return {repr(sorted(row.items())) for row in rows}

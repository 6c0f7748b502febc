"""Writes rows into tables: append, or upsert by key. Rows that say what the lake already says are not written again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckdb import DuckDBPyConnection

    from warehouse.schema import Table

_INCOMING = "paperlake_incoming"


def append(connection: DuckDBPyConnection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Appends `rows` whose key the table does not hold yet, and returns how many those were.

    Raises:
        SchemaMismatch: A row does not fit the table.
    """
    if not rows:
        return 0
    with _Incoming(connection, table, rows):
        fresh = f"SELECT i.* FROM {_INCOMING} i ANTI JOIN {_quoted(table.name)} t ON {_same_key(table)}"
        return _changed(connection, f"INSERT INTO {_quoted(table.name)} {fresh}")


def upsert(connection: DuckDBPyConnection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Inserts new rows and replaces rows that differ, by key, and returns how many were written.

    Raises:
        SchemaMismatch: A row does not fit the table.
    """
    if not rows:
        return 0
    values = [name for name in table.names if name not in table.key]
    differs = " OR ".join(f"t.{_quoted(name)} IS DISTINCT FROM i.{_quoted(name)}" for name in values) or "false"
    absent = f"t.{_quoted(table.key[0])} IS NULL"
    target = _quoted(table.name)
    with _Incoming(connection, table, rows):
        changed = connection.execute(
            f"SELECT i.* FROM {_INCOMING} i LEFT JOIN {target} t ON {_same_key(table)} WHERE {absent} OR {differs}"
        ).to_arrow_table()
    if changed.num_rows == 0:
        return 0
    assignments = ", ".join(f"{_quoted(name)} = i.{_quoted(name)}" for name in values)
    columns = ", ".join(_quoted(name) for name in table.names)
    sources = ", ".join(f"i.{_quoted(name)}" for name in table.names)
    update = f"WHEN MATCHED THEN UPDATE SET {assignments}" if values else ""
    connection.register(_INCOMING, changed)
    try:
        connection.execute(
            f"MERGE INTO {target} t USING {_INCOMING} i ON {_same_key(table)} {update} "
            f"WHEN NOT MATCHED THEN INSERT ({columns}) VALUES ({sources})"
        )
    finally:
        connection.unregister(_INCOMING)
    return int(changed.num_rows)


def replace_where(
    connection: DuckDBPyConnection, table: Table, column: str, values: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> int:
    """Makes `rows` all that the table holds where `column` is one of `values`, and returns how many rows that touched.

    Nothing is written where that is already so.

    Raises:
        SchemaMismatch: A row does not fit the table.
    """
    names = ", ".join(_quoted(name) for name in table.names)
    where = f"WHERE list_contains(?, {_quoted(column)})"
    held = connection.execute(f"SELECT {names} FROM {_quoted(table.name)} {where}", [list(values)]).to_arrow_table()
    new = table.batch(rows)
    if _as_set(held.to_pylist()) == _as_set(new.to_pylist()):
        return 0
    if held.num_rows:
        connection.execute(f"DELETE FROM {_quoted(table.name)} {where}", [list(values)])
    append(connection, table, rows)
    return int(held.num_rows + new.num_rows)


class _Incoming:
    """Lends an Arrow batch to the connection under one fixed name."""

    def __init__(self, connection: DuckDBPyConnection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        self._connection = connection
        self._batch = table.batch(rows)

    def __enter__(self) -> None:
        self._connection.register(_INCOMING, self._batch)

    def __exit__(self, *_: object) -> None:
        self._connection.unregister(_INCOMING)


def _changed(connection: DuckDBPyConnection, statement: str) -> int:
    row = connection.execute(statement).fetchone()
    return int(row[0]) if row else 0


def _same_key(table: Table) -> str:
    return " AND ".join(f"t.{_quoted(name)} = i.{_quoted(name)}" for name in table.key)


def _quoted(name: str) -> str:
    return f'"{name}"'


def _as_set(rows: list[dict[str, Any]]) -> set[str]:
    return {repr(sorted(row.items())) for row in rows}

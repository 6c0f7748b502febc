"""Runs a reader's SQL over the lake, read-only by construction.

Two walls, each enough by itself for a lake of files. The connection is sealed (`open_lake`): its files come from a file
system that cannot write, all others are out of reach, and the settings that say so are locked. And only statements that
read are taken (`reading_statements`).
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from sources.errors import UsageError, WarehouseError
from warehouse.lake.place import LakePlace, first_line
from warehouse.lake.session import open_lake
from warehouse.query.output import is_kept, kept_type
from warehouse.query.reading_statements import checked_statement, single_statement, without_semicolon
from warehouse.tables.schema import identifier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    import pyarrow as pa
    from duckdb.sqltypes import DuckDBPyType

_COUNTED_AT_ONCE = 10_000
"""Rows beyond the first that are fetched together, only to be counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenRows:
    """The first rows of a query, as values that people read.

    Attributes:
        names: Of the columns.
        rows: Each with a value a column; times are text such as `2026-11-21 23:27 UTC`.
        total: Number of rows that the query gives.
    """

    names: list[str]
    rows: list[tuple[Any, ...]]
    total: int


def run_query(place: LakePlace, sql: str, *, as_of: datetime | None = None) -> pa.Table:
    """Returns the rows that `sql` gives, as an Arrow table.

    Args:
        place: The lake.
        sql: One SELECT (or EXPLAIN) in DuckDB's SQL; `FROM papers` alone is one too.
        as_of: Query the lake as it was then.

    Raises:
        UsageError: The text is not one reading statement, or DuckDB refuses it; the message points at the place.
        WarehouseError: The lake cannot be opened.
    """
    connection = open_for_questions(place, as_of=as_of)
    try:
        return ask(connection, sql)
    finally:
        connection.close()


def open_for_questions(
    place: LakePlace, *, as_of: datetime | None = None, most_memory: str | None = None
) -> duckdb.DuckDBPyConnection:
    """Returns a connection that can read the lake and nothing else, for `ask`.

    Args:
        place: The lake.
        as_of: The lake as it was then.
        most_memory: As DuckDB's `memory_limit`; None for its own.

    Raises:
        UsageError: There is no lake, or it was not there yet at `as_of`.
        WarehouseError: The lake cannot be opened.
    """
    return open_lake(place, as_of=as_of, sealed=True, most_memory=most_memory)


def ask(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """Returns the rows that `sql` gives, each column under a name of its own.

    Raises:
        UsageError: The text is not one reading statement, or DuckDB refuses it; the message points at the place.
        WarehouseError: A data file is lost or spoiled.
    """
    with _query_errors():
        rows = _execute(connection, checked_statement(connection, sql), is_kept, _as_kept).to_arrow_table()
        return rows.rename_columns(_distinct(rows.column_names))


def ask_for_screen(connection: duckdb.DuckDBPyConnection, sql: str, *, most: int) -> ScreenRows:
    """Returns the first `most` rows that `sql` gives and how many there are, without Arrow, whose import takes long.

    Raises:
        UsageError: The text is not one reading statement, or DuckDB refuses it; the message points at the place.
        WarehouseError: A data file is lost or spoiled.
    """
    with _query_errors():
        result = _execute(connection, checked_statement(connection, sql), _is_plain, _as_readable)
        names = _distinct([str(name) for name, *_ in result.description or []])
        rows = result.fetchmany(most)
        total = len(rows)
        while more := result.fetchmany(_COUNTED_AT_ONCE):
            total += len(more)
        return ScreenRows(names=names, rows=rows, total=total)


@contextmanager
def _query_errors() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        if ".parquet" in str(error) and not isinstance(error, duckdb.PermissionException):
            raise WarehouseError(f"cannot read the lake: {first_line(error)}") from error
        raise UsageError(_pointed(error)) from error


def _execute(
    connection: duckdb.DuckDBPyConnection,
    statement: duckdb.Statement,
    is_fit: Callable[[DuckDBPyType], bool],
    cast: Callable[[str, DuckDBPyType], str],
) -> duckdb.DuckDBPyConnection:
    """Executes the statement, its columns of types that are not fit cast by DuckDB.

    Args:
        connection: The lake.
        statement: Its columns are cast where it is a SELECT.
        is_fit: Whether values of a type need no cast.
        cast: Returns the SQL of a column's value, given its own and its type.
    """
    result = connection.execute(statement)
    columns = [(str(name), kind) for name, kind, *_ in result.description or []]
    if statement.type != duckdb.StatementType.SELECT or all(is_fit(kind) for _, kind in columns):
        return result
    casts = ", ".join(
        f"{cast(f'#{number}', kind)} AS {identifier(name)}" for number, (name, kind) in enumerate(columns, 1)
    )
    return connection.execute(
        single_statement(connection, f"SELECT {casts} FROM (\n{without_semicolon(statement.query)}\n)")
    )


def _as_kept(value: str, kind: DuckDBPyType) -> str:
    return f"CAST({value} AS {kept_type(kind)})"


def _is_plain(kind: DuckDBPyType) -> bool:
    """Returns whether Python has every value of `kind`, times apart, which Python holds within bounds only."""
    return is_kept(kind, times=False)


def _as_readable(value: str, kind: DuckDBPyType) -> str:
    """Returns the SQL of a value for people: an instant to the minute, with its zone."""
    if kind.id == "timestamp with time zone":
        return f"strftime({value}, '%Y-%m-%d %H:%M UTC')"
    return f"CAST({value} AS {kept_type(kind, times=False)})"


def _distinct(given: Sequence[str]) -> list[str]:
    """Returns names with a number behind each that stood there before, so that no column hides another."""
    seen: Counter[str] = Counter()
    names = []
    for name in given:
        new = name
        while seen[new]:
            new = f"{name}_{seen[name]}"
            seen[name] += 1
        seen[new] += 1
        names.append(new)
    return names


def _pointed(error: duckdb.Error) -> str:
    """Returns DuckDB's message, whose last lines point at the place in the query, without its stack trace."""
    return str(error).split("\nStack Trace", 1)[0].strip()

"""Runs a reader's SQL over the lake, read-only by construction, and writes what comes back.

The connection is attached read-only, only a single SELECT is taken, it may call no function that maintains a lake or
reads a file, it may name no file and no table of the catalogue's own database, no file or address outside the lake's
own data can be opened, and the settings that say so are locked beforehand.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import duckdb
import pyarrow.parquet as pq

from sources.errors import UsageError, WarehouseError
from warehouse import object_store
from warehouse.lake import LakePlace, first_line, open_lake

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    import pyarrow as pa

Format = Literal["table", "json", "csv", "parquet"]

_READING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
_LAKE_READERS = frozenset(
    "snapshots current_snapshot table_info table_changes table_insertions table_deletions".split()
)
_MACROS = frozenset({"rising_since"})
"""The lake's own, see warehouse/macros."""
_HARMLESS = frozenset(
    "range generate_series unnest repeat repeat_row json_each json_tree histogram histogram_values icu_calendar_names "
    "pg_timezone_names".split()
)
"""Functions that give tables and touch nothing but their arguments; `duckdb_*`, which describe the engine, are too."""
_TABLE_FUNCTIONS = (
    "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')"
)
_CATALOGUE = "__ducklake_metadata"
"""What DuckLake calls the database of a catalogue: this, and the name of the lake behind it."""
_CALL = re.compile(rb'"(?:[^"]|"")*"|\w+')


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


def open_for_questions(place: LakePlace, *, as_of: datetime | None = None) -> duckdb.DuckDBPyConnection:
    """Returns a connection that can read the lake and nothing else, for `ask`.

    Raises:
        UsageError: There is no lake, or it was not there yet at `as_of`.
        WarehouseError: The lake cannot be opened.
    """
    connection = open_lake(place, as_of=as_of)
    connection.execute("SET allowed_directories = ?", [[place.data]])
    if place.data.startswith(object_store.SCHEME):
        connection.execute("SET s3_url_compatibility_mode = true")  # no `?s3_endpoint=` sends signed requests elsewhere
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def ask(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """Returns the rows that `sql` gives, each column under a name of its own.

    Raises:
        UsageError: The text is not one reading statement, or DuckDB refuses it; the message points at the place.
        WarehouseError: A data file is lost or spoiled.
    """
    try:
        statement = _single_read(connection, sql)
        tree = _tree(connection, statement.query)
        _refuse_functions(connection, statement.query, tree)
        _refuse_sources(statement.query, tree)
        return _distinctly_named(connection.execute(statement).to_arrow_table())
    except duckdb.Error as error:
        if ".parquet" in str(error) and not isinstance(error, duckdb.PermissionException):
            raise WarehouseError(f"cannot read the lake: {first_line(error)}") from error
        raise UsageError(_pointed(error)) from error


def write_rows(rows: pa.Table, out: BinaryIO, *, fmt: Literal["json", "csv", "parquet"]) -> None:
    """Writes `rows` to `out` as a JSON array, as CSV with a header (lists as JSON), or as Parquet."""
    if fmt == "parquet":
        pq.write_table(rows, out, compression="zstd")
    elif fmt == "json":
        out.write(json.dumps(plain_rows(rows), ensure_ascii=False, indent=1).encode() + b"\n")
    else:
        out.write(_csv(rows).encode())


def plain_rows(rows: pa.Table) -> list[dict[str, Any]]:
    """Returns `rows` as objects that JSON can hold: instants and days as ISO 8601 text, infinity and NaN as null."""
    return [{name: _for_json(value) for name, value in row.items()} for row in rows.to_pylist()]


def cell(value: Any) -> str:
    """Returns `value` as one cell of text: NULL is empty, an instant is ISO 8601, a list or struct is JSON."""
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return json.dumps(_for_json(value), ensure_ascii=False)
    return str(_plain(value)) if not isinstance(value, str) else value


def _single_read(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise UsageError(f"one query at a time, please: this text holds {len(statements)}")
    if statements[0].type not in _READING:
        raise UsageError(f"only reading is allowed here, and this is {statements[0].type.name}")
    return statements[0]


def _tree(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any] | None:
    """Returns what DuckDB makes of `sql`, None where it cannot say: of DESCRIBE, SHOW, SUMMARIZE, EXPLAIN, PIVOT."""
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql.rstrip().rstrip(";")]).fetchone()
    tree = json.loads(row[0]) if row else {"error": True}
    return None if tree.get("error") else tree


def _refuse_functions(connection: duckdb.DuckDBPyConnection, sql: str, tree: dict[str, Any] | None) -> None:
    """Refuses functions that would maintain a lake (some crash DuckDB on a read-only one), name files or run SQL.

    Without a tree, the text is searched for calls token by token.
    """
    called = _calls(sql) if tree is None else (name.lower() for name in _values(tree, "function_name"))
    forbidden = _forbidden(connection)
    for name in called:
        if name in forbidden:
            raise UsageError(f"the function {name} is not for reading the lake and cannot be called here")


def _refuse_sources(sql: str, tree: dict[str, Any] | None) -> None:
    """Refuses objects of a store, and tables of the database that holds the catalogue, where a table should stand.

    What directories are allowed keeps local files in: `s3://bucket/lake/../other` would lead out of the lake. The
    catalogue's database may hold other things as well. Without a tree, neither may be in the text at all.
    """
    if tree is None:
        names = [sql]
        if any(sql.encode()[start : start + 2].lower() == b"e'" for start, _ in duckdb.tokenize(sql)):
            raise UsageError("a string with escapes cannot be used in this kind of statement: write it without")
    else:
        names = [name for key in ("table_name", "schema_name", "catalog_name") for name in _values(tree, key)]
    for name in names:
        if object_store.SCHEME in name.lower():
            raise UsageError("a query is over the lake's tables and views, not over objects of a store")
        if _CATALOGUE in name.lower():
            raise UsageError("a query is over the lake's tables and views, not over the catalogue's")


def _forbidden(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Returns the functions that give tables, of DuckDB and its extensions, but for those known to be harmless.

    DuckLake's can be called as `ducklake_options('lake')` and as `lake.options()`.
    """
    known = {name for (name,) in connection.execute(_TABLE_FUNCTIONS).fetchall() if not name.startswith("duckdb_")}
    of_lakes = {name.removeprefix("ducklake_") for name in known if name.startswith("ducklake_")}
    harmless = _HARMLESS | _MACROS | _LAKE_READERS | {f"ducklake_{name}" for name in _LAKE_READERS}
    return (known | of_lakes) - harmless


def _calls(sql: str) -> Iterator[str]:
    """Yields what stands before an opening bracket, in lower case."""
    text = sql.encode()
    starts = [start for start, _ in duckdb.tokenize(sql)]
    for start, following in pairwise(starts):
        name = _CALL.match(text, start)
        if name and text[following : following + 1] == b"(":
            yield name[0].decode().strip('"').replace('""', '"').lower()


def _values(tree: Any, key: str) -> Iterator[str]:
    """Yields every text that stands under `key` anywhere in `tree`."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get(key), str):
                yield node[key]
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _distinctly_named(rows: pa.Table) -> pa.Table:
    """Returns `rows` with a number behind each name that stood there before, so that no column hides another."""
    seen: Counter[str] = Counter()
    names = []
    for name in rows.column_names:
        new = name
        while seen[new]:
            new = f"{name}_{seen[name]}"
            seen[name] += 1
        seen[new] += 1
        names.append(new)
    return rows.rename_columns(names)


def _pointed(error: duckdb.Error) -> str:
    """Returns DuckDB's message, whose last lines point at the place in the query, without its stack trace."""
    return str(error).split("\nStack Trace", 1)[0].strip()


def _csv(rows: pa.Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.column_names)
    writer.writerows([cell(value) for value in row.values()] for row in rows.to_pylist())
    return text.getvalue()


def _for_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(_plain(name)): _for_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_for_json(one) for one in value]
    if isinstance(value, Decimal):  # as DuckDB gives the sum of integers
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)

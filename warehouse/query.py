"""Runs a reader's SQL over the lake, read-only by construction, and writes what comes back.

The connection is attached read-only, only a single SELECT is taken, it may call no function that maintains a lake or
reads a file, no file or address outside the lake's own data can be opened, and the settings that say so are locked
beforehand.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import duckdb
import pyarrow.parquet as pq

from sources.errors import UsageError
from warehouse.lake import LakePlace, open_lake

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    import pyarrow as pa

Format = Literal["table", "json", "csv", "parquet"]

_READING = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
_LAKE_READERS = {"snapshots", "current_snapshot", "table_info", "table_changes", "table_insertions", "table_deletions"}
_LAKE_KEEPERS = {
    "set_option",
    "options",
    "set_commit_message",
    "expire_snapshots",
    "merge_adjacent_files",
    "cleanup_old_files",
    "delete_orphaned_files",
    "rewrite_data_files",
    "flush_inlined_data",
    "add_data_files",
    "last_committed_snapshot",
}
_OUTSIDE = ("read_", "parquet_", "sniff_", "glob", "query", "sqlite_", "postgres_", "ducklake_", "pragma_", "load_")


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
    connection = open_lake(place, as_of=as_of)
    try:
        _lock_down(connection, place)
        statement = _single_read(connection, sql)
        _refuse_functions(connection, statement.query)
        return connection.execute(statement).to_arrow_table()
    except duckdb.Error as error:
        raise UsageError(_pointed(error)) from error
    finally:
        connection.close()


def write_rows(rows: pa.Table, out: BinaryIO, *, fmt: Literal["json", "csv", "parquet"]) -> None:
    """Writes `rows` to `out` as a JSON array, as CSV with a header (lists as JSON), or as Parquet."""
    if fmt == "parquet":
        pq.write_table(rows, out, compression="zstd")
    elif fmt == "json":
        out.write(json.dumps(rows.to_pylist(), ensure_ascii=False, default=_plain, indent=1).encode() + b"\n")
    else:
        out.write(_csv(rows).encode())


def plain_rows(rows: pa.Table) -> list[dict[str, Any]]:
    """Returns `rows` as objects that JSON can hold: instants and days as ISO 8601 text."""
    plain: list[dict[str, Any]] = json.loads(json.dumps(rows.to_pylist(), default=_plain))
    return plain


def cell(value: Any) -> str:
    """Returns `value` as one cell of text: NULL is empty, an instant is ISO 8601, a list or struct is JSON."""
    if value is None:
        return ""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return str(_plain(value)) if not isinstance(value, str) else value


def _lock_down(connection: duckdb.DuckDBPyConnection, place: LakePlace) -> None:
    connection.execute("SET allowed_directories = ?", [[place.data]])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _single_read(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise UsageError(f"one query at a time, please: this text holds {len(statements)}")
    if statements[0].type not in _READING:
        raise UsageError(f"only reading is allowed here, and this is {statements[0].type.name}")
    return statements[0]


def _refuse_functions(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuses functions that would maintain a lake (some crash DuckDB on a read-only one) or name files.

    What DuckDB cannot serialize (DESCRIBE, SHOW, SUMMARIZE) is searched for calls as text.
    """
    sql = re.sub(r"^\s*EXPLAIN(\s+ANALYZE)?\s", "", sql, flags=re.IGNORECASE)
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql.rstrip().rstrip(";")]).fetchone()
    tree = json.loads(row[0]) if row else {}
    called = re.findall(r'(\w+)"?\s*\(', sql.lower()) if tree.get("error") else _function_names(tree)
    for name in called:
        lake_reader = name.removeprefix("ducklake_") in _LAKE_READERS
        if not lake_reader and (name in _LAKE_KEEPERS or name.startswith(_OUTSIDE)):
            raise UsageError(f"the function {name} is not for reading the lake and cannot be called here")


def _function_names(tree: Any) -> Iterator[str]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("function_name"), str):
                yield node["function_name"].lower()
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _pointed(error: duckdb.Error) -> str:
    """Returns DuckDB's message, whose last lines point at the place in the query, without its stack trace."""
    return str(error).split("\nStack Trace", 1)[0].strip()


def _csv(rows: pa.Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.column_names)
    writer.writerows([cell(value) for value in row.values()] for row in rows.to_pylist())
    return text.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)

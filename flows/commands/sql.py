"""`paperlake sql`: runs a query and prints its rows as a table, JSON, CSV or Parquet."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Literal

from flows.commands.shared import ctrl_c_ends, read_place
from flows.console import print_rows
from flows.times import as_of_instant
from sources.errors import UsageError
from warehouse.query.read_only import ask_for_screen, open_for_questions, run_query
from warehouse.query.user_files import user_file, writing_user_file

if TYPE_CHECKING:
    from pathlib import Path

_MOST_ROWS = 1000  # rows shown on the screen
WHAT_THERE_IS = (
    "SELECT table_name AS name, 'table' AS kind, estimated_size AS rows, comment AS what FROM duckdb_tables() "
    "WHERE database_name = 'lake' "
    "UNION ALL SELECT view_name, 'view', NULL, comment FROM duckdb_views() "
    "WHERE database_name = 'lake' AND NOT internal ORDER BY kind, name"
)


def run_sql(
    query: str | None,
    *,
    file: Path | None,
    lake: str | None,
    fmt: Literal["table", "json", "csv", "parquet"],
    out: Path | None,
    as_of: str | None,
) -> None:
    """Runs the query and writes its rows.

    Raises:
        UsageError: Wrong usage, or the query is refused; the message points at the place.
        WarehouseError: The lake cannot be read.
    """
    sql = _query(query, file)
    out = None if out is None or str(out) == "-" else out
    if fmt == "parquet" and out is None and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal: add --out FILE")
    place = read_place(lake)
    if out is not None:
        user_file(out, place=place)  # refused before a query that may take long
    moment = as_of_instant(as_of, day_ends=True)
    if fmt == "table" and out is None:
        with ctrl_c_ends("paperlake: stopped\n"), closing(open_for_questions(place, as_of=moment)) as connection:
            found = ask_for_screen(connection, sql, most=_MOST_ROWS)
        print_rows(found.names, found.rows, total=found.total)
        return
    from warehouse.query.output import write_rows  # noqa: PLC0415 - these formats need Arrow, whose import takes long

    with ctrl_c_ends("paperlake: stopped\n"):
        rows = run_query(place, sql, as_of=moment)
    if out is None:
        write_rows(rows, sys.stdout.buffer, fmt="csv" if fmt == "table" else fmt)
    else:
        with writing_user_file(out, place=place) as file_out:
            write_rows(rows, file_out, fmt="csv" if fmt == "table" else fmt)


def _query(query: str | None, file: Path | None) -> str:
    if query is not None and file is not None:
        raise UsageError("give a query or -f FILE, not both")
    if file is not None:
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the query in {file}: {error}") from error
    if query is None and not sys.stdin.isatty():
        query = sys.stdin.read()
    return query if query and query.strip() else WHAT_THERE_IS

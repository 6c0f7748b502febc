"""`paperlake sql`: runs a query and prints its rows as a table, JSON, CSV or Parquet."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.commands.shared import Lake, ctrl_c_ends, read_place
from flows.console import print_rows
from flows.times import as_of_instant
from sources.errors import UsageError

_MOST_ROWS = 1000  # rows shown on the screen, where nothing else is wanted
WHAT_THERE_IS = (
    "SELECT table_name AS name, 'table' AS kind, estimated_size AS rows, comment AS what FROM duckdb_tables() "
    "WHERE database_name = 'lake' "
    "UNION ALL SELECT view_name, 'view', NULL, comment FROM duckdb_views() "
    "WHERE database_name = 'lake' AND NOT internal ORDER BY kind, name"
)


def sql(
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="One SELECT in DuckDB's SQL.", show_default=False)
    ] = None,
    file: Annotated[Path | None, typer.Option("-f", "--file", help="Read the query from a file.")] = None,
    lake: Lake = None,
    fmt: Annotated[
        Literal["table", "json", "csv", "parquet"], typer.Option("--format", help="How to print the rows.")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one array of objects.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Rows at the most. [default: all; a table: 1000]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write to a file instead of standard output.")
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Query the lake as it was then: 2026-11-21T06:00Z, or 2026-11-21, which is that day's end.",
        ),
    ] = None,
) -> None:
    """Queries the lake, read-only. Without a query it lists the tables and views there are.

    A table that is longer than the terminal is shown by `PAGER`, a screen at a time. Where not all columns fit, those
    with identifiers come last.

    Example: `paperlake sql "select title, citation_count from papers order by 2 desc limit 10"`
    """
    from warehouse.lake.session import open_lake
    from warehouse.query.read_only import ask_for_screen, run_query
    from warehouse.query.user_files import user_file, writing_user_file

    fmt = "json" if as_json else fmt
    statement = _query(query, file)
    out = None if out is None or str(out) == "-" else out
    if fmt == "parquet" and out is None and sys.stdout.isatty():
        raise UsageError("Parquet is not for a terminal: add --out FILE")
    place = read_place(lake)
    if out is not None:
        user_file(out, place=place)  # refused before a query that may take long
    moment = as_of_instant(as_of, day_ends=True)
    if fmt == "table" and out is None:
        with ctrl_c_ends("paperlake: stopped\n"), closing(open_lake(place, as_of=moment)) as connection:
            found = ask_for_screen(connection, statement, most=limit or _MOST_ROWS)
        print_rows(found.names, found.rows, total=found.total, paged=True, more=f"--limit {found.total}")
        return
    from warehouse.query.output import write_rows

    with ctrl_c_ends("paperlake: stopped\n"):
        rows = run_query(place, statement, as_of=moment).slice(0, limit)
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

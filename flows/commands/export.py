"""`paperlake export`: the catalogue for other programs, as Parquet, CSV, a bibliography or Markdown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import Lake, Offline, begin
from flows.progress import watched
from flows.times import as_of_instant
from sources.errors import UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace
    from warehouse.query.export import Selection
    from warehouse.tables.declarations import PaperRow

Format = Literal["parquet", "csv", "bibtex", "csl-json", "ris", "markdown"]


def export(
    fmt: Annotated[
        Literal["parquet", "csv", "bibtex", "csl-json", "ris", "markdown"],
        typer.Argument(metavar="FORMAT", show_default=False, help="parquet, csv, bibtex, csl-json, ris or markdown."),
    ],
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="[LIST] DEST",
            help="A folder for parquet, else a file, or - for standard output; before it, a list.",
        ),
    ],
    lists: Annotated[
        list[str] | None,
        typer.Option("--list", metavar="LIST", help="Only papers that this list of the lake names; may be repeated."),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="SQL", help="Only papers for which this condition over the view `catalog` holds."),
    ] = None,
    lake: Lake = None,
    offline: Offline = False,
    as_of: Annotated[str | None, typer.Option(metavar="TIME", help="Export the lake as it was then.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write Parquet also into a folder that holds other files; they stay.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as a JSON object what was written.")] = False,
) -> None:
    """Exports the catalogue: the papers that lists name now, with their metadata and latest counts.

    `parquet` writes a folder with one file for each table and one for the catalogue, for Spark, Polars, pandas and
    DuckDB; `csv` is the catalogue for spreadsheets; `bibtex`, `csl-json` and `ris` are for reference managers and
    LaTeX, and name each paper by a citation key that never changes; `markdown` is a reading list. A file is written
    whole or not at all.

    With a LIST before DEST, all but `parquet` and `csv` hold the papers of that file or address. That needs no lake:
    what the lake does not know is asked for. Entries whose paper is not known for sure are left out, and named on
    standard error. With `--offline` they are written with what the list itself says.

    Example: `paperlake export bibtex README.md papers.bib`

    Example: `paperlake export ris papers.ris --list "My list" --where "year >= 2020"`
    """
    source, *rest = names
    if rest or names_list(source):
        if len(rest) > 1:
            raise UsageError(f"export takes a list and a file, and {shown(rest[1])!r} is one name more")
        if where or lists or as_of or force:
            raise UsageError(
                f"--list, --where, --as-of and --force choose from the lake, and {source} is a list to read: to choose"
                " by a list of the lake, leave it out and say --list"
            )
        raise typer.Exit(export_list(fmt, source, (*rest, "-")[0], lake=lake, offline=offline, as_json=as_json))
    begin("reading the lake")
    from flows.settings import read_settings
    from warehouse.query.export import SHORT_TERMS, TERMS, TERMS_OF_ARXIV, whole_folder
    from warehouse.query.user_files import writing_user_file

    if fmt == "parquet" and source == "-":
        raise UsageError("Parquet is a folder of files: name one instead of -")
    if as_json and source == "-":
        raise UsageError("the export itself goes to standard output: name a file instead of -, or leave out --json")
    place = read_settings(lake=lake).place
    with watched() as reporter, _chosen(place, where, lists, as_of) as selection:
        owes = selection.owes_semantic_scholar()
        if fmt == "parquet":
            notice = TERMS if owes else TERMS_OF_ARXIV
            with whole_folder(Path(source), force=force, notice=notice, place=place) as filled:
                from warehouse.query.export import write_parquet

                write_parquet(selection, filled, stage=reporter.stage)
        elif source == "-":
            sys.stdout.buffer.write(_text(fmt, selection).encode())
        else:
            with writing_user_file(Path(source), place=place) as file:
                file.write(_text(fmt, selection).encode())
        papers, alone = len(selection), selection.as_listed().num_rows
    if as_json:
        sys.stdout.write(json_text({"format": fmt, "dest": source, "papers": papers, "as_listed": alone}) + "\n")
        return
    count = counted(papers, "paper") + (f", and {alone} as the lists themselves say," if alone else "")
    sys.stderr.write(shown(f"{count} exported{'' if source == '-' else f' to {source}'}") + "\n")
    if owes:
        sys.stderr.write(f"{SHORT_TERMS}\n")


def _chosen(
    place: LakePlace, where: str | None, lists: Sequence[str] | None, as_of: str | None
) -> AbstractContextManager[Selection]:
    from flows.list_names import lists_named, names_of_lists
    from warehouse.query.export import select

    def locations(connection: DuckDBPyConnection) -> list[str]:
        known = names_of_lists(connection)
        return [location for name in lists or () for location in lists_named(name, known)]

    moment = as_of_instant(as_of, day_ends=True)
    return select(place, where=where, lists=locations if lists else None, as_of=moment)


def names_list(argument: str) -> bool:
    """Returns whether an argument names a list to read, and no file to write: a Markdown file, an address."""
    from sources.lists.local_files import LIST_SUFFIXES

    is_remote = argument.startswith(("github:", "https://", "http://"))
    return is_remote or (Path(argument).suffix.lower() in LIST_SUFFIXES and Path(argument).is_file())


def export_list(fmt: Format, argument: str, dest: str, *, lake: str | None, offline: bool, as_json: bool) -> int:
    """Writes the papers of one list as a bibliography, and says on standard error what is not in it.

    What the lake does not know is asked for, and nothing is kept of it. Offline, an entry of which nothing is known is
    written with its own fields.

    Returns:
        The exit code: 1 where an entry is missing because nobody could be asked about it.

    Raises:
        UsageError: Wrong usage, a list that cannot be read, or a destination that cannot be written.
        WarehouseError: The lake cannot be read.
    """
    from flows.check.bibliography import list_bibliography
    from flows.settings import read_settings
    from warehouse.query.user_files import writing_user_file

    if fmt in ("parquet", "csv"):
        raise UsageError(
            f"{argument} is a list to read, and {fmt} is written of a lake's lists: `paperlake refresh {argument}`,"
            f" then `paperlake export {fmt} DEST --list {argument}`; bibtex, csl-json, ris and markdown need no lake"
        )
    if as_json and dest == "-":
        raise UsageError("the export itself goes to standard output: name a file, or leave out --json")
    settings = read_settings(lake=lake, offline=offline or None)
    with watched() as reporter:
        found = list_bibliography(argument, settings, report=reporter)
    text = _bibliography(fmt, found.rows).encode()
    if dest == "-":
        sys.stdout.buffer.write(text)
    else:
        with writing_user_file(Path(dest), place=settings.place) as file:
            file.write(text)
    if as_json:
        counts = {"papers": len(found.rows), "left_out": len(found.left_out)}
        sys.stdout.write(json_text({"format": fmt, "dest": dest, **counts}) + "\n")
    sys.stderr.writelines(f"{shown(line)}\n" for line in (*found.left_out, *found.unasked))
    count, missing = counted(len(found.rows), "paper"), counted(len(found.left_out), "entry")
    where = "" if dest == "-" else f" to {dest}"
    sys.stderr.write(shown(f"{count} exported{where}{f', {missing} left out' if found.left_out else ''}") + "\n")
    return int(bool(found.unasked))


def _text(fmt: Format, selection: Selection) -> str:
    if fmt != "csv":
        return _bibliography(fmt, selection.entries())
    from warehouse.query.export import spreadsheet_text

    return spreadsheet_text(selection)


def _bibliography(fmt: Format, rows: Sequence[PaperRow]) -> str:
    from warehouse.query.bibliography import FORMS

    return FORMS[fmt](rows)

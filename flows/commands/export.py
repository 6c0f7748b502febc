"""`paperlake export`: the catalogue for other programs, as Parquet, CSV, a bibliography or Markdown."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import Lake, Offline, begin
from flows.list_names import lists_named, names_of_lists
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

Format = Literal["parquet", "csv", "bibtex", "csl-json", "ris", "markdown"]


def export(
    fmt: Annotated[
        Format,
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
    from sources.lists.local_files import LIST_SUFFIXES

    source, *rest = names
    is_remote = source.startswith(("github:", "https://", "http://"))
    is_list = Path(source).suffix.lower() in LIST_SUFFIXES and Path(source).is_file()
    if rest or is_remote or is_list:  # and no file to write
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
    from warehouse.query.bibliography import FORMS
    from warehouse.query.export import SHORT_TERMS, TERMS, TERMS_OF_ARXIV, spreadsheet_text, whole_folder, write_parquet

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
                write_parquet(selection, filled, stage=reporter.stage)
        else:
            _write(spreadsheet_text(selection) if fmt == "csv" else FORMS[fmt](selection.entries()), source, place)
        papers, alone = len(selection), selection.as_listed().num_rows
    if as_json:
        _print_json(fmt, source, papers=papers, as_listed=alone)
        return
    count = counted(papers, "paper") + (f", and {alone} as the lists themselves say," if alone else "")
    sys.stderr.write(shown(f"{count} exported{_to(source)}") + "\n")
    if owes:
        sys.stderr.write(f"{SHORT_TERMS}\n")


def _write(text: str, dest: str, place: LakePlace) -> None:
    from warehouse.query.user_files import writing_user_file

    if dest == "-":
        sys.stdout.buffer.write(text.encode())
        return
    with writing_user_file(Path(dest), place=place) as file:
        file.write(text.encode())


def _print_json(fmt: Format, dest: str, **counts: int) -> None:
    sys.stdout.write(json_text({"format": fmt, "dest": dest, **counts}) + "\n")


def _to(dest: str) -> str:
    return "" if dest == "-" else f" to {dest}"


def _chosen(
    place: LakePlace, where: str | None, lists: Sequence[str] | None, as_of: str | None
) -> AbstractContextManager[Selection]:
    from warehouse.query.export import select

    def locations(connection: DuckDBPyConnection) -> list[str]:
        known = names_of_lists(connection)
        return [location for name in lists or () for location in lists_named(name, known)]

    moment = as_of_instant(as_of, day_ends=True)
    return select(place, where=where, lists=locations if lists else None, as_of=moment)


def export_list(fmt: Format, argument: str, dest: str, *, lake: str | None, offline: bool, as_json: bool) -> int:
    """Writes the papers of one list as a bibliography, and says on standard error what is not in it.

    Returns:
        The exit code: 1 where an entry is missing because nobody could be asked about it.

    Raises:
        UsageError: Wrong usage, a list that cannot be read, or a destination that cannot be written.
        WarehouseError: The lake cannot be read.
    """
    from flows.check.bibliography import list_bibliography
    from flows.settings import read_settings
    from warehouse.query.bibliography import FORMS

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
    _write(FORMS[fmt](found.rows), dest, settings.place)
    if as_json:
        _print_json(fmt, dest, papers=len(found.rows), left_out=len(found.left_out))
    sys.stderr.writelines(f"{shown(line)}\n" for line in (*found.left_out, *found.unasked))
    count, missing = counted(len(found.rows), "paper"), counted(len(found.left_out), "entry")
    sys.stderr.write(shown(f"{count} exported{_to(dest)}{f', {missing} left out' if found.left_out else ''}") + "\n")
    return int(bool(found.unasked))

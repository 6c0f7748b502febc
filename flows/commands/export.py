"""`paperlake export`: the catalogue for other programs, as Parquet, CSV, BibTeX or CSL-JSON."""

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

    from warehouse.query.export import Selection
    from warehouse.tables.declarations import PaperRow

Format = Literal["parquet", "csv", "bibtex", "csl-json"]


def export(
    fmt: Annotated[
        Literal["parquet", "csv", "bibtex", "csl-json"],
        typer.Argument(metavar="FORMAT", show_default=False, help="parquet, csv, bibtex or csl-json."),
    ],
    source: Annotated[
        str,
        typer.Argument(
            metavar="[LIST] DEST",
            help="A folder for parquet, else a file, or - for standard output; before it, a list.",
        ),
    ],
    dest: Annotated[str | None, typer.Argument(hidden=True)] = None,
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
    DuckDB; `csv` is the catalogue for spreadsheets; `bibtex` and `csl-json` are for reference managers and LaTeX, and
    name each paper by a citation key that never changes. A file is written whole or not at all.

    With a LIST, `bibtex` and `csl-json` hold the papers of that list. It needs no lake: what the lake does not know is
    asked for. Entries whose paper is not known for sure are left out, and named on standard error. With `--offline`
    they are written with what the list itself says.

    Example: `paperlake export bibtex README.md papers.bib`

    Example: `paperlake export bibtex papers.bib --where "year >= 2020 and list_contains(lists, 'My list')"`
    """
    if dest is not None or names_list(source):
        if where or as_of or force:
            raise typer.BadParameter("--where, --as-of and --force are about the lake's catalogue, not about one list")
        raise typer.Exit(export_list(fmt, source, dest or "-", lake=lake, offline=offline, as_json=as_json))
    begin("reading the lake")
    from flows.settings import read_settings
    from warehouse.query.export import select, short_terms, terms, whole_folder
    from warehouse.query.user_files import writing_user_file

    if fmt == "parquet" and source == "-":
        raise UsageError("Parquet is a folder of files: name one instead of -")
    if as_json and source == "-":
        raise UsageError("the export itself goes to standard output: name a file instead of -, or leave out --json")
    place = read_settings(lake=lake).place
    with watched() as reporter, select(place, where=where, as_of=as_of_instant(as_of, day_ends=True)) as selection:
        owes = selection.owes_semantic_scholar()
        if fmt == "parquet":
            notice = terms(semantic_scholar=owes)
            with whole_folder(Path(source), force=force, notice=notice, place=place) as filled:
                from warehouse.query.export import write_parquet

                write_parquet(selection, filled, stage=reporter.stage)
        elif source == "-":
            sys.stdout.buffer.write(_text(fmt, selection).encode())
        else:
            with writing_user_file(Path(source), place=place) as file:
                file.write(_text(fmt, selection).encode())
        papers = len(selection)
    if as_json:
        sys.stdout.write(json_text({"format": fmt, "dest": source, "papers": papers}) + "\n")
        return
    count = counted(papers, "paper")
    sys.stderr.write(shown(f"{count} exported{'' if source == '-' else f' to {source}'}") + "\n")
    if note := short_terms(semantic_scholar=owes):
        sys.stderr.write(f"{note}\n")


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

    if fmt not in ("bibtex", "csl-json"):
        raise UsageError(f"a list is exported as bibtex or csl-json; for {fmt}, refresh a lake with it and export that")
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
    sys.stderr.write(shown(f"{count} exported{f', {missing} left out' if found.left_out else ''}") + "\n")
    return int(bool(found.unasked))


def _text(fmt: Format, selection: Selection) -> str:
    """Returns the export as text; each format imports what it needs."""
    if fmt in ("bibtex", "csl-json"):
        return _bibliography(fmt, selection.papers())
    from warehouse.query.export import spreadsheet_text

    return spreadsheet_text(selection)


def _bibliography(fmt: Format, rows: Sequence[PaperRow]) -> str:
    from warehouse.query.bibliography import bibtex, csl_json

    return bibtex(rows) if fmt == "bibtex" else csl_json(rows)

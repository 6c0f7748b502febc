"""`paperlake export`: the catalogue for other programs, as Parquet, CSV, BibTeX or CSL-JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from flows.progress import watched
from flows.settings import read_settings
from flows.times import as_of_instant
from sources.errors import UsageError
from sources.text import counted, json_text, shown
from warehouse.query.export import select, short_terms, terms, whole_folder
from warehouse.query.output import writing_user_file

if TYPE_CHECKING:
    from flows.progress import Reporter
    from warehouse.query.export import Selection

Format = Literal["parquet", "csv", "bibtex", "csl-json"]


def run_export(
    fmt: Format, dest: str, *, where: str | None, lake: str | None, as_of: str | None, force: bool, as_json: bool
) -> None:
    """Writes the papers of the catalogue for which `where` holds to `dest`, and prints how many on standard error.

    With `as_json` it prints that on standard output, as an object.

    Raises:
        UsageError: Wrong usage, an invalid condition, or a destination that cannot be written; it is unchanged.
        WarehouseError: The lake cannot be read.
    """
    if fmt == "parquet" and dest == "-":
        raise UsageError("Parquet is a folder of files: name one instead of -")
    if as_json and dest == "-":
        raise UsageError("the export itself goes to standard output: name a file instead of -, or leave out --json")
    place = read_settings(lake=lake).place
    with watched() as reporter, select(place, where=where, as_of=as_of_instant(as_of, day_ends=True)) as selection:
        owes = selection.owes_semantic_scholar()
        if fmt == "parquet":
            notice = terms(semantic_scholar=owes)
            with whole_folder(Path(dest), force=force, notice=notice, place=place) as filled:
                _fill(filled, selection, reporter)
        elif dest == "-":
            sys.stdout.buffer.write(_text(fmt, selection).encode())
        else:
            with writing_user_file(Path(dest), place=place) as file:
                file.write(_text(fmt, selection).encode())
        papers = len(selection)
    if as_json:
        sys.stdout.write(json_text({"format": fmt, "dest": dest, "papers": papers}) + "\n")
        return
    count = counted(papers, "paper")
    sys.stderr.write(shown(f"{count} exported{'' if dest == '-' else f' to {dest}'}") + "\n")
    if note := short_terms(semantic_scholar=owes):
        sys.stderr.write(f"{note}\n")


def _fill(folder: Path, selection: Selection, reporter: Reporter) -> None:
    from warehouse.query.export import write_parquet  # noqa: PLC0415

    write_parquet(selection, folder, stage=reporter.stage)


def _text(fmt: Format, selection: Selection) -> str:
    """Returns the export as text; each format imports what it needs."""
    if fmt == "bibtex":
        from warehouse.query.bibliography import bibtex  # noqa: PLC0415

        return bibtex(selection.papers())
    if fmt == "csl-json":
        from warehouse.query.bibliography import csl_json  # noqa: PLC0415

        return csl_json(selection.papers())
    from warehouse.query.export import spreadsheet_text  # noqa: PLC0415

    return spreadsheet_text(selection)

"""`paperlake mirror`: imports bulk snapshots and updates into the local mirrors, and shows what they hold."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from flows.commands.shared import Json, Lake, begin
from flows.progress import watched
from flows.times import as_of_instant
from sources.errors import PayloadError, TokenExpired, UsageError
from sources.text import counted, json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from flows.settings import Settings
    from sources.services.arxiv.oai import OaiClient, OaiPage
    from warehouse.mirrors import MirrorFolder, Release
    from warehouse.mirrors.importing import Increments
    from warehouse.mirrors.shapes import Shape

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Local mirrors of arXiv, Semantic Scholar and DBLP: papers in them are found without a request; and of "
    "Retraction Watch.",
)

_LONGEST_WAIT_S = 1800.0  # servers of OAI-PMH may ask for pauses of minutes (Retry-After)


@app.command("import")
def mirror_import(
    source: Annotated[
        Literal["arxiv", "s2-papers", "dblp", "retractions"], typer.Argument(help="The source of the snapshot.")
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="JSON lines, DBLP's XML or N-Triples, or Retraction Watch's CSV; plain, .gz, .bz2, .zst or .zip.",
        ),
    ],
    part: Annotated[bool, typer.Option("--part", help="The snapshot is not all that the source has.")] = False,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The snapshot's date. [default: the newest date in the rows]"),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Imports a bulk snapshot into the local mirror, replacing the one before.

    arXiv's own dump is at https://www.kaggle.com/datasets/Cornell-University/arxiv (CC0). Semantic Scholar's is the
    data set "papers" of https://api.semanticscholar.org/api-docs/datasets: name all its shards at once. DBLP's is
    `dblp.xml.gz` from https://dblp.org/xml/, or its release as N-Triples (CC0); a web page in its place, or a file with
    less than 100,000 papers and no `--part`, is refused. Retraction Watch's notices are `retraction_watch.csv` from
    https://gitlab.com/crossref/retraction-watch-data: mentions of papers that they retract get a finding.

    A snapshot is taken to be complete, so services are not asked for papers that it lacks; add `--part` where it is
    not. An interrupted import continues where it stopped; lines that are not papers are kept in a separate file.

    Example: `paperlake mirror import arxiv arxiv-metadata-oai-snapshot.json`

    Example: `paperlake mirror import dblp dblp.xml.gz`
    """
    begin("reading the snapshot")
    from flows.settings import read_settings
    from warehouse.lake.place import check_writable
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.importing import Dump, import_dump

    for file in files:
        if not file.is_file():
            raise UsageError(f"no such file: {file}")
    place = read_settings(lake=lake).place
    check_writable(place)
    dump = Dump(source=source, files=tuple(files), whole=not part, told_at=as_of_instant(as_of))
    folder = MirrorFolder(place.mirror_folder / source)
    size = sum(file.stat().st_size for file in files)
    with watched() as reporter:
        release = import_dump(folder, dump, on_bytes=reporter.stage(f"Importing {source}", size, "bytes"))
    _print([release], as_json=as_json)


@app.command("update")
def mirror_update(
    source: Annotated[
        Literal["arxiv", "s2-papers", "dblp", "retractions"], typer.Argument(help="The source of the mirror.")
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE...", help="New and changed rows; without, arXiv is asked.", show_default=False),
    ] = None,
    deleted: Annotated[
        list[Path] | None, typer.Option("--deleted", metavar="FILE", help="Deleted rows; may be given several times.")
    ] = None,
    as_of: Annotated[str | None, typer.Option(metavar="DATE", help="The release that the files lead to.")] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Brings a mirror up to date.

    arXiv is asked over OAI-PMH for what has changed since the mirror's date, page by page at arXiv's pace; after an
    interruption it continues with the next page. For Semantic Scholar, its Datasets API lists the differences between
    releases: name the files with updates, and those with deletions with `--deleted`. DBLP and Retraction Watch publish
    no changes: import their next file, which takes the place of the one before.

    Example: `paperlake mirror update arxiv`

    Example: `paperlake mirror update s2-papers updates/*.gz --deleted deletes/1.gz --as-of 2026-11-17`
    """
    begin("updating the mirror")
    from warehouse.mirrors.shapes import ARXIV, SHAPES

    shape = SHAPES[source]
    if files or deleted or shape.deleted is None:
        release = update_from_files(source, files or [], deleted or [], lake=lake, told_at=as_of_instant(as_of))
    elif shape is ARXIV:
        release = update_from_arxiv(lake=lake)
    else:
        raise UsageError(f"{shape.publisher}'s release diffs are files: name those with updates, and --deleted ones")
    _print([release], as_json=as_json)


def update_from_arxiv(*, lake: str | None) -> Release:
    """Asks arXiv what has changed since the mirror's date, and brings it up to date.

    Pages are stored as they arrive: an interrupted update continues with the next one.

    Raises:
        UsageError: There is no mirror of arXiv yet, or another import is under way.
        SourceError: arXiv did not answer all requests.
    """
    from flows.settings import read_settings
    from sources.services.arxiv.oai import FORMAT
    from warehouse.lake.place import check_writable
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.importing import Increments

    settings = read_settings(lake=lake)
    check_writable(settings.place)
    folder = MirrorFolder(settings.place.mirror_folder / "arxiv")
    _release(folder)
    with watched() as reporter, folder.asking():
        increments = Increments(folder, _release(folder).as_of.date(), form=FORMAT)
        done = reporter.stage(f"Changes since {increments.since}", None, "papers")
        if not increments.is_complete:
            _harvest(settings, increments, done)
        return _applied(folder, increments, reporter)


def update_from_files(
    source: str, files: Sequence[Path], deleted: Sequence[Path], *, lake: str | None, told_at: datetime | None
) -> Release:
    """Brings a mirror up to date from files: of Semantic Scholar's release diffs, those with updates and deletions.

    A line of a file with deletions that names no paper is refused and stored with the other refused lines.

    Raises:
        UsageError: A file is missing or cannot be read, there is no mirror yet or a newer one, the date is missing, or
            the source publishes no changes.
    """
    from flows.settings import read_settings
    from warehouse.lake.place import check_writable
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.importing import Update, apply_update
    from warehouse.mirrors.shapes import SHAPES

    read_deletion = _reader_of_deletions(SHAPES[source])
    for file in (*files, *deleted):
        if not file.is_file():
            raise UsageError(f"no such file: {file}")
    if told_at is None:
        raise UsageError("name the release that the files lead to, as in --as-of 2026-11-17")
    place = read_settings(lake=lake).place
    check_writable(place)
    folder = MirrorFolder(place.mirror_folder / source)
    _release(folder)
    gone, refused = _read_deletions(read_deletion, deleted)
    with watched() as reporter:
        done = reporter.stage(f"Updating {source}", sum(file.stat().st_size for file in files), "bytes")
        update = Update(files=tuple(files), deleted=gone, told_at=told_at, refused=refused)
        return apply_update(folder, update, on_bytes=done)


def _reader_of_deletions(shape: Shape) -> Callable[[bytes], str]:
    """Returns what reads a line of a file with deletions.

    Raises:
        UsageError: The source publishes whole files, and none with changes.
    """
    if shape.deleted is None:
        raise UsageError(
            f"{shape.publisher} publishes whole files, no changes: import the next one with"
            f" `paperlake mirror import {shape.name} FILE`"
        )
    return shape.deleted


def _read_deletions(
    read: Callable[[bytes], str], paths: Sequence[Path]
) -> tuple[tuple[str, ...], tuple[dict[str, Any], ...]]:
    """Returns the identifiers in files with deletions, each once, and the lines that could not be read."""
    from sources.services.dumps import shown_beginning
    from warehouse.mirrors.blocks import dump_files, lines_of

    gone: dict[str, None] = {}
    refused = []
    for file in dump_files(paths):
        for number, line in lines_of(file.path):
            try:
                gone[read(line)] = None
            except PayloadError as error:
                refused.append({"file": file.label, "line": number, "why": error.message, "row": shown_beginning(line)})
    return tuple(gone), tuple(refused)


def _harvest(settings: Settings, increments: Increments, done: Callable[[int], None]) -> None:
    from flows.refresh.services import folder_pace
    from sources.services.arxiv.oai import OaiClient

    retry = replace(settings.retry, max_wait_s=_LONGEST_WAIT_S)
    pace = folder_pace(settings.place.folder, "arxiv", settings.arxiv_interval)
    client = OaiClient(settings.arxiv_oai_url, pace=pace, retry=retry, contact=settings.contact)
    try:
        try:
            _keep(client, increments, done)
        except TokenExpired:
            increments.start_anew()
            _keep(client, increments, done)
    finally:
        client.close()


def _keep(client: OaiClient, increments: Increments, done: Callable[[int], None]) -> None:
    for page in client.pages(increments.since, token=increments.token):
        increments.keep((*page.rows, *_unread(page)), page.deleted, token=page.token, responded_at=page.responded_at)
        done(len(page.rows))


def _unread(page: OaiPage) -> Iterator[dict[str, Any]]:
    """Yields rows for records that could not be read; the import refuses and stores them with the others."""
    for fault in page.faults:
        yield {"id": fault.record or None, "title": None, "fault": fault.message}


def _applied(folder: MirrorFolder, increments: Increments, reporter: Any) -> Release:
    from warehouse.mirrors.importing import apply_update

    update = increments.update()
    # arXiv reports the present state, whatever the mirror's date.
    update = replace(update, told_at=max(update.told_at, _release(folder).as_of))
    done = reporter.stage("Writing the changes", sum(file.stat().st_size for file in update.files), "bytes")
    release = apply_update(folder, update, on_bytes=done)
    increments.drop()
    return release


def _release(folder: MirrorFolder) -> Release:
    release = folder.release
    if release is None:
        raise UsageError(f"no mirror at {folder.path}: make one with `paperlake mirror import`, then update it")
    return release


@app.command("status")
def mirror_status(lake: Lake = None, as_json: Json = False) -> None:
    """Shows what the local mirrors contain, their dates, and whether they are complete."""
    from flows.settings import read_settings
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.shapes import SHAPES

    folder = read_settings(lake=lake).place.mirror_folder
    releases = [release for source in SHAPES if (release := MirrorFolder(folder / source).release)]
    if not releases:
        raise UsageError(f"no mirror at {folder}: make one with `paperlake mirror import arxiv FILE`")
    _print(releases, as_json=as_json)


def _print(releases: Sequence[Release], *, as_json: bool) -> None:
    from warehouse.mirrors.shapes import SHAPES

    if as_json:
        for release in releases:
            sys.stdout.write(json_text(asdict(release)) + "\n")
        return
    for release in releases:
        shape = SHAPES[release.source]
        extent = "whole" if release.whole else "a part"
        sys.stdout.write(
            f"{counted(release.rows, shape.noun)} of {shape.publisher} in the mirror"
            f" ({extent}, as of {release.as_of:%Y-%m-%d}), from {_shown(release.files)},"
            f" imported {release.imported_at[:16]}Z\n"
        )
        if release.refused or release.duplicates:
            sys.stdout.write(
                f"{counted(release.refused, 'line')} refused (kept in refused.jsonl, with the reason), "
                f"{counted(release.duplicates, 'row')} replaced by a later one with the same identifier\n"
            )
        if release.left_out:
            left_out = counted(release.left_out, "impossible value")
            sys.stdout.write(f"{left_out} left out (named in refused.jsonl)\n")


def _shown(files: Sequence[str]) -> str:
    return ", ".join(files) if len(files) <= 3 else f"{files[0]} and {counted(len(files) - 1, 'more file')}"

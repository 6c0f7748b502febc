"""`paperlake mirror`: imports bulk snapshots and updates into the local mirrors, and shows what they hold."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import Json, Lake, begin, read_place, report
from flows.progress import watched
from flows.times import as_of_instant
from sources.errors import PayloadError, TokenExpired, UsageError
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import date, datetime

    from flows.settings import Settings
    from sources.services.arxiv.oai import OaiClient
    from warehouse.lake.place import LakePlace
    from warehouse.mirrors import MirrorFolder, Release
    from warehouse.mirrors.blocks import Part
    from warehouse.mirrors.importing import Increments
    from warehouse.mirrors.snapshot import Snapshot

_Force = Annotated[
    bool, typer.Option("--force", help="Take a release of OpenAlex that its manifest or others contradict.")
]
_Source = Literal["arxiv", "s2-papers", "dblp", "retractions", "openalex"]

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Local mirrors of arXiv, Semantic Scholar, DBLP and OpenAlex: papers in them are found without a request; and "
    "of Retraction Watch.",
)

_LONGEST_WAIT_S = 1800.0  # servers of OAI-PMH may ask for pauses of minutes (Retry-After)


@app.command("import")
def mirror_import(
    source: Annotated[_Source, typer.Argument(metavar="SOURCE", help="Whose snapshot.")],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="JSON lines, Parquet, DBLP's XML or N-Triples, or Retraction Watch's CSV; plain, .gz, .bz2, .zst or"
            " .zip. Of OpenAlex the folder of works with its manifest, here or as `s3://bucket/prefix`.",
        ),
    ],
    part: Annotated[bool, typer.Option("--part", help="The snapshot is not all that the source has.")] = False,
    as_of: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The snapshot's date. [default: the newest date in the rows]"),
    ] = None,
    force: _Force = False,
    dask: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Share the work among the workers of this Dask scheduler (tcp://...)."),
    ] = None,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Imports a bulk snapshot into the local mirror, replacing the one before.

    arXiv's own dump is at https://www.kaggle.com/datasets/Cornell-University/arxiv (CC0). Semantic Scholar's is the
    data set "papers" of https://api.semanticscholar.org/api-docs/datasets: name all its shards at once. DBLP's is
    `dblp.xml.gz` from https://dblp.org/xml/, or its release as N-Triples (CC0); a web page in its place, or a file with
    less than 100,000 papers and no `--part`, is refused. Retraction Watch's notices are `retraction_watch.csv` from
    https://gitlab.com/crossref/retraction-watch-data: mentions of papers that they retract get a finding. OpenAlex's
    snapshot (CC0) has all works with their references; from S3 only the columns that are used are read.

    A snapshot with as many papers as the source has is complete, and services are not asked for papers that it lacks; a
    smaller one is a part, and they are. `--part` says so of any. An interrupted import continues where it stopped;
    lines that are not papers are kept in a separate file.

    Example: `paperlake mirror import arxiv arxiv-metadata-oai-snapshot.json`

    Example: `paperlake mirror import dblp dblp.xml.gz`

    Example: `paperlake mirror import openalex s3://openalex/data/parquet/works`
    """
    begin("reading the snapshot")
    from warehouse.mirrors.importing import Dump, import_dump
    from warehouse.mirrors.workers import in_threads, on_dask

    dump = Dump(source=source, files=(), whole=False if part else None, told_at=as_of_instant(as_of))
    if (snapshot := _snapshot(source, files, force=force)) is not None:
        dump = replace(dump, files=snapshot.parts, told_at=dump.told_at or snapshot.told_at)
    else:
        dump = replace(dump, files=_sound(map(Path, files)))
    folder = _folder_to_write(read_place(lake), source)
    if source == "openalex":
        dump = replace(dump, check=_check_of_works(folder, snapshot, force=force))
    with watched() as reporter:
        done = reporter.stage(f"Importing {source}", _size(dump.files), "bytes")
        release = import_dump(folder, dump, spread=on_dask(dask) if dask else in_threads, on_bytes=done)
    _print(release, lake=lake, as_json=as_json)


@app.command("update")
def mirror_update(
    source: Annotated[_Source, typer.Argument(metavar="SOURCE", help="Whose mirror.")],
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="New and changed rows; without, arXiv is asked.", show_default=False),
    ] = None,
    deleted: Annotated[
        list[Path] | None, typer.Option("--deleted", metavar="FILE", help="Deleted rows; may be given several times.")
    ] = None,
    as_of: Annotated[str | None, typer.Option(metavar="DATE", help="The release that the files lead to.")] = None,
    force: _Force = False,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Brings a mirror up to date.

    arXiv is asked over OAI-PMH for what has changed since the mirror's date, page by page at arXiv's pace; after an
    interruption it continues with the next page. For Semantic Scholar, its Datasets API lists the differences between
    releases: name the files with updates, and those with deletions with `--deleted`. Of OpenAlex's next snapshot name
    the folder: the parts since the mirror's date are read; `--deleted` takes its files of merged works. DBLP and
    Retraction Watch publish no changes: import their next file, which takes the place of the one before.

    Example: `paperlake mirror update arxiv`

    Example: `paperlake mirror update s2-papers updates/*.gz --deleted deletes/1.gz --as-of 2026-11-17`
    """
    begin("updating the mirror")
    from warehouse.mirrors.shapes import ARXIV, SHAPES

    shape = SHAPES[source]
    if files or deleted or shape.deleted is None:
        told_at = as_of_instant(as_of)
        release = update_from_files(source, files or [], deleted or [], lake=lake, told_at=told_at, force=force)
    elif shape is ARXIV:
        release = update_from_arxiv(lake=lake)
    else:
        raise UsageError(f"{shape.publisher}'s release diffs are files: name those with updates, and --deleted ones")
    _print(release, lake=lake, as_json=as_json)


def update_from_arxiv(*, lake: str | None) -> Release:
    """Requests from arXiv what has changed since the mirror's date, and brings it up to date.

    Pages are stored as they arrive: an interrupted update continues with the next one.
    """
    from flows.settings import read_settings
    from sources.services.arxiv.oai import FORMAT
    from warehouse.mirrors.importing import Increments, apply_update

    settings = read_settings(lake=lake)
    folder = _folder_to_write(settings.place, "arxiv")
    _release(folder)
    with watched() as reporter, folder.asking():
        increments = Increments(folder, _release(folder).as_of.date(), form=FORMAT)
        done = reporter.stage(f"Changes since {increments.since}", None, "papers")
        if not increments.is_complete:
            _harvest(settings, increments, done)
        update = increments.update()
        # arXiv reports the present state, whatever the mirror's date.
        update = replace(update, told_at=max(update.told_at, _release(folder).as_of))
        done = reporter.stage("Writing the changes", _size(update.files), "bytes")
        release = apply_update(folder, update, on_bytes=done)
        increments.start_anew()
        return release


def update_from_files(
    source: str,
    files: Sequence[str],
    deleted: Sequence[Path],
    *,
    lake: str | None,
    told_at: datetime | None,
    force: bool = False,
) -> Release:
    """Brings a mirror up to date from files: of Semantic Scholar's release diffs, those with updates and deletions.

    A line of a file with deletions that names no paper is refused and stored with the other refused lines.
    """
    from sources.services.dumps import shown_beginning
    from warehouse.mirrors.blocks import dump_files, lines_of
    from warehouse.mirrors.importing import Update, apply_update
    from warehouse.mirrors.shapes import SHAPES

    read_deletion = SHAPES[source].deleted
    if read_deletion is None:
        raise UsageError(
            f"{SHAPES[source].publisher} publishes whole files, no changes: import the next one with"
            f" `paperlake mirror import {source} FILE`"
        )
    _sound(deleted)
    folder = _folder_to_write(read_place(lake), source)
    snapshot = _snapshot(source, files, since=_release(folder).as_of.date(), force=force)
    parts = _sound(map(Path, files)) if snapshot is None else snapshot.parts
    told_at = told_at or (snapshot.told_at if snapshot else None)
    if told_at is None:
        raise UsageError("name the release that the files lead to, as in --as-of 2026-11-17")
    gone: dict[str, None] = {}
    refused = []
    for file in dump_files(deleted):
        for number, line in lines_of(file.path):
            try:
                if (key := read_deletion(line)) is not None:
                    gone[key] = None
            except PayloadError as error:
                refused.append({"file": file.label, "line": number, "why": error.message, "row": shown_beginning(line)})
    with watched() as reporter:
        done = reporter.stage(f"Updating {source}", _size(parts), "bytes")
        update = Update(files=parts, deleted=tuple(gone), told_at=told_at, refused=tuple(refused))
        if source == "openalex":
            update = replace(update, check=_check_of_works(folder, snapshot, force=force))
        return apply_update(folder, update, on_bytes=done)


def _check_of_works(folder: MirrorFolder, snapshot: Snapshot | None, *, force: bool) -> Callable[..., None]:
    """Returns what refuses a release of works, of which blocks from a number on are new."""
    from warehouse.mirrors.release_check import refuse_at_odds

    def check(release: Release, first: int = 0) -> None:
        if snapshot is not None:
            snapshot.refuse_changed()
        if not force:
            refuse_at_odds(folder.path.parent, release, first=first)

    return check


def _snapshot(source: str, places: Sequence[str], *, since: date | None = None, force: bool) -> Snapshot | None:
    """Returns the snapshot at a folder or on S3, of OpenAlex alone; None of files."""
    if source != "openalex" or len(places) != 1 or not (places[0].startswith("s3://") or Path(places[0]).is_dir()):
        return None
    from warehouse.mirrors.snapshot import read_snapshot

    return read_snapshot(places[0], since=since, by_count=not force)


def _sound(files: Iterable[Path]) -> tuple[Path, ...]:
    files = tuple(files)
    if missing := [file for file in files if not file.is_file()]:
        raise UsageError(f"no such file: {missing[0]}")
    return files


def _size(files: Iterable[Path | Part]) -> int:
    return sum(file.stat().st_size if isinstance(file, Path) else file.size for file in files)


def _folder_to_write(place: LakePlace, source: str) -> MirrorFolder:
    from warehouse.lake.place import check_writable
    from warehouse.mirrors import MirrorFolder

    check_writable(place)
    return MirrorFolder(place.mirror_folder / source)


def _harvest(settings: Settings, increments: Increments, done: Callable[[int], None]) -> None:
    from flows.refresh.services import folder_pace
    from sources.services.arxiv.oai import OaiClient

    retry = replace(settings.retry, max_wait_s=_LONGEST_WAIT_S)
    pace = folder_pace(settings.place.folder, "arxiv", settings.arxiv_interval)
    with closing(OaiClient(settings.arxiv_oai_url, pace=pace, retry=retry, contact=settings.contact)) as client:
        try:
            _store_pages(client, increments, done)
        except TokenExpired:
            increments.start_anew()
            _store_pages(client, increments, done)


def _store_pages(client: OaiClient, increments: Increments, done: Callable[[int], None]) -> None:
    for page in client.pages(increments.since, token=increments.token):
        # Records that could not be read are refused by the import, and stored with the others.
        unread = [{"id": fault.record or None, "title": None, "fault": fault.message} for fault in page.faults]
        increments.keep((*page.rows, *unread), page.deleted, token=page.token, responded_at=page.responded_at)
        done(len(page.rows))


def _release(folder: MirrorFolder) -> Release:
    release = folder.release
    if release is None:
        raise UsageError(f"no mirror at {folder.path}: make one with `paperlake mirror import`, then update it")
    return release


@app.command("status")
def mirror_status(lake: Lake = None, as_json: Json = False) -> None:
    """Shows what the local mirrors contain, their dates, and whether they are complete."""
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.shapes import SHAPES

    folder = read_place(lake).mirror_folder
    releases = [release for source in SHAPES if (release := MirrorFolder(folder / source).release)]
    if not releases:
        raise UsageError(f"no mirror at {folder}: make one with `paperlake mirror import arxiv FILE`")
    for release in releases:
        _print(release, lake=lake, as_json=as_json)


def _print(release: Release, *, lake: str | None, as_json: bool) -> None:
    refusals = read_place(lake).mirror_folder / release.source / release.name / "refused.jsonl"
    report(asdict(release), map(shown, _lines(release, refusals)), as_json=as_json)


def _lines(release: Release, refusals: Path) -> Iterator[str]:
    from warehouse.mirrors.shapes import SHAPES

    shape, files = SHAPES[release.source], release.files
    extent = "whole" if release.whole else "a part"
    names = ", ".join(files) if len(files) <= 3 else f"{files[0]} and {counted(len(files) - 1, 'more file')}"
    yield (
        f"{counted(release.rows, shape.noun)} of {shape.publisher} in the mirror ({extent}, as of"
        f" {release.as_of:%Y-%m-%d}), from {names}, imported {release.imported_at[:16]}Z"
    )
    if not release.whole:
        yield f"as a part of what {shape.publisher} has: services are still asked for what it lacks"
    if release.refused or release.duplicates:
        yield (
            f"{counted(release.refused, 'line')} refused (kept with the reason in {refusals}), "
            f"{counted(release.duplicates, 'row')} replaced by a later one with the same identifier"
        )
    if release.left_out:
        yield f"{counted(release.left_out, 'impossible value')} left out (named in {refusals})"

"""`paperlake mirror`: imports bulk snapshots and updates into the local mirrors, and shows what they hold."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from flows.progress import watched
from flows.refresh.services import folder_pace
from flows.settings import Settings, read_settings
from flows.times import as_of_instant
from sources.errors import PayloadError, TokenExpired, UsageError
from sources.services.arxiv.oai import FORMAT, OaiClient, OaiPage
from sources.services.dumps import shown_beginning
from sources.text import counted, json_text
from warehouse.lake.place import check_writable
from warehouse.mirrors import Dump, MirrorFolder, Release, import_dump
from warehouse.mirrors.blocks import dump_files, lines_of
from warehouse.mirrors.importing import Increments, Update, apply_update
from warehouse.mirrors.shapes import ARXIV, SHAPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from warehouse.mirrors.shapes import Shape

_LONGEST_WAIT_S = 1800.0  # servers of OAI-PMH may ask for pauses of minutes (Retry-After)


def import_snapshot(
    source: str, files: Sequence[Path], *, lake: str | None, part: bool, as_of: str | None, as_json: bool
) -> None:
    """Imports dump files into the mirror of `source` and prints how many rows were imported and refused.

    Raises:
        UsageError: A file is missing or no dump, or the mirror cannot be written.
    """
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


def update_mirror(
    source: str, files: Sequence[Path], deleted: Sequence[Path], *, lake: str | None, as_of: str | None, as_json: bool
) -> None:
    """Brings the mirror of `source` up to date, from files or by asking arXiv, and prints what it contains.

    Raises:
        PaperlakeError: There is nothing to update from or to, or the source could not be asked.
    """
    shape = SHAPES[source]
    if files or deleted or shape.deleted is None:
        release = update_from_files(source, files, deleted, lake=lake, told_at=as_of_instant(as_of))
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


def print_mirror(*, lake: str | None, as_json: bool) -> None:
    """Prints what the mirrors contain.

    Raises:
        UsageError: Nothing has been imported.
    """
    folder = read_settings(lake=lake).place.mirror_folder
    releases = [release for source in SHAPES if (release := MirrorFolder(folder / source).release)]
    if not releases:
        raise UsageError(f"no mirror at {folder}: make one with `paperlake mirror import arxiv FILE`")
    _print(releases, as_json=as_json)


def _print(releases: Sequence[Release], *, as_json: bool) -> None:
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

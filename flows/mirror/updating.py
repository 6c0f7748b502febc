"""`paperlake mirror update`: what has changed at the sources since the mirrors last heard of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flows.progress import watched
from flows.refresh.clients import folder_pace
from flows.settings import Settings, read_settings
from sources.arxiv.dump import deleted_arxiv_id
from sources.arxiv.oai import OaiClient, OaiPage
from sources.dump_lines import shown_beginning
from sources.errors import PayloadError, TokenExpired, UsageError
from sources.http.retry import Patience
from sources.semantic_scholar.dump import deleted_corpus_id
from warehouse.lake.place import check_writable
from warehouse.mirrors import MirrorFolder, Release
from warehouse.mirrors.blocks import dump_files, lines_of
from warehouse.mirrors.updating import Increments, Update, apply_update
from warehouse.mirrors.workers import in_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

_LONGEST_WAIT_S = 1800.0
"""OAI-PMH servers ask to be left alone for minutes (Retry-After), which is no fault."""


def update_from_arxiv(*, lake: str | None) -> Release:
    """Asks arXiv what has changed since the mirror was told, and brings it up to date.

    Pages are kept as they come: after a stop the update goes on with the next one.

    Raises:
        UsageError: There is no mirror of arXiv yet, or another import is under way.
        SourceError: arXiv could not be asked to the end.
    """
    settings = read_settings(lake=lake)
    check_writable(settings.place)
    folder = MirrorFolder(settings.place.folder / "mirror" / "arxiv")
    _release(folder)
    with watched() as reporter, folder.asking():
        increments = Increments(folder, _release(folder).as_of.date())
        done = reporter.stage(f"Changes since {increments.since}", None, "papers")
        if not increments.is_complete:
            _harvest(settings, increments, done)
        return _applied(folder, increments, reporter)


def update_from_files(
    source: str, files: Sequence[Path], deleted: Sequence[Path], *, lake: str | None, told_at: datetime | None
) -> Release:
    """Brings a mirror up to date from files: of Semantic Scholar's release diffs, those with updates and deletions.

    A line of a file with deletions that names no paper is refused and kept aside, as any other line.

    Raises:
        UsageError: A file is missing or cannot be read, there is no mirror yet or a newer one, or no date is told.
    """
    for file in (*files, *deleted):
        if not file.is_file():
            raise UsageError(f"no such file: {file}")
    if told_at is None:
        raise UsageError("say with --as-of which release the files lead to, as in --as-of 2026-11-17")
    place = read_settings(lake=lake).place
    check_writable(place)
    folder = MirrorFolder(place.folder / "mirror" / source)
    _release(folder)
    gone, refused = _read_deletions(source, deleted)
    with watched() as reporter:
        done = reporter.stage(f"Updating {source}", sum(file.stat().st_size for file in files), "bytes")
        update = Update(files=tuple(files), deleted=gone, told_at=told_at, refused=refused)
        return apply_update(folder, update, spread=in_threads, on_bytes=done)


def _read_deletions(source: str, paths: Sequence[Path]) -> tuple[tuple[str, ...], tuple[dict[str, Any], ...]]:
    """Returns the identifiers in files with deletions, each once, and what could not be read of them."""
    read = deleted_corpus_id if source == "s2-papers" else deleted_arxiv_id
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
    patience = Patience(max_tries=settings.tries, backoff_s=settings.backoff, max_wait_s=_LONGEST_WAIT_S)
    pace = folder_pace(settings.place.folder, "arxiv", settings.arxiv_interval)
    client = OaiClient(settings.arxiv_oai_url, pace=pace, patience=patience)
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
    """Yields rows for what could not be read, which the import refuses and so keeps aside with the others."""
    for fault in page.faults:
        yield {"id": fault.record or None, "title": None, "fault": fault.message}


def _applied(folder: MirrorFolder, increments: Increments, reporter: Any) -> Release:
    update = increments.update()
    # What arXiv tells is how things stand now, whatever the mirror's date.
    update = replace(update, told_at=max(update.told_at, _release(folder).as_of))
    done = reporter.stage("Taking them in", sum(file.stat().st_size for file in update.files), "bytes")
    release = apply_update(folder, update, spread=in_threads, on_bytes=done)
    increments.drop()
    return release


def _release(folder: MirrorFolder) -> Release:
    release = folder.release
    if release is None:
        raise UsageError(f"no mirror at {folder.path}: make one with `paperlake mirror import`, then update it")
    return release

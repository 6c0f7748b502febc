"""`paperlake mirror`: bulk snapshots into the local mirror, and what it holds."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from flows.durations import as_of_instant
from flows.mirror.updating import update_from_arxiv, update_from_files
from flows.prefect.server import OwnServer, prepare_prefect, refuse_dead_server
from flows.progress import watched
from flows.settings import read_settings
from sources.errors import UsageError
from sources.text import counted, json_text
from warehouse.lake.place import check_writable
from warehouse.mirrors import Dump, MirrorFolder, Release, import_dump

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_WORTH_A_FLOW = 256 * 2**20
"""Bytes of a dump from which a Prefect server is started for its import; a smaller one is done in less time."""
_NAMES = {"arxiv": "arXiv", "s2-papers": "Semantic Scholar"}


def import_snapshot(
    source: str, files: Sequence[Path], *, lake: str | None, part: bool, as_of: str | None, as_json: bool
) -> None:
    """Imports dump files into the mirror of `source` and says what became of their rows.

    Raises:
        UsageError: A file is missing or no dump, or the mirror cannot be written.
    """
    for file in files:
        if not file.is_file():
            raise UsageError(f"no such file: {file}")
    settings = read_settings(lake=lake)
    place = settings.place
    check_writable(place)
    dump = Dump(source=source, files=tuple(files), whole=not part, told_at=as_of_instant(as_of))
    folder = MirrorFolder(place.folder / "mirror" / source)
    size = sum(file.stat().st_size for file in files)
    if size < _WORTH_A_FLOW and settings.dask is None:
        with watched() as reporter:
            release = import_dump(folder, dump, on_bytes=reporter.stage(f"Importing {source}", size, "bytes"))
    else:
        release = _in_a_flow(folder, dump, dask=settings.dask)
    _print([release], as_json=as_json)


def _in_a_flow(folder: MirrorFolder, dump: Dump, *, dask: str | None) -> Release:
    """Imports with a Prefect task for every block."""
    files, folder = [file.resolve() for file in dump.files], MirrorFolder(folder.path.resolve())
    with watched() as reporter:
        server = OwnServer()
        prepare_prefect(verbose=False)
        refuse_dead_server()
        server.start()
        from flows.mirror.importing import REPORTER, mirror_import, task_runner  # noqa: PLC0415 - takes seconds

        server.wait(reporter)
        with server.settings(), task_runner(dask, files=files, folder=folder) as (runner, workers):
            REPORTER.set(reporter)
            mirror_import.with_options(task_runner=runner)(
                source=dump.source,
                files=list(map(str, files)),
                folder=str(folder.path),
                whole=dump.whole,
                told_at=dump.told_at,
                workers=workers,
            )
    release = folder.release
    assert release is not None, "an import that ended well has published a release"  # noqa: S101
    return release


def update_mirror(
    source: str, files: Sequence[Path], deleted: Sequence[Path], *, lake: str | None, as_of: str | None, as_json: bool
) -> None:
    """Brings the mirror of `source` up to date, from files or by asking arXiv, and says what it holds.

    Raises:
        PaperlakeError: There is nothing to update from or to, or the source could not be asked.
    """
    if files or deleted:
        release = update_from_files(source, files, deleted, lake=lake, told_at=as_of_instant(as_of))
    elif source == "arxiv":
        release = update_from_arxiv(lake=lake)
    else:
        raise UsageError("Semantic Scholar's release diffs are files: name those with updates, and --deleted ones")
    _print([release], as_json=as_json)


def print_mirror(*, lake: str | None, as_json: bool) -> None:
    """Prints what the mirrors hold.

    Raises:
        UsageError: Nothing has been imported.
    """
    folder = read_settings(lake=lake).place.folder / "mirror"
    releases = [release for source in _NAMES if (release := MirrorFolder(folder / source).release)]
    if not releases:
        raise UsageError(f"no mirror at {folder}: make one with `paperlake mirror import arxiv FILE`")
    _print(releases, as_json=as_json)


def _print(releases: Sequence[Release], *, as_json: bool) -> None:
    if as_json:
        for release in releases:
            sys.stdout.write(json_text(asdict(release)) + "\n")
        return
    for release in releases:
        extent = "whole" if release.whole else "a part"
        sys.stdout.write(
            f"{counted(release.rows, 'paper')} of {_NAMES[release.source]} in the mirror"
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

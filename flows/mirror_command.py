"""`paperlake mirror`: bulk snapshots into the local mirror, and what it holds."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flows.mirror_update import update_from_arxiv, update_from_files
from flows.progress import watched
from flows.settings import read_settings
from sources.errors import UsageError
from warehouse.lake import check_writable
from warehouse.mirrors import Dump, MirrorFolder, Release, import_dump
from warehouse.mirrors.workers import in_threads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
    place = read_settings(lake=lake).place
    check_writable(place)
    dump = Dump(source=source, files=tuple(files), whole=not part, told_at=_instant(as_of))
    with watched() as reporter:
        done = reporter.stage(f"Importing {source}", sum(file.stat().st_size for file in files), "bytes")
        release = import_dump(MirrorFolder(place.folder / "mirror" / source), dump, spread=in_threads, on_bytes=done)
    _print([release], as_json=as_json)


def update_mirror(
    source: str, files: Sequence[Path], deleted: Sequence[Path], *, lake: str | None, as_of: str | None, as_json: bool
) -> None:
    """Brings the mirror of `source` up to date, from files or by asking arXiv, and says what it holds.

    Raises:
        PaperlakeError: There is nothing to update from or to, or the source could not be asked.
    """
    if files or deleted:
        release = update_from_files(source, files, deleted, lake=lake, told_at=_instant(as_of))
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


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--as-of {text!r} is no date; write it as in 2026-11-15") from error
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _print(releases: Sequence[Release], *, as_json: bool) -> None:
    if as_json:
        for release in releases:
            sys.stdout.write(json.dumps(asdict(release)) + "\n")
        return
    for release in releases:
        extent = "whole" if release.whole else "a part"
        sys.stdout.write(
            f"{release.rows} papers of {_NAMES[release.source]} in the mirror"
            f" ({extent}, as of {release.told:%Y-%m-%d}), from {_shown(release.files)},"
            f" imported {release.imported_at[:16]}Z\n"
        )
        if release.refused or release.duplicates:
            sys.stdout.write(
                f"{release.refused} lines refused (kept in refused.jsonl, with the reason), "
                f"{release.duplicates} rows replaced by a later one with the same identifier\n"
            )


def _shown(files: Sequence[str]) -> str:
    return ", ".join(files) if len(files) <= 3 else f"{files[0]} and {len(files) - 1} more files"

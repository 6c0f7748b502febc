"""`paperlake mirror`: bulk snapshots into the local mirror, and what it holds."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from flows.progress import watched
from flows.settings import read_settings
from sources.errors import UsageError
from warehouse.lake import check_writable
from warehouse.mirror import ArxivMirror, Release
from warehouse.mirror_import import import_arxiv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def import_snapshot(source: str, files: Sequence[Path], *, lake: str | None, as_json: bool) -> None:
    """Imports dump files into the mirror of `source` and says what became of their rows.

    Raises:
        UsageError: A file is missing or no dump, or the mirror cannot be written.
    """
    for file in files:
        if not file.is_file():
            raise UsageError(f"no such file: {file}")
    place = read_settings(lake=lake).place
    check_writable(place)
    mirror = ArxivMirror(place.folder / "mirror" / source)
    with watched() as reporter:
        done = reporter.stage(f"Importing {source}", sum(file.stat().st_size for file in files), "bytes")
        release = import_arxiv(mirror, files, on_bytes=done)
    _print(release, as_json=as_json)


def print_mirror(*, lake: str | None, as_json: bool) -> None:
    """Prints what the mirror holds.

    Raises:
        UsageError: Nothing has been imported.
    """
    mirror = ArxivMirror(read_settings(lake=lake).place.folder / "mirror" / "arxiv")
    release = mirror.release
    if release is None:
        raise UsageError(f"no mirror at {mirror.folder}: make one with `paperlake mirror import arxiv FILE`")
    _print(release, as_json=as_json)


def _print(release: Release, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(asdict(release)) + "\n")
        return
    origin = f"from {', '.join(release.files)}, imported {release.imported_at}"
    sys.stdout.write(f"{release.rows} papers of arXiv in the mirror, {origin}\n")
    if release.refused or release.duplicates:
        sys.stdout.write(
            f"{release.refused} rows refused (kept in refused.jsonl, with the reason), "
            f"{release.duplicates} replaced by a later row with the same identifier\n"
        )

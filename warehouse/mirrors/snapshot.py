"""Finds the parts of OpenAlex's snapshot of works, in a folder or on S3, by the manifest that names them.

The form is that of https://developers.openalex.org/download/snapshot-format : folders by the day on which works last
changed, `updated_date=DAY`, with parts of up to 400,000 works. A work that changes moves into a newer folder. The
manifest is removed while parts are written, so that all are there where it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb

from sources.errors import UsageError
from sources.text import counted
from warehouse.lake.engine import SCHEME, grant_public
from warehouse.mirrors.blocks import Part

_MANIFESTS = ("manifest.json", "manifest")  # the second one until June 2026
_FOLDER = re.compile(r"updated_date=(\d{4}-\d\d-\d\d)/[^/]+$")
_WORKS = "/works/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A snapshot, or what has changed in one."""

    # in the order of their days, so that of a work named twice the newer row stays
    parts: tuple[Part, ...]
    told_at: datetime | None  # the release's day; None where the manifest has none
    refuse_changed: Callable[[], None]  # raises `UsageError` where the manifest has changed since


def read_snapshot(place: str, *, since: date | None = None, by_count: bool = True) -> Snapshot:
    """Returns the parts of the snapshot at `place`, a folder of works or `s3://bucket/prefix`.

    Args:
        place: Where it is.
        since: Leaves out the parts of folders before that day.
        by_count: Whether a part must have as many works as the manifest says.

    Raises:
        UsageError: There is no manifest, it is of another form, or parts are missing or cut off.
    """
    manifest = _manifest(place)
    files = manifest.get("files") or manifest.get("entries")
    parts = [part for item in files if (part := _part(item))] if isinstance(files, list) else []
    if not parts:
        raise UsageError(f"the manifest of {place} names no parts of works: {json.dumps(manifest)[:200]}")
    parts = sorted(part for part in parts if since is None or part[0] >= since)
    if is_remote := place.startswith(SCHEME):
        if any(not name.endswith(".parquet") for _, name, _, _ in parts):
            raise UsageError(f"{place} has parts that are not Parquet; from S3 only those are read: data/parquet/works")
    elif lacking := [name for _, name, size, _ in parts if _size(Path(place) / name) != size]:
        whole = f"{len(parts) - len(lacking):,} of {counted(len(parts), 'part')} are there whole"
        raise UsageError(f"{place}/{lacking[0]} is missing or cut off ({whole}): continue the download")
    found = tuple(
        Part(
            place=f"{place.rstrip('/')}/{name}" if is_remote else Path(place) / name,
            size=size,
            rows=rows if by_count else None,
        )
        for _, name, size, rows in parts
    )

    def refuse_changed() -> None:
        if _manifest(place) != manifest:
            raise UsageError(f"the manifest of {place} changed meanwhile: a new release came; import it again")

    return Snapshot(parts=found, told_at=_day(manifest.get("date")), refuse_changed=refuse_changed)


def _manifest(place: str) -> dict[str, Any]:
    if place.startswith(SCHEME):
        url = f"{place.rstrip('/')}/{_MANIFESTS[0]}"
        with closing(duckdb.connect()) as connection:
            grant_public(connection, place)
            try:
                body = str(connection.execute("SELECT content FROM read_text(?)", [url]).fetchall()[0][0])
            except duckdb.Error as error:
                raise UsageError(f"cannot read {url}: {str(error).splitlines()[0]}") from error
    elif path := next((file for name in _MANIFESTS if (file := Path(place) / name).is_file()), None):
        body = path.read_text(encoding="utf-8")
    else:
        raise UsageError(f"{place} has no {_MANIFESTS[0]}, which names the snapshot's parts: name the folder with it")
    try:
        manifest = json.loads(body)
    except ValueError as error:
        raise UsageError(f"the manifest of {place} is no JSON: {error}") from error
    return manifest if isinstance(manifest, dict) else {}


def _part(item: Any) -> tuple[date, str, int, int] | None:
    url, meta = (item.get("url"), item.get("meta")) if isinstance(item, dict) else (None, None)
    _, works, name = str(url).rpartition(_WORKS)
    folder = _FOLDER.fullmatch(name)
    if not works or folder is None or not isinstance(meta, dict):
        return None
    size, rows = meta.get("content_length"), meta.get("record_count")
    if not isinstance(size, int) or not isinstance(rows, int):
        return None
    return date.fromisoformat(folder[1]), name, size, rows


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _day(text: Any) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
    except (TypeError, ValueError):
        return None

"""Brings a mirror up to date: what has changed goes into blocks and an index of its own, beside those there are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from sources.durable_files import PARTIAL, put_in_place, replacing, write_whole
from sources.errors import UsageError
from warehouse.mirrors.blocks import DumpFile, dump_files
from warehouse.mirrors.importing import (
    Spread,
    index_blocks,
    is_readable,
    merge_indexes,
    one_by_one,
    refused_of,
    take_blocks,
    write_refused,
)
from warehouse.mirrors.release import MirrorFolder, Release, count_parts
from warehouse.mirrors.superseded import merge_superseded, write_superseded


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What has changed at a source.

    Attributes:
        files: Rows new or changed, in the form of the dump.
        deleted: Identifiers of papers taken away: base identifiers of arXiv, corpus ids of Semantic Scholar.
        told_at: As of when the source told so.
        refused: What of the deletions could not be read, as `refused.jsonl` tells it: file, line, why, row.
    """

    files: tuple[Path, ...]
    deleted: tuple[str, ...]
    told_at: datetime
    refused: tuple[Mapping[str, Any], ...] = ()


def apply_update(
    folder: MirrorFolder,
    update: Update,
    *,
    spread: Spread = one_by_one,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> Release:
    """Puts an update into use, all of it or nothing; the same update again changes no answer.

    Raises:
        UsageError: Nothing has been imported that could be updated, the mirror is newer than the update, a file is cut
            off or changes meanwhile, or another import is under way.
        WarehouseError: The mirror cannot be read or written, or not every row arrived in it.
    """
    files = dump_files(update.files)
    with folder.importing():
        release = folder.release
        if release is None:
            raise UsageError(f"no mirror at {folder.path}: make one with `paperlake mirror import`, then update it")
        if update.told_at < release.told:
            raise UsageError(
                f"the mirror is as of {release.told:%Y-%m-%d %H:%M}Z, later than this update"
                f" ({update.told_at:%Y-%m-%d %H:%M}Z), whose rows would take the place of newer ones"
            )
        if not is_readable(folder, release):
            raise folder.damaged("files are missing, or hold less than they should")
        work = folder.path / f"update{PARTIAL}"
        shutil.rmtree(work, ignore_errors=True)
        try:
            return _apply(folder, release, update, files, work, spread=spread, on_bytes=on_bytes)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _apply(
    folder: MirrorFolder,
    release: Release,
    update: Update,
    files: Sequence[DumpFile],
    work: Path,
    *,
    spread: Spread,
    on_bytes: Any,
) -> Release:
    taken = take_blocks(release.source, files, work, first=release.blocks, spread=spread, on_bytes=on_bytes)
    index = work / "index"
    index_blocks(work, taken, index, spread=spread)
    replaced, deleted = write_superseded(index, older=folder.indexes(release), deleted=update.deleted)
    like = _of_like_size(folder, release, index)
    if like:
        index = _merged([*(folder.index(release, number) for number in like), index], work / "merged", spread)
    for one in taken:
        put_in_place(work / "papers" / f"{one.number:06}.parquet", folder.papers(release, one.number))
    target = folder.index(release, release.indexes)
    shutil.rmtree(target, ignore_errors=True)
    put_in_place(index, target)
    parts = release.parts or tuple(count_parts(folder.index(release, number)) for number in range(release.indexes))
    aside = folder.path / release.name / "refused.jsonl"
    notes = chain(update.refused, refused_of(work, taken))
    refused, left_out = write_refused(notes, aside, before=aside)
    return folder.publish(
        replace(
            release,
            files=(*release.files, *(file.label for file in files)),
            rows=release.rows + sum(one.rows for one in taken) - replaced - deleted,
            refused=refused,
            left_out=left_out,
            duplicates=release.duplicates + replaced,
            deleted=release.deleted + deleted,
            imported_at=datetime.now(UTC).isoformat(),
            told_at=update.told_at.isoformat(),
            blocks=release.blocks + len(taken),
            indexes=release.indexes + 1,
            parts=(*parts, count_parts(target)),
            merged=(*release.merged, *like),
        )
    )


def _of_like_size(folder: MirrorFolder, release: Release, index: Path) -> list[int]:
    """Returns the numbers of the newest indexes that are no larger than all that is newer.

    Merged with it, they leave as many indexes as the number of updates has binary digits, about, and each posting is
    written anew as often.
    """
    like: list[int] = []
    newer = _bytes_of(index)
    for number in sorted(set(range(release.indexes)) - set(release.merged), reverse=True):
        size = _bytes_of(folder.index(release, number))
        if size > newer:
            break
        like.insert(0, number)
        newer += size
    return like


def _bytes_of(index: Path) -> int:
    return sum(file.stat().st_size for file in index.iterdir())


def _merged(indexes: Sequence[Path], target: Path, spread: Spread) -> Path:
    """Makes one index of several, and returns its folder."""
    merge_indexes(indexes, target, spread=spread)
    merge_superseded(indexes, target)
    return target


class Increments:
    """Pages of changes on their way into a mirror, kept as they come, so that a stop costs one page.

    Args:
        folder: The mirror.
        since: The day from which changes are asked for.
    """

    def __init__(self, folder: MirrorFolder, since: date) -> None:
        self._path = folder.path / "increments"
        self._state = self._path / "state.json"
        self.since = since
        self.token: str | None = None
        self.told_at: datetime | None = None
        self._pages = 0
        self._go_on()

    def start_anew(self) -> None:
        """Forgets the pages kept: the source no longer knows how to go on from them."""
        shutil.rmtree(self._path, ignore_errors=True)
        self.token, self.told_at, self._pages = None, None, 0

    def keep(
        self, rows: Iterable[Mapping[str, Any]], deleted: Iterable[str], *, token: str | None, responded_at: datetime
    ) -> None:
        """Keeps a page, and what asks for the next one."""
        self._path.mkdir(parents=True, exist_ok=True)
        page = self._path / f"page-{self._pages:06}.jsonl"
        write_whole(page, "".join(json.dumps(row) + "\n" for row in rows).encode())
        gone = self._path / f"deleted-{self._pages:06}.json"
        write_whole(gone, json.dumps(list(deleted)).encode())
        self._pages += 1
        self.token = token
        self.told_at = self.told_at or responded_at
        told_at = self.told_at.isoformat()
        state = {"since": self.since.isoformat(), "token": token, "told_at": told_at, "pages": self._pages}
        write_whole(self._state, json.dumps(state).encode())

    @property
    def is_complete(self) -> bool:
        """Returns whether the last page is here."""
        return self._pages > 0 and self.token is None

    def update(self) -> Update:
        """Returns the pages kept as an update; of a paper that one page deletes and a later one brings, it stays."""
        assert self.told_at is not None, "only what is complete is applied"  # noqa: S101
        pages = sorted(self._path.glob("page-*.jsonl"))[: self._pages]
        gone = sorted(self._path.glob("deleted-*.json"))[: self._pages]
        deleted = [one for file in gone for one in json.loads(file.read_text(encoding="utf-8"))]
        return Update(files=_joined(pages, self._path), deleted=tuple(dict.fromkeys(deleted)), told_at=self.told_at)

    def drop(self) -> None:
        """Removes the pages: they are in the mirror now."""
        shutil.rmtree(self._path, ignore_errors=True)

    def _go_on(self) -> None:
        try:
            state = json.loads(self._state.read_text(encoding="utf-8"))
            same = state["since"] == self.since.isoformat()
            self.token, self._pages = state["token"], int(state["pages"])
            self.told_at = datetime.fromisoformat(state["told_at"])
        except (OSError, ValueError, KeyError, TypeError):
            same = False
        if not same:
            self.start_anew()


def _joined(pages: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    """Returns one file of all pages: a block for each page would be many small ones."""
    whole = folder / "increment.jsonl"
    with replacing(whole) as target:
        for page in pages:
            with page.open("rb") as source:
                shutil.copyfileobj(source, target)
    return (whole,)

"""Brings a mirror up to date: what has changed goes into blocks and an index of its own, beside those there are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from sources.clock import Clock, utc_now
from sources.errors import UsageError
from warehouse.durable_files import PARTIAL, put_in_place, replacing, write_whole
from warehouse.mirrors.blocks import DumpFile, dump_files
from warehouse.mirrors.building import refused_of, write_refused
from warehouse.mirrors.importing import index_blocks, is_readable, take_blocks
from warehouse.mirrors.index import count_parts, in_threads, merge_indexes, merge_superseded, write_superseded
from warehouse.mirrors.release import MirrorFolder, Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What has changed at a source.

    Attributes:
        files: Rows new or changed, in the form of the dump.
        deleted: Identifiers of papers taken away: base identifiers of arXiv, corpus ids of Semantic Scholar.
        told_at: As of when the source told so.
        since: The day from which on the source was asked for changes; None where that is not known.
        refused: What of the deletions could not be read, as `refused.jsonl` tells it: file, line, why, row.
    """

    files: tuple[Path, ...]
    deleted: tuple[str, ...]
    told_at: datetime
    since: date | None = None
    refused: tuple[Mapping[str, Any], ...] = ()


def apply_update(
    folder: MirrorFolder,
    update: Update,
    *,
    on_bytes: Callable[[int], None] = lambda _: None,
    clock: Clock = utc_now,
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
        if update.told_at < release.as_of:
            raise UsageError(
                f"the mirror is as of {release.as_of:%Y-%m-%d %H:%M}Z, later than this update"
                f" ({update.told_at:%Y-%m-%d %H:%M}Z), whose rows would take the place of newer ones"
            )
        if update.since is not None and release.as_of.date() < update.since:
            raise UsageError(
                f"the mirror is as of {release.as_of:%Y-%m-%d}, and the update holds only what changed since"
                f" {update.since}: an older dump was imported meanwhile; update again"
            )
        if not is_readable(folder, release):
            raise folder.damaged("files are missing, or hold less than they should")
        work = folder.path / f"update{PARTIAL}"
        shutil.rmtree(work, ignore_errors=True)
        try:
            return _apply(folder, release, update, files, work, on_bytes=on_bytes, clock=clock)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _apply(
    folder: MirrorFolder,
    release: Release,
    update: Update,
    files: Sequence[DumpFile],
    work: Path,
    *,
    on_bytes: Callable[[int], None],
    clock: Clock,
) -> Release:
    taken = take_blocks(release.source, files, work, first=release.blocks, spread=in_threads, on_bytes=on_bytes)
    index = work / "index"
    index_blocks(work, taken, index, spread=in_threads)
    replaced, deleted = write_superseded(index, older=folder.indexes(release), deleted=update.deleted)
    like = _of_like_size(folder, release, index)
    if like:
        index = _merged([*(folder.index(release, number) for number in like), index], work / "merged")
    for each in taken:
        put_in_place(work / "papers" / f"{each.number:06}.parquet", folder.papers(release, each.number))
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
            rows=release.rows + sum(item.rows for item in taken) - replaced - deleted,
            refused=refused,
            left_out=left_out,
            duplicates=release.duplicates + replaced,
            deleted=release.deleted + deleted,
            imported_at=clock().isoformat(),
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


def _merged(indexes: Sequence[Path], target: Path) -> Path:
    """Makes one index of several, and returns its folder."""
    merge_indexes(indexes, target, spread=in_threads)
    merge_superseded(indexes, target)
    return target


class Increments:
    """Pages of changes on their way into a mirror, kept as they come, so that a stop costs one page.

    Args:
        folder: The mirror.
        since: The day from which changes are asked for.
        form: The format in which they are asked for; a token goes on in the format of the first page.
    """

    def __init__(self, folder: MirrorFolder, since: date, *, form: str = "") -> None:
        self._format = form
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
        write_whole(self._page(self._pages), "".join(json.dumps(row) + "\n" for row in rows).encode())
        write_whole(self._deleted(self._pages), json.dumps(list(deleted)).encode())
        self._pages += 1
        self.token = token
        self.told_at = self.told_at or responded_at
        told_at = self.told_at.isoformat()
        state = {
            "format": self._format, "since": self.since.isoformat(), "token": token, "told_at": told_at,
            "pages": self._pages,
        }  # fmt: skip
        write_whole(self._state, json.dumps(state).encode())

    @property
    def is_complete(self) -> bool:
        """Returns whether the last page is here."""
        return self._pages > 0 and self.token is None

    def update(self) -> Update:
        """Returns the pages kept as an update; what a page brings and a later one deletes is gone, and the reverse."""
        assert self.told_at is not None, "only what is complete is applied"  # noqa: S101
        gone = [json.loads(self._deleted(number).read_text(encoding="utf-8")) for number in range(self._pages)]
        whole = self._path / "increment.jsonl"  # a block for each page would be many small ones
        deleted_on = {item: number for number, page in enumerate(gone) for item in page}
        with replacing(whole) as target:
            for number in range(self._pages):
                target.writelines(_not_deleted_later(self._page(number), number, deleted_on))
        return Update(files=(whole,), deleted=tuple(deleted_on), told_at=self.told_at, since=self.since)

    def drop(self) -> None:
        """Removes the pages: they are in the mirror now."""
        shutil.rmtree(self._path, ignore_errors=True)

    def _go_on(self) -> None:
        try:
            state = json.loads(self._state.read_text(encoding="utf-8"))
            same = (state["since"], state["format"]) == (self.since.isoformat(), self._format)
            self.token, self._pages = state["token"], int(state["pages"])
            self.told_at = datetime.fromisoformat(state["told_at"])
            files = [*map(self._page, range(self._pages)), *map(self._deleted, range(self._pages))]
            same = same and all(file.is_file() for file in files)
        except (OSError, ValueError, KeyError, TypeError):
            same = False
        if not same:
            self.start_anew()

    def _page(self, number: int) -> Path:
        return self._path / f"page-{number:06}.jsonl"

    def _deleted(self, number: int) -> Path:
        return self._path / f"deleted-{number:06}.json"


def _not_deleted_later(page: Path, number: int, deleted_on: Mapping[str, int]) -> Iterator[bytes]:
    """Yields the rows of the page of that `number`, but for those of papers that a later page deletes."""
    with page.open("rb") as stream:
        for line in stream:
            if not deleted_on or deleted_on.get(json.loads(line).get("id"), number) <= number:
                yield line

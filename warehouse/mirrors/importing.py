"""Imports and updates mirrors from bulk dumps: all or nothing, resumable, with refused lines listed."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from sources.clock import utc_now
from sources.errors import UsageError, WarehouseError
from sources.text import counted
from warehouse.durable_files import PARTIAL, put_in_place, replacing, write_whole
from warehouse.mirrors.blocks import DumpFile, FileBlock, Part, cut, dump_files, refuse_changed
from warehouse.mirrors.building import BlockTask, Taken, papers_of, refused_of, take_block, write_refused
from warehouse.mirrors.index import hash_probe, papers_in, rows_of, write_index
from warehouse.mirrors.release import FORM, MirrorFolder, Release, index_name
from warehouse.mirrors.shapes import SHAPES
from warehouse.mirrors.workers import Spread, in_threads

# Brings a mirror up to date: what has changed goes into blocks and an index of its own, beside those there are.


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What has changed at a source."""

    files: tuple[Path | Part, ...]  # rows new or changed, in the form of the dump
    # identifiers of papers taken away: base identifiers of arXiv, corpus ids of Semantic Scholar
    deleted: tuple[str, ...]
    told_at: datetime  # as of when these are the changes
    since: date | None = None  # the first day of the changes; None where that is not known
    # what of the deletions could not be read, as in `refused.jsonl`: file, line, why, row
    refused: tuple[Mapping[str, Any], ...] = ()
    # raises `UsageError` where the release with the update, of which blocks from this number on are new, is not sound
    check: Callable[[Release, int], None] = lambda _release, _first: None


def apply_update(folder: MirrorFolder, update: Update, *, on_bytes: Callable[[int], None] = lambda _: None) -> Release:
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
            return _apply(folder, release, update, files, work, on_bytes=on_bytes)
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
) -> Release:
    taken = take_blocks(release.source, files, work, first=release.blocks, spread=in_threads, on_bytes=on_bytes)
    index = work / index_name(release.index + 1)
    replaced, deleted = write_index(_blocks_of(work, taken), index, older=folder.index(release), deleted=update.deleted)
    made = {folder.papers(release, each.number): papers_of(work, each.number) for each in taken}
    made[folder.path / release.name / index.name] = index
    for target, source in made.items():
        put_in_place(source, target)
    updated = replace(
        release,
        files=(*release.files, *(file.label for file in files)),
        rows=release.rows + sum(each.rows for each in taken) - replaced - deleted,
        duplicates=release.duplicates + replaced,
        deleted=release.deleted + deleted,
        imported_at=utc_now().isoformat(),
        told_at=update.told_at.isoformat(),
        blocks=release.blocks + len(taken),
        index=release.index + 1,
    )
    try:
        update.check(updated, release.blocks)
    except UsageError:
        for target in made:
            target.unlink()
        raise
    aside = folder.path / release.name / "refused.jsonl"
    notes = chain(update.refused, refused_of(work, taken))
    refused, left_out = write_refused(notes, aside, before=aside)
    return folder.publish(replace(updated, refused=refused, left_out=left_out))


def _blocks_of(work: Path, taken: Sequence[Taken]) -> list[Path]:
    return [work / "blocks" / f"{item.number:06}" for item in taken]


class Increments:
    """Pages of changes on their way into a mirror, each stored as it comes, so that a stop costs one page.

    Args:
        folder: The mirror.
        since: The day from which changes are requested.
        form: The format in which they are requested; a token goes on in the format of the first page.
    """

    def __init__(self, folder: MirrorFolder, since: date, *, form: str = "") -> None:
        self.since = since
        self.token: str | None = None
        self._request = {"since": since.isoformat(), "format": form}
        self._path = folder.path / "increments"
        self._pages = sorted(self._path.glob("page-*.json"))
        if self._pages:
            try:
                last = _page(self._pages[-1])
                self.token = last["token"]
                is_next = last["request"] == self._request and self._pages[-1] == self._file(len(self._pages) - 1)
            except (OSError, ValueError, KeyError, TypeError):
                is_next = False
            if not is_next:
                self.start_anew()

    def start_anew(self) -> None:
        """Removes the pages: they are in the mirror now, or the source no longer knows how to go on from them."""
        shutil.rmtree(self._path, ignore_errors=True)
        self.token, self._pages = None, []

    def keep(
        self, rows: Iterable[Mapping[str, Any]], deleted: Iterable[str], *, token: str | None, responded_at: datetime
    ) -> None:
        """Stores a page, and the token of the next one."""
        self._path.mkdir(parents=True, exist_ok=True)
        page = {
            "request": self._request,
            "responded_at": responded_at.isoformat(),
            "token": token,
            "rows": list(rows),
            "deleted": list(deleted),
        }
        self._pages.append(self._file(len(self._pages)))
        write_whole(self._pages[-1], json.dumps(page).encode())
        self.token = token

    @property
    def is_complete(self) -> bool:
        """Returns whether the last page is here."""
        return bool(self._pages) and self.token is None

    def update(self) -> Update:
        """Returns the pages as an update; what a page brings and a later one deletes is gone, and the reverse."""
        whole = self._path / "increment.jsonl"  # a block for each page would be many small ones
        deleted_on = {item: number for number, page in enumerate(self._pages) for item in _page(page)["deleted"]}
        with replacing(whole) as target:
            for number, page in enumerate(self._pages):
                rows = (row for row in _page(page)["rows"] if deleted_on.get(row.get("id"), number) <= number)
                target.writelines(json.dumps(row).encode() + b"\n" for row in rows)
        told_at = datetime.fromisoformat(_page(self._pages[0])["responded_at"])
        return Update(files=(whole,), deleted=tuple(deleted_on), told_at=told_at, since=self.since)

    def _file(self, number: int) -> Path:
        return self._path / f"page-{number:06}.json"


def _page(path: Path) -> dict[str, Any]:
    page: dict[str, Any] = json.loads(path.read_bytes())
    return page


_DAY = re.compile(r"(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """What is to be imported."""

    source: str  # one of `shapes.SHAPES`
    files: tuple[Path | Part, ...]  # the dump files, in order: of rows with one identifier the last stays
    whole: bool | None = True  # whether they are all that the source had; None where their number decides
    told_at: datetime | None = None  # as of when; None takes it from the rows, else from the files
    # raises `UsageError` where the release, which is in its place by then, is not to be put into use
    check: Callable[[Release], None] = lambda _: None


def import_dump(
    folder: MirrorFolder, dump: Dump, *, spread: Spread = in_threads, on_bytes: Callable[[int], None] = lambda _: None
) -> Release:
    """Imports dump files as one release and puts it into use.

    The same files again are recognised by their bytes and not imported twice. An import that was cut off goes on where
    it was. Lines that are no papers are counted and written to `refused.jsonl`, with their file, line and the reason.

    Args:
        folder: Where to.
        dump: What.
        spread: How to run the work over the blocks.
        on_bytes: Called with each block's bytes, unpacked, when it is done.

    Raises:
        UsageError: A file is missing, named twice, cut off, not a dump, or changes meanwhile; or the mirror's folder
            cannot be written.
        WarehouseError: The mirror cannot be written, or not every row arrived in it.
    """
    files = dump_files(dump.files)
    with folder.importing():
        known = _known(folder, dump, files)
        if known is not None:
            return known
        facts = [FORM, dump.source, [file.label for file in files], [file.size for file in files]]
        work = folder.path / f"import-{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]}{PARTIAL}"
        folder.drop_partial(but=work)
        try:
            return _import(folder, dump, work, files, spread=spread, on_bytes=on_bytes)
        except UsageError:
            shutil.rmtree(work, ignore_errors=True)
            raise


def digest_of(sha256s: Iterable[str]) -> str:
    """Returns the digest of a dump from those of its blocks."""
    return hashlib.sha256("".join(sha256s).encode()).hexdigest()


def take_blocks(
    source: str, files: Sequence[DumpFile], work: Path, *, first: int, spread: Spread, on_bytes: Callable[[int], None]
) -> list[Taken]:
    """Takes every block of `files`, each into a folder of its own in `work`, numbered from `first`; in their order."""
    given: dict[int, FileBlock] = {}

    def tasks() -> Iterator[BlockTask]:
        for number, block in enumerate(_cut(source, files, work / "spool"), start=first):
            given[number] = replace(block, body=None)
            yield BlockTask(
                block=block if spread is in_threads else given[number],  # another process reads the bytes itself
                shape=source,
                number=number,
                papers=papers_of(work, number),
                work=work / "blocks" / f"{number:06}",
            )

    taken = []
    for each in spread(take_block, tasks()):
        taken.append(each)
        if given[each.number].unpacked:
            given[each.number].path.unlink(missing_ok=True)
        on_bytes(each.bytes)
    refuse_changed(files)
    taken.sort(key=lambda item: item.number)
    _refuse_losses(given, taken, work)
    return taken


def _cut(source: str, files: Sequence[DumpFile], spool: Path | None) -> Iterator[FileBlock]:
    size, lines = SHAPES[source].block_bytes, SHAPES[source].lines
    return chain.from_iterable(cut(file, spool, number=at, size=size, lines=lines) for at, file in enumerate(files))


def _import(
    folder: MirrorFolder,
    dump: Dump,
    work: Path,
    files: Sequence[DumpFile],
    *,
    spread: Spread,
    on_bytes: Callable[[int], None],
) -> Release:
    taken = take_blocks(dump.source, files, work, first=0, spread=spread, on_bytes=on_bytes)
    _refuse_other_files(dump, files, taken)
    duplicates, _ = write_index(_blocks_of(work, taken), work / index_name(0))
    refused, left_out = write_refused(refused_of(work, taken), work / "refused.jsonl")
    shutil.rmtree(work / "blocks")
    shutil.rmtree(work / "spool", ignore_errors=True)
    in_use = None
    with suppress(WarehouseError):
        in_use = folder.release
    folder.drop_unused(in_use)  # what an import left that was stopped before it was put into use
    whole_digest = digest_of(item.sha256 for item in taken)
    name = folder.new_name(whole_digest)
    put_in_place(work, folder.path / name)
    now, rows = utc_now(), sum(each.rows for each in taken) - duplicates
    release = Release(
        name=name,
        source=dump.source,
        files=tuple(file.label for file in files),
        sizes=tuple(file.size for file in files),
        digest=whole_digest,
        rows=rows,
        refused=refused,
        left_out=left_out,
        duplicates=duplicates,
        imported_at=now.isoformat(),
        told_at=_told_at(dump, files, taken, now).isoformat(),
        whole=_is_whole(dump, rows),
        blocks=len(taken),
        hashed=hash_probe(),
    )
    try:
        dump.check(release)
    except UsageError:
        shutil.rmtree(folder.path / name, ignore_errors=True)
        raise
    return folder.publish(release)


def _known(folder: MirrorFolder, dump: Dump, files: Sequence[DumpFile]) -> Release | None:
    """Returns the release in use where it was made of the same bytes, with what the user says of them now."""
    with suppress(WarehouseError):  # a damaged mirror is made anew
        known = folder.release
        sizes = tuple(file.size for file in files)
        if known is None or (known.sizes, known.source) != (sizes, dump.source) or not is_readable(folder, known):
            return None
        digest = digest_of(block.sha256 for block in _cut(dump.source, files, None))
        if digest != known.digest or (dump.whole is not False and known.rows < SHAPES[dump.source].fewest):
            return None
        told_at = dump.told_at.isoformat() if dump.told_at else known.told_at
        now = replace(known, whole=_is_whole(dump, known.rows), told_at=told_at)
        return known if now == known else folder.publish(now)
    return None


def _is_whole(dump: Dump, rows: int) -> bool:
    """Returns whether a snapshot of so many rows is all that the source had; a subset says so by their number."""
    return rows >= SHAPES[dump.source].usual if dump.whole is None else dump.whole


def _told_at(dump: Dump, files: Sequence[DumpFile], taken: Sequence[Taken], now: datetime) -> datetime:
    """Returns the date of the dump: by the user, by its newest rows, by its file's name or age."""
    if dump.told_at is not None:
        return dump.told_at
    newest = max((each.newest for each in taken if each.newest), default=None)
    if newest is not None:
        return min(datetime.fromisoformat(newest).replace(tzinfo=UTC), now)
    named = [day for file in files for match in _DAY.findall(file.path.name) if (day := _day(*match)) and day <= now]
    return max(named) if named else min(datetime.fromtimestamp(max(file.modified_ns for file in files) / 1e9, UTC), now)


def _day(year: str, month: str, day: str) -> datetime | None:
    with suppress(ValueError):
        return datetime(int(year), int(month), int(day), tzinfo=UTC)
    return None


def _refuse_losses(given: Mapping[int, FileBlock], taken: Sequence[Taken], work: Path) -> None:
    """Compares, for each file, the rows that were read of it with those that are in the mirror's files or refused."""
    papers = rows_of([papers_of(work, number) for number in given])
    arrived: Counter[str] = Counter()
    for item in taken:
        arrived[item.file] += papers[papers_of(work, item.number)] + item.refused + item.blank
    read: Counter[str] = Counter()
    for block in given.values():
        read[block.file] += block.lines
    for file in read.keys() | arrived.keys():
        if read[file] != arrived[file]:
            raise WarehouseError(
                f"{counted(read[file], 'line')} read of {file}, but {arrived[file]} arrived in the mirror: nothing was"
                f" changed; remove {work} and try again"
            )


def _refuse_other_files(dump: Dump, files: Sequence[DumpFile], taken: Sequence[Taken]) -> None:
    """Refuses files of which not one line is a paper, and those that together hold too few to be all of the source."""
    shape = SHAPES[dump.source]
    rows: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for item in taken:
        rows[item.file] += item.rows
        refused[item.file] += item.refused
    for file in files:
        if not rows[file.label]:
            lines = counted(refused[file.label], "line")
            raise UsageError(f"{file.label} holds no {shape.noun}: {shape.meant} (refused {lines})")
    if dump.whole is not False and rows.total() < shape.fewest:
        few = f"only {counted(rows.total(), shape.noun)}, and the source has more than {shape.fewest:,}"
        raise UsageError(
            f"{', '.join(rows)}: {few}: the download may have been cut short or blocked; {shape.where}."
            " If it is meant to be a part, add --part"
        )


def is_readable(folder: MirrorFolder, release: Release) -> bool:
    """Returns whether every file of `release` can be opened, and together they hold what they should."""
    papers = [folder.papers(release, block) for block in range(release.blocks)]
    gone = release.duplicates + release.deleted
    try:
        taken = sum(rows_of(papers).values())
        return (taken, gone) == papers_in(folder.index(release)) and taken == release.rows + gone
    except WarehouseError:
        return False

"""Imports a bulk dump into a mirror: block by block, all or nothing, bad lines kept aside, going on after a crash."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from sources.errors import UsageError, WarehouseError
from warehouse.mirrors.blocks import Block, cut, sizes_of
from warehouse.mirrors.building import (
    BlockTask,
    MergeTask,
    Taken,
    merge_postings,
    ranges,
    refused_lines,
    take_block,
)
from warehouse.mirrors.release import MirrorFolder, Release, hash_probe
from warehouse.mirrors.superseded import write_superseded
from warehouse.schema import literal, parquet

T = TypeVar("T")
R = TypeVar("R")
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Runs a function over many things, several at a time where it can, and yields what it returns, in no fixed order."""

POSTINGS_AT_ONCE = 16_000_000
"""Postings that one worker sorts at a time; with the memory of `building` that stays in memory."""
_DAY = re.compile(r"(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")
_NOTHING_READ = "{name} holds no paper: {what} is JSON lines with {fields} (refused {refused} lines)"
_MEANT = {"arxiv": ("arXiv's dump", "id and title"), "s2-papers": ("the papers data set", "corpusid, url and title")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dump:
    """What is to be imported.

    Attributes:
        source: `arxiv` or `s2-papers`.
        files: The dump files, in order: of rows with one identifier the last stays.
        whole: Whether they are all that the source had.
        told_at: As of when; None takes it from the rows, else from the files.
    """

    source: str
    files: tuple[Path, ...]
    whole: bool = True
    told_at: datetime | None = None


def one_by_one(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yields what `function` returns for each of `items`, one after the other."""
    return map(function, items)


def import_dump(
    folder: MirrorFolder,
    dump: Dump,
    *,
    spread: Spread = one_by_one,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> Release:
    """Imports dump files as one release and puts it into use.

    The same files again are recognised by their bytes and not imported twice. An import that was cut off goes on where
    it was. Lines that are no papers are counted and kept in `refused.jsonl`, with their file, line and the reason.

    Args:
        folder: Where to.
        dump: What.
        spread: How to run the work over the blocks.
        on_bytes: Told of progress, in bytes of the unpacked dump.

    Raises:
        UsageError: A file is missing, is not a dump, or the mirror's folder cannot be written.
    """
    sizes = sizes_of(dump.files)
    with folder.importing():
        known = _known(folder, dump, sizes)
        if known is not None:
            return known
        work = folder.path / f"import-{_fingerprint(dump, sizes)}.partial"
        for other in folder.path.glob("*.partial"):
            if other != work:
                shutil.rmtree(other, ignore_errors=True)
        try:
            return _import(folder, dump, work, sizes, spread=spread, on_bytes=on_bytes)
        except UsageError:
            shutil.rmtree(work, ignore_errors=True)
            raise


def digest_of(sha256s: Iterable[str]) -> str:
    """Returns the digest of a dump from those of its blocks."""
    return hashlib.sha256("".join(sha256s).encode()).hexdigest()


def take_blocks(
    dump: Dump,
    work: Path,
    *,
    first: int,
    spread: Spread = one_by_one,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> list[Taken]:
    """Takes every block of `dump`, each into a folder of its own in `work`, numbered from `first`; in their order."""
    unpacked: dict[int, Path] = {}

    def tasks() -> Iterator[BlockTask]:
        blocks = (block for file in dump.files for block in cut(file, work / "spool"))
        for number, block in enumerate(blocks, start=first):
            if block.unpacked:
                unpacked[number] = block.path
            yield BlockTask(
                block=block,
                shape=dump.source,
                number=number,
                papers=work / "papers" / f"{number:06}.parquet",
                work=work / "blocks" / f"{number:06}",
            )

    taken = []
    for one in spread(take_block, tasks()):
        taken.append(one)
        # Only here: a cluster takes a block again where the machine is lost that had its result.
        if (spooled := unpacked.pop(one.number, None)) is not None:
            spooled.unlink(missing_ok=True)
        on_bytes(one.bytes)
    return sorted(taken, key=lambda one: one.number)


def index_blocks(work: Path, taken: Sequence[Taken], target: Path, *, spread: Spread = one_by_one) -> None:
    """Makes the index over the blocks `taken` in the folder `target`."""
    merge_indexes([work / "blocks" / f"{one.number:06}" for one in taken], target, spread=spread)


def merge_indexes(parts: Sequence[Path], target: Path, *, spread: Spread = one_by_one) -> None:
    """Makes one index in the folder `target` of those in the folders `parts`."""
    target.mkdir(parents=True, exist_ok=True)
    tasks = []
    for kind, bits in (("terms", 32), ("keys", 64)):
        files = tuple(file for part in parts for file in sorted(part.glob(f"{kind}*.parquet")))
        for number, (low, high) in enumerate(ranges(_rows_in(files), at_most=POSTINGS_AT_ONCE, bits=bits)):
            made = target / f"{kind}-{number:04}.parquet"
            tasks.append(MergeTask(files=files, low=low, high=high, target=made))
    for _ in spread(merge_postings, tasks):
        pass


def write_refused(work: Path, taken: Sequence[Taken], target: Path) -> None:
    """Adds the lines kept aside to the file `target`, with their file and their line in it."""
    lines_before: dict[str, int] = {}
    with target.open("a", encoding="utf-8") as stream:
        for one in taken:
            before = lines_before.get(one.file, 0)
            for told in refused_lines(work / "blocks" / f"{one.number:06}"):
                stream.write(json.dumps({"file": one.file} | told | {"line": before + told["line"]}) + "\n")
            lines_before[one.file] = before + one.lines


def _import(
    folder: MirrorFolder, dump: Dump, work: Path, sizes: tuple[int, ...], *, spread: Spread, on_bytes: Any
) -> Release:
    taken = take_blocks(dump, work, first=0, spread=spread, on_bytes=on_bytes)
    refused = sum(one.refused for one in taken)
    if not any(one.rows for one in taken):
        what, fields = _MEANT[dump.source]
        names = ", ".join(file.name for file in dump.files)
        raise UsageError(_NOTHING_READ.format(name=names, what=what, fields=fields, refused=refused))
    index = work / "index" / "0000"
    index_blocks(work, taken, index, spread=spread)
    duplicates, _ = write_superseded(index)
    (work / "refused.jsonl").unlink(missing_ok=True)
    write_refused(work, taken, work / "refused.jsonl")
    shutil.rmtree(work / "blocks")
    shutil.rmtree(work / "spool", ignore_errors=True)
    whole_digest = digest_of(one.sha256 for one in taken)
    name = f"release-{whole_digest[:12]}"
    shutil.rmtree(folder.path / name, ignore_errors=True)
    work.rename(folder.path / name)
    release = Release(
        name=name,
        source=dump.source,
        files=tuple(file.name for file in dump.files),
        sizes=sizes,
        digest=whole_digest,
        rows=sum(one.rows for one in taken) - duplicates,
        refused=refused,
        duplicates=duplicates,
        imported_at=datetime.now(UTC).isoformat(),
        told_at=_told_at(dump, taken).isoformat(),
        whole=dump.whole,
        blocks=len(taken),
        indexes=1,
        hashed=hash_probe(),
    )
    return folder.publish(release)


def _rows_in(files: Sequence[Path]) -> int:
    if not files:
        return 0
    with closing(duckdb.connect()) as connection:
        row = connection.execute(f"SELECT count(*) FROM {parquet(files)}").fetchone()
    return int(row[0]) if row else 0


def _known(folder: MirrorFolder, dump: Dump, sizes: tuple[int, ...]) -> Release | None:
    """Returns the release in use where it was made of the same bytes, told anew what the user says of them."""
    with suppress(WarehouseError):  # a damaged mirror is made anew
        known = folder.release
        if known is None or (known.sizes, known.source) != (sizes, dump.source) or not is_readable(folder, known):
            return None
        spool = folder.path / "compared.partial"
        blocks = (block for file in dump.files for block in cut(file, spool))
        same = digest_of(_sha256(block) for block in blocks) == known.digest
        shutil.rmtree(spool, ignore_errors=True)
        if not same:
            return None
        told_at = dump.told_at.isoformat() if dump.told_at else known.told_at
        now = replace(known, whole=dump.whole, told_at=told_at)
        return known if now == known else folder.publish(now)
    return None


def is_readable(folder: MirrorFolder, release: Release) -> bool:
    """Returns whether every file of `release` can be opened, and its index holds what it should."""
    papers = [folder.papers(release, block) for block in range(release.blocks)]
    files = [*papers, *(file for index in folder.indexes(release) for file in index.iterdir())]
    with closing(duckdb.connect()) as connection:
        try:
            for file in files:
                connection.execute(f"SELECT count(*) FROM read_parquet({literal(str(file))})")
        except (duckdb.Error, OSError):
            return False
    return True


def _sha256(block: Block) -> str:
    body = block.read()
    if block.unpacked:
        block.path.unlink(missing_ok=True)
    return hashlib.sha256(body).hexdigest()


def _fingerprint(dump: Dump, sizes: tuple[int, ...]) -> str:
    names = [file.name for file in dump.files]
    return hashlib.sha256(json.dumps([dump.source, names, sizes]).encode()).hexdigest()[:12]


def _told_at(dump: Dump, taken: Sequence[Taken]) -> datetime:
    """Returns as of when the dump tells: as the user says, by its newest row, by its file's name, by its file's age."""
    if dump.told_at is not None:
        return dump.told_at
    newest = max((one.newest for one in taken if one.newest), default=None)
    now = datetime.now(UTC)
    if newest is not None:
        return min(datetime.combine(date.fromisoformat(newest), datetime.min.time(), UTC), now)
    named = [match for file in dump.files for match in _DAY.findall(file.name)]
    if named:
        year, month, day = map(int, max(named))
        with suppress(ValueError):
            return min(datetime(year, month, day, tzinfo=UTC), now)
    return min(datetime.fromtimestamp(max(file.stat().st_mtime for file in dump.files), UTC), now)

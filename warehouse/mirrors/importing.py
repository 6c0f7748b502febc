"""Imports a bulk dump into a mirror: block by block, all or nothing, bad lines kept aside, going on after a crash."""

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
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from sources.durable_files import PARTIAL, put_in_place, replacing
from sources.errors import UsageError, WarehouseError
from warehouse.mirrors.blocks import Block, DumpFile, cut, dump_files, refuse_changed
from warehouse.mirrors.building import (
    BlockTask,
    MergeTask,
    Taken,
    merge_postings,
    ranges,
    refused_lines,
    take_block,
)
from warehouse.mirrors.release import MirrorFolder, Release, count_parts, hash_probe
from warehouse.mirrors.superseded import SUPERSEDED, write_superseded

T = TypeVar("T")
R = TypeVar("R")
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Runs a function over many things, several at a time where it can, and yields what it returns, in no fixed order."""

POSTINGS_AT_ONCE = 16_000_000
"""Postings that one worker sorts at a time; with the memory of `building` that stays in memory."""
_DAY = re.compile(r"(?<!\d)(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")
_ROWS_TO_A_WRONG_DAY = 100_000
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
        UsageError: A file is missing, named twice, cut off, not a dump, or changes meanwhile; or the mirror's folder
            cannot be written.
        WarehouseError: The mirror cannot be written, or not every row arrived in it.
    """
    files = dump_files(dump.files)
    with folder.importing():
        known = _known(folder, dump, files)
        if known is not None:
            return known
        work = folder.path / f"import-{_fingerprint(dump, files)}{PARTIAL}"
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
    source: str,
    files: Sequence[DumpFile],
    work: Path,
    *,
    first: int,
    spread: Spread = one_by_one,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> list[Taken]:
    """Takes every block of `files`, each into a folder of its own in `work`, numbered from `first`; in their order.

    Raises:
        UsageError: A file is cut off or damaged, or has changed meanwhile.
        WarehouseError: Not every row that was read of a file has arrived.
    """
    given: dict[int, Block] = {}

    def tasks() -> Iterator[BlockTask]:
        blocks = (block for number, file in enumerate(files) for block in cut(file, work / "spool", number=number))
        for number, block in enumerate(blocks, start=first):
            given[number] = block
            yield BlockTask(
                block=block,
                shape=source,
                number=number,
                papers=_papers_of(work, number),
                work=work / "blocks" / f"{number:06}",
            )

    taken = []
    for one in spread(take_block, tasks()):
        taken.append(one)
        # Only here: a cluster takes a block again where the machine is lost that had its result.
        if given[one.number].unpacked:
            given[one.number].path.unlink(missing_ok=True)
        on_bytes(one.bytes)
    refuse_changed(files)
    taken.sort(key=lambda one: one.number)
    _refuse_losses(given, taken, work)
    return taken


def _refuse_losses(given: Mapping[int, Block], taken: Sequence[Taken], work: Path) -> None:
    """Compares, for each file, the rows that were read of it with those that are in the mirror's files or refused.

    Raises:
        WarehouseError: They differ.
    """
    papers = rows_of([_papers_of(work, number) for number in given])
    arrived: Counter[str] = Counter()
    for one in taken:
        arrived[one.file] += papers[_papers_of(work, one.number)] + one.refused + one.blank
    read: Counter[str] = Counter()
    for block in given.values():
        read[block.file] += block.lines
    for file in read.keys() | arrived.keys():
        if read[file] != arrived[file]:
            raise WarehouseError(
                f"{read[file]} lines were read of {file}, but {arrived[file]} arrived in the mirror: nothing was"
                f" changed; remove {work} and try again"
            )


def index_blocks(work: Path, taken: Sequence[Taken], target: Path, *, spread: Spread = one_by_one) -> None:
    """Makes the index over the blocks `taken` in the folder `target`.

    Raises:
        WarehouseError: It does not hold every row of theirs.
    """
    merge_indexes([work / "blocks" / f"{one.number:06}" for one in taken], target, spread=spread)
    rows, indexed = sum(one.rows for one in taken), sum(rows_of(sorted(target.glob("keys-*.parquet"))).values())
    if rows != indexed:
        raise WarehouseError(f"{rows} papers were taken, but {indexed} are in the index {target}: nothing was changed")


def merge_indexes(parts: Sequence[Path], target: Path, *, spread: Spread = one_by_one) -> None:
    """Makes one index in the folder `target` of those in the folders `parts`.

    Raises:
        WarehouseError: It does not hold all that they hold.
    """
    target.mkdir(parents=True, exist_ok=True)
    tasks, before = [], {}
    for kind, bits in (("terms", 32), ("keys", 64)):
        files = tuple(file for part in parts for file in sorted(part.glob(f"{kind}*.parquet")))
        before[kind] = sum(rows_of(files).values())
        for number, (low, high) in enumerate(ranges(before[kind], at_most=POSTINGS_AT_ONCE, bits=bits)):
            made = target / f"{kind}-{number:04}.parquet"
            tasks.append(MergeTask(files=files, low=low, high=high, target=made))
    for _ in spread(merge_postings, tasks):
        pass
    for kind, rows in before.items():
        after = sum(rows_of([task.target for task in tasks if task.target.name.startswith(kind)]).values())
        if after != rows:
            raise WarehouseError(f"{after} of {rows} {kind} arrived in the index {target}: nothing was changed")


def rows_of(files: Sequence[Path]) -> dict[Path, int]:
    """Returns how many rows each of some Parquet files has.

    Raises:
        WarehouseError: One cannot be read.
    """
    try:
        return {file: pq.read_metadata(file).num_rows for file in files}
    except (OSError, pa.ArrowException) as error:
        raise WarehouseError(f"cannot read what was just written: {str(error).splitlines()[0]}") from error


def _papers_of(work: Path, number: int) -> Path:
    return work / "papers" / f"{number:06}.parquet"


def write_refused(notes: Iterable[Mapping[str, Any]], target: Path, *, before: Path | None = None) -> tuple[int, int]:
    """Writes what was refused to the file `target`, behind what the file `before` holds, and returns how much it is.

    Each is written once: a run that was stopped, or an update that is applied again, adds nothing a second time.

    Returns:
        How many lines are no papers, and how many fields of others cannot be true.
    """
    seen: set[bytes] = set()
    counts: Counter[bool] = Counter()
    with replacing(target) as made:
        for line in chain(_lines_in(before), (json.dumps(note).encode() + b"\n" for note in notes)):
            digest = hashlib.blake2b(line, digest_size=16).digest()
            if digest not in seen:
                seen.add(digest)
                counts["field" in json.loads(line)] += 1
                made.write(line)
    return counts[False], counts[True]


def refused_of(work: Path, taken: Sequence[Taken]) -> Iterator[dict[str, Any]]:
    """Yields what was refused of the blocks `taken`, with the file and the line in it."""
    lines_before: Counter[str] = Counter()
    for one in taken:
        before = lines_before[one.file]
        for note in refused_lines(work / "blocks" / f"{one.number:06}"):
            yield {"file": one.file} | note | {"line": before + note["line"]}
        lines_before[one.file] += one.lines


def _lines_in(file: Path | None) -> Iterator[bytes]:
    if file is not None and file.exists():
        with file.open("rb") as stream:
            yield from stream


def _import(
    folder: MirrorFolder, dump: Dump, work: Path, files: Sequence[DumpFile], *, spread: Spread, on_bytes: Any
) -> Release:
    taken = take_blocks(dump.source, files, work, first=0, spread=spread, on_bytes=on_bytes)
    _refuse_other_files(dump.source, files, taken)
    index = work / "index" / "0000"
    index_blocks(work, taken, index, spread=spread)
    duplicates, _ = write_superseded(index)
    refused, left_out = write_refused(refused_of(work, taken), work / "refused.jsonl")
    shutil.rmtree(work / "blocks")
    shutil.rmtree(work / "spool", ignore_errors=True)
    folder.drop_unused(_release_in_use(folder))  # what an import left that was stopped before it was put into use
    whole_digest = digest_of(one.sha256 for one in taken)
    name = folder.new_name(whole_digest)
    put_in_place(work, folder.path / name)
    release = Release(
        name=name,
        source=dump.source,
        files=tuple(file.label for file in files),
        sizes=tuple(file.size for file in files),
        digest=whole_digest,
        rows=sum(one.rows for one in taken) - duplicates,
        refused=refused,
        left_out=left_out,
        duplicates=duplicates,
        imported_at=datetime.now(UTC).isoformat(),
        told_at=_told_at(dump, files, taken).isoformat(),
        whole=dump.whole,
        blocks=len(taken),
        indexes=1,
        parts=(count_parts(folder.path / name / "index" / "0000"),),
        hashed=hash_probe(),
    )
    return folder.publish(release)


def _refuse_other_files(source: str, files: Sequence[DumpFile], taken: Sequence[Taken]) -> None:
    """Refuses files of which not one line is a paper.

    Raises:
        UsageError: There is such a file.
    """
    rows: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for one in taken:
        rows[one.file] += one.rows
        refused[one.file] += one.refused
    for file in files:
        if not rows[file.label]:
            what, fields = _MEANT[source]
            raise UsageError(
                _NOTHING_READ.format(name=file.label, what=what, fields=fields, refused=refused[file.label])
            )


def _release_in_use(folder: MirrorFolder) -> Release | None:
    with suppress(WarehouseError):
        return folder.release
    return None


def _known(folder: MirrorFolder, dump: Dump, files: Sequence[DumpFile]) -> Release | None:
    """Returns the release in use where it was made of the same bytes, told anew what the user says of them."""
    with suppress(WarehouseError):  # a damaged mirror is made anew
        known = folder.release
        sizes = tuple(file.size for file in files)
        if known is None or (known.sizes, known.source) != (sizes, dump.source) or not is_readable(folder, known):
            return None
        if digest_of(block.sha256 for file in files for block in cut(file, None)) != known.digest:
            return None
        told_at = dump.told_at.isoformat() if dump.told_at else known.told_at
        now = replace(known, whole=dump.whole, told_at=told_at)
        return known if now == known else folder.publish(now)
    return None


def is_readable(folder: MirrorFolder, release: Release) -> bool:
    """Returns whether every file of `release` can be opened, and together they hold what they should."""
    papers = [folder.papers(release, block) for block in range(release.blocks)]
    indexes = [index for index in range(release.indexes) if index not in release.merged]
    keys = [file for index in indexes for file in folder.index(release, index).glob("keys-*.parquet")]
    taken = release.rows + release.duplicates + release.deleted
    try:
        rows_of([file for index in indexes for file in folder.terms(release, index)])
        rows_of([folder.index(release, index) / SUPERSEDED for index in indexes])
        return sum(rows_of(papers).values()) == taken == sum(rows_of(keys).values())
    except WarehouseError:
        return False


def _fingerprint(dump: Dump, files: Sequence[DumpFile]) -> str:
    facts = [dump.source, [file.label for file in files], [file.size for file in files]]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:12]


def _told_at(dump: Dump, files: Sequence[DumpFile], taken: Sequence[Taken]) -> datetime:
    """Returns as of when the dump tells: by the user, by its newest rows, by its file's name or age."""
    if dump.told_at is not None:
        return dump.told_at
    now = datetime.now(UTC)
    newest = _newest_day(taken)
    if newest is not None:
        return min(datetime.combine(newest, datetime.min.time(), UTC), now)
    named = [day for file in files for match in _DAY.findall(file.path.name) if (day := _day(*match)) and day <= now]
    return max(named) if named else min(datetime.fromtimestamp(max(file.modified_ns for file in files) / 1e9, UTC), now)


def _day(year: str, month: str, day: str) -> datetime | None:
    with suppress(ValueError):
        return datetime(int(year), int(month), int(day), tzinfo=UTC)
    return None


def _newest_day(taken: Sequence[Taken]) -> date | None:
    """Returns the newest day that rows enough tell: of each 100,000 rows one may be wrong about it.

    Too early a day costs requests; too late a one would make newer papers unknown to the source.
    """
    days: Counter[str] = Counter()
    for one in taken:
        days.update(dict(one.days))
    spare = sum(one.rows for one in taken) // _ROWS_TO_A_WRONG_DAY
    for day in sorted(days, reverse=True):
        spare -= days[day]
        if spare < 0:
            return date.fromisoformat(day)
    return None

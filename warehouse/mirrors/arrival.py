"""What has arrived in a mirror of the files it is made of: every row, or a refusal that names the file and the line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

from sources.errors import UsageError, WarehouseError
from sources.text import counted
from warehouse.durable_files import replacing
from warehouse.mirrors.blocks import Block, DumpFile
from warehouse.mirrors.building import Taken, refused_lines
from warehouse.mirrors.index import SUPERSEDED, rows_of
from warehouse.mirrors.release import MirrorFolder, Release

_ROWS_TO_A_WRONG_DAY = 100_000
_NOTHING_READ = "{name} holds no paper: {what} is JSON lines with {fields} (refused {refused} lines)"
_MEANT = {"arxiv": ("arXiv's dump", "id and title"), "s2-papers": ("the papers data set", "corpusid, url and title")}


def refuse_losses(given: Mapping[int, Block], taken: Sequence[Taken], work: Path) -> None:
    """Compares, for each file, the rows that were read of it with those that are in the mirror's files or refused.

    Raises:
        WarehouseError: They differ.
    """
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


def refuse_other_files(source: str, files: Sequence[DumpFile], taken: Sequence[Taken]) -> None:
    """Refuses files of which not one line is a paper.

    Raises:
        UsageError: There is such a file.
    """
    rows: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for item in taken:
        rows[item.file] += item.rows
        refused[item.file] += item.refused
    for file in files:
        if not rows[file.label]:
            what, fields = _MEANT[source]
            raise UsageError(
                _NOTHING_READ.format(name=file.label, what=what, fields=fields, refused=refused[file.label])
            )


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


def papers_of(work: Path, number: int) -> Path:
    """Returns the file with the papers of a block, in the folder that a mirror is made in."""
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
    for item in taken:
        before = lines_before[item.file]
        for note in refused_lines(work / "blocks" / f"{item.number:06}"):
            yield {"file": item.file} | note | {"line": before + note["line"]}
        lines_before[item.file] += item.lines


def _lines_in(file: Path | None) -> Iterator[bytes]:
    if file is not None and file.exists():
        with file.open("rb") as stream:
            yield from stream


def newest_day(taken: Sequence[Taken]) -> date | None:
    """Returns the newest day that rows enough tell: of each 100,000 rows one may be wrong about it.

    Too early a day costs requests; too late a one would make newer papers unknown to the source.
    """
    days: Counter[str] = Counter()
    for each in taken:
        days.update(dict(each.days))
    spare = sum(item.rows for item in taken) // _ROWS_TO_A_WRONG_DAY
    for day in sorted(days, reverse=True):
        spare -= days[day]
        if spare < 0:
            return date.fromisoformat(day)
    return None

"""Packed shards of one base name, in threads, imported and updated many times over."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sources.bibliography.identifiers import Identifier
from warehouse.mirrors import ArxivMirror, MirrorFolder
from warehouse.mirrors.importing import Dump, Update, apply_update, import_dump


def rounds_of_shards(folder: Path, *, rounds: int, rows: int) -> Iterator[tuple[int, int]]:
    """Yields, round by round, how many rows of two shards of `rows` rows are found, and of four after an update."""
    shards = [_shard(folder / name / "part-0.gz", number * rows, rows) for number, name in enumerate("abcd")]
    wanted = [Identifier("arxiv", f"2001.{number:05}") for number in range(4 * rows)]
    for number in range(rounds):
        mirror = MirrorFolder(folder / f"mirror-{number}")
        import_dump(mirror, Dump(source="arxiv", files=tuple(shards[:2])))
        found = len(ArxivMirror(mirror.path).by_identifiers(wanted))
        update = Update(files=tuple(shards[2:]), deleted=(), told_at=datetime.now(UTC))
        apply_update(mirror, update)
        yield found, len(ArxivMirror(mirror.path).by_identifiers(wanted))


def _shard(path: Path, first: int, rows: int) -> Path:
    path.parent.mkdir(parents=True)
    lines = (
        json.dumps({"id": f"2001.{number:05}", "title": f"Paper {number}", "update_date": "2020-02-01"}) + "\n"
        for number in range(first, first + rows)
    )
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return path

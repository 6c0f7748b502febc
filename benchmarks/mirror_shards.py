"""Packed shards of one base name, in threads, imported and updated many times over: every row must arrive.

    .venv/bin/python -m benchmarks.mirror_shards [--rounds 20] [--rows 3000]

Two folders hold `part-0.gz` each, with other papers; they are imported at the same time, each of them one block. Two
more such shards then update the mirror. Every row of all four is looked up afterwards.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from sources.bibliography.identifiers import Identifier
from warehouse.mirrors import ArxivMirror, Dump, MirrorFolder, import_dump
from warehouse.mirrors.updating import Update, apply_update
from warehouse.mirrors.workers import in_threads


def rounds_of_shards(folder: Path, *, rounds: int, rows: int) -> Iterator[tuple[int, int]]:
    """Yields, round by round, how many rows of two shards of `rows` rows are found, and of four after an update."""
    shards = [_shard(folder / name / "part-0.gz", number * rows, rows) for number, name in enumerate("abcd")]
    wanted = [Identifier("arxiv", f"2001.{number:05}") for number in range(4 * rows)]
    for number in range(rounds):
        mirror = MirrorFolder(folder / f"mirror-{number}")
        import_dump(mirror, Dump(source="arxiv", files=tuple(shards[:2])), spread=in_threads)
        found = len(ArxivMirror(mirror.path).by_identifiers(wanted))
        update = Update(files=tuple(shards[2:]), deleted=(), told_at=datetime.now(UTC))
        apply_update(mirror, update, spread=in_threads)
        yield found, len(ArxivMirror(mirror.path).by_identifiers(wanted))


def _shard(path: Path, first: int, rows: int) -> Path:
    path.parent.mkdir(parents=True)
    lines = (
        json.dumps({"id": f"2001.{number:05}", "title": f"Paper {number}", "update_date": "2020-02-01"}) + "\n"
        for number in range(first, first + rows)
    )
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=3000, help="of a shard; four of them share 99,999 identifiers")
    options = parser.parse_args()
    wrong, whole = 0, (2 * options.rows, 4 * options.rows)
    with tempfile.TemporaryDirectory() as name:
        for number, found in enumerate(rounds_of_shards(Path(name), rounds=options.rounds, rows=options.rows), start=1):
            wrong += found != whole
            print(f"round {number}: {found[0]} of {whole[0]} rows, after the update {found[1]} of {whole[1]}")
    print(f"{wrong} rounds with rows lost" if wrong else f"every row arrived in {options.rounds} rounds")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

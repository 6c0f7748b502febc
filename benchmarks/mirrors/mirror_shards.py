"""Packed shards of one base name, in threads, imported and updated many times over: every row must arrive.

    .venv/bin/python -m benchmarks.mirrors.mirror_shards [--rounds 20] [--rows 3000]

Two folders hold `part-0.gz` each, with other papers; they are imported at the same time, each of them one block. Two
more such shards then update the mirror. Every row of all four is looked up afterwards.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from standins.trials.mirror_shards import rounds_of_shards


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

"""A bulk import killed with SIGKILL at random moments and gone on with, beside one left alone; bad rows among the rows.

    .venv/bin/python -m benchmarks.faults.mirror_cut [--rows 300000] [--cuts 5] [--bad 1000] [--seed 7]

The dump is that of `benchmarks.mirrors.mirror_dump`, with a broken row after every thousandth. `paperlake mirror
import` takes it in once unharmed. Then it is started anew and its whole process group killed, so many times, and let
run to its end: the release must be the same, byte for byte, and every bad row counted, those that are no papers kept
aside with the reason.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import duckdb

from benchmarks.mirrors.mirror import BACKGROUND
from benchmarks.mirrors.mirror_dump import bad_rows, write_dump
from warehouse.mirrors import MirrorFolder

_VARYING = re.compile(r"(?:no-)?\d[\d.]*")


def main() -> int:
    options = _options()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dump = folder / "dump.jsonl"
        write_dump(options.rows, dump, BACKGROUND, bad=options.bad)
        began = time.monotonic()
        _start(dump, folder / "whole").wait()
        took = time.monotonic() - began
        print(f"unharmed: {took:.0f} s")
        for _ in range(options.cuts):
            _kill_after(_start(dump, folder / "cut"), draw.uniform(0, took))
            done = len(list((folder / "cut").glob("mirror/arxiv/*.partial/blocks/*/taken.json")))
            print(f"killed with {done} blocks done" if done else f"killed; {_there(folder / 'cut')}", flush=True)
        began = time.monotonic()
        ended = _start(dump, folder / "cut").wait()
        print(f"gone on with to the end in {time.monotonic() - began:.0f} s, exit code {ended}")
        same = _digests(folder / "cut") == _digests(folder / "whole")
        print(f"{len(_digests(folder / 'whole'))} files, {'the same' if same else 'NOT THE SAME'} byte for byte")
        aside = _refused(folder / "whole")
        release = MirrorFolder(folder / "whole" / "mirror" / "arxiv").release
        told = (release.refused, release.duplicates) if release else (0, 0)
        expected = bad_rows(options.rows, options.bad)
        print(f"{told[0]} rows refused, {told[1]} replaced, of {expected[0]} broken and {expected[1]} repeated; aside:")
        for why, count in aside.most_common():
            print(f"  {count} x {why}")
    return 0 if same and ended == 0 and told == expected and sum(aside.values()) == expected[0] else 1


def _start(dump: Path, lake: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "flows", "mirror", "import", "arxiv", str(dump), "--lake", str(lake)]
    return subprocess.Popen(command, start_new_session=True)


def _kill_after(child: subprocess.Popen[bytes], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _there(lake: Path) -> str:
    return "the release was there" if (lake / "mirror" / "arxiv" / "release.json").exists() else "nothing was there yet"


def _digests(lake: Path) -> dict[str, str]:
    """Returns the digest of each file of the release in use; of the index, that of its rows."""
    files = sorted(path for path in lake.glob("mirror/arxiv/release-*/**/*") if path.is_file())
    return {str(path.relative_to(lake)): hashlib.sha256(_content(path)).hexdigest() for path in files}


def _content(path: Path) -> bytes:
    if path.suffix != ".duckdb":
        return path.read_bytes()
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [connection.execute(f"FROM {name}").fetchall() for name in ("terms", "keys", "superseded")]
    return repr(tables).encode()


def _refused(lake: Path) -> Counter[str]:
    """Returns reason, with N for what differs -> rows kept aside for it, each of which must name its file and line."""
    (aside,) = lake.glob("mirror/arxiv/release-*/refused.jsonl")
    rows = [json.loads(line) for line in aside.read_text(encoding="utf-8").splitlines()]
    return Counter(_VARYING.sub("N", row["why"]) for row in rows if row["file"] and row["line"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--cuts", type=int, default=5)
    parser.add_argument("--bad", type=int, default=1000, help="a broken row after every so many")
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

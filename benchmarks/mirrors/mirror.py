"""The mirror at sizes of arXiv: its import beside DuckDB's plain `read_json` to Parquet, and titles looked up in it.

    python -m benchmarks.mirrors.mirror [--full] [--rows 300000,3000000] [--mentions 10000] [--openalex 1000000]

The dump is that of `benchmarks.mirrors.mirror_dump`. Half of the mentions have a damaged title: a typing error, its end
cut off, its subtitle left out, a system's name put before it. They go through the mirror stage of resolution, judgement
and all; beside it, rapidfuzz compares a few of the same titles with every title, and is scaled up. Each part runs in a
process of its own, whose memory is looked at fifty times a second, with that of its children.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb
import psutil

from benchmarks.figure import Figure
from benchmarks.matching import fuzzy
from benchmarks.mirrors.mirror_dump import write_dump, write_snapshot
from sources.services.openalex.snapshot import ROW_FIELDS

BACKGROUND = Path("../shared/facts/background.parquet")
_MANY = 3_000_000
"""Rows up to which an import is timed several times."""
_CORES = 2
"""rapidfuzz is run on one and reckoned as if it used all of them without loss."""


def figures(*, full: bool, rows: Sequence[int] = (), mentions: int = 10_000) -> Iterator[Figure]:
    sizes = rows or ((300_000, 1_000_000, 3_000_000, 10_000_000) if full else (300_000, 3_000_000))
    looked_up: list[tuple[int, float]] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            yield from _imported("arxiv", size, folder, rounds=3 if size <= _MANY else 1)
            told = f"{mentions:,} mentions, half of them damaged, in a mirror of {size:,} rows"
            found = _part("lookup", folder / "dump.jsonl", folder / "lake", mentions)
            plainly = _part("rapidfuzz", folder / "dump.jsonl", mentions)
            looked_up.append((size, found["seconds"]))
            yield Figure(
                name=told, value=found["seconds"], unit="s", beside="rapidfuzz over all titles, extrapolated",
                plain=plainly["seconds"], bar=0.25,
            )  # fmt: skip
            yield Figure(name=f"{told}: memory", value=found["gb"], unit="GB", bar=4, bar_on="value")
            single = _part("single", folder / "dump.jsonl", folder / "lake")
            one = f"one title with a typing error, in a mirror of {size:,} rows"
            yield Figure(name=one, value=single["ms"], unit="ms")
            yield Figure(
                name=f"{one}: read", value=single["mb"], unit="MB", beside="the mirror",
                plain=_size(folder / "lake") / 1e6,
            )  # fmt: skip
            for kind, fates in found["fates"].items():
                shares = ", ".join(f"{fate} {count}" for fate, count in sorted(fates.items()))
                print(f"  {kind}: {shares}", flush=True)
            wrong = 100 * sum(fates.get("wrong", 0) for fates in found["fates"].values()) / mentions
            yield Figure(name=f"{told}: wrong papers", value=wrong, unit="%", bar=0.5, bar_on="value")
    if len(looked_up) > 1:
        (small, fast), (large, slow) = looked_up[0], looked_up[-1]
        yield Figure(
            name=f"look-up, from {small:,} rows to {large:,}: cost grows",
            value=slow / fast,
            unit="times",
            beside="the mirror grows",
            plain=large / small,
            bar=1,
        )
    if full or not rows:
        with tempfile.TemporaryDirectory() as name:
            yield from _imported("s2-papers", 1_000_000, Path(name), rounds=3)
        yield from openalex((1_000_000, 10_000_000) if full else (300_000, 1_000_000))


def openalex(sizes: Sequence[int]) -> Iterator[Figure]:
    """Imports made-up snapshots of OpenAlex, in Parquet as it publishes them, and looks up works in the mirrors."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            yield from _imported("openalex", size, folder, rounds=1)
            found = _part("works", folder / "lake", 10_000)
            for what, seconds in found["took"].items():
                yield Figure(name=f"{what}, in a mirror of {size:,} works of OpenAlex", value=seconds, unit="s")


def _imported(source: str, size: int, folder: Path, *, rounds: int) -> Iterator[Figure]:
    """Writes a dump to `folder`, imports it into the mirrors in `lake` there, and yields what that cost."""
    dump, lake, plain_file = folder / "dump.jsonl", folder / "lake", folder / "plain.parquet"
    _part("dump", dump, size, source)
    plain, ours = [], []
    for _ in range(rounds):
        shutil.rmtree(lake, ignore_errors=True)
        plain.append(_part("plain", dump, plain_file))
        ours.append(_part("import", dump, lake, source))
    told = f"import of {size:,} rows of {source}"
    yield Figure(
        name=told, value=_median(ours, "seconds"), unit="s",
        beside="DuckDB, the same columns to Parquet" if source == "openalex" else "DuckDB's read_json to Parquet",
        plain=_median(plain, "seconds"), bar=2 if source == "arxiv" else None,
    )  # fmt: skip
    yield Figure(name=f"{told}: memory", value=_median(ours, "gb"), unit="GB", bar=4, bar_on="value")
    alone = plain_file.stat().st_size / 1e9
    yield Figure(name=f"{told}: disk", value=_size(lake) / 1e9, unit="GB", beside="the plain file", plain=alone)


def _size(lake: Path) -> int:
    return sum(file.stat().st_size for file in lake.rglob("*") if file.is_file())


def _median(parts: Sequence[dict], name: str) -> float:
    return statistics.median(part[name] for part in parts)


def _part(name: str, *arguments: object) -> dict:
    """Runs one part in a process of its own and returns what it measured, and the most memory that it held."""
    command = [sys.executable, "-m", "benchmarks.mirrors.mirror", "--part", name, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        process, most = psutil.Process(child.pid), 0
        while child.poll() is None:
            most = max(most, _held(process))
            time.sleep(0.02)
        assert child.stdout is not None
        told = child.stdout.read()
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return json.loads(told.splitlines()[-1]) | {"gb": most / 2**30}


def _held(process: psutil.Process) -> int:
    """Returns the bytes that `process` and its children hold now; what they share is counted for each."""
    held = 0
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                held += each.memory_info().rss
    return held


def _dump(dump: Path, rows: int, source: Path) -> dict:
    if str(source) == "openalex":
        write_snapshot(rows, dump, BACKGROUND)
        return {}
    write_dump(rows, dump, BACKGROUND, source=str(source))
    return {}


def _plain(dump: Path, out: Path) -> dict:
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar=false")
        connection.execute("SET memory_limit='4GB'")
        rows = (
            f"SELECT {', '.join(ROW_FIELDS)} FROM read_parquet('{dump}/*/*')"
            if dump.is_dir()
            else f"FROM read_json('{dump}')"
        )
        connection.execute(f"COPY ({rows}) TO '{out}' (FORMAT parquet)")
    return {}


def _import(dump: Path, lake: Path, source: Path) -> dict:
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.importing import Dump, import_dump
    from warehouse.mirrors.snapshot import read_snapshot

    files = read_snapshot(str(dump)).parts if dump.is_dir() else (dump,)
    release = import_dump(MirrorFolder(lake / source), Dump(source=str(source), files=files))
    return {"rows": release.rows, "refused": release.refused}


def _lookup(dump: Path, lake: Path, mentions: int) -> dict:
    from sources.matching.resolve import resolve
    from sources.records import Mention
    from warehouse.mirrors import Mirrors

    asked = _mentions(dump, mentions)
    told = [
        Mention(line=1, last_line=1, title=each["title"], authors=tuple(each["authors"]), year=each["year"])
        for each in asked
    ]
    began = time.perf_counter()
    done = resolve(told, mirror=Mirrors(lake))
    seconds = time.perf_counter() - began
    fates: dict[str, Counter[str]] = {}
    for each, resolution in zip(asked, done, strict=True):
        chosen = resolution.chosen
        fate = resolution.status if chosen is None else "right" if chosen.arxiv_id == each["id"] else "wrong"
        fates.setdefault(each["damage"], Counter())[fate] += 1
        if fate == "wrong" and sum(kind["wrong"] for kind in fates.values()) <= 12:
            print(f"wrong: {each} -> {chosen.title!r} {chosen.arxiv_id} {chosen.authors[:2]}", file=sys.stderr)
    return {"seconds": seconds, "fates": fates}


def _works(lake: Path, number: int) -> dict:
    """Returns the seconds that look-ups of works take."""
    from sources.services.openalex.answers import CitingQuestion
    from warehouse.mirrors import Mirrors
    from warehouse.mirrors.local import OpenAlexFromMirror

    mirrors = Mirrors(lake)
    client = OpenAlexFromMirror(mirrors.openalex)
    ids = [f"W{1 + 37 * place}" for place in range(number)]
    took = {}
    began = time.perf_counter()
    works = client.fetch_works(ids).found
    took[f"{number:,} works by identifier"] = time.perf_counter() - began
    began = time.perf_counter()
    client.search_titles([work.title for work in works.values()])
    took[f"{number:,} works by title"] = time.perf_counter() - began
    began = time.perf_counter()
    for first in range(0, 1_000, 100):
        client.fetch_citing(CitingQuestion(work_ids=tuple(ids[first : first + 100]), most=100_000))
    took["the works that cite one of 1,000, a hundred at a time"] = time.perf_counter() - began
    return {"took": took}


def _single(dump: Path, lake: Path) -> dict:
    """Returns the milliseconds and megabytes that one look-up takes, the medians of some."""
    from warehouse.mirrors import Mirrors

    took, read = [], []
    for each in (each for each in _mentions(dump, 100) if each["damage"] == "typing error"):
        began, before = time.perf_counter(), psutil.Process().io_counters().read_chars
        Mirrors(lake).by_titles([each["title"]])
        took.append(time.perf_counter() - began)
        read.append(psutil.Process().io_counters().read_chars - before)
    return {"ms": 1e3 * statistics.median(took), "mb": statistics.median(read) / 1e6}


def _rapidfuzz(dump: Path, mentions: int) -> dict:
    with duckdb.connect() as connection:
        titles = [title for (title,) in connection.execute(f"SELECT title FROM read_json('{dump}')").fetchall()]
    return {"seconds": fuzzy.seconds(titles, [each["title"] for each in _mentions(dump, mentions)]) / _CORES}


def _mentions(dump: Path, number: int) -> list[dict]:
    """Returns mentions of `number` papers drawn from the dump, every other one with a damaged title."""
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar=false")
        rows = (
            connection.execute(
                "SELECT id, title, list_transform(authors_parsed, lambda n: n[2] || ' ' || n[1]) AS authors,"
                f" 2000 + left(id, 2)::INT AS year FROM read_json('{dump}') ORDER BY hash(id), id LIMIT {number}"
            )
            .to_arrow_table()
            .to_pylist()
        )
    draw = random.Random(11)
    kinds = ("none", "typing error", "none", "cut off", "none", "subtitle left out", "none", "name added")
    mentions = []
    for place, row in enumerate(rows):
        kind = kinds[place % len(kinds)]
        title = _damaged(row["title"], kind, draw)
        mentions.append(row | {"title": title, "damage": kind if title != row["title"] else "none"})
    return mentions


def _damaged(title: str, kind: str, draw: random.Random) -> str:
    words = title.split()
    if kind == "typing error":
        place = draw.choice([number for number, letter in enumerate(title) if letter.isalpha()] or [0])
        return title[:place] + draw.choice(("", title[place] * 2, draw.choice("aeiorst"))) + title[place + 1 :]
    if kind == "cut off" and len(words) > 5:
        return " ".join(words[: max(4, len(words) * 2 // 3)]) + "..."
    if kind == "subtitle left out" and ": " in title:
        return title.split(": ", 1)[0]
    if kind == "name added":
        return f"{draw.choice(('Zorvex', 'Quillon', 'Brantix', 'Tamarel'))}: {title}"
    return title


_PARTS = {
    "dump": _dump,
    "plain": _plain,
    "import": _import,
    "lookup": _lookup,
    "single": _single,
    "works": _works,
    "rapidfuzz": _rapidfuzz,
}


def _run_part(name: str, arguments: Sequence[str]) -> None:
    values = [int(one) if one.isdecimal() else Path(one) for one in arguments]
    began = time.perf_counter()
    told = _PARTS[name](*values)
    print(json.dumps({"seconds": time.perf_counter() - began} | told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="at the sizes that the project claims, to 10 million rows")
    parser.add_argument("--rows", default="", help="the sizes, as in 300000,3000000")
    parser.add_argument("--mentions", type=int, default=10_000)
    parser.add_argument("--openalex", default="", help="sizes of snapshots of OpenAlex, and nothing else")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        _run_part(options.part[0], options.part[1:])
        return
    sizes, works = ([int(size) for size in told.split(",") if size] for told in (options.rows, options.openalex))
    for figure in openalex(works) if works else figures(full=options.full, rows=sizes, mentions=options.mentions):
        print(figure, flush=True)


if __name__ == "__main__":
    main()

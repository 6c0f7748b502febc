"""The mirror at sizes of arXiv: its import beside DuckDB's plain `read_json` to Parquet, and titles looked up in it.

    python -m benchmarks.mirrors.mirror [--full] [--rows 300000,3000000] [--mentions 10000]

The dump is that of `benchmarks.mirrors.mirror_dump`. Half of the mentions have a damaged title: a typing error, its end
cut off, its subtitle left out, a system's name put before it. They go through the mirror stage of resolution, judgement
and all; beside it, rapidfuzz compares a few of the same titles with every title, and is scaled up. Each part runs in a
process of its own, whose memory is looked at ten times a second, with that of its children.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import psutil

from benchmarks.figure import Figure
from benchmarks.matching import fuzzy
from benchmarks.mirrors.mirror_dump import write_dump
from benchmarks.mirrors.parts import measured, options_of, size_of, stopped

if TYPE_CHECKING:
    from sources.matching.candidates import Candidate

BACKGROUND = Path("../shared/facts/background.parquet")
_MANY = 3_000_000
"""Rows up to which an import is timed several times."""
_part = partial(measured, "benchmarks.mirrors.mirror")
_CORES = 2
"""rapidfuzz is run on one and reckoned as if it used all of them without loss."""


def figures(*, full: bool, rows: Sequence[int] = (), mentions: int = 10_000) -> Iterator[Figure]:
    sizes = rows or ((300_000, 1_000_000, 3_000_000, 10_000_000) if full else (300_000, 3_000_000))
    took: list[tuple[int, float]] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            yield from _imported("arxiv", size, folder, rounds=3 if size <= _MANY else 1)
            told = f"{mentions:,} mentions, half of them damaged, in a mirror of {size:,} rows"
            found = _part("lookup", folder / "dump.jsonl", folder / "lake", mentions)
            plainly = _part("rapidfuzz", folder / "dump.jsonl", mentions)
            took.append((size, found["seconds"]))
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
                plain=size_of(folder / "lake") / 1e6,
            )  # fmt: skip
            for kind, fates in found["fates"].items():
                shares = ", ".join(f"{fate} {count}" for fate, count in sorted(fates.items()))
                print(f"  {kind}: {shares}", flush=True)
            wrong = 100 * sum(fates.get("wrong", 0) for fates in found["fates"].values()) / mentions
            yield Figure(name=f"{told}: wrong papers", value=wrong, unit="%", bar=0.5, bar_on="value")
    if len(took) > 1:
        (small, fast), (large, slow) = took[0], took[-1]
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
        beside="DuckDB's read_json to Parquet",
        plain=_median(plain, "seconds"), bar=2 if source == "arxiv" else None,
    )  # fmt: skip
    yield Figure(name=f"{told}: memory", value=_median(ours, "gb"), unit="GB", bar=4, bar_on="value")
    alone = plain_file.stat().st_size / 1e9
    yield Figure(name=f"{told}: disk", value=size_of(lake) / 1e9, unit="GB", beside="the plain file", plain=alone)


def _median(parts: Sequence[dict], name: str) -> float:
    return statistics.median(part[name] for part in parts)


def _dump(dump: Path, rows: int, source: Path) -> dict:
    write_dump(rows, dump, BACKGROUND, source=str(source))
    return {}


def _plain(dump: Path, out: Path) -> dict:
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar=false")
        connection.execute("SET memory_limit='4GB'")
        connection.execute(f"COPY (FROM read_json('{dump}')) TO '{out}' (FORMAT parquet)")
    return {}


def _import(dump: Path, lake: Path, source: Path) -> dict:
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.importing import Dump, import_dump

    release = import_dump(MirrorFolder(lake / source), Dump(source=str(source), files=(dump,)))
    return {"rows": release.rows, "refused": release.refused}


def _lookup(dump: Path, lake: Path, mentions: int) -> dict:
    return looked_up(_mentions(dump, mentions), lake, id_of=lambda chosen: chosen.arxiv_id)


def looked_up(mentions: Sequence[dict], lake: Path, *, id_of: Callable[[Candidate], str | None]) -> dict:
    """Returns the seconds that mentions take to be resolved by the mirrors alone, and what became of those damaged so.

    A resolution is right where `id_of` its paper is the mention's `id`.
    """
    from sources.matching.resolve import resolve
    from sources.records import Mention
    from warehouse.mirrors import Mirrors

    read = [
        Mention(line=1, last_line=1, title=each["title"], authors=tuple(each["authors"]), year=each["year"])
        for each in mentions
    ]
    with stopped() as spent:
        done = resolve(read, mirror=Mirrors(lake))
    fates: dict[str, Counter[str]] = {}
    for each, resolution in zip(mentions, done, strict=True):
        chosen = resolution.chosen
        fate = resolution.status if chosen is None else "right" if id_of(chosen) == each["id"] else "wrong"
        fates.setdefault(each["damage"], Counter())[fate] += 1
        if fate == "wrong" and sum(kind["wrong"] for kind in fates.values()) <= 12:
            print(f"wrong: {each} -> {chosen.title!r} {id_of(chosen)} {chosen.authors[:2]}", file=sys.stderr)
    return {"seconds": spent[0], "processor": spent[1], "fates": fates}


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
    return half_damaged(rows)


def half_damaged(rows: Iterable[dict]) -> list[dict]:
    """Returns the rows, every other one with a damaged title; `damage` says of which kind."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="at the sizes that the project claims, to 10 million rows")
    parser.add_argument("--rows", default="", help="the sizes, as in 300000,3000000")
    parser.add_argument("--mentions", type=int, default=10_000)
    parts = {"dump": _dump, "plain": _plain, "import": _import, "lookup": _lookup, "single": _single}
    options = options_of(parser, parts | {"rapidfuzz": _rapidfuzz})
    sizes = [int(size) for size in options.rows.split(",") if size]
    for figure in figures(full=options.full, rows=sizes, mentions=options.mentions):
        print(figure, flush=True)


if __name__ == "__main__":
    main()

"""A mirror of OpenAlex at 1, 3 and 10 million works: what its import costs, what all of OpenAlex would, and look-ups.

    python -m benchmarks.mirrors.openalex [--rows 1000000,3000000,10000000] [--folder DIR] [--only import|workers]

The snapshots are made up in the form in which OpenAlex publishes it: Parquet by day, with a manifest; see
`benchmarks.mirrors.mirror_dump`. `paperlake mirror import openalex` takes them; beside it, DuckDB copies the same
columns of the same files into one Parquet file. What all of OpenAlex takes follows by the slope of a line through the
sizes; the range is that of the lines through two of them. Then works are looked up, and mentions resolved, half of them
with a damaged title.

`workers` imports a snapshot of the first size, in 24 equal parts, from an S3 on this machine (moto's), in threads and
by Dask's processes, one of which is killed in the end. The server and all workers share the cores of this machine, so
times are of the processor: with a core for each, an import takes what the busiest process takes and the index.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import duckdb
import psutil

from benchmarks.figure import Figure, shown
from benchmarks.mirrors.mirror import BACKGROUND, half_damaged, looked_up
from benchmarks.mirrors.mirror_dump import FIRST_WORK, write_snapshot
from benchmarks.mirrors.parts import measured, options_of, size_of, stopped
from sources.services.openalex.snapshot import FIELDS

# Works in the release of June 2026, of which the API leaves out 188 million (data sets, repositories) unless asked:
# https://developers.openalex.org/download/snapshot-format
ALL_OF_OPENALEX = 510_000_000
_NUMBER = 10_000  # works, and mentions, that are looked up
_WORKERS = (1, 2, 4)
_EVEN_PARTS = 24  # of the snapshot that they share
_SIZES = (1_000_000, 3_000_000, 10_000_000)
_part = partial(measured, "benchmarks.mirrors.openalex")


def figures(*, full: bool, rows: Sequence[int] = (), folder: Path | None = None) -> Iterator[Figure]:
    """Yields the figures for `make bench`."""
    sizes = rows or (_SIZES if full else (100_000, 300_000))
    whats = ("processor time, s", "time, s", "disk, GB", "disk meanwhile, GB")
    found: dict[str, dict[int, float]] = {what: {} for what in whats}
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=folder) as name:
            dump, lake = _snapshot(size, folder or Path(name)), Path(name) / "lake"
            yield from _imported(size, dump, lake, found)
            yield from _found(size, dump, lake)
    for what, values in found.items():
        middle, *others = _by_slope(values)
        spread = f" ({shown(min(others))} to {shown(max(others))} by the lines through two sizes)" if others else ""
        whole = f"import of all {ALL_OF_OPENALEX:,} works of OpenAlex, by the slope{spread}: {what.partition(',')[0]}"
        yield Figure(name=whole, value=middle, unit=what.rpartition(" ")[2])


def workers(*, rows: int, folder: Path | None = None) -> Iterator[Figure]:
    """Yields what an import from S3 takes in threads, and by several processes."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        snapshot, lake = Path(name) / "snapshot", Path(name) / "lake"
        _part("dump", snapshot, rows, rows // _EVEN_PARTS)
        title = f"import of {rows:,} works of OpenAlex from moto's S3"
        alone = _part("spread", snapshot, lake / "threads", 0, 0)
        yield Figure(name=f"{title}, in threads: processor time", value=alone["here_s"], unit="s")
        first = None
        for number, killed in [*((number, 0) for number in _WORKERS), (2, 1)]:
            made = _part("spread", snapshot, lake / f"dask-{number}-{killed}", number, killed)
            first = first or made
            what = f"{title}, Dask with {number} processes{', one killed' if killed else ''}"
            for which, measure in (
                ("the busiest process", "busiest_s"), ("index and scheduler", "here_s"), ("S3's server", "server_s"),
                ("all by the clock", "import_s"),
            ):  # fmt: skip
                yield Figure(
                    name=f"{what}: {which}", value=made[measure], unit="s", beside="one process", plain=first[measure]
                )
            yield Figure(name=f"{what}: memory of all", value=made["gb"], unit="GB")
            same = (made["rows"], made["digest"]) == (alone["rows"], alone["digest"])
            yield Figure(
                name=f"{what}: other rows than in threads", value=0 if same else 1, unit="", bar=0, bar_on="value"
            )


def _snapshot(size: int, folder: Path) -> Path:
    """Returns the snapshot of that size in a folder, made up where it is not there yet."""
    dump = folder / f"openalex-{size}"
    if not (dump / "manifest.json").exists():
        _part("dump", dump, size)
    print(f"   {size:,} works: {size_of(dump) / 1e9:.2f} GB", flush=True)
    return dump


def _imported(size: int, dump: Path, lake: Path, found: Mapping[str, dict[int, float]]) -> Iterator[Figure]:
    plain_file = lake.with_name("plain.parquet")
    plain = _part("plain", dump, plain_file)
    ours = _part("import", dump, lake, grows=lake)
    names = ("processor", "seconds", "lake_gb", "disk_gb")
    for values, name in zip(found.values(), names, strict=True):
        values[size] = ours[name]
    title = f"import of {size:,} works of OpenAlex"
    beside = "DuckDB, the same columns to Parquet"
    yield Figure(
        name=f"{title}: processor time", value=ours["processor"], unit="s", beside=beside, plain=plain["processor"]
    )
    yield Figure(name=title, value=ours["seconds"], unit="s", beside=beside, plain=plain["seconds"])
    yield Figure(name=f"{title}: memory", value=ours["gb"], unit="GB", bar=4, bar_on="value")
    alone = plain_file.stat().st_size / 1e9
    yield Figure(name=f"{title}: disk", value=ours["lake_gb"], unit="GB", beside="the plain file", plain=alone)
    yield Figure(name=f"{title}: disk meanwhile", value=ours["disk_gb"], unit="GB")


def _found(size: int, dump: Path, lake: Path) -> Iterator[Figure]:
    found = _part("works", lake, size)
    for what, (seconds, processor) in found["took"].items():
        title = f"{what}, in a mirror of {size:,} works of OpenAlex"
        yield Figure(name=title, value=seconds, unit="s", beside="its processor time", plain=processor)
    resolved = _part("mentions", dump, lake)
    title = f"{_NUMBER:,} mentions, half of them damaged, in a mirror of {size:,} works of OpenAlex"
    yield Figure(
        name=title, value=resolved["seconds"], unit="s", beside="its processor time", plain=resolved["processor"]
    )
    yield Figure(name=f"{title}: memory", value=resolved["gb"], unit="GB", bar=4, bar_on="value")
    for kind, fates in resolved["fates"].items():
        print(f"  {kind}: {', '.join(f'{fate} {count}' for fate, count in sorted(fates.items()))}", flush=True)
    wrong = 100 * sum(fates.get("wrong", 0) for fates in resolved["fates"].values()) / _NUMBER
    yield Figure(name=f"{title}: wrong papers", value=wrong, unit="%", bar=0.5, bar_on="value")


def _by_slope(values: Mapping[int, float]) -> list[float]:
    """Returns what all of OpenAlex takes by the line of least squares, and by the line through each two sizes."""
    lines = [statistics.linear_regression(list(values), list(values.values()))] if len(values) > 1 else []
    for (small, little), (large, much) in combinations(values.items(), 2):
        slope = (much - little) / (large - small)
        lines.append(statistics.LinearRegression(slope, much - slope * large))
    return [line.slope * ALL_OF_OPENALEX + line.intercept for line in lines] or [float("nan")]


def _dump(dump: Path, rows: int, per_part: int = 0) -> dict:
    dump.mkdir(parents=True)
    write_snapshot(rows, dump, BACKGROUND, **({"parts": (per_part,)} if per_part else {}))
    return {}


def _plain(dump: Path, out: Path) -> dict:
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar=false")
        connection.execute("SET memory_limit='4GB'")
        rows = f"SELECT {', '.join(FIELDS)} FROM read_parquet('{dump}/*/*')"
        connection.execute(f"COPY ({rows}) TO '{out}' (FORMAT parquet)")
    return {}


def _import(dump: Path, lake: Path) -> dict:
    from flows.commands.mirror import mirror_import

    mirror_import("openalex", [str(dump)], part=False, as_of=None, lake=str(lake))
    return {"lake_gb": size_of(lake) / 1e9}


def _works(lake: Path, size: int) -> dict:
    """Returns the seconds that look-ups of works take."""
    from sources.services.openalex.answers import CitingQuestion
    from warehouse.mirrors import Mirrors
    from warehouse.mirrors.local import OpenAlexFromMirror

    client = OpenAlexFromMirror(Mirrors(lake / "mirror").openalex)
    step = size // _NUMBER
    ids = [f"W{FIRST_WORK + step // 2 + step * place}" for place in range(_NUMBER)]
    took = {}
    with stopped() as spent:
        works = client.fetch_works(ids).found
    took[f"{_NUMBER:,} works by identifier"] = spent
    with stopped() as spent:
        client.search_titles([work.title for work in works.values()])
    took[f"{_NUMBER:,} works by title"] = spent
    with stopped() as spent:
        answers = [
            client.fetch_citing(CitingQuestion(work_ids=tuple(ids[first : first + 100]), most=100_000))
            for first in range(0, 1_000, 100)
        ]
    number = sum(len(answer.works) for answer in answers)
    took[f"the {number:,} works that cite one of 1,000, a hundred at a time"] = spent
    return {"took": took}


def _mentions(dump: Path, lake: Path) -> dict:
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar=false")
        rows = connection.execute(
            "SELECT right(id, -21) AS id, title, list_transform(authorships, lambda each: each.raw_author_name)"
            f" AS authors, publication_year AS year FROM read_parquet('{dump}/*/*')"
            f" WHERE title IS NOT NULL AND len(authorships) BETWEEN 1 AND 100 ORDER BY hash(id), id LIMIT {_NUMBER}"
        )
        mentions = half_damaged(rows.to_arrow_table().to_pylist())
    return looked_up(mentions, lake / "mirror", id_of=lambda chosen: getattr(chosen.record, "work_id", None))


def _spread(dump: Path, lake: Path, number: int, kill: int) -> dict:
    """Imports a snapshot from an S3 with that many processes, none of them for threads here."""
    from standins.servers.s3 import BUCKET, S3Server
    from warehouse.mirrors import MirrorFolder
    from warehouse.mirrors.importing import Dump, import_dump
    from warehouse.mirrors.snapshot import read_snapshot
    from warehouse.mirrors.workers import in_threads, on_dask

    server = S3Server()
    for path in dump.rglob("*"):
        if path.is_file():
            key = f"works/{path.relative_to(dump)}"
            server.client.upload_file(str(path), BUCKET, key, {"ACL": "public-read"})
    os.environ["AWS_ENDPOINT_URL"] = server.url
    cluster, spread, killed, busiest = None, in_threads, [], 0.0
    if number:
        from distributed import LocalCluster

        cluster = LocalCluster(n_workers=number, threads_per_worker=1, dashboard_address=None)
        spread = on_dask(cluster.scheduler_address)

    def kill_one(_: int) -> None:
        if kill and cluster and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    try:
        with stopped() as spent:
            dump_there = Dump(source="openalex", files=read_snapshot(f"s3://{BUCKET}/works").parts)
            folder = MirrorFolder(lake / "mirror" / "openalex")
            release = import_dump(folder, dump_there, spread=spread, on_bytes=kill_one)
        if cluster:
            busiest = max(_processor_s(worker.pid) for worker in cluster.workers.values())
        server_s = _processor_s(server.pid)
    finally:
        if cluster:
            cluster.close()
        server.stop()
    with duckdb.connect() as connection:
        papers = f"read_parquet('{folder.path / release.name}/papers/*')"
        digest = connection.execute(f"SELECT sum(hash(p)) FROM {papers} p").fetchone()[0]
    times = {"import_s": spent[0], "here_s": spent[1], "busiest_s": busiest, "server_s": server_s}
    return times | {"rows": release.rows, "digest": str(digest)}


def _processor_s(pid: int) -> float:
    used = psutil.Process(pid).cpu_times()
    return used.user + used.system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default=",".join(map(str, _SIZES)), help="the sizes")
    parser.add_argument("--folder", type=Path, help="where the snapshots stay: 0.4 GB for each million works")
    parser.add_argument("--only", choices=("import", "workers"))
    parts = {"dump": _dump, "plain": _plain, "import": _import, "works": _works, "mentions": _mentions}
    options = options_of(parser, parts | {"spread": _spread})
    sizes = [int(size) for size in options.rows.split(",")]
    if options.only != "workers":
        for figure in figures(full=True, rows=sizes, folder=options.folder):
            print(figure, flush=True)
    if options.only != "import":
        for figure in workers(rows=sizes[0], folder=options.folder):
            print(figure, flush=True)


if __name__ == "__main__":
    main()

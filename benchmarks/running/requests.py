"""What a refresh asks of the services, and how near it comes to the time that their limits set.

    .venv/bin/python -m benchmarks.running.requests [../shared]           requests: 10,000 links, the four lists, and
                                                                          500 papers: 300 links, 200 plain titles
    .venv/bin/python -m benchmarks.running.requests [../shared] --clock   time: 10,000 links at the real intervals

`make bench` takes the counts of both, and the time of 1,000 links, 5,000 with --full.

The stand-ins serve the facts and the 493,000 papers of the background. Credits are those of OpenAlex's allowance of a
day: 1 a look-up, 10 a search, errors included (../shared/docs/WIRE.md). Beside each count stands what one request a
paper and service costs: really sent, to the same stand-ins, for a sample whose size is told. Those of the citation
graph are counted for the four lists; benchmarks.matching.missing counts those of a large list, which several refreshes
share.

With --clock the stand-ins answer as slowly as the services do, and the intervals are those of their terms; --scale 0.1
makes latencies and intervals ten times shorter, which leaves the work between requests as it is. The floor is the
interval times the requests, taken for both services one after the other, and for the slower one alone.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import RunSummary
from flows.settings import Settings
from standins import StandIns

LINKS = 10_000
FOUR_LISTS = "the four lists"
MIXED = "500 papers"
MIXED_WITH_KEY = "500 papers, with a key of OpenAlex"
MOST_OF_FOUR = 25
"""Requests of the first refresh of these lists."""
INTERVALS = {"arxiv": 3.0, "s2": 1.0}
NAMES = {"arxiv": "arXiv", "s2": "Semantic Scholar", "openalex": "OpenAlex"}
LATENCIES = {"arxiv": 1.0, "s2": 0.7}
"""Seconds for a page of a hundred entries and for a batch of five hundred, about what users of the services report."""


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the figures for `make bench`; none where the facts in ../shared are not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing counted")
        return
    with StandIns([shared / "facts"]) as standins, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ids = _write_links(shared, folder / "links.md", LINKS if full else LINKS // 5)
        for what, asked in _cases(shared, folder, ids):
            counts, plain = _count(what, asked, folder, standins)
            for which, sent in counts.items():
                yield Figure(
                    name=f"requests for {what}, {which}", value=sent,
                    unit="credits" if which.endswith("credits") else "requests",
                    beside="one a paper and service", plain=plain, bar=_most(what, which), bar_on="value",
                )  # fmt: skip
        ids = _write_links(shared, folder / "links.md", 5_000 if full else 1_000)
        took, floor = _measure_time(folder, standins, 1.0)
        yield Figure(
            name=f"time for {len(ids):,} links at the services' own intervals and pace", value=took, unit="s",
            beside="requests times interval", plain=floor, bar=1.15,
        )  # fmt: skip


def main() -> None:
    options = _options()
    shared = options.shared.resolve()
    with StandIns([shared / "facts"]) as standins, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ids = _write_links(shared, folder / "links.md", options.links)
        if options.clock:
            _measure_time(folder, standins, options.scale)
            return
        for what, asked in _cases(shared, folder, ids):
            _count(what, asked, folder, standins)
        _one_by_one(standins, ids[:: max(len(ids) // options.sample, 1)], len(ids))


def _cases(shared: Path, folder: Path, ids: Sequence[str]) -> Iterator[tuple[str, list[Path]]]:
    """Yields what requests are counted for: a name and its lists."""
    yield f"{len(ids):,} links", [folder / "links.md"]
    yield FOUR_LISTS, sorted((shared / "lists").glob("*.txt"))
    _write_mixed(shared, folder / "mixed.md")
    yield MIXED, [folder / "mixed.md"]
    yield MIXED_WITH_KEY, [folder / "mixed.md"]


def _most(what: str, which: str) -> int | None:
    """Returns how many requests there may be; where nothing is new, none."""
    if which in ("again", "warm", "warm, OpenAlex", "warm, credits"):
        return 0
    return MOST_OF_FOUR if what == FOUR_LISTS and which == "cold" else None


def _count(name: str, lists: Sequence[Path], folder: Path, standins: StandIns) -> tuple[dict[str, int], int]:
    """Returns the requests of three refreshes, and those of one a paper and service.

    The second asks again for what was not believed in the first: a record told twice is believed.
    """
    counts = {}
    openalex: dict[str, Any] = {"openalex_url": standins.openalex_url, "openalex_interval": 0.01}
    openalex |= {} if name == FOUR_LISTS else {"graph_requests": 0}
    openalex |= {"openalex_api_key": "a-key-of-the-stand-in"} if name == MIXED_WITH_KEY else {}
    settings = _settings(folder / name, standins, {"arxiv": 0.01, "s2": 0.01}, **openalex)
    for which in ("cold", "again", "warm"):
        standins.clear_log()
        began = time.monotonic()
        run = _refresh(lists, settings)
        sent = {service: len(standins.requests(service)) for service in NAMES}
        asked = ", ".join(f"{sent[service]} to {label}" for service, label in NAMES.items())
        told = f"{run.mentions} mentions, {run.resolved} resolved, {run.failed} failed, {run.credits.used} credits"
        print(f"{name}, {which}: {asked}; {told}; {run.status}, "
              f"{time.monotonic() - began:.1f} s with hardly an interval")  # fmt: skip
        counts[which] = sent["arxiv"] + sent["s2"]
        counts[f"{which}, OpenAlex"] = sent["openalex"]
        counts[f"{which}, credits"] = run.credits.used
        assert sent == run.requests, "the run counts its requests wrongly"
    plain = 2 * run.mentions
    print(f"  one request a paper and service would be {plain}")
    return counts, plain


def _one_by_one(standins: StandIns, sample: Sequence[str], total: int) -> None:
    """Asks for each paper of the sample in the plain way: arXiv by its id, then Semantic Scholar by its id."""
    import requests

    standins.clear_log()
    with requests.Session() as session:
        for one in sample:
            session.get(standins.arxiv_url, params={"id_list": one, "max_results": 1}, timeout=30).raise_for_status()
            fields = {"fields": "title,citationCount"}
            url = f"{standins.s2_url}/graph/v1/paper/ARXIV:{one}"
            session.get(url, params=fields, timeout=30).raise_for_status()
    sent = {service: len(standins.requests(service)) * total / len(sample) for service in INTERVALS}
    hours = sum(sent[service] * INTERVALS[service] for service in INTERVALS) / 3600
    print(f"one request a paper and service, sent for {len(sample)} of them: {sent['arxiv']:.0f} to arXiv and "
          f"{sent['s2']:.0f} to Semantic Scholar for all {total}, {hours:.1f} hours at their intervals")  # fmt: skip


def _measure_time(folder: Path, standins: StandIns, scale: float) -> tuple[float, float]:
    intervals = {service: seconds * scale for service, seconds in INTERVALS.items()}
    for service, seconds in LATENCIES.items():
        standins.latency(service, seconds * scale)
        standins.limit(service, per_seconds=intervals[service], connections=1)
    began, worked = time.monotonic(), time.process_time()
    run = _refresh([folder / "links.md"], _settings(folder / "timed", standins, intervals))
    took, worked = time.monotonic() - began, time.process_time() - worked
    lines = standins.requests()
    answering = sum(line["ended"] - line["started"] for line in lines)
    floors = {name: run.requests[name] * seconds for name, seconds in intervals.items()}
    print(f"{run.mentions} links, {run.resolved} resolved, {run.failed} failed, {run.status}")
    print(f"requests: {run.requests['arxiv']} to arXiv, {run.requests['s2']} to Semantic Scholar; "
          f"{len(standins.violations())} against the limits")  # fmt: skip
    print(f"stages: {', '.join(f'{name} {seconds:.1f} s' for name, seconds in run.seconds.items())}")
    print(f"took {took:.1f} s; the services were answering for {answering:.1f} s, we were working for {worked:.1f} s")
    for what, floor in (("one after the other", sum(floors.values())), ("side by side", max(floors.values()))):
        print(f"the floor of the limits, {what}: {floor:.1f} s, ratio {took / floor:.2f}")
    return took, sum(floors.values())


def _refresh(lists: Sequence[Path], settings: Settings) -> RunSummary:
    clock = Stopwatch()
    with clock.stage("parse"):
        parsed = read_and_parse([str(path) for path in lists], settings.place)
    return refresh_lake(parsed, settings, run_batch=lambda _, call: call(), report=Silent(), clock=clock)


def _settings(lake: Path, standins: StandIns, intervals: dict[str, float], **more: Any) -> Settings:
    own: dict[str, Any] = {f"{service}_interval": seconds for service, seconds in intervals.items()} | more
    return Settings(lake=lake, arxiv_url=standins.arxiv_url, s2_url=standins.s2_url, **own)


def _write_links(shared: Path, path: Path, count: int) -> list[str]:
    chosen = _chosen(shared, count)
    lines = [f"- [{_plain(row['title'])}](https://arxiv.org/abs/{row['arxiv_id']})" for row in chosen]
    path.write_text("\n".join(["# Links", "", *lines, ""]), encoding="utf-8")
    return [row["arxiv_id"] for row in chosen]


def _write_mixed(shared: Path, path: Path) -> None:
    """Writes a list of 500 papers: three of five with a link to arXiv, the others with title and year alone."""
    lines = [
        f"- [{_plain(row['title'])}](https://arxiv.org/abs/{row['arxiv_id']})" if number % 5 < 3
        else f"- {_plain(row['title'])} ({2000 + int(row['arxiv_id'][:2])})"
        for number, row in enumerate(_chosen(shared, 500))
    ]  # fmt: skip
    path.write_text("\n".join(["# Papers", "", *lines, ""]), encoding="utf-8")


def _chosen(shared: Path, count: int) -> list[dict[str, Any]]:
    """Returns papers of the background that arXiv has, evenly taken."""
    import pyarrow.parquet as pq

    table = pq.read_table(shared / "facts" / "background.parquet", columns=["arxiv_id", "title"])
    known = [row for row in table.to_pylist() if row["arxiv_id"] and row["arxiv_id"][0].isdigit()]
    return known[:: len(known) // count][:count]


def _plain(title: str) -> str:
    return " ".join(title.translate(str.maketrans("[]`<>\\", "()    ")).split())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    parser.add_argument("--links", type=int, default=LINKS)
    parser.add_argument("--sample", type=int, default=200, help="papers asked for one by one")
    parser.add_argument("--clock", action="store_true", help="measure the time at the services' intervals")
    parser.add_argument("--scale", type=float, default=1.0, help="makes intervals and latencies shorter")
    return parser.parse_args()


if __name__ == "__main__":
    main()

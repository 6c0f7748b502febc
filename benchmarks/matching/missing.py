"""How often `missing_papers` is right where the answer is known, and what the citation graph asks of OpenAlex.

    .venv/bin/python -m benchmarks.matching.missing [--seeds 5]               worlds with planted missing works
    .venv/bin/python -m benchmarks.matching.missing --requests [--papers 5000]      requests for a graph, cold and warm

The worlds are those of standins/trials/citation_world.py: a list in topics, works that each topic lacks, famous ones,
and a crowd; and of standins/trials/field_world.py, which somebody else wrote: a field's core among half-famous works.
The plain alternative beside each figure ranks works by how many papers of the list cite them. The order was chosen by
looking at ten fields, the score at fields 100 to 189 and seeds 0 and 300 to 305 too; what is measured here are others.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from standins import StandIns
from standins.trials.bench import Bench
from standins.trials.citation_world import PLANS, World, make_world, missing_works
from standins.trials.field_world import make_field

FIRST_SEED = 100
TOP = 10
BAR = 0.9
"""Precision of the first ten."""
FIELDS = {
    "ten fields, not looked at": range(10, 20),
    "a hundred fields, not looked at": range(200, 300),
    "ten fields, looked at": range(10),
}


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the figures for `make bench`."""
    right, plain, famous = 0.0, 0.0, 0
    seeds = range(FIRST_SEED, FIRST_SEED + (5 if full else 1))
    for plan in PLANS.values():
        for seed in seeds:
            world = make_world(plan, seed)
            top = missing_works(world, TOP)
            right += _precision(top, world)
            plain += _precision(_most_cited(world), world)
            famous += top[:1] != [] and top[0] in world.famous
    worlds = len(PLANS) * len(seeds)
    yield Figure(
        name=f"precision of the first ten missing papers, {worlds} worlds", value=round(right / worlds, 3), unit="",
        beside="most cited by the list", plain=round(plain / worlds, 3),
    )  # fmt: skip
    yield Figure(name="worlds in which a famous work comes first", value=famous, unit="worlds", bar=0, bar_on="value")
    papers = 5_000 if full else 1_000
    cold, warm, _ = measure_requests(papers)
    yield Figure(
        name=f"requests for the citation graph of {papers:,} papers, cold", value=cold, unit="requests",
        beside="one a paper", plain=papers,
    )  # fmt: skip
    yield Figure(
        name=f"requests for the citation graph of {papers:,} papers, warm", value=warm, unit="requests",
        bar=0, bar_on="value",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--requests", action="store_true")
    parser.add_argument("--papers", type=int, default=5_000)
    options = parser.parse_args()
    if options.requests:
        cold, warm, seconds = measure_requests(options.papers)
        print(f"{options.papers:,} papers: {cold} requests until all is known, {warm} warm; {seconds:.0f} s cold")
        return
    for name, seeds in FIELDS.items():
        _print_worlds(name, map(make_field, seeds))
    for name, plan in PLANS.items():
        _print_worlds(name, [make_world(plan, seed) for seed in range(FIRST_SEED, FIRST_SEED + options.seeds)])


def _print_worlds(name: str, worlds: Iterable[World]) -> None:
    right, found, plain, first, shown, many = 0.0, 0.0, 0.0, 0, 0, 0
    for many, world in enumerate(worlds, 1):  # noqa: B007 - their number is used below
        top = missing_works(world, max(TOP, len(world.planted)))
        right += _precision(top[:TOP], world)
        found += len(world.planted.intersection(top)) / len(world.planted)
        plain += _precision(_most_cited(world), world)
        first += bool(top) and top[0] in world.famous
        shown += len(top[:TOP])
    print(
        f"| {name} | {right / many:.2f} | {shown / many:.1f} | {found / many:.2f} | {first} | {plain / many:.2f} |",
        flush=True,
    )


def _precision(top: list[str], world: World) -> float:
    """Returns which share of the works shown, ten at the most, is planted; nothing shown is nothing right."""
    return sum(work in world.planted for work in top) / len(top) if top else 0.0


def _most_cited(world: World) -> list[str]:
    counts: Counter[str] = Counter(row["cited_openalex_id"] for row in world.harvest.paper_references)
    return [work for work, _ in counts.most_common(TOP)]


def measure_requests(papers: int) -> tuple[int, int, float]:
    """Returns the requests for the graph of a list until all is known, those of one more refresh, and seconds."""
    outside = [
        {"doi": f"10.5555/out.{number}", "title": f"Outside {number}", "authors": ["Ann Ames"], "year": 2015}
        for number in range(2 * papers)
    ]
    listed: list[dict[str, Any]] = [
        {
            "arxiv_id": f"{2001 + number // 9_000:04}.{number % 9_000 + 1:05}",
            "title": f"Listed {number}",
            "authors": ["Bob Bell"],
            "year": 2020,
            "citation_count": number % 50,
            "references": [outside[(number * step) % len(outside)]["doi"] for step in range(1, 21)],
        }
        for number in range(papers)
    ]
    text = "\n".join(["# Papers", "", *(f"- https://arxiv.org/abs/{paper['arxiv_id']}" for paper in listed), ""])
    with StandIns() as standins, tempfile.TemporaryDirectory() as folder:
        standins.add([*outside, *listed])
        standins.credits(10**6)
        bench = Bench(Path(folder), standins.env(openalex=True))
        location = bench.write(text)
        before = bench.refresh(location, graph_requests=0).requests.get("openalex", 0)
        began = time.monotonic()
        cold = 0
        while asked := bench.refresh(location, graph_requests=1_000).requests["openalex"]:
            cold += asked
        seconds = time.monotonic() - began
        print(f"   {before} requests for the papers themselves", flush=True)
        return cold, bench.refresh(location).requests.get("openalex", 0), seconds


if __name__ == "__main__":
    main()

"""Resolution measured on labelled mentions against a world of half a million papers.

    python -m benchmarks.matching.resolve SHARED [--half even|odd|all] [--show]

SHARED holds `facts`, `gold` and `practice`. Every labelled mention with an arXiv id is resolved in several settings:
as labelled, from the parser's output, without its link, with its title mistyped, and with its paper taken out of the
world, where nothing may be resolved.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.figure import Figure, medians
from benchmarks.matching import fuzzy
from sources.matching.lookup import Resolution
from sources.records import Mention
from standins.trials.labelled import (
    Label,
    fate,
    left_out,
    mistyped,
    parsed,
    read_labels,
    run,
    unlinked,
    with_labelled,
)
from standins.trials.world import World, read_rows

FATES = ("right", "WRONG", "ambiguous", "not_found", "failed")


def report(name: str, labels: Sequence[Label], resolutions: Sequence[Resolution], *, show: str) -> None:
    """Prints one line of figures, every wrong paper, and for the setting `show` every miss."""
    fates = [fate(label, resolution) for label, resolution in zip(labels, resolutions, strict=True)]
    counts, total = Counter(fates), len(labels)
    methods = Counter(resolution.method for resolution in resolutions if resolution.status == "resolved")
    shares = (f"{kind} {counts[kind]} ({counts[kind] / total:.1%})" for kind in FATES)
    print(f"{name:24} {total:4}  {'  '.join(shares)}  {dict(methods)}")
    for label, resolution, what in zip(labels, resolutions, fates, strict=True):
        if what == "WRONG" or (what != "right" and show == name):
            print(
                f"    {what} {label.list_name}:{label.facts['line']} {told(resolution.mention)} -> {shown(resolution)}"
            )


def told(mention: Mention) -> str:
    return f"{mention.title!r} name={mention.name!r} by={mention.authors[:3]} year={mention.year}"


def shown(resolution: Resolution) -> str:
    verdict = resolution.verdict
    if verdict is None or not verdict.ranked:
        return "nothing"
    best = resolution.chosen or verdict.ranked[0].candidate
    return f"{best.title!r} {best.arxiv_id} {best.year} {best.authors[:2]}: {'; '.join(verdict.reasons)}"


def figures(*, full: bool) -> Iterator[Figure]:  # noqa: ARG001 - it takes a minute at its full size
    """Yields the figures for `make bench`; none where the labels in ../shared are not there."""
    shared = Path("../shared")
    if not shared.is_dir():
        print("   ../shared is not here: nothing resolved")
        return
    labels = read_labels(shared)
    world = World(with_labelled(read_rows(shared), labels))
    mentions = [unlinked(label.mention) for label in labels]
    found = run(world, mentions)
    (took,) = medians(3, lambda: run(world, mentions))
    told = f"{len(labels)} labelled titles without links among {len(world.rows):,} papers"
    yield Figure(
        name=f"resolving {told}, services answering at once", value=took, unit="s",
        beside="rapidfuzz over all titles, extrapolated",
        plain=fuzzy.seconds([row.title for row in world.rows], [mention.title or "" for mention in mentions]),
        bar=1,
    )  # fmt: skip
    wrong = sum(fate(label, one) == "WRONG" for label, one in zip(labels, found, strict=True))
    yield Figure(name=f"{told}: wrong papers", value=100 * wrong / len(labels), unit="%", bar=0.5, bar_on="value")


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path)
    arguments.add_argument("--half", choices=("tune", "held", "all"), default="all")
    arguments.add_argument("--show", default="", help="the setting whose misses are listed too")
    arguments.add_argument("--only", default="", help="part of a setting's name; the others are left out")
    options = arguments.parse_args()
    labels = read_labels(options.shared)
    started = time.monotonic()
    world = World(with_labelled(read_rows(options.shared), labels))
    print(f"world of {len(world.rows)} papers in {time.monotonic() - started:.0f} s")
    practice = sorted({label.list_name for label in labels if not label.list_name.isdigit()})
    halves = {"tune": set(practice[::2]) | {"000", "002"}, "held": set(practice[1::2]) | {"001", "004"}}
    labels = [label for label in labels if options.half == "all" or label.list_name in halves[options.half]]
    read = parsed(options.shared, labels)
    draw = random.Random(7)
    settings = (
        ("as labelled", labels, [label.mention for label in labels], False),
        ("as labelled, mirror", labels, [label.mention for label in labels], True),
        ("as labelled, no link", labels, [unlinked(label.mention) for label in labels], False),
        ("parsed", read, [label.mention for label in read], False),
        ("parsed, no link", read, [unlinked(label.mention) for label in read], False),
        ("mistyped", labels, wrong := [mistyped(label.mention, draw) for label in labels], False),
        ("mistyped, no link", labels, [unlinked(mention) for mention in wrong], False),
    )
    for name, chosen, mentions, mirror in settings:
        if options.only in name:
            report(name, chosen, run(world, mentions, mirror=mirror), show=options.show)
    if options.only in "left out":
        report("left out", labels, left_out(world, labels), show=options.show)
        report("left out, parsed", read, left_out(world, read), show=options.show)


if __name__ == "__main__":
    main()

"""Accuracy and requests of whole refreshes over the labelled lists, against the stand-ins with their full background.

    .venv/bin/python -m benchmarks.matching.accuracy [../shared] [--only SETTING] [--floors] [--show]

First come the floors, which need no refresh: titles of nine fields with one word for another, of which none may be
resolved; titles of all archives with one word swapped for a word that looks like it; titles with another part, and
words with the opposed prefix, of which none may be resolved; titles with a slip of the pen; the look-alikes of the
tests; and the labelled mentions as the labels write them. With --floors, or without ../shared, it stops there.

Labelled papers that the facts lack are added to the stand-ins. Every refresh runs in four settings: the mentions as the
parser reads them; with slips of the pen in their titles (one, two in a long one; a nickname of one or two words is no
title and stays); without links and identifiers; and both. Of the mentions labelled with an arXiv identifier it counts
those resolved to it, to another record of its title (the background has some papers twice, once without identifier),
to another paper, and not resolved, with the 95 % interval of the first; and what the refreshes asked, cold and warm,
beside one request a paper and service. With --show it lists every mention that was not resolved to its paper.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from pathlib import Path

from benchmarks.figure import Figure
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import Reading, read_and_parse
from flows.settings import Settings
from sources.bibliography.titles import title_key
from sources.matching.evidence import is_nickname
from sources.records import Mention
from standins import StandIns
from standins.trials.labelled import fate, mistyped, read_labels, run, unlinked, with_labelled
from standins.trials.word_swaps import (
    OPPOSED,
    Title,
    background_titles,
    field_traps,
    read_traps,
    shipped_titles,
    slips_of,
    swaps_of,
    trap_status,
    verdict,
)
from standins.trials.world import World, read_rows
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake

PARTS = (
    *"I II III IV V VI VII VIII IX X XI XII".split(), "Part 1", "Part 2", "Part III", "1st ed.", "2nd ed.", "Teil 2",
    "Teil 3", "partie 1", "partie II", "parte 2", "часть 1", "часть 2",
)  # fmt: skip
PREFIXED = "Determinants of {} in rural populations of Patagonia"

Change = Callable[[Mention, random.Random], Mention]

_WANTED = """
SELECT l.location, m.line, m.title, m.status, m.method, p.arxiv_id, p.title AS paper
FROM mentions m JOIN reading_lists l USING (list_id) LEFT JOIN papers p USING (paper_id)
"""


FATES = ("right", "another record of the same title", "wrong", "ambiguous", "not_found", "failed", "unread")


def _slipped(mention: Mention, draw: random.Random) -> Mention:
    return mention if is_nickname(mention) else mistyped(mention, draw)


def _bare(mention: Mention, _: random.Random) -> Mention:
    return replace(unlinked(mention), text=mention.title or "")


MOST_MISSED = 4
"""Percent of the mentions that may be missed as they are read: one more than as the labels write them."""
SETTINGS: dict[str, Change] = {
    "as read": lambda mention, _: mention,
    "slips in the titles": _slipped,
    "no links": _bare,
    "slips, no links": lambda mention, draw: _bare(_slipped(mention, draw), draw),
}


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    arguments.add_argument("--show", action="store_true", help="list what was not resolved to its paper")
    arguments.add_argument("--only", choices=SETTINGS, help="one setting instead of all four")
    arguments.add_argument("--floors", action="store_true", help="only what needs no refresh")
    options = arguments.parse_args()
    shared = options.shared.resolve()
    for line in floors(shared):
        print(line, flush=True)
    if options.floors or not shared.is_dir():
        return
    for setting, counted in measure(shared, [options.only] if options.only else list(SETTINGS)):
        print(f"{setting}: {_told(counted.fates)}", *counted.asked, sep="\n", flush=True)
        if options.show:
            print(*counted.shown, sep="\n", flush=True)


def floors(shared: Path) -> Iterator[str]:
    """Yields a line for each floor of matching; without `shared` the titles are those shipped with the tests."""
    for field_name, traps in groupby(field_traps(), key=lambda trap: trap.field):
        judged = [verdict(Title("", trap.written), Title("", trap.true)) for trap in traps]
        yield f"traps, {field_name}: {len(judged)} titles, {_resolved(judged)} resolved"
    titles = background_titles(shared / "facts", 2_000) if shared.is_dir() else shipped_titles()
    archives = len({title.archive for title in titles})
    swaps = [verdict(*pair) for pair in swaps_of(titles)]
    first = sum(told == ("ambiguous", True) for told in swaps)
    yield (
        f"swaps: {len(swaps)} titles of {archives} archives with one word for another, {_resolved(swaps)} resolved, "
        f"{first} ambiguous with the other paper first"
    )
    parts = [verdict(*pair) for pair in parts_of(titles[:60])]
    yield f"parts: {len(parts)} titles with another part, {_resolved(parts)} resolved"
    prefixed = [verdict(Title("", PREFIXED.format(a)), Title("", PREFIXED.format(b))) for a, b in prefix_pairs()]
    yield f"prefixes: {len(prefixed)} titles with the opposed prefix, {_resolved(prefixed)} resolved"
    slips = [verdict(*pair) for pair in slips_of(titles[:500])]
    yield f"slips: {len(slips)} titles with a letter dropped, doubled or swapped, {_resolved(slips)} found"
    alike = [trap_status(row) for row in read_traps() if row["accept"] is False]
    yield f"look-alikes: {len(alike) - alike.count('resolved')} of {len(alike)} refused"
    if shared.is_dir():
        fates = _as_labelled(shared)
        right = f"{fates['right']} ({fates['right'] / fates.total():.1%}) right, {fates['WRONG']} wrong"
        yield f"as the labels write them: {fates.total()} mentions, {right}"


def parts_of(titles: Sequence[Title]) -> Iterator[tuple[Title, Title]]:
    """Yields each title with the name of a part, and the same with another, or with none."""
    for title in titles:
        for part, other in pairwise(("", *PARTS)):
            written = replace(title, text=f"{title.text}. {other}")
            yield written, replace(title, text=f"{title.text}. {part}" if part else title.text)


def prefix_pairs() -> Iterator[tuple[str, str]]:
    """Yields words that only opposed prefixes tell apart, in both orders."""
    for pair in " ".join(OPPOSED.values()).split():
        one, other = pair.split("/")
        yield from ((one, other), (other, one))


def _as_labelled(shared: Path) -> Counter[str]:
    """Returns what became of the labelled mentions, as the labels write them."""
    labels = read_labels(shared)
    world = World(with_labelled(read_rows(shared), labels))
    found = run(world, [label.mention for label in labels])
    return Counter(fate(label, one) for label, one in zip(labels, found, strict=True))


def _resolved(judged: Sequence[tuple[str, bool]]) -> int:
    return sum(status == "resolved" for status, _ in judged)


@dataclass
class Counted:
    """What became of the labelled mentions in one setting.

    Attributes:
        fates: How many of each fate.
        asked: What the refreshes asked, a line for the four lists and one for the others.
        shown: A line for each mention that was not resolved to its paper.
    """

    fates: Counter[str] = field(default_factory=Counter)
    asked: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the figures for `make bench`, of all settings with `full`; none where ../shared is not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing resolved")
        return
    fates = _as_labelled(shared)
    yield Figure(
        name=f"{fates.total()} labelled mentions, as the labels write them: not resolved to their paper",
        value=100 * (1 - fates["right"] / fates.total()), unit="%", bar=3, bar_on="value",
    )  # fmt: skip
    for setting, counted in measure(shared, list(SETTINGS) if full else ["as read"]):
        total = sum(counted.fates.values())
        told = f"{total} labelled mentions, {setting}"
        missed = 100 * (total - counted.fates["right"]) / total
        as_promised = setting == "as read"
        yield Figure(
            name=f"{told}: not resolved to their paper", value=missed, unit="%",
            bar=MOST_MISSED if as_promised else None, bar_on="value",
        )  # fmt: skip
        wrong = 100 * counted.fates["wrong"] / total
        yield Figure(name=f"{told}: resolved to another paper", value=wrong, unit="%", bar=0.5, bar_on="value")


def measure(shared: Path, settings: Sequence[str]) -> Iterator[tuple[str, Counted]]:
    """Yields each of `settings` with what became of the labelled mentions in it."""
    gold = {path.stem: path for path in (shared / "gold").glob("*.jsonl")}
    practice = {path.stem: path for path in (shared / "practice").glob("*.jsonl")}
    four = sorted((shared / "lists").glob("*.txt"))
    thirteen = [path.with_suffix(".md") for path in sorted(practice.values())]
    labels = {path.name: _labels(gold[path.name[:3]]) for path in four}
    labels |= {path.with_suffix(".md").name: _labels(path) for path in practice.values()}
    with StandIns([shared / "facts"]) as standins:
        standins.add(missing_facts(shared, labels))
        for setting in settings:
            counted = Counted()
            for name, lists in (("four", four), ("practice", thirteen)):
                with tempfile.TemporaryDirectory() as folder:
                    requests, one_by_one = _refresh(lists, SETTINGS[setting], Path(folder), standins)
                    fates, shown = _verdicts(Path(folder) / "lake", labels, {path.name for path in lists})
                counted.fates += fates
                counted.shown += shown
                told = ", ".join(f"{kind} {fates[kind]}" for kind in FATES if fates[kind])
                counted.asked.append(
                    f"  {name:9} {requests[0]:4} requests cold, {requests[1]} warm (one a paper: {one_by_one}); {told}"
                )
            yield setting, counted


def _refresh(lists: Sequence[Path], change: Change, folder: Path, standins: StandIns) -> tuple[list[int], int]:
    """Refreshes a new lake twice; returns the requests of each, and what one a paper and service would be."""
    told = {key.removeprefix("PAPERLAKE_").lower(): value for key, value in standins.env().items()}
    settings = Settings(lake=folder / "lake", **told)
    parsed = _changed(read_and_parse([str(path) for path in lists], settings.place), change)
    asked = []
    for _ in range(2):
        standins.clear_log()
        summary = refresh_lake(parsed, settings, run_batch=lambda _, call: call(), report=Silent(), clock=Stopwatch())
        asked.append(len(standins.requests()))
    return asked, summary.mentions * 2


def _changed(reading: Reading, change: Change) -> Reading:
    draw = random.Random(7)
    changed = tuple(
        replace(
            one,
            reading_list=replace(
                one.reading_list, mentions=tuple(change(mention, draw) for mention in one.reading_list.mentions)
            ),
        )
        for one in reading.lists
    )
    return replace(reading, lists=changed)


def _told(fates: Counter[str]) -> str:
    total = sum(fates.values())
    low, high = _interval(fates["right"], total)
    shares = ", ".join(f"{kind} {fates[kind]} ({fates[kind] / total:.1%})" for kind in FATES if fates[kind])
    return f"{total} labelled mentions: {shares}; right between {low:.1%} and {high:.1%}"


def _interval(hits: int, total: int) -> tuple[float, float]:
    """Returns the 95 % interval of a share after Wilson: https://doi.org/10.1080/01621459.1927.10502953 ."""
    z = 1.96
    middle = (hits + z * z / 2) / (total + z * z)
    half = z / (total + z * z) * math.sqrt(hits * (total - hits) / total + z * z / 4)
    return middle - half, middle + half


def _verdicts(lake: Path, labels: dict[str, list[dict]], names: set[str]) -> tuple[Counter, list[str]]:
    connection = open_lake(LakePlace.of(lake))
    rows = connection.execute(_WANTED).to_arrow_table().to_pylist()
    connection.close()
    counted: Counter[str] = Counter()
    shown = []
    for name in sorted(names):
        for label in labels[name]:
            if not label["arxiv_id"] or label["kind"] != "paper":
                continue
            near = [r for r in rows if Path(r["location"]).name == name and abs(r["line"] - label["line"]) <= 2]
            verdict = _verdict(label, near)
            counted[verdict] += 1
            if verdict != "right":
                said = [
                    (row["title"], row["status"], row["arxiv_id"], row["paper"])
                    for row in near
                    if row["line"] == label["line"]
                ]
                shown.append(f"    {verdict}: {name}:{label['line']} {label['arxiv_id']} {label['title']!r} {said[:2]}")
    return counted, shown


def _verdict(label: dict, near: list[dict]) -> str:
    if any(row["arxiv_id"] == label["arxiv_id"] for row in near):
        return "right"
    own = [row for row in near if row["line"] == label["line"]]
    if not own:
        return "unread"
    if any(title_key(row["paper"] or "") == title_key(label["title"]) for row in own):
        return "another record of the same title"
    return "wrong" if all(row["status"] == "resolved" for row in own) else own[0]["status"]


def missing_facts(shared: Path, labels: Mapping[str, list[dict]]) -> list[dict]:
    """Returns the labelled papers that the facts lack, as facts: title, identifier, year."""
    import pyarrow.parquet as pq

    known = {row["arxiv_id"] for row in map(json.loads, (shared / "facts" / "papers.jsonl").open(encoding="utf-8"))}
    known |= set(pq.read_table(shared / "facts" / "background.parquet", columns=["arxiv_id"])["arxiv_id"].to_pylist())
    rows = {row["arxiv_id"]: row for each in labels.values() for row in each if row["arxiv_id"]}
    return [
        {"title": row["title"], "authors": [], "arxiv_id": arxiv_id, "doi": row["doi"], "year": row["year"]}
        for arxiv_id, row in rows.items()
        if arxiv_id not in known
    ]


def _labels(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()

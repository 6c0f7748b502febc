"""Whether `paperlake add` finds by a section's order the place at which an entry stood.

    .venv/bin/python -m benchmarks.checks.orders [../shared]

Each entry of the lists of ../shared, at most twelve of those that stand beside each other, is taken out in turn and
placed by their order, where they are in one. Its place is *right* where only entries of its year stand between it and
its own place, and *right but for entries without a year* where those may stand there, too. The lists are halved by
their names; the shares from which entries are in an order were chosen while looking at one half.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

from benchmarks.checks.extents import lists_of
from sources.lists.edits.extents import Extents, width_before
from sources.lists.edits.places import ORDERS, is_in_order, places_among
from sources.lists.edits.style import WrittenEntry, WrittenList, sort_key
from sources.lists.local_files import decode_list
from sources.lists.reading import parse_reading_list

_MOST = 12
_FEWEST = 4
_LONGEST = 400_000  # characters of a list


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    halves: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for name, path in lists_of(arguments.parse_args().shared.resolve()).items():
        text = decode_list(path.read_bytes(), name=path.name)
        if len(text) <= _LONGEST:
            written, draw = WrittenList(text, parse_reading_list(text).mentions), random.Random(name)
            for run in _runs(written):
                halves[crc32(name.encode()) % 2 == 1].update(_counted(written, run, draw))
    print(
        "| lists | entries | placed by an order | right | right but for entries without a year |\n|---|---|---|---|---|"
    )
    for is_unseen, counts in halves.items():
        shares = (f"{100 * counts[each] / (counts['placed'] or 1):.1f} %" for each in ("right", "near"))
        half = "not looked at" if is_unseen else "looked at"
        print(f"| {half} | {counts['entries']} | {counts['placed']} | {' | '.join(shares)} |")


def _runs(written: WrittenList) -> Iterator[list[WrittenEntry]]:
    """Yields the entries of each section that stand beside each other."""
    extents = Extents(written)
    for section in dict.fromkeys(entry.mention.section for entry in written.entries):
        runs: defaultdict[int, list[WrittenEntry]] = defaultdict(list)
        for entry in extents.outer(section):
            runs[width_before(written.source.text[slice(*entry.spans.entry)])].append(entry)
        for run in runs.values():
            yield from (group for group in extents.groups(run).values() if len(group) >= _FEWEST)


def _counted(written: WrittenList, run: Sequence[WrittenEntry], draw: random.Random) -> Iterator[str]:
    for at in draw.sample(range(len(run)), min(_MOST, len(run))):
        yield "entries"
        rest, own = [*run[:at], *run[at + 1 :]], run[at]
        for field, way, _ in ORDERS:
            key = sort_key(own, field)
            if key and is_in_order(written, rest, field, way):
                place = places_among([sort_key(entry, field) for entry in rest], key, way)[0]
                years = {entry.mention.year for entry in rest[min(at, place) : max(at, place)]}
                yield "placed"
                yield from ("right",) * (years <= {own.mention.year}) + ("near",) * (years <= {own.mention.year, None})
                break


if __name__ == "__main__":
    main()

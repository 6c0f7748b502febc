"""Lies by services: each lie x each endpoint x each position x what is known, a real refresh each, and the next one.

    .venv/bin/python -m benchmarks.faults.lies [--lie NAME] [--endpoint "S2 batch"] [--position last] [--known nothing]
                                        [--part 1/4] [--unprovable]

One table; a cell is `right` where nothing that honest services never said stands in the lake, nothing was merged, no
mention got another verdict than its own or `failed`, the fault is named, and after the next run without the lie the
lake equals that of an unharmed run. The exit code is 1 where a cell is not. A cell in which nothing can tell the lie is
marked `unprovable` and is neither. --unprovable tries the lies that nothing tells from the truth anywhere; they are in
the lake until a later run. A cell takes about four seconds, all of them 40 minutes.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from standins import StandIns
from standins.fault_trials.false_answers import HEADING, KNOWN, POSITIONS, Lies, OpenAlexLies
from standins.fault_trials.fault_matrix import ASKED_BY_IDENTIFIER, ENDPOINTS, OPENALEX, small_batches
from standins.fault_trials.title_searches import TITLE_LIES, TITLE_SEARCHES, TitleSearchLies
from standins.lies import PROVABLE, UNPROVABLE, UNPROVABLE_CELLS

MATRICES: dict[str, type[Lies]] = {
    **dict.fromkeys(ENDPOINTS, Lies),
    **dict.fromkeys(OPENALEX, OpenAlexLies),
    **dict.fromkeys(TITLE_SEARCHES, TitleSearchLies),
}


def main() -> None:
    options = _options()
    part, parts = map(int, options.part.split("/"))
    table = UNPROVABLE if options.unprovable else PROVABLE
    counted: Counter[str] = Counter()
    with StandIns() as standins, small_batches(), tempfile.TemporaryDirectory() as folder:
        made: dict[type[Lies], Lies] = {}
        print(HEADING)
        for name, endpoint, position, known in itertools.islice(_cells(options, table), part - 1, None, parts):
            kind = MATRICES[endpoint]
            if kind not in made:
                made[kind] = kind(standins, Path(folder) / kind.__name__)
            cell = made[kind].lie(name, endpoint, position, known, table[name][1])
            reason = UNPROVABLE_CELLS.get((name, endpoint, position, known))
            counted["unprovable" if reason else "wrong" if cell.wrong else "right"] += 1
            counted["named" if cell.effect == "named" else "without effect"] += 1
            print(f"{cell.line()} unprovable: {reason}" if reason else cell.line(), flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counted.items())))
    sys.exit(1 if counted["wrong"] else 0)


def _cells(options: argparse.Namespace, table: dict) -> Iterator[tuple[str, str, str, str]]:
    chosen = itertools.product(
        options.lie or table,
        options.endpoint or MATRICES,
        options.position or POSITIONS,
        options.known or KNOWN,
    )
    for name, endpoint, position, known in chosen:
        is_of = name in TITLE_LIES if endpoint in TITLE_SEARCHES else endpoint in table[name][0]
        if is_of and (known == KNOWN[0] or endpoint in ASKED_BY_IDENTIFIER):
            yield name, endpoint, position, known


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lie", action="append", choices=[*PROVABLE, *UNPROVABLE])
    parser.add_argument("--endpoint", action="append", choices=list(MATRICES))
    parser.add_argument("--position", action="append", choices=POSITIONS)
    parser.add_argument("--known", action="append", choices=KNOWN)
    parser.add_argument("--part", default="1/1", help="run every Nth cell only, as in 2/4")
    parser.add_argument("--unprovable", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()

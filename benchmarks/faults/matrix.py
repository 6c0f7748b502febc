"""The whole fault matrix: each fault x each endpoint x each position, a real refresh each, and the next one after it.

    .venv/bin/python -m benchmarks.faults.matrix [--harm 503] [--endpoint "S2 batch"] [--position last] [--lasts always]
                                          [--part 1/4]

One table; a cell is `right` where no verdict but `failed` came of the fault, nothing was lost or made up, what failed
is named, the status is true, and after the next run without the fault the lake equals, row for row, that of an unharmed
run. The exit code is 1 where a cell is not. A cell takes about three seconds: the whole matrix some two hours.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
from collections import Counter
from pathlib import Path

from standins import StandIns
from standins.fault_trials.fault_matrix import (
    ASKED_BY_IDENTIFIER,
    ENDPOINTS,
    HEADING,
    OPENALEX,
    POSITIONS,
    Matrix,
    OpenAlexMatrix,
    small_batches,
)
from standins.fault_trials.title_searches import TITLE_SEARCHES, TitleSearchMatrix
from standins.harms import HARMS, NO_MATCH, ONLY_BY_IDENTIFIER, OPENALEX_HARMS

MATRICES: dict[str, type[Matrix]] = {
    **dict.fromkeys(ENDPOINTS, Matrix),
    **dict.fromkeys(OPENALEX, OpenAlexMatrix),
    **dict.fromkeys(TITLE_SEARCHES, TitleSearchMatrix),
}
LASTS = {"always": True, "once": False}


def main() -> None:
    options = _options()
    part, parts = map(int, options.part.split("/"))
    cells = itertools.product(options.harm or [*HARMS, *OPENALEX_HARMS], options.endpoint or MATRICES,
                              options.position or POSITIONS, options.lasts or LASTS)  # fmt: skip
    counted: Counter[str] = Counter()
    with StandIns() as standins, small_batches(), tempfile.TemporaryDirectory() as folder:
        made: dict[type[Matrix], Matrix] = {}
        print(HEADING)
        for harm, endpoint, position, lasts in itertools.islice(cells, part - 1, None, parts):
            if harm in ONLY_BY_IDENTIFIER and endpoint not in ASKED_BY_IDENTIFIER:
                continue
            if harm in NO_MATCH and endpoint == "S2 match":
                continue
            if harm in OPENALEX_HARMS and endpoint in ENDPOINTS:
                continue
            kind = MATRICES[endpoint]
            if kind not in made:
                made[kind] = kind(standins, Path(folder) / kind.__name__)
            cell = made[kind].cell(endpoint, harm, position, lasting=LASTS[lasts])
            counted["wrong" if cell.wrong else "right"] += 1
            counted[cell.again] += 1
            print(cell.line(), flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counted.items())))
    sys.exit(1 if counted["wrong"] else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--harm", action="append", choices=[*HARMS, *OPENALEX_HARMS])
    parser.add_argument("--endpoint", action="append", choices=list(MATRICES))
    parser.add_argument("--position", action="append", choices=POSITIONS)
    parser.add_argument("--lasts", action="append", choices=list(LASTS))
    parser.add_argument("--part", default="1/1", help="run every Nth cell only, as in 2/4")
    return parser.parse_args()


if __name__ == "__main__":
    main()

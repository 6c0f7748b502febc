"""A refresh killed with SIGKILL, its whole process group, at random moments: what each leaves, and the run after it.

    .venv/bin/python -m benchmarks.faults.kill [--kills 100] [--seed 7] [--size 420] [--through-prefect]

Each time a lake with one snapshot is copied, and a child refreshes a list that has grown since. It is killed at a
random moment of a random stage, the one with the commit more often than the rest. Then the lake is checked and compared
with the old and the new one, the refresh is run again, and what it asked is held against what the killed one had asked.
With --through-prefect the child is `paperlake refresh`, whose stages cannot be seen: its moments are of the whole run.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

from standins import StandIns
from standins.fault_trials.kills import HEADING, STAGES, Killing

_WEIGHTS = (1, 1, 3, 3, 5)


def main() -> None:
    options = _options()
    draw = random.Random(options.seed)
    command = (sys.executable, "-m", "flows", "refresh") if options.through_prefect else ()
    met: Counter[tuple[str, str]] = Counter()
    cells = []
    with StandIns() as standins, tempfile.TemporaryDirectory() as folder:
        killing = Killing(standins, Path(folder), size=options.size, command=command)
        print("unharmed: " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in killing.seconds.items()))
        print(HEADING)
        for _ in range(options.kills):
            stage = "start" if options.through_prefect else draw.choices(STAGES, _WEIGHTS)[0]
            cell = killing.kill(stage, draw.random())
            cells.append(cell)
            met[cell.stage, cell.left] += 1
            print(cell.line(), flush=True)
    for (stage, left), count in sorted(met.items(), key=lambda pair: STAGES.index(pair[0][0])):
        print(f"{count:4} x killed in {stage}: the {left} snapshot was there")
    wrong = [cell for cell in cells if cell.wrong]
    print(f"{len(cells)} kills, {len(wrong)} wrong, at most {max(cell.repeated for cell in cells)} batch asked twice")
    sys.exit(1 if wrong else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--size", type=int, default=420, help="papers in the list")
    parser.add_argument("--through-prefect", action="store_true", help="kill the command line, with Prefect in it")
    return parser.parse_args()


if __name__ == "__main__":
    main()

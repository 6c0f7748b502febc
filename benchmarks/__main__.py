"""Every performance figure that the project claims, in one go.

    python -m benchmarks [--full] [--only NAME ...] [--out DIR] [--docs]

Each figure stands beside its plain alternative or its floor, measured in the same run. It prints them as they come,
writes them as a table (benchmarks.md) and a picture (benchmarks.svg), and adds them to benchmarks/history.jsonl. It
ends with 1 where a figure misses its bar or a benchmark fails.
"""

from __future__ import annotations

import argparse
import importlib
import shutil
import sys
import time
import traceback
from pathlib import Path

from benchmarks import history, plot, table
from benchmarks.figure import Figure

MODULES = (
    "reading.parse", "matching.resolve", "matching.accuracy", "matching.end_to_end", "running.requests", "running.pace",
    "lake.load", "lake.growth", "running.fixed_cost", "running.startup", "lake.views", "lake.readers", "page.dashboard",
    "mirrors.mirror", "mirrors.openalex", "mirrors.dblp", "matching.publication", "checks.list_checks", "checks.links",
    "checks.fixes", "checks.additions", "matching.missing", "running.refresh_cost",
)  # fmt: skip
NAMES = {module.rpartition(".")[2]: module for module in MODULES}


def main() -> int:
    options = _options()
    figures: list[Figure] = []
    failed = []
    for name in options.only or NAMES:
        began = time.monotonic()
        print(f"== {name}", flush=True)
        try:
            for figure in importlib.import_module(f"benchmarks.{NAMES[name]}").figures(full=options.full):
                print(figure, flush=True)
                figures.append(figure)
        except Exception:  # noqa: BLE001 - one broken benchmark must not hide the others' figures
            traceback.print_exc()
            failed.append(name)
        print(f"   {time.monotonic() - began:.0f} s", flush=True)
    history.add(figures, full=options.full)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "benchmarks.md").write_text(table.markdown(figures), encoding="utf-8")
    plot.draw(figures, history.read(), options.out / "benchmarks.svg")
    if options.docs:
        docs = history.ROOT / "docs"
        table.put_into(docs / "benchmarks.md", figures, whole=not options.only)
        if not options.only:
            shutil.copy(options.out / "benchmarks.svg", docs / "benchmarks.svg")
    missed = [figure.name for figure in figures if figure.holds is False]
    print("\n" + table.markdown(figures))
    for what, names in (("missed", missed), ("failed", failed)):
        if names:
            print(f"{what}: {'; '.join(names)}")
    return 1 if missed or failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="at the sizes that the project claims; else in 20 minutes")
    parser.add_argument("--only", nargs="+", choices=NAMES, help="these alone")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"), help="where the table and picture go")
    parser.add_argument(
        "--docs",
        "--readme",
        action="store_true",
        help="put the table into docs/benchmarks.md, and the picture beside it; with --only, these rows alone",
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

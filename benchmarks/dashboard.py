"""The dashboard's size and speed, over made-up lakes of a year of weekly counts.

    python -m benchmarks.dashboard [--papers 5000 50000] [--weeks 53]

For each size: seconds to write the page (in a fresh process, as the command does), its bytes, milliseconds from opening
it in Chromium to the first chart, and milliseconds from a choice of a list, of a year and of words to everything drawn
anew: the median of some. Titles and authors are drawn from the bundled snapshot's words.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.warehouse.browser import chromium, visit
from tests.warehouse.dashboard_lake import made_up, make_lake
from warehouse.lake import LakePlace

FIRST_CHART = """() => {
  new MutationObserver((_, watch) => {
    if (!document.querySelector(".chart svg .role-mark path")) return;
    watch.disconnect();
    requestAnimationFrame(() => { window.firstChart = performance.now(); });
  }).observe(document, { childList: true, subtree: true });
}"""
CHOOSE = """async ([name, value]) => {
  const control = document.getElementById("filters").elements[name];
  const drawn = document.body.dataset.drawn;
  const began = performance.now();
  control.value = value;
  control.dispatchEvent(new Event(name === "q" ? "input" : "change", { bubbles: true }));
  while (document.body.dataset.drawn === drawn) await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


def main() -> None:
    arguments = _arguments()
    for papers in arguments.papers:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            began = time.monotonic()
            make_lake(LakePlace.of(work / "lake"), list(made_up(papers)), weeks=arguments.weeks)
            print(
                f"{papers} papers, {arguments.weeks} weeks: lake made in {time.monotonic() - began:.0f} s", flush=True
            )
            print(f"  written in {_written(work):.1f} s", flush=True)
            page = work / "out" / "index.html"
            print(f"  page {page.stat().st_size / 1e6:.2f} MB")
            _in_browser(page)


def _written(work: Path) -> float:
    command = [sys.executable, "-m", "flows", "dashboard", "--lake", str(work / "lake"), "--out", str(work / "out")]
    seconds = []
    for _ in range(3):
        began = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.monotonic() - began)
    return statistics.median(seconds)


def _in_browser(page: Path) -> None:
    with chromium() as browser:
        first = []
        for _ in range(3):
            with visit(browser, page, on_open=FIRST_CHART) as visited:
                first.append(visited.page.evaluate("window.firstChart"))
        print(f"  first chart after {statistics.median(first):.0f} ms")
        with visit(browser, page) as visited:
            for name in ("list", "section", "category", "from"):
                control = visited.page.locator(f"select[name={name}] option")
                values = control.evaluate_all("all => all.slice(1, 6).map(one => one.value)")
                _tell(f"choosing by {name}", [visited.page.evaluate(CHOOSE, [name, value]) for value in values])
                visited.page.evaluate(CHOOSE, [name, ""])
            _tell("searching", [visited.page.evaluate(CHOOSE, ["q", words]) for words in ("learning", "data", "arxiv")])


def _tell(what: str, milliseconds: list[float]) -> None:
    print(f"  {what}: {statistics.median(milliseconds):.0f} ms, at most {max(milliseconds):.0f} ms")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, nargs="+", default=[5000, 50000])
    parser.add_argument("--weeks", type=int, default=53)
    return parser.parse_args()


if __name__ == "__main__":
    main()

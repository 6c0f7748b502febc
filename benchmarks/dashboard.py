"""The dashboard's size and speed, over made-up lakes of a year of weekly counts.

    python -m benchmarks.dashboard [--full]

For 5,000 papers, and with --full for 50,000: seconds to write the page (in a fresh process, as the command does), its
bytes, milliseconds from opening it in Chromium to the first chart, and milliseconds from a choice of a list, of a year
and of words to everything drawn anew: the slowest of some. Titles and authors are drawn from the bundled snapshot's
words.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Figure, run, seconds
from standins.trials.browser import chromium, visit
from standins.trials.dashboard_lake import made_up, make_lake
from warehouse.lake.place import LakePlace

WEEKS = 53
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


def figures(*, full: bool) -> Iterator[Figure]:
    for papers in (5_000, 50_000) if full else (5_000,):
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            make_lake(LakePlace.of(work / "lake"), list(made_up(papers)), weeks=WEEKS)
            at = f"dashboard of {papers:,} papers and {WEEKS} weekly counts"
            written = [seconds(lambda work=work: _write(work)) for _ in range(3)]
            page = work / "out" / "index.html"
            measured = [
                ("written", statistics.median(written), "s", 5.0),
                ("the page", page.stat().st_size / 1e6, "MB", 3.0),
                *_in_browser(page),
            ]
            for what, value, unit, bar in measured:
                # At the larger size nothing was promised but that the page can be used.
                promised = bar if papers == 5_000 else None
                yield Figure(name=f"{at}: {what}", value=value, unit=unit, bar=promised, bar_on="value")


def _write(work: Path) -> None:
    command = [sys.executable, "-m", "flows", "dashboard", "--lake", str(work / "lake"), "--out", str(work / "out")]
    subprocess.run(command, check=True, capture_output=True)


def _in_browser(page: Path) -> Iterator[tuple[str, float, str, float]]:
    """Yields what is measured there, its value, unit and bar; of a kind of choice, the slowest of some."""
    with chromium() as browser:
        first = []
        for _ in range(3):
            with visit(browser, page, on_open=FIRST_CHART) as visited:
                first.append(visited.page.evaluate("window.firstChart"))
        yield "first chart visible", statistics.median(first), "ms", 1500
        with visit(browser, page) as visited:
            for name in ("list", "section", "category", "from"):
                control = visited.page.locator(f"select[name={name}] option")
                values = control.evaluate_all("all => all.slice(1, 6).map(one => one.value)")
                taken = [visited.page.evaluate(CHOOSE, [name, value]) for value in values]
                yield f"everything drawn after choosing by {name}", max(taken), "ms", 200
                visited.page.evaluate(CHOOSE, [name, ""])
            taken = [visited.page.evaluate(CHOOSE, ["q", words]) for words in ("learning", "data", "arxiv")]
            yield "everything drawn after a search", max(taken), "ms", 200


if __name__ == "__main__":
    run(figures, __doc__)

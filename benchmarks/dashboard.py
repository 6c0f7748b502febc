"""The dashboard's size and speed, over made-up lakes of a year of weekly counts.

    python -m benchmarks.dashboard [--full]

For 5,000 papers, and with --full for 50,000: seconds to write the page (in a fresh process, as the command does), its
bytes, milliseconds from opening it in Chromium to the first chart, and milliseconds from a choice of a list, of a year
and of words to everything drawn anew: the slowest of some. Titles and authors are drawn from the bundled snapshot's
words.

Writing stands beside writing the same catalogue as JSON and compiling one chart, what happens in the browser beside a
page that holds nothing but the chart library and one chart of a mark a paper.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from benchmarks.figure import Figure, medians, run
from standins.trials.browser import chromium, visit
from standins.trials.dashboard_lake import made_up, make_lake
from warehouse.dashboard.charts import library
from warehouse.lake.place import LakePlace

WEEKS = 53
ONE_CHART = """
import sys
import altair
import vl_convert

rows = altair.Data(values=[{"x": number % 997, "y": number % 89} for number in range(int(sys.argv[1]))])
vl_convert.vegalite_to_vega(altair.Chart(rows).mark_point().encode(x="x:Q", y="y:Q").to_dict())
"""
AS_JSON = ("from catalog", "--format", "json", "--out", "catalog.json")
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
            # At the larger size nothing was promised but that the page can be used.
            promised = papers == 5_000
            written, plain = medians(
                3,
                lambda work=work: _run("dashboard", work, "--out", "out"),
                lambda work=work, papers=papers: _write_plainly(work, papers),
            )
            yield Figure(
                name=f"{at}: written", value=written, unit="s",
                beside="the catalogue written as JSON, and one chart of as many points compiled", plain=plain,
                bar=3 if promised else None,
            )  # fmt: skip
            page = work / "out" / "index.html"
            size = page.stat().st_size / 1e6
            yield Figure(name=f"{at}: the page", value=size, unit="MB", bar=3 if promised else None, bar_on="value")
            bare = _write_bare_page(work / "bare.html", papers)
            yield from _in_browser(page, bare, at=at, promised=promised)


def _run(command: str, work: Path, *options: str) -> None:
    subprocess.run([sys.executable, "-m", "flows", command, *options], cwd=work, check=True, capture_output=True)


def _write_plainly(work: Path, papers: int) -> None:
    """Writes the catalogue as JSON and compiles a chart, each in a process of its own."""
    _run("sql", work, *AS_JSON)
    subprocess.run([sys.executable, "-c", ONE_CHART, str(papers)], check=True)


def _write_bare_page(page: Path, papers: int) -> Path:
    """Writes a page with one chart of a point a paper, and nothing else."""
    rows = alt.Data(values=[{"x": number % 997, "y": number % 89} for number in range(papers)])
    chart = alt.Chart(rows, width=800, height=320).mark_point().encode(x="x:Q", y="y:Q")
    spec = json.dumps(vl_convert.vegalite_to_vega(chart.to_dict()))
    page.write_text(
        f"<!doctype html><meta charset=utf-8><body><div class=chart id=chart></div><script>{library()}</script>"
        f"<script>vegaEmbed('#chart', {spec}, {{renderer: 'svg'}})"
        ".then(() => document.body.dataset.drawn = 1)</script>",
        encoding="utf-8",
    )
    return page


def _in_browser(page: Path, bare: Path, *, at: str, promised: bool) -> Iterator[Figure]:
    """Yields what is measured there beside the bare page; of a kind of choice, the slowest of some."""

    def figure(what: str, value: float, bar: float) -> Figure:
        return Figure(
            name=f"{at}: {what}", value=value, unit="ms", beside="the first chart of a page with one chart",
            plain=plain, bar=bar if promised else None,
        )  # fmt: skip

    with chromium() as browser:
        pairs = [[_first_chart(browser, each) for each in (page, bare)] for _ in range(3)]
        ours, plain = map(statistics.median, zip(*pairs, strict=True))
        yield figure("first chart visible", ours, 3)
        with visit(browser, page) as visited:
            for name in ("list", "section", "category", "from"):
                control = visited.page.locator(f"select[name={name}] option")
                values = control.evaluate_all("all => all.slice(1, 6).map(one => one.value)")
                taken = [visited.page.evaluate(CHOOSE, [name, value]) for value in values]
                yield figure(f"everything drawn after choosing by {name}", max(taken), 1)
                visited.page.evaluate(CHOOSE, [name, ""])
            taken = [visited.page.evaluate(CHOOSE, ["q", words]) for words in ("learning", "data", "arxiv")]
            yield figure("everything drawn after a search", max(taken), 1)


def _first_chart(browser: Any, page: Path) -> float:
    """Returns the milliseconds from opening a page to its first chart."""
    with visit(browser, page, on_open=FIRST_CHART) as visited:
        return float(visited.page.evaluate("window.firstChart"))


if __name__ == "__main__":
    run(figures, __doc__)

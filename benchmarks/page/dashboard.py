"""The dashboard's size and speed, over made-up lakes of a year of weekly counts.

    python -m benchmarks.page.dashboard [--full]

For 5,000 papers, and with --full for 50,000, of a lake with counts only and of one that also has abstracts and what
OpenAlex tells: processor time of writing the page (in fresh processes, as the command does; once with the charts made
anew, then with those of an earlier run), its bytes, processor time of Chromium's renderers from opening it to the first
chart, and from a choice of a list, a section, a category, a year and of words to all that is in view drawn anew, and to
all of it: the slowest of some. Titles and authors are drawn from the bundled snapshot's words.

Writing stands beside writing the same catalogue as JSON and compiling one chart, what happens in the browser beside a
page that holds nothing but the chart library and one chart of a mark a paper. The page waits in a dialogue at the
moment to measure, so that nothing after it is counted.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from benchmarks.figure import Figure, run
from standins.trials.browser import chromium
from standins.trials.dashboard_lake import made_up, make_lake
from warehouse.dashboard.chart_library import read_charts
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
    requestAnimationFrame(() => setTimeout(() => alert("first chart")));
  }).observe(document, { childList: true, subtree: true });
}"""
CHOOSE = """async ([name, value]) => {
  const control = document.getElementById("filters").elements[name];
  const drawn = document.body.dataset.drawn;
  control.value = value;
  control.dispatchEvent(new Event(name === "q" ? "input" : "change", { bubbles: true }));
  while (document.body.dataset.drawn === drawn) await new Promise(requestAnimationFrame);
  alert("in view");
  while (document.body.dataset.settled === undefined) await new Promise(requestAnimationFrame);
  alert("all");
}"""
OPTIONS = "[...document.querySelectorAll('{}')].slice(1, 6).map((option) => option.value)"
CHOICES = {
    "list": OPTIONS.format("select[name=list] option"),
    "section": OPTIONS.format("#section-names option"),
    "category": OPTIONS.format("select[name=category] option"),
    "from": OPTIONS.format("select[name=from] option"),
    "q": "['learning', 'data', 'arxiv']",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """The most that is allowed: processor seconds to write the page, its megabytes, milliseconds of the renderer."""

    write_s: float
    page_mb: float
    first_chart_ms: float
    choice_ms: float


BARS = {
    5_000: Bars(write_s=4, page_mb=3, first_chart_ms=1_200, choice_ms=150),
    50_000: Bars(write_s=15, page_mb=8, first_chart_ms=2_000, choice_ms=300),
}


def figures(*, full: bool) -> Iterator[Figure]:
    for papers, bars in BARS.items():
        if papers > 5_000 and not full:
            continue
        for whole in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                work = Path(folder)
                make_lake(LakePlace.of(work / "lake"), list(made_up(papers)), weeks=WEEKS, whole=whole)
                more = ", with abstracts and OpenAlex's data" if whole else ""
                at = f"dashboard of {papers:,} papers and {WEEKS} weekly counts{more}"
                yield from _writing(work, papers, at=at, bars=bars)
                page = work / "out" / "index.html"
                size = page.stat().st_size / 1e6
                yield Figure(name=f"{at}: the page", value=size, unit="MB", bar=bars.page_mb, bar_on="value")
                yield from _in_browser(page, _write_bare_page(work / "bare.html", papers), at=at, bars=bars)


def _writing(work: Path, papers: int, *, at: str, bars: Bars) -> Iterator[Figure]:
    """Yields the processor time of writing a page; the charts are made by the first of four runs only."""
    beside = "the catalogue written as JSON, and one chart of as many points compiled"
    with tempfile.TemporaryDirectory() as cache:
        runs = [(_run("dashboard", work, "--out", "out", cache=cache), _write_plainly(work, papers)) for _ in range(4)]
    first, plain_first = runs[0]
    again, plain = map(statistics.median, zip(*runs[1:], strict=True))
    for name, value, beside_it in (("charts and all", first, plain_first), ("again", again, plain)):
        yield Figure(
            name=f"{at}: processor time of writing it, {name}", value=value, unit="s", beside=beside, plain=beside_it,
            bar=bars.write_s, bar_on="value",
        )  # fmt: skip


def _run(command: str, work: Path, *options: str, cache: str = "") -> float:
    """Runs a command of ours and returns its processor time in seconds, all processes of it."""
    environment = os.environ | ({"XDG_CACHE_HOME": cache} if cache else {})
    return _processor_s([sys.executable, "-m", "flows", command, *options], cwd=work, env=environment)


def _processor_s(command: list[str], **options: Any) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write_plainly(work: Path, papers: int) -> float:
    """Writes the catalogue as JSON and compiles a chart, each in a process of its own; returns their processor time."""
    return _run("sql", work, *AS_JSON) + _processor_s([sys.executable, "-c", ONE_CHART, str(papers)])


def _write_bare_page(page: Path, papers: int) -> Path:
    """Writes a page with one chart of a point a paper, and nothing else."""
    rows = alt.Data(values=[{"x": number % 997, "y": number % 89} for number in range(papers)])
    chart = alt.Chart(rows, width=800, height=320).mark_point().encode(x="x:Q", y="y:Q")
    spec = json.dumps(vl_convert.vegalite_to_vega(chart.to_dict()))
    page.write_text(
        "<!doctype html><meta charset=utf-8><body><div class=chart id=chart></div>"
        f"<script>{read_charts().library}</script>"
        f"<script>new vega.View(vega.parse({spec}), {{renderer: 'svg', container: '#chart'}}).runAsync()"
        ".then(() => document.body.dataset.drawn = 1)</script>",
        encoding="utf-8",
    )
    return page


def _in_browser(page: Path, bare: Path, *, at: str, bars: Bars) -> Iterator[Figure]:
    """Yields what is measured there beside the bare page; of a kind of choice, the slowest of some."""

    def figure(what: str, milliseconds: float, bar: float | None) -> Figure:
        return Figure(
            name=f"{at}: {what}", value=milliseconds, unit="ms", beside="the first chart of a page with one chart",
            plain=plain, bar=bar, bar_on="value",
        )  # fmt: skip

    with chromium() as browser:
        pairs = [[_first_chart(browser, each) for each in (page, bare)] for _ in range(5)]
        ours, plain = map(statistics.median, zip(*pairs, strict=True))
        yield figure("processor time to the first chart", ours, bars.first_chart_ms)
        for name in CHOICES:
            in_view, everything = _choices(browser, page, name)
            yield figure(f"processor time of a choice by {name}, in view", in_view, bars.choice_ms)
            yield figure(f"processor time of a choice by {name}, everything", everything, None)


def _first_chart(browser: Any, page: Path) -> float:
    """Returns the renderers' milliseconds from opening a page to its first chart."""
    with _watched(browser) as (visited, taken):
        visited.add_init_script(f"({FIRST_CHART})()")
        before = _renderers_ms(browser)
        visited.goto(page.as_uri())
        while not taken:  # of a long page no chart may be in view
            visited.wait_for_timeout(20)
        return taken[0] - before


def _choices(browser: Any, page: Path, name: str) -> tuple[float, float]:
    """Returns the renderers' milliseconds of the slowest of some choices: to what is in view drawn anew, and to all."""
    with _watched(browser) as (visited, taken):
        visited.goto(page.as_uri())
        visited.wait_for_selector("body[data-settled]")
        slowest = (0.0, 0.0)
        for value in visited.evaluate(CHOICES[name]):
            before = _renderers_ms(browser)
            taken.clear()
            visited.evaluate(CHOOSE, [name, value])
            slowest = max(slowest, (taken[0] - before, taken[1] - before))
        return slowest


@contextmanager
def _watched(browser: Any) -> Iterator[tuple[Any, list[float]]]:
    """Opens an empty page, and notes the renderers' milliseconds at each of its dialogues."""
    with browser.new_context() as own:
        visited = own.new_page()
        taken: list[float] = []

        def note(dialog: Any) -> None:
            taken.append(_renderers_ms(browser))
            dialog.dismiss()

        visited.on("dialog", note)
        yield visited, taken


def _renderers_ms(browser: Any) -> float:
    """Returns the processor time that the browser's renderers have taken so far, all threads, in milliseconds.

    https://chromedevtools.github.io/devtools-protocol/tot/SystemInfo/#method-getProcessInfo
    """
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return 1000 * sum(process["cpuTime"] for process in processes if process["type"] == "renderer")


if __name__ == "__main__":
    run(figures, __doc__)

"""The machinery of `make bench`, and its show of readers at a size for every day."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import history, table
from benchmarks.checks.planted import SLIPS, checked, plant
from benchmarks.figure import Figure
from benchmarks.lake.readers import measure

pytestmark = pytest.mark.slow

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
HOLDS = Figure(name="a", value=3, unit="s", beside="plain", plain=2, bar=2)
MISSES = Figure(name="b", value=400, unit="ms", beside="floor", plain=10, bar=300, bar_on="value")
ABOVE = Figure(name="e", value=5, unit="s", beside="plain", plain=3, bar=1, bar_on="difference")


@pytest.mark.parametrize(
    ("figure", "holds"),
    [
        (HOLDS, True),
        (MISSES, False),
        (Figure(name="d", value=0, unit="errors", bar=0, bar_on="value"), True),
        (ABOVE, False),
    ],
)
def test_a_figure_knows_whether_it_passes_its_bar(figure, holds):
    assert figure.holds is holds


def test_every_row_in_the_docs_was_measured_by_a_run_in_the_history():
    shown = PAGE.read_text(encoding="utf-8").partition(table.BEGIN)[2].partition(table.END)[0].splitlines()
    measured = {row for figures in history.runs() for row in table.markdown(figures).splitlines()}
    assert len(shown) > 50
    assert [row for row in shown if row not in measured] == []
    assert len(shown) == len(set(shown))


def test_a_part_of_the_benchmarks_changes_its_own_rows_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{table.BEGIN}{table.markdown([HOLDS, MISSES])}{table.END}after\n")
    table.put_into(page, [replace(HOLDS, value=2.5), ABOVE], whole=False)
    rows = table.markdown([replace(HOLDS, value=2.5), MISSES, ABOVE])
    assert page.read_text() == f"before\n{table.BEGIN}{rows}{table.END}after\n"
    assert "| b | 400 ms | floor: 10 ms | 40.00 | 300 ms: **missed** |" in rows


@pytest.mark.nightly
def test_readers_see_whole_runs_only_and_two_refreshes_started_together_both_land():
    troubles, lost, _ = measure(2, 2)
    assert (troubles.value, lost.value) == (0, 0)


def test_each_slip_is_planted_on_a_line_of_its_own_and_is_new_there():
    words = "Maps Trees Birds Seas Lists Stars Towns Roads".split()
    items = (
        f"- [Learning to Find {word} in Pictures](https://example.org/{word}.pdf) by {word[0]}. Byron, 2019. "
        f"[[code]](https://github.com/{word}/find-{word})\n"
        for word in words
    )
    rows = (f"| [Learning to Hear {word}](https://example.org/h{word}.pdf) | 2018 |\n" for word in words)
    head = "# Heard in Songs\n\n| Paper | Year |\n|---|---|\n"
    text = f"[Heard](#heard-in-songs)\n\n# Seen\n\n{''.join(items)}\n{head}{''.join(rows)}"
    source, before = checked(text, {})
    changed, lines = plant(source, set(), random.Random(1))
    assert before == []
    assert {*SLIPS} - {*lines} <= {"copied-code", "copied-code of unknown people"}
    assert len({*lines.values()}) == len(lines)
    assert not {changed.split("\n")[line - 1] for line in lines.values()} & {*text.split("\n")}

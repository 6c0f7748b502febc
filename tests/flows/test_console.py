"""Rows and paragraphs on the screen, readable at every width; bars for a terminal, lines for a log."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from flows.console import as_text, print_rows, wrapped
from flows.progress import LOG, log_line, watched
from flows.times import ago
from tests.matrices import for_each

TITLE = "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness"
NOW = datetime(2026, 11, 21, 23, 27, tzinfo=UTC)


@pytest.fixture(params=[60, 120])
def width(request, monkeypatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def printed(capsys, names, rows, **told) -> list[str]:
    print_rows(names, rows, **told)
    return capsys.readouterr().out.splitlines()


@for_each("count", [1, 3, 40])
@for_each("columns", [1, 4, 21])
def test_no_line_is_too_long_and_no_text_is_squeezed(width, capsys, count, columns):
    names = [f"a_long_name_of_column_{number}" for number in range(columns)]
    lines = printed(capsys, names, [[TITLE if place % 2 else place for place in range(columns)]] * count)
    assert max(map(cell_len, lines)) <= width
    assert columns == 1 or any("FlashAttention:" in line for line in lines)


def test_rows_that_do_not_fit_are_a_block_each_if_few_and_have_their_first_columns_if_many(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    names = [f"name_{n}" for n in range(12)]
    row = [f"{TITLE} {n}" for n in range(12)]
    lines = printed(capsys, names, [row] * 2)
    assert lines[0] == "-- 1 of 2 --"
    assert lines[1].startswith("name_0: FlashAttention")
    assert sum(line.startswith("name_11") for line in lines) == 2
    lines = printed(capsys, names, [row] * 20, total=50)
    head = lines[0].split()
    assert head == names[: len(head)]
    assert 2 <= len(head) < 12
    said = " ".join(lines)
    assert f"... {12 - len(head)} more columns: {', '.join(names[len(head) :])}; --format csv gives all" in said
    assert "... 30 more of 50 rows: --format csv gives all" in said


def test_numbers_stand_right_and_nothing_is_a_dash(capsys):
    assert printed(capsys, ["n", "title"], [[1, None], [200, "A"]]) == ["  n  title", "  1  -", "200  A"]
    assert printed(capsys, ["n", "title"], []) == ["n, title", "no rows"]


@for_each(
    ("value", "text"),
    [
        (NOW, "2026-11-21 23:27 UTC"),
        (0.0123456, "0.0123"),
        (1e16, "10000000000000000.0"),
        (Decimal("1.50"), "1.50"),
        ({"a": [1, None, 2.5]}, '{"a": [1, null, "2.50"]}'),
        (b"\xff", "\\xff"),
        ("a\x1bb\nc", "a\\x1bb c"),
        ("x" * 301, "x" * 299 + "…"),
    ],
)
def test_values_are_text_for_people(value, text):
    assert as_text(value) == text


@given(st.text(alphabet=st.characters(exclude_categories=("C", "Z", "M")) | st.just(" ")), st.integers(4, 90))
def test_wrapping_loses_nothing_but_blanks_and_is_never_too_wide(text, width):
    lines = wrapped(text, width)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(cell_len(line) <= width for line in lines)


@for_each(
    ("age", "text"),
    [
        (timedelta(minutes=5, seconds=59), "5 min ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=8), "2026-11-13 23:27 UTC"),
        (timedelta(minutes=-5), "2026-11-21 23:32 UTC"),
    ],
)
def test_times_are_told_as_ages_for_a_week(age, text):
    assert ago(NOW - age, NOW) == text


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("worth_s", "shown"), [(0.0, True), (60.0, False)])
def test_only_a_stage_that_takes_long_gets_a_bar_and_a_log_none(monkeypatch, capsys, worth_s, shown):
    monkeypatch.setattr("flows.progress._WORTH_A_BAR_S", worth_s)
    for stream in (terminal := Terminal(), sys.stderr):
        monkeypatch.setattr(sys, "stderr", stream)
        with watched() as reporter:
            reporter.stage("Reading the lists", 2, "lists")(2)
            reporter.say("something to know")
    assert [text in terminal.getvalue() for text in ("Reading the lists", "2/2")] == [shown] * 2
    assert "something to know" in terminal.getvalue()
    assert capsys.readouterr().err == "something to know\n"


def test_a_log_of_json_has_an_object_a_line_with_the_facts(monkeypatch, capsys):
    monkeypatch.setenv(LOG, "json")
    log_line("1 mention\x1b in 1 list", {"failed": 0, "next_run": "2026-11-27T06:00:00+00:00"}, stamped=True)
    with watched() as reporter:
        reporter.say("something to know")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["message"], first["failed"], second["message"]) == ("1 mention\x1b in 1 list", 0, "something to know")
    assert first.keys() - second.keys() == {"failed", "next_run"}


@pytest.mark.parametrize("columns", [80, 120])
def test_bars_have_distinct_names_and_a_line_each(monkeypatch, columns):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr("flows.progress._WORTH_A_BAR_S", 0.0)
    monkeypatch.setenv("COLUMNS", str(columns))
    with watched() as reporter:
        for name in ("Semantic Scholar: best match, one by one", "arXiv: papers by title", "arXiv: papers by title"):
            reporter.stage(name, 10_000, "papers")(500)
    final = [line.split("\r")[-1] for line in terminal.getvalue().splitlines() if "papers" in line][-2:]
    assert "Semantic Scholar: best match" in final[0]
    assert "500/10000" in final[0]
    assert "arXiv: papers by title" in final[1]
    assert "1000/20000" in final[1]
    assert all(len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)) <= columns for line in final)


def test_a_table_longer_than_the_terminal_goes_through_the_pager(monkeypatch):
    paged: list[str] = []
    monkeypatch.setattr("pydoc.pager", paged.append)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("os.get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    print_rows(["n"], [[number] for number in range(30)], paged=True)
    print_rows(["n"], [[1]], paged=True)
    assert len(paged) == 1
    assert len(paged[0].splitlines()) == 31

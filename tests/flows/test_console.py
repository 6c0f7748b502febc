"""Rows, paragraphs and names of lists on the screen: readable at every width, and no line longer than it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from flows.console import as_text, print_rows, wrapped
from flows.list_names import short_names
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


def test_lists_have_their_shortest_distinct_names():
    locations = [
        "/a/x/reading.md",
        "/a/y/reading.md",
        "/a/systems.md",
        "github:owner/name",
        "https://e.org/p/l.md",
        "-",
    ]
    names = short_names(locations)
    assert list(names.values()) == ["x/reading.md", "y/reading.md", "systems.md", "owner/name", "p/l.md", "-"]
    assert short_names(["/a.md", "/b/a.md"]) == {"/a.md": "/a.md", "/b/a.md": "b/a.md"}

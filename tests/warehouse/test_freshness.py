from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from standins.trials.rows import DAY, T0, harvest_row
from tests.matrices import for_each
from warehouse.loading.reply_spool import asks_again_at, due

HOUR = timedelta(hours=1)


@for_each(
    ("last", "after", "wanted"),
    [
        (None, 0 * HOUR, True),
        ({"status": "found"}, 23 * HOUR, False),
        ({"status": "found"}, 24 * HOUR, True),
        ({"status": "failed"}, 0 * HOUR, True),
        ({"status": "not_found", "tries": 1}, 23 * HOUR, False),
        ({"status": "not_found", "tries": 1}, 24 * HOUR, True),
        ({"status": "not_found", "tries": 2}, 47 * HOUR, False),
        ({"status": "not_found", "tries": 2}, 48 * HOUR, True),
        ({"status": "not_found", "tries": 900}, 30 * DAY, True),
        ({"status": "found", "asked_at": T0 + 3650 * DAY}, HOUR, True),
        ({"status": "not_found", "tries": 3, "asked_at": T0 + 3650 * DAY}, HOUR, True),
        ({"status": "found", "source": "arxiv"}, 0 * HOUR, True),
    ],
)
def test_a_paper_is_due_when(last, after, wanted):
    harvests = [] if last is None else [harvest_row("p1", **last)]
    assert due(["p1"], harvests, "s2", max_age=DAY, now=T0 + after) == (["p1"] if wanted else [])


@pytest.mark.parametrize(("days", "wanted"), [(6, []), (7, ["p1"])])
def test_a_quiet_paper_is_due_rarely(days: int, wanted: list[str]):
    harvests = [harvest_row("p1", status="found")]
    assert due(["p1"], harvests, "s2", max_age=DAY, now=T0 + days * DAY, quiet={"p1"}) == wanted


def test_the_order_of_the_papers_stays():
    assert due(["p3", "p1", "p2"], [harvest_row("p1")], "s2", max_age=DAY, now=T0) == ["p3", "p2"]


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.timedeltas(timedelta(0), timedelta(days=4000)))
def test_more_tries_never_ask_sooner_and_never_wait_beyond_the_longest(fewer, more, max_age):
    fewer, more = sorted((fewer, more))
    first, second = (asks_again_at(T0, tries, max_age=max_age) for tries in (fewer, more))
    assert T0 <= first <= second <= T0 + max(30 * DAY, max_age)


def test_clocks_that_differ_by_minutes_make_nothing_due():
    """Machines that share a lake: what one has just asked, another must not ask again."""
    harvests = [harvest_row("p1", status="found", asked_at=T0 + HOUR)]
    assert due(["p1"], harvests, "s2", max_age=DAY, now=T0) == []

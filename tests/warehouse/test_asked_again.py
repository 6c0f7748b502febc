"""When papers, counts and citing works are asked for again: after their time, a change or a fault, and not else."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.errors import PayloadError
from sources.services.openalex.answers import CitingAnswer, CitingQuestion
from standins.trials.citation_world import views_over
from standins.trials.rows import (
    DAY,
    T0,
    count_row,
    harvest_row,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    run_row,
    work_row,
)
from tests.matrices import for_each
from warehouse.loading.commit import Harvest, load
from warehouse.loading.load import upsert
from warehouse.loading.reply_spool import asks_again_at, due
from warehouse.papers.citation_graph import CitationGraph, WorkRows
from warehouse.papers.graph_limits import LEAST_PAPERS
from warehouse.papers.lake_papers import KnownPapers
from warehouse.tables.declarations import CITING_HARVESTS, PAPER_CITATIONS

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


@pytest.mark.parametrize(
    ("counts", "days", "unmoved"),
    [
        pytest.param([7, 7, 7, 7, 7], 7, True, id="five the same over four weeks"),
        pytest.param([5, 7, 7, 7, 7, 7], 7, True, id="moved before that"),
        pytest.param([7, 7, 7, 7, 8], 7, False, id="moved at last"),
        pytest.param([7, 7, 7, 7, 7], 1, False, id="over five days only"),
        pytest.param([7, 7, 7, 7], 14, False, id="four counts only"),
        pytest.param([None] * 5, 7, False, id="never told"),
    ],
)
def test_a_count_that_has_long_stood_still(lake, counts, days, unmoved):
    observed = [count_row("p1", citation_count=n, observed_at=T0 + i * days * DAY) for i, n in enumerate(counts)]
    load(lake, Harvest(papers=[paper_row("p1")], citation_counts=observed), run_row())
    assert KnownPapers(lake).unmoved(["p1", "p2"], now=T0 + 3650 * DAY) == ({"p1"} if unmoved else set())


def test_a_count_of_a_clock_far_ahead_makes_nothing_stand_still(lake):
    moments = [T0, T0 + DAY, T0 + 2 * DAY, T0 + 3 * DAY, T0 + 3650 * DAY]
    observed = [count_row("p1", citation_count=7, observed_at=moment) for moment in moments]
    load(lake, Harvest(papers=[paper_row("p1")], citation_counts=observed), run_row())
    assert KnownPapers(lake).unmoved(["p1"], now=T0 + 4 * DAY) == set()


PAPERS = [f"p{number}" for number in range(1, LEAST_PAPERS + 1)]
DAY = timedelta(days=1)


@pytest.fixture
def counted():
    """Ten papers of one list, each with ten citations, in a database without a lake."""
    harvest = Harvest(
        reading_lists=[list_row()],
        mentions=[mention_row(f"m{item}", paper_id=item, title=None) for item in PAPERS],
        papers=[paper_row(item) for item in PAPERS],
        paper_identifiers=[identifier_row(item, "openalex", f"W{item[1:]}") for item in PAPERS],
        openalex_works=[work_row(item, openalex_id=f"W{item[1:]}", citation_count=10) for item in PAPERS],
    )
    with closing(views_over(harvest)) as connection:
        yield connection


def count(lake, citations: int) -> None:
    lake.execute("UPDATE openalex_works SET citation_count = ?", [citations])


def graph(lake, at) -> CitationGraph:
    return CitationGraph(lake, listed=(), works=WorkRows(), now=at)


def ask(lake, at, citing: int, *, error: str | None = None) -> int:
    """Asks for what is due, of which each paper has so many citing works, and returns how many papers were due."""
    now = graph(lake, at)
    due = now.due_papers()
    if due:
        works = {f"W{1_000 + number}": tuple(f"W{item[1:]}" for item in PAPERS) for number in range(citing)}
        fault = PayloadError(error, source="openalex") if error else None
        question = CitingQuestion(work_ids=tuple(paper.openalex_id for paper in due), most=10_000)
        now.note_citing(due, CitingAnswer(question=question, works={} if fault else works, error=fault), at)
        assert now.due_papers() == []
        for table in (PAPER_CITATIONS, CITING_HARVESTS):
            upsert(lake, table, list(now.rows[table.name].values()))
    return len(due)


def statuses(lake) -> set[tuple[object, ...]]:
    return set(lake.execute("SELECT status, citation_count, citing_count, tries FROM citing_harvests").fetchall())


@pytest.mark.parametrize("citing", [5, 10, 17])
def test_what_was_read_to_its_end_waits_for_another_count(counted, citing):
    assert ask(counted, T0, citing) == len(PAPERS)
    assert statuses(counted) == {("found", 10, citing, 0)}
    assert ask(counted, T0 + 400 * DAY, citing) == 0
    for number, other in enumerate((11, 9)):
        count(counted, other)
        due = graph(counted, T0 + (number + 1) * 8 * DAY).due_papers()
        assert {paper.since for paper in due} == {(T0 - 365 * DAY).date()}
    assert graph(counted, T0 + 6 * DAY).due_papers() == []


def test_too_few_citing_works_are_believed_when_they_are_told_twice(counted):
    assert ask(counted, T0, 4) == len(PAPERS)
    assert statuses(counted) == {("failed", 10, 4, 1)}
    assert ask(counted, T0 + DAY / 2, 4) == 0
    assert ask(counted, T0 + DAY, 3) == len(PAPERS)  # another answer is no second one; links that came stay
    assert ask(counted, T0 + 9 * DAY, 4) == 0
    assert statuses(counted) == {("found", 10, 4, 0)}


def test_an_answer_with_a_fault_is_never_believed_however_often_it_comes(counted):
    for number in range(4):
        ask(counted, T0 + number * 30 * DAY, 0, error="cut short")
    assert statuses(counted) == {("failed", 10, 0, 4)}

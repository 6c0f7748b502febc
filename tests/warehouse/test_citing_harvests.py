"""When the citing works of a paper are asked for again: after a change of its count, or a fault, and not else."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest

from sources.errors import PayloadError
from sources.services.openalex.answers import CitingAnswer, CitingQuestion
from standins.trials.citation_world import views_over
from standins.trials.rows import T0, identifier_row, list_row, mention_row, paper_row, work_row
from warehouse.loading.commit import Harvest
from warehouse.loading.load import upsert
from warehouse.papers.citation_graph import CitationGraph, WorkRows
from warehouse.papers.graph_limits import LEAST_PAPERS
from warehouse.tables.declarations import CITING_HARVESTS, PAPER_CITATIONS

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


def test_all_are_asked_for_again_after_too_few_new_ones(counted):
    ask(counted, T0, 10)
    count(counted, 50)
    assert ask(counted, T0 + 8 * DAY, 12) == len(PAPERS)
    assert statuses(counted) == {("failed", 50, 12, 1)}
    assert {paper.since for paper in graph(counted, T0 + 9 * DAY).due_papers()} == {None}

"""How many requests the citation graph takes: never more than may be sent, and none for what is not due."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil

from flows.refresh.openalex_harvest import GraphHarvester
from sources.errors import AllowanceSpent, PayloadError
from sources.records import BatchAnswer
from sources.services.openalex.answers import CitingAnswer
from tests.matrices import for_each
from warehouse.papers.citation_graph import CitedPaper

NOW = datetime(2026, 11, 1, tzinfo=UTC)


class FakeService:
    """Sends a request a page, and answers whole or with an error."""

    def __init__(self, citing: dict[str, int], error: Exception | None = None) -> None:
        self.requests_sent = 0
        self.questions: list[tuple[str, ...]] = []
        self.failures: dict[str, Exception] = {}
        self._citing, self._error = citing, error

    def ask(self, label, call):
        return call(self), NOW

    def note_failures(self, errors):
        self.failures |= errors

    def fetch_citing(self, question, *, most_requests):
        pages = max(1, ceil(sum(self._citing[work] for work in question.work_ids) / 100))
        self.questions.append(question.work_ids)
        self.requests_sent += min(pages, most_requests)
        error = AllowanceSpent("no more", source="openalex") if pages > most_requests else self._error
        return CitingAnswer(question=question, error=error)

    def fetch_works(self, works, *, most_requests):
        self.requests_sent += 1
        return BatchAnswer(requested=tuple(works), found=dict.fromkeys(works))


class FakeGraph:
    """Papers and works that are due until they are answered."""

    def __init__(self, papers: list[CitedPaper], works: int = 0) -> None:
        self._papers = {paper.paper_id: paper for paper in papers}
        self._works = [f"W9{number}" for number in range(works)]

    def due_papers(self):
        return list(self._papers.values())

    def due_works(self, most):
        return self._works[:most]

    def note_citing(self, papers, answer, at):
        for paper in papers:
            del self._papers[paper.paper_id]

    def note_works(self, found, absent, failed, at):
        self._works = [work for work in self._works if work not in found]


def cited(*counts: int) -> list[CitedPaper]:
    return [
        CitedPaper(paper_id=f"p{number}", openalex_id=f"W{number}", citation_count=count, last=None)
        for number, count in enumerate(sorted(counts))
    ]


def run(graph: FakeGraph, most: int, papers: list[CitedPaper], error: Exception | None = None, times: int = 1):
    service = FakeService({paper.openalex_id: times * paper.citation_count for paper in papers}, error)
    GraphHarvester(graph, most_requests=most).harvest(service)
    assert service.requests_sent <= most
    return service


def test_all_is_asked_for_where_there_is_room_and_the_rest_of_the_reserve_is_used():
    papers = cited(*[400] * 23)
    graph = FakeGraph(papers, works=250)
    service = run(graph, 100, papers)
    assert (graph.due_papers(), graph.due_works(9)) == ([], [])
    assert service.requests_sent == 23 * 4 + 3


@for_each("most", [0, 1, 3, 7, 12])
def test_a_small_budget_is_used_and_not_exceeded(most):
    papers = cited(*[30] * 20, 500)
    graph = FakeGraph(papers, works=1_000)
    service = run(graph, most, papers)
    assert service.requests_sent == most
    assert most < 2 or len(graph.due_papers()) < 21
    assert most < 4 or len(graph.due_works(1_000)) < 1_000


def test_run_after_run_everything_is_asked_for_but_what_no_run_has_room_for():
    papers = cited(*[90] * 30, 450)
    graph = FakeGraph(papers, works=400)
    for _ in range(40):
        run(graph, 3, papers)
    assert [paper.citation_count for paper in graph.due_papers()] == [450]
    assert graph.due_works(9) == []


def test_more_citing_works_than_counted_do_not_exceed_the_budget():
    papers = cited(*[100] * 9)
    run(FakeGraph(papers), 10, papers, times=2)


def test_an_answer_with_a_fault_is_noted_once_and_the_others_are_asked_for():
    papers = cited(*[10] * 101)
    graph = FakeGraph(papers)
    service = run(graph, 50, papers, PayloadError("cut short", source="openalex"))
    assert [len(question) for question in service.questions] == [100, 1]
    assert graph.due_papers() == []
    assert set(service.failures) == {"W0", "W100"}


def test_a_plan_counts_pages():
    papers = cited(*[250] * 8, 1)
    assert GraphHarvester(FakeGraph(papers, works=101), most_requests=1_000).plan() == 21 + 2
    assert GraphHarvester(FakeGraph(papers), most_requests=5).plan() == 5

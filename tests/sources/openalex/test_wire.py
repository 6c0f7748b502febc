"""What OpenAlex does on the wire, as WIRE.md has it, row by row: the client against a stand-in that does the same."""

from contextlib import contextmanager
from dataclasses import replace

import pytest

from sources.errors import AllowanceSpent, SearchesPaused, TransientSourceError
from sources.http.retry import RetryPolicy
from sources.records import Credits
from sources.services.openalex.answers import CitingQuestion
from standins import StandIns
from tests.sources.openalex.test_title_search import PAPERS, TITLES
from tests.sources.stores import NoPace

DOIS = [f"10.5555/wire.{number}" for number in range(40)]


@pytest.fixture(autouse=True)
def _papers(standins: StandIns) -> None:
    works = [
        {"doi": doi, "title": f"Wire Study Number {doi[13:]}", "authors": ["Ann Ames"], "year": 2001} for doi in DOIS
    ]
    standins.add([*works, *PAPERS])


def test_a_part_of_an_answer_is_used_and_says_of_nothing_that_it_is_absent(standins, client):
    standins.fault("openalex", "timed_out", endpoint="works")
    answer = client.fetch_papers(DOIS)
    assert answer.found
    assert not answer.not_found
    assert set(answer.found) | set(answer.failed) == set(DOIS)
    standins.clear_faults()
    assert set(client.fetch_papers(DOIS).found) == set(DOIS)  # no part was kept as the reply


def test_what_a_part_lacks_is_asked_for_again_in_smaller_parts(standins, client):
    standins.fault("openalex", "timed_out", endpoint="works", times=2)
    answer = client.fetch_papers([*DOIS, "10.5555/nobody"])
    assert (set(answer.found), answer.not_found) == (set(DOIS), {"10.5555/nobody"})


@pytest.mark.parametrize("endpoint", ["search", "look-up"])
def test_a_search_answered_in_part_leaves_no_title_as_absent(standins, client, endpoint, make):
    standins.fault("openalex", "timed_out", endpoint=endpoint, share=0.4)
    answer = client.search_titles(TITLES)
    found = {paper.title for paper in answer.papers}
    assert found <= set(TITLES)
    assert set(TITLES) - found <= set(answer.failed)
    assert len([line for line in standins.requests("openalex") if line["endpoint"] == "search"]) <= 8
    standins.clear_faults()
    assert {paper.title for paper in make().search_titles(TITLES).papers} == set(TITLES)


def test_citing_works_of_a_part_are_not_all_of_them(standins, client):
    work = client.fetch_papers(DOIS[:1]).found[DOIS[0]]
    standins.fault("openalex", "timed_out", endpoint="citing", share=0.5)
    assert client.fetch_citing(CitingQuestion(work_ids=(work.work_id,), most=1_000)).error is not None


@pytest.mark.parametrize(("status", "after"), [("503", 60), ("429", 60)])
def test_paused_searches_stop_and_look_ups_go_on(standins, client, waits, status, after):
    standins.fault("openalex", status, endpoint="search", retry_after=after)
    answers = [client.search_titles([title]) for title in TITLES]
    assert {type(error) for answer in answers for error in answer.failed.values()} == {SearchesPaused}
    assert [line["endpoint"] for line in standins.requests("openalex")] == ["search"]
    assert set(client.fetch_papers(DOIS).found) == set(DOIS)
    assert waits == []


def test_too_many_requests_in_a_second_do_not_spend_the_day(standins, client, waits):
    client._settings = replace(client._settings, retry=RetryPolicy())
    standins.fault("openalex", "429", times=3)
    assert set(client.fetch_papers(DOIS).found) == set(DOIS)
    assert len(waits) == 3
    assert all(1 <= wait < 20 for wait in waits)
    standins.fault("openalex", "429")
    failed = client.fetch_papers(["10.5555/other"]).failed
    assert not any(isinstance(error, AllowanceSpent) for error in failed.values())
    standins.clear_faults()
    assert client.search_titles(TITLES[:1]).papers


def test_works_that_lists_leave_out_are_not_absent(standins, client):
    hidden = {"doi": "10.5281/zenodo.77", "title": "A Thesis Kept on a Shelf", "authors": ["Ann Ames"], "year": 2011}
    standins.add([hidden])
    assert set(client.fetch_papers([hidden["doi"]]).found) == {hidden["doi"]}
    assert [paper.title for paper in client.search_titles([hidden["title"]]).papers] == [hidden["title"]]


def test_searches_have_a_pace_of_their_own(standins, client):
    class Counting(NoPace):
        turns = 0

        @contextmanager
        def turn(self, *, patience_s=0.0):
            self.turns += 1
            yield

    client._search_pace = pace = Counting()
    client.search_titles(TITLES)
    client.fetch_papers(DOIS)
    assert pace.turns == 1


def test_credits_are_counted_errors_among_them(standins, client):
    standins.fault("openalex", "500", times=1)
    client.search_titles(TITLES)
    client.fetch_papers(DOIS)
    assert client.credits == Credits(10 + 10 + 1 + 1, 1_000)


def test_refused_searches_have_an_end(standins, client):
    standins.fault(
        "openalex", "status", endpoint="search", status=400, body='{"error": "Invalid query parameters error."}'
    )
    answer = client.search_titles([f"{title} Again and Again {n}" for title in TITLES for n in range(8)])
    assert len(answer.failed) == 48
    assert len(standins.requests("openalex")) <= 12


def test_a_deprecated_search_is_replaced_where_it_is_refused(standins, client):
    standins.fault("openalex", "no_title_filter")
    long = [f"{'A Remarkably Long-winded Account of Nothing in Particular ' * 3}{n}" for n in range(9)]
    answer = client.search_titles([*TITLES, *long])
    assert {paper.title for paper in answer.papers} == set(TITLES)
    assert answer.answered == {*TITLES, *long}
    assert "search.title" in next(iter(client.problems))


def test_one_unreadable_or_doubled_work_costs_the_titles_that_it_may_be_of(standins, client):
    unreadable = {"field": "cited_by_count", "value": "many", "indices": [3]}
    doubled = {"field": "id", "value": "https://openalex.org/W123", "indices": [3, 4]}
    for details, failed in ((unreadable, 1), (doubled, 2)):
        standins.clear_log()
        standins.fault("openalex", "set_field", endpoint="search", **details)
        answer = client.search_titles(TITLES)
        assert len(answer.failed) == failed
        assert {paper.title for paper in answer.papers} == set(TITLES) - set(answer.failed)
        assert [line["endpoint"] for line in standins.requests("openalex")] == ["search", "look-up"]
        standins.clear_faults()


def test_one_doubled_work_costs_the_identifiers_that_it_may_answer(standins, client):
    ids = [work.work_id for work in client.fetch_papers(DOIS).found.values()]
    other = f"https://openalex.org/{ids[0]}"
    standins.fault("openalex", "set_field", endpoint="look-up", times=1, field="id", value=other, indices=[3])
    answer = client.fetch_works(ids)
    assert not answer.not_found
    assert len(answer.found) >= len(ids) - 2


def test_an_outage_of_searches_alone_does_not_end_the_look_ups(standins, client):
    standins.fault("openalex", "500", endpoint="search")
    for titles, kind in ((TITLES[:1], TransientSourceError), (TITLES[1:], SearchesPaused)):
        assert {type(error) for error in client.search_titles(titles).failed.values()} == {kind}
    assert set(client.fetch_papers(DOIS).found) == set(DOIS)

"""The client against the stand-in, over sockets: batches, proof of absence, the allowance, and every fault."""

import pytest

from sources.errors import AllowanceSpent, PayloadError, PermanentSourceError, SourceError
from sources.services.openalex.answers import WorksByRequest, join
from sources.services.openalex.record import WorksPage, arxiv_doi
from standins import StandIns
from standins.harms import HARMS, OPENALEX_HARMS
from tests.matrices import each_harm
from tests.sources.stores import shared_words

ABSENT = ["10.5555/nobody.1", arxiv_doi("2105.99991")]
NO_HITS = {"status": 200, "body": '{"meta": {"count": 0}, "results": []}', "content_type": "application/json"}


@pytest.fixture
def dois(standins: StandIns) -> list[str]:
    """DOIs of papers that only arXiv has, so that OpenAlex finds them by arXiv's DOI."""
    papers = shared_words(6)
    standins.add(papers)
    return [arxiv_doi(paper["arxiv_id"]) for paper in papers]


def test_a_hundred_dois_take_one_request_and_what_is_kept_takes_none(standins, client):
    papers = [
        {"doi": f"10.5555/many.{number}", "title": f"Paper {number} of many", "authors": ["A. B."], "year": 2020}
        for number in range(150)
    ]
    standins.add(papers)
    answer = client.fetch_papers([paper["doi"] for paper in papers])
    assert len(answer.found) == 150
    assert answer.found["10.5555/many.7"].title == "Paper 7 of many"
    lines = standins.requests("openalex")
    assert [len(line["params"]["filter"].split("|")) for line in lines] == [100, 50]
    assert all(len(line["target"]) <= 8_190 for line in lines)
    client.fetch_papers([paper["doi"] for paper in papers])
    assert len(standins.requests("openalex")) == 2
    assert client.requests_sent == 2


def test_long_dois_are_asked_for_in_addresses_that_are_not_too_long(standins, client):
    client.fetch_papers([f"10.5555/{'very-long-' * 12}{number}" for number in range(60)])
    assert all(len(line["target"]) <= 8_190 for line in standins.requests("openalex"))


def test_absence_is_believed_only_beside_works_that_are_surely_there(standins, client, dois):
    answer = client.fetch_papers([*dois, *ABSENT])
    assert answer.not_found == set(ABSENT)
    _, proof = standins.requests("openalex")
    asked = proof["params"]["filter"].removeprefix("doi:").split("|")
    assert asked[1:-1] == ABSENT
    assert {asked[0], asked[-1]} <= set(dois)


def test_nothing_is_absent_where_even_the_surest_works_are(standins, client):
    standins.fault("openalex", "status", **NO_HITS)
    answer = client.fetch_papers(ABSENT)
    assert not answer.not_found
    assert set(answer.failed) == set(ABSENT)


def test_what_was_left_out_once_is_found_by_the_second_question(standins, client, dois):
    standins.fault("openalex", "status", times=1, **NO_HITS)
    assert set(client.fetch_papers(dois).found) == set(dois)


def test_a_doi_that_no_filter_can_hold_is_not_sent(standins, client):
    answer = client.fetch_papers(["10.5555/a,b", "10.5555/a|b"])
    assert all(isinstance(error, PermanentSourceError) for error in answer.failed.values())
    assert not standins.requests("openalex")


def test_a_doi_that_is_refused_is_found_by_halving(standins, client, dois):
    standins.fault("openalex", "status", ids=[dois[3]], status=403, body='{"error": "Invalid query parameters error."}')
    answer = client.fetch_papers(dois)
    assert set(answer.failed) == {dois[3]}
    assert set(answer.found) == set(dois) - {dois[3]}


def test_a_doi_that_brings_another_work_is_found_by_halving_and_the_others_are_absent(standins, client, monkeypatch):
    strange, absent = "10.5555/strange", [f"10.5555/nobody.{number}" for number in range(9)]

    def join_with_stranger(wanted: list[str], page: WorksPage, *, by_id: bool = False) -> WorksByRequest:
        joined = join(wanted, page, by_id=by_id)
        joined.strangers += ["W9 ('Another work')"] * (strange in wanted)
        return joined

    monkeypatch.setattr("sources.services.openalex.client.join", join_with_stranger)
    answer = client.fetch_papers([*absent[:4], strange, *absent[4:]])
    assert answer.not_found == set(absent)
    assert isinstance(answer.failed[strange], PayloadError)
    assert answer.failed[strange].record == strange


@pytest.mark.parametrize("left", [0, 1])
def test_a_spent_allowance_is_no_answer_and_is_asked_about_once(standins, client, dois, left):
    standins.credits(left)
    before = client.fetch_papers(dois[:3]).found  # a reply says what is left
    answer = client.fetch_papers([*dois[3:], *ABSENT])
    assert (len(before), answer.found, answer.not_found) == (3 * left, {}, frozenset())
    assert {type(error) for error in answer.failed.values()} == {AllowanceSpent}
    assert len(standins.requests("openalex")) == 1
    assert client.fetch_papers(dois[:3]).found == before  # a stored reply costs nothing


def test_the_key_goes_in_a_header_and_is_masked_where_it_comes_back(standins, dois, make):
    client = make(key="k3y-of-mine")
    standins.fault("openalex", "echo", times=1)
    failed = client.fetch_papers(dois).failed
    (line,) = standins.requests("openalex")
    assert line["key_sent"]
    assert "k3y-of-mine" not in line["target"]
    assert all("k3y-of-mine" not in str(error) for error in failed.values())


@pytest.mark.parametrize("harm", each_harm([*HARMS, *OPENALEX_HARMS]))
def test_no_fault_becomes_an_answer(standins: StandIns, client, dois, harm):
    kind, details = {**HARMS, **OPENALEX_HARMS}[harm]
    standins.fault("openalex", kind, **details)
    harmed = client.fetch_papers([*dois, *ABSENT])
    standins.clear_faults()
    client._allowance.spent = None
    again = client.fetch_papers([*dois, *ABSENT])
    assert all(isinstance(error, SourceError) for error in harmed.failed.values())
    assert set(harmed.found) <= set(dois)
    assert all(work.doi == doi for doi, work in harmed.found.items())
    assert harmed.not_found <= set(ABSENT)
    assert (set(again.found), again.not_found) == (set(dois), set(ABSENT))

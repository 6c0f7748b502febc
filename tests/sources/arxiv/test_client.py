"""The arXiv adapter against a server: what it sends, how it joins, what it keeps."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Any

import pytest

from sources.errors import PayloadError, PermanentSourceError, SourceUnreachable, TooManyHits, TransientSourceError
from sources.http.rate_limit import FilePace
from sources.http.request import ServiceSettings
from sources.http.retry import RetryPolicy
from sources.services.arxiv.client import ArxivClient
from sources.services.arxiv.feed import parse_reply
from tests.sources.stores import MemoryReplies, NoPace, shared_words

KNOWN = ["1706.03762", "1409.4842", "1311.2524", "1504.08083", "1506.01497", "1506.02640", "1910.10699", "1712.01887"]
UNKNOWN = "2105.99991"


@pytest.fixture
def replies():
    return MemoryReplies()


@pytest.fixture
def waits():
    return []


@pytest.fixture
def make(replies, waits):
    """Makes clients that wait nowhere, and closes them."""
    with ExitStack() as stack:

        def made(url: str, **settings: Any) -> ArxivClient:
            patient = ServiceSettings(url=url, **{"timeout_s": (2.0, 2.0), **settings})
            client = ArxivClient(patient, replies=replies, pace=NoPace(), sleep=waits.append, draw=lambda: 1.0)
            stack.callback(client.close)
            return client

        yield made


@pytest.fixture
def client(make, standins):
    return make(standins.arxiv_url)


def test_papers_are_joined_by_identifier_whatever_the_order(client):
    answer = client.fetch_papers(KNOWN)
    assert {base: paper.arxiv_id for base, paper in answer.found.items()} == {base: base for base in KNOWN}
    assert answer.found["1706.03762"].title == "Attention Is All You Need"
    assert client.requests_sent == 1


def test_a_version_is_joined_to_its_base_and_asked_once(client, standins):
    answer = client.fetch_papers(["1706.03762v1", "arXiv:1706.03762", "1706.03762"])
    assert answer.requested == ("1706.03762",)
    assert standins.requests("arxiv")[0]["params"]["id_list"] == "1706.03762"


def test_what_is_no_identifier_is_not_sent_and_fails(client, standins):
    answer = client.fetch_papers(["N/A", "1706.03762", "1713.00001"])
    assert set(answer.failed) == {"N/A", "1713.00001"}
    assert all(isinstance(error, PermanentSourceError) for error in answer.failed.values())
    assert set(answer.found) == {"1706.03762"}
    assert len(standins.requests()) == 1


def test_nothing_asked_sends_nothing(client):
    assert client.fetch_papers([]).requested == ()
    assert client.search_titles([]).requested == ()
    assert client.requests_sent == 0


def test_max_results_is_said_as_arxiv_would_cut_the_list_to_ten(client, standins):
    papers = shared_words(40)
    standins.add(papers)
    assert len(client.fetch_papers([paper["arxiv_id"] for paper in papers]).found) == 40
    assert standins.requests()[0]["params"]["max_results"] == "40"


def test_ten_thousand_identifiers_take_a_hundred_requests(client):
    assert -(-10_000 // client.MAX_IDS) <= 100


def test_an_absent_paper_is_believed_beside_papers_that_are_there(client, standins):
    answer = client.fetch_papers([*KNOWN, UNKNOWN])
    assert answer.not_found == {UNKNOWN}
    assert len(standins.requests()) == 2


def test_an_answer_is_kept_and_not_asked_for_again(client, standins, replies):
    first = client.fetch_papers([*KNOWN, UNKNOWN])
    titles = client.search_titles(["Layer Normalization", "No such paper anywhere"])
    sent = len(standins.requests())
    assert client.fetch_papers([*KNOWN, UNKNOWN]) == first
    assert client.search_titles(["Layer Normalization", "No such paper anywhere"]) == titles
    assert len(standins.requests()) == sent


def test_kept_replies_hold_what_was_asked_and_read_anew(client, replies):
    answer = client.fetch_papers(KNOWN)
    ((source, key),) = replies.kept
    assert source == "arxiv"
    assert json.loads(key) == {"endpoint": "query", "ids": KNOWN}
    assert {paper.arxiv_id: paper for paper in parse_reply(replies.kept[source, key])} == answer.found


def test_a_kept_reply_that_can_no_longer_be_read_is_asked_for_again(client, standins, replies):
    client.fetch_papers(KNOWN)
    ((place, reply),) = replies.kept.items()
    replies.kept[place] = type(reply)(
        source="arxiv", request_key=reply.request_key, fetched_at=reply.fetched_at, status=200, body=b"<old/>"
    )
    assert len(client.fetch_papers(KNOWN).found) == len(KNOWN)
    assert len(standins.requests()) == 2


@pytest.mark.parametrize("kind", ["503", "html", "cut_body", "error_entry", "empty_feed", "404"])
def test_a_faulty_reply_is_never_kept(client, standins, replies, kind):
    standins.fault("arxiv", kind, total=0)
    assert set(client.fetch_papers(KNOWN).failed) == set(KNOWN)
    assert not replies.kept


def test_waits_grow_and_retry_after_is_honoured(client, standins, waits):
    standins.fault("arxiv", "503", times=2)
    standins.fault("arxiv", "429", skip=2, times=1, retry_after=30)
    assert not client.fetch_papers(KNOWN).failed
    assert waits == [2.0, 4.0, 30.0]
    assert client.requests_sent == 4


def test_a_retry_after_beyond_the_budget_is_given_up_at_once(client, standins, waits):
    standins.fault("arxiv", "429", retry_after=3_600)
    (error,) = set(client.fetch_papers(["1706.03762"]).failed.values())
    assert isinstance(error, TransientSourceError)
    assert (error.status, error.retry_after_s) == (429, 3_600)
    assert waits == []


def test_one_refused_identifier_does_not_sink_the_batch(client, standins):
    standins.fault("arxiv", "status", status=400, ids=["1506.01497"])
    answer = client.fetch_papers(KNOWN)
    assert set(answer.failed) == {"1506.01497"}
    assert set(answer.found) == set(KNOWN) - {"1506.01497"}
    assert len(standins.requests()) <= 6


def test_an_unreachable_service_is_tried_twice_in_all(make, waits):
    client = make("http://127.0.0.1:9/api/query")
    client.MAX_IDS = 2
    answer = client.fetch_papers(KNOWN)
    assert set(answer.failed) == set(KNOWN)
    assert all(isinstance(error, SourceUnreachable) for error in answer.failed.values())
    assert len(waits) == 1
    assert client.requests_sent == 0


def test_a_hung_service_does_not_hang_us(make, standins):
    client = make(standins.arxiv_url, timeout_s=(0.2, 0.2), retry=RetryPolicy(max_tries=2))
    standins.fault("arxiv", "hang", seconds=0.5)
    (error,) = client.fetch_papers(["1706.03762"]).failed.values()
    assert isinstance(error, TransientSourceError)
    assert not isinstance(error, SourceUnreachable)


def test_many_titles_travel_in_one_request(client, standins):
    titles = ["Layer Normalization", "Going Deeper with Convolutions", "You Only Look Once: Unified, Real-Time"]
    answer = client.search_titles(titles)
    assert {paper.arxiv_id for paper in answer.papers} == {"1607.06450", "1409.4842", "1506.02640"}
    assert answer.answered == set(titles)
    assert len(standins.requests()) == 1


def test_a_search_is_read_to_its_end(client, standins):
    standins.add(shared_words(310))
    answer = client.search_titles(["on shared words"])
    assert len(answer.papers) == 310
    assert answer.answered == {"on shared words"}
    assert [request["params"]["start"] for request in standins.requests()] == ["0", "300"]


def test_a_title_with_too_many_hits_says_so_and_harms_no_other(client, standins):
    standins.add(shared_words(2_001))
    answer = client.search_titles(["on shared words", "Layer Normalization", "Mixed Precision Training"])
    assert {title: type(error) for title, error in answer.failed.items()} == {"on shared words": TooManyHits}
    assert "1607.06450" in {paper.arxiv_id for paper in answer.papers}
    assert answer.answered == {"Layer Normalization", "Mixed Precision Training"}


def test_a_page_short_of_what_it_counts_is_no_answer(client, standins):
    standins.fault("arxiv", "missing_entries", indices=[0])
    (error,) = client.search_titles(["Layer Normalization"]).failed.values()
    assert isinstance(error, PayloadError)


@pytest.mark.parametrize(
    ("kind", "details"),
    [
        ("set_field", {"field": "published", "value": "yesterday", "indices": [0]}),
        ("set_field", {"field": "id", "value": "http://arxiv.org/abs/none", "indices": [0]}),
        ("lie", {"steps": [["twin", ["published"], "2023-05-05T00:00:00Z"]]}),
    ],
)
def test_an_entry_that_cannot_be_believed_costs_the_titles_it_bears(client, standins, kind, details):
    papers = shared_words(4)
    standins.add(papers)
    titles = [paper["title"] for paper in papers] + ["Nothing of this name at all"]
    standins.fault("arxiv", kind, endpoint="query", **details)
    answer = client.search_titles(titles)
    assert answer.failed.keys() == {titles[0]}
    assert {paper.title for paper in answer.papers} == set(titles[1 : 3 if kind == "lie" else 4])
    assert len(standins.requests()) == 2


def test_an_entry_without_a_name_costs_only_the_identifiers_that_have_no_other(client, standins):
    standins.fault("arxiv", "missing_field", field="id", indices=[0])
    answer = client.fetch_papers([*KNOWN, UNKNOWN])
    assert len(answer.found) == len(KNOWN) - 1
    assert UNKNOWN in answer.failed


def test_long_titles_are_parted_so_that_the_address_stays_short(client, standins):
    titles = [f"{'word ' * 20} {number:05}" for number in range(40)]
    client.search_titles(titles)
    assert max(len(request["target"]) for request in standins.requests()) < 8_000


def test_a_file_pace_keeps_the_services_limits(standins, tmp_path):
    standins.limit("arxiv", per_seconds=0.1, connections=1)
    pace = FilePace(tmp_path, service="arxiv", interval_s=0.15)  # a busy machine may hold a request up on its way
    client = ArxivClient(ServiceSettings(url=standins.arxiv_url), replies=MemoryReplies(), pace=pace)
    client.MAX_IDS = 2
    assert not client.fetch_papers(KNOWN).failed
    assert len(standins.requests()) == 4
    assert not standins.violations()
    client.close()

"""What the clients of arXiv and Semantic Scholar have in common, against a server: requests, joins, stored replies."""

import json
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Any

import pytest

from sources.errors import PermanentSourceError, SourceUnreachable, TooManyHits, TransientSourceError
from sources.http.retry import RetryPolicy
from sources.services.arxiv.client import ArxivClient
from sources.services.registry import SOURCES, parse_reply
from sources.services.semantic_scholar.client import S2Client
from tests.matrices import for_each
from tests.sources.stores import shared_words

BASES = ["1706.03762", "1409.4842", "1311.2524", "1504.08083", "1506.01497", "1506.02640"]


@dataclass(frozen=True)
class Service:
    """A service as the tests need it."""

    name: str
    client: Any
    prefix: str  # before an arXiv identifier
    page: int  # hits of a page
    most_hits: int

    @property
    def known(self) -> list[str]:
        return [f"{self.prefix}{base}" for base in BASES]

    @property
    def unknown(self) -> str:
        return f"{self.prefix}2105.99991"


SERVICES = (
    Service("arxiv", ArxivClient, "", 300, 2_000),
    Service("s2", S2Client, "ARXIV:", 1_000, 2_000),
)


@pytest.fixture(params=SERVICES, ids=[service.name for service in SERVICES])
def service(request) -> Service:
    return request.param


@pytest.fixture
def url(service, standins) -> str:
    return {"arxiv": standins.arxiv_url, "s2": standins.s2_url}[service.name]


@pytest.fixture
def client(service, url, connect):
    return connect(service.client, url)


def test_nothing_asked_sends_nothing_and_neither_does_what_holds_no_identifier_or_word(service, client):
    assert client.fetch_papers([]).requested == client.search_titles([]).requested == ()
    (error,) = client.fetch_papers(["1713.00001"]).failed.values()
    assert isinstance(error, PermanentSourceError)
    assert set(client.search_titles(["?!"]).failed) == {"?!"}
    assert client.requests_sent == 0


def test_what_a_service_does_not_have_is_believed_beside_papers_that_are_there(service, client, standins):
    answer = client.fetch_papers([*service.known, service.unknown])
    assert [answer.found[text].arxiv_id for text in service.known] == BASES
    assert answer.not_found == {service.unknown}
    assert len(standins.requests()) == client.requests_sent == 2


def test_answers_are_stored_with_their_questions_and_not_requested_again(service, client, standins, replies):
    def ask():
        titles = ["Layer Normalization", "Nothing of this name at all"]
        return client.fetch_papers([*service.known, service.unknown]), client.search_titles(titles)

    first = ask()
    sent = len(standins.requests())
    assert ask() == first
    assert len(standins.requests()) == sent
    reply = next(reply for reply in replies.kept.values() if "ids" in json.loads(reply.request_key))
    question = json.loads(reply.request_key)
    assert (reply.source, question["ids"]) == (service.name, [*service.known, service.unknown])
    assert {paper.arxiv_id for paper in parse_reply(reply)} == set(BASES)
    replies.kept = {place: replace(reply, body=b"<old/>") for place, reply in replies.kept.items()}
    assert ask() == first  # a stored reply that can no longer be read is requested again
    assert len(standins.requests()) == 2 * sent


def test_waits_grow_and_retry_after_is_honoured_within_the_budget(service, client, standins, waits):
    standins.fault(service.name, "503", times=2)
    standins.fault(service.name, "429", skip=2, times=1, retry_after=30)
    assert not client.fetch_papers(service.known).failed
    assert (waits, client.requests_sent) == ([2.0, 4.0, 30.0], 4)
    standins.fault(service.name, "429", retry_after=3_600)
    (error,) = client.fetch_papers([service.unknown]).failed.values()
    assert (type(error), error.status, error.retry_after_s) == (TransientSourceError, 429, 3_600)
    assert len(waits) == 3


def test_one_refused_identifier_does_not_sink_the_batch(service, client, standins):
    bad = service.known[2]
    standins.fault(service.name, "status", status=413, ids=[bad])
    answer = client.fetch_papers(service.known)
    assert set(answer.failed) == {bad}
    assert set(answer.found) == set(service.known) - {bad}
    assert len(standins.requests()) <= 6


def test_an_unreachable_service_is_tried_twice_and_a_hung_one_hangs_nobody(service, url, connect, standins, waits):
    client = connect(service.client, "http://127.0.0.1:9/api/query")
    client.MAX_IDS = 2
    answer = client.fetch_papers(service.known)
    assert set(answer.failed) == set(service.known)
    assert {type(error) for error in answer.failed.values()} == {SourceUnreachable}
    assert (len(waits), client.requests_sent) == (1, 0)
    hung = connect(service.client, url, timeout_s=(0.2, 0.2), retry=RetryPolicy(max_tries=2))
    standins.fault(service.name, "hang", seconds=0.5)
    (error,) = hung.fetch_papers(service.known[:1]).failed.values()
    assert type(error) is TransientSourceError


def test_a_search_is_read_to_its_end(service, client, standins):
    standins.add(shared_words(service.page + 10))
    answer = client.search_titles(["on shared words"])
    assert (len(answer.papers), answer.answered) == (service.page + 10, {"on shared words"})
    assert len(standins.requests()) == 2


def test_a_title_with_too_many_hits_says_so_and_harms_no_other(service, client, standins):
    standins.add(shared_words(service.most_hits + 1))
    answer = client.search_titles(["on shared words", "Layer Normalization"])
    assert {title: type(error) for title, error in answer.failed.items()} == {"on shared words": TooManyHits}
    assert "1607.06450" in {paper.arxiv_id for paper in answer.papers}
    assert answer.answered == {"Layer Normalization"}


def test_different_papers_of_one_title_are_asked_for_one_by_one(service, client, standins):
    titles = {"Layer Normalization": "1607.06450", "Going Deeper with Convolutions": "1409.4842"}
    standins.fault(service.name, "lie", steps=[["share", ["title"]]], times=1)
    answer = client.search_titles(list(titles))
    assert {paper.title: paper.arxiv_id for paper in answer.papers} == titles
    assert (answer.answered, len(standins.requests())) == (set(titles), 3)


@for_each("parser", [source.parser for source in SOURCES.values()])
def test_reading_a_reply_imports_no_client_library(parser):
    code = f"import sys, {parser}; print({{'arxiv', 'requests', 'httpx', 'semanticscholar'}} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "set()"

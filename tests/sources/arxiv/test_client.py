"""What arXiv's client alone does, against a server; the rest is in tests/sources/test_clients.py."""

import pytest

from sources.services.arxiv.client import ArxivClient
from tests.sources.stores import shared_words

KNOWN = ["1706.03762", "1409.4842", "1311.2524", "1504.08083", "1506.01497", "1506.02640", "1910.10699", "1712.01887"]
UNKNOWN = "2105.99991"


@pytest.fixture
def client(connect, standins):
    return connect(ArxivClient, standins.arxiv_url)


def test_a_version_is_joined_to_its_base_and_asked_once(client, standins):
    answer = client.fetch_papers(["1706.03762v1", "arXiv:1706.03762", "1706.03762"])
    assert answer.requested == ("1706.03762",)
    assert standins.requests("arxiv")[0]["params"]["id_list"] == "1706.03762"


def test_max_results_is_said_as_arxiv_would_cut_the_list_to_ten(client, standins):
    papers = shared_words(40)
    standins.add(papers)
    assert len(client.fetch_papers([paper["arxiv_id"] for paper in papers]).found) == 40
    assert standins.requests()[0]["params"]["max_results"] == "40"


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

"""What tests of clients take for granted of the stand-ins, so that a client that does without is found out."""

import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor

import requests

ATOM = "{http://www.w3.org/2005/Atom}"


def ask_arxiv(standins, **params):
    feed = ET.fromstring(requests.get(standins.arxiv_url, params=params, timeout=10).content)
    return [entry.findtext(f"{ATOM}id").removeprefix("http://arxiv.org/abs/") for entry in feed.iter(f"{ATOM}entry")]


def ask_s2(standins, *ids):
    url = f"{standins.s2_url}/graph/v1/paper/batch?fields=title"
    return requests.post(url, json={"ids": ids}, timeout=10).json()


def test_arxiv_gives_papers_in_another_order_the_newest_version_and_ten_unless_asked_for_more(standins):
    standins.add([{"title": f"Number {n}", "arxiv_id": f"2101.{n:05}", "version": 3} for n in range(12)])
    many = ",".join(f"2101.{n:05}" for n in range(12))
    assert len(ask_arxiv(standins, id_list=many)) == 10
    every = ask_arxiv(standins, id_list=many, max_results=50)
    assert sorted(every) == [f"2101.{n:05}v3" for n in range(12)] != every
    assert ask_arxiv(standins, id_list="2101.00001v1,2101.00001v4") == ["2101.00001v1"]


def test_arxiv_gives_a_search_in_pages_without_loss_or_repetition(standins):
    whole = ask_arxiv(standins, search_query="all:learning", max_results=100)
    pages = [ask_arxiv(standins, search_query="all:learning", start=n, max_results=7) for n in range(0, 100, 7)]
    assert [one for page in pages for one in page] == whole


def test_semantic_scholar_gives_papers_by_place_with_null_for_those_it_lacks(standins):
    found = ask_s2(standins, "ARXIV:1706.03762", "ARXIV:2401.99999", "CorpusId:13756489")
    assert [paper and paper["title"] for paper in found] == [
        "Attention Is All You Need", None, "Attention Is All You Need"
    ]  # fmt: skip


def test_what_is_asked_too_soon_or_at_once_is_noted(standins):
    standins.limit("s2", per_seconds=60)
    for _ in range(2):
        ask_s2(standins, "ARXIV:1706.03762")
    assert [line["violations"] for line in standins.requests("s2")] == [[], ["rate"]]
    standins.limit("arxiv", connections=1)
    standins.latency("arxiv", 0.3)
    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda paper: ask_arxiv(standins, id_list=paper), ["1706.03762", "1810.04805"]))
    assert [line["violations"] for line in standins.requests("arxiv")] == [[], ["connections"]]

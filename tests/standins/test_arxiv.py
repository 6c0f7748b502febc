"""arXiv's stand-in: what the manual, FIELD.md and the recordings say about requests to it."""

import xml.etree.ElementTree as ET

import pytest
import requests

from tests.matrices import for_each

ATOM = "{http://www.w3.org/2005/Atom}"
SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"


def ask(standins, **params):
    reply = requests.get(standins.arxiv_url, params=params)
    return reply.status_code, ET.fromstring(reply.content)


def ids(feed):
    return [entry.findtext(f"{ATOM}id").removeprefix("http://arxiv.org/abs/") for entry in feed.iter(f"{ATOM}entry")]


def bases(feed):
    return {one.rpartition("v")[0] for one in ids(feed)}


def total(feed):
    return int(feed.findtext(f"{SEARCH}totalResults"))


def search(standins, query, **params):
    status, feed = ask(standins, search_query=query, **params)
    assert status == 200, ET.tostring(feed)
    return bases(feed)


@for_each("written", ["abc", "arXiv:1706.03762", "1706.3", "https://arxiv.org/abs/1706.03762"])
def test_one_malformed_id_spoils_the_whole_request(standins, written):
    status, feed = ask(standins, id_list=f"1706.03762,{written}")
    assert (status, total(feed)) == (400, 1)
    assert feed.findtext(f"{ATOM}entry/{ATOM}title") == "Error"
    assert feed.findtext(f"{ATOM}entry/{ATOM}summary") == f"incorrect id format for {written}"


def test_id_lists_are_cut_to_ten_where_max_results_is_not_given(standins):
    many = "1706.03762,2010.11929,1409.4842,1311.2524,1504.08083,1506.01497,1506.02640,1910.10699,1712.01887,1502.03167"
    status, feed = ask(standins, id_list=f"{many},1607.06450,1803.01814")
    assert (status, len(ids(feed)), total(feed)) == (200, 10, 12)
    _, feed = ask(standins, id_list=f"{many},1607.06450,1803.01814", max_results=50)
    assert len(ids(feed)) == 12


@pytest.mark.parametrize("asked", [["1706.03762", "1810.04805"], ["1810.04805", "1706.03762"]], ids=["one", "other"])
def test_papers_never_come_in_the_order_of_the_request(standins, asked):
    _, feed = ask(standins, id_list=",".join(asked))
    assert [one.rpartition("v")[0] for one in ids(feed)] != asked
    assert bases(feed) == set(asked)


def test_a_version_is_answered_as_that_version_and_none_as_the_newest(standins):
    standins.add([{"title": "Three times revised", "arxiv_id": "2101.00001", "version": 3}])
    _, feed = ask(standins, id_list="2101.00001,2101.00001v1,2101.00001v4")
    assert set(ids(feed)) == {"2101.00001v3", "2101.00001v1"}


@for_each("written", ["math/0211159", "math.DG/0211159", "math/0211159v1"])
def test_old_style_ids_are_understood(standins, written):
    assert ids(ask(standins, id_list=written)[1]) == ["math/0211159v1"]


def test_a_form_may_be_posted_and_takes_lists_too_long_for_an_address(standins):
    many = ",".join(f"2001.{number:05d}" for number in range(642)) + ",1706.03762"
    assert requests.get(standins.arxiv_url, params={"id_list": many}).status_code == 414
    reply = requests.post(standins.arxiv_url, data={"id_list": many, "max_results": "700"})
    assert bases(ET.fromstring(reply.content)) == {"1706.03762"}
    titles = [f'ti:"no such paper {number}"' for number in range(800)] + ['ti:"attention is all you need"']
    reply = requests.post(standins.arxiv_url, data={"search_query": " OR ".join(titles)})
    assert "1706.03762" in bases(ET.fromstring(reply.content))


@for_each(
    ("query", "found", "missing"),
    [
        pytest.param('ti:"attention is all you need"', "1706.03762", "1810.04805", id="phrase"),
        pytest.param('ti:"attention all need"', None, "1706.03762", id="a phrase is consecutive"),
        pytest.param("ti:batch AND au:ioffe", "1502.03167", "1607.06450", id="AND"),
        pytest.param("ti:bert OR ti:gpipe", "1811.06965", "1706.03762", id="OR"),
        pytest.param("ti:normalization ANDNOT ti:batch", "1607.06450", "1502.03167", id="ANDNOT"),
        pytest.param("ti:networks AND ti:sentences", "1408.5882", "1706.03762", id="stemmed: sentence, network"),
        pytest.param('au:"Aurora Ramirez"', "2405.13786", "1706.03762", id="accents do not count"),
        pytest.param("ti:test-case", "cs/0503050", "2405.13786", id="a hyphen excludes"),
        pytest.param('ti:"few-shot learners"', "2005.14165", "1706.03762", id="no harm within quotes"),
        pytest.param("xx:attention", None, "1706.03762", id="unknown field"),
        pytest.param('ti:"???"', None, "1706.03762", id="nothing to search for"),
        pytest.param('ti:"ImageNet classification"', None, "1706.03762", id="a paper that arXiv lacks"),
        pytest.param("ti:zzzz vaswani", "1706.03762", "2405.13786", id="a field binds one word"),
    ],
)
def test_queries_mean_what_arxiv_takes_them_for(standins, query, found, missing):
    papers = search(standins, query, max_results=100)
    assert missing not in papers
    assert papers == set() if found is None else found in papers


def test_pages_follow_one_another_without_loss_or_repetition(standins):
    _, whole = ask(standins, search_query="all:learning", max_results=100)
    pages = [ask(standins, search_query="all:learning", start=start, max_results=7)[1] for start in range(0, 100, 7)]
    assert [one for page in pages for one in ids(page)] == ids(whole)
    assert {total(page) for page in pages} == {total(whole)} == {len(ids(whole))}


@for_each(
    ("params", "says"),
    [
        pytest.param({"max_results": "30001"}, "max_results must be <= 30000", id="too many"),
        pytest.param({"start": "-1"}, "start must be non-negative", id="negative"),
        pytest.param({"search_query": "(ti:a"}, "unbalanced brackets", id="brackets"),
        pytest.param({"search_query": "ti:a AND"}, "an operator without a term", id="operator"),
    ],
)
def test_what_cannot_be_read_is_answered_400_with_an_error_entry(standins, params, says):
    status, feed = ask(standins, **{"search_query": "ti:a", **params})
    assert (status, feed.findtext(f"{ATOM}entry/{ATOM}summary")) == (400, says)


def test_a_slice_holds_two_thousand_at_most_and_wrong_answers_stand_beside_the_right_one(standins_full):
    _, feed = ask(standins_full, search_query="all:learning", max_results=2500)
    assert len(ids(feed)) == 2000 < total(feed)
    _, feed = ask(standins_full, search_query='ti:"all you need"', max_results=100)
    assert "1706.03762" in bases(feed)
    assert len(ids(feed)) > 10


@for_each(
    "params",
    [
        {"search_query": "submittedDate:[2020 TO 2021]"},
        {"search_query": "ti:a", "id_list": "1706.03762"},
        {"search_query": "ti:a", "sortBy": "submittedDate"},
    ],
)
def test_what_the_stand_in_cannot_do_is_said_not_guessed(standins, params):
    assert requests.get(standins.arxiv_url, params=params).status_code == 501


@for_each("title", ["a < b & c > d", "NUL \x00 and bell \x07", "]]>", 'say "it"', "\U0001f600 \u202e"])
def test_hostile_titles_still_make_a_feed(standins, title):
    standins.add([{"title": title, "arxiv_id": "2101.00001"}])
    _, feed = ask(standins, id_list="2101.00001")
    assert feed.findtext(f"{ATOM}entry/{ATOM}title") == "".join(c for c in title if c >= " ")

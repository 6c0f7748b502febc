"""Every fault that can be switched on, as a client sees it on the wire."""

import json
import threading
import xml.etree.ElementTree as ET
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest
import requests

from standins.faults import KINDS

IDS = ["1706.03762", "1810.04805", "2005.14165"]
ATOM = "{http://www.w3.org/2005/Atom}"
BROKEN = (requests.exceptions.ConnectionError, requests.exceptions.ChunkedEncodingError)


def ask(standins, service, **options):
    if service == "arxiv":
        return requests.get(standins.arxiv_url, params={"id_list": ",".join(IDS)}, timeout=10, **options)
    url = f"{standins.s2_url}/graph/v1/paper/batch?fields=title,citationCount"
    return requests.post(url, json={"ids": [f"ARXIV:{one}" for one in IDS]}, timeout=10, **options)


def harmed(standins, service, kind, **details):
    standins.fault(service, kind, **details)
    return ask(standins, service)


def feed_ids(reply):
    return [entry.findtext(f"{ATOM}id") for entry in ET.fromstring(reply.content).iter(f"{ATOM}entry")]


both = pytest.mark.parametrize("service", ["arxiv", "s2"])
NO_ANSWERS = [("500", 500), ("502", 502), ("503", 503), ("504", 504), ("429", 429), ("404", 404), ("html", 200)]


@both
def test_a_status_or_a_page_comes_with_a_body_that_is_no_answer(standins, service):
    for kind, status in NO_ANSWERS:
        standins.clear_faults()
        reply = harmed(standins, service, kind)
        assert (reply.status_code, "Retry-After" in reply.headers) == (status, False), kind
        assert reply.content, kind
        assert b"1706.03762" not in reply.content, kind
        assert reply.text.startswith("<html>") or kind != "html"


@both
@pytest.mark.parametrize("kind", ["429", "503"])
def test_retry_after_comes_in_seconds_or_as_a_date(standins, service, kind):
    assert harmed(standins, service, kind, retry_after=7).headers["Retry-After"] == "7"
    standins.clear_faults()
    reply = harmed(standins, service, kind, retry_after_date=30)
    wait = parsedate_to_datetime(reply.headers["Retry-After"]) - parsedate_to_datetime(reply.headers["Date"])
    assert 25 <= wait.total_seconds() <= 31


@both
def test_any_status_can_be_given_with_any_body(standins, service):
    reply = harmed(standins, service, "status", status=418, body="short and stout", content_type="text/tea")
    assert (reply.status_code, reply.text, reply.headers["Content-Type"]) == (418, "short and stout", "text/tea")


@both
def test_a_connection_or_a_body_breaks_off(standins, service):
    for kind in ("cut_body", "drop_before_headers", "drop_after_headers", "hang", "chunks_cut"):
        standins.clear_faults()
        with pytest.raises(BROKEN):
            harmed(standins, service, kind, **({"seconds": 0.05} if kind in ("hang", "drop_before_headers") else {}))
    standins.clear_faults()
    standins.fault(service, "hang", seconds=3)
    with pytest.raises(requests.exceptions.ReadTimeout):
        requests.get(standins.arxiv_url if service == "arxiv" else f"{standins.s2_url}/graph/v1/paper/0", timeout=0.2)


@both
def test_a_body_ends_too_early_and_says_that_this_was_all(standins, service):
    whole = ask(standins, service).content
    reply = harmed(standins, service, "truncated", at=0.7)
    assert reply.status_code == 200
    assert len(reply.content) == int(reply.headers["Content-Length"]) < len(whole)
    with pytest.raises((ET.ParseError, json.JSONDecodeError)):
        ET.fromstring(reply.content) if service == "arxiv" else reply.json()


@both
def test_a_reply_is_empty_in_three_ways(standins, service):
    for kind, body in (("empty_body", b""), ("empty_object", b"{}\n"), ("empty_list", b"[]\n")):
        standins.clear_faults()
        assert harmed(standins, service, kind).content == body


def test_a_feed_without_entries_still_has_the_total_unless_set_otherwise(standins):
    for total, shown in ((None, "3"), (0, "0")):
        standins.clear_faults()
        reply = harmed(standins, "arxiv", "empty_feed", total=total)
        assert feed_ids(reply) == []
        assert f"totalResults>{shown}<" in reply.text
    assert harmed(standins, "s2", "empty_feed").json() == []


def test_entries_are_null_missing_reordered_or_there_twice(standins):
    papers, feed = ask(standins, "s2").json(), feed_ids(ask(standins, "arxiv"))
    assert [paper is None for paper in harmed(standins, "s2", "nulls").json()] == [True, False, True]
    assert feed_ids(harmed(standins, "arxiv", "nulls", indices=[0])).count(None) == 1
    for kind, number in (("missing_entries", 1), ("duplicated", 6)):
        standins.clear_faults()
        assert len(harmed(standins, "s2", kind).json()) == number
    standins.clear_faults()
    assert len(feed_ids(harmed(standins, "arxiv", "missing_entries", indices=[-1]))) == 2
    standins.clear_faults()
    assert len(feed_ids(harmed(standins, "arxiv", "duplicated"))) == 6
    standins.clear_faults()
    assert harmed(standins, "s2", "reordered").json() == papers[::-1]
    assert feed_ids(harmed(standins, "arxiv", "reordered")) == feed[::-1]


def test_fields_are_missing_or_hold_what_they_should_not(standins):
    papers = harmed(standins, "s2", "missing_field", field="title").json()
    assert ["title" in paper for paper in papers] == [False, True, True]
    feed = ET.fromstring(harmed(standins, "arxiv", "missing_field", field="published", indices=[1]).content)
    assert [entry.find(f"{ATOM}published") is None for entry in feed.iter(f"{ATOM}entry")] == [False, True, False]
    standins.clear_faults()
    assert harmed(standins, "s2", "set_field", field="citationCount", value="many").json()[0]["citationCount"] == "many"
    reply = harmed(standins, "arxiv", "set_field", field="published", value="yesterday")
    assert "<published>yesterday</published>" in reply.text


@both
def test_a_slow_compressed_or_unmeasured_reply_is_right_all_the_same(standins, service):
    whole = ask(standins, service)
    for kind in ("slow", "drip", "gzip", "no_length"):
        standins.clear_faults()
        reply = harmed(standins, service, kind, **({"seconds": 0.1} if kind in ("slow", "drip") else {}))
        assert len(reply.content) == len(whole.content), kind
        assert standins.requests()[-1]["fault"] == kind
        assert kind != "no_length" or "Content-Length" not in reply.headers


@both
def test_bytes_are_not_of_the_promised_encoding(standins, service):
    with pytest.raises(UnicodeDecodeError):
        harmed(standins, service, "wrong_charset").content.decode("utf-8")
    standins.clear_faults()
    assert harmed(standins, service, "recoded").content.startswith(b"\xef\xbb\xbf")
    standins.clear_faults()
    assert harmed(standins, service, "content_type").headers["Content-Type"].startswith("text/plain")
    standins.clear_faults()
    with pytest.raises(requests.exceptions.ContentDecodingError):
        harmed(standins, service, "not_gzip")


@both
def test_a_reply_leads_back_to_itself_or_never_ends(standins, service):
    with pytest.raises(requests.exceptions.TooManyRedirects):
        harmed(standins, service, "redirect_loop", status=307)
    standins.clear_faults()
    standins.fault(service, "endless")
    with ask(standins, service, stream=True) as reply:
        assert reply.raw.read(2**20) == b" " * 2**20


def test_an_error_comes_with_status_200(standins):
    reply = harmed(standins, "arxiv", "error_entry", message="something broke")
    assert (reply.status_code, feed_ids(reply)) == (200, ["https://arxiv.org/api/errors#something_broke"])
    reply = harmed(standins, "s2", "error_entry", message="something broke")
    assert (reply.status_code, reply.json()) == (200, {"error": "something broke"})


def test_another_paper_can_stand_in_the_place_of_one_requested_and_the_envelope_can_lie(standins):
    assert sum("2001.99999" in one for one in feed_ids(harmed(standins, "arxiv", "other_paper"))) == 1
    titles = [paper["title"] for paper in harmed(standins, "s2", "other_paper").json()]
    assert titles[0] == "A Study That Nobody Asked For"
    assert len(set(titles)) == 3
    standins.clear_faults()
    assert b">77<" in harmed(standins, "arxiv", "set_envelope", field="opensearch:totalResults", value=77).content
    standins.fault("s2", "set_envelope", endpoint="bulk", field="total", value=-1)
    url = f"{standins.s2_url}/graph/v1/paper/search/bulk"
    assert requests.get(url, params={"query": "attention"}, timeout=10).json()["total"] == -1


def test_a_refusal_can_repeat_the_key(standins):
    standins.fault("s2", "echo")
    reply = ask(standins, "s2", headers={"x-api-key": "a-key-of-mine"})
    assert reply.status_code == 403
    assert "a-key-of-mine" in reply.text
    assert reply.headers["x-api-key"] == "a-key-of-mine"


def test_every_kind_is_tried_here():
    source = Path(__file__).read_text(encoding="utf-8")
    elsewhere = {"lie", "allowance_spent"}  # in tests/flows/test_lies.py and tests/sources/openalex
    elsewhere |= {"timed_out", "searches_paused", "wrong_key", "no_title_filter", "prepaid"}  # in the latter
    assert [kind for kind in KINDS if f'"{kind}"' not in source and kind not in elsewhere] == []


def test_an_unknown_kind_or_service_is_refused(standins):
    with pytest.raises(ValueError, match="no fault kind"):
        standins.fault("arxiv", "gremlins")
    with pytest.raises(ValueError, match="no service"):
        standins.fault("crossref", "503")


def test_a_mistake_of_the_stand_ins_own_passes_for_no_fault_of_others(standins, capfd):
    reply = harmed(standins, "arxiv", "status", status="not a number")
    assert reply.status_code == 599
    assert "ValueError" in reply.text
    assert standins.requests()[0]["fault"] == "stand-in is broken"


@pytest.mark.parametrize(
    ("skip", "times", "statuses"),
    [
        (0, None, [503, 503, 503, 503]),
        (0, 1, [503, 200, 200, 200]),
        (2, 1, [200, 200, 503, 200]),
        (1, None, [200, 503, 503, 503]),
    ],
)
def test_faults_strike_at_a_position(standins, skip, times, statuses):
    standins.fault("arxiv", "503", skip=skip, times=times)
    assert [ask(standins, "arxiv").status_code for _ in statuses] == statuses
    assert [line["fault"] for line in standins.requests()] == ["503" if one == 503 else None for one in statuses]


def test_a_fault_keeps_to_its_service_and_endpoint(standins):
    standins.fault("s2", "503", endpoint="match")
    match = requests.get(f"{standins.s2_url}/graph/v1/paper/search/match", params={"query": "attention"}, timeout=10)
    assert (match.status_code, ask(standins, "s2").status_code, ask(standins, "arxiv").status_code) == (503, 200, 200)


def test_a_fault_can_strike_only_what_asks_for_certain_papers(standins):
    standins.fault("s2", "status", status=400, ids=["ARXIV:1810.04805"])
    standins.fault("arxiv", "500", text='ti:"gpipe"')
    url = f"{standins.s2_url}/graph/v1/paper/batch"
    sent = [requests.post(url, json={"ids": [f"ARXIV:{one}"]}, timeout=10).status_code for one in IDS]
    assert sent == [200, 400, 200]
    queries = ('ti:"bert"', 'ti:"bert" OR ti:"GPipe"')
    sent = [requests.get(standins.arxiv_url, params={"search_query": q}, timeout=10).status_code for q in queries]
    assert sent == [200, 500]


def test_reset_ends_every_fault_limit_and_latency(standins):
    standins.fault("arxiv", "503")
    standins.limit("arxiv", per_seconds=100)
    standins.latency("arxiv", 20)
    standins.down("s2")
    standins.reset()
    assert [ask(standins, service).status_code for service in ("arxiv", "arxiv", "s2")] == [200, 200, 200]
    assert len(standins.requests()) == 3


@both
def test_a_service_that_is_down_resets_connections_until_it_is_up(standins, service):
    standins.down(service)
    with pytest.raises(requests.exceptions.ConnectionError):
        ask(standins, service)
    standins.up(service)
    assert ask(standins, service).status_code == 200
    assert [line["fault"] for line in standins.requests()] == ["down", None]


@both
def test_asking_sooner_than_allowed_is_answered_429_and_noted(standins, service):
    standins.limit(service, per_seconds=60)
    assert [ask(standins, service).status_code for _ in range(3)] == [200, 429, 429]
    assert [line["violations"] for line in standins.requests(service)] == [[], ["rate"], ["rate"]]
    assert len(standins.violations(service)) == 2


def test_two_requests_at_once_break_the_rule_of_one_connection(standins):
    standins.limit("arxiv", connections=1)
    standins.latency("arxiv", 0.3)
    askers = [threading.Thread(target=ask, args=(standins, "arxiv")) for _ in range(2)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    lines = standins.requests("arxiv")
    assert [line["in_flight"] for line in lines] == [1, 2]
    assert lines[1]["violations"] == ["connections"]
    assert {line["status"] for line in lines} == {200}


def test_one_kept_connection_is_one_connection(standins):
    standins.limit("arxiv", connections=1)
    with requests.Session() as session:
        for _ in range(3):
            session.get(standins.arxiv_url, params={"id_list": IDS[0]}, timeout=10)
    lines = standins.requests("arxiv")
    assert len({line["client"] for line in lines}) == 1
    assert standins.violations() == []
    assert {line["open_connections"] for line in lines} == {1}


def test_the_log_holds_what_was_asked(standins):
    ask(standins, "s2", headers={"x-api-key": "k", "User-Agent": "paperlake-tests"})
    line = standins.requests("s2")[0]
    assert (line["service"], line["endpoint"], line["method"], line["status"]) == ("s2", "batch", "POST", 200)
    assert line["body"] == {"ids": [f"ARXIV:{one}" for one in IDS]}
    assert line["params"] == {"fields": "title,citationCount"}
    assert (line["key_sent"], line["user_agent"]) == (True, "paperlake-tests")
    assert line["started"] <= line["ended"]
    standins.clear_log()
    assert standins.requests() == []

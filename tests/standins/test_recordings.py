"""The stand-ins beside the truth: recorded questions are asked again, and the answers must agree field by field.

The papers of a recorded reply are told to the stand-in as facts; the same question must then bring the same reply:
for arXiv byte for byte, for Semantic Scholar with the same fields in their order and the same facts.
"""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import requests

WIRE = Path(__file__).resolve().parents[3] / "shared" / "wire"
ATOM, ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
pytestmark = pytest.mark.skipif(not WIRE.exists(), reason="../shared/wire is not here")

FEEDS = sorted((WIRE / "arxiv").glob("id_list_*.body.xml"))
MATCHES = [
    path for path in sorted((WIRE / "semanticscholar").glob("match_*.body.json")) if b"paperId" in path.read_bytes()
]
FACTS = {
    "paperId", "url", "title", "year", "corpusId", "citationCount", "influentialCitationCount", "referenceCount",
    "publicationDate",
}  # fmt: skip


def name(path):
    return path.name.partition(".body")[0]


def meta(path):
    return json.loads(path.with_name(f"{name(path)}.meta.json").read_text(encoding="utf-8"))


def entry_facts(entry):
    arxiv_id, _, version = entry.findtext(f"{ATOM}id").removeprefix("http://arxiv.org/abs/").rpartition("v")
    facts = {
        "arxiv_id": arxiv_id,
        "version": int(version),
        "title": entry.findtext(f"{ATOM}title"),
        "authors": [author.findtext(f"{ATOM}name") for author in entry.iter(f"{ATOM}author")],
        "abstract": entry.findtext(f"{ATOM}summary"),
        "published": entry.findtext(f"{ATOM}published"),
        "updated": entry.findtext(f"{ATOM}updated"),
        "primary_category": entry.find(f"{ARXIV}primary_category").get("term"),
        "categories": [category.get("term") for category in entry.iter(f"{ATOM}category")],
    }
    told = {key: entry.findtext(f"{ARXIV}{key}") for key in ("comment", "journal_ref", "doi")}
    return {**facts, **{key: value for key, value in told.items() if value is not None}}


def without_chance(text):
    """Strips what no stand-in can know: the feed's own id and date, and affiliations, which no fact tells."""
    text = re.sub(r"\n *<arxiv:affiliation>.*", "", text)
    text = re.sub(r"<id>https://arxiv\.org/api/[\w+/]{27}</id>", "<id>*</id>", text)
    head, mark, rest = text.partition("<entry>")
    if "<title>Error</title>" in rest:
        rest = re.sub(r"<updated>.*</updated>", "<updated>*</updated>", rest)
    return re.sub(r"<updated>.*</updated>", "<updated>*</updated>", head) + mark + rest


@pytest.mark.parametrize("path", FEEDS, ids=name)
def test_a_recorded_id_list_brings_the_recorded_feed_byte_for_byte(standins, path):
    recorded = path.read_text(encoding="utf-8")
    if "malformed" not in path.name:
        papers = map(entry_facts, ET.fromstring(recorded).iter(f"{ATOM}entry"))
        standins.add({facts["arxiv_id"]: facts for facts in papers if facts["title"] != "Error"}.values())
    reply = requests.get(f"{standins.arxiv_url}?{meta(path)['request']['query']}", timeout=30)
    assert reply.status_code == meta(path)["response"]["status"]
    assert without_chance(reply.text) == without_chance(recorded)


def test_asking_arxiv_too_fast_is_answered_as_observed(standins):
    recorded = WIRE / "arxiv" / "query_429_rate_exceeded_observed.body.txt"
    standins.limit("arxiv", per_seconds=60)
    replies = [requests.get(standins.arxiv_url, params={"id_list": "2409.03108"}, timeout=30) for _ in range(2)]
    assert (replies[1].status_code, replies[1].content) == (429, recorded.read_bytes())
    assert "Retry-After" not in replies[1].headers


def paper_facts(paper):
    ids = paper.get("externalIds") or {}
    facts = {
        "title": paper.get("title"),
        "authors": [author["name"] for author in paper.get("authors") or ()],
        "year": paper.get("year"),
        "s2_paper_id": paper["paperId"],
        "corpus_id": paper.get("corpusId") or ids.get("CorpusId"),
        "arxiv_id": ids.get("ArXiv"),
        "doi": ids.get("DOI"),
        "pmid": ids.get("PubMed"),
        "venue": paper.get("venue"),
        "published": paper.get("publicationDate"),
    }
    counts = {"citation_count": "citationCount", "influential_citation_count": "influentialCitationCount",
              "reference_count": "referenceCount"}  # fmt: skip
    told = {ours: paper[theirs] for ours, theirs in counts.items() if theirs in paper}
    return {**{key: value for key, value in facts.items() if value}, **told}


@pytest.mark.parametrize("path", MATCHES, ids=name)
def test_a_recorded_question_brings_the_recorded_paper_field_by_field(standins, path):
    recorded = json.loads(path.read_bytes())
    (real,) = recorded["data"]
    standins.add([{"title": f"Untitled {real['paperId']}", **paper_facts(real)}])
    asked = meta(path)["request"]
    url = f"{standins.s2_url}{asked['path']}?{asked['query']}"
    reply = requests.request(asked["method"], url, data=asked["body"], timeout=30)
    assert (reply.status_code, reply.headers["Content-Type"]) == (200, "application/json")
    assert list(reply.json()) == list(recorded)
    (paper,) = reply.json()["data"]
    assert list(paper) == list(real), "the fields, in their order"
    same = FACTS & real.keys()
    assert {key: paper[key] for key in same} == {key: real[key] for key in same}
    assert paper.get("externalIds", {}).items() <= real.get("externalIds", {}).items()


@pytest.mark.parametrize(
    ("recording", "prepare"),
    [
        pytest.param("batch_400_no_valid_ids_observed", None, id="no known id"),
        pytest.param("batch_403_bad_api_key", lambda s: s.require_key("another"), id="wrong key"),
        pytest.param("match_404_title_not_found", None, id="no such title"),
        pytest.param("paper_404_by_id", None, id="no such id"),
        pytest.param("paper_400_unsupported_field", "mind", id="unsupported field"),
        pytest.param("search_429_too_many_requests", lambda s: s.fault("s2", "429"), id="too fast"),
    ],
)  # fmt: skip
def test_a_recorded_refusal_is_refused_in_the_same_words(standins, recording, prepare):
    path = WIRE / "semanticscholar" / f"{recording}.body.json"
    if prepare == "mind":
        standins.add([{"title": "Computing Machinery and Intelligence", "doi": "10.1093/mind/lix.236.433"}])
    elif prepare is not None:
        prepare(standins)
    asked, told = meta(path)["request"], meta(path)["response"]
    headers = {"x-api-key": "wrong"} if "key" in recording else {}
    body = json.loads(asked["body"]) if asked["body"] else {"ids": ["ARXIV:9999.99999"]}
    url = f"{standins.s2_url}{asked['path']}?{asked['query']}"
    sent = {"json": body} if asked["method"] == "POST" else {}
    reply = requests.request(asked["method"], url, headers=headers, timeout=30, **sent)
    assert (reply.status_code, reply.content) == (told["status"], path.read_bytes())
    names = ("Content-Type", "x-amzn-ErrorType", "Retry-After", "Access-Control-Allow-Origin")
    real = {key.lower(): value for key, value in told["headers"].items()}
    if real:
        assert {key: reply.headers.get(key) for key in names} == {key: real.get(key.lower()) for key in names}

"""Semantic Scholar's payloads: every real one is read, None stays None, and nothing broken passes."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.errors import PayloadError
from sources.http.replies import request_key
from sources.records import Reply
from sources.services.semantic_scholar.record import (
    BATCH,
    BULK,
    MATCH,
    parse_batch,
    parse_match,
    parse_reply,
    parse_search,
)
from tests.matrices import for_each

SHA = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TOLD = st.fixed_dictionaries(
    {"paperId": st.just(SHA), "title": st.just("T")},
    optional=dict.fromkeys(
        ["corpusId", "externalIds", "authors", "year", "publicationDate", "venue", "fieldsOfStudy", "s2FieldsOfStudy",
         "openAccessPdf", "citationCount", "referenceCount", "abstract"], JSON),
)  # fmt: skip


def entry(**told: object) -> dict[str, object]:
    return {"paperId": SHA, "title": "T", **told}


def one(**told: object) -> Any:
    return parse_batch(json.dumps([entry(**told)]).encode())[0]


def test_what_is_not_told_is_none_and_never_zero():
    zero = one(citationCount=0, referenceCount=0)
    assert (zero.citation_count, zero.reference_count) == (0, 0)
    for paper in (one(), one(citationCount=None, referenceCount=None, year=None, corpusId=None, authors=None)):
        assert (paper.citation_count, paper.influential_citation_count, paper.reference_count) == (None, None, None)
        assert (paper.year, paper.published_on, paper.venue, paper.corpus_id) == (None, None, None, None)
        assert (paper.authors, paper.fields_of_study, paper.open_access_pdf_url) == ((), (), None)


@for_each(
    ("year", "told", "misdated"),
    [(2019, (2019, date(2017, 6, 12)), False), (1990, (None, None), True)],
)
def test_a_year_is_believed_beside_a_day_that_a_preprint_may_have_and_else_neither(year, told, misdated):
    paper = one(year=year, publicationDate="2017-06-12")
    assert ((paper.year, paper.published_on), paper.misdated) == (told, misdated)


def test_external_identifiers_come_in_our_schemes_and_forms():
    told = {"ArXiv": "1706.03762v5", "DOI": "10.1000/ABC", "CorpusId": 7, "ACL": "P19-1001", "PubMed": "31",
            "PubMedCentral": "PMC32", "MAG": "33", "DBLP": "conf/x/Y", "Unheard": "of"}  # fmt: skip
    paper = one(externalIds=told)
    assert set(map(str, paper.identifiers)) == {
        f"s2:{SHA}", "arxiv:1706.03762", "doi:10.1000/abc", "corpus:7", "acl:P19-1001", "pmid:31", "pmcid:32",
        "mag:33", "dblp:conf/x/Y",
    }  # fmt: skip
    assert (paper.arxiv_id, paper.doi, paper.corpus_id) == ("1706.03762", "10.1000/abc", 7)


def test_arxivs_own_doi_is_an_arxiv_id_and_no_publishers_doi():
    paper = one(externalIds={"DOI": "10.48550/arXiv.2312.07559"})
    assert (paper.arxiv_id, paper.doi) == ("2312.07559", None)


def test_an_external_identifier_in_no_known_form_stays_as_sent_and_apart():
    paper = one(externalIds={"ArXiv": "2701.123456", "DOI": "nor this", "MAG": None, "ACL": ["x"]})
    assert [identifier.scheme for identifier in paper.identifiers] == ["s2"]
    assert list(map(str, paper.unread)) == ["arxiv:2701.123456", "doi:nor this"]
    assert paper.arxiv_id is None


@pytest.mark.parametrize(
    ("told", "field"),
    [
        pytest.param({"paperId": None}, "paperId", id="no id"),
        pytest.param({"title": None}, "title", id="no title"),
        pytest.param({"citationCount": "many"}, "citationCount", id="count in words"),
        pytest.param({"externalIds": None}, "externalIds", id="identifiers null"),
    ],
)
def test_an_unsound_entry_is_named_by_record_and_field(told, field):
    fault = one(**told)
    assert isinstance(fault, PayloadError)
    assert (fault.source, fault.field) == ("s2", field)
    assert fault.record == ("" if field == "paperId" else SHA)


@for_each(
    "body",
    [b"<html></html>", b"{}", b"[]", b'{"message": "Forbidden"}', b'{"total": 3, "data": null}',
     b'{"total": null, "data": []}'],
)  # fmt: skip
def test_what_is_no_search_page_is_a_payload_error(body):
    with pytest.raises(PayloadError):
        parse_search(body)
    if b"[]}" not in body:
        with pytest.raises(PayloadError):
            parse_match(body)


def test_a_reply_that_says_two_things_under_one_name_says_neither():
    with pytest.raises(PayloadError, match="no whole JSON document"):
        parse_batch(b'[{"title": "T", "externalIds": {"ArXiv": "1706.03762", "ArXiv": "1512.03385"}}]')


def test_hostile_text_becomes_storable():
    paper = one(title="A\u0000 \ud800 title\u202e\n of two lines", venue="\u0007")
    assert paper.title.encode()
    assert "\n" not in paper.title
    assert "\x00" not in paper.title
    assert paper.venue is None


@given(st.lists(st.none() | JSON | TOLD, max_size=4))
def test_any_json_gives_as_many_entries_as_it_has(entries):
    read = parse_batch(json.dumps(entries).encode())
    assert len(read) == len(entries)
    assert [one is None for one in read] == [one is None for one in entries]


@given(st.binary(max_size=200))
def test_any_bytes_are_a_payload_or_our_error(body):
    for parse in (parse_batch, parse_search, parse_match):
        try:
            parse(body)
        except PayloadError:
            continue


def _reply(endpoint: str, body: bytes, *, status: int = 200) -> Reply:
    key = request_key(endpoint)
    return Reply(source="s2", request_key=key, fetched_at=datetime(2026, 1, 1, tzinfo=UTC), status=status, body=body)


@pytest.mark.parametrize(
    ("reply", "count"),
    [
        pytest.param(_reply(BATCH, json.dumps([entry(), None, {"paperId": SHA}]).encode()), 1, id="batch"),
        pytest.param(_reply(BULK, json.dumps({"total": 1, "token": None, "data": [entry()]}).encode()), 1, id="bulk"),
        pytest.param(_reply(MATCH, json.dumps({"data": [entry(matchScore=9)]}).encode()), 1, id="match"),
        pytest.param(_reply(MATCH, b'{"error":"Title match not found"}', status=404), 0, id="no match"),
        pytest.param(_reply(BATCH, b'{"error":"No valid paper ids given"}', status=400), 0, id="none known"),
    ],
)
def test_a_kept_reply_is_read_anew(reply, count):
    assert len(parse_reply(reply)) == count

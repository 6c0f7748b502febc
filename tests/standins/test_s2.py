"""Semantic Scholar's stand-in: what its documentation, FIELD.md and the recordings say about asking it."""

import pytest
import requests

from tests.matrices import for_each

BATCH_NORM = "Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate Shift"
FEW_SHOT = "Language Models are Few-Shot Learners"
RANK = "Attention is not all you need: pure attention loses rank doubly exponentially with depth"
ATTENTION = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"


def get(standins, path, **params):
    reply = requests.get(f"{standins.s2_url}/graph/v1/paper/{path}", params=params)
    return reply.status_code, reply.json()


def batch(standins, ids, fields="title"):
    url = f"{standins.s2_url}/graph/v1/paper/batch"
    reply = requests.post(url, params={"fields": fields}, json={"ids": ids})
    return reply.status_code, reply.json()


def titles(body):
    return {paper["title"] for paper in body.get("data", [])}


@for_each(
    "reference",
    [
        ATTENTION,
        "CorpusId:13756489",
        "ARXIV:1706.03762",
        "arXiv:1706.03762",
        "DOI:10.48550/arXiv.1706.03762",
        "URL:https://arxiv.org/abs/1706.03762",
        f"URL:https://www.semanticscholar.org/paper/{ATTENTION}",
    ],
)
def test_a_paper_is_found_under_each_form_of_its_identifiers(standins, reference):
    assert batch(standins, [reference])[1][0]["paperId"] == ATTENTION
    assert get(standins, reference)[1]["paperId"] == ATTENTION


@for_each("reference", ["10.18653/v1/2020.acl-main.542", "DOI:10.18653/V1/2020.ACL-MAIN.542", "ACL:2020.acl-main.542"])
def test_published_papers_are_found_by_doi_and_acl_id(standins, reference):
    assert batch(standins, [reference])[1][0]["title"] == "Curriculum Learning for Natural Language Understanding"


@for_each("reference", ["ARXIV:1706.03762v1", "CorpusId:1", "CorpusId:x", "FOO:1", "0" * 40, "URL:x"])
def test_an_unknown_id_is_null_at_its_place_and_a_versioned_one_is_unknown(standins, reference):
    status, body = batch(standins, ["ARXIV:1810.04805", reference, ATTENTION])
    assert status == 200
    assert [one and one["paperId"] for one in body] == [body[0]["paperId"], None, ATTENTION]


@for_each("ids", [["ARXIV:1706.03762v1"], [], ["", ATTENTION], [None]])
def test_a_batch_without_any_known_id_is_refused(standins, ids):
    assert batch(standins, ids) == (400, {"error": "No valid paper ids given"})


def test_more_than_five_hundred_ids_are_refused(standins):
    assert batch(standins, [ATTENTION] * 500)[0] == 200
    assert batch(standins, [ATTENTION] * 501)[0] == 400


def test_an_unknown_paper_is_404_even_with_unknown_fields(standins):
    assert get(standins, "0", fields="nonsense") == (404, {"error": "Paper with id 0 not found"})


def test_unknown_fields_are_named_in_the_refusal(standins):
    expected = (400, {"error": "Unrecognized or unsupported fields: [nonsense]"})
    assert get(standins, ATTENTION, fields="title,nonsense") == expected
    assert batch(standins, [ATTENTION], "title,nonsense") == expected


def test_bulk_search_gives_no_nested_data(standins):
    status, body = get(standins, "search/bulk", query="attention", fields="title,citations.title")
    assert (status, body["error"]) == (400, "Unrecognized or unsupported fields: [citations.title]")
    assert get(standins, ATTENTION, fields="title,citations.title")[0] == 200


def test_a_merged_paper_answers_with_another_id_than_the_one_asked_for(standins):
    standins.merge("f" * 40, ATTENTION)
    standins.merge("ARXIV:2101.99999", "1706.03762")
    assert [one["paperId"] for one in batch(standins, ["f" * 40, "ARXIV:2101.99999"])[1]] == [ATTENTION, ATTENTION]
    assert get(standins, "f" * 40)[1]["paperId"] == ATTENTION


def test_a_search_without_hits_has_no_data_key(standins):
    assert get(standins, "search", query="n0 r3sult") == (200, {"total": 0, "offset": 0})


def test_relevance_search_takes_plain_words_and_a_hyphenated_one_finds_nothing(standins):
    assert titles(get(standins, "search", query="few shot learners")[1]) == {FEW_SHOT}
    assert get(standins, "search", query="few-shot learners")[1]["total"] == 0


def test_relevance_search_pages_and_ends(standins):
    status, first = get(standins, "search", query="learning", limit=5)
    _, second = get(standins, "search", query="learning", limit=5, offset=first["next"])
    assert (status, first["next"], second["offset"]) == (200, 5, 5)
    assert not titles(first) & titles(second)
    assert "next" not in get(standins, "search", query="learning", limit=100)[1]
    assert get(standins, "search", query="learning", offset=950)[0] == 400


@pytest.mark.parametrize(
    ("params", "keeps"),
    [
        pytest.param({"year": "2017"}, lambda p: p["year"] == 2017, id="year"),
        pytest.param({"year": "2018-2020"}, lambda p: 2018 <= p["year"] <= 2020, id="years"),
        pytest.param({"year": "-2015"}, lambda p: p["year"] <= 2015, id="until"),
        pytest.param({"minCitationCount": "1000"}, lambda p: p["citationCount"] >= 1000, id="cited"),
        pytest.param({"fieldsOfStudy": "Mathematics"}, lambda p: "Mathematics" in p["fieldsOfStudy"], id="field"),
        pytest.param({"openAccessPdf": ""}, lambda p: p["openAccessPdf"]["url"], id="open"),
    ],
)
def test_filters_keep_only_what_fits(standins, params, keeps):
    asked = {"query": "learning | random | deep", "fields": "year,citationCount,fieldsOfStudy,openAccessPdf"}
    everything = get(standins, "search/bulk", **asked)[1]["data"]
    kept = get(standins, "search/bulk", **asked, **params)[1]["data"]
    assert kept == [paper for paper in everything if keeps(paper)]
    assert 0 < len(kept) < len(everything)


@pytest.mark.parametrize(
    ("query", "found", "missing"),
    [
        pytest.param("attention need", "Attention Is All You Need", "Layer Normalization", id="every word"),
        pytest.param('"layer normalization" | "fast r-cnn"', "Fast R-CNN", "Mixed Precision Training", id="or"),
        pytest.param("normalization + layer", "Layer Normalization", "Fast R-CNN", id="and"),
        pytest.param("normalization -layer", BATCH_NORM, "Layer Normalization", id="not"),
        pytest.param("(layer | fast) + (normalization | rcnn)", "Layer Normalization", "Fast R-CNN", id="brackets"),
        pytest.param("normal*", "Layer Normalization", "Fast R-CNN", id="prefix"),
        pytest.param("layr~1", "Layer Normalization", "Fast R-CNN", id="misspelt"),
        pytest.param('"attention need"~3', "Attention Is All You Need", "Layer Normalization", id="near"),
        pytest.param("normalizing layers", "Layer Normalization", "Fast R-CNN", id="stemmed"),
        pytest.param("few-shot", FEW_SHOT, "Fast R-CNN", id="hyphen within a word"),
        pytest.param('"few shot learner" | "no such title" | ""', FEW_SHOT, "Fast R-CNN", id="one of several"),
    ],
)
def test_bulk_queries_mean_what_the_documentation_says(standins, query, found, missing):
    status, body = get(standins, "search/bulk", query=query, fields="title")
    assert status == 200
    assert found in titles(body)
    assert missing not in titles(body)


def test_bulk_search_hands_out_a_thousand_a_call_and_a_token_for_the_rest(standins_full):
    token, seen, sizes = None, set(), []
    while True:
        asked = {"query": "kubernetes | quantum", "limit": "10", **({"token": token} if token else {})}
        status, body = get(standins_full, "search/bulk", **asked)
        assert status == 200
        sizes.append(len(body["data"]))
        seen |= {paper["paperId"] for paper in body["data"]}
        token = body["token"]
        if token is None:
            break
    assert sizes[:-1] == [1000] * (len(sizes) - 1)
    assert len(sizes) > 2
    assert len(seen) == sum(sizes) == body["total"]


def test_a_token_of_another_query_is_refused(standins_full):
    token = get(standins_full, "search/bulk", query="quantum")[1]["token"]
    assert get(standins_full, "search/bulk", query="kubernetes", token=token)[0] == 400
    assert get(standins_full, "search/bulk", query="quantum", token="nonsense")[0] == 400


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_bulk_search_sorts_by_citations(standins, direction):
    _, body = get(standins, "search/bulk", query="learning", sort=f"citationCount:{direction}", fields="citationCount")
    counts = [paper["citationCount"] for paper in body["data"]]
    assert counts == sorted(counts, reverse=direction == "desc")


@pytest.mark.parametrize(
    ("query", "title"),
    [
        pytest.param("Attention is All you Need", "Attention Is All You Need", id="exact but for case"),
        pytest.param("Attention is not all you need", RANK, id="cut"),
        pytest.param("Attention is all you need at last", "Attention Is All You Need", id="altered"),
    ],
)
def test_match_gives_one_best_title_with_a_score(standins, query, title):
    status, body = get(standins, "search/match", query=query, fields="title")
    assert (status, [paper["title"] for paper in body["data"]]) == (200, [title])
    assert body["data"][0]["matchScore"] > 0


@for_each("query", ["abs12032jsdafn", "A wholly different subject of botany", "???"])
def test_match_without_a_title_is_404(standins, query):
    assert get(standins, "search/match", query=query) == (404, {"error": "Title match not found"})


@for_each("path", ["search", "search/bulk", "search/match"])
def test_a_search_without_a_query_is_refused(standins, path):
    assert get(standins, path, query="")[0] == 400


def test_a_wrong_key_is_forbidden_and_none_is_allowed(standins):
    standins.require_key("right")
    url = f"{standins.s2_url}/graph/v1/paper/{ATTENTION}"
    sent = [requests.get(url, headers=headers) for headers in ({}, {"x-api-key": "right"}, {"x-api-key": "wrong"})]
    assert [reply.status_code for reply in sent] == [200, 200, 403]
    assert [line["key_sent"] for line in standins.requests()] == [False, True, True]


def test_an_address_that_is_too_long_is_414(standins):
    assert requests.get(f"{standins.s2_url}/graph/v1/paper/search", params={"query": "x" * 9000}).status_code == 414


def test_paths_that_do_not_exist_are_404(standins):
    assert requests.get(f"{standins.s2_url}/graph/v1/nonsense").status_code == 404

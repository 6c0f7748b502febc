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


@for_each(
    ("query", "found", "missing"),
    [
        pytest.param("attention need", "Attention Is All You Need", "Layer Normalization", id="every word"),
        pytest.param('"layer normalization" | "fast r-cnn"', "Fast R-CNN", "Mixed Precision Training", id="or"),
        pytest.param("normalization -layer", BATCH_NORM, "Layer Normalization", id="not"),
        pytest.param("layr~1", "Layer Normalization", "Fast R-CNN", id="misspelt"),
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


@for_each(
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


@for_each("path", ["search/bulk", "search/match"])
def test_a_search_without_a_query_is_refused(standins, path):
    assert get(standins, path, query="")[0] == 400


def test_what_the_stand_in_cannot_do_is_said_not_guessed(standins):
    assert get(standins, "search/bulk", query="learning", sort="citationCount:desc")[0] == 501


def test_a_wrong_key_is_forbidden_and_none_is_allowed(standins):
    standins.require_key("right")
    url = f"{standins.s2_url}/graph/v1/paper/{ATTENTION}"
    sent = [requests.get(url, headers=headers) for headers in ({}, {"x-api-key": "right"}, {"x-api-key": "wrong"})]
    assert [reply.status_code for reply in sent] == [200, 200, 403]
    assert [line["key_sent"] for line in standins.requests()] == [False, True, True]


def test_an_address_that_is_too_long_is_414(standins):
    assert (
        requests.get(f"{standins.s2_url}/graph/v1/paper/search/bulk", params={"query": "x" * 9000}).status_code == 414
    )


def test_paths_that_do_not_exist_are_404(standins):
    assert requests.get(f"{standins.s2_url}/graph/v1/nonsense").status_code == 404

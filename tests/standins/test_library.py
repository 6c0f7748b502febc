"""The library behind the stand-ins: what tests add, remove and change, and the index it is built from."""

import json
import socket
import subprocess
import sys
import time

import pytest
import requests

from standins import StandIns
from standins.catalogue.papers import same_work
from standins.catalogue.shelf import open_shelf
from standins.handle import ROOT
from tests.matrices import for_each

NEW = {"title": "A wholly new idea", "authors": ["Ada Example"], "year": 2024, "arxiv_id": "2401.00001"}


def on_arxiv(standins, **params):
    return requests.get(standins.arxiv_url, params=params, timeout=60).text


def on_s2(standins, ids, fields="title,citationCount,influentialCitationCount,referenceCount,externalIds"):
    url = f"{standins.s2_url}/graph/v1/paper/batch?fields={fields}"
    return requests.post(url, json={"ids": ids}, timeout=60).json()


def bulk(standins, query):
    url = f"{standins.s2_url}/graph/v1/paper/search/bulk"
    return requests.get(url, params={"query": query, "fields": "title"}, timeout=60).json()


def test_an_added_paper_is_found_everywhere_until_reset(standins):
    standins.add([NEW])
    assert "2401.00001" in on_arxiv(standins, id_list="2401.00001")
    assert "2401.00001" in on_arxiv(standins, search_query='ti:"wholly new idea"')
    assert on_s2(standins, ["ARXIV:2401.00001"])[0]["title"] == NEW["title"]
    assert bulk(standins, '"wholly new idea"')["total"] == 1
    standins.reset()
    assert "<entry>" not in on_arxiv(standins, id_list="2401.00001")
    assert bulk(standins, '"wholly new idea"')["total"] == 0


@pytest.mark.parametrize("library", ["standins", pytest.param("standins_full", marks=pytest.mark.slow)])
def test_an_added_paper_can_be_searched_for_misspelt_and_counted(request, library):
    standins = request.getfixturevalue(library)
    before = bulk(standins, "attention")["total"]
    standins.add([{**NEW, "title": "Attention at last"}])
    assert bulk(standins, "attention")["total"] == before + 1
    assert bulk(standins, "atention~1")["total"] >= before + 1


@pytest.mark.parametrize("reference", ["1706.03762", "204e3073870fae3d05bcbc2f6a8e263d9b72e776"])
def test_a_removed_paper_is_gone_everywhere_until_reset(standins, reference):
    assert standins.remove([reference, "2401.99999"]) == 1
    assert "<entry>" not in on_arxiv(standins, id_list="1706.03762")
    assert "1706.03762" not in on_arxiv(standins, search_query='ti:"attention is all you need"')
    assert on_s2(standins, ["ARXIV:1706.03762"]) == {"error": "No valid paper ids given"}
    standins.reset()
    assert "1706.03762" in on_arxiv(standins, id_list="1706.03762")


def test_a_changed_paper_keeps_its_ids_and_what_is_not_told_anew(standins):
    before = on_s2(standins, ["ARXIV:1706.03762"])[0]
    standins.add([{"title": "Attention, renamed", "arxiv_id": "1706.03762"}])
    after = on_s2(standins, ["ARXIV:1706.03762"])[0]
    assert after == {**before, "title": "Attention, renamed"}
    assert bulk(standins, '"attention renamed"')["total"] == 1
    assert "Vaswani" in on_arxiv(standins, id_list="1706.03762")


def test_the_same_title_by_others_is_another_paper(standins):
    standins.add([{**NEW, "title": "Attention Is All You Need"}])
    assert bulk(standins, '"attention is all you need"')["total"] == 4
    standins.add([{**NEW, "title": "Layer Normalization", "authors": ["J. L. Ba"], "arxiv_id": None}])
    assert bulk(standins, '"layer normalization"')["total"] == 1


def test_counts_change_and_null_is_null(standins):
    standins.set_counts({"1706.03762": {"citation_count": 7, "reference_count": None}})
    standins.set_counts({"1706.03762": {"influential_citation_count": 0}})
    paper = on_s2(standins, ["ARXIV:1706.03762"])[0]
    assert (paper["citationCount"], paper["influentialCitationCount"], paper["referenceCount"]) == (7, 0, None)
    with pytest.raises(ValueError, match=r"2401\.99999"):
        standins.set_counts({"2401.99999": {"citation_count": 1}})


def test_a_malformed_id_cannot_be_added(standins):
    with pytest.raises(ValueError, match="not the base of an arXiv id"):
        standins.add([{**NEW, "arxiv_id": "2401.00001v2"}])


@for_each(
    ("one", "other", "same"),
    [
        ({"arxiv_id": "1", "authors": ["A B"]}, {"arxiv_id": "2", "authors": ["A B"]}, False),
        ({"arxiv_id": "1", "authors": ["A B"]}, {"authors": ["C B"]}, True),
        ({"authors": ["José Núñez"]}, {"authors": ["J. Nunez", "X Y"]}, True),
        ({"authors": ["A B"]}, {"authors": ["C D"]}, False),
        ({"authors": []}, {"authors": ["C D"]}, True),
    ],
)
def test_works_of_one_title_are_one_where_nothing_contradicts(one, other, same):
    assert same_work(one, other) is same


def test_an_index_is_built_once_per_content(tmp_path):
    data = tmp_path / "papers.jsonl"
    data.write_text(json.dumps(NEW) + "\n\n", encoding="utf-8")
    first = open_shelf([data], tmp_path / "cache")
    written = first.stat().st_ino
    assert open_shelf([tmp_path], tmp_path / "cache").stat().st_ino == written
    data.write_text(json.dumps({**NEW, "year": 2025}), encoding="utf-8")
    assert open_shelf([data], tmp_path / "cache") != first


def test_a_library_of_the_tests_own_serves_with_its_merged_ids(tmp_path):
    data = tmp_path / "papers.jsonl"
    data.write_text(json.dumps({**NEW, "aliases": ["a" * 40], "acl": "P24-1001", "pmid": "77"}), encoding="utf-8")
    with StandIns([data], s2_key="right", cache=tmp_path) as running:
        found = on_s2(running, ["a" * 40, "ACL:P24-1001", "PMID:77"])
        url = f"{running.s2_url}/graph/v1/paper/PMID:77"
        assert requests.get(url, headers={"x-api-key": "wrong"}, timeout=60).status_code == 403
    assert [paper["title"] for paper in found] == [NEW["title"]] * 3


def test_facts_and_background_are_one_library(standins_full):
    paper = on_s2(standins_full, ["ARXIV:1706.03762"], "title,authors,citationCount")[0]
    assert (len(paper["authors"]), paper["citationCount"]) == (8, 136941)
    assert "cs/9301111" in on_arxiv(standins_full, search_query='ti:"nested satisfiability"')
    assert bulk(standins_full, "learning")["total"] > 20_000


def test_the_server_ends_with_the_process_that_started_it(tmp_path):
    script = "import sys; from standins import StandIns; s = StandIns(); s.__enter__(); print(s.port)"
    port = int(subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True).stdout)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return
        time.sleep(0.05)
    pytest.fail("the server still listens")


def test_a_paper_left_to_arxiv_is_nowhere_on_s2_until_reset(standins):
    standins.leave_to_arxiv(["1706.03762"])
    assert "1706.03762" in on_arxiv(standins, id_list="1706.03762")
    assert on_s2(standins, ["ARXIV:1706.03762", "ARXIV:1409.4842"])[0] is None
    titles = [paper["title"] for paper in bulk(standins, '"Attention Is All You Need"')["data"]]
    assert "Attention Is All You Need" not in titles
    standins.reset()
    assert on_s2(standins, ["ARXIV:1706.03762"])[0] is not None

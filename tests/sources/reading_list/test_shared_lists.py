"""The figures on the lists beside the checkout, which the model was learnt from: floors a little below what is reached.

What a list that nobody has seen may expect is told by the model's manifest, and held by test_model.py.
"""

import dataclasses
import importlib.util
from collections import defaultdict
from pathlib import Path

import pytest

from sources.lists.reading import parse_reading_list

SHARED = Path(__file__).resolve().parents[3] / "../shared"
pytestmark = pytest.mark.skipif(not (SHARED / "tools/score.py").exists(), reason="../shared is not beside the checkout")

FOUR = ("000", "001", "002", "004")
THIRTEEN = tuple(
    "agents-yearmonth dconsensus-bullets fraud-table gtnlp-course nerfrobotics-bold papernotes-log plgreat-cites "
    "pointcloud-zh rl-citations rlnotes-prose seq2seq-ja syslinks-bare threed-html".split()
)


@pytest.fixture(scope="module")
def scorer():
    spec = importlib.util.spec_from_file_location("score", SHARED / "tools/score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def paths(name):
    if name in FOUR:
        return next((SHARED / "lists").glob(f"{name}_*")), SHARED / "gold" / f"{name}.jsonl"
    return SHARED / "practice" / f"{name}.md", SHARED / "practice" / f"{name}.jsonl"


def scored(scorer, name):
    text, gold = paths(name)
    mentions = parse_reading_list(text.read_text(encoding="utf-8")).mentions
    figures, _, _ = scorer.score(scorer.read(gold), [dataclasses.asdict(mention) for mention in mentions])
    return figures


def total(scorer, names):
    sums = defaultdict(int)
    for name in names:
        for key, value in scored(scorer, name).items():
            sums[key] += value
    return scorer.prf(sums)


@pytest.mark.parametrize("name", FOUR)
def test_each_of_the_four_lists_is_read(scorer, name):
    assert scorer.prf(scored(scorer, name))["strict_f1"] >= 0.90


@pytest.mark.parametrize("name", THIRTEEN)
def test_each_of_the_thirteen_lists_is_read(scorer, name):
    assert scorer.prf(scored(scorer, name))["strict_f1"] >= 0.93


@pytest.mark.parametrize(("names", "floor"), [(FOUR, 0.955), (THIRTEEN, 0.98)], ids=["the four", "the thirteen"])
def test_all_lists_together(scorer, names, floor):
    figures = total(scorer, names)
    assert figures["strict_f1"] >= floor
    assert figures["precision"] >= 0.96
    assert figures["id_bad"] == 0


def test_every_arxiv_id_in_the_link_of_a_paper_is_found(scorer):
    lost = []
    for name in (*FOUR, *THIRTEEN):
        text, gold = paths(name)
        found = {m.arxiv_id for m in parse_reading_list(text.read_text(encoding="utf-8")).mentions}
        for row in scorer.read(gold):
            linked = row["id_in_text"] and row["arxiv_id"] and row["arxiv_id"] in (row["url"] or "")
            if linked and row["kind"] == "paper" and row["arxiv_id"] not in found:
                lost.append((name, row["line"], row["arxiv_id"]))
    assert lost == []

"""The verdict: what is accepted, what is not, and why."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sources.bibliography.identifiers import Identifier
from sources.matching.candidates import Candidate, candidate_of, group_works, same_work
from sources.matching.judge import judge, judge_identified
from sources.records import Mention
from standins.trials.rows import arxiv_paper, s2_paper
from standins.trials.word_swaps import read_traps, trap_status
from tests.matrices import for_each

TRAPS = read_traps()
LOOKALIKES = [trap for trap in TRAPS if not trap["accept"]]
SLIPS = [trap for trap in TRAPS if trap["accept"] is True]
DOUBTS = [trap for trap in TRAPS if trap["accept"] == "in doubt"]


def mention(title: str | None, **fields: Any) -> Mention:
    return Mention(line=1, last_line=1, title=title, **fields)


def candidate(title: str, **fields: Any) -> Candidate:
    return Candidate(**{"source": "s2", "title": title, **fields})


def named(trap: dict[str, Any]) -> str:
    return f"{trap['kind']}: {trap['mention']['title'][:50]}"


ATTENTION = candidate(
    "Attention Is All You Need",
    authors=("Ashish Vaswani", "Noam Shazeer", "Niki Parmar"),
    year=2017,
    arxiv_id="1706.03762",
)


def test_a_look_alike_is_never_accepted():
    assert len(LOOKALIKES) >= 600
    taken = [trap for trap in LOOKALIKES if trap_status(trap) == "resolved"]
    assert taken == []


def test_slips_are_forgiven():
    assert len(SLIPS) >= 300
    missed = [trap for trap in SLIPS if trap_status(trap) != "resolved"]
    assert len(missed) <= 0.03 * len(SLIPS), [named(trap) for trap in missed]


def test_a_slip_that_makes_a_word_and_another_form_of_one_are_left_to_a_person():
    assert len(DOUBTS) >= 25
    assert [named(trap) for trap in DOUBTS if trap_status(trap) != "ambiguous"] == []


def test_the_order_of_candidates_changes_nothing():
    pool = [
        ATTENTION,
        candidate("Attention Is Not All You Need", authors=("Yihe Dong",), year=2021),
        candidate("Attention Is All You Need", authors=("Ashish Vaswani",), year=2017, doi="10.5555/3295222"),
        candidate("Is Attention All You Need?", year=2019),
    ]
    verdicts = {repr(judge(mention("attention is all you need"), order)) for order in permutations(pool)}
    assert len(verdicts) == 1


@settings(max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=20), max_size=3).map(tuple))
def test_no_text_makes_the_judge_stumble(title, other, authors):
    verdict = judge(mention(title, authors=authors), [candidate(other, authors=authors)])
    assert (verdict.status == "resolved") == (verdict.chosen is not None)


@for_each("told", [{"authors": ("Adams et al.",)}, {"year": 2017}, {}])
def test_only_what_else_the_mention_tells_decides_between_papers_of_one_title(told):
    pool = [
        candidate("Neural Message Passing on Graphs", authors=("Ann Adams",), year=2017, arxiv_id="1701.00001"),
        candidate("Neural Message Passing on Graphs", authors=("Bob Brown",), year=2009, arxiv_id="0901.0002"),
    ]
    verdict = judge(mention("Neural message passing on graphs", **told), pool)
    assert (verdict.status, verdict.chosen) == (("resolved", pool[0]) if told else ("ambiguous", None))
    assert len(verdict.ranked) == 2


def test_one_work_seen_by_several_sources_is_one_candidate_with_all_its_identifiers():
    title, dblp = "Attention is All you Need", Identifier("dblp", "x")
    seen = [
        replace(ATTENTION, source="arxiv"),
        candidate(title, authors=("A. Vaswani",), year=2017, doi="10.5555/1", s2_paper_id="a" * 40),
        candidate(title, authors=ATTENTION.authors, year=2017, identifiers=(dblp,)),
    ]
    chosen = judge(mention("Attention Is All You Need"), seen).chosen
    assert chosen is not None
    assert (chosen.arxiv_id, chosen.doi, chosen.s2_paper_id) == ("1706.03762", "10.5555/1", "a" * 40)
    assert dblp in chosen.identifiers


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param({"doi": "10.1/a"}, {"doi": "10.1/A"}, True, id="one DOI"),
        pytest.param({"doi": "10.48550/arXiv.1706.03762"}, {"arxiv_id": "1706.03762"}, True, id="arXiv's own DOI"),
        pytest.param({"arxiv_id": "1706.03762"}, {"arxiv_id": "1706.03763"}, False, id="two arXiv identifiers"),
        pytest.param({"s2_paper_id": "a", "doi": "10.1/a"}, {"s2_paper_id": "a", "doi": "10.1/b"}, False, id="a DOI"),
        pytest.param({"s2_paper_id": "a" * 40}, {"s2_paper_id": "b" * 40}, True, id="two records of one source"),
        pytest.param({"year": 2014}, {"year": 2017}, False, id="three years apart"),
        pytest.param({"authors": ("Somebody Else",)}, {}, False, id="other authors"),
    ],
)  # fmt: skip
def test_every_identifier_that_two_records_share_must_agree(one, other, same):
    base = {"title": "A Study of Something Rather Particular", "authors": ("Jane Doe", "Ada Roe"), "year": 2017}
    assert same_work(candidate(**{**base, **one}), candidate(**{**base, **other})) is same


@pytest.mark.parametrize(
    ("title", "works"),
    [("Quantum Groups and Their Crystal Bases", 2), ("Quantum groups & their crystal bases. II", 1)],
)
def test_a_doi_that_authors_gave_arxiv_makes_records_of_two_titles_no_one_work(title, works):
    by_arxiv = arxiv_paper("1901.00007", title="Quantum Groups and Their Crystal Bases. II", doi="10.1000/1")
    by_s2 = s2_paper(title=title, authors=by_arxiv.authors, doi="10.1000/1", year=2017, identifiers=(
        Identifier("doi", "10.1000/1"),
    ))  # fmt: skip
    assert len(group_works([candidate_of(by_arxiv, "arxiv"), candidate_of(by_s2, "s2")])) == works


@pytest.mark.parametrize(("arxiv_id", "works"), [("1901.00007", 1), (None, 2)])
def test_a_doi_that_authors_gave_arxiv_parts_no_records_of_one_preprint(arxiv_id, works):
    by_arxiv, own = arxiv_paper("1901.00007", doi="10.1000/1"), (("arxiv", arxiv_id), ("doi", "10.1000/2"))
    by_s2 = s2_paper(authors=by_arxiv.authors, doi="10.1000/2", year=2017, arxiv_id=arxiv_id, identifiers=tuple(
        Identifier(scheme, value) for scheme, value in own if value
    ))  # fmt: skip
    assert len(group_works([candidate_of(by_arxiv, "arxiv"), candidate_of(by_s2, "s2")])) == works


def test_no_chain_of_likenesses_joins_two_papers():
    base = {"authors": ("Jane Doe", "Ada Roe"), "year": 2017}
    middle = candidate("A Study of Something Rather Particular", **base)
    ends = [replace(middle, doi="10.1/a"), replace(middle, doi="10.1/b")]
    assert len(group_works([*ends, middle])) == 2


@pytest.mark.parametrize(("before", "status"), [("Technical Report", "resolved"), ("Extended Abstract", "ambiguous")])
def test_an_edition_before_a_title_is_no_name_and_an_abstract_another_text(before, status):
    paper = candidate(f"{before}: Accelerating Dynamic Graph Analytics on GPUs", authors=("Mo Sha",), year=2017)
    assert judge(mention("Accelerating Dynamic Graph Analytics on GPUs"), [paper]).status == status


RESNET = candidate(
    "Deep Residual Learning for Image Recognition",
    authors=("Kaiming He", "Xiangyu Zhang"),
    year=2015,
    arxiv_id="1512.03385",
)


def test_a_fitting_nickname_does_not_hide_that_the_title_is_another_papers():
    record = replace(ATTENTION, title=f"Transformer: {ATTENTION.title}")
    told = mention(RESNET.title, name="Transformer", arxiv_id="1706.03762", year=2017)
    other = replace(RESNET, title=f"ResNet: {RESNET.title}")
    verdict = judge_identified(told, record, [other, record])
    assert [finding.code for finding in verdict.findings] == ["link-title-disagree"]
    for title in ("Learning to Pay Attention to Words", f"Why {ATTENTION.title}"):
        verdict = judge_identified(replace(told, title=title), record, [other, record])
        assert (verdict.chosen, verdict.score, verdict.findings) == (record, 1.0, ())


@for_each("title", [RESNET.title, f"ResNet: {RESNET.title}"])
def test_a_fitting_nickname_in_front_of_another_papers_title_does_not_hide_it_nor_do_its_people(title):
    record = replace(ATTENTION, title=f"Zero: {ATTENTION.title}")
    told = mention(f"Zero: {title}", arxiv_id="1706.03762", year=2017, authors=record.authors[:1])
    other = replace(RESNET, title=f"ResNet: {RESNET.title}")
    for name in (None, "Zero"):
        verdict = judge_identified(replace(told, name=name), record, [other, record])
        assert [scored.candidate for scored in verdict.ranked] == [record, other]
        assert [finding.code for finding in verdict.findings] == ["link-title-disagree"]


@for_each(
    ("written", "linked", "other"),
    [
        ("Management of Hypokalemia in Adults", "Management of Hyperkalemia in Adults", True),
        ("Attention Is Not All You Need", "Attention Is All You Need", True),
        ("Attention Is All You Need", "Attention Is All You Need", False),
    ],
)
def test_a_title_that_looks_like_the_linked_paper_s_is_another_paper_where_that_is_known(written, linked, other):
    record = candidate(linked, authors=("Ada Roe",), year=2017, arxiv_id="1706.00001")
    bearer = candidate(written, authors=("Bob Low",), year=2021, arxiv_id="2103.00002")
    told = mention(written, identifiers=(Identifier("arxiv", "1706.00001"),))
    assert (judge_identified(told, record, [bearer]).status == "ambiguous") is other


def test_an_older_title_of_the_linked_paper_is_no_other_paper_s():
    told = {"authors": ("Ada Roe", "Bob Low", "Cy May"), "year": 2019}
    record = candidate("Learning Sparse Filters for Speech Enhancement", arxiv_id="1901.00001", **told)
    older = candidate("Learning Sparse Masks for Speech Enhancement", doi="10.1/a", **{**told, "year": 2018})
    assert judge_identified(mention(older.title), record, [older]).chosen == record


@for_each(
    "title",
    [None, "Transformer", "attention is al you need", "Attention Is All You Need (NIPS 2017)", "https://arxiv.org/abs/1706.03762"],
)  # fmt: skip
def test_a_nickname_a_slip_or_a_bare_link_is_no_disagreement(title):
    assert judge_identified(mention(title), ATTENTION).findings == ()


def test_a_foreign_identifier_speaks_against_a_candidate():
    link = (Identifier("arxiv", "1810.04805"),)
    assert judge(mention("Attention Is All You Need", identifiers=link), [ATTENTION]).status == "ambiguous"


def test_every_verdict_tells_its_reasons():
    told = mention("Attention Is All You Need", authors=("Vaswani",), year=2017)
    verdict = judge(told, [ATTENTION])
    assert verdict.reasons == ("the titles agree", "1 of 1 authors agree", "same year")
    assert verdict.ranked[0].score == verdict.score == 1.0


@pytest.mark.parametrize(
    ("title", "other", "told"),
    [
        pytest.param("Real-Time Dense Monocular SLAM with Learned Depth Prediction",
                     "CNN-SLAM: Real-Time Dense Monocular SLAM with Learned Depth Prediction", {}, id="no name"),
        pytest.param("ResNet Deep Residual Learning for Image Recognition",
                     "Deep Residual Learning for Image Recognition", {"authors": ("Jane Doe",)},
                     id="a name that nothing parts from the title, and its people"),
        pytest.param("DeepRacer: Educational Autonomous Racing Platform for Reinforcement Learning",
                     "DeepRacer: Autonomous Racing Platform for Reinforcement Learning",
                     {"year": 2017}, id="a system's name, and the year"),
        pytest.param("Human mobility patterns at the smallest scales", "mobility Human patterns at the smallest scales",
                     {"year": 2017}, id="words in another order of a long title, and the year"),
        ("PyTorch Automatic differentiation in PyTorch", "Automatic differentiation in PyTorch", {}),
        pytest.param("DAKRS: Differentiable Architecture Search in Pieces",
                     "DARKS: Differentiable Architecture Search in Pieces", {"year": 2017},
                     id="a name in capitals with two letters in the other order"),
        pytest.param("Component-by-Component Construction of Rank-1 Latitce Rules",
                     "Component-by-Component Construction of Rank-1 Lattice Rules", {}, id="a word hyphened to itself"),
    ],
)  # fmt: skip
def test_what_carries_a_title_that_is_not_the_same_still_does(title, other, told):
    known = candidate(other, authors=("Jane Doe", "Ada Roe"), year=2017)
    assert judge(mention(title, **told), [known]).status == "resolved"

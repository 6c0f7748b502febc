"""What lists miss: works that their papers cite, or that cite their papers, far more than the world does."""

from __future__ import annotations

import pytest

from standins.trials.citation_world import PLANS, SMALL, make_world, missing_works
from standins.trials.field_world import make_field
from standins.trials.rows import (
    T0,
    WEEK,
    candidate_row,
    citation_row,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    run_row,
    work_row,
)
from warehouse.loading.commit import Harvest, load

PAPERS = [f"p{number}" for number in range(1, 7)]
FAMOUS, APT, SURVEY = "W100", "W200", "W300"


def references(work, papers):
    return [reference_row(paper_id, work) for paper_id in papers]


def citations(work, papers):
    return [citation_row(paper_id, work) for paper_id in papers]


def listed(papers):
    return {
        "mentions": [mention_row(f"m{item}", paper_id=item, title=None) for item in papers],
        "papers": [paper_row(item, title=f"Paper {item}", title_keys=[f"paper{item}"]) for item in papers],
    }


def listed_alone(papers):
    """Returns rows of papers that no source knows, and that nothing cites."""
    return listed(papers) | {"paper_identifiers": [], "openalex_works": [], "paper_citations": []}


def harvest(**told) -> Harvest:
    """One list of six papers, all of which cite a famous work, four an apt one, and five of which a survey cites."""
    plain = {
        "reading_lists": [list_row()],
        **listed(PAPERS),
        "paper_identifiers": [identifier_row(item, "openalex", f"W{item[1:]}") for item in PAPERS],
        "openalex_works": [work_row(item, openalex_id=f"W{item[1:]}", citation_count=5) for item in PAPERS],
        "paper_references": [*references(FAMOUS, PAPERS), *references(APT, PAPERS[:4]), *references("W2", ["p1"])],
        "paper_citations": citations(SURVEY, PAPERS[1:]),
        "outside_works": [
            outside_row(FAMOUS, citation_count=150_000, reference_count=30),
            outside_row(APT, citation_count=40, reference_count=30),
            outside_row(SURVEY, citation_count=3, reference_count=50),
        ],
    }
    return Harvest(**plain | told)


def filled(lake, **told):
    counts = {"lists": 1, "mentions": 6, "resolved": 6, "papers": 6, "papers_new": 6}
    load(lake, harvest(**told), run_row(**counts))
    return lake


def missing(lake, list_id="l1"):
    sql = "SELECT openalex_id FROM missing_papers WHERE list_id = ? ORDER BY rank"
    return [work for (work,) in lake.execute(sql, [list_id]).fetchall()]


def test_the_apt_work_and_the_survey_are_missing_and_the_famous_one_is_last(lake):
    filled(lake)
    assert missing(lake, "all") == missing(lake)
    assert missing(lake)[:2] in ([APT, SURVEY], [SURVEY, APT])
    rows = lake.execute(
        "SELECT openalex_id, cited_by_listed, cites_listed, citing_paper_ids, cited_paper_ids, citation_count, "
        "first_missing_at FROM missing_papers WHERE list_id = 'l1' AND openalex_id <> ? ORDER BY openalex_id",
        [FAMOUS],
    ).fetchall()
    assert rows == [
        (APT, 4, 0, PAPERS[:4], None, 40, T0),
        (SURVEY, 0, 5, None, PAPERS[1:], 3, T0),
    ]


def test_a_work_that_many_papers_cite_stands_above_an_obscure_one_that_few_cite(lake):
    papers = [f"p{number:03}" for number in range(1, 301)]
    filled(
        lake,
        **listed_alone(papers),
        paper_references=[
            *references(FAMOUS, papers[:150]), *references(APT, papers[:77]), *references("W201", papers[90:99])
        ],
        outside_works=[
            outside_row(FAMOUS, citation_count=150_000),
            outside_row(APT, citation_count=5_000),
            outside_row("W201", citation_count=60),
        ],
    )  # fmt: skip
    assert missing(lake) == [APT, "W201"]


def test_forty_works_of_like_fame_that_are_all_missing_are_not_usual(lake):
    papers = [f"p{number:02}" for number in range(60)]
    works = [f"W{number}" for number in range(500, 540)]
    filled(
        lake,
        **listed_alone(papers),
        paper_references=[
            row for at, work in enumerate(works) for row in references(work, (papers * 2)[at : at + 8])
        ],
        outside_works=[outside_row(work, citation_count=100 + at) for at, work in enumerate(works)],
    )  # fmt: skip
    assert missing(lake) == works


@pytest.mark.slow
@pytest.mark.parametrize(
    "version",
    [{"title": "PAPER P5", "authors": ["Ada Lovelace", "Alan Turing"]}, {"doi": "10.5555/five"}],
    ids=["title and authors", "doi"],
)
def test_another_version_of_a_listed_paper_is_that_paper(lake, version):
    papers = harvest().papers
    papers[4]["authors"] = ["A. Lovelace", "A. Turing"]
    own = [*harvest().paper_identifiers, identifier_row("p5", "doi", "10.5555/five")]
    filled(lake, papers=papers, paper_identifiers=own, outside_works=[outside_row(APT, **version)])
    assert missing(lake) == []
    cited = "SELECT citing_paper_id FROM citations_within WHERE cited_paper_id = 'p5' ORDER BY ALL"
    assert lake.execute(cited).fetchall() == [(item,) for item in PAPERS[:4]]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(("told", "is_missing"), [({}, True), ({"s2_doi": "10.5555/apt"}, False)])
def test_a_doi_that_only_arxiv_tells_of_a_listed_paper_hides_no_other_work(lake, told, is_missing):
    listed = paper_row("p5", title="Paper five", doi="10.5555/apt", arxiv_doi="10.5555/apt", **told)
    papers = [*(paper_row(item) for item in PAPERS if item != "p5"), listed]
    outside = outside_row(APT, doi="10.5555/apt", citation_count=40, reference_count=30)
    filled(lake, papers=papers, outside_works=[outside])
    assert (APT in missing(lake)) is is_missing


def test_the_same_title_by_others_is_another_work(lake):
    papers = harvest().papers
    papers[4]["authors"] = ["Ada Lovelace", "Alan Turing"]
    filled(lake, papers=papers, outside_works=[outside_row(APT, title="Paper p5", authors=["Grace Hopper"])])
    assert lake.execute("SELECT version_of FROM outside_works").fetchall() == [(None,)]
    assert missing(lake) == [APT]


@pytest.mark.slow
def test_two_records_of_one_work_outside_are_counted_together(lake):
    people = {"title": "An Apt Work", "authors": ["Ada Lovelace", "Alan Turing"]}
    works = [outside_row(APT, **people), outside_row("W201", **people | {"citation_count": 1})]
    filled(lake, paper_references=[*references(APT, PAPERS[:2]), *references("W201", PAPERS[2:4])], outside_works=works)
    rows = lake.execute("SELECT openalex_id, cited_by_listed FROM missing_papers WHERE list_id = 'l1'").fetchall()
    assert rows == [(APT, 4)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("named", "title"),
    [("Wörk  W200!", "Work W200"), ("Maße & Ω-Netze", "MASSE"), ("Maße & Ω-Netze", "Maße and Ω-Netze")],
)
def test_what_a_list_names_by_title_alone_is_not_missing(lake, named, title):
    mentions = [*harvest().mentions, mention_row("m9", status="not_found", title=named, line=9)]
    counts = {"lists": 1, "mentions": 7, "resolved": 6, "not_found": 1, "papers": 6, "papers_new": 6}
    load(lake, harvest(mentions=mentions, outside_works=[outside_row(APT, title=title)]), run_row(**counts))
    assert missing(lake) == ([APT] if title == "MASSE" else [])


NET = {"title": "Networks of Residual Parts", "authors": ["Kai Heron", "Jan Suns"]}


def of_title(listed, work):
    """Returns a lake whose last paper and whose apt work are these."""
    papers = [*harvest().papers[:5], paper_row("p6", title_keys=["networksofresidualparts"], **listed)]
    return {"papers": papers, "outside_works": [outside_row(APT, citation_count=40, **work)]}


SECOND = {
    "papers": [
        *harvest().papers[:5],
        *(paper_row(item, title_keys=["networksofresidualparts"], **NET) for item in ("p6", "p9")),
    ],
    "paper_identifiers": [*harvest().paper_identifiers, identifier_row("p9", "openalex", APT)],
    "openalex_works": [*harvest().openalex_works, work_row("p9", openalex_id=APT, citation_count=40)],
    "outside_works": [],
}
BOTH_WAYS = {"paper_references": references(APT, PAPERS[:2]), "paper_citations": citations(APT, PAPERS[:2])}
TWO_LINKS = {"paper_references": references(APT, PAPERS[:2]), "paper_citations": citations(SURVEY, PAPERS[:2])}


@pytest.mark.slow
@pytest.mark.parametrize(
    "told",
    [
        pytest.param(TWO_LINKS, id="two links are too few"),
        pytest.param(BOTH_WAYS, id="two papers linked both ways are too few"),
        pytest.param({"outside_works": [outside_row(APT, retracted=True)]}, id="retracted"),
        pytest.param({"outside_works": [outside_row(SURVEY, status="no_paper")]}, id="no paper"),
        pytest.param(SECOND, id="a second paper of the lake that is a listed one"),
        pytest.param(of_title(NET, NET | {"authors": []}), id="a work without authors"),
        pytest.param(of_title(NET, NET | {"title": f"ResNet: {NET['title']}"}), id="a system's name before it"),
    ],
)
def test_what_is_linked_too_seldom_or_gone_or_named_already_is_not_missing(lake, told):
    filled(lake, **told)
    assert missing(lake) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "entry",
    [
        {"title": "The net", "doi": "10.5555/NET", "status": "not_found"},
        {"title": "ResNet: networks of residual parts", "status": "not_found"},
        {"title": "The net", "status": "ambiguous"},
    ],
    ids=["doi", "behind the name of a system", "one of its candidates"],
)
def test_what_an_entry_without_a_paper_names_is_not_missing(lake, entry):
    work = outside_row(APT, **NET, doi="10.5555/net", arxiv_id="1512.03385", citation_count=40)
    rows = {
        "mentions": [*harvest().mentions, mention_row("m9", line=9, **entry)],
        "candidates": [candidate_row("m9", title=NET["title"])] if entry["status"] == "ambiguous" else [],
        "outside_works": [work],
    }
    counts = {"lists": 1, "mentions": 7, "resolved": 6, "papers": 6, "papers_new": 6, entry["status"]: 1}
    load(lake, harvest(**rows), run_row(**counts))
    assert missing(lake) == []


@pytest.mark.slow
def test_a_paper_of_another_list_is_missing_from_this_one(lake):
    lists = [list_row(), list_row("l2")]
    mentions = [*harvest().mentions, mention_row("m9", list_id="l2", paper_id="p9", title=None)]
    filled(
        lake,
        reading_lists=lists,
        mentions=mentions,
        papers=[*harvest().papers, paper_row("p9")],
        paper_identifiers=[*harvest().paper_identifiers, identifier_row("p9", "openalex", APT)],
        openalex_works=[*harvest().openalex_works, work_row("p9", openalex_id=APT, citation_count=40)],
        outside_works=[],
    )
    rows = lake.execute("SELECT list_id, work, paper_id FROM missing_papers ORDER BY ALL").fetchall()
    assert rows == [("l1", "p9", "p9")]


@pytest.mark.slow
def test_since_when_a_work_is_missing_stays_while_new_ones_come(lake):
    filled(lake, outside_works=[outside_row(APT, citation_count=40)])
    load(lake, Harvest(outside_works=[outside_row(SURVEY, reference_count=50)]), run_row("r2", started_at=T0 + WEEK))
    rows = lake.execute("SELECT list_id, work, first_missing_at FROM missing_since ORDER BY ALL").fetchall()
    assert rows == [
        ("all", APT, T0),
        ("all", SURVEY, T0 + WEEK),
        ("l1", APT, T0),
        ("l1", SURVEY, T0 + WEEK),
    ]


@pytest.mark.slow
def test_a_work_that_becomes_a_paper_or_a_version_is_no_news(lake):
    twin = {"title": "An Apt Work", "authors": ["Ada Lovelace", "Alan Turing"]}
    filled(lake, outside_works=[outside_row(APT, citation_count=40, **twin), outside_row(SURVEY, reference_count=50)])
    news = Harvest(
        reading_lists=[list_row("l2")],
        mentions=[mention_row("m9", list_id="l2", paper_id="p9", title=None)],
        papers=[paper_row("p9", title="Survey Of It All")],
        paper_identifiers=[identifier_row("p9", "openalex", SURVEY)],
        openalex_works=[work_row("p9", openalex_id=SURVEY, citation_count=3)],
        outside_works=[outside_row("W201", citation_count=50, **twin)],
    )
    load(lake, news, run_row("r2", started_at=T0 + WEEK))
    rows = lake.execute(
        "SELECT work, first_missing_at FROM missing_papers WHERE list_id = 'l1' ORDER BY ALL"
    ).fetchall()
    assert rows == [("W201", T0), ("p9", T0)]


@pytest.mark.slow
def test_who_cites_whom_within_the_lists(lake):
    gone = {"p5": {"removed_at": T0}}
    mentions = [mention_row(f"m{item}", paper_id=item, title=None, **gone.get(item, {})) for item in PAPERS]
    mentions.append(mention_row("elsewhere", list_id="l2", paper_id="p1", title=None))
    lists = [list_row(), list_row("l2")]
    told = [citation_row("p3", "W4"), citation_row("p3", "W5")]
    filled(lake, reading_lists=lists, mentions=mentions, paper_citations=told)
    sql = "SELECT citing_paper_id, cited_paper_id, list_ids FROM citations_within ORDER BY ALL"
    rows = lake.execute(sql).fetchall()
    assert rows == [("p1", "p2", ["l1"]), ("p4", "p3", ["l1"])]


TOP = 10


def precision(world) -> float:
    top = missing_works(world, TOP)
    assert world.famous.isdisjoint(top)
    return sum(work in world.planted for work in top) / len(top)


def test_planted_works_are_found_and_the_famous_are_not():
    assert precision(make_world(SMALL, seed=7)) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("seed", [20, pytest.param(21, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", ["weak links", "half of the crowd is famous", "a short list", "a very short list"])
def test_ten_of_five_hundred_papers_miss_are_right(name, seed):
    assert precision(make_world(PLANS[name], seed)) >= 0.9


@pytest.mark.parametrize("seed", [14, pytest.param(16, marks=pytest.mark.nightly)])
def test_works_of_a_field_are_told_from_half_famous_ones(seed):
    assert precision(make_field(seed)) >= 0.9

"""What single panels are given: changes, growth, terms, links, findings, days of counting, venues, abstracts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from standins.trials.rows import (
    DAY,
    T0,
    WEEK,
    candidate_row,
    cited_row,
    count_row,
    finding_row,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    reference_row,
    run_row,
    version_row,
    work_row,
)
from warehouse.dashboard.columns import day
from warehouse.dashboard.facts import read_facts
from warehouse.dashboard.panel_facts import KINDS, folded_venues
from warehouse.loading.commit import Harvest, load

pytestmark = pytest.mark.slow


def named(*papers):
    return [mention_row(f"m-{paper}", paper_id=paper, line=line) for line, paper in enumerate(papers, 1)]


def facts_of(lake, *, terms="all", **rows):
    load(
        lake,
        Harvest(**{"reading_lists": [list_row("l1", title="Lists")], **rows}),
        run_row(started_at=T0, finished_at=T0),
    )
    return read_facts(lake, terms=terms)


# venues


def test_venues_are_folded_and_named_as_they_are_written_most():
    folded = folded_venues(["NeurIPS 2018", "NeurIPS 2019", "arXiv", "VLDB 2020"])
    assert folded == {"names": ["NeurIPS", "VLDB"], "of": [0, 0, -1, 1]}


# changes


def changes_of(facts):
    told = facts["changes"]
    rows = zip(told["kind"], told["paper"], told["text"], told["words"], told["counts"], strict=True)
    return [
        (KINDS[kind], facts["papers"]["id"][paper] if paper >= 0 else text, words, counts)
        for kind, paper, text, words, counts in rows
    ]


def test_of_one_refresh_nothing_is_said_to_have_changed(lake):
    facts = facts_of(lake, papers=[paper_row("p1")], mentions=named("p1"))
    assert facts["changes"]["since"] is None
    assert changes_of(facts) == []


def test_what_the_last_refresh_changed(lake):
    before, now = T0, T0 + WEEK
    gone = mention_row("gone", line=9, title="Gone", removed_at=now)
    load(
        lake,
        Harvest(
            reading_lists=[list_row("l1")],
            papers=[paper_row("old"), paper_row("rises")],
            mentions=[*named("old", "rises"), mention_row("gone", line=9, title="Gone")],
            citation_counts=[count_row("rises", before, 5), count_row("rises", before + DAY, 6)],
        ),
        run_row("first", started_at=before, finished_at=before + timedelta(minutes=2)),
    )
    load(
        lake,
        Harvest(
            reading_lists=[list_row("l2", title="Fresh", first_seen_at=now)],
            papers=[paper_row("new", first_seen_at=now)],
            mentions=[
                gone,
                mention_row("m-new", list_id="l2", line=1, paper_id="new", first_seen_at=now),
                mention_row("m-lost", line=7, title="Lost", first_seen_at=now),
            ],
            published_versions=[version_row("old", venue="SOSP", year=2026, first_seen_at=now)],
            citation_counts=[count_row("rises", now, 7), count_row("rises", now + DAY, 40)],
        ),
        run_row("second", started_at=now, finished_at=now + timedelta(minutes=2)),
    )
    facts = read_facts(lake)
    assert sorted(changes_of(facts), key=str) == sorted(
        [
            ("added", "new", None, None),
            ("added", "Lost", None, None),
            ("removed", "Gone", None, None),
            ("published", "old", "SOSP 2026", None),
            ("jumped", "rises", None, [33, 40]),
        ],
        key=str,
    )
    told = facts["changes"]
    assert (told["since"], told["until"]) == (day(before), day(now))
    assert [facts["lists"]["id"][number] for number in told["new_lists"]] == ["l2"]


# growth


def cohort(count, *, later, earlier, start=0):
    """Returns papers of one year and field with their citations by year, OpenAlex having told them in March 2026."""
    names = [f"c{start + number}" for number in range(count)]
    papers = [paper_row(name, year=2020, primary_category="cs.DB", categories=["cs.DB"]) for name in names]
    works = [work_row(name, citation_count=later + earlier) for name in names]
    cited = [cited_row(name, year, number) for name in names for year, number in ((2025, later), (2024, earlier))]
    return names, papers, works, cited


def growth_of(facts):
    told = facts["growth"]
    why = [told["why"]["values"][code] if code >= 0 else None for code in told["why"]["codes"]]
    numbers = zip(told["paper"], told["growth"], told["low"], told["high"], told["peers"], why, strict=True)
    return {facts["papers"]["id"][paper]: values for paper, *values in numbers}


def test_growth_is_told_against_papers_of_the_year_and_field_and_not_by_fame(lake):
    names, papers, works, cited = cohort(12, later=50, earlier=50)
    more = ("rises", "famous", "young", "alone", "few")
    years = {"young": 2025, "alone": 1990}
    papers += [
        paper_row(name, year=years.get(name, 2020), primary_category="cs.LG", categories=["cs.LG"]) for name in more
    ]
    papers = [paper | {"primary_category": "cs.DB", "categories": ["cs.DB"]} for paper in papers]
    works += [work_row(name, citation_count=1) for name in more]
    counts = {"rises": (90, 20), "famous": (5_000, 5_000), "young": (90, 2), "alone": (90, 20), "few": (3, 1)}
    cited += [
        cited_row(name, year, number)
        for name, pair in counts.items()
        for year, number in zip((2025, 2024), pair, strict=True)
    ]
    found = growth_of(
        facts_of(lake, papers=papers, mentions=named(*names, *more), openalex_works=works, citations_by_year=cited)
    )
    growth, low, high, peers, why = found["rises"]
    assert why is None
    assert low < growth < high
    assert low > 1
    assert peers == 14
    assert found["famous"][1] < 1
    assert [found[name][-1] for name in ("young", "alone", "few")] == ["new", "peers", "few"]
    assert found["young"][:3] == [None, None, None]


# terms


def test_terms_whose_share_moves_are_found_and_others_are_not(lake):
    papers = []
    for number in range(120):
        year = 2010 + number // 10
        rest = "lock stacks" if year < 2018 and number % 2 else "old things"
        term = "paxos heaps" if number % 10 < (year - 2010) * 0.6 else rest
        papers.append(paper_row(f"p{number}", year=year, title=f"On the {term} of thing{number} in systems {number}"))
    facts = facts_of(lake, papers=papers, mentions=named(*(paper["paper_id"] for paper in papers)))
    told = dict(zip(facts["terms"]["term"], facts["terms"]["papers"], strict=True))
    assert {"paxos heaps", "lock stacks"} <= set(told)
    assert not {term for term in told if {"on", "the", "of", "in", "systems"} & set(term.split())}
    ids = facts["papers"]["id"]
    having = {ids[paper] for paper in told["paxos heaps"]}
    assert having == {paper["paper_id"] for paper in papers if "paxos" in paper["title"]}


def test_abstracts_are_searched_for_terms_but_not_on_a_page_for_others(lake):
    papers = [
        paper_row(f"p{number}", year=2010 + number // 10, abstract="Quorum, here." if number % 9 == 0 else None,
                  title=f"Quorum thing{number}" if number >= 60 and number % 2 else f"Thing{number}")
        for number in range(120)
    ]  # fmt: skip
    rows = {"papers": papers, "mentions": named(*(paper["paper_id"] for paper in papers))}
    facts = facts_of(lake, **rows)
    told = dict(zip(facts["terms"]["term"], facts["terms"]["papers"], strict=True))
    assert facts["papers"]["id"].index("p0") in told["quorum"]
    assert facts["terms"]["abstracts"]
    assert not read_facts(lake, terms="cc0")["terms"]["abstracts"]


# links, findings, counting, abstracts


def test_links_lead_from_a_paper_to_those_it_cites(lake):
    facts = facts_of(
        lake,
        papers=[paper_row(name) for name in "abcd"],
        mentions=named("a", "b", "d"),
        openalex_works=[work_row("a"), work_row("b", openalex_id="W2")],
        paper_references=[
            reference_row("a", "W2", cited_paper_id="b"),
            reference_row("a", "W3", cited_paper_id="c"),
            reference_row("b", "W9"),
        ],
        paper_identifiers=[identifier_row("b", "openalex", "W2"), identifier_row("c", "openalex", "W3")],
    )
    ids = facts["papers"]["id"]
    links = zip(facts["links"]["paper"], facts["links"]["cites"], strict=True)
    assert [(ids[paper], [ids[one] for one in cites]) for paper, cites in links] == [("a", ["b"])]
    assert facts["links"]["left_out"] == 0
    assert [ids[paper] for paper in facts["links"]["untold"]] == ["d"]


def test_findings_and_candidates_stay_with_their_lines_and_off_a_page_for_others(lake):
    rows = {
        "papers": [paper_row("p1")],
        "mentions": [*named("p1"), mention_row("m2", line=4, status="ambiguous", title="Which?", reason="two of them")],
        "findings": [finding_row("m-p1", value="Title here", message="Its link names Xyzzy.")],
        "candidates": [candidate_row("m2", title="This one", year=2001, doi="10.1/x")],
    }
    facts = facts_of(lake, **rows)
    assert (facts["findings"]["line"], facts["findings"]["value"]) == ([1], ["Title here"])
    assert facts["findings"]["message"]["values"] == ["Its link names Xyzzy."]
    assert (facts["unresolved"]["id"], facts["unresolved"]["candidate"]) == (["m2"], [["This one", 2001, "doi:10.1/x"]])
    for_others = read_facts(lake, terms="cc0")
    assert for_others["findings"]["message"]["values"] == []
    assert for_others["unresolved"]["candidate"] == [None]


def test_days_of_counting_are_those_of_the_source_that_is_drawn(lake):
    counts = [
        count_row("p1", T0, 1),
        count_row("p2", T0, 1),
        count_row("p1", T0 + DAY, None),
        count_row("p1", T0 + WEEK, 2),
    ]
    counts.append(count_row("p1", T0 + 2 * WEEK, 9, source="openalex"))
    facts = facts_of(
        lake, papers=[paper_row("p1"), paper_row("p2")], mentions=named("p1", "p2"), citation_counts=counts
    )
    assert (facts["counting"]["days"], facts["counting"]["papers"]) == ([day(T0), day(T0 + WEEK)], [2, 1])
    assert read_facts(lake, terms="cc0")["counting"]["days"] == [day(T0 + 2 * WEEK)]


def test_abstracts_stay_off_a_page_for_others_and_off_one_of_too_many_papers(lake, monkeypatch):
    facts = facts_of(lake, papers=[paper_row("p1", abstract="Words.")], mentions=named("p1"))
    assert facts["abstracts"] == ["Words."]
    assert read_facts(lake, terms="cc0")["abstracts"] == []
    monkeypatch.setattr("warehouse.dashboard.panel_facts._MOST_ABSTRACTS", 0)
    assert read_facts(lake)["abstracts"] == []

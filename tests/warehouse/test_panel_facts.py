"""What single panels are given: changes, growth, terms, links, findings, days of counting, venues, abstracts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from standins.trials.rows import (
    T0,
    WEEK,
    candidate_row,
    finding_row,
    list_row,
    mention_row,
    paper_row,
    run_row,
)
from warehouse.dashboard.columns import day
from warehouse.dashboard.facts import read_facts
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


# changes


def test_a_list_that_the_last_refresh_read_first_is_told_of(lake):
    facts_of(lake, papers=[paper_row("p1")], mentions=named("p1"))
    now = T0 + WEEK
    fresh = mention_row("m2", list_id="l2", title="Lost", first_seen_at=now)
    second = Harvest(reading_lists=[list_row("l2", title="Fresh", first_seen_at=now)], mentions=[fresh])
    load(lake, second, run_row("second", started_at=now, finished_at=now + timedelta(minutes=2)))
    facts = read_facts(lake)
    told = facts["changes"]
    assert (told["since"], told["until"], told["text"]) == (day(T0), day(now), ["Lost"])
    assert [facts["lists"]["id"][number] for number in told["new_lists"]] == ["l2"]


# terms


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


def test_abstracts_stay_off_a_page_for_others_and_off_one_of_too_many_papers(lake, monkeypatch):
    facts = facts_of(lake, papers=[paper_row("p1", abstract="Words.")], mentions=named("p1"))
    assert facts["abstracts"] == ["Words."]
    assert read_facts(lake, terms="cc0")["abstracts"] == []
    monkeypatch.setattr("warehouse.dashboard.panel_facts._MOST_ABSTRACTS", 0)
    assert read_facts(lake)["abstracts"] == []

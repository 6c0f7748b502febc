from __future__ import annotations

import pytest

from sources.bibliography.identifiers import Identifier
from standins.trials.rows import (
    DAY,
    T0,
    count_row,
    harvest_row,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    run_row,
)
from warehouse.loading.commit import Harvest, load
from warehouse.papers.lake_papers import KnownPapers

ARXIV = Identifier("arxiv", "1706.03762")


@pytest.fixture
def known(lake):
    harvest = Harvest(
        reading_lists=[list_row("b", first_seen_at=T0 + DAY), list_row("a")],
        mentions=[
            mention_row("m1", list_id="a", removed_at=T0, paper_id="p1", method="identifier"),
            mention_row("m2", list_id="b"),
            mention_row("m3", list_id="b", paper_id="p4", method="review"),
        ],
        papers=[
            paper_row("p1", title="One: a long enough title", title_keys=["onealongenoughtitle", "alongenoughtitle"]),
            paper_row("p2", merged_into="p3", title_keys=["two"]),
            paper_row("p3", arxiv_id="1706.03762", merged_into="p1"),
            paper_row("p4", title_keys=["four"]),
            paper_row("p5", title_keys=["five"]),
        ],
        paper_identifiers=[identifier_row("p2"), identifier_row("p1", "doi", "1706.03762")],
        harvests=[harvest_row("p1", "s2"), harvest_row("p1", "arxiv")],
    )
    load(lake, harvest, run_row())
    return KnownPapers(lake)


def test_an_identifier_leads_to_the_paper_it_has_become(known):
    found = known.by_identifiers([ARXIV, Identifier("s2", "nobody"), Identifier("acl", "1706.03762")])
    assert {one: candidate.paper_id for one, candidate in found.items()} == {ARXIV: "p1"}
    assert found[ARXIV].source == "lake"


def test_a_paper_is_found_by_each_of_its_title_keys_and_a_merged_one_by_none(known):
    found = known.by_title_keys(["alongenoughtitle", "two", "nothing"])
    assert {key: [one.paper_id for one in papers] for key, papers in found.items()} == {"alongenoughtitle": ["p1"]}


def test_a_paper_that_only_a_person_named_or_nobody_any_more_is_found_by_no_title(known):
    assert known.by_title_keys(["four", "five"]) == {}


def test_papers_come_with_those_they_were_merged_into(known):
    assert {row["paper_id"] for row in known.papers(["p2"])} == {"p1", "p2", "p3"}
    assert known.papers(["nobody"]) == []


def test_rows_of_a_list_include_removed_mentions(known):
    assert [row["mention_id"] for row in known.mentions(["a"])] == ["m1"]
    assert {row["source"] for row in known.harvests(["p1"])} == {"s2", "arxiv"}
    assert known.lists([]) == []


def test_lists_are_named_in_the_order_in_which_they_came(known):
    assert [row["location"] for row in known.all_lists()] == ["/lists/a.md", "/lists/b.md"]


@pytest.mark.parametrize(
    ("counts", "days", "unmoved"),
    [
        pytest.param([7, 7, 7, 7, 7], 7, True, id="five the same over four weeks"),
        pytest.param([5, 7, 7, 7, 7, 7], 7, True, id="moved before that"),
        pytest.param([7, 7, 7, 7, 8], 7, False, id="moved at last"),
        pytest.param([7, 7, 7, 7, 7], 1, False, id="over five days only"),
        pytest.param([7, 7, 7, 7], 14, False, id="four counts only"),
        pytest.param([None] * 5, 7, False, id="never told"),
    ],
)
def test_a_count_that_has_long_stood_still(lake, counts, days, unmoved):
    observed = [count_row("p1", citation_count=n, observed_at=T0 + i * days * DAY) for i, n in enumerate(counts)]
    load(lake, Harvest(papers=[paper_row("p1")], citation_counts=observed), run_row())
    assert KnownPapers(lake).unmoved(["p1", "p2"], now=T0 + 3650 * DAY) == ({"p1"} if unmoved else set())


def test_a_count_of_a_clock_far_ahead_makes_nothing_stand_still(lake):
    moments = [T0, T0 + DAY, T0 + 2 * DAY, T0 + 3 * DAY, T0 + 3650 * DAY]
    observed = [count_row("p1", citation_count=7, observed_at=moment) for moment in moments]
    load(lake, Harvest(papers=[paper_row("p1")], citation_counts=observed), run_row())
    assert KnownPapers(lake).unmoved(["p1"], now=T0 + 4 * DAY) == set()

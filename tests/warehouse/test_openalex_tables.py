"""What OpenAlex tells of papers: written where it changed, linked, moved with merged papers, and shown as its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from standins.trials.rows import (
    T0,
    WEEK,
    author_row,
    cited_row,
    count_row,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    reference_row,
    run_row,
    work_row,
)
from warehouse.loading.commit import Harvest, load
from warehouse.maintenance.lake_check import row_checks

pytestmark = pytest.mark.both_backends


PAPERS = ("p1", "p2", "p3")


def work(paper_id, number, **told):
    return work_row(paper_id, openalex_id=f"W{number}", **told)


def year(paper_id, number, count, at=T0):
    return cited_row(paper_id, number, count, observed_at=at)


def reference(paper_id, number, at=T0):
    return reference_row(paper_id, f"W{number}", observed_at=at)


def author(paper_id, position, at=T0):
    return author_row(paper_id, position, observed_at=at)


@pytest.fixture
def told(lake):
    """A lake with three papers; the first two cite the third, of which nothing is told."""
    load(
        lake,
        Harvest(
            reading_lists=[list_row()],
            mentions=[mention_row(f"m{one}", paper_id=one) for one in PAPERS],
            papers=[paper_row(one) for one in PAPERS],
            paper_identifiers=[identifier_row(one, "openalex", f"W{one[1]}") for one in PAPERS],
            openalex_works=[work("p1", 1, citation_count=7), work("p2", 2, citation_count=5)],
            citations_by_year=[year("p1", 2024, 3), year("p1", 2025, 4), year("p2", 2025, 5)],
            paper_references=[reference("p1", 3), reference("p1", 99), reference("p2", 3)],
            paper_authors=[author("p1", 1), author("p1", 2), author("p2", 1)],
        ),
        run_row("r1", papers=3, papers_new=3, lists=1, mentions=3, resolved=3),
    )
    return lake


def ask(lake, sql):
    return lake.execute(sql).fetchall()


def test_years_that_are_told_no_more_go_and_those_of_other_papers_stay(told):
    later = T0 + WEEK
    again = Harvest(
        openalex_works=[work("p1", 1, refreshed_at=later)],
        citations_by_year=[year("p1", 2025, 1, later)],
    )
    load(told, again, run_row("r2", papers=3, finished_at=later))
    years = "SELECT paper_id, year, citation_count FROM citations_by_year ORDER BY ALL"
    assert ask(told, years) == [("p1", 2025, 1), ("p2", 2025, 5)]
    load(told, replace(again, citations_by_year=[]), run_row("r3", papers=3, finished_at=later + WEEK))
    assert ask(told, years) == [("p2", 2025, 5)]


def test_a_merged_paper_takes_nothing_from_one_of_which_something_is_told(told):
    load(told, Harvest(papers=[paper_row("p2", merged_into="p1")], merged={"p2": "p1"}), run_row("r2", papers=2))
    assert ask(told, "SELECT paper_id, openalex_id FROM openalex_works") == [("p1", "W1")]
    assert ask(told, "SELECT DISTINCT paper_id FROM citations_by_year") == [("p1",)]
    assert ask(told, "SELECT count(*) FROM paper_authors") == [(2,)]
    assert faults(told) == []


def test_a_merged_paper_brings_what_is_told_to_one_without(told):
    merged = {"p1": "p3", "p2": "p3"}
    gone = [paper_row(one, merged_into="p3") for one in merged]
    load(told, Harvest(papers=gone, merged=merged), run_row("r2", papers=1))
    assert ask(told, "SELECT paper_id, openalex_id FROM openalex_works") == [("p3", "W1")]
    assert ask(told, "SELECT paper_id, sum(citation_count) FROM citations_by_year GROUP BY ALL") == [("p3", 7)]
    assert ask(told, "SELECT paper_id, cited_paper_id FROM paper_references ORDER BY ALL") == [
        ("p3", "p3"),
        ("p3", None),
    ]
    assert faults(told) == []


def faults(lake):
    return [(item.name, found) for item in row_checks() if "openalex" in item.sql or item.table.startswith("paper_")
            if (found := lake.execute(item.sql).fetchall())]  # fmt: skip


def test_the_catalogue_says_whose_count_it_shows(told):
    load(
        told,
        Harvest(
            papers=[paper_row("p1", citation_count=11, counted_at=T0)],
            citation_counts=[count_row("p1", citation_count=11), count_row("p2", source="openalex", citation_count=5)],
        ),
        run_row("r2", papers=3, counts_written=2),
    )
    catalog = "SELECT paper_id, citation_count, count_source, openalex_citation_count FROM catalog ORDER BY ALL"
    assert ask(told, catalog) == [("p1", 11, "s2", 7), ("p2", 5, "openalex", 5), ("p3", None, None, None)]
    assert ask(told, "SELECT paper_id, citation_count FROM top_cited") == [("p1", 11)]
    assert ask(told, "SELECT papers, citations FROM trend_by_year WHERE papers > 0") == [(3, 11)]

"""Titles that no other source has, searched for at OpenAlex: what is asked, what is believed, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
import typer.testing

from flows.cli import app
from standins import StandIns
from standins.trials.bench import Bench

pytestmark = pytest.mark.slow

WITH_DOI: dict[str, Any] = {
    "doi": "10.5555/barges.1",
    "title": "Routing Barges Through Frozen Canals at Night",
    "authors": ["Carla Ender", "Dirk Fall"],
    "year": 2009,
    "citation_count": 50,
    "venue": "Workshop on Slow Networks",
}
WITHOUT: dict[str, Any] = {
    "s2_paper_id": "ab" * 20,
    "title": "A Bare Report on Watermills and Their Schedulers",
    "authors": ["Ella Gann", "Finn Hale"],
    "year": 2003,
}
KNOWN: dict[str, Any] = {
    "arxiv_id": "2401.00001",
    "title": "On the Robustness of Learned Lighthouses",
    "authors": ["Ann Ames", "Bob Ames"],
    "year": 2024,
}
UNWRITTEN = "What No Keeper of a Lighthouse Ever Wrote Down"
LIST = "\n".join(
    ["# Papers", ""]
    + [f"- [{KNOWN['title']}](https://arxiv.org/abs/{KNOWN['arxiv_id']})"]
    + [f"- {paper['title']} ({paper['year']})" for paper in (WITH_DOI, WITHOUT)]
    + [f"- {UNWRITTEN} (2012)", ""]
)
VERDICTS = (
    "SELECT m.title, m.status, m.method, m.reason, p.title AS paper, p.doi "
    "FROM mentions m LEFT JOIN papers p USING (paper_id)"
)


@pytest.fixture
def bench(openalex_bench: Bench, standins: StandIns) -> Bench:
    standins.add([WITH_DOI, WITHOUT, KNOWN])
    standins.leave_to_arxiv([WITH_DOI["doi"], WITHOUT["s2_paper_id"]])
    return openalex_bench


def verdicts(bench: Bench) -> dict[str, Any]:
    return {row["title"]: row for row in bench.rows(VERDICTS)}


@pytest.mark.nightly
def test_only_what_no_other_source_has_is_searched_for_once(bench, standins):
    run = bench.refresh(bench.write(LIST))
    assert (run.status, run.resolved, run.not_found) == ("completed", 3, 1)
    searched = [line for line in standins.requests("openalex") if line["endpoint"] == "search"]
    assert len(searched) == 1
    assert KNOWN["title"] not in searched[0]["params"]["filter"]
    found = verdicts(bench)
    assert [found[paper["title"]]["method"] for paper in (WITH_DOI, WITHOUT)] == 2 * ["title-search"]
    assert found[WITH_DOI["title"]]["doi"] == WITH_DOI["doi"]
    assert found[UNWRITTEN]["status"] == "not_found"
    schemes = "SELECT p.title, list_sort(list(i.scheme)) AS own FROM paper_identifiers i JOIN papers p USING (paper_id)"
    own = {row["title"]: row["own"] for row in bench.rows(f"{schemes} GROUP BY ALL")}
    assert (own[WITH_DOI["title"]], own[WITHOUT["title"]]) == (["doi", "openalex"], ["openalex"])
    counts = bench.rows(
        "SELECT title, c.citation_count FROM citation_counts c JOIN papers USING (paper_id) WHERE source = 'openalex'"
    )
    by_title = {row["title"]: row["citation_count"] for row in counts}
    assert by_title[WITH_DOI["title"]] == 40
    assert WITHOUT["title"] in by_title, "OpenAlex's own identifier leads to the counts of a paper without a DOI"
    before, sent = bench.contents(), len(standins.requests())
    assert bench.refresh(bench.write(LIST)).requests == {"arxiv": 0, "s2": 0, "openalex": 0}
    assert (bench.contents(), len(standins.requests())) == (before, sent)


@pytest.mark.nightly
def test_a_search_that_is_not_answered_leaves_the_title_to_the_next_run(bench, standins):
    standins.fault("openalex", "503", endpoint="search")
    run = bench.refresh(bench.write(LIST), tries=1)
    assert (run.status, run.resolved, run.not_found, run.failed) == ("completed_with_failures", 1, 0, 3)
    standins.clear_faults()
    run = bench.refresh(bench.write(LIST))
    assert (run.status, run.resolved, run.not_found) == ("completed", 3, 1)


def test_who_asks_openalex_for_nothing_searches_it_for_nothing(bench, standins):
    run = bench.refresh(bench.write(LIST), openalex=False)
    assert (run.status, run.resolved, run.not_found) == ("completed", 1, 3)
    assert not standins.requests("openalex")


@pytest.mark.parametrize(
    "entry",
    [
        f"{WITH_DOI['title'].replace('Frozen', 'Drained')} ({WITH_DOI['year']})",
        f"Mia Ode, Nils Pike. {WITHOUT['title']}. 1988.",
    ],
    ids=["another title", "a namesake of other people"],
)
def test_a_paper_of_another_title_or_of_other_people_is_not_the_one(bench, entry):
    run = bench.refresh(bench.write(f"# Papers\n\n- {entry}\n"))
    assert (run.resolved, run.ambiguous + run.not_found) == (0, 1)
    assert bench.rows("FROM papers") == []


def test_a_spent_allowance_fails_the_titles_and_nothing_else(bench, standins):
    standins.credits(0)
    run = bench.refresh(bench.write(LIST))
    assert (run.status, run.resolved, run.failed) == ("completed_with_failures", 1, 3)
    assert all("allowance" in row["reason"] for row in verdicts(bench).values() if row["status"] == "failed")


def test_a_paper_that_only_openalex_has_can_be_decided_on_by_its_doi(bench, standins, monkeypatch):
    monkeypatch.chdir(bench.folder)
    text = "\n".join(LIST.splitlines()[:4]).replace(WITH_DOI["title"], "Slow Boats and Their Cargo in the Cold")
    assert bench.refresh(path := bench.write(text)).resolved == 1
    decided = ["review", "set-id", "list.md:4", f"doi:{WITH_DOI['doi']}", "--lake", str(bench.place.folder)]
    assert typer.testing.CliRunner().invoke(app, decided).exit_code == 0
    assert bench.refresh(path).resolved == 2
    (row,) = [row for row in bench.rows(VERDICTS) if row["method"] == "review"]
    assert (row["method"], row["paper"], row["doi"]) == ("review", WITH_DOI["title"], WITH_DOI["doi"])

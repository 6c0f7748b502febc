"""What is to be known first: at most five findings, ranked, in the same words wherever they are told."""

from __future__ import annotations

from contextlib import closing

import pytest

from standins.trials.rows import (
    T0,
    WEEK,
    cited_row,
    fill,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    retraction_row,
    run_row,
    version_row,
    work_row,
)
from warehouse.dashboard.first_five import MOST, first_five, list_papers, taking_off
from warehouse.dashboard.panel_facts import beside_peers
from warehouse.lake.session import open_lake
from warehouse.query.changes import Jump, changes_in

NAMES = [f"p{number:02}" for number in range(40)]
PAPERS = [paper_row(name, title=f"About {name}", year=2020, primary_category="cs.DB") for name in NAMES]
NOW = T0 + WEEK


def named(names, at=T0):
    return [
        mention_row(f"m-{name}", paper_id=name, title=f"About {name}", line=line, first_seen_at=at)
        for line, name in enumerate(names, 1)
    ]


def load_first(place, *, later=()):
    """Loads forty papers of one year and field, of which those in `later` were cited so often in the last full year."""
    rows = {
        "reading_lists": [list_row(title="Queues")],
        "papers": PAPERS,
        "mentions": named(NAMES),
        "openalex_works": [work_row(name, openalex_id=f"W{name[1:]}", citation_count=60) for name in NAMES],
        "paper_identifiers": [identifier_row(name, "openalex", f"W{name[1:]}") for name in NAMES],
        "citations_by_year": [
            cited_row(name, year, dict(later).get(name, 30) if year == 2025 else 30)
            for name in NAMES
            for year in (2024, 2025)
        ],
    }
    fill(place, run_row("first", started_at=T0, finished_at=T0), **rows)


def told(place, since=None):
    with closing(open_lake(place)) as connection:
        list_papers(connection, terms="all")
        found = changes_in(connection, since, jump=Jump()) if since else None
        return [(finding.kind, finding.text) for finding in first_five(connection, found, since)]


def test_on_the_first_day_it_says_what_the_lists_are_about(place):
    load_first(place)
    assert told(place) == [
        ("about", "The lists name 40 papers, most in cs.DB (40)."),
        ("newest", "The newest paper: “About p00” (2020)."),
    ]


def test_what_matters_most_comes_first_and_five_are_told(place):
    load_first(place, later=[("p03", 300)])
    news = {
        "papers": [paper_row("new", title="New one", year=2026), PAPERS[5] | {"retracted": True}],
        "mentions": [
            *named(["new"], NOW),
            mention_row("lost", title="Who knows", status="not_found", first_seen_at=NOW),
            named(["p09"])[0] | {"removed_at": NOW},
        ],
        "retractions": [retraction_row("p05", first_seen_at=NOW)],
        "published_versions": [version_row("p07", venue="SOSP", year=2026, first_seen_at=NOW)],
    }
    fill(place, run_row("second", started_at=NOW, finished_at=NOW), **news)
    found = told(place, NOW)
    assert len(found) == MOST
    assert [kind for kind, _ in found] == ["retracted", "growing", "published", "added", "removed"]
    texts = [text for _, text in found]
    assert texts[0] == "Retracted: “About p05”."
    assert texts[1] == "Taking off: “About p03” (300 citations in 2025 after 30), of 39 judged beside their peers."
    assert texts[2] == "Published: “About p07”, as SOSP 2026."
    assert texts[3] == "Added: “New one” and “Who knows”."


def test_a_list_that_could_not_be_read_is_told_before_what_takes_off(place):
    load_first(place, later=[("p03", 300)])
    unread = list_row(title="Queues") | {"fault": "it is no text"}
    fill(place, run_row("second", started_at=NOW, finished_at=NOW), reading_lists=[unread])
    assert [kind for kind, _ in told(place, NOW)] == ["nothing", "unread", "growing"]


def test_nothing_new_is_a_finding(place):
    load_first(place)
    assert told(place, NOW) == [("nothing", f"Nothing new since {NOW.day} {NOW:%b %Y}.")]


@pytest.mark.parametrize(("count", "is_clear"), [(57, False), (300, True)])
def test_what_is_clear_alone_may_be_chance_among_many(place, count, is_clear):
    load_first(place, later=[("p03", count)])
    with closing(open_lake(place)) as connection:
        list_papers(connection, terms="all")
        judged, clear = taking_off(connection)
        rows = dict(zip(*[beside_peers(connection, "growth")[name] for name in ("paper_id", "low")], strict=True))
    assert judged == 40
    assert rows["p03"] > 1, "clear if it were the only one"
    assert [paper["paper_id"] for paper in clear] == ["p03"] * is_clear

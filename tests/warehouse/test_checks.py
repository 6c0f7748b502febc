"""Every check finds what it is for: a sound lake passes, and one broken by hand in one way fails by that name."""

from __future__ import annotations

import json

import pytest

from sources.errors import CheckFailed, SchemaMismatch
from standins.trials.rows import (
    T0,
    author_row,
    candidate_row,
    citation_row,
    cited_row,
    citing_harvest_row,
    count_row,
    finding_row,
    harvest_row,
    identifier_row,
    list_row,
    mention_row,
    outside_row,
    paper_row,
    reference_row,
    reply_row,
    retraction_row,
    run_row,
    version_row,
    work_row,
)
from warehouse.lake.session import latest_snapshot, writing
from warehouse.loading.checks import CHECKS, check
from warehouse.loading.commit import Harvest, load
from warehouse.tables import declarations as tables

pytestmark = pytest.mark.slow

NAMES = [table.name for table in tables.TABLES]


def sound(**told) -> Harvest:
    return Harvest(
        **{
            "reading_lists": [list_row()],
            "mentions": [mention_row("m1", paper_id="p1"), mention_row("m2", line=2, status="not_found")],
            "weighed": ["m1", "m2"],
            "candidates": [candidate_row("m1"), candidate_row("m2")],
            "findings": [finding_row("m2")],
            "papers": [paper_row("p1"), paper_row("p2", merged_into="p1")],
            "paper_identifiers": [identifier_row("p1")],
            "citation_counts": [count_row("p1")],
            "harvests": [harvest_row("p1")],
            "replies": [reply_row()],
            "retractions": [retraction_row("p1")],
            "published_versions": [version_row("p1")],
            "openalex_works": [work_row("p1")],
            "citations_by_year": [cited_row("p1")],
            "paper_references": [reference_row("p1", cited_paper_id="p2")],
            "paper_authors": [author_row("p1")],
            "paper_citations": [citation_row("p1")],
            "citing_harvests": [citing_harvest_row("p1")],
            "outside_works": [outside_row()],
        }
        | told
    )


RUN = run_row(mentions=2, resolved=1, not_found=1, lists=1, papers=1, papers_new=1)


@pytest.fixture
def filled(lake):
    load(lake, sound(), RUN)
    lake.execute("INSERT INTO missing_since VALUES ('l1', 'W9', now())")
    return lake


@pytest.fixture(scope="module")
def _unharmed(backend, _new_lake, tmp_path_factory):
    with writing(backend.copy(_new_lake, tmp_path_factory.mktemp("unharmed") / "lake")) as connection:
        load(connection, sound(), RUN)
        connection.execute("INSERT INTO missing_since VALUES ('l1', 'W9', now())")
        yield connection


@pytest.fixture
def harmed(_unharmed):
    """The connection to a lake with rows, all of whose changes are undone behind the test; it must not commit."""
    _unharmed.execute("BEGIN")
    yield _unharmed
    _unharmed.execute("ROLLBACK")


def test_a_sound_lake_passes_every_check(filled):
    check(filled, NAMES)


@pytest.mark.parametrize("table", tables.TABLES, ids=lambda table: table.name)
def test_two_rows_with_one_key_are_found_in_every_table(harmed, table):
    harmed.execute(f'INSERT INTO "{table.name}" SELECT * FROM "{table.name}" LIMIT 1')
    with pytest.raises(CheckFailed) as error:
        check(harmed, NAMES)
    assert (error.value.table, error.value.check) == (table.name, f"{table.name}: one row a key")
    assert error.value.sample


ORPHANS = [
    ("mentions", "list_id", "reading_lists"),
    *((name, "mention_id", "mentions") for name in ("candidates", "findings")),
    *((table.name, "paper_id", "papers") for table in tables.TABLES if "paper_id" in table.names),
    ("paper_references", "cited_paper_id", "papers"),
    ("paper_citations", "citing_paper_id", "papers"),
    ("papers", "merged_into", "papers"),
]
ORPHANS.remove(("papers", "paper_id", "papers"))
BROKEN = {
    **{
        f"{name}.{column} is in {other}": f"UPDATE {name} SET {column} = 'gone' "
        f"WHERE {column} IS NOT DISTINCT FROM (SELECT min({column}) FROM {name})"
        for name, column, other in ORPHANS
    },
    "a mention has a paper exactly when it is resolved": "UPDATE mentions SET status = 'failed' WHERE paper_id = 'p1'",
    "status is one of the four": "UPDATE mentions SET status = 'lost' WHERE mention_id = 'm2'",
    "mentions = resolved + ambiguous + not_found + failed": "UPDATE runs SET mentions = 3",
    "no count is negative": "UPDATE citation_counts SET reference_count = -1",
    "no count of a year is negative": "UPDATE citations_by_year SET citation_count = -1",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_lake_broken_in_one_way_fails_by_that_name(harmed, name):
    harmed.execute(BROKEN[name])
    with pytest.raises(CheckFailed) as error:
        check(harmed, NAMES)
    assert error.value.check == name
    assert "for example" in str(error.value)


def test_a_resolved_mention_without_a_paper_fails_too(harmed):
    harmed.execute("UPDATE mentions SET status = 'resolved' WHERE mention_id = 'm2'")
    with pytest.raises(CheckFailed, match="exactly when it is resolved"):
        check(harmed, NAMES)


def test_every_check_is_tried_here():
    assert {one.name for one in CHECKS} == set(BROKEN) | {f"{name}: one row a key" for name in NAMES}


# a run is one snapshot, or nothing


def counted(lake):
    return {name: lake.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in NAMES}


def test_a_run_is_one_snapshot_that_carries_its_id_and_figures(lake):
    before = latest_snapshot(lake)
    snapshot = load(lake, sound(), RUN)
    assert snapshot == latest_snapshot(lake) == before + 1
    message, extra = lake.execute(
        "SELECT commit_message, commit_extra_info FROM lake.snapshots() WHERE snapshot_id = ?", [snapshot]
    ).fetchone()
    assert message == "refresh r1"
    assert {name: json.loads(extra)[name] for name in ("run_id", "mentions", "resolved", "counts_written")} == {
        "run_id": "r1",
        "mentions": 2,
        "resolved": 1,
        "counts_written": 0,
    }


@pytest.mark.parametrize(
    ("harvest", "error"),
    [
        pytest.param(sound(mentions=[mention_row("m3", paper_id="gone")]), CheckFailed, id="no-such-paper"),
        pytest.param(sound(papers=[paper_row("p9"), paper_row("p9")]), CheckFailed, id="key-twice"),
        pytest.param(sound(replies=[reply_row(body="text")]), SchemaMismatch, id="wrong-type-in-the-last-table"),
    ],
)
def test_a_run_that_is_not_sound_leaves_the_lake_as_it_was(lake, harvest, error):
    before, rows = latest_snapshot(lake), counted(lake)
    with pytest.raises(error):
        load(lake, harvest, RUN)
    assert latest_snapshot(lake) == before
    assert counted(lake) == rows
    assert load(lake, sound(), RUN) == before + 1, "the connection is as good as before"


def test_a_run_is_checked_where_it_touches_the_lake_and_a_whole_check_sees_the_rest(filled):
    filled.execute("UPDATE citation_counts SET reference_count = -1")
    elsewhere = Harvest(citation_counts=[count_row("p2"), count_row("p1", T0.replace(year=2027))])
    load(filled, elsewhere, RUN | {"run_id": "r2"})
    with pytest.raises(CheckFailed, match="negative"):
        load(
            filled,
            Harvest(citation_counts=[count_row("p2", T0.replace(year=2028), reference_count=-1)]),
            RUN | {"run_id": "r3"},
        )
    with pytest.raises(CheckFailed, match="negative"):
        check(filled, NAMES)


def test_what_was_weighed_again_loses_its_old_candidates_and_findings(filled):
    load(filled, Harvest(weighed=["m2"], candidates=[candidate_row("m2", title="New")]), RUN | {"run_id": "r2"})
    assert filled.execute("SELECT mention_id, title FROM candidates ORDER BY 1").fetchall() == [
        ("m1", "Q"),
        ("m2", "New"),
    ]
    assert filled.execute("SELECT count(*) FROM findings").fetchone() == (0,)


def test_merged_papers_lead_in_one_step_to_the_one_that_is_left(filled):
    winner = paper_row("p3")
    merged = paper_row("p1", merged_into="p3")
    load(filled, Harvest(papers=[winner, merged], merged={"p1": "p3"}), RUN | {"run_id": "r2", "started_at": T0})
    assert filled.execute("SELECT paper_id, merged_into FROM papers ORDER BY 1").fetchall() == [
        ("p1", "p3"),
        ("p2", "p3"),
        ("p3", None),
    ]
    assert filled.execute("SELECT paper_id FROM mentions WHERE mention_id = 'm1'").fetchone() == ("p3",)

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from standins.trials.rows import identifier_row, list_row, mention_row, paper_row, version_row
from warehouse.lake import migrations
from warehouse.lake.migrations import Migration, applied, migrate, pending, view_files
from warehouse.lake.session import latest_snapshot, open_lake, writing
from warehouse.loading.checks import check
from warehouse.loading.load import append, upsert
from warehouse.tables import declarations as tables

pytestmark = pytest.mark.both_backends


@pytest.fixture
def older(place):
    """A lake of the version before: other views, and one step not yet taken."""
    with writing(place) as connection:
        append(connection, tables.PAPERS, [paper_row("p1")])
        connection.execute("DELETE FROM schema_migrations WHERE name LIKE 'views-%'")
        connection.execute("INSERT INTO schema_migrations VALUES ('views-of-old', now())")
        connection.execute("CREATE OR REPLACE VIEW coverage AS SELECT 'old' AS list")
    return place


def test_a_new_lake_has_taken_every_step_in_order(new_lake):
    assert pending(new_lake) == ()
    recorded = new_lake.execute("SELECT name FROM schema_migrations ORDER BY applied_at, name").fetchall()
    names = [name for (name,) in recorded]
    assert names[: len(migrations.MIGRATIONS)] == [step.name for step in migrations.MIGRATIONS]
    assert names[-1].startswith("views-")


def test_step_names_are_numbered_and_never_twice():
    names = [step.name for step in migrations.MIGRATIONS]
    assert names == sorted(set(names))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


def test_looking_at_what_is_pending_changes_nothing(older):
    connection = open_lake(older)
    before = latest_snapshot(connection)
    assert [step.name for step in pending(connection)] == [migrations._views_name()]
    assert "views-of-old" in applied(connection)
    assert latest_snapshot(connection) == before
    connection.close()


def test_the_first_writer_brings_an_older_lake_up_to_date_in_one_snapshot_and_keeps_its_rows(older):
    connection = open_lake(older)
    before = latest_snapshot(connection)
    connection.close()
    with writing(older) as connection:
        assert latest_snapshot(connection) == before + 1
        assert pending(connection) == ()
        assert migrate(connection) == ()
        assert "percent_resolved" in connection.execute("SELECT * FROM coverage").to_arrow_table().column_names
        assert connection.execute("SELECT paper_id FROM papers").fetchall() == [("p1",)]


def test_steps_that_fail_leave_the_lake_as_it_was(older, monkeypatch):
    def half_done(connection):
        connection.execute("ALTER TABLE papers ADD COLUMN shelf VARCHAR")
        raise ZeroDivisionError

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, Migration("0002-shelf", half_done)))
    with pytest.raises(ZeroDivisionError), writing(older):
        pass
    connection = open_lake(older)
    assert "0002-shelf" not in applied(connection)
    assert "shelf" not in connection.execute("SELECT * FROM papers").to_arrow_table().column_names
    assert connection.execute("SELECT list FROM coverage").fetchall() == [("old",)]
    connection.close()


def test_a_step_is_taken_once_and_recorded(older, monkeypatch):
    def add_shelf(connection):
        connection.execute("ALTER TABLE papers ADD COLUMN shelf VARCHAR")

    step = Migration(f"{len(migrations.MIGRATIONS) + 1:04}-shelf", add_shelf)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, step))
    for _ in range(2):
        with writing(older) as connection:
            assert step.name in applied(connection)
            assert connection.execute("SELECT paper_id, shelf FROM papers").fetchall() == [("p1", None)]


EARLIER = Path(__file__).parents[1] / "fixtures" / "lakes"
"""The tables of each earlier version, as that version wrote them down."""


def _as_it_was(version, connection):
    text = (EARLIER / f"{version}.sql").read_text(encoding="utf-8")
    connection.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    for statement in text.split(";\n"):
        connection.execute(statement)


@pytest.fixture(params=sorted(path.stem for path in EARLIER.glob("*.sql")))
def earlier(request, backend, tmp_path, monkeypatch):
    """A lake that an earlier version made and filled."""
    taken = [step for step in migrations.MIGRATIONS if step.name[:4] <= request.param]
    made = Migration(taken[0].name, partial(_as_it_was, request.param))
    place = backend.new(tmp_path / "earlier")
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", (made, *(Migration(step.name, lambda _: None) for step in taken[1:])))
        patch.setattr(migrations, "view_files", lambda: ())
        with writing(place) as connection:
            rows = {"papers": paper_row("p1"), "mentions": mention_row(paper_id="p1"), "reading_lists": list_row()}
            for name, row in rows.items():
                there = connection.execute(f"FROM {name} LIMIT 0").to_arrow_table().column_names
                told = {column: value for column, value in row.items() if column in there}
                holders = ", ".join("?" for _ in told)
                columns = ", ".join(told)
                connection.execute(f"INSERT INTO {name} ({columns}) VALUES ({holders})", list(told.values()))
    return place


def test_a_lake_of_an_earlier_version_keeps_its_rows_and_gains_what_is_new(earlier, new_lake):
    connection = open_lake(earlier)
    assert connection.execute("SELECT title FROM papers").fetchall() == [("Title of p1",)]
    assert pending(connection)
    connection.close()
    with writing(earlier) as connection:
        assert pending(connection) == ()
        for table in tables.TABLES:
            found = connection.execute(f'SELECT * FROM "{table.name}" LIMIT 0').to_arrow_table().schema
            assert sorted(found.names) == sorted(table.names)
            for name in found.names:
                assert found.field(name).type.equals(table.arrow().field(name).type), (table.name, name)
        assert connection.execute("SELECT paper_id, title FROM papers").fetchall() == [("p1", "Title of p1")]
        assert connection.execute("SELECT mentions FROM coverage").fetchall() == [(1,)]
        check(connection, [table.name for table in tables.TABLES])
        assert upsert(connection, tables.PAPERS, [paper_row("p1", year=2001), paper_row("p2")]) == 2


def test_views_come_in_the_order_of_their_numbers(new_lake):
    names = [name for name, _ in view_files()]
    assert names.index("catalog") < names.index("top_cited")
    assert len(set(names)) == len(names)


def test_a_lake_whose_observations_lead_to_no_reply_gets_the_columns_empty(place):
    with writing(place) as connection:
        for table in ("citation_counts", "harvests"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN reply_sha256")
        connection.execute("INSERT INTO citation_counts VALUES ('p1', 's2', now(), 1, 1, 1)")
        connection.execute("DELETE FROM schema_migrations WHERE name = '0005-reply-links'")
    with writing(place) as connection:
        assert connection.execute("SELECT reply_sha256 FROM citation_counts").fetchall() == [(None,)]
        rows = connection.execute("SELECT * FROM citation_counts").to_arrow_table()
        assert tuple(rows.column_names) == tables.CITATION_COUNTS.names
        assert connection.execute("SELECT count(reply_sha256) FROM harvests").fetchall() == [(0,)]


def test_of_dois_and_venues_from_before_it_is_known_who_may_have_told_them(place):
    by_s2, by_arxiv = {"s2_paper_id": "a" * 40}, {"arxiv_id": "1706.03762", "categories": ["cs.CL"]}
    papers = {"arxiv": by_arxiv, "s2": by_s2, "both": by_s2 | by_arxiv, "other": by_s2 | by_arxiv, "dblp": {}}
    with writing(place) as connection:
        for name, told in papers.items():
            append(connection, tables.PAPERS, [paper_row(name, doi=f"10.1000/{name}", venue=f"V {name}", **told)])
            append(connection, tables.PAPER_IDENTIFIERS, [identifier_row(name, "doi", f"10.1000/{name}")])
        own = {"source": "arxiv", "record": "1706.03762"}
        versions = [version_row("both", doi="10.1000/both", venue="V both", **own),
                    version_row("other", doi="10.1000/9", **own)]  # fmt: skip
        append(connection, tables.PUBLISHED_VERSIONS, versions)
        for column in [name for name in tables.PAPERS.names if name.split("_")[-1] in ("doi", "venue") and "_" in name]:
            connection.execute(f"ALTER TABLE papers DROP COLUMN {column}")
        connection.execute("DELETE FROM schema_migrations WHERE name = '0012-tellers'")
    with writing(place) as connection:
        found = connection.execute("SELECT paper_id, s2_doi, arxiv_doi, s2_venue, arxiv_venue FROM papers").fetchall()
        assert {name: told for name, *told in found} == {
            "arxiv": [None, "10.1000/arxiv", None, "V arxiv"],
            "s2": ["10.1000/s2", None, "V s2", None],
            "both": [None, "10.1000/both", None, "V both"],
            "other": ["10.1000/other", "10.1000/9", "V other", None],
            "dblp": [None, None, None, None],
        }
        kept = connection.execute("SELECT paper_id FROM paper_identifiers ORDER BY ALL").fetchall()
        assert kept == [("dblp",), ("other",), ("s2",)]
        assert connection.execute("SELECT count(*) FROM papers WHERE doi = '10.1000/' || paper_id").fetchone() == (5,)

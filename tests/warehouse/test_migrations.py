from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from standins.trials.rows import paper_row
from warehouse.lake import migrations
from warehouse.lake.migrations import Migration, applied, migrate, pending
from warehouse.lake.session import latest_snapshot, open_lake, writing
from warehouse.loading.load import append
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
        connection.execute("DROP VIEW list_names")
    return place


def test_a_new_lake_has_taken_every_step_in_order(new_lake):
    assert pending(new_lake) == ()
    recorded = new_lake.execute("SELECT name FROM schema_migrations ORDER BY applied_at, name").fetchall()
    names = [name for (name,) in recorded]
    assert names[: len(migrations.MIGRATIONS)] == [step.name for step in migrations.MIGRATIONS]
    assert names[-1].startswith("views-")


def test_a_reader_of_an_older_lake_sees_the_views_of_today_and_changes_nothing(older):
    for as_of in (None, datetime.now(UTC) + timedelta(seconds=1)):
        with closing(open_lake(older, as_of=as_of)) as connection:
            assert "percent_resolved" in connection.execute("SELECT * FROM coverage").to_arrow_table().column_names
            assert connection.execute("SELECT list FROM list_names").fetchall() == []
            assert connection.execute("FROM rising_since(now() - INTERVAL 7 DAYS)").fetchall() == []
            assert "views-of-old" in applied(connection)


def test_the_first_writer_brings_an_older_lake_up_to_date_in_one_snapshot_and_keeps_its_rows(older):
    with closing(open_lake(older)) as connection:
        before = latest_snapshot(connection)
    with writing(older) as connection:
        assert latest_snapshot(connection) == before + 1
        assert pending(connection) == ()
        migrate(connection)
        assert latest_snapshot(connection) == before + 1
        assert "percent_resolved" in connection.execute("SELECT * FROM coverage").to_arrow_table().column_names
        assert connection.execute("SELECT paper_id FROM papers").fetchall() == [("p1",)]


def test_steps_that_fail_leave_the_lake_as_it_was(older, monkeypatch):
    def half_done(connection):
        connection.execute("ALTER TABLE papers ADD COLUMN shelf VARCHAR")
        raise ZeroDivisionError

    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, Migration("0002-shelf", half_done)))
    with pytest.raises(ZeroDivisionError), writing(older):
        pass
    with closing(open_lake(older)) as connection:
        assert "0002-shelf" not in applied(connection)
        assert "shelf" not in connection.execute("SELECT * FROM papers").to_arrow_table().column_names
        assert connection.execute("SELECT list FROM lake.coverage").fetchall() == [("old",)]


def test_a_step_is_taken_once_and_recorded(older, monkeypatch):
    def add_shelf(connection):
        connection.execute("ALTER TABLE papers ADD COLUMN shelf VARCHAR")

    step = Migration(f"{len(migrations.MIGRATIONS) + 1:04}-shelf", add_shelf)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, step))
    for _ in range(2):
        with writing(older) as connection:
            assert step.name in applied(connection)
            assert connection.execute("SELECT paper_id, shelf FROM papers").fetchall() == [("p1", None)]

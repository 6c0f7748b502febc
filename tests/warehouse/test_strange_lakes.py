"""A lake that came from elsewhere leads nowhere but to its own data: it is refused before anything of it is read."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from sources.errors import WarehouseError
from standins.trials.rows import paper_row
from tests.backends import Local
from warehouse.lake.place import LakePlace
from warehouse.lake.session import adopt, open_damaged, open_lake, writing
from warehouse.loading.load import append
from warehouse.maintenance.compact import compact
from warehouse.maintenance.lake_check import check_lake
from warehouse.query.read_only import run_query
from warehouse.tables import declarations as tables

UUID = "01a20bac-11b6-78e6-adee-36441c11b4ad"


@pytest.fixture(scope="module")
def _made(tmp_path_factory) -> LakePlace:
    place = LakePlace.of(tmp_path_factory.mktemp("made") / "lake")
    for number in range(2):
        with writing(place) as connection:
            append(connection, tables.PAPERS, [paper_row(f"p{number}")])
            connection.execute("DELETE FROM papers WHERE paper_id = 'p9'")
    return place


@pytest.fixture
def place(tmp_path, _made) -> LakePlace:
    """A lake of two writers' sessions."""
    return Local().copy(_made, tmp_path / "lake")


@pytest.fixture
def secret(tmp_path) -> Path:
    """A file that is nobody's business."""
    file = tmp_path / "secret.txt"
    file.write_text("the user's own words")
    with closing(sqlite3.connect(tmp_path / "secret.sqlite")) as other:
        other.execute("CREATE TABLE words (word)")
        other.execute("INSERT INTO words VALUES ('the user''s own words')")
        other.commit()
    duckdb.sql("SELECT 'the user''s own words' AS word").write_parquet(str(tmp_path / "secret.parquet"))
    return file


def change(place: LakePlace, *statements: str) -> None:
    with closing(sqlite3.connect(place.catalog_file)) as catalogue:
        for statement in statements:
            catalogue.executescript(statement)
        catalogue.commit()


def view(name: str, sql: str) -> str:
    text = sql.replace("'", "''")
    return (
        "INSERT INTO ducklake_view SELECT 900, 'e718ef84-cfe6-44ea-87d4-cf9d0b4d2be9', 1, NULL, 0, "
        f"'{name}', 'duckdb', '{text}', ''"
    )


def macro(name: str, sql: str) -> str:
    text = sql.replace("'", "''")
    return (
        f"INSERT INTO ducklake_macro VALUES (0, 900, '{name}', 1, NULL);"
        f"INSERT INTO ducklake_macro_impl VALUES (900, 0, 'duckdb', '{text}', 'table')"
    )


def table_is_view(sql: str) -> str:
    return "UPDATE ducklake_table SET end_snapshot = 1 WHERE table_name = 'retractions';" + view("retractions", sql)


STRANGE = {
    "a table that is a view of a file": table_is_view("SELECT content AS paper_id FROM read_text('{file}')"),
    "a table that is a view": table_is_view("SELECT * FROM papers"),
    "a view of a file by its function": view("mine", "SELECT content FROM read_text('{file}')"),
    "a view of a file by its name": view("mine", "SELECT * FROM '{folder}/secret.parquet'"),
    "a view of a file in a common table": view("mine", "WITH w AS (SELECT * FROM read_blob('{file}')) SELECT * FROM w"),
    "a view of the catalogue": view("mine", "SELECT * FROM __ducklake_metadata_lake.main.ducklake_table"),
    "a view that runs SQL": view("mine", "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')"),
    "a view of a setting": view("mine", "SELECT current_setting('home_directory') AS a"),
    "one of our views, changed": "UPDATE ducklake_view SET sql = 'SELECT * FROM read_text(''{file}'')' "
    "WHERE view_name = 'catalog'",
    "a view of an earlier snapshot": view("mine", "SELECT * FROM read_text('{file}')").replace("NULL", "2"),
    "a macro that gives a file": macro("mine", "SELECT content FROM read_text('{file}')"),
    "one of our macros, changed": "UPDATE ducklake_macro_impl SET sql = 'SELECT * FROM read_text(''{file}'')'",
    "a table that is a view in capitals": table_is_view("FROM papers").replace("'retractions', '", "'RETRACTIONS', '"),
    "a macro of an engine's function that is gone": macro("read_text", "SELECT 1").replace("NULL", "1") + ";"
    + view("mine", "SELECT * FROM read_text('{file}')"),
    "a view without SQL": view("mine", "").replace("'duckdb', ''", "'duckdb', NULL"),
    "a macro of rows": macro("lower", "(SELECT content FROM read_text('{file}'))").replace("'table'", "'scalar'"),
    "a data file at a path of its own": "UPDATE ducklake_data_file SET path = '{folder}/secret.parquet', "
    "path_is_relative = 0",
    "a data file named like one of the lake's, above": "UPDATE ducklake_data_file "
    f"SET path = '../ducklake-{UUID}.parquet'",
    "a data file of a store": f"UPDATE ducklake_data_file SET path = 's3://b/ducklake-{UUID}.parquet', "
    "path_is_relative = 0",
    "deleted rows elsewhere": "INSERT INTO ducklake_delete_file VALUES (1, 1, 1, NULL, 1, "
    "'{folder}/secret.parquet', 0, 'parquet', 1, 1, 1, NULL, NULL)",
    "a table elsewhere": "UPDATE ducklake_table SET path = '{folder}/', path_is_relative = 0",
    "a schema elsewhere": "UPDATE ducklake_schema SET path = '{folder}/', path_is_relative = 0",
    "a deletion above": "INSERT INTO ducklake_files_scheduled_for_deletion VALUES (99, '../../secret.txt', 1, "
    "'2020-01-01 00:00:00+00')",
    "a deletion of what is not DuckLake's": "INSERT INTO ducklake_files_scheduled_for_deletion VALUES (99, "
    "'paperlake-owner.json', 1, '2020-01-01 00:00:00+00')",
    "a deletion of nobody knows what": "INSERT INTO ducklake_files_scheduled_for_deletion VALUES (99, "
    "'../../secret.txt', NULL, '2020-01-01 00:00:00+00')",
    "rows in a table of the catalogue": "INSERT INTO ducklake_inlined_data_tables VALUES (1, 'ducklake_metadata', 1)",
    "a default that is computed": "UPDATE ducklake_column SET default_value = 'mine()', "
    "default_value_type = 'expression'",
    "a view of SQLite": "ALTER TABLE ducklake_view RENAME TO hidden;"
    "CREATE VIEW ducklake_view AS SELECT * FROM hidden WHERE random() > 0",
    "a trigger of SQLite": "CREATE TRIGGER mine AFTER INSERT ON ducklake_snapshot BEGIN INSERT INTO "
    "ducklake_files_scheduled_for_deletion VALUES (99, '{file}', 0, '2020-01-01 00:00:00+00'); END",
}  # fmt: skip


def fill(place: LakePlace, secret: Path, name: str) -> None:
    change(place, STRANGE[name].replace("{file}", str(secret)).replace("{folder}", str(secret.parent)))


REFUSAL = r"is not as paperlake makes one: .*; nothing of it was read"


@pytest.mark.parametrize("name", STRANGE)
def test_a_lake_that_leads_out_of_itself_is_refused_and_nothing_is_deleted(place, secret, name):
    fill(place, secret, name)
    before = Local().contents(place)
    with pytest.raises(WarehouseError, match=REFUSAL) as refusal:
        open_lake(place)
    assert "own words" not in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert secret.exists()
    assert Local().contents(place) == before


def write(place):
    with writing(place):
        pass


@pytest.mark.parametrize("use", [open_damaged, adopt, write, lambda lake: run_query(lake, "SELECT * FROM papers")])
def test_whatever_opens_such_a_lake_refuses_it(place, secret, use):
    fill(place, secret, "a view of a file by its function")
    before = Local().contents(place)
    with pytest.raises(WarehouseError, match=REFUSAL):
        use(place)
    (fault,) = check_lake(place).faults
    assert "is not as paperlake makes one" in fault.what
    assert Local().contents(place) == before


@pytest.mark.parametrize("data", ["http://a.example/lake/", "s3://another/lake/", "postgres://a.example/"])
def test_a_catalogue_whose_data_are_on_a_server_that_nobody_named_is_refused(place, data):
    shutil.rmtree(place.data)
    change(place, f"UPDATE ducklake_metadata SET value = '{data}' WHERE key = 'data_path'")
    with pytest.raises(WarehouseError, match=f"its data are said to be in {data}"):
        open_lake(place)


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_link_among_the_data_is_refused(place, tmp_path, is_folder):
    file = next(Path(place.data).glob("main/papers/*.parquet"))
    found = file.parent if is_folder else file
    found.rename(tmp_path / "moved")
    found.symlink_to(tmp_path / "moved")
    with pytest.raises(WarehouseError, match="is a link to another place"):
        open_lake(place)
    with pytest.raises(WarehouseError, match="is a link to another place"):
        write(place)


def test_a_data_folder_on_another_disk_is_a_lake(place, tmp_path):
    shutil.move(place.data, tmp_path / "disk")
    Path(place.data.rstrip("/")).symlink_to(tmp_path / "disk")
    with closing(open_lake(place)) as connection:
        assert connection.execute("SELECT count(*) FROM papers").fetchall() == [(2,)]


def test_a_lake_of_our_own_is_read_written_and_compacted(place):
    for number in range(3):
        with writing(place) as connection:
            append(connection, tables.PAPERS, [paper_row(f"q{number}")])
            connection.execute(f"UPDATE papers SET title = 'New {number}' WHERE paper_id = 'p1'")
    for grace in (timedelta(days=3), timedelta(0)):
        with writing(place) as connection:
            compact(connection, keep=timedelta(0), grace=grace, now=datetime.now(UTC))
        with closing(open_lake(place)) as connection:
            assert connection.execute("SELECT count(*) FROM papers").fetchall() == [(5,)]
            connection.execute("SELECT * FROM catalog").fetchall()

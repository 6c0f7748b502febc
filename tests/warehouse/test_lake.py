from __future__ import annotations

import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from sources.errors import LakeBusyError, LakeVersionError, UsageError, WarehouseError
from standins.trials.rows import list_row, paper_row
from tests.backends import as_argument
from warehouse.lake.place import LakePlace, check_writable
from warehouse.lake.session import latest_snapshot, open_lake, transaction, writing
from warehouse.loading.load import append, upsert
from warehouse.tables import declarations as tables

HOT_JOURNAL = """
import os, sqlite3, sys
catalog = sqlite3.connect(sys.argv[1], isolation_level=None)
catalog.execute("PRAGMA cache_size = 1")
catalog.execute("BEGIN IMMEDIATE")
catalog.execute("UPDATE ducklake_snapshot SET snapshot_time = 'spoiled'")
catalog.execute("CREATE TABLE junk (x)")
for _ in range(200):
    catalog.execute("INSERT INTO junk VALUES (zeroblob(4000))")
os._exit(9)
"""


pytestmark = pytest.mark.both_backends("each push")


def titles(place: LakePlace, **options) -> list[str]:
    with closing(open_lake(place, **options)) as connection:
        return [title for (title,) in connection.execute("SELECT title FROM papers ORDER BY title").fetchall()]


def add_paper(place: LakePlace, name: str) -> int:
    with writing(place) as connection:
        with transaction(connection, message=f"adds {name}", extra="{}"):
            append(connection, tables.PAPERS, [paper_row(name, title=name)])
        return latest_snapshot(connection)


def one_line(error: pytest.ExceptionInfo) -> str:
    message = str(error.value)
    assert message
    assert "\n" not in message
    return message


@pytest.fixture
def closed(place):
    """A lake with the paper A that may be read and not written, by a process without the rights of root."""
    add_paper(place, "A")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        copy = LakePlace.of(Path(folder) / "lake")
        shutil.copytree(place.folder, copy.folder)
        for path in (copy.folder, *copy.folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        yield copy
        if root:
            os.seteuid(0)
        for path in (copy.folder, *copy.folder.rglob("*")):
            path.chmod(0o755)


# opening


def test_reading_changes_no_byte(place, backend):
    before = backend.contents(place)
    open_lake(place).close()
    check_writable(place)
    assert backend.contents(place) == before


def test_a_reader_cannot_write(place):
    with closing(open_lake(place)) as connection, pytest.raises(Exception, match="read-only"):
        append(connection, tables.PAPERS, [paper_row()])


@pytest.mark.sqlite
def test_a_lake_may_be_moved_with_its_folder(place, tmp_path):
    add_paper(place, "A")
    moved = LakePlace.of(tmp_path / "elsewhere" / "a lake's folder")
    moved.folder.parent.mkdir()
    place.folder.rename(moved.folder)
    assert titles(moved) == ["A"]
    add_paper(moved, "B")
    assert titles(moved) == ["A", "B"]
    assert not place.folder.exists()


def test_data_kept_elsewhere_are_found_again_without_being_named_and_not_written_to_the_wrong_place(tmp_path):
    elsewhere = LakePlace.of(tmp_path / "lake", data=f"{tmp_path / 'big disk'}/")
    add_paper(elsewhere, "A")
    unnamed = LakePlace.of(tmp_path / "lake")
    assert titles(unnamed) == ["A"]
    with pytest.raises(WarehouseError, match="does not match existing data path"):
        add_paper(unnamed, "B")
    assert titles(elsewhere) == ["A"]


def test_the_data_are_parquet_files_that_others_can_read(place, backend):
    add_paper(place, "A")
    import pyarrow.parquet as pq

    (body,) = (body for name, body in backend.files(place).items() if name.startswith("main/papers/"))
    assert pq.read_table(io.BytesIO(body)).column("title").to_pylist() == ["A"]


# as of


def test_as_of_shows_the_lake_as_it_was(place):
    before = datetime.now(UTC)
    add_paper(place, "A")
    between = datetime.now(UTC)
    add_paper(place, "B")
    assert titles(place, as_of=before) == []
    assert titles(place, as_of=between) == ["A"]
    assert titles(place, as_of=datetime.now(UTC) + timedelta(days=9)) == ["A", "B"]


def test_as_of_before_the_lake_was_made_is_wrong_usage(place):
    with pytest.raises(UsageError) as error:
        open_lake(place, as_of=datetime(2001, 1, 1, tzinfo=UTC))
    assert "not there yet" in one_line(error)


# damage


@pytest.mark.parametrize("use", [open_lake, lambda place: add_paper(place, "B")], ids=["read", "write"])
@pytest.mark.parametrize("damage", [lambda body: b"", lambda body: b"hello, world\n" * 999, lambda body: body[:5000]])
@pytest.mark.sqlite
def test_a_damaged_catalogue_is_one_clear_line_and_nothing_else_is_touched(place, backend, damage, use):
    add_paper(place, "A")
    place.catalog_file.write_bytes(damage(place.catalog_file.read_bytes()))
    before = backend.contents(place)
    with pytest.raises(WarehouseError) as error:
        use(place)
    assert str(place.folder) in one_line(error)
    assert backend.contents(place) == before


def test_a_lost_data_file_is_one_clear_line(place, backend):
    add_paper(place, "A")
    for name in backend.files(place):
        if name.startswith("main/papers/"):
            backend.lose(place, name)
    with pytest.raises(WarehouseError) as error, writing(place) as connection:
        upsert(connection, tables.PAPERS, [paper_row("A", title="new")])
    assert "parquet" in one_line(error)


@pytest.mark.sqlite
def test_the_last_commit_stands_where_a_writer_was_killed_in_mid_commit(place):
    journal = place.catalog_file.with_name("catalog.sqlite-journal")
    add_paper(place, "A")
    for use, seen in ((lambda: None, ["A"]), (lambda: add_paper(place, "B"), ["A", "B"])):
        subprocess.run([sys.executable, "-c", HOT_JOURNAL, str(place.catalog_file)], check=False)
        assert journal.exists(), "the child must have died with its transaction half written"
        use()
        assert titles(place) == seen
        assert not journal.exists()


# versions


@pytest.mark.parametrize("use", [open_lake, lambda place: add_paper(place, "A")], ids=["read", "write"])
def test_a_lake_made_by_a_newer_version_is_refused_and_left_as_it_is(place, backend, use):
    with writing(place) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES ('0999-of-the-future', now())")
    before = backend.contents(place)
    with pytest.raises(LakeVersionError) as error:
        use(place)
    assert "upgrade paperlake" in one_line(error)
    assert backend.contents(place) == before


# where nothing may be written


@pytest.mark.sqlite
def test_a_lake_in_a_closed_folder_can_be_read_and_not_written(closed):
    assert titles(closed) == ["A"]
    with pytest.raises(UsageError) as error:
        check_writable(closed)
    assert "no permission" in one_line(error)
    with pytest.raises(UsageError, match="cannot write to the lake folder"):
        add_paper(closed, "B")
    assert titles(closed) == ["A"]


def test_a_lake_cannot_be_made_where_a_file_is(tmp_path):
    (tmp_path / "file").write_text("mine")
    place = LakePlace.of(tmp_path / "file" / "lake")
    with pytest.raises(UsageError, match="is not a folder"):
        check_writable(place)
    with pytest.raises(UsageError, match="cannot write to the lake folder"):
        add_paper(place, "A")
    assert (tmp_path / "file").read_text() == "mine"


# one writer, any number of readers


def test_a_second_writer_waits_says_so_once_and_then_writes(place):
    said, waiting = [], threading.Event()

    def tell(sentence):
        said.append(sentence)
        waiting.set()

    def second():
        with writing(place, on_wait=tell) as connection, transaction(connection):
            append(connection, tables.PAPERS, [paper_row("B", title="B")])

    thread = threading.Thread(target=second)
    with writing(place) as connection:
        thread.start()
        assert waiting.wait(60)
        with transaction(connection):
            append(connection, tables.PAPERS, [paper_row("A", title="A")])
    thread.join(60)
    assert titles(place) == ["A", "B"]
    assert len(said) == 1
    assert "another paperlake writes to" in said[0]


def test_a_writer_that_never_gets_its_turn_gives_up_and_says_so(place):
    code = (
        "import sys; from tests.backends import from_argument; from warehouse.lake.session import writing\n"
        "with writing(from_argument(sys.argv[1])): print('in', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, as_argument(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        other.stdout.readline()
        with pytest.raises(LakeBusyError) as error, writing(place, wait_s=0.2):
            pass
        assert "another paperlake" in one_line(error)
        other.stdin.close()
    assert other.returncode == 0


def test_a_reader_in_the_midst_of_a_write_sees_the_lake_as_it_was(place):
    add_paper(place, "A")
    with writing(place) as connection:
        with transaction(connection, message="m", extra="{}"):
            append(connection, tables.PAPERS, [paper_row("B", title="B")])
            append(connection, tables.READING_LISTS, [list_row()])
            assert titles(place) == ["A"]
        assert titles(place) == ["A", "B"]


def test_a_reader_in_the_middle_of_its_work_neither_holds_up_a_commit_nor_sees_it(place):
    add_paper(place, "A")
    reader = open_lake(place)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM papers").fetchone() == (1,)
    add_paper(place, "B")
    assert reader.execute("SELECT count(*) FROM papers").fetchone() == (1,)
    assert titles(place) == ["A", "B"]
    reader.close()


@pytest.mark.sqlite
def test_a_reader_waits_while_a_commit_is_under_way(place):
    add_paper(place, "A")
    committing = sqlite3.connect(place.catalog_file, isolation_level=None, check_same_thread=False)
    committing.execute("BEGIN EXCLUSIVE")
    ends = threading.Timer(0.5, committing.execute, ["COMMIT"])
    ends.start()
    assert titles(place) == ["A"]
    ends.join()
    committing.close()


@pytest.mark.sqlite
def test_a_reader_leaves_nothing_behind(place, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    add_paper(place, "A")
    assert titles(place) == titles(place, as_of=datetime.now(UTC)) == ["A"]
    place.catalog_file.write_bytes(b"hello, world\n" * 999)
    with pytest.raises(WarehouseError):
        open_lake(place)
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.sqlite
def test_a_reader_without_room_for_its_copy_says_so_in_one_line(place, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    with pytest.raises(WarehouseError) as error:
        open_lake(place)
    assert "cannot copy the catalogue" in one_line(error)


# transactions


def test_a_refused_commit_tells_its_own_error_and_the_connection_goes_on(place, monkeypatch):
    def write(connection, other):
        with transaction(connection):
            append(connection, tables.PAPERS, [paper_row("B", title="B")])
            other.execute("DROP TABLE papers")

    monkeypatch.setattr("warehouse.lake.session._WRITER_WAITS_MS", 500)  # here it waits for itself
    with writing(place) as connection:
        other = connection.cursor()
        other.execute("USE lake")
        with pytest.raises(duckdb.Error, match=r"(?i)commit|conflict"):
            write(connection, other)
        other.close()
        connection.execute("BEGIN")
        connection.execute("ROLLBACK")

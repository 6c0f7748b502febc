"""A data folder has one owner, a catalogue that is lost is no empty lake, and nothing is deleted but what is ours."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sources.errors import UsageError, WarehouseError
from standins.trials.rows import paper_row, run_row
from tests.matrices import first_each_push
from warehouse.lake import ownership
from warehouse.lake.concurrency import restored
from warehouse.lake.place import LakePlace
from warehouse.lake.session import adopt, open_lake, writing
from warehouse.lake.stored_files import MARK, move_data
from warehouse.loading.commit import Harvest, load
from warehouse.maintenance.compact import compact
from warehouse.maintenance.lake_check import check_lake

pytestmark = [pytest.mark.both_backends, pytest.mark.slow]


def add(place: LakePlace, name: str) -> None:
    with writing(place) as connection:
        papers = len(titles_of(connection)) + 1
        run = run_row(name, papers=papers, papers_new=1, finished_at=datetime.now(UTC))
        load(connection, Harvest(papers=[paper_row(name, title=name)]), run)


def titles_of(connection) -> list[str]:
    return [title for (title,) in connection.execute("SELECT title FROM papers ORDER BY title").fetchall()]


def titles(place: LakePlace) -> list[str]:
    with closing(open_lake(place)) as connection:
        return titles_of(connection)


def shrink(place: LakePlace) -> int:
    """Compacts as hard as can be and returns how many files were left alone."""
    with writing(place) as connection:
        now = datetime.now(UTC) + timedelta(days=400)
        return compact(connection, now=now, keep=timedelta(0), grace=timedelta(0)).unknown.files


def copied(place: LakePlace, backend, folder: Path) -> LakePlace:
    """Copies the catalogue alone: the copy has the same data folder."""
    copy = backend.copy(place, folder)
    with writing(copy) as connection:
        move_data(connection, place.data)
    return replace(copy, data=place.data)


@pytest.fixture
def lost(place, backend, tmp_path):
    """A place without a catalogue whose data folder holds the papers A and B."""
    add(place, "A")
    add(place, "B")
    return replace(backend.new(tmp_path / "other"), data=place.data)


COMMANDS = {
    "read": open_lake,
    "write": lambda place: add(place, "C"),
    "check": check_lake,
    "compact": shrink,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_data_without_their_catalogue_are_an_error_that_says_what_to_do(lost, place, backend, command):
    before = backend.contents(place)
    with pytest.raises(WarehouseError, match="holds a lake's data") as error:
        COMMANDS[command](lost)
    assert "backup" in str(error.value)
    assert lost.data in str(error.value)
    assert "\n" not in str(error.value)
    assert backend.contents(place) == before
    assert lost.server or not lost.catalog_file.exists()


@pytest.mark.sqlite
@pytest.mark.parametrize("left", [b"", None])
def test_a_lost_catalogue_is_put_back_from_the_copy_beside_the_data(place, left):
    add(place, "A")
    add(place, "B")
    place.catalog_file.unlink()
    if left is not None:
        place.catalog_file.write_bytes(left)
    with pytest.raises(WarehouseError, match="lake restore"):
        add(place, "C")
    restored(place)
    adopt(place)
    assert titles(place) == ["A", "B"]
    add(place, "C")
    assert check_lake(place, deep=True).faults == []


@pytest.mark.sqlite
def test_a_catalogue_that_is_there_is_not_replaced(place):
    add(place, "A")
    before = place.catalog_file.read_bytes()
    with pytest.raises(UsageError, match="is there"):
        restored(place)
    assert place.catalog_file.read_bytes() == before


@pytest.mark.sqlite
def test_a_lake_that_nobody_made_is_no_lost_one(tmp_path):
    (tmp_path / "lake" / "data").mkdir(parents=True)
    (tmp_path / "lake" / "data" / "mine.parquet").write_bytes(b"PAR1")
    assert not LakePlace.of(tmp_path / "lake").exists
    add(LakePlace.of(tmp_path / "lake"), "A")
    assert shrink(LakePlace.of(tmp_path / "lake")) == 1


def test_a_second_catalogue_over_the_same_data_is_refused_and_deletes_nothing(place, backend, tmp_path):
    add(place, "A")
    other = backend.new(tmp_path / "other")
    add(other, "B")
    for name, body in backend.files(other).items():
        backend.add(place, name, body)
    with writing(other) as connection:
        move_data(connection, place.data)
    other = replace(other, data=place.data)
    before = backend.files(place)
    for command in (shrink, lambda place: add(place, "C"), adopt):
        with pytest.raises(WarehouseError, match="belongs to another lake"):
            command(other)
    assert backend.files(place) == before
    assert titles(other) == ["B"]
    assert shrink(place) > 0, "told that there are others"
    add(place, "C")
    assert shrink(place) > 0
    assert titles(other) == ["B"], "its files were left alone"
    assert titles(place) == ["A", "C"]


def test_an_older_copy_of_the_catalogue_may_not_write_and_not_delete_until_it_is_adopted(place, backend, tmp_path):
    add(place, "A")
    older = copied(place, backend, tmp_path / "older")
    first = backend.files(place)
    add(place, "B")
    before = backend.files(place)
    newer = before.keys() - first.keys()
    for command in (shrink, lambda place: add(place, "C")):
        with pytest.raises(WarehouseError, match="an older copy"):
            command(older)
    assert backend.files(place) == before
    assert titles(older) == ["A"]
    assert [fault.check for fault in check_lake(older).faults] == ["the data are the catalogue's own"]
    assert check_lake(place).faults == []
    adopt(older)
    assert shrink(older) >= len(newer), "the newer files are told of"
    assert newer <= backend.files(place).keys(), "and stay"
    add(older, "C")
    assert titles(older) == ["A", "C"]
    with pytest.raises(WarehouseError, match="an older copy"):
        add(place, "D")


@pytest.mark.sqlite
def test_a_copy_made_in_the_middle_of_a_session_is_an_older_one(place, tmp_path):
    with writing(place) as connection:
        shutil.copy(place.catalog_file, tmp_path / "copy.sqlite")
        load(connection, Harvest(papers=[paper_row("A")]), run_row("r1", papers=1, papers_new=1))
    shutil.copy(tmp_path / "copy.sqlite", place.catalog_file)
    with pytest.raises(WarehouseError, match="an older copy"):
        add(place, "B")


def test_a_data_folder_that_is_not_there_is_not_made_anew(place, backend):
    """As when its disk is not mounted."""
    add(place, "A")
    for name in (*backend.files(place), MARK):
        backend.lose(place, name)
    with pytest.raises(WarehouseError, match="Is the disk mounted"):
        add(place, "B")
    with pytest.raises(WarehouseError, match="its catalogue misses"):
        adopt(place)
    assert backend.files(place) == {}


def test_files_moved_by_hand_are_adopted(place, backend, tmp_path):
    add(place, "A")
    new = replace(backend.new(tmp_path / "new"), folder=place.folder, catalog=place.catalog)
    if not place.server:
        new = replace(new, data=f"{tmp_path}/elsewhere/")
    with pytest.raises(WarehouseError, match="adopt"):
        add(new, "B")
    for name, body in backend.files(place).items():
        backend.add(new, name, body)
        backend.lose(place, name)
    adopt(new)
    add(new, "B")
    assert titles(new) == ["A", "B"]
    assert shrink(new) == 0


def test_a_spoiled_mark_is_an_error_and_adopting_writes_it_anew(place, backend):
    add(place, "A")
    backend.add(place, MARK, b'{"lake": 7')
    assert ["is spoiled" in fault.what for fault in check_lake(place).faults] == [True]
    with pytest.raises(WarehouseError, match="is spoiled"):
        add(place, "B")
    adopt(place)
    add(place, "B")
    assert titles(place) == ["A", "B"]


@pytest.mark.sqlite
def test_a_session_that_could_not_end_is_taken_for_a_killed_one(place, monkeypatch):
    def failing(*_):
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(ownership, "keep_copy", failing)
        add(place, "A")
    add(place, "B")
    assert shrink(place) == 0
    assert titles(place) == ["A", "B"]


@pytest.mark.sqlite
@pytest.mark.parametrize("spelling", first_each_push(["dots", "relative"], count=1))
def test_one_folder_under_another_name_has_the_same_owner(tmp_path, monkeypatch, spelling):
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "link").symlink_to(data)
    monkeypatch.chdir(tmp_path)
    names = {"dots": f"{tmp_path}/link/../data/", "relative": "data"}
    mine = LakePlace.of(tmp_path / "mine", data=str(data))
    add(mine, "A")
    other = LakePlace.of(tmp_path / "other", data=names[spelling])
    with pytest.raises(WarehouseError, match="holds a lake's data"):
        add(other, "B")
    again = LakePlace.of(tmp_path / "mine", data=names[spelling])
    if again.data == mine.data:
        add(again, "B")
    assert shrink(mine) == 0
    assert titles(mine)[0] == "A"


@pytest.mark.nightly
@pytest.mark.sqlite
def test_a_lake_inside_the_data_folder_of_another_keeps_its_files(tmp_path):
    outer = LakePlace.of(tmp_path / "outer")
    add(outer, "A")
    inner = LakePlace.of(tmp_path / "inner", data=str(Path(outer.data) / "main" / "papers"))
    add(inner, "B")
    assert shrink(outer) > 0
    add(outer, "C")
    assert shrink(outer) > 0
    assert (titles(outer), titles(inner)) == (["A", "C"], ["B"])
    assert check_lake(inner, deep=True).faults == []


@pytest.mark.sqlite
def test_data_of_a_catalogue_on_a_server_are_told_as_such(place):
    add(place, "A")
    mark = Path(place.data) / "paperlake-owner.json"
    told = json.loads(mark.read_text(encoding="utf-8")) | {"catalogue": "postgres:host=db dbname=papers"}
    mark.write_text(json.dumps(told), encoding="utf-8")
    place.catalog_file.unlink()
    with pytest.raises(WarehouseError, match="postgres:host=db dbname=papers: set PAPERLAKE_CATALOG"):
        add(place, "B")

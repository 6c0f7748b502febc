"""Whatever is done to a lake by hand, the check names it; a sound lake has no fault."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from standins.trials.rows import (
    T0,
    WEEK,
    count_row,
    mention_row,
    paper_row,
    reply_row,
    run_row,
)
from tests.matrices import first_each_push
from tests.warehouse.test_checks import BROKEN, sound
from warehouse.lake.place import LakePlace
from warehouse.lake.session import latest_snapshot, open_lake, writing
from warehouse.lake.stored_files import stored_files
from warehouse.loading.commit import Harvest, load
from warehouse.maintenance import lake_check
from warehouse.maintenance.compact import compact
from warehouse.maintenance.lake_check import Fault, check_lake, check_written

pytestmark = pytest.mark.slow

SIZE = 30


def harvest(number: int) -> Harvest:
    names = [f"p{n:02}" for n in range(SIZE)]
    moment = T0 + number * WEEK
    papers = [paper_row(name, citation_count=number, counted_at=moment, abstract="x" * 200) for name in names]
    plain = sound()
    return sound(
        mentions=[*(mention_row(f"m{name}", paper_id=name, text=f"- {name}") for name in names), *plain.mentions],
        papers=[*papers, *plain.papers],
        citation_counts=[count_row(name, moment, number) for name in names],
        replies=[reply_row(body=bytes(range(256)) * 8)],
        outside_works=[],
    )


def run(number: int) -> dict:
    figures = {"mentions": SIZE + 2, "resolved": SIZE + 1, "not_found": 1, "counts_written": SIZE}
    new = SIZE + 2 if number == 1 else 0
    return run_row(f"r{number}", papers=SIZE + 1, papers_new=new, finished_at=T0 + number * WEEK, **figures)


@pytest.fixture(scope="module")
def _sound(tmp_path_factory):
    place = LakePlace.of(tmp_path_factory.mktemp("check") / "lake")
    for number in (1, 2):
        with writing(place) as connection:
            assert check_written(connection, load(connection, harvest(number), run(number))) == []
    with writing(place) as connection:
        compact(connection, now=datetime.now(UTC))  # seals what was made before the first refresh
    return place


@pytest.fixture
def sound_lake(tmp_path, _sound):
    """A lake of two refreshes, every file sealed."""
    shutil.copytree(_sound.folder, tmp_path / "lake")
    return LakePlace.of(tmp_path / "lake")


def faults(place: LakePlace, *, deep: bool = False) -> list[Fault]:
    return check_lake(place, deep=deep).faults


def data_files(place: LakePlace) -> list[Path]:
    connection = open_lake(place, sealed=False)
    try:
        return [Path(file.path) for file in stored_files(connection)]
    finally:
        connection.close()


def contents(place: LakePlace) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in place.folder.rglob("*") if path.is_file()}


def test_a_sound_lake_has_no_fault_and_is_left_as_it_is(sound_lake):
    before = contents(sound_lake)
    found = check_lake(sound_lake, deep=True)
    assert found.faults == []
    assert found.files == len(data_files(sound_lake))
    assert found.rows > 3 * SIZE
    assert contents(sound_lake) == before


def test_a_lost_file_is_named_with_its_table(sound_lake):
    for file in data_files(sound_lake)[::20]:
        away = file.rename(file.with_suffix(".away"))
        (fault, *more) = faults(sound_lake)
        assert more == []
        assert (fault.file, fault.what) == (str(file), "the file is missing")
        assert fault.table == file.parent.name
        assert "backup" in str(fault)
        away.rename(file)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda body: body[:-20], id="cut"),
        pytest.param(lambda body: body[:-12] + b"\xff" * 4 + body[-8:], id="footer"),
    ],
)
def test_a_spoiled_file_is_named_without_reading_it_all(sound_lake, damage):
    file = next(path for path in data_files(sound_lake) if path.parent.name == "papers")
    file.write_bytes(damage(file.read_bytes()))
    assert {(fault.table, fault.file) for fault in faults(sound_lake)} == {("papers", str(file))}


@pytest.mark.nightly
def test_one_flipped_bit_anywhere_is_named_by_a_deep_check(sound_lake):
    dice = random.Random(5)
    files = data_files(sound_lake)
    for _ in range(8):
        file = dice.choice(files)
        body = file.read_bytes()
        spoiled = bytearray(body)
        spoiled[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
        file.write_bytes(spoiled)
        assert {fault.file for fault in faults(sound_lake, deep=True)} == {str(file)}
        file.write_bytes(body)
    assert faults(sound_lake, deep=True) == []


@pytest.mark.parametrize("share", [0, 0.5, 0.999])
def test_a_catalogue_cut_short_is_named_and_nothing_else_is_touched(sound_lake, share):
    body = sound_lake.catalog_file.read_bytes()
    sound_lake.catalog_file.write_bytes(body[: int(len(body) * share)])
    before = contents(sound_lake)
    (fault, *_) = faults(sound_lake)
    assert "catalog" in fault.what + fault.file
    assert "backup" in fault.remedy
    assert contents(sound_lake) == before


@pytest.mark.parametrize(
    "name", first_each_push([name for name in BROKEN if name != "mentions.list_id is in reading_lists"], count=3)
)
def test_rows_that_no_commit_would_have_let_pass_are_named(sound_lake, name):
    with writing(sound_lake) as connection:
        connection.execute(BROKEN[name])
    assert name in {fault.check for fault in faults(sound_lake)}


@pytest.mark.parametrize(
    ("statement", "checks"),
    [
        (
            "DELETE FROM citation_counts WHERE paper_id = 'p03'",
            {
                "citation_counts only grows",
                "observations are as many as the runs wrote",
                "a paper's count is one that was observed",
            },
        ),
        ("DELETE FROM papers WHERE paper_id = 'p2'", {"papers are as many as the runs added"}),
        (
            "UPDATE papers SET merged_into = 'p1' WHERE paper_id = 'p03'",
            {"the last run counted the papers that are there"},
        ),
    ],
)
def test_tables_at_odds_with_one_another_are_named(sound_lake, statement, checks):
    with writing(sound_lake) as connection:
        connection.execute(statement)
    assert checks <= {fault.check for fault in faults(sound_lake)}


def test_a_file_of_a_killed_run_is_noted_and_no_fault(sound_lake):
    file = data_files(sound_lake)[0]
    (file.parent / "ducklake-stray.parquet").write_bytes(file.read_bytes())
    found = check_lake(sound_lake)
    assert found.faults == []
    assert any("in no snapshot: " in note for note in found.notes)


def test_what_a_run_wrote_is_looked_over_and_only_that(sound_lake):
    old = next(path for path in data_files(sound_lake) if path.parent.name == "replies")
    old.write_bytes(b"spoiled")
    with writing(sound_lake) as connection:
        before = latest_snapshot(connection)
        known = {file.name for file in stored_files(connection)}
        snapshot = load(connection, Harvest(papers=[paper_row("p9")]), run_row("r9", mentions=0))
        new = [file for file in stored_files(connection) if file.name not in known]
        spoiled = next(file for file in new if file.table == "papers")
        Path(spoiled.path).write_bytes(b"spoiled")
        (fault, *_) = check_written(connection, snapshot)
        assert fault.file == spoiled.path
        sealed = {file.name for file in stored_files(connection, after=before) if file.sha256}
    assert sealed == {file.name for file in new} - {spoiled.name}


@pytest.mark.nightly
@pytest.mark.parametrize(
    "moment",
    ["sizes_on_disk", "sha256_of", "_look_at_rows"],
)
def test_a_compaction_beside_the_check_is_no_fault(sound_lake, monkeypatch, moment):
    """The files that the check had listed are merged and deleted while it reads them."""
    real = getattr(lake_check, moment)

    def compacting_first(*arguments, **told):
        monkeypatch.setattr(lake_check, moment, real)
        with writing(sound_lake) as connection:
            compact(connection, now=datetime.now(UTC) + timedelta(days=400), grace=timedelta(0))
        return real(*arguments, **told)

    monkeypatch.setattr(lake_check, moment, compacting_first)
    found = check_lake(sound_lake, deep=True)
    assert found.faults == []
    assert found.files == len(data_files(sound_lake))
    assert not any("not looked at" in note for note in found.notes)


POISONED = {
    "papers.citation_count is believable": f"UPDATE papers SET citation_count = {2**62} WHERE paper_id = 'p1'",
    "papers.year is believable": "UPDATE papers SET year = 1 WHERE paper_id = 'p1'",
    "papers.counted_at is not in the future": "UPDATE papers SET counted_at = '2126-01-01' WHERE paper_id = 'p1'",
    "mentions.asked_at is not in the future": "UPDATE mentions SET asked_at = '2126-01-01' WHERE mention_id = 'm2'",
}


@pytest.mark.parametrize("name", first_each_push(POISONED, count=3))
def test_what_cannot_be_believed_is_named_with_what_mends_it(sound_lake, name):
    with writing(sound_lake) as connection:
        connection.execute(POISONED[name])
    fault = next(fault for fault in faults(sound_lake) if fault.check == name)
    assert "the next refresh" in fault.remedy


def test_observations_that_cannot_be_believed_are_noted_as_history_is_not_rewritten(sound_lake):
    ahead = datetime.now(UTC) + timedelta(days=3650)
    counts = [count_row("p1", ahead, 5), count_row("p1", T0, 2**62)]
    with writing(sound_lake) as connection:
        load(connection, Harvest(citation_counts=counts), run_row("r9", finished_at=ahead, counts_written=2, papers=99))
    found = check_lake(sound_lake)
    assert found.faults == []
    notes = " ".join(found.notes)
    for what in ("citation_counts.citation_count", "citation_counts.observed_at", "runs.finished_at"):
        assert what in notes

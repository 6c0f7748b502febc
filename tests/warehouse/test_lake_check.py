"""Whatever is done to a lake by hand, the check names it; a sound lake has no fault."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sources.errors import UsageError
from standins.trials.rows import (
    T0,
    WEEK,
    candidate_row,
    citation_row,
    citing_harvest_row,
    count_row,
    finding_row,
    harvest_row,
    identifier_row,
    list_row,
    mention_row,
    paper_row,
    reply_row,
    run_row,
)
from tests.matrices import first_each_push
from tests.warehouse.test_checks import BROKEN
from warehouse.lake.place import LakePlace
from warehouse.lake.session import latest_snapshot, open_lake, writing
from warehouse.lake.stored_files import stored_files
from warehouse.loading.commit import Harvest, load
from warehouse.maintenance import lake_check
from warehouse.maintenance import lake_check as fault_checks
from warehouse.maintenance.compact import compact
from warehouse.maintenance.lake_check import Fault, check_lake, check_written

pytestmark = pytest.mark.slow

SIZE = 30


def harvest(number: int) -> Harvest:
    names = [f"p{n:02}" for n in range(SIZE)]
    moment = T0 + number * WEEK
    return Harvest(
        reading_lists=[list_row()],
        mentions=[mention_row(f"m{name}", paper_id=name, text=f"- {name}") for name in names]
        + [mention_row("m1", paper_id="p1"), mention_row("m2", line=2, status="not_found")],
        weighed=["m1", "m2"],
        candidates=[candidate_row("m1"), candidate_row("m2")],
        findings=[finding_row("m2")],
        papers=[
            *(paper_row(name, citation_count=number, counted_at=moment, abstract="x" * 200) for name in names),
            paper_row("p1"),
            paper_row("p2", merged_into="p1"),
        ],
        paper_identifiers=[identifier_row("p1")],
        citation_counts=[count_row(name, moment, number) for name in names],
        harvests=[harvest_row("p1")],
        replies=[reply_row(body=bytes(range(256)) * 8)],
        paper_citations=[citation_row("p1")],
        citing_harvests=[citing_harvest_row("p1")],
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
def sound(tmp_path, _sound):
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


@pytest.mark.parametrize("deep", first_each_push([False, True], count=1))
def test_a_sound_lake_has_no_fault_and_is_left_as_it_is(sound, deep):
    before = contents(sound)
    found = check_lake(sound, deep=deep)
    assert found.faults == []
    assert found.files == len(data_files(sound))
    assert found.rows > 3 * SIZE
    assert contents(sound) == before


def test_where_there_is_no_lake_it_is_wrong_usage(tmp_path):
    with pytest.raises(UsageError, match="no lake"):
        check_lake(LakePlace.of(tmp_path / "lake"))


def test_a_lost_file_is_named_with_its_table(sound):
    for file in data_files(sound)[::5]:
        away = file.rename(file.with_suffix(".away"))
        (fault, *more) = faults(sound)
        assert more == []
        assert (fault.file, fault.what) == (str(file), "the file is missing")
        assert fault.table == file.parent.name
        assert "backup" in str(fault)
        away.rename(file)


@pytest.mark.parametrize(
    "damage",
    first_each_push(
        [
            pytest.param(lambda body: b"", id="emptied"),
            pytest.param(lambda body: body[:-20], id="cut"),
            pytest.param(lambda body: body + b"x", id="longer"),
            pytest.param(lambda body: b"x" * len(body), id="overwritten"),
            pytest.param(lambda body: body[:-12] + b"\xff" * 4 + body[-8:], id="footer"),
            pytest.param(lambda body: body[:-8] + b"\xff\xff\xff\x7f" + body[-4:], id="footer-length"),
        ],
        count=2,
    ),
)
def test_a_spoiled_file_is_named_without_reading_it_all(sound, damage):
    file = next(path for path in data_files(sound) if path.parent.name == "papers")
    file.write_bytes(damage(file.read_bytes()))
    assert {(fault.table, fault.file) for fault in faults(sound)} == {("papers", str(file))}


@pytest.mark.nightly
def test_one_flipped_bit_anywhere_is_named_by_a_deep_check(sound):
    dice = random.Random(5)
    files = data_files(sound)
    for _ in range(8):
        file = dice.choice(files)
        body = file.read_bytes()
        spoiled = bytearray(body)
        spoiled[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
        file.write_bytes(spoiled)
        assert {fault.file for fault in faults(sound, deep=True)} == {str(file)}
        file.write_bytes(body)
    assert faults(sound, deep=True) == []


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 0.999])
def test_a_catalogue_cut_short_is_named_and_nothing_else_is_touched(sound, share):
    body = sound.catalog_file.read_bytes()
    sound.catalog_file.write_bytes(body[: int(len(body) * share)])
    before = contents(sound)
    (fault, *_) = faults(sound)
    assert "catalog" in fault.what + fault.file
    assert "backup" in fault.remedy
    assert contents(sound) == before


@pytest.mark.parametrize(
    "name", first_each_push([name for name in BROKEN if name != "mentions.list_id is in reading_lists"], count=3)
)
def test_rows_that_no_commit_would_have_let_pass_are_named(sound, name):
    with writing(sound) as connection:
        connection.execute(BROKEN[name])
    assert name in {fault.check for fault in faults(sound)}


@pytest.mark.parametrize(
    ("statement", "check"),
    first_each_push(
        [
            ("DELETE FROM citation_counts WHERE paper_id = 'p03'", "citation_counts only grows"),
            ("DELETE FROM citation_counts WHERE paper_id = 'p03'", "observations are as many as the runs wrote"),
            ("DELETE FROM papers WHERE paper_id = 'p2'", "papers are as many as the runs added"),
            ("UPDATE papers SET merged_into = 'p1' WHERE paper_id = 'p03'", "the last run counted the papers"),
            ("UPDATE papers SET citation_count = 7 WHERE paper_id = 'p03'", "a paper's count is one that was observed"),
            ("INSERT INTO mentions SELECT * FROM mentions LIMIT 1", "mentions: one row a key"),
        ],
        count=2,
    ),
)
def test_tables_at_odds_with_one_another_are_named(sound, statement, check):
    with writing(sound) as connection:
        connection.execute(statement)
    assert any(fault.check.startswith(check) for fault in faults(sound))


def test_a_file_of_a_killed_run_is_noted_and_no_fault(sound):
    file = data_files(sound)[0]
    (file.parent / "ducklake-stray.parquet").write_bytes(file.read_bytes())
    found = check_lake(sound)
    assert found.faults == []
    assert any("in no snapshot: " in note for note in found.notes)


def test_what_a_run_wrote_is_looked_over_and_only_that(sound):
    old = next(path for path in data_files(sound) if path.parent.name == "replies")
    old.write_bytes(b"spoiled")
    with writing(sound) as connection:
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
    first_each_push(["sizes_on_disk", "row_checks", "sha256_of", "_footer_faults", "_look_at_rows"], count=2),
)
def test_a_compaction_beside_the_check_is_no_fault(sound, monkeypatch, moment):
    """The files that the check had listed are merged and deleted while it reads them."""
    module = lake_check if hasattr(lake_check, moment) else fault_checks
    real = getattr(module, moment)

    def compacting_first(*arguments, **told):
        monkeypatch.setattr(module, moment, real)
        with writing(sound) as connection:
            compact(connection, now=datetime.now(UTC) + timedelta(days=400), grace=timedelta(0))
        return real(*arguments, **told)

    monkeypatch.setattr(module, moment, compacting_first)
    found = check_lake(sound, deep=True)
    assert found.faults == []
    assert found.files == len(data_files(sound))
    assert not any("not looked at" in note for note in found.notes)


POISONED = {
    "papers.citation_count is believable": f"UPDATE papers SET citation_count = {2**62} WHERE paper_id = 'p1'",
    "papers.year is believable": "UPDATE papers SET year = 1 WHERE paper_id = 'p1'",
    "papers.counted_at is not in the future": "UPDATE papers SET counted_at = '2126-01-01' WHERE paper_id = 'p1'",
    "harvests.asked_at is not in the future": "UPDATE harvests SET asked_at = '2126-01-01'",
    "mentions.asked_at is not in the future": "UPDATE mentions SET asked_at = '2126-01-01' WHERE mention_id = 'm2'",
}


@pytest.mark.parametrize("name", first_each_push(POISONED, count=2))
def test_what_cannot_be_believed_is_named_with_what_mends_it(sound, name):
    with writing(sound) as connection:
        connection.execute(POISONED[name])
    fault = next(fault for fault in faults(sound) if fault.check == name)
    assert "the next refresh" in fault.remedy


def test_observations_that_cannot_be_believed_are_noted_as_history_is_not_rewritten(sound):
    ahead = datetime.now(UTC) + timedelta(days=3650)
    counts = [count_row("p1", ahead, 5), count_row("p1", T0, 2**62)]
    with writing(sound) as connection:
        load(connection, Harvest(citation_counts=counts), run_row("r9", finished_at=ahead, counts_written=2, papers=99))
    found = check_lake(sound)
    assert found.faults == []
    notes = " ".join(found.notes)
    for what in ("citation_counts.citation_count", "citation_counts.observed_at", "runs.finished_at"):
        assert what in notes

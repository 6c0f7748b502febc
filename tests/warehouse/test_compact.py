"""Compacting makes a lake small and changes nothing that can be asked of it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sources.errors import CheckFailed, UsageError
from standins.trials.rows import DAY, T0, count_row, list_row, mention_row, paper_row, run_row
from tests.matrices import first_each_push
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake, writing
from warehouse.lake.stored_files import retire, stored_files
from warehouse.loading.commit import Harvest, load
from warehouse.maintenance import compact as compacting
from warehouse.maintenance.compact import compact
from warehouse.maintenance.lake_check import check_lake
from warehouse.tables import declarations as tables

pytestmark = pytest.mark.slow

RUNS, SIZE = 6, 12


def refresh(connection, number: int) -> None:
    """A run that recounts every paper, moves every mention and adds a paper of its own."""
    names = [f"p{n:02}" for n in range(SIZE)]
    moment = T0 + number * DAY
    run = run_row(f"r{number}", mentions=SIZE, resolved=SIZE, papers=SIZE, counts_written=SIZE, finished_at=moment)
    harvest = Harvest(
        reading_lists=[list_row(revision=str(number))],
        papers=[paper_row(name, citation_count=100 + number, counted_at=moment) for name in names],
        mentions=[mention_row(f"m{name}", paper_id=name, line=number, status="resolved") for name in names],
        citation_counts=[count_row(name, moment, 100 + number) for name in names],
    )
    load(connection, harvest, run | {"papers_new": SIZE if number == 1 else 0})


@pytest.fixture(scope="module")
def _refreshed(tmp_path_factory):
    place = LakePlace.of(tmp_path_factory.mktemp("compact") / "lake")
    for number in range(1, RUNS + 1):
        with writing(place) as connection:
            refresh(connection, number)
    return place


@pytest.fixture
def refreshed(tmp_path, _refreshed):
    """A lake of six refreshes, made just now."""
    shutil.copytree(_refreshed.folder, tmp_path / "lake")
    return LakePlace.of(tmp_path / "lake")


def rows(place: LakePlace, **options) -> dict[str, list]:
    connection = open_lake(place, **options)
    try:
        return {t.name: connection.execute(f'SELECT * FROM "{t.name}" ORDER BY ALL').fetchall() for t in tables.TABLES}
    finally:
        connection.close()


def instants(place: LakePlace) -> list[datetime]:
    connection = open_lake(place)
    try:
        found = connection.execute("SELECT snapshot_time FROM lake.snapshots() WHERE snapshot_id > 1 ORDER BY 1")
        return [moment for (moment,) in found.fetchall()]
    finally:
        connection.close()


def files(place: LakePlace) -> list[Path]:
    return sorted(Path(place.data).rglob("*.parquet"))


def run(place: LakePlace, **told) -> compacting.Compaction:
    with writing(place) as connection:
        return compact(connection, **{"now": datetime.now(UTC)} | told)


FUTURE = datetime.now(UTC) + timedelta(days=400)


def test_small_files_are_merged_and_every_row_and_every_snapshot_stays(refreshed):
    now, moments = rows(refreshed), instants(refreshed)
    then = [rows(refreshed, as_of=moment) for moment in moments]
    done = run(refreshed)
    assert done.read_after.files < done.read_before.files
    assert done.snapshots_expired == 0
    assert rows(refreshed) == now
    assert [rows(refreshed, as_of=moment) for moment in moments] == then
    assert check_lake(refreshed, deep=True).faults == []


def test_files_stay_for_a_reader_in_the_middle_of_its_work(refreshed):
    before = rows(refreshed)
    reader = open_lake(refreshed)
    reader.execute("SELECT count(*) FROM papers")
    done = run(refreshed)
    assert done.waiting.files > 0
    for table in tables.TABLES:
        assert reader.execute(f'SELECT * FROM "{table.name}" ORDER BY ALL').fetchall() == before[table.name]
    reader.close()


def test_no_file_goes_before_the_grace_is_over_whatever_the_hour_and_all_do_then(refreshed):
    """DuckLake compares these instants as text on a SQLite catalogue, to the day only."""
    before = rows(refreshed)
    run(refreshed)
    kept = files(refreshed)
    for hours in (1, 23):
        run(refreshed, now=datetime.now(UTC) + timedelta(hours=hours))
        assert files(refreshed) == kept
    done = run(refreshed, now=datetime.now(UTC) + timedelta(days=2, minutes=1))
    assert done.waiting.files == 0
    assert len(files(refreshed)) == done.disk_after.files < len(kept)
    assert rows(refreshed) == before


def test_old_snapshots_go_and_citation_counts_stay_whole(refreshed):
    before, moments = rows(refreshed), instants(refreshed)
    done = run(refreshed, now=FUTURE, grace=timedelta(0))
    assert done.snapshots_expired >= RUNS
    assert done.waiting.files == 0
    assert done.disk_after.files == len(files(refreshed)) == done.read_after.files
    after = rows(refreshed)
    assert after == before
    assert len(after["citation_counts"]) == RUNS * SIZE
    with pytest.raises(UsageError, match="begins"):
        open_lake(refreshed, as_of=moments[0])
    assert check_lake(refreshed, deep=True).faults == []


@pytest.mark.nightly
def test_as_of_reaches_back_exactly_as_far_as_is_kept(refreshed):
    moments = instants(refreshed)
    reached = moments[3] + (moments[4] - moments[3]) / 2
    then = rows(refreshed, as_of=reached)
    now = datetime.now(UTC)
    run(refreshed, now=now, keep=now - reached)
    assert rows(refreshed, as_of=reached) == then
    with pytest.raises(UsageError, match="begins"):
        open_lake(refreshed, as_of=moments[2])


def test_a_second_compaction_finds_nothing_to_do(refreshed):
    run(refreshed)
    before = files(refreshed), instants(refreshed)
    done = run(refreshed)
    assert (files(refreshed), instants(refreshed)) == before
    assert done.read_before == done.read_after


KILLED_RUN = """
import os, signal, sys
from pathlib import Path
from standins.trials.rows import paper_row
from warehouse.tables import declarations as tables
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.load import append

with writing(LakePlace.of(Path(sys.argv[1]))) as connection:
    connection.execute("BEGIN")
    append(connection, tables.PAPERS, [paper_row("never")])
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_goes_when_it_is_old_and_what_is_in_use_never(refreshed):
    before = rows(refreshed)
    known = set(files(refreshed))
    subprocess.run([sys.executable, "-c", KILLED_RUN, str(refreshed.folder)], check=False)
    (orphan,) = set(files(refreshed)) - known
    run(refreshed)
    assert orphan.exists(), "a reader may have listed it"
    run(refreshed, now=datetime.now(UTC) + timedelta(days=2))
    assert not orphan.exists()
    assert rows(refreshed) == before
    assert check_lake(refreshed).faults == []


def test_files_that_the_catalogue_does_not_know_are_left_alone_and_told_of(refreshed):
    """A stranger's, a copy of one in use, and names such as DuckLake gives them, all of long ago."""
    body = files(refreshed)[0].read_bytes()
    root = Path(refreshed.data)
    names = ["mine.parquet", "main/papers/mine.parquet", f"main/stray/{files(refreshed)[0].name}"]
    names += [f"main/papers/ducklake-01900000-0000-7000-8000-00000000000{end}.parquet" for end in ("1", "2-delete")]
    for name in names:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(body)
    done = run(refreshed, now=FUTURE, grace=timedelta(0))
    assert done.unknown.files == len(names)
    assert all((root / name).read_bytes() == body for name in names)
    assert check_lake(refreshed, deep=True).faults == []


def test_a_compaction_that_would_change_a_row_stops_before_any_file_is_deleted(refreshed, monkeypatch):
    kept = files(refreshed)
    real = compacting._merge

    def merge_and_lose(connection):
        real(connection)
        connection.execute("DELETE FROM citation_counts WHERE paper_id = 'p00'")

    monkeypatch.setattr(compacting, "_merge", merge_and_lose)
    with pytest.raises(CheckFailed, match="citation_counts had 72 rows and would have 66"):
        run(refreshed, grace=timedelta(0))
    assert set(files(refreshed)) >= set(kept)


def test_a_file_that_a_snapshot_reads_is_not_deleted_whatever_the_catalogue_schedules(refreshed):
    run(refreshed)
    with writing(refreshed) as connection:
        used = next(file for file in stored_files(connection) if file.current)
        retire(connection, {used.path.removeprefix(refreshed.data): datetime(2020, 1, 1, tzinfo=UTC)})
    with pytest.raises(CheckFailed, match="a snapshot reads it"):
        run(refreshed, grace=timedelta(0))
    assert Path(used.path).exists()


@pytest.mark.nightly
def test_the_name_of_a_folder_is_no_pattern(tmp_path, refreshed):
    """To DuckDB's readers, `reading[1]` is a name of `reading1` too."""
    other, mine = tmp_path / "reading1", tmp_path / "reading[1]"
    shutil.copytree(refreshed.folder, other)
    shutil.copytree(refreshed.folder, mine)
    before = files(LakePlace.of(other)), rows(LakePlace.of(other))
    for moment in (datetime.now(UTC), FUTURE):
        done = run(LakePlace.of(mine), now=moment, grace=timedelta(0))
        assert done.unknown.files == 0
    assert (files(LakePlace.of(other)), rows(LakePlace.of(other))) == before
    assert check_lake(LakePlace.of(mine), deep=True).faults == []
    assert done.disk_after.files == len(files(LakePlace.of(mine))) > 0


KILLED = """
import os, signal, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from warehouse.maintenance import compact as compacting
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing

real = getattr(compacting, sys.argv[2])

def dying(*arguments, **options):
    real(*arguments, **options)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(compacting, sys.argv[2], dying)
with writing(LakePlace.of(Path(sys.argv[1]))) as connection:
    compacting.compact(connection, now=datetime.now(UTC) + timedelta(days=400), grace=timedelta(0))
"""


@pytest.mark.parametrize("step", first_each_push(["_merge", "_delete_retired", "_expire", "_seal"], count=1))
def test_killed_at_any_step_the_lake_is_sound_and_the_next_one_goes_on(refreshed, step):
    before = rows(refreshed)
    command = [sys.executable, "-c", KILLED, str(refreshed.folder), step]
    killed = subprocess.run(command, check=False, capture_output=True)
    assert killed.returncode == -9, killed.stderr
    assert rows(refreshed) == before
    assert check_lake(refreshed, deep=True).faults == []
    run(refreshed, now=FUTURE, grace=timedelta(0))
    assert rows(refreshed) == before
    assert check_lake(refreshed, deep=True).faults == []

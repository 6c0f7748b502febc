"""A disk that fills up at any stage is one clear line, and the lake is as it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from standins.trials.rows import DAY, T0, count_row, paper_row, run_row
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake, writing
from warehouse.loading.commit import Harvest, load
from warehouse.maintenance.lake_check import check_lake

pytestmark = pytest.mark.slow

WRITER = """
import json, sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from sources.errors import PaperlakeError
from sources.records import Reply
from tests.warehouse.test_full_disk import big
from standins.trials.rows import run_row
from warehouse.loading.commit import load
from warehouse.maintenance.compact import compact
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.reply_spool import ReplySpool

place, what = LakePlace.of(Path(sys.argv[1])), sys.argv[2]
try:
    if what == "spool":
        body = bytes(3_000_000)
        reply = Reply(source="s2", request_key="{}", fetched_at=datetime.now(UTC), status=200, body=body)
        ReplySpool(place.folder / "replies", timedelta(1)).keep(reply)
    else:
        with writing(place) as connection:
            if what == "compact":
                compact(connection, now=datetime.now(UTC))
            else:
                load(connection, big(), run_row("r2"))
    said = "done"
except (PaperlakeError, OSError) as error:
    said = str(error)
print(json.dumps(said))
"""


def big() -> Harvest:
    """Rows that need more room than there is, and that cannot be packed."""
    import random

    dice = random.Random(1)
    papers = [paper_row(f"q{n}", abstract=f"{dice.getrandbits(8000):x}") for n in range(1500)]
    return Harvest(papers=papers, citation_counts=[count_row(f"q{n}") for n in range(1500)])


def figures(number: int) -> dict:
    return run_row(f"r{number}", papers=number + 1, papers_new=1, finished_at=T0 + number * DAY)


def rows(place: LakePlace) -> list:
    with closing(open_lake(place)) as connection:
        return connection.execute("SELECT paper_id, title FROM papers ORDER BY 1").fetchall()


def write(place: LakePlace, what: str, **options) -> str:
    child = subprocess.run(
        [sys.executable, "-c", WRITER, str(place.folder), what], capture_output=True, text=True, check=False, **options
    )
    assert child.stdout, child.stderr
    return json.loads(child.stdout)


@pytest.fixture
def small(tmp_path, place):
    """A lake on a disk of its own with room for very little more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], check=False)
    if os.geteuid() != 0 or mounted.returncode:
        pytest.skip("a small disk can be made by root only")
    try:
        shutil.copytree(place.folder, disk / "lake")
        here = LakePlace.of(disk / "lake")
        for number in range(3):
            with writing(here) as connection:
                load(connection, Harvest(papers=[paper_row(f"p{number}")]), figures(number))
        yield here
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path, *, leave: int) -> Path:
    """Fills the disk up but for `leave` bytes."""
    filler = disk / "filler"
    room = os.statvfs(disk)
    filler.write_bytes(bytes(max(room.f_bavail * room.f_frsize - leave, 0)))
    return filler


@pytest.mark.parametrize(
    ("what", "leave"),
    [
        pytest.param("spool", 1_000_000, id="a-reply"),
        pytest.param("load", 1_000_000, id="a-parquet-file"),
        pytest.param("load", 0, id="the-first-byte", marks=pytest.mark.nightly),
        pytest.param("compact", 12_000, id="compacting-half-way", marks=pytest.mark.nightly),
    ],
)
def test_a_full_disk_is_one_line_and_the_lake_is_as_it_was(small, what, leave):
    before = rows(small)
    filler = fill(small.folder.parent, leave=leave)
    said = write(small, what)
    assert "\n" not in said
    assert "space" in said or "full" in said, said
    assert str(small.folder.parent) in said
    filler.unlink()
    assert rows(small) == before
    assert check_lake(small, deep=True).faults == []
    with writing(small) as connection:
        load(connection, Harvest(papers=[paper_row("p9")]), figures(3))
    assert len(rows(small)) == len(before) + 1


def test_a_file_that_may_not_grow_is_one_line_and_the_lake_is_as_it_was(place):
    """As a quota or `ulimit -f` has it, with no need for a disk of its own."""
    import resource

    before = rows(place)
    said = write(place, "load", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)))
    assert "\n" not in said
    assert "too large" in said, said
    assert rows(place) == before
    assert check_lake(place, deep=True).faults == []


@pytest.mark.nightly
def test_a_lake_that_is_made_on_a_full_disk_says_so_and_where(small):
    fill(small.folder.parent, leave=60_000)
    said = write(LakePlace.of(small.folder.parent / "new"), "load")
    assert "is full, with" in said, said
    assert str(small.folder.parent) in said
    assert "rollback" not in said

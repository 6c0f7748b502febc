"""A refresh that would take much from the lake stops, asks nothing twice, and goes through when forced."""

from __future__ import annotations

import json

import pytest

from sources.errors import CheckFailed
from standins import StandIns
from standins.trials.bench import Bench
from tests.flows.conftest import CommandLine
from warehouse.lake.session import writing

pytestmark = pytest.mark.slow

IDS = [f"2301.{number:05}" for number in range(1, 25)]
LINES = [f"- [A Study of Subject {one}](https://arxiv.org/abs/{one})\n" for one in IDS]


@pytest.fixture
def studies(standins: StandIns) -> StandIns:
    """The services, which know two dozen studies with a hundred citations each."""
    standins.add(
        {"arxiv_id": one, "title": f"A Study of Subject {one}", "authors": ["Ann Author"], "citation_count": 100}
        for one in IDS
    )
    return standins


def grow_old(bench: Bench) -> None:
    """Makes all that the lake knows two days old."""
    with writing(bench.place) as connection:
        for table, column in (("harvests", "asked_at"), ("papers", "counted_at"), ("citation_counts", "observed_at")):
            connection.execute(f"UPDATE {table} SET {column} = {column} - INTERVAL 2 DAY")


def test_a_list_cut_short_stops_the_run_and_force_lets_it_pass(bench: Bench, studies: StandIns):
    bench.refresh(bench.write("".join(LINES)))
    before = bench.contents()
    path = bench.write("".join(LINES[:8]))

    with pytest.raises(CheckFailed, match=r"would lose 16 of 24 \(67 %\) mentions"):
        bench.refresh(path)
    assert bench.contents() == before

    assert bench.refresh(path, force=True).mentions == 8
    assert bench.rows("SELECT count(*) AS n FROM mentions WHERE removed_at IS NOT NULL") == [{"n": 16}]
    assert bench.refresh(path).status == "completed"


def test_counts_of_zero_stop_the_run_and_are_not_asked_for_again_when_forced(bench: Bench, studies: StandIns):
    path = bench.write("".join(LINES))
    bench.refresh(path)
    grow_old(bench)
    studies.set_counts({one: {"citation_count": 0} for one in IDS})
    studies.clear_log()
    with pytest.raises(CheckFailed, match=r"24 of 24 \(100 %\) citation counts would fall to zero"):
        bench.refresh(path)
    assert bench.rows("SELECT DISTINCT citation_count AS n FROM papers") == [{"n": 100}]
    asked = len(studies.requests())
    assert asked > 0

    summary = bench.refresh(path, force=True)
    assert len(studies.requests()) == asked
    assert summary.counts_written == 24
    assert bench.rows("SELECT DISTINCT citation_count AS n FROM papers") == [{"n": 0}]
    assert len(bench.rows("FROM citation_counts")) == 48


@pytest.mark.nightly
def test_on_the_command_line(paperlake: CommandLine, studies: StandIns):
    (paperlake.folder / "list.md").write_text("".join(LINES), encoding="utf-8")
    assert paperlake("refresh", "list.md").returncode == 0
    (paperlake.folder / "list.md").write_text("".join(LINES[:8]), encoding="utf-8")
    stopped = paperlake("refresh", "list.md")
    assert stopped.returncode == 1
    (line,) = [line for line in stopped.stderr.splitlines() if line.startswith("paperlake: ")]
    assert "list.md would lose 16 of 24 (67 %) mentions" in line
    assert "--force" in line
    assert paperlake("refresh", "list.md", "--force").returncode == 0
    told = json.loads(paperlake("lake", "compact", "--keep", "0s", "--grace", "0s", "--json").stdout)
    assert told["read_after"]["files"] <= told["read_before"]["files"]
    assert paperlake("lake", "check", "--deep").stdout.startswith("all well: ")

    exported = paperlake("export", "bibtex", "out.bib", "--where", "citation_count = 100")
    assert exported.returncode == 0
    assert "8 papers exported to out.bib" in exported.stderr
    assert "Semantic Scholar" in exported.stderr
    assert (paperlake.folder / "out.bib").read_text().count("@") == 8
    assert paperlake("export", "parquet", "out").returncode == 0
    assert "Semantic Scholar" in (paperlake.folder / "out" / "NOTICE.txt").read_text()
    for wrong in (["parquet", "-"], ["parquet", "."], ["csv", "out"], ["csv", "-", "--where", "yaer > 1"]):
        refused = paperlake("export", *wrong)
        assert (refused.returncode, refused.stdout) == (2, "")

    lost = next((paperlake.folder / "lake" / "data" / "main" / "papers").glob("*.parquet"))
    lost.unlink()
    checked = paperlake("lake", "check")
    assert checked.returncode == 1
    assert f"fault: papers {lost}: the file is missing" in checked.stdout
    asked = paperlake("sql", "from papers")
    assert asked.returncode == 2
    assert "paperlake lake check" in asked.stderr

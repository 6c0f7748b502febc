"""A service that is away for a whole run: the run says so, the next one catches up, and `status` shows both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli import app
from standins import StandIns
from standins.fault_trials.fault_matrix import BEYOND_S2, LIST, picture
from standins.trials.bench import Bench
from tests.matrices import first_each_push

pytestmark = pytest.mark.slow


def status(bench: Bench) -> dict:
    shown = CliRunner().invoke(app, ["status", "--json", "--lake", str(bench.place.folder)])
    assert shown.exit_code == 0, shown.output
    return json.loads(shown.stdout)


NAMES = {"arxiv": "arXiv", "s2": "Semantic Scholar"}


@pytest.mark.parametrize("service", first_each_push(NAMES, count=1))
def test_an_outage_is_a_run_with_failures_and_the_next_run_catches_up(
    bench: Bench, standins: StandIns, tmp_path: Path, service: str
):
    name = NAMES[service]
    standins.leave_to_arxiv(BEYOND_S2)
    path = bench.write(LIST)
    standins.down(service)
    out = bench.refresh(path, tries=1)
    during = status(bench)

    standins.up(service)
    back = bench.refresh(path)
    after = status(bench)

    assert (out.status, back.status) == ("completed_with_failures", "completed")
    assert out.resolved > 0, "the other service's part was done"
    assert all(problem.startswith(name) for problem in out.problems)
    assert out.not_found <= back.not_found
    assert [run["status"] for run in during["runs"]] == ["completed_with_failures"]
    assert name in during["problems"][0]["problem"]
    assert sum(each["failed"] for each in during["coverage"]) == out.failed
    assert [run["status"] for run in after["runs"]] == ["completed", "completed_with_failures"]
    assert sum(each["failed"] for each in after["coverage"]) == 0

    unharmed = Bench(tmp_path / "unharmed", bench.env)
    unharmed.folder.mkdir()
    unharmed.refresh(unharmed.write(LIST))
    lake, whole = picture(bench), picture(unharmed)
    assert [table for table in whole if lake[table] != whole[table]] == []

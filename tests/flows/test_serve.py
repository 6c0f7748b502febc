"""`paperlake serve` with a real Prefect server: what it schedules, what its runs do, and what is left when it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from standins import StandIns
from standins.servers.prefect import PrefectServer
from tests.flows.conftest import CommandLine

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
LIST = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["list.md", "--cron", "every day"], 'as in --cron "0 6 * * *"', id="no cron"),
        pytest.param(["list.md", "--timezone", "Mars/Olympus"], "Invalid timezone", id="no time zone"),
        pytest.param(["-"], "standard input cannot be read again", id="standard input"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(paperlake: CommandLine, arguments: list[str], said: str):
    (paperlake.folder / "list.md").write_text(LIST)
    done = paperlake("serve", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert paperlake.made() == ["list.md"]


def test_nothing_is_served_where_prefect_would_run_another_package(paperlake: CommandLine):
    (paperlake.folder / "list.md").write_text(LIST)
    (paperlake.folder / "flows.py").write_text("")
    done = paperlake("serve", "list.md")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "flows.py has the name of paperlake's own package" in done.stderr


def test_a_served_schedule_runs_and_outlives_the_command(
    tmp_path: Path, prefect_server: PrefectServer, standins: StandIns
):
    (tmp_path / "list.md").write_text(LIST)
    env = os.environ | standins.env() | prefect_server.env() | {"PYTHONPATH": str(ROOT)}
    with _client(prefect_server) as client:
        with _serving(tmp_path, env) as log:
            name = _until(lambda: _told(log, "scheduled as '"), log).split("'")[0]
            deployment = client.read_deployment_by_name(name)
            assert deployment.parameters["lists"] == [str(tmp_path / "list.md")]
            assert deployment.tags == ["paperlake"]
            run = _until(lambda: _first_run(client, deployment.id), log)
            ended = _until(lambda: _ended(client, run), log)
        assert ended.state.name == "Completed", ended.state.message
        assert ended.name.startswith("list.md, ")
        left = client.read_deployment(deployment.id)
    assert not left.paused
    assert [(one.schedule.cron, one.schedule.timezone, one.active) for one in left.schedules] == [
        ("0 6 * * *", "Europe/Berlin", True)
    ]
    assert len(standins.requests("arxiv")) == len(standins.requests("s2")) == 1
    assert "the schedule stays" in log.read_text()
    assert "Traceback" not in log.read_text()
    line = _told(log, "Z paperlake: ") or ""
    assert line.startswith("1 mention in 1 list, 0 failed, 2 requests, ")
    assert line.endswith(("CET", "CEST"))
    assert "next run" in line


@contextmanager
def _serving(folder: Path, env: dict[str, str]) -> Iterator[Path]:
    log = folder / "serve.log"
    command = [sys.executable, "-P", "-m", "flows", "serve", "list.md", "--now", "--timezone", "Europe/Berlin"]
    with log.open("w") as file:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=file, stderr=file)
    try:
        yield log
    finally:
        process.send_signal(signal.SIGTERM)  # as systemd does
        assert process.wait(timeout=60) == 0, log.read_text()


def _client(server: PrefectServer) -> Any:
    from prefect.client.orchestration import SyncPrefectClient

    return SyncPrefectClient(server.url)


def _told(log: Path, words: str) -> str | None:
    return next((line.split(words, 1)[1] for line in log.read_text().splitlines() if words in line), None)


def _first_run(client: Any, deployment_id: Any) -> Any:
    from prefect.client.schemas.filters import DeploymentFilter

    runs = client.read_flow_runs(deployment_filter=DeploymentFilter(id={"any_": [deployment_id]}))
    return next((run.id for run in runs if not run.auto_scheduled), None)


def _ended(client: Any, run_id: Any) -> Any:
    run = client.read_flow_run(run_id)
    return run if run.state.is_final() else None


def _until(found: Callable[[], Any], log: Path) -> Any:
    patience = time.monotonic() + 120
    while time.monotonic() < patience:
        if (one := found()) is not None:
            return one
        time.sleep(0.3)
    pytest.fail(f"nothing came of it: {log.read_text()}")

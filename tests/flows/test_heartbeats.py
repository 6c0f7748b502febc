"""Heartbeats that a run sends itself, as a real Prefect server gets them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from standins.servers.prefect import PrefectServer
from tests.flows.conftest import CommandLine

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
_HEARTBEAT = "prefect.flow-run.heartbeat"
_FLOW = """
import sys, time
from prefect import flow
from prefect.runtime import flow_run
from flows.prefect.heartbeats import heartbeats, without_prefects

@flow(name="beating")
def beating():
    with heartbeats(0.1):
        time.sleep(1)
    print(flow_run.id)

with without_prefects() as every_s:
    assert every_s == 77, every_s
    beating()
"""


def _beating(server: PrefectServer) -> list[str]:
    """Returns the flow runs that the server has heartbeats of, one a heartbeat."""
    wanted = {"filter": {"event": {"name": [_HEARTBEAT]}}, "limit": 50}
    told = httpx.post(f"{server.url}/events/filter", json=wanted).raise_for_status().json()["events"]
    return [one["resource"]["prefect.resource.id"].removeprefix("prefect.flow-run.") for one in told]


def test_a_run_sends_heartbeats_of_its_own_as_often_as_it_is_told(tmp_path: Path, prefect_server: PrefectServer):
    told = {"PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "77", "PREFECT_LOGGING_LEVEL": "CRITICAL", "PYTHONPATH": str(ROOT)}
    env = os.environ | prefect_server.env() | told
    done = subprocess.run(
        [sys.executable, "-c", _FLOW], env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    patience = time.monotonic() + 20
    while (beats := _beating(prefect_server).count(done.stdout.strip())) < 3 and time.monotonic() < patience:
        time.sleep(0.2)
    assert beats >= 3


def test_a_short_refresh_sends_none_nor_waits_for_prefects(
    served_paperlake: CommandLine, prefect_server: PrefectServer
):
    (served_paperlake.folder / "beating.md").write_text("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    assert served_paperlake("refresh", "beating.md").returncode == 0
    named = {"flow_runs": {"name": {"like_": "beating.md"}}}
    (run,) = httpx.post(f"{prefect_server.url}/flow_runs/filter", json=named).raise_for_status().json()
    assert run["id"] not in _beating(prefect_server)

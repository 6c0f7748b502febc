"""Targets that cannot be used are told in one line with exit code 2, before anything is started or made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.prefect.server import may_use_server
from standins.servers.prefect import PrefectServer
from tests.flows.conftest import CommandLine

ROOT = Path(__file__).resolve().parents[2]
LIST = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"


def refused(paperlake: CommandLine, *arguments: str) -> str:
    (paperlake.folder / "list.md").write_text(LIST, encoding="utf-8")
    done = paperlake("refresh", "list.md", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    return done.stderr


def test_a_dead_prefect_server_is_named_and_nothing_is_made(paperlake: CommandLine):
    nowhere = CommandLine(paperlake.folder, paperlake.env | {"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    assert "no Prefect server answers at http://127.0.0.1:9/api, which PREFECT_API_URL names" in refused(nowhere)
    assert paperlake.made() == ["list.md"]


def test_a_broken_catalogue_is_told_before_prefect_is_looked_for(paperlake: CommandLine):
    (paperlake.folder / "lake").mkdir()
    (paperlake.folder / "lake" / "catalog.sqlite").write_bytes(b"no database" * 100)
    nowhere = CommandLine(paperlake.folder, paperlake.env | {"PREFECT_API_URL": "http://127.0.0.1:9/api"})
    said = refused(nowhere)
    assert "cannot open the lake at" in said
    assert "file is not a database" in said


@pytest.mark.slow
def test_without_a_server_a_refresh_runs_in_its_process(paperlake: CommandLine, tmp_path: Path):
    (paperlake.folder / "list.md").write_text(LIST, encoding="utf-8")
    alone = CommandLine(paperlake.folder, paperlake.env | {"PREFECT_HOME": str(tmp_path / "prefect")})
    done = alone("refresh", "list.md", "--dashboard", "page")
    assert done.returncode == 0, done.stderr
    assert "1 mention in 1 list: 1 resolved" in done.stdout
    assert "run: in this process" in done.stdout
    assert (paperlake.folder / "page" / "index.html").is_file()
    assert not (tmp_path / "prefect").exists()


@pytest.mark.parametrize(
    ("profiles", "may"), [(None, False), ('active = "a"\n', False), ('PREFECT_API_URL = "http://x/api"\n', True)]
)
def test_prefects_profiles_are_looked_at_for_a_server(
    tmp_path: Path, monkeypatch: Any, profiles: str | None, may: bool
):
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    if profiles is not None:
        (tmp_path / "profiles.toml").write_text(profiles, encoding="utf-8")
    assert may_use_server() is may
    monkeypatch.setenv("prefect_api_url", "http://127.0.0.1:4200/api")
    assert may_use_server()


@pytest.mark.nightly
def test_a_worker_is_not_sent_into_the_folder_that_was_deployed_from(tmp_path: Path, prefect_server: PrefectServer):
    pytest.importorskip("prefect")
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.actions import WorkPoolCreate

    told = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))
    shutil.copy(ROOT / "prefect.yaml", tmp_path)
    with SyncPrefectClient(prefect_server.url) as client:
        client.create_work_pool(WorkPoolCreate(name=told["definitions"]["pool"]["name"], type="process"))
        env = os.environ | prefect_server.env() | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr
        for one in told["deployments"]:
            deployment = client.read_deployment_by_name(f"refresh/{one['name']}")
            assert deployment.pull_steps == [], "no step that only the machine of the deployment can take"
            assert deployment.entrypoint == "flows.prefect.flow.refresh"

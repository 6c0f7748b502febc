"""One lake for many machines, by setting alone: PostgreSQL holds the catalogue, S3 the data, each machine a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from standins import StandIns
from standins.servers.postgres import PASSWORD, PostgresServer
from standins.servers.prefect import PrefectServer
from standins.servers.s3 import S3Server
from tests.backends import Shared
from tests.flows.conftest import CommandLine
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing

pytestmark = pytest.mark.slow

LISTS = {
    "a.md": "# A\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n",
    "b.md": "# B\n\n- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)\n",
}


@pytest.fixture
def machines(
    tmp_path: Path, standins: StandIns, postgres: PostgresServer, s3: S3Server, prefect_server: PrefectServer
) -> Iterator[tuple[CommandLine, CommandLine]]:
    """Two machines with a folder each and one lake between them."""
    lake = Shared(postgres, s3).new(tmp_path / "unused")
    env = {
        **standins.env(),
        **s3.env,
        **prefect_server.env(),
        "PAPERLAKE_CATALOG": lake.catalog,
        "PAPERLAKE_DATA": lake.data,
    }
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        for file, text in LISTS.items():
            (tmp_path / name / file).write_text(text, encoding="utf-8")
    yield CommandLine(tmp_path / "one", env), CommandLine(tmp_path / "two", env)
    postgres.drop(Shared(postgres, s3).database(lake))


def secrets(machine: CommandLine) -> list[str]:
    return [PASSWORD, PASSWORD.replace("\\", "\\\\").replace("'", "\\'"), machine.env["AWS_SECRET_ACCESS_KEY"]]


@pytest.mark.nightly
def test_what_one_machine_refreshes_the_other_knows_and_no_secret_is_anywhere(
    machines: tuple[CommandLine, CommandLine], standins: StandIns
):
    one, two = machines
    first = one("refresh", "a.md", "--json", "--verbose")
    assert first.returncode == 0, first.stderr
    asked = len(standins.requests())
    status = two("status", "--json")
    assert json.loads(status.stdout)["coverage"][0]["resolved"] == 1
    asking = two("sql", "SELECT title, citation_count IS NOT NULL AS counted FROM papers", "--format", "json")
    assert json.loads(asking.stdout) == [{"title": "Fast R-CNN", "counted": True}]
    second = one("refresh", "a.md", "--json")
    assert second.returncode == 0, second.stderr
    assert len(standins.requests()) == asked

    wrong = replace(two, env=two.env | {"PAPERLAKE_CATALOG": two.env["PAPERLAKE_CATALOG"].replace("s3cr", "wr0ng")})
    refused = wrong("sql", "FROM papers")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "password authentication failed" in refused.stderr

    shown = "".join(done.stdout + done.stderr for done in (first, second, status, asking, refused))
    kept = b"".join(path.read_bytes() for path in one.folder.rglob("*") if path.is_file())
    for secret in secrets(one):
        assert secret not in shown
        assert secret.encode() not in kept


def test_refreshes_of_two_machines_say_for_what_they_wait_and_neither_is_lost(
    machines: tuple[CommandLine, CommandLine], tmp_path: Path, s3: S3Server
):
    one, two = machines
    third = LakePlace.of(tmp_path / "three", catalog=one.env["PAPERLAKE_CATALOG"], data=one.env["PAPERLAKE_DATA"])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3.env.items():
            patch.setenv(name, value)
        with writing(third):
            running = [_start(one, "a.md"), _start(two, "b.md")]
            waits = [_until(process, "another paperlake writes to postgres:") for process in running]
    for process, waited in zip(running, waits, strict=True):
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, waited + err
        assert json.loads(out.splitlines()[-1])["resolved"] == 1
        assert "waiting for it to end" in waited
        assert PASSWORD not in waited + err
    rows = json.loads(one("sql", "SELECT title FROM papers ORDER BY ALL", "--format", "json").stdout)
    assert [row["title"] for row in rows] == ["Fast R-CNN", "Mixed Precision Training"]


def _until(process: subprocess.Popen[str], words: str) -> str:
    """Returns what the process complains of until a line holds `words`, or until it ends without."""
    assert process.stderr is not None
    read = ""
    for line in process.stderr:
        read += line
        if words in line:
            break
    return read


def _start(machine: CommandLine, *lists: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "flows", "refresh", *lists, "--json"],
        cwd=machine.folder,
        env=os.environ | machine.env | {"PYTHONPATH": str(Path(__file__).resolve().parents[2]), "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

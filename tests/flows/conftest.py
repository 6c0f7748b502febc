"""The command line as a child process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from standins import StandIns
from standins.servers.prefect import PrefectServer


@dataclass
class CommandLine:
    """`paperlake` as a child process in a folder of its own."""

    folder: Path
    env: dict[str, str]

    def __call__(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-m", "flows", *arguments],
            cwd=self.folder,
            env=os.environ | self.env | {"PYTHONPATH": str(Path(__file__).resolve().parents[2]), "COLUMNS": "200"},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    def made(self) -> Sequence[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def paperlake(tmp_path: Path, standins: StandIns) -> CommandLine:
    folder = tmp_path / "work"
    folder.mkdir()
    return CommandLine(folder, standins.env())


@pytest.fixture
def served_paperlake(paperlake: CommandLine, prefect_server: PrefectServer) -> CommandLine:
    """The command line of a user who runs a Prefect server, which spares each refresh the start of one of its own."""
    return CommandLine(paperlake.folder, paperlake.env | prefect_server.env())


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    """A Prefect server such as a user runs, for all tests: its start takes longer than most of them."""
    with PrefectServer(tmp_path_factory.mktemp("prefect")) as running:
        yield running

"""A refresh in this process, without Prefect, and the command line as a child process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.revisions import read_and_parse
from flows.refresh.summary import RunSummary
from flows.settings import Settings
from tests.prefect_server import PrefectServer
from tests.standins import StandIns
from warehouse.lake.session import LakePlace, open_lake, writing


@dataclass
class Bench:
    """A lake in a temporary folder, and what is run against it."""

    folder: Path
    env: dict[str, str]
    labels: list[str] = field(default_factory=list)

    @property
    def place(self) -> LakePlace:
        return LakePlace.of(self.folder / "lake")

    def settings(self, **changes: Any) -> Settings:
        told = {name.removeprefix("PAPERLAKE_").lower(): value for name, value in self.env.items()}
        return Settings(**{"lake": self.place.folder, "backoff": 0.0, "give_up": 1.0, **told, **changes})

    def write(self, text: str, name: str = "list.md") -> str:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def refresh(self, *lists: str, force: bool = False, **changes: Any) -> RunSummary:
        settings = self.settings(**changes)
        reading = read_and_parse(lists, settings.place, force=force)
        return refresh_lake(reading, settings, run_batch=self._run, report=Silent(), clock=Stopwatch(), force=force)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        connection = open_lake(self.place)
        try:
            return connection.execute(sql).to_arrow_table().to_pylist()
        finally:
            connection.close()

    def contents(self) -> dict[str, list[str]]:
        """Every row of every table but `runs`, in a form that can be compared."""
        names = [row["name"] for row in self.rows("SELECT table_name AS name FROM duckdb_tables()")]
        ours = [name for name in names if not name.startswith("ducklake_") and name != "runs"]
        return {name: sorted(map(repr, self.rows(f'FROM "{name}"'))) for name in ours}

    def _run(self, label: str, call: Callable[[], Any]) -> Any:
        self.labels.append(label)
        return call()


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


@pytest.fixture(scope="session")
def _new_lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lake without rows. Making one takes as long as a refresh, so tests copy it."""
    place = LakePlace.of(tmp_path_factory.mktemp("new") / "lake")
    with writing(place):
        return place.folder


@pytest.fixture
def bare_bench(tmp_path: Path, standins: StandIns) -> Bench:
    """A place where there is no lake yet."""
    return Bench(tmp_path, standins.env())


@pytest.fixture
def bench(tmp_path: Path, standins: StandIns, _new_lake: Path) -> Bench:
    shutil.copytree(_new_lake, tmp_path / "lake")
    return Bench(tmp_path, standins.env())


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

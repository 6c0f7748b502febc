"""A refresh in this process, without Prefect, on a lake of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from flows.cli import app
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import RunSummary
from flows.settings import Settings
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake


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

    def does(self, *arguments: str, code: int = 0, stdin: str | None = None) -> str:
        """Runs a command over the lake in this process, and returns all that it says, of `--json` the result alone."""
        env = {"COLUMNS": "80", "PAPERLAKE_LAKE": str(self.place.folder)}
        done = CliRunner().invoke(app, arguments, input=stdin, env=env)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == code, done.output
        return done.stdout if "--json" in arguments else done.output

    def rows(self, sql: str) -> list[dict[str, Any]]:
        connection = open_lake(self.place)
        try:
            return connection.execute(sql).to_arrow_table().to_pylist()
        finally:
            connection.close()

    def contents(self) -> dict[str, list[str]]:
        """Every row of every table but `runs`, in a form that can be compared."""
        connection = open_lake(self.place)
        try:
            names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
            ours = [name for name in names if not name.startswith("ducklake_") and name != "runs"]
            found = {name: connection.execute(f'FROM "{name}"').to_arrow_table().to_pylist() for name in ours}
        finally:
            connection.close()
        return {name: sorted(map(repr, rows)) for name, rows in found.items()}

    def _run(self, label: str, call: Callable[[], Any]) -> Any:
        self.labels.append(label)
        return call()

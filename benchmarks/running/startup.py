"""What starting a command costs: help, `sql` and `status` on a small lake, each beside the least that does the like.

    .venv/bin/python -m benchmarks.running.startup [--full]

The least is an interpreter that imports the library behind it: DuckDB and one query over the same Parquet files, or
Typer's help. Each is a process of its own, in turns, so that a busy machine slows all alike. It also runs `sql` without
hiding pandas, which DuckDB imports where it is installed, and with Python's usual look for garbage at the end.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.figure import Figure, medians, run
from benchmarks.running.fixed_cost import LIST, ROOT

QUERY = "from coverage"
_TYPER = "import typer.rich_utils"
_DUCKDB = (
    "import duckdb; duckdb.sql(\"SELECT count(*) FROM read_parquet('lake/data/**/*.parquet', union_by_name=true)\")"
)
_MAIN = "from flows.cli import main; main()"
_WITH_PANDAS = "import atexit, gc; from flows.cli import app; atexit.register(gc.freeze); app()"
_WITH_COLLECTOR = "from flows.cli import app\nfrom flows.cli import without\nwith without('pandas'): app()"


@dataclass(frozen=True, kw_only=True)
class Start:
    """A command, and what it stands beside.

    Attributes:
        name: What is measured.
        arguments: Of the command.
        beside: What the alternative is.
        plain: Its code.
        bar: The most that the command may take, as a multiple of it.
    """

    name: str
    arguments: tuple[str, ...]
    beside: str
    plain: str
    bar: float | None = None


_LIBRARY = {"plain": _TYPER, "beside": "python -c 'import typer.rich_utils'"}
_QUERY = {"plain": _DUCKDB, "beside": "DuckDB and one query over the same Parquet"}
STARTS = (
    Start(name="paperlake --version", arguments=("--version",), bar=1.5, **_LIBRARY),
    Start(name="paperlake --help", arguments=("--help",), bar=2, **_LIBRARY),
    Start(name=f'paperlake sql "{QUERY}"', arguments=("sql", QUERY), bar=6, **_QUERY),
    Start(name="paperlake status", arguments=("status",), bar=8, **_QUERY),
    Start(
        name=f'paperlake sql "{QUERY}", pandas hidden',
        arguments=("sql", QUERY),
        plain=_WITH_PANDAS,
        beside="the same with pandas in sight",
    ),
    Start(
        name=f'paperlake sql "{QUERY}", no look for garbage at the end',
        arguments=("sql", QUERY),
        plain=_WITH_COLLECTOR,
        beside="the same with one",
    ),
)


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the time of each command beside the least that does the like, then what hiding pandas saves."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "list.md").write_text(LIST)
        env = _environment(work)
        _python(_MAIN, "refresh", "list.md", "--offline", work=work, env=env)
        for start in STARTS:
            command = partial(_python, _MAIN, *start.arguments, work=work, env=env)
            alternative = partial(_python, start.plain, *start.arguments, work=work, env=env)
            for compiling in (command, alternative):
                compiling()  # compiles modules
            taken, least = medians(11 if full else 5, command, alternative)
            yield Figure(
                name=start.name, value=1000 * taken, unit="ms", beside=start.beside, plain=1000 * least, bar=start.bar
            )


def _environment(work: Path) -> dict[str, str]:
    """Returns the environment of a user whose Python keeps compiled modules."""
    env = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PREFECT_API_URL")
    }
    return env | {"PYTHONPATH": str(ROOT), "PREFECT_HOME": str(work / "prefect"), "DO_NOT_TRACK": "1"}


def _python(code: str, *arguments: str, work: Path, env: Mapping[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=work, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise SystemExit(done.stderr)


if __name__ == "__main__":
    run(figures, __doc__)

"""What commands cost from their start to their end, in processor time: the times that somebody waits at a terminal.

    .venv/bin/python -m benchmarks.running.startup [--full]

Medians of five, each a process of its own, in turns with the least that does the like: an interpreter that imports
DuckDB and asks it one query, or that imports Typer's help. So a busy machine slows all alike. The services are
stand-ins that answer at once. It also runs `sql` without hiding pandas, which DuckDB imports where it is installed, and
with Python's usual look for garbage at the end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median

from benchmarks.figure import Figure, processor_seconds, run
from benchmarks.running.fixed_cost import LIST, ROOT
from standins import StandIns

SHARED = Path("../shared").resolve()
QUERY = "from coverage"
_TYPER = "import typer.rich_utils"
_DUCKDB = "import duckdb; duckdb.sql('SELECT 1').fetchall()"
_MAIN = "from flows.cli import main; main()"
_WITH_PANDAS = "import atexit, gc; from flows.cli import app; atexit.register(gc.freeze); app()"
_WITH_COLLECTOR = "from flows.cli import app\nfrom flows.cli import without\nwith without('pandas'): app()"
_ADDED = "1706.03762"
_UNRESOLVED = "SELECT location || ':' || line FROM unresolved ORDER BY ALL LIMIT 1"


@dataclass(frozen=True, kw_only=True)
class Start:
    """A command, and what it stands beside.

    Attributes:
        name: What is measured.
        arguments: Of the command.
        beside: What the alternative is.
        plain: Its code.
        bar: The most that the command may take, in seconds.
        asks: Whether the services are asked, whose addresses are settings then.
        before: What is done before each time, and not measured.
    """

    name: str
    arguments: tuple[str, ...]
    beside: str = "import duckdb and one query"
    plain: str = _DUCKDB
    bar: float | None = None
    asks: bool = False
    before: Callable[[], object] = tuple


_ALTERED = (
    Start(
        name=f'sql "{QUERY}", pandas hidden',
        arguments=("sql", QUERY),
        plain=_WITH_PANDAS,
        beside="the same with pandas in sight",
    ),
    Start(
        name=f'sql "{QUERY}", no look for garbage at the end',
        arguments=("sql", QUERY),
        plain=_WITH_COLLECTOR,
        beside="the same with one",
    ),
)


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the processor time of each command beside the least that does the like, then what hiding pandas saves."""
    facts = [SHARED / "facts"] if SHARED.is_dir() else []
    with tempfile.TemporaryDirectory() as folder, StandIns(facts) as standins:
        work = Path(folder)
        own = _environment(work)
        paperlake = partial(_python, _MAIN, work=work, env=own)
        (work / "list.md").write_text(LIST)
        paperlake("refresh", "list.md", "--offline")
        for start in (*_of_one_entry(work), *_of_four_lists(work, paperlake), *_ALTERED):
            env = own | standins.env() if start.asks else own
            command = partial(_python, _MAIN, *start.arguments, work=work, env=env)
            alternative = partial(_python, start.plain, *start.arguments, work=work, env=env)
            taken, least = [], []
            for _ in range(12 if full else 6):
                start.before()
                taken.append(processor_seconds(command))
                least.append(processor_seconds(alternative))
            yield Figure(  # the first time compiles modules
                name=f"paperlake {start.name}: processor time", value=median(taken[1:]), unit="s", beside=start.beside,
                plain=median(least[1:]), bar=start.bar, bar_on="value",
            )  # fmt: skip


def _of_one_entry(work: Path) -> Iterator[Start]:
    def unmade() -> None:
        shutil.rmtree(work / "first", ignore_errors=True)

    first = ("refresh", "list.md", "--lake", "first")
    yield Start(name="--version", arguments=("--version",), plain=_TYPER, beside="import typer.rich_utils")
    yield Start(name="--help", arguments=("--help",), plain=_TYPER, beside="import typer.rich_utils")
    yield Start(name=f'sql "{QUERY}", small lake', arguments=("sql", QUERY), bar=0.35)
    yield Start(name="status, small lake", arguments=("status",), bar=0.45)
    unknown = ("check", "list.md", "--lake", "none")
    yield Start(name="check of one entry, offline", arguments=(*unknown, "--offline"), bar=0.5)
    yield Start(name="check of one entry", arguments=unknown, asks=True)
    yield Start(name="add", arguments=("add", "list.md", "1504.08083", "--lake", "none"), bar=1.5, asks=True)
    yield Start(name="refresh of one entry, the first", arguments=first, asks=True, before=unmade)
    yield Start(name="refresh of one entry, the first, offline", arguments=(*first, "--offline"), before=unmade)
    yield Start(name="refresh of one entry, nothing new", arguments=first, asks=True)


def _of_four_lists(work: Path, paperlake: Callable[..., str]) -> Iterator[Start]:
    """Yields what the four lists of ../shared cost; nothing where they are not there."""
    if not SHARED.is_dir():
        return
    files = [shutil.copy(file, work / f"{file.stem}.md") for file in sorted((SHARED / "lists").glob("*.txt"))]
    ids, refresh = cycle((_ADDED, "1504.08083")), ("refresh", *map(str, files), "--lake", "four")

    def decide() -> None:
        mention = paperlake("sql", _UNRESOLVED, "--format", "csv", "--lake", "four").splitlines()[-1]
        paperlake("review", "set-id", mention.strip('"'), next(ids), "--lake", "four")

    def unmade() -> None:
        shutil.rmtree(work / "four", ignore_errors=True)

    yield Start(name="refresh of the four lists, the first", arguments=refresh, bar=6, asks=True, before=unmade)
    yield Start(name="refresh of the four lists, nothing new", arguments=refresh, asks=True)
    yield Start(name="refresh of the four lists, one decision", arguments=refresh, bar=3, asks=True, before=decide)


def _environment(work: Path) -> dict[str, str]:
    """Returns the environment of a user whose Python keeps compiled modules."""
    env = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PREFECT_API_URL")
    }
    return env | {"PYTHONPATH": str(ROOT), "PREFECT_HOME": str(work / "prefect"), "DO_NOT_TRACK": "1"}


def _python(code: str, *arguments: str, work: Path, env: Mapping[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=work, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise SystemExit(done.stderr)
    return done.stdout


if __name__ == "__main__":
    run(figures, __doc__)

"""The screens of docs/screens.md: what some commands print at 80, 100 and 120 columns.

    .venv/bin/python -m benchmarks.running.screens > docs/screens.md

Each is a command over a lake made here from two lists against the stand-ins of the services.
What depends on the clock is set in the lake before: when things happened, and how long they took.
"""

from __future__ import annotations

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from typer.testing import CliRunner

from flows.cli import app
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.settings import Settings
from standins import StandIns
from warehouse.lake.session import writing

WIDTHS = (80, 100, 120)
COMMANDS = (
    ("--help",),
    ("status",),
    ("show", "1910.02054"),
    ("search", "training"),
    ("sql", "select * exclude (location) from coverage"),
    ("sql", "from catalog limit 3"),
    ("review",),
    ("parse", "reading.md", "systems.md", "--explain"),
    ("check", "reading.md", "draft.md", "--offline"),
    ("fix", "notes.md", "--diff", "--offline"),
    ("add", "talks.md", "1706.03762", "--diff", "--offline"),
)
LISTS = {
    "reading.md": """# Reading

## Names

- What's in a Name?
- [Mixed Precision Training](https://arxiv.org/abs/1504.08083)

## Attention

- Attention Is All You Need. Vaswani et al. NeurIPS 2017. [arXiv](https://arxiv.org/abs/1706.03762)
""",
    "systems.md": """# Systems

- [ZeRO: Memory Optimizations Toward Training Trillion Parameter Models](https://arxiv.org/abs/1910.02054)
- Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020
- A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)
""",
}
DRAFT = """# Draft

- [Fast R-CNN](https://arxiv.org/abs/1504.08083), 2015
- [ZeRO: Memory Optimizations Toward Training Trilion Parameter Models](https://arxiv.org/abs/1910.02054), 2009
- [Attention Is All You Need](https://arxiv.org/abs/1706.03762 [[slides]()]
- Girshick: [Fast R-CNN](https://arxiv.org/pdf/1504.08083)
"""
NOTES = """# Notes

- [Fast R-CNN](http://arxiv.org/abs/1504.08083)
- [Attention Is All You Need]()
"""
TALKS = """# Talks

- [Fast R-CNN](https://arxiv.org/abs/1504.08083), 2015
- [What is in a Name?](https://arxiv.org/abs/1803.00001), 2018
"""
"""Lists that were edited since the lake was refreshed, and not read by the other commands."""
_CLOCK = (
    "UPDATE runs SET started_at = now() - INTERVAL 301 SECOND, seconds_total = 2.5",
    "UPDATE papers SET refreshed_at = now() - INTERVAL 301 SECOND",
    "UPDATE papers SET counted_at = TIMESTAMPTZ '2026-11-01 06:00:00+00' WHERE counted_at IS NOT NULL",
    "UPDATE citation_counts SET observed_at = TIMESTAMPTZ '2026-11-01 06:00:00+00'",
    "UPDATE mentions SET first_seen_at = TIMESTAMPTZ '2026-11-01 06:00:00+00'",
    "UPDATE published_versions SET first_seen_at = TIMESTAMPTZ '2026-11-01 06:00:00+00'",
)


def main() -> None:
    sys.stdout.write(page())


def page() -> str:
    """Returns docs/screens.md."""
    parts = [
        "# Screens\n",
        "What commands print at three widths, by `python -m benchmarks.running.screens > docs/screens.md`.\n",
    ]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        _make_lake(work)
        for command in COMMANDS:
            for width in WIDTHS:
                call = " ".join(f'"{word}"' if " " in word else word for word in command)
                parts.append(f"## `paperlake {call}` at {width} columns\n")
                parts.append(f"```text\n{_screen(command, work, width)}```\n")
    return "\n".join(parts)


def _make_lake(work: Path) -> None:
    for name, text in (LISTS | {"draft.md": DRAFT, "notes.md": NOTES, "talks.md": TALKS}).items():
        (work / name).write_text(text, encoding="utf-8")
    with StandIns() as standins:
        told = {name.removeprefix("PAPERLAKE_").lower(): value for name, value in standins.env().items()}
        settings = Settings(lake=work / "lake", **told)
        reading = read_and_parse([str(work / name) for name in LISTS], settings.place)
        refresh_lake(reading, settings, run_batch=lambda _, call: call(), report=Silent(), clock=Stopwatch())
    with writing(settings.place) as connection:
        for statement in _CLOCK:
            connection.execute(statement)


def _screen(command: tuple[str, ...], work: Path, width: int) -> str:
    with contextlib.chdir(work):
        done = CliRunner().invoke(app, command, env={"COLUMNS": str(width), "PAPERLAKE_LAKE": "lake"})
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    names: dict[str, str] = {}  # of mentions, which depend on the folder
    screen = re.sub(r"\bm[0-9a-f]{5}\b", lambda match: names.setdefault(match[0], f"m3f9a{len(names)}"), done.stdout)
    return "".join(f"{line.rstrip()}\n" for line in screen.splitlines())


if __name__ == "__main__":
    main()

"""The screens of docs/screens.md: what some commands print at 80, 100 and 120 columns.

    .venv/bin/python -m benchmarks.running.screens > docs/screens.md

Each is a command over a lake made here from two lists against the stand-ins of the services.
What depends on the clock is set in the lake before: when things happened, and how long they took.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from typer.testing import CliRunner

from flows import progress
from flows.cli import app
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.settings import Settings
from standins import StandIns
from warehouse.lake.session import writing

WIDTHS = (80, 100, 120)
COMMANDS = (
    ("--help",),
    ("refresh", "reading.md", "systems.md", "--lake", "another"),
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


# What a long refresh shows while it runs: stage, items, unit, how many are done.
_STAGES = (
    ("Titles in the local mirror", 2_000, "titles", 2_000),
    ("arXiv: papers by title", 340, "titles", 120),
    ("Semantic Scholar: best match, one by one", 10_000, "papers", 500),
)


def main() -> None:
    sys.stdout.write(page())


def page() -> str:
    """Returns docs/screens.md."""
    parts = [
        "# Screens\n",
        "What commands print at three widths, by `python -m benchmarks.running.screens > docs/screens.md`.\n",
    ]
    for width in WIDTHS:
        parts.append(f"## The progress of a refresh at {width} columns\n")
        parts.append(f"```text\n{_progress(width)}```\n")
    with tempfile.TemporaryDirectory() as folder, StandIns() as standins:
        work = Path(folder)
        _make_lake(work, standins)
        for command in COMMANDS:
            for width in WIDTHS:
                call = " ".join(f'"{word}"' if " " in word else word for word in command)
                parts.append(f"## `paperlake {call}` at {width} columns\n")
                parts.append(f"```text\n{_screen(command, work, width, standins)}```\n")
    return "\n".join(parts)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _progress(width: int) -> str:
    """Returns the last that the bars of some stages showed."""
    with (
        contextlib.redirect_stderr(terminal := _Terminal()),
        patch.dict(os.environ, {"COLUMNS": str(width), "TERM": "xterm"}),
        patch.object(progress, "_WORTH_A_BAR_S", 0.0),
        progress.watched() as reporter,
    ):
        for name, total, unit, done in _STAGES:
            reporter.stage(name, total, unit)(done)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.getvalue())
    last = [line.split("\r")[-1].rstrip() for line in plain.splitlines() if line.strip()][-len(_STAGES) :]
    return "".join(f"{line}\n" for line in last)


def _make_lake(work: Path, standins: StandIns) -> None:
    for name, text in (LISTS | {"draft.md": DRAFT, "notes.md": NOTES, "talks.md": TALKS}).items():
        (work / name).write_text(text, encoding="utf-8")
    told = {name.removeprefix("PAPERLAKE_").lower(): value for name, value in standins.env().items()}
    settings = Settings(lake=work / "lake", **told)
    reading = read_and_parse([str(work / name) for name in LISTS], settings.place)
    report, clock = progress.Silent(), progress.Stopwatch()
    refresh_lake(reading, settings, run_batch=lambda _, call: call(), report=report, clock=clock)
    with writing(settings.place) as connection:
        for statement in _CLOCK:
            connection.execute(statement)


def _screen(command: tuple[str, ...], work: Path, width: int, standins: StandIns) -> str:
    shutil.rmtree(work / "another", ignore_errors=True)
    with contextlib.chdir(work):
        env = standins.env() | {"COLUMNS": str(width), "PAPERLAKE_LAKE": "lake"}
        done = CliRunner().invoke(app, command, env=env)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    names: dict[str, str] = {}  # of mentions, which depend on the folder
    printed = re.sub(r"(requests: .*); \d+\.\d s", r"\1; 2.5 s", done.stdout)
    screen = re.sub(r"\bm[0-9a-f]{5}\b", lambda match: names.setdefault(match[0], f"m3f9a{len(names)}"), printed)
    return "".join(f"{line.rstrip()}\n" for line in screen.splitlines())


if __name__ == "__main__":
    main()

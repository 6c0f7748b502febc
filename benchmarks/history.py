"""The history of results: one line of JSON a figure and run, with the commit that it was measured at."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_name("history.jsonl")


def add(figures: Sequence[Figure], *, full: bool, file: Path = FILE) -> None:
    """Appends the figures of one run."""
    run = {
        "commit": _git("rev-parse", "--short", "HEAD"),
        "changed": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "full": full,
        "python": platform.python_version(),
        "cores": os.cpu_count(),
    }
    with file.open("a", encoding="utf-8") as out:
        for one in figures:
            facts = {"figure": one.name, "value": one.value, "unit": one.unit, "plain": one.plain, "beside": one.beside}
            out.write(json.dumps(run | facts | {"bar": one.bar, "bar_on": one.bar_on}, ensure_ascii=False) + "\n")


def read(file: Path = FILE) -> list[dict]:
    """Returns every line, oldest first."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def runs(file: Path = FILE) -> list[list[Figure]]:
    """Returns the figures of each run, oldest first."""
    told: dict[str, list[Figure]] = {}
    for line in read(file):
        facts = {name: line[name] for name in ("value", "unit", "beside", "plain", "bar", "bar_on")}
        told.setdefault(line["at"], []).append(Figure(name=line["figure"], **facts))
    return list(told.values())


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()

"""A stranger's hour: three people use paperlake by the README alone, in a fresh clone; prints what they type and see.

    .venv/bin/python -m benchmarks.running.first_hour [--columns 80]

A researcher has lists as people write them, a keeper an awesome-list, a data engineer a lake to run and to read. Every
command stands in the README, word for word but for what is behind it here; the services are stand-ins. It ends with 1
where a command ends with another exit code, does not say what it promises, or is not in the README.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from standins import StandIns

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Step:
    """One command.

    Attributes:
        words: As they stand in the README.
        promised: What must be printed, each somewhere; case and line breaks are no matter.
        code: The exit code.
        more: What the stranger adds behind.
        lists: Files that are written before: name -> text.
    """

    words: str
    promised: tuple[str, ...] = ()
    code: int = 0
    more: str = ""
    lists: Mapping[str, str] | None = None


MESSY = """# stuff to read

## attention & co
* [x] Vaswani et al. -- Attention is all you need (NIPS'17) !!!
* zero optimizer https://arxiv.org/abs/1910.02054
- BERT
1) Girshick, R.: Fast R-CNN. In: ICCV (2015)

| paper | year | notes |
|---|---|---|
| Mixed Precision Training | 2018 | read sec 3 |
| [Attention Is All You Need](https://arxiv.org/abs/1504.08083) | | |

buy milk
"""
AWESOME = """# Awesome Deep Learning [![Awesome](https://awesome.re/badge.svg)](https://awesome.re)

## Contents

- [Vision](#vision)
- [Language](#language)

## Vision

- [Fast R-CNN](http://arxiv.org/abs/1504.08083) - Girshick, ICCV 2015.
- [Mixed Precison Training](https://arxiv.org/abs/1710.03740) - Micikevicius et al., ICLR 2018.
- [Fast R-CNN](https://arxiv.org/pdf/1504.08083) - Girshick, ICCV 2015.

## Language

- [Attention Is All You Need](https://arxiv.org/abs/1706.03762) - Vaswani et al., NeurIPS 2017.
"""
STARTER = "examples/starter/arxiv-starter.jsonl"
SQL = "select title, year, authors[1] as first_author, arxiv_id from catalog order by year"
WAYS = {
    "A researcher with messy lists": (
        Step("paperlake parse my-list.md", ("Fast R-CNN", "mentions in 1 list"), lists={"my-list.md": MESSY}),
        Step("paperlake refresh my-list.md --dry-run", ("requests: ", "nothing was sent, nothing was written")),
        Step("paperlake refresh my-list.md", ("mentions in 1 list", "resolved", "paperlake review", "lake: lake")),
        Step(f'paperlake sql "{SQL}"', ("1504.08083", "Girshick")),
        Step("paperlake status", ("Last runs", "Unresolved")),
        Step("paperlake review", ("Attention Is All You Need", "ambiguous")),
        Step("paperlake show", ("Attention Is All You Need", "my-list.md", "@"), more="1706.03762"),
        Step("paperlake search", ("Mixed Precision Training",), more="precision"),
        Step("paperlake missing my-list.md", ("turns it on",)),
        Step("paperlake related 1706.03762", ("turns it on",)),
        Step("paperlake next my-list.md", ("To read next",)),
        Step('paperlake export bibtex papers.bib --where "year >= 2020"', ("papers.bib",)),
        Step("paperlake dashboard", ("index.html",)),
    ),
    "A keeper of an awesome-list": (
        Step(
            "paperlake check my-list.md", ("duplicate", "title", "Precison"), code=1, more="--strict",
            lists={"my-list.md": AWESOME},
        ),
        Step("paperlake fix my-list.md", ("https://arxiv.org/abs/1504.08083", "Mixed Precision")),
        Step("paperlake fix my-list.md", ("written",), more="--write"),
        Step("paperlake add my-list.md 1706.03762", ("has this paper already",), code=2),
        Step("paperlake add my-list.md", ("name one with --section",), code=2, more="1910.02054"),
        Step("paperlake add my-list.md", ("written",), more="1910.02054 --section Vision --write"),
        Step("paperlake check my-list.md", ("stands on line 10 already",), code=1, more="--no-links"),
        Step("paperlake export bibtex my-list.md papers.bib", ("papers.bib",)),
        Step("paperlake init my-list.md", ("paperlake.toml", "paperlake.service")),
        Step("paperlake refresh", ("mentions in 1 list",)),
    ),
    "A data engineer": (
        Step("paperlake refresh my-list.md", ('"mentions": 9', '"failed": 0'), more="other.md --json",
             lists={"my-list.md": AWESOME, "other.md": MESSY}),
        Step("paperlake status --within 26h", ("the last refresh ended just now",)),
        Step("paperlake lake attach --for polars", ("import duckdb", ".pl()")),
        Step("paperlake export", ("exported to tables",), more="parquet tables"),
        Step("paperlake export", ("papers.csv",), more="csv papers.csv"),
        Step('paperlake sql "from rising order by gained_per_week desc limit 10"'),
        Step('paperlake sql "from coverage"', ("my-list.md",), more="--json"),
        Step('paperlake sql "from coverage"', ("was not there yet",), code=2, more="--as-of 2026-11-21"),
        Step("paperlake lake", ("all well",), more="check"),
        Step("paperlake mirror", ("a part of what arXiv has",), more="import arxiv {starter}"),
        Step("paperlake refresh my-list.md", ("no such file",), code=1, more="gone.md"),
        Step("paperlake status", ("my-list.md",), more="--json"),
    ),
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, default=80, help="of the terminal")
    columns = parser.parse_args().columns
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder, StandIns() as standins:
        clone = Path(folder) / "paperlake"
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        readme = (clone / "README.md").read_text(encoding="utf-8")
        for who, steps in WAYS.items():
            print(f"\n# {who}")
            work = Path(folder) / who.rpartition(" ")[2]
            work.mkdir()
            env = _environment(work, clone) | standins.env() | {"COLUMNS": str(columns)}
            for step in steps:
                faults += [f"{step.words}: {fault}" for fault in _take(step, work, clone, readme, env)]
    print(f"\n{len(faults)} faults", *faults, sep="\n")
    return 1 if faults else 0


def _environment(work: Path, clone: Path) -> dict[str, str]:
    """Returns the environment of somebody in the folder `work` who has installed the clone."""
    programs = work.with_name(f"{work.name}-bin")
    programs.mkdir()
    command = programs / "paperlake"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m flows "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PAPERLAKE_", "PREFECT_"))}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return own | {"PATH": path, "PYTHONPATH": str(clone), "PREFECT_HOME": str(programs), "DO_NOT_TRACK": "1"}


def _take(step: Step, work: Path, clone: Path, readme: str, env: Mapping[str, str]) -> Iterator[str]:
    """Prints a command and what it prints; yields what is not as promised."""
    for name, text in (step.lists or {}).items():
        (work / name).write_text(text, encoding="utf-8")
    call = f"{step.words} {step.more.format(starter=clone / STARTER)}".strip()
    done = subprocess.run(
        call, shell=True, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    print(f"\n$ {call}\n{done.stdout}(exit code {done.returncode})", flush=True)
    said = _bare(done.stdout)
    if step.words not in readme:
        yield "is not in the README"
    if done.returncode != step.code:
        yield f"ends with {done.returncode}, not {step.code}"
    if "Traceback" in done.stdout:
        yield "prints a traceback"
    yield from (f"does not say {words!r}" for words in step.promised if _bare(words) not in said)


def _bare(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


if __name__ == "__main__":
    sys.exit(main())

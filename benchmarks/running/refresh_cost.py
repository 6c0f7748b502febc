"""What a refresh costs in processor time and memory, beside its floor: reading the lists, and sending the requests.

    .venv/bin/python -m benchmarks.running.refresh_cost [../shared] [--mentions 2000 20000] [--work DIR] [--profile]

Lists of papers of the background, in six styles, with links and without, are refreshed by the command against the
stand-ins over sockets: cold; again, which asks about what was not believed at first; and warm, with nothing new. The
floor is measured in the same run: `paperlake parse` of the same lists, and the requests of the cold run, sent once more
by a process that does nothing else. Each is a process of its own; what counts is its user and system time with that of
its children (the cold run starts a Prefect server), and the peak memory of the largest of them.

--work keeps lists and lakes there, and uses those that it finds; --profile writes a profile of the warm run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure
from benchmarks.running.fixed_cost import ROOT
from standins import StandIns

PER_LIST = 400
MOST_WARM_S = 15
"""Seconds of processor time of a warm refresh over 20,000 mentions."""
_SEND = """
import json, sys, requests
with requests.Session() as session:
    for line in json.load(open(sys.argv[1])):
        body = {"json": line["body"]} if line["body"] is not None else {}
        session.request(line["method"], sys.argv[2] + line["target"], timeout=60, **body).content
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a process cost: seconds of processor time, megabytes at its peak, and what it printed."""

    seconds: float
    megabytes: float
    printed: str


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields the figures for `make bench`; none where the facts in ../shared are not there."""
    shared = Path("../shared").resolve()
    if not shared.is_dir():
        print("   ../shared is not here: nothing refreshed")
        return
    with tempfile.TemporaryDirectory() as folder, StandIns([shared / "facts"]) as standins:
        for count in (2_000, 20_000) if full else (2_000,):
            yield from measured(shared, standins, Path(folder) / str(count), count)


def measured(
    shared: Path, standins: StandIns, work: Path, count: int, *, profile: Path | None = None
) -> Iterator[Figure]:
    """Yields the figures of `count` mentions; what is in the folder `work` already is not done again."""
    if not (work / "lists").exists():  # in a process of its own: a child's peak begins with its parent's
        write = (
            f"from benchmarks.running.refresh_cost import write_lists as w; w({str(shared)!r}, {str(work)!r}, {count})"
        )
        run(["-c", write], os.environ | {"PYTHONPATH": str(ROOT)})
    lists = sorted((work / "lists").glob("*.md"))
    env = os.environ | standins.env() | {"PREFECT_HOME": str(work / "prefect"), "PYTHONPATH": str(ROOT)}
    env |= {"PREFECT_LOGGING_LEVEL": "CRITICAL", "PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}
    env.pop("PREFECT_API_URL", None)
    named = f"{count:,} mentions"
    refresh = ["-m", "flows", "refresh", *map(str, lists), "--lake", str(work / "lake"), "--json"]
    parsed = run(["-m", "flows", "parse", *map(str, lists), "--format", "jsonl"], env)
    if not (work / "lake").exists():
        standins.clear_log()
        cold = run(refresh, env)
        sent = standins.requests()
        (work / "sent.json").write_text(json.dumps([{key: line[key] for key in _ASKED} for line in sent]))
        print(_told("cold", cold), flush=True)
        alone = run(["-c", _SEND, str(work / "sent.json"), standins.s2_url], env)
        yield Figure(
            name=f"first refresh of {named}: processor time", value=cold.seconds, unit="s",
            beside=f"parsing them and sending the {len(sent)} requests", plain=parsed.seconds + alone.seconds,
        )  # fmt: skip
        yield Figure(
            name=f"first refresh of {named}: memory", value=cold.megabytes, unit="MB",
            beside="parsing them", plain=parsed.megabytes,
        )  # fmt: skip
        print(_told("again", run(refresh, env)), flush=True)
    warm = run([*(["-m", "cProfile", "-o", str(profile)] if profile else []), *refresh], env)
    print(_told("warm", warm), flush=True)
    bar: Mapping[str, Any] = {"bar": MOST_WARM_S, "bar_on": "value"} if count == 20_000 else {}
    yield Figure(
        name=f"refresh of {named} with nothing new: processor time", value=warm.seconds, unit="s",
        beside="parsing them", plain=parsed.seconds, **bar,
    )  # fmt: skip
    yield Figure(
        name=f"refresh of {named} with nothing new: memory", value=warm.megabytes, unit="MB",
        beside="parsing them", plain=parsed.megabytes,
    )  # fmt: skip


_ASKED = ("method", "target", "body")


def run(arguments: Sequence[str], env: Mapping[str, str]) -> Cost:
    """Returns what a Python process with these arguments cost; 1 is no failure, as it may be of some mentions."""
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([sys.executable, *arguments], stdout=out, stderr=subprocess.PIPE, env=dict(env))
        assert process.stderr is not None
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1) or "Traceback" in said:
            raise SystemExit(said)
        out.seek(0)
        printed = out.read().decode()
    return Cost(seconds=usage.ru_utime + usage.ru_stime, megabytes=usage.ru_maxrss / 1024, printed=printed)


def _told(which: str, cost: Cost) -> str:
    summary = json.loads(cost.printed)
    counted = {key: summary[key] for key in ("mentions", "resolved", "ambiguous", "not_found", "failed", "requests")}
    return f"  {which}: {cost.seconds:.1f} s, {cost.megabytes:.0f} MB; {counted}; {summary['seconds']}"


def write_lists(shared: str, work: str, count: int) -> None:
    """Writes `count` papers of the background into lists of `PER_LIST`, each list in a style of its own."""
    import pyarrow.parquet as pq

    folder, table = Path(work) / "lists", pq.read_table(Path(shared) / "facts" / "background.parquet")
    step = table.num_rows // count
    rows = table.take(list(range(0, step * count, step))).to_pylist()
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(0, count, PER_LIST):
        style = _STYLES[number // PER_LIST % len(_STYLES)]
        lines = [style(_Fields(row)) for row in rows[number : number + PER_LIST]]
        head = "| Title | Authors | Year |\n|---|---|---|\n" if style is _cell else ""
        parts = [f"## Part {at}\n\n{head}" + "\n".join(lines[at : at + 50]) for at in range(0, len(lines), 50)]
        text = "\n\n".join([f"# Reading {number}", *parts, ""])
        (folder / f"list-{number:05}.md").write_text(text, encoding="utf-8")


class _Fields:
    """A paper's fields, as plain Markdown."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.title = " ".join(row["title"].translate(str.maketrans("[]`<>\\|*_", "()     --")).split())
        self.names = row["authors"][:4] or ["Anonymous"]
        self.year, self.venue = row["year"], row["venue"] or "arXiv"
        doi = f"https://doi.org/{row['doi']}" if row["doi"] else None
        self.url = f"https://arxiv.org/abs/{row['arxiv_id']}" if row["arxiv_id"] else doi


def _linked(paper: _Fields) -> str:
    return f"- [{paper.title}]({paper.url})" if paper.url else _named(paper)


def _named(paper: _Fields) -> str:
    return f"- **{paper.title}**, {', '.join(paper.names)}, {paper.venue} {paper.year}"


def _cited(paper: _Fields) -> str:
    names = ", ".join(f"{name.split()[-1]}, {name[0]}." for name in paper.names)
    return f"- {names} ({paper.year}). {paper.title}. *{paper.venue}*."


def _quoted(paper: _Fields) -> str:
    return f'1. {" and ".join(paper.names)}: "{paper.title}", {paper.year}.'


def _cell(paper: _Fields) -> str:
    return f"| {paper.title} | {', '.join(paper.names)} | {paper.year} |"


def _noted(paper: _Fields) -> str:
    link = f" [[paper]]({paper.url})" if paper.url else ""
    return f"- {paper.title} ({paper.names[0]} et al., {paper.year}){link}"


_STYLES = (_linked, _named, _cited, _quoted, _cell, _noted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?", default=Path("../shared"))
    parser.add_argument("--mentions", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--work", type=Path)
    parser.add_argument("--profile", type=Path, help="where to write a profile of the warm run")
    options = parser.parse_args()
    shared = options.shared.resolve()
    with (
        nullcontext(options.work) if options.work else tempfile.TemporaryDirectory() as folder,
        StandIns([shared / "facts"]) as standins,
    ):
        for count in options.mentions:
            work = Path(folder).resolve() / str(count)
            for figure in measured(shared, standins, work, count, profile=options.profile):
                print(figure, flush=True)


if __name__ == "__main__":
    main()

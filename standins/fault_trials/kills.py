"""A refresh killed with SIGKILL at a chosen moment: what it leaves, and what the next one makes of it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.settings import read_settings
from standins import StandIns
from standins.fault_trials.fault_matrix import ENDPOINTS, Picture, items_of, picture
from standins.handle import ROOT
from standins.trials.bench import Bench
from warehouse.lake.session import latest_snapshot, open_lake
from warehouse.loading.checks import check
from warehouse.tables.declarations import TABLES

STAGES = ("start", "compare", "resolve", "harvest", "load")
"""Stages of a run in their order: the start is what comes before it touches the lake, the load ends with the commit."""
_NEVER_S = 180.0
_ADJECTIVES = "Sparse Gated Latent Causal Modular Robust Private Neural Spectral Online".split()
_THINGS = "Routing Alignment Caching Pruning Sampling Indexing Parsing Scheduling Distillation Retrieval".split()
_FIELDS = "Translation Vision Proteins Databases Compilers Networks Markets".split()


def papers(count: int) -> list[dict[str, Any]]:
    """Returns facts of `count` papers, each with a title of its own."""
    made = []
    for number in range(count):
        first, rest = number % len(_ADJECTIVES), number // len(_ADJECTIVES)
        thing, field = _THINGS[rest % len(_THINGS)], _FIELDS[rest // len(_THINGS) % len(_FIELDS)]
        title = f"{_ADJECTIVES[first]} {thing} for {field} in Setting Number {number}"
        facts = {"title": title, "authors": [f"Ada B. Writer{number}"], "year": 2023, "arxiv_id": f"2301.{number:05}"}
        made.append(facts | {"primary_category": "cs.LG", "citation_count": number})
    return made


def list_of(facts: list[dict[str, Any]]) -> str:
    """Returns a reading list: links for the most part, then titles alone, and two papers that there are not."""
    cut = len(facts) * 3 // 4
    lines = [f"- [{one['title']}](https://arxiv.org/abs/{one['arxiv_id']})" for one in facts[:cut]]
    lines += [f"- {one['title']} (2023)" for one in facts[cut:]]
    lines += ["- A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)"]
    return "\n".join(["# List", "", *lines, ""])


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """One kill: where it struck, what was left, and what it cost; `wrong` is empty where all is as it must be."""

    stage: str
    ended: bool
    left: str
    requests: int
    repeated: int
    wrong: tuple[str, ...]

    def line(self) -> str:
        struck = "had ended" if self.ended else "killed"
        verdict = "; ".join(self.wrong) or "right"
        return f"{self.stage:8} {struck:9} {self.left:4} {self.requests:8} {self.repeated:8}  {verdict}"


HEADING = f"{'stage':8} {'child':9} left requests repeated  cell"


class Killing:
    """A lake with one snapshot, a list that has grown since, and refreshes of it that are killed.

    Args:
        standins: Both services, taken as they are and given papers.
        folder: Where the lakes are made.
        size: Papers in the list.
        command: What refreshes the list that is its last argument; by default the run itself without Prefect, which
            tells its stages.
    """

    def __init__(self, standins: StandIns, folder: Path, *, size: int, command: tuple[str, ...] = ()) -> None:
        self._standins = standins
        self._command = command
        self._folder = folder
        self._made = 0
        facts = papers(size)
        standins.reset()
        standins.add(facts)
        self._before = Bench(folder / "before", standins.env())
        self._before.folder.mkdir(parents=True)
        self._list = self._before.write(list_of(facts[: size // 3]))
        self._before.refresh(self._list)
        self._before.write(list_of(facts))
        self.old = picture(self._before)
        for service in ("arxiv", "s2"):
            standins.latency(service, 0.03)
        self.new, self.seconds = self._unharmed()

    def kill(self, stage: str, fraction: float) -> Killed:
        """Returns what came of a refresh that was killed at `fraction` of what `stage` takes, and of the next one."""
        with self._bench() as bench:
            self._standins.clear_log()
            reached, ended = self._struck(bench, stage, fraction)
            first = self._standins.requests()
            left, wrong = self._left(bench)
            self._standins.clear_log()
            bench.refresh(self._list)
            second = self._standins.requests()
            if picture(bench) != self.new:
                wrong.append("the finished rerun is not the unharmed run")
            if (repeated := _batches_repeated(first, second)) > 1:
                wrong.append(f"{repeated} batches were asked twice")
        return Killed(stage=reached, ended=ended, left=left, requests=len(first) + len(second), repeated=repeated,
                      wrong=tuple(wrong))  # fmt: skip

    def _unharmed(self) -> tuple[Picture, dict[str, float]]:
        with self._bench() as bench:
            marks = {"begin": time.monotonic()}
            with self._child(bench) as child:
                assert child.stdout is not None
                marks |= {line.strip(): time.monotonic() for line in child.stdout}
            assert child.returncode == 0, "an unharmed refresh failed"
            ends = [*marks.values(), time.monotonic()][1:]
            seconds = {name: end - began for (name, began), end in zip(marks.items(), ends, strict=True)}
            return picture(bench), {"start": seconds.pop("begin"), **seconds}

    def _struck(self, bench: Bench, stage: str, fraction: float) -> tuple[str, bool]:
        """Runs a refresh and kills it; returns the stage it had reached, and whether it had ended by itself."""
        with self._child(bench) as child:
            assert child.stdout is not None
            reached = "start"
            while reached != stage and (line := child.stdout.readline()):
                reached = line.strip()
            try:
                child.wait(fraction * self.seconds[stage])
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
            further = [line.strip() for line in child.stdout]
            return (further or [reached])[-1], child.wait() == 0

    @contextmanager
    def _child(self, bench: Bench) -> Iterator[subprocess.Popen[str]]:
        command = self._command or (sys.executable, "-m", "standins.fault_trials.kills")
        env = os.environ | bench.env | {"PYTHONPATH": str(ROOT), "PAPERLAKE_LAKE": str(bench.place.folder)}
        with subprocess.Popen(
            [*command, self._list], cwd=bench.folder, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as child:
            yield child

    def _left(self, bench: Bench) -> tuple[str, list[str]]:
        """Returns which snapshot is left, and what is wrong with it."""
        connection = open_lake(bench.place)
        check(connection, [table.name for table in TABLES])
        runs = connection.execute("SELECT count(*) FROM runs").fetchone()
        assert latest_snapshot(connection)
        connection.close()
        for name, there, number in (("old", self.old, 1), ("new", self.new, 2)):
            if picture(bench) == there:
                return name, [] if runs == (number,) else [f"{name} papers with {runs} runs"]
        return "?", ["the lake is neither the old nor the new one"]

    @contextmanager
    def _bench(self) -> Iterator[Bench]:
        self._made += 1
        folder = self._folder / f"{self._made}"
        shutil.copytree(self._before.folder, folder)
        yield Bench(folder, self._before.env)  # the list stays where it was: its place is its name in the lake
        shutil.rmtree(folder)


def _batches_repeated(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> int:
    """Returns how many batches both runs asked for; a question and the look into its silence are one."""
    asked = [_told(line) for line in first]
    groups: list[set[str]] = []
    for line in second:
        if _told(line) not in asked:
            continue
        items = set(_items(line))
        if all(group.isdisjoint(items) for group in groups):
            groups.append(items)
    return len(groups)


def _told(line: dict[str, Any]) -> tuple[str, str, str]:
    return line["service"], line["target"], repr(line["body"])


def _items(line: dict[str, Any]) -> list[str]:
    names = [name for name, at in ENDPOINTS.items() if at == (line["service"], line["endpoint"])]
    return [item for name in names for item in items_of(line, name)]


class _Telling(Stopwatch):
    """Tells each stage on standard output as it begins."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        with super().stage(name):
            yield


def _refresh(path: str) -> None:
    """Refreshes the list, as the flow does."""
    settings = read_settings()
    parsed = read_and_parse([path], settings.place)
    refresh_lake(parsed, settings, run_batch=lambda _, call: call(), report=Silent(), clock=_Telling())


class FirstRefreshes:
    """First refreshes of an offline list, each killed so many seconds after it has begun to write.

    They are forks of one process, which has imported everything, so that one costs no more than what it writes.
    """

    def __enter__(self) -> Self:
        env = os.environ | {"PYTHONPATH": str(ROOT), "PAPERLAKE_OFFLINE": "true"}
        command = (sys.executable, "-m", "standins.fault_trials.kills", "--first")
        self._parent = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._parent.communicate()

    def killed(self, path: str, lake: Path, after_s: float) -> bool:
        """Returns whether a refresh of the list at `path` was killed before it ended."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(f"{after_s}\t{lake}\t{path}\n")
        self._parent.stdin.flush()
        return self._parent.stdout.readline() == "killed\n"


def _kill_first_refreshes() -> None:
    for line in sys.stdin:
        after_s, lake, path = line.rstrip("\n").split("\t")
        os.environ["PAPERLAKE_LAKE"] = lake
        if (child := os.fork()) == 0:
            with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - for its number
                os.dup2(nowhere.fileno(), 1)
                _refresh(path)
            os._exit(0)
        ended = 0
        while not ended and not (Path(lake) / "catalog.sqlite").exists():
            time.sleep(0.001)
            ended, _ = os.waitpid(child, os.WNOHANG)
        time.sleep(float(after_s))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        sys.stdout.write("killed\n" if os.WIFSIGNALED(status) else "ended\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _kill_first_refreshes() if sys.argv[1] == "--first" else _refresh(sys.argv[1])

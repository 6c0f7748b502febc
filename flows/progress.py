"""Progress of a run: bars on a terminal, lines elsewhere, and the time of each stage."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from sources.text import json_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rich.progress import TaskID


# The stage of a refresh that looks titles up in the mirrors, wherever that is done.
TITLES_STAGE = "Titles in the local mirror"

_WORTH_A_BAR_S = 1.0


class Reporter(Protocol):
    """Shows the progress of a run."""

    def stage(self, name: str, total: int | None, unit: str = "") -> Callable[[int], None]:
        """Returns what to call with the number of items done in the stage `name`, out of `total` if that is known."""

    def say(self, sentence: str) -> None:
        """Shows at once a sentence that the user should know."""


class Silent:
    """Shows nothing; for scheduled flows, which have a log and artifacts."""

    def stage(self, name: str, total: int | None, unit: str = "") -> Callable[[int], None]:  # noqa: ARG002
        """Returns a function that does nothing."""
        return lambda _: None

    def say(self, sentence: str) -> None:
        """Does nothing."""


class _Bars:
    def __init__(self) -> None:
        self.said: list[str] = []
        from rich.console import Console, RenderableType  # noqa: PLC0415 - only for terminals
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415
        from rich.table import Column  # noqa: PLC0415

        def _one_line(ratio: int | None = None) -> Column:
            return Column(no_wrap=True, ratio=ratio, overflow="ellipsis")

        class LongOnes(Progress):
            """Shows no stage that ends at once."""

            def get_renderables(self) -> Iterator[RenderableType]:
                yield self.make_tasks_table([task for task in self.tasks if (task.elapsed or 0) >= _WORTH_A_BAR_S])

        self.console = Console(stderr=True)
        self.bars = LongOnes(
            TextColumn("{task.description}", table_column=_one_line(ratio=3)),
            BarColumn(bar_width=None, table_column=_one_line(ratio=1)),
            MofNCompleteColumn(table_column=_one_line()),
            TextColumn("{task.fields[unit]}", table_column=_one_line()),
            TimeElapsedColumn(table_column=_one_line()),
            console=self.console,
            expand=True,
        )
        self.tasks: dict[str, TaskID] = {}

    def stage(self, name: str, total: int | None, unit: str = "") -> Callable[[int], None]:
        if (bar := self.tasks.get(name)) is None:
            bar = self.tasks[name] = self.bars.add_task(name, total=total, unit=unit)
        else:  # a further part of the stage is added to its bar, so that names of bars are distinct
            before = self.bars.tasks[self.bars.task_ids.index(bar)].total
            self.bars.update(bar, total=None if total is None or before is None else before + total)
        return lambda done: self.bars.advance(bar, done)

    def say(self, sentence: str) -> None:
        self.said.append(sentence)
        self.console.print(shown(sentence), style="yellow", highlight=False, markup=False)


LOG = "PAPERLAKE_LOG"  # `json` where a log's lines are JSON; the runs of `paperlake serve` are processes of their own


def log_line(sentence: str, facts: Mapping[str, Any] | None = None, *, stamped: bool = False) -> None:
    """Writes a line of a log: as text, with the time where it is `stamped`, or as JSON with the `facts` too."""
    now = datetime.now(UTC)
    line = f"{f'{now:%Y-%m-%d %H:%M:%S}Z ' if stamped else ''}paperlake: {shown(sentence)}"
    if os.environ.get(LOG) == "json":
        line = json_text({"time": now.isoformat(timespec="seconds"), "message": sentence, **(facts or {})})
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class _Lines(Silent):
    """Without a terminal there are no bars; sentences are lines."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, sentence: str) -> None:
        self.said.append(sentence)
        if os.environ.get(LOG) == "json":
            log_line(sentence)
        else:
            sys.stderr.write(f"{shown(sentence)}\n")


@contextmanager
def watched() -> Iterator[_Bars | _Lines]:
    """Gives a reporter with bars where standard error is a terminal, and with plain lines where it is not."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    bars = _Bars()
    with bars.bars:
        yield bars


@dataclass(slots=True)
class Stopwatch:
    """Seconds spent in each stage."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time spent inside to the stage `name`."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = round(self.seconds.get(name, 0.0) + time.monotonic() - began, 3)

"""What a benchmark hands over: one figure, beside its plain alternative or its floor, and the bar it must pass.

A module of these folders takes part in `make bench` by a function `figures(*, full: bool)` that yields them, and by its
name in `benchmarks.__main__.MODULES`. `full` asks for the sizes that the project claims; without it the module keeps
to a few minutes. Each module also runs by itself: `python -m benchmarks.FOLDER.NAME [--full]`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure.

    Attributes:
        name: What was measured, with its size.
        value: The median of several runs.
        unit: Of the value: s, ms, requests, ...
        beside: What it stands beside, a plain alternative or a floor; empty where there is none.
        plain: The value of that in the same run.
        bar: The most that is allowed; None where nothing was promised.
        bar_on: Whether the bar is for the value, for its ratio to the plain one, or for what it is above that.
    """

    name: str
    value: float
    unit: str
    beside: str = ""
    plain: float | None = None
    bar: float | None = None
    bar_on: Literal["value", "ratio", "difference"] = "ratio"

    @property
    def ratio(self) -> float | None:
        return self.value / self.plain if self.plain else None

    @property
    def holds(self) -> bool | None:
        """Returns whether it passes its bar; None where there is none."""
        measured = self.measured
        return None if self.bar is None or measured is None else measured <= self.bar

    @property
    def measured(self) -> float | None:
        """Returns what the bar is for."""
        if self.bar_on == "value":
            return self.value
        if self.bar_on == "difference":
            return None if self.plain is None else self.value - self.plain
        return self.ratio

    @property
    def bar_told(self) -> str:
        """Returns the bar with its unit, empty where there is none."""
        if self.bar is None:
            return ""
        if self.bar_on == "ratio":
            return f"{shown(self.bar)} times"
        return f"{'+' if self.bar_on == 'difference' else ''}{shown(self.bar)} {self.unit}"

    def __str__(self) -> str:
        told = f"{self.name}: {shown(self.value)} {self.unit}"
        if self.plain is not None:
            told += f"; {self.beside} {shown(self.plain)} {self.unit}"
        if self.ratio is not None:
            told += f"; ratio {self.ratio:.2f}"
        if self.bar is not None:
            told += f" (bar {self.bar_told}: {'holds' if self.holds else 'MISSED'})"
        return told


def shown(number: float) -> str:
    """Returns a number with three digits that tell."""
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:.3g}"


def seconds(work: Callable[[], object]) -> float:
    """Returns how long `work` takes by the clock."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def processor_seconds(work: Callable[[], object]) -> float:
    """Returns the processor time of the processes that `work` starts and waits for."""
    before = os.times()
    work()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def medians(rounds: int, *works: Callable[[], object]) -> tuple[float, ...]:
    """Returns the median seconds of each of `works`, done in turns, so that a busy machine slows all alike."""
    taken = [[seconds(work) for work in works] for _ in range(rounds)]
    return tuple(statistics.median(column) for column in zip(*taken, strict=True))


def run(figures: Callable[..., Iterable[Figure]], doc: str | None) -> None:
    """Prints the figures of one module as they come: the `main` of each."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="at the sizes that the project claims")
    for figure in figures(full=parser.parse_args().full):
        print(figure, flush=True)

"""Where papers end up: schema, lake, load, views, queries, exports. Knows no Prefect."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Stage: TypeAlias = Callable[[str, int | None, str], Callable[[int], None]]
"""Told a stage's name, its steps if they are known, and their unit; what it returns is called with the steps done."""


def untold(_name: str, _total: int | None, _unit: str) -> Callable[[int], None]:
    """Tells nobody."""
    return lambda _: None


Clock: TypeAlias = Callable[[], datetime]
"""Tells the time, with its zone. What needs it takes a clock, so that tests can set it."""


def utc_now() -> datetime:
    """Returns the time now: the clock of whoever hands in no other."""
    return datetime.now(UTC)

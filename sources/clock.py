"""The default clock. Functions take a clock or a date as argument, so tests can fix the time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]  # tells the time, with its zone


def utc_now() -> datetime:
    """Returns the time now."""
    return datetime.now(UTC)


def utc_today() -> date:
    """Returns the day in UTC."""
    return utc_now().date()

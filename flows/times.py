"""Durations and instants as people write them, on the command line and in settings."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from sources.errors import UsageError

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_age(text: Any) -> timedelta:
    """Returns the duration written as `90m`, `12h`, `1d` or `2w`.

    Raises:
        ValueError: The text has another form.
    """
    if isinstance(text, timedelta):
        return text
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhdw])\s*", str(text))
    if match is None:
        raise ValueError(f"{text!r} is no duration; write a number and a unit, as in 90m, 12h, 1d or 2w")
    return timedelta(**{_UNITS[match[2]]: float(match[1])})


def parse_instant(text: str) -> datetime:
    """Returns the instant written as `2026-11-21` or `2026-11-21T06:00Z`, in UTC unless it says otherwise.

    Raises:
        ValueError: The text has another form.
    """
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no time; write 2026-11-21 or 2026-11-21T06:00Z") from error
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def as_of_instant(as_of: str | None) -> datetime | None:
    """Returns the instant that `--as-of` names; None where it was not given.

    Raises:
        UsageError: The text is no time.
    """
    try:
        return None if as_of is None else parse_instant(as_of)
    except ValueError as error:
        raise UsageError(f"--as-of {error}") from error

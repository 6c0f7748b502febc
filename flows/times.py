"""Parses and prints durations and instants of the command line and of settings."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from sources.errors import UsageError

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([smhdw])\s*")
_INSTANT = re.compile(r"[0-9TtWwZz:+. -]{4,40}")
_LONGEST_YEARS = 100
# No lake is older; a longer age could lead to before the first year that dates can express.
_LONGEST = timedelta(days=365 * _LONGEST_YEARS)
_CLOCKS_DIFFER = timedelta(minutes=5)
_ZONES_DIFFER = timedelta(hours=14)
_DAY = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}")
_SHOWN = 60


def parse_age(text: Any) -> timedelta:
    """Returns the duration written as `90m`, `12h`, `1d` or `2w`, of at most 100 years.

    Raises:
        ValueError: The text has another form, or the duration is negative or longer.
    """
    match = _AGE.fullmatch(str(text))
    if match is None and not isinstance(text, timedelta):
        raise ValueError(f"{_shown(text)} is no duration; write a number and a unit, as in 90m, 12h, 1d or 2w")
    try:
        age = timedelta(**{_UNITS[match[2]]: float(match[1])}) if match else text
    except OverflowError:
        age = timedelta.max
    if age < timedelta(0):
        raise ValueError(f"{_shown(text)} is negative; write a number and a unit, as in 90m, 12h, 1d or 2w")
    if age > _LONGEST:
        raise ValueError(f"{_shown(text)} is more than {_LONGEST_YEARS} years; write less, as in 90m, 12h, 1d or 2w")
    return age


def past_instant(text: str, *, day_ends: bool = False) -> datetime:
    """Returns the instant written as `2026-11-21` or `2026-11-21T06:00Z`, in UTC, which a time without a zone is in.

    `day_ends` is whether a bare day means its end, which for today is now, rather than its beginning.

    Raises:
        ValueError: The text has another form, or names a year that cannot be, or a time to come.
    """
    try:
        if not _INSTANT.fullmatch(text):
            raise ValueError  # noqa: TRY301 - fromisoformat is more lenient about letters and digits
        instant = datetime.fromisoformat(text.strip())
        instant = instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{_shown(text)} is no time; write 2026-11-21 or 2026-11-21T06:00Z") from None
    now, is_day = datetime.now(UTC), _DAY.fullmatch(text.strip()) is not None
    # Where it is, a day may have begun that has not begun in UTC; clocks differ by minutes.
    if instant - now > (_ZONES_DIFFER if is_day else _CLOCKS_DIFFER):
        raise ValueError(f"{_shown(text)} lies in the future")
    return min(instant + timedelta(days=1), now) if is_day and day_ends else min(instant, now)


def as_of_instant(as_of: str | None, *, day_ends: bool = False) -> datetime | None:
    """Returns the instant that `--as-of` names, as `past_instant` has it; None where it was not given.

    Raises:
        UsageError: The text is no time, or one to come.
    """
    try:
        return None if as_of is None else past_instant(as_of, day_ends=day_ends)
    except ValueError as error:
        raise UsageError(f"--as-of {error}") from error


def ago(instant: datetime, now: datetime) -> str:
    """Returns how long before `now` an instant was, as in "5 min ago"; the instant itself where that is over a week."""
    age = now - instant
    if age < timedelta(0) or age >= timedelta(days=7):
        return f"{instant.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    for unit, size in (("days", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1))):
        if (number := age // size) >= (2 if unit == "days" else 1):
            return f"{number} {unit} ago"
    return "just now"


def _shown(text: Any) -> str:
    written = ascii(str(text))
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}..."

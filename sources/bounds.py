"""Plausibility limits for years, dates and counts from any source. Pure; the caller gives the day.

Readers of replies refuse a record that is out of bounds, as it is then wrong about something. Readers of bulk files,
which nobody can ask again, leave the value out.
"""

from __future__ import annotations

from datetime import date, timedelta

FIRST_YEAR = 1500  # nothing that a reading list names was published before
MOST_COUNTED = 10**8  # citations, or references: below it. The most cited paper of all has some 10**6.
SURELY_CITED = 10  # a paper cited less often than this may lose its count to a merge of records
LONGEST_TITLE = 2_000
LONGEST_ABSTRACT = 50_000
LONGEST_NAME = 500
# Lengths in characters, and names on one paper; the longest lists, of experiments in physics, have some 6,000.
MOST_AUTHORS = 20_000
_OTHER_TIME_ZONES = timedelta(days=1)


def is_year(year: int, *, today: date) -> bool:
    """Returns whether a paper can have come out in `year`; next year's volumes are out already."""
    return FIRST_YEAR <= year <= today.year + 1


def is_count(number: int) -> bool:
    """Returns whether `number` can count citations or references."""
    return 0 <= number < MOST_COUNTED


def is_past(day: date, *, today: date) -> bool:
    """Returns whether `day` can have come, in some time zone, and is in no year that `is_year` refuses."""
    return day.year >= FIRST_YEAR and day <= today + _OTHER_TIME_ZONES


def cut(text: str | None, most: int) -> str | None:
    """Returns the first `most` characters of `text`."""
    return None if text is None else text[:most].rstrip() or None

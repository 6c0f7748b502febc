"""Rows as columns of plain JSON, made small: repeated values are written once and referred to by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, datetime

NONE = -1
"""Stands for NULL where a column holds numbers of values, counted from 0."""


def coded(values: Iterable[Any]) -> dict[str, list[Any]]:
    """Returns `values` as the distinct ones in order of appearance, and for each its number there; NULL is -1."""
    numbers: dict[Any, int] = {}
    codes = [NONE if value is None else numbers.setdefault(value, len(numbers)) for value in values]
    return {"values": list(numbers), "codes": codes}


def positions(values: Iterable[str], among: Sequence[str]) -> list[int]:
    """Returns where each of `values` stands in `among`."""
    where = {value: number for number, value in enumerate(among)}
    return [where[value] for value in values]


def day(when: date | datetime | None) -> int | None:
    """Returns the days since 1970-01-01, None for None."""
    return None if when is None else when.toordinal() - 719163

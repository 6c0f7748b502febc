"""Columns as the page knows them: papers, lists and repeated values go by number, days are counted from 1970."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from duckdb import DuckDBPyConnection

Columns = dict[str, list[Any]]


def query_text(name: str) -> str:
    """Returns the text of one of the page's queries."""
    return (resources.files("warehouse.dashboard") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def query_columns(connection: DuckDBPyConnection, name: str, parameters: Mapping[str, object] | None = None) -> Columns:
    """Returns the columns that one of the page's queries gives."""
    answer: Columns = connection.execute(query_text(name), dict(parameters or {})).to_arrow_table().to_pydict()
    return answer


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


_TEXT = 200
"""Characters of a text from a list that the page carries."""


def cut(text: str) -> str:
    """Returns `text`, ended by an ellipsis where it is too long for the page."""
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"

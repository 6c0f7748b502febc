"""Columns of the page: papers, lists and repeated values are numbers, days are counted from 1970."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from importlib import resources
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlsplit

from duckdb import DuckDBPyConnection

from sources.errors import UsageError
from sources.lists.list_urls import parse_github
from sources.text import shortened

# Owner and name, and ref and path, of a file that is read as it is.
_RAW = re.compile(r"^https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([^/?#]+/[^?#]+).*$")


def line_prefix(location: str) -> str | None:
    """Returns the address to which a line's number is appended, None where the list is not on the web.

    GitHub renders Markdown, and only its plain view has lines:
    https://docs.github.com/en/repositories/working-with-files/using-files/navigating-code-on-github
    """
    try:
        address = urlsplit(location)
        file = parse_github(_RAW.sub(r"https://github.com/\1/blob/\2", location))
    except (ValueError, UsageError):
        return None
    if file is not None and file.path:
        path = quote(f"{file.owner}/{file.name}/blob/{file.ref or 'HEAD'}/{file.path}", safe="/")
        return f"https://github.com/{path}?plain=1#L"
    return f"{location}#L" if address.scheme in ("http", "https") else None


def short_names(locations: Sequence[str]) -> list[str]:
    """Returns each location as people name it: an address in full, a file by as much of its path's end as is unique.

    A page is made to be shared, and where its maker's home folder is concerns nobody.
    """
    names = []
    for location in locations:
        parts = PurePosixPath(location).parts[1:]
        ends = ("/".join(parts[-length:]) for length in range(1, len(parts) + 1))
        others = [other for other in locations if other != location]
        apart = (end for end in ends if not any(other.endswith(f"/{end}") for other in others))
        names.append(next(apart, "/".join(parts)) if location.startswith("/") else location)
    return names


Columns = dict[str, list[Any]]


def query_text(name: str) -> str:
    """Returns the text of one of the page's queries."""
    return (resources.files("warehouse.dashboard") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def query_columns(connection: DuckDBPyConnection, name: str, parameters: Mapping[str, object] | None = None) -> Columns:
    """Returns the columns that one of the page's queries gives."""
    answer: Columns = connection.execute(query_text(name), dict(parameters or {})).to_arrow_table().to_pydict()
    return answer


NONE = -1  # in place of NULL where a column holds numbers of values, counted from 0


def coded(values: Iterable[Any]) -> dict[str, list[Any]]:
    """Returns `values` as the distinct ones in order of appearance, and for each its number there; NULL is -1."""
    numbers: dict[Any, int] = {}
    codes = [NONE if value is None else numbers.setdefault(value, len(numbers)) for value in values]
    return {"values": list(numbers), "codes": codes}


def positions(values: Iterable[str | None], numbers: Mapping[str, int]) -> list[int]:
    """Returns the number of each of `values`; of one that has none, and of NULL, -1."""
    return [NONE if value is None else numbers.get(value, NONE) for value in values]


def numbers_where(holds: Iterable[bool | None]) -> list[int]:
    """Returns the numbers of the rows in which it holds."""
    return [number for number, is_so in enumerate(holds) if is_so]


def day(when: date | datetime | None) -> int | None:
    """Returns the days since 1970-01-01, None for None."""
    return None if when is None else when.toordinal() - 719163


_TEXT = 200  # characters of a text from a list that the page carries


def cut(text: str) -> str:
    """Returns `text`, ended by an ellipsis where it is too long for the page."""
    return shortened(text, _TEXT)

"""Translates between the names that people use for lists and the lists of the lake."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from sources.errors import UnknownList, UsageError
from sources.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from duckdb import DuckDBPyConnection

_SCHEMES = ("https://", "github:")


def short_names(locations: Iterable[str]) -> dict[str, str]:
    """Returns location -> its shortest ending that no other location has: `reading.md`, or `a/reading.md`.

    Of a list that is no local file, the name has two parts at least, as `owner/name`.
    """
    distinct = dict.fromkeys(locations)
    parts = {location: _parts(location) for location in distinct}
    ends = Counter("/".join(names[-size:]) for names in parts.values() for size in range(1, len(names) + 1))
    names = {}
    for location, own in parts.items():
        least = min(2 if location.startswith(_SCHEMES) else 1, len(own))
        endings = ("/".join(own[-size:]) for size in range(least, len(own) + 1))
        names[location] = next((end for end in endings if ends[end] == 1), location)
    return names


def list_title(location: str | None) -> str:
    """Returns what a list is called in a heading; None is all lists together."""
    return short_names([location])[location] if location else "all lists together"


def names_of_lists(connection: DuckDBPyConnection) -> dict[str, str]:
    """Returns location -> name of each list of an open lake, as its views show it."""
    return dict(connection.execute("SELECT location, list FROM list_names ORDER BY location").fetchall())


def lists_named(name: str, names: Mapping[str, str]) -> list[str]:
    """Returns the locations that `name` stands for: a list's name, a location, a path, a folder, or a location's end.

    `names` has location -> name of each list that there is.

    Raises:
        UnknownList: There is none.
    """
    path, locations = Path(name).expanduser(), list(names)
    exact = [location for location in locations if location in (name, (path.parent.resolve() / path.name).as_posix())]
    inside = [item for item in locations if item.startswith(f"{path.resolve().as_posix()}/")]
    ends = [item for item in locations if item.endswith((f"/{name}", f":{name}"))]
    found = exact or inside or ends or [item for item, title in names.items() if title == name]
    if not found:
        known = shown(", ".join(short_names(locations).values())) or "none yet"
        raise UnknownList(f"the lake knows no list {name!r}; it knows {known}")
    return found


def wanted_lists(connection: DuckDBPyConnection, names: Iterable[str]) -> dict[str | None, str]:
    """Returns location -> list_id of the lists that `names` stand for, or of the only list that there is.

    Where there are several and no name, it is None -> "all", which stands for all of them together.

    Raises:
        UnknownList: There is no list of a name.
    """
    known = dict(connection.execute("SELECT location, list_id FROM reading_lists ORDER BY location").fetchall())
    every = names_of_lists(connection)
    named = [location for name in names for location in lists_named(name, every)]
    return {location: known[location] for location in named or known} if named or len(known) == 1 else {None: "all"}


def one_list(connection: DuckDBPyConnection, name: str | None) -> str:
    """Returns the list_id of the one list that `name` stands for, or of all together, as `wanted_lists` does.

    Raises:
        UnknownList: There is no list of the name.
        UsageError: There are several.
    """
    found = list(wanted_lists(connection, [] if name is None else [name]).values())
    if len(found) > 1:
        raise UsageError(f"{name} names several lists; name one of them")
    return found[0]


def shown_location(location: str) -> str:
    """Returns a list's location, relative to the working folder where possible."""
    path = Path(location)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        return path.relative_to(Path.cwd()).as_posix()
    return location


def _parts(location: str) -> list[str]:
    for scheme in _SCHEMES:
        location = location.removeprefix(scheme)
    return [part for part in location.split("/") if part] or [location]


def not_read(count: int, lists: str) -> str:
    """Returns the sentence about lines that look like entries, and the command that names those of `lists`."""
    looks = "line looks like an entry and was" if count == 1 else "lines look like entries and were"
    return f"{count} {looks} not read: paperlake parse {lists} --skipped"

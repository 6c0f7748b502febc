"""Marks a data folder as owned by one catalogue, so that no other writes or deletes there.

The mark and the catalogue hold the same random token, replaced at the beginning and at the end of every writer's
session, in the catalogue first. So a mark that bears neither the catalogue's token nor the one before it means that
another catalogue has written there since: another lake's, or a newer copy of this one. The mark also says since when a
session is open. A session that is found open by the next one was killed, and the time between is when that session may
have written files which no commit registered: nothing else tells them from a stranger's.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from sources.clock import utc_now
from sources.errors import WarehouseError
from sources.text import counted
from warehouse.lake.concurrency import keep_copy
from warehouse.lake.place import LakePlace
from warehouse.lake.stored_files import (
    CATALOG,
    MARK,
    OWNER,
    DataFolder,
    OwnerMark,
    beside_the_lake,
    sizes_on_disk,
    stored_files,
)

_OWNER = f"{CATALOG}.{OWNER}"
_NAME = re.compile(r"ducklake-([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f-]{17}(?:-delete)?\.parquet")


@dataclass(frozen=True, slots=True)
class _Registration:
    """What the catalogue holds of its ownership: tokens of this session and of the one before."""

    lake: str
    token: str
    before: str | None


class Session:
    """A writer's session over a data folder; `begin` comes before its first file, `end` after its last."""

    def __init__(self, connection: DuckDBPyConnection, place: LakePlace) -> None:
        self._connection = connection
        self._place = place
        self._folder = DataFolder(place.data, connection)

    def refuse_others(self) -> None:
        """Refuses a folder that is not this catalogue's; writes nothing."""
        registered, mark, place = _registration(self._connection), OwnerMark.read(self._folder), self._place
        if registered is None and self._folder.holds_a_lake():
            raise WarehouseError(place.lost_catalog("knows none of them"))
        if mark is None:
            if registered is None or registered.before is None:
                return  # made just now
            raise WarehouseError(
                f"{place.data} is not, or no longer, the data folder of the lake at {place}: its mark {MARK} is not "
                "there. Is the disk mounted? If you moved the files there yourself, run `paperlake lake adopt`"
            )
        if registered is None or registered.lake != mark.lake:
            raise WarehouseError(_taken(place, mark))
        if mark.token not in (registered.token, registered.before):
            raise WarehouseError(
                f"the catalogue of the lake at {place} is an older copy: another one, last at {mark.catalogue}, has "
                f"written to {place.data} since. Use that one. If it is lost, `paperlake lake adopt` goes on from this "
                "one, without what was written since"
            )

    def refuse_adoption(self) -> None:
        """Refuses a folder that cannot be this catalogue's; writes nothing.

        Raises:
            WarehouseError: The mark is another lake's, or files that the catalogue knows are not there.
        """
        registered, mark = _registration(self._connection), self._readable_mark()
        if registered and mark and mark.lake != registered.lake:
            raise WarehouseError(_taken(self._place, mark))
        there = sizes_on_disk(self._connection)
        lost = [file.path for file in stored_files(self._connection) if file.current and file.path not in there]
        if lost:
            raise WarehouseError(
                f"{self._place.data} does not hold the data of the lake at {self._place}: its catalogue "
                f"misses {counted(len(lost), 'file')}, as {lost[0]}; put them back, or a catalogue of the same "
                "time as the files"
            )

    def begin(self, *, anew: bool = False) -> None:
        """Marks the folder as the lake's, with a session open; `anew`, whatever its mark says of earlier sessions."""
        registered, mark = _registration(self._connection), self._readable_mark()
        lake = registered.lake if registered else mark.lake if anew and mark else uuid.uuid4().hex
        if anew:
            mark = None
        now = utc_now()
        killed = mark.killed if mark else ()
        if mark and mark.open_since:
            killed = (*killed, (mark.open_since, now))
        token = uuid.uuid4().hex
        _register(self._connection, _Registration(lake, token, mark.token if mark else None))
        OwnerMark(lake=lake, catalogue=str(self._place), token=token, open_since=now, killed=killed).write(self._folder)

    def _readable_mark(self) -> OwnerMark | None:
        try:
            return OwnerMark.read(self._folder)
        except WarehouseError:
            return None

    def end(self) -> None:
        """Marks the session as ended, and leaves a copy of a SQLite catalogue."""
        registered, mark = _registration(self._connection), OwnerMark.read(self._folder)
        if registered is None or mark is None or mark.token != registered.token:
            return  # another writer's by now
        token = uuid.uuid4().hex
        _register(self._connection, _Registration(registered.lake, token, registered.token))
        if self._place.catalog_file is not None:
            keep_copy(self._place.catalog_file, self._folder)
        replace(mark, token=token, open_since=None).write(self._folder)


def former_folder(place: LakePlace) -> Path | None:
    """Returns where the lake's folder was when it was written last; None where it has not been moved since."""
    if place.catalog_file is None or place.data_on_store or not Path(place.data).is_dir():
        return None
    mark = OwnerMark.read(DataFolder(place.data))
    return Path(mark.catalogue) if mark and mark.catalogue != str(place) else None


def lake_id(connection: DuckDBPyConnection) -> str | None:
    """Returns the identifier of the lake, for life; None where the catalogue has never begun a session."""
    registered = _registration(connection)
    return registered.lake if registered else None


def of_killed_sessions(folder: DataFolder, names: Iterable[str]) -> dict[str, datetime]:
    """Returns those file names that a killed session gave to files which it never registered, and when."""
    mark = OwnerMark.read(folder)
    killed = mark.killed if mark else ()
    found = {}
    for name in names:
        match = _NAME.fullmatch(name)
        moment = datetime.fromtimestamp(int(match[1] + match[2], 16) / 1000, UTC) if match else None
        if moment and any(begun <= moment <= ended for begun, ended in killed):
            found[name] = moment
    return found


def forget_killed_sessions(folder: DataFolder) -> None:
    """Notes that the files of killed sessions have been looked for."""
    mark = OwnerMark.read(folder)
    if mark is not None and mark.killed:
        replace(mark, killed=()).write(folder)


def _registration(connection: DuckDBPyConnection) -> _Registration | None:
    try:
        rows = connection.execute(f"SELECT lake, token, before FROM {_OWNER}").fetchall()
    except duckdb.CatalogException:
        return None
    return _Registration(*rows[0]) if rows else None


def _register(connection: DuckDBPyConnection, registered: _Registration) -> None:
    values: list[Any] = [registered.lake, registered.token, registered.before]
    with beside_the_lake(connection) as catalog:
        catalog.execute(f"CREATE TABLE IF NOT EXISTS {_OWNER} (lake VARCHAR, token VARCHAR, before VARCHAR)")
        catalog.execute("BEGIN")
        try:
            catalog.execute(f"DELETE FROM {_OWNER}")
            catalog.execute(f"INSERT INTO {_OWNER} VALUES (?, ?, ?)", values)
            catalog.execute("COMMIT")
        except duckdb.Error:
            # SQLite has rolled back a write to a full disk by itself. DuckDB aborts the process if it finds that out
            # while it closes the connection, so it has to be now.
            with suppress(duckdb.Error):
                catalog.execute("ROLLBACK")
            raise


def _taken(place: LakePlace, mark: OwnerMark) -> str:
    return (
        f"{place.data} belongs to another lake, whose catalogue is {mark.catalogue}: give each lake a PAPERLAKE_DATA "
        f"of its own. If that lake is no more, delete {place.data}{MARK} and run `paperlake lake adopt`"
    )

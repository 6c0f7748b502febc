"""Opens the lake: DuckLake tables over Parquet files, with the catalogue in SQLite or PostgreSQL.

Readers attach read-only and see the last committed snapshot, never half a run; they hold nothing that a writer needs.
Writers take turns through a lock, because two at once on a SQLite catalogue lose commits
(https://github.com/duckdb/ducklake/issues/1309), and because each decides by what it read at its beginning.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import weakref
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from sources.errors import UsageError, WarehouseError
from warehouse.lake import migrations, object_store, ownership
from warehouse.lake.catalog_copy import copy_catalog
from warehouse.lake.extensions import load_extension
from warehouse.lake.locks import FolderTurn, depend, hold_turn, refuse_lost_turn
from warehouse.lake.stored_files import move_data
from warehouse.tables.schema import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from warehouse.lake.locks import Turn
    from warehouse.lake.postgres import PostgresCatalog

_WRITER_WAITS_MS = 30_000
"""How long a commit waits for readers that are copying the catalogue, which takes them milliseconds."""

NAME = "lake"
"""The name under which the lake is attached; the tables need no prefix."""
_NO_LAKE = "no lake at {place}: make one with `paperlake refresh LIST --lake {folder}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class LakePlace:
    """Where a lake is kept.

    Attributes:
        folder: The lake's folder: lock, replies not yet committed, mirror and, by default, everything else.
        catalog: DuckLake catalogue, `sqlite:PATH` or `postgres:CONNECTION`; may hold a password, and is not shown.
        data: Where the Parquet files are: a folder or `s3://bucket/prefix`, with a slash behind it.
    """

    folder: Path
    catalog: str = field(repr=False)
    data: str

    @classmethod
    def of(cls, folder: Path, *, catalog: str | None = None, data: str | None = None) -> LakePlace:
        """Returns the place for `folder`, with a SQLite catalogue and the data inside it unless told otherwise.

        Raises:
            UsageError: The catalogue or the data are of a kind that is not known.
        """
        folder = folder.absolute()
        catalog = catalog or f"sqlite:{folder / 'catalog.sqlite'}"
        if not catalog.startswith(("sqlite:", "postgres:", "postgresql:")):
            raise UsageError("PAPERLAKE_CATALOG is neither sqlite:PATH nor postgres:CONNECTION")
        return cls(folder=folder, catalog=catalog, data=_data_path(data or str(folder / "data")))

    def __str__(self) -> str:
        """Returns what to call the lake in a message: its folder, or its catalogue's address without a password."""
        return str(self.server or self.folder)

    @property
    def catalog_file(self) -> Path | None:
        """Returns the catalogue's file, None where the catalogue is a server's."""
        scheme, _, rest = self.catalog.partition(":")
        return Path(rest) if scheme == "sqlite" else None

    @property
    def server(self) -> PostgresCatalog | None:
        """Returns the catalogue's server, None where the catalogue is a file.

        Raises:
            UsageError: The connection string is none, or the client library of PostgreSQL is not installed.
        """
        if self.catalog_file is not None:
            return None
        try:
            from warehouse.lake.postgres import PostgresCatalog  # noqa: PLC0415 - takes 0.1 s, which a file does not need
        except ModuleNotFoundError as error:
            raise UsageError(
                f"a catalogue on PostgreSQL needs {error.name}: in paperlake's checkout, pip install '.[postgres]'"
            ) from error

        return PostgresCatalog.parse(self.catalog)

    @property
    def exists(self) -> bool:
        """Returns whether a lake has been made here.

        Raises:
            WarehouseError: The catalogue is on a server, which cannot be reached; or it is lost: its data are there.
        """
        if self.server.has_lake() if self.server else self.catalog_file is not None and self.catalog_file.is_file():
            return True
        with _lake_errors(self, "look for"):
            ownership.refuse_lost(self)
        return False

    @property
    def data_on_store(self) -> bool:
        """Returns whether the data are objects of a store, not files."""
        return self.data.startswith(object_store.SCHEME)

    @property
    def data_inside(self) -> bool:
        """Returns whether the data are in the folder itself: it may have been moved since the catalogue was made."""
        return self.data == f"{self.folder / 'data'}/" and Path(self.data).is_dir()


def open_lake(place: LakePlace, *, as_of: datetime | None = None, sealed: bool = False) -> duckdb.DuckDBPyConnection:
    """Returns a read-only connection to the lake as last committed, or as it was at `as_of`.

    Args:
        place: Where the lake is.
        as_of: None for the newest snapshot.
        sealed: Whether the connection is for statements that are not our own: it can then read the lake's data and
            reach no other file or address, it can write none at all, not even to spill, and no setting can change.

    Raises:
        UsageError: There is no lake, or it had no snapshot at `as_of`.
        LakeVersionError: A newer paperlake made it.
        WarehouseError: The catalogue cannot be read.
    """
    if not place.exists:
        raise UsageError(_NO_LAKE.format(place=place, folder=place.folder))
    connection = _attach_to_read(place, sealed=sealed)
    try:
        with _lake_errors(place, "read"):
            migrations.refuse_newer(connection)
            _refuse_unmade(connection, place)
            if as_of is not None:
                connection = _as_it_was(connection, place, as_of, sealed=sealed)
            if sealed:
                _seal(connection, place)
            return connection
    except BaseException:
        connection.close()
        raise


def open_damaged(place: LakePlace) -> duckdb.DuckDBPyConnection:
    """Returns a read-only connection to a lake that is there, without a look at any of its rows: some may be lost.

    Raises:
        WarehouseError: The catalogue cannot be read.
    """
    return _attach_to_read(place)


def _refuse_unmade(connection: duckdb.DuckDBPyConnection, place: LakePlace) -> None:
    """Refuses a catalogue without tables: whoever was making it was stopped, and the next refresh makes it anew."""
    if not migrations.applied(connection):
        if not ownership.is_claimed(connection):
            ownership.refuse_lost(place, "knows none of them")
        raise UsageError(_NO_LAKE.format(place=place, folder=place.folder))


def _read_only_data(connection: duckdb.DuckDBPyConnection, place: LakePlace) -> list[str]:
    """Returns the options that read the data by a file system that cannot write, which `connection` then has."""
    from warehouse.lake.read_only_files import ReadOnlyFiles  # noqa: PLC0415 - fsspec takes 0.06 s

    connection.register_filesystem(ReadOnlyFiles(Path(place.data)))
    return [f"DATA_PATH {literal(ReadOnlyFiles.address(place.data))}", "OVERRIDE_DATA_PATH true"]


def _seal(connection: duckdb.DuckDBPyConnection, place: LakePlace) -> None:
    """Takes from a connection every file but the lake's data, every way to write one, and every way to undo this."""
    from warehouse.lake.read_only_files import ReadOnlyFiles  # noqa: PLC0415 - fsspec takes 0.06 s

    data = place.data if place.data_on_store else ReadOnlyFiles.address(place.data)
    connection.execute("SET allowed_directories = ?", [[data]])
    if place.data_on_store:
        connection.execute("SET s3_url_compatibility_mode = true")  # no `?s3_endpoint=` sends signed requests elsewhere
    connection.execute("SET temp_directory = ''")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET disabled_filesystems = 'LocalFileSystem'")
    connection.execute("SET lock_configuration = true")


def _as_it_was(
    connection: duckdb.DuckDBPyConnection, place: LakePlace, as_of: datetime, *, sealed: bool
) -> duckdb.DuckDBPyConnection:
    first = connection.execute(f"SELECT min(snapshot_time) FROM {NAME}.snapshots() WHERE schema_version > 0").fetchone()
    if first is not None and first[0] is not None and as_of < first[0]:
        raise UsageError(
            f"the lake at {place} was not there yet at {as_of.isoformat()}, or has let go of its history: it begins "
            f"{first[0]}"
        )
    connection.close()
    return _attach_to_read(place, f"SNAPSHOT_TIME '{as_of.isoformat()}'", sealed=sealed)


def _attach_to_read(place: LakePlace, *options: str, sealed: bool = False) -> duckdb.DuckDBPyConnection:
    """Returns a connection that, where the catalogue is SQLite's, has a copy of it for as long as it lives."""
    if place.catalog_file is None:
        return _attach(place, ["READ_ONLY", *options], sealed=sealed)
    _refuse_missing(place)
    try:
        with _lake_errors(place, "open"):
            copy = copy_catalog(place.catalog_file)
    except OSError as error:
        raise WarehouseError(f"cannot copy the catalogue of {place.folder} to read it: {error}") from error
    try:
        connection = _attach(replace(place, catalog=f"sqlite:{copy}"), ["READ_ONLY", *options], sealed=sealed)
    except BaseException:
        shutil.rmtree(copy.parent, ignore_errors=True)
        raise
    weakref.finalize(connection, shutil.rmtree, copy.parent, ignore_errors=True)
    return connection


def check_writable(place: LakePlace) -> None:
    """Refuses a lake that cannot be written, before anything is done; makes nothing.

    Raises:
        UsageError: A part of the folder's path is no folder, or may not be written.
        WarehouseError: The catalogue is on a server, which cannot be reached.
    """
    if place.server is not None:
        place.server.connect().close()
    nearest = next(path for path in (place.folder, *place.folder.parents) if path.exists())
    if not nearest.is_dir():
        raise UsageError(f"cannot make a lake at {place.folder}: {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        raise UsageError(f"cannot write to the lake folder {place.folder}: no permission in {nearest}")


@contextmanager
def writing(
    place: LakePlace,
    *,
    wait_s: float = 3600,
    on_wait: Callable[[str], None] = lambda _: None,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Gives the one connection that may write, made and migrated where needed, and closes it afterwards.

    Args:
        place: Where the lake is; its folder is made if it is not there.
        wait_s: How long to wait for another writer, in seconds.
        on_wait: Told once, in a sentence, if there is another writer.

    Raises:
        LakeBusyError: The other writer did not end in time.
        UsageError: The folder cannot be written.
        LakeVersionError: A newer paperlake made the lake.
        WarehouseError: The catalogue or a file cannot be read or written.
    """
    turn = _turn(place)
    with hold_turn(turn, str(place), wait_s=wait_s, on_wait=on_wait):
        _refuse_missing(place)
        options = ["DATA_INLINING_ROW_LIMIT 0", *_patience(place)]
        if not place.data_inside:
            options.append(f"DATA_PATH {literal(place.data)}")
        connection = _attach(place, options)
        depend(connection, turn)
        with _lake_errors(place, "write"), closing(connection):
            session = ownership.Session(connection, place)
            session.refuse_others()
            migrations.refuse_newer(connection)
            session.begin()
            try:
                migrations.migrate(connection)
                yield connection
            finally:
                _end(session, turn)


def adopt(place: LakePlace) -> None:
    """Makes the catalogue the owner of its data folder, after a backup was put back or the folder was moved.

    Raises:
        UsageError: There is no lake, or its folder cannot be written.
        LakeBusyError: Another writer did not end in time.
        WarehouseError: The folder is another lake's, or files that the catalogue knows are not in it.
    """
    turn = _turn(place)
    with hold_turn(turn, str(place), wait_s=60, on_wait=lambda _: None):
        there = place.server.has_lake() if place.server else place.catalog_file and place.catalog_file.is_file()
        if not there:
            raise UsageError(f"there is no catalogue of a lake at {place}: put it back first")
        path = [f"DATA_PATH {literal(place.data)}", "OVERRIDE_DATA_PATH true"]
        connection = _attach(place, [*_patience(place), *([] if place.data_inside else path)])
        depend(connection, turn)
        with _lake_errors(place, "adopt"), closing(connection):
            session = ownership.Session(connection, place)
            session.refuse_adoption()
            migrations.refuse_newer(connection)
            session.begin(anew=True)
            move_data(connection, place.data)
            _end(session, turn)


def _end(session: ownership.Session, turn: Turn) -> None:
    """Ends a writer's session; where that fails, the next session takes it for one that was killed, which is safe."""
    if not turn.lost:
        with suppress(duckdb.Error, sqlite3.Error, OSError, WarehouseError):
            session.end()


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection, *, message: str = "", extra: str = "") -> Iterator[None]:
    """Makes all that is written inside one snapshot, or none; `message` and `extra` (JSON) go into its commit.

    Raises:
        LakeBusyError: The writer's turn has been lost; nothing is written.
    """
    connection.execute("BEGIN")
    try:
        yield
        if message:
            connection.execute(f"CALL {NAME}.set_commit_message('paperlake', ?, extra_info => ?)", [message, extra])
        refuse_lost_turn(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.Error):  # a COMMIT that failed has rolled back already
            connection.execute("ROLLBACK")
        raise


def latest_snapshot(connection: duckdb.DuckDBPyConnection) -> int:
    """Returns the number of the newest snapshot."""
    row = connection.execute(f"SELECT max(snapshot_id) FROM {NAME}.snapshots()").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def check_catalog(place: LakePlace) -> None:
    """Refuses a catalogue file that is none or may not be written, in milliseconds, before anything is started.

    Raises:
        UsageError: It may not be written.
        WarehouseError: It is lost, or no sound database.
    """
    file = place.catalog_file
    if file is None or not place.exists:
        return
    if not os.access(file, os.W_OK):
        raise UsageError(f"cannot write to the lake at {place}: no permission to write {file}")
    _refuse_missing(place)
    with (
        _lake_errors(place, "open"),
        closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as catalogue,
    ):
        catalogue.execute("PRAGMA busy_timeout = 30000")
        catalogue.execute("SELECT count(*) FROM sqlite_master").fetchone()


def _load_engine(place: LakePlace) -> duckdb.DuckDBPyConnection:
    """Returns DuckDB with the extensions that the lake needs, nothing attached yet.

    That takes a quarter of a second, in which DuckDB verifies their signatures. A thread must not do it beside other
    imports: now and then such a process ended by SIGSEGV.

    Raises:
        WarehouseError: An extension cannot be loaded.
    """
    connection = duckdb.connect()
    try:
        with _lake_errors(place, "open"):
            connection.execute("SET TimeZone='UTC'")
            connection.execute("SET enable_progress_bar=false")
            load_extension(connection, "ducklake")
            load_extension(connection, "sqlite_scanner" if place.server is None else "postgres_scanner")
    except BaseException:
        connection.close()
        raise
    return connection


def _attach(
    place: LakePlace,
    options: list[str],
    *,
    sealed: bool = False,
) -> duckdb.DuckDBPyConnection:
    connection = _load_engine(place)
    try:
        with _lake_errors(place, "open"):
            if sealed and not place.data_on_store:
                options = [*options, *_read_only_data(connection, place)]
            elif place.data_inside:
                options = [*options, f"DATA_PATH {literal(place.data)}", "OVERRIDE_DATA_PATH true"]
            source, needed = _catalog(connection, place)
            if place.data_on_store:
                object_store.grant(connection, place.data)
            settings = ", ".join([*options, *needed])
            connection.execute(f"ATTACH {literal('ducklake:' + source)} AS {NAME} ({settings})")
            connection.execute(f"USE {NAME}")
    except BaseException:
        connection.close()
        raise
    return connection


def _patience(place: LakePlace) -> list[str]:
    """Returns the option that lets SQLite wait for others instead of failing at once; PostgreSQL needs none."""
    return [f"META_BUSY_TIMEOUT {_WRITER_WAITS_MS}"] if place.catalog_file is not None else []


def _refuse_missing(place: LakePlace) -> None:
    """Refuses data without a catalogue, or with one of no bytes: SQLite would make a new one, and orphans of the data.

    Raises:
        WarehouseError: So it is.
    """
    if place.exists and place.catalog_file is not None and not place.catalog_file.stat().st_size:
        ownership.refuse_lost(place, "has been emptied")


@contextmanager
def _lake_errors(place: LakePlace, verb: str) -> Iterator[None]:
    """Turns the errors of DuckDB and of SQLite into one line that names the lake."""
    try:
        yield
    except (duckdb.Error, sqlite3.Error) as error:
        raise WarehouseError(f"cannot {verb} the lake at {place}: {first_line(error)}") from error


def _catalog(connection: duckdb.DuckDBPyConnection, place: LakePlace) -> tuple[str, list[str]]:
    """Returns what DuckLake calls the catalogue and the options that it needs."""
    if place.server is None:
        return place.catalog, []
    return str(place.server), place.server.options(connection)


def _turn(place: LakePlace) -> Turn:
    """Returns the turn to write to the lake, not yet taken."""
    if place.server is None:
        return FolderTurn(place.folder)
    from warehouse.lake.postgres import ServerTurn  # noqa: PLC0415 - takes 0.1 s, which a file does not need

    return ServerTurn(place.server)


def _data_path(data: str) -> str:
    """Returns where the data are as DuckLake writes it down: absolute, with a slash behind it."""
    if data.startswith(object_store.SCHEME):
        if not data.removeprefix(object_store.SCHEME).strip("/"):
            raise UsageError(f"PAPERLAKE_DATA names no bucket: {data}")
        return f"{data.rstrip('/')}/"
    if "://" in data:
        raise UsageError(f"PAPERLAKE_DATA is neither a folder nor s3://bucket/prefix: {data}")
    return f"{Path(data).absolute()}/"


def first_line(error: Exception) -> str:
    """Returns the first line of DuckDB's message, and whom to ask where a data file is at fault."""
    line = str(error).strip().splitlines()[0]
    if "DATA_PATH parameter" in line:
        return f"{line} If the files were moved there, run `paperlake lake adopt`"
    return f"{line} (`paperlake lake check` names what is wrong)" if ".parquet" in line else line

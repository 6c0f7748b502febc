"""Opens the lake: DuckLake tables over Parquet files, with the catalogue in SQLite or PostgreSQL.

Readers attach read-only and see the last committed snapshot, never half a run; they hold nothing that a writer needs.
Writers take turns through a lock, because two at once on a SQLite catalogue lose commits
(https://github.com/duckdb/ducklake/issues/1309), and because each decides by what it read at its beginning.
"""

from __future__ import annotations

import shutil
import sqlite3
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from sources.errors import UsageError, WarehouseError
from warehouse.lake import engine, migrations, ownership, sealing
from warehouse.lake.concurrency import Turn, copy_catalog, depend, hold_turn, refuse_lost_turn, turn_of
from warehouse.lake.place import LakePlace, lake_errors
from warehouse.lake.stored_files import bytes_stored, data_path, move_data
from warehouse.tables.schema import literal

# How long a commit waits for readers that are copying the catalogue, which takes them milliseconds.
_WRITER_WAITS_MS = 30_000

_SMALL = 2**25  # bytes of a lake's files, below which one thread is best

NAME = "lake"  # the name under which the lake is attached; the tables need no prefix
_MINUTES = "%Y-%m-%d %H:%M %Z"
_NO_LAKE = "no lake at {place}: make one with `paperlake refresh LIST --lake {folder}`"


def open_lake(
    place: LakePlace,
    *,
    as_of: datetime | None = None,
    sealed: bool = True,
    most_memory: str | None = None,
    threads: int | None = None,
) -> duckdb.DuckDBPyConnection:
    """Returns a read-only connection to the lake as last committed, or as it was at `as_of`.

    Args:
        place: Where the lake is.
        as_of: None for the newest snapshot.
        sealed: Whether the connection is for statements that are not our own: it can then read the lake's data and
            reach no other file or address, it can write none at all, not even to spill, and no setting can change.
        most_memory: As DuckDB's `memory_limit`; None for its own.
        threads: How many threads a query may have; None for one a core, or a single one for a small lake.

    Raises:
        UsageError: There is no lake, or it had no snapshot at `as_of`.
        LakeVersionError: A newer paperlake made it.
        WarehouseError: The catalogue cannot be read.
    """
    if not place.exists:
        raise UsageError(_NO_LAKE.format(place=place, folder=place.folder))
    connection = _attach_to_read(place, sealed=sealed)
    try:
        with lake_errors(place, "read"):
            taken = migrations.applied(connection)
            migrations.refuse_other_versions(taken)
            if as_of is not None:
                connection = _as_it_was(connection, place, as_of, sealed=sealed)
                taken = migrations.applied(connection)
            migrations.show_own_views(connection, taken)
            if most_memory is not None:
                connection.execute("SET memory_limit = ?", [most_memory])
            if threads is not None:
                connection.execute("SET threads = ?", [threads])
            if sealed:
                _seal(connection, place)
            return connection
    except BaseException:
        connection.close()
        raise


def open_damaged(place: LakePlace) -> duckdb.DuckDBPyConnection:
    """Returns a read-only connection to a lake that is there, without a look at any of its rows: some may be lost."""
    return _attach_to_read(place)


def _seal(connection: duckdb.DuckDBPyConnection, place: LakePlace) -> None:
    """Takes from a connection every file but the lake's data, every way to write one, and every way to undo this."""
    connection.execute("SET allowed_directories = ?", [[data_path(connection)]])
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
            f"the lake at {place} was not there yet at {as_of:{_MINUTES}}, or has let go of its history: it begins "
            f"{first[0]:{_MINUTES}}"
        )
    connection.close()
    return _attach_to_read(place, f"SNAPSHOT_TIME '{as_of.isoformat()}'", sealed=sealed)


def _attach_to_read(place: LakePlace, *options: str, sealed: bool = False) -> duckdb.DuckDBPyConnection:
    """Returns a connection that, where the catalogue is SQLite's, has a copy of it for as long as it lives."""
    if place.catalog_file is None:
        return _attach(place, ["READ_ONLY", *options], sealed=sealed)
    try:
        with lake_errors(place, "open"):
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


@contextmanager
def writing(
    place: LakePlace,
    *,
    wait_s: float = 3600,
    on_wait: Callable[[str], None] = lambda _: None,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Gives the one connection that may write, made and migrated where needed, and closes it afterwards.

    It waits up to `wait_s` seconds for another writer, of which `on_wait` is told once, in a sentence.

    Raises:
        LakeBusyError: The other writer did not end in time.
        UsageError: The folder cannot be written.
        LakeVersionError: A newer paperlake made the lake.
        WarehouseError: The catalogue or a file cannot be read or written.
    """
    turn = turn_of(place)
    with hold_turn(turn, str(place), wait_s=wait_s, on_wait=on_wait):
        _ = place.exists  # refuses data whose catalogue is lost: SQLite would make a new one, and orphans of the data
        options = ["DATA_INLINING_ROW_LIMIT 0", *_patience(place)]
        if not place.data_inside:
            options.append(f"DATA_PATH {literal(place.data)}")
        connection = _attach(place, options)
        depend(connection, turn)
        with lake_errors(place, "write"), closing(connection):
            session = ownership.Session(connection, place)
            session.refuse_others()
            migrations.refuse_other_versions(migrations.applied(connection))
            session.begin()
            try:
                migrations.migrate(connection)
                yield connection
            finally:
                _end(session, turn)


# Connections to lakes in memory, which have no snapshots.
_IN_MEMORY: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()


@contextmanager
def lake_in_memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """Gives a new lake that is gone when the block ends: tables and views, without snapshots, files or extensions."""
    with closing(duckdb.connect(config={"threads": 1})) as connection:
        connection.execute("SET TimeZone='UTC'")
        connection.execute(f"ATTACH ':memory:' AS {NAME}")
        connection.execute(f"USE {NAME}")
        migrations.make_in_memory(connection)
        _IN_MEMORY.add(connection)
        yield connection


def adopt(place: LakePlace) -> None:
    """Makes the catalogue the owner of its data folder, after a backup was put back or the folder was moved.

    Raises:
        UsageError: There is no lake, or its folder cannot be written.
        LakeBusyError: Another writer did not end in time.
        WarehouseError: The folder is another lake's, or files that the catalogue knows are not in it.
    """
    turn = turn_of(place)
    with hold_turn(turn, str(place), wait_s=60, on_wait=lambda _: None):
        there = (
            place.server.progress() == "made" if place.server else place.catalog_file and place.catalog_file.is_file()
        )
        if not there:
            raise UsageError(f"there is no catalogue of a lake at {place}: put it back first")
        path = [f"DATA_PATH {literal(place.data)}", "OVERRIDE_DATA_PATH true"]
        connection = _attach(place, [*_patience(place), *([] if place.data_inside else path)])
        depend(connection, turn)
        with lake_errors(place, "adopt"), closing(connection):
            session = ownership.Session(connection, place)
            session.refuse_adoption()
            migrations.refuse_other_versions(migrations.applied(connection))
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
        if message and connection not in _IN_MEMORY:
            connection.execute(f"CALL {NAME}.set_commit_message('paperlake', ?, extra_info => ?)", [message, extra])
        refuse_lost_turn(connection)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.Error):  # a COMMIT that failed has rolled back already
            connection.execute("ROLLBACK")
        raise


def rows_of(
    connection: duckdb.DuckDBPyConnection, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()
) -> list[Any]:
    """Returns the rows that a query gives, a dictionary each."""
    rows: list[Any] = connection.execute(sql, values).to_arrow_table().to_pylist()
    return rows


def look_once(connection: duckdb.DuckDBPyConnection, view: str, query: str | None = None) -> None:
    """Puts a temporary table of what `query` gives, or else the view itself, before the view of that name.

    The view may be the connection's own, where the lake still has the views of another version.
    """
    sql = "SELECT view_name FROM duckdb_views() WHERE temporary AND view_name = ?"
    is_own = bool(connection.execute(sql, [view]).fetchall())
    query = query or f"FROM {'temp' if is_own else NAME}.{view}"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE looked_up AS {query}")
    connection.execute(f"DROP {'VIEW' if is_own else 'TABLE'} IF EXISTS temp.{view}")
    connection.execute(f"ALTER TABLE temp.looked_up RENAME TO {view}")


def latest_snapshot(connection: duckdb.DuckDBPyConnection) -> int:
    """Returns the number of the newest snapshot, 0 of a lake in memory."""
    if connection in _IN_MEMORY:
        return 0
    row = connection.execute(f"SELECT max(snapshot_id) FROM {NAME}.snapshots()").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def _attach(
    place: LakePlace,
    options: list[str],
    *,
    sealed: bool = False,
) -> duckdb.DuckDBPyConnection:
    with lake_errors(place, "open"):
        scanner = "sqlite_scanner" if place.server is None else "postgres_scanner"
        connection = engine.load_engine(scanner, on_store=place.data_on_store)
    try:
        with lake_errors(place, "open"):
            said = sealing.refuse_strange_catalog(place)
            if sealed and not place.data_on_store:
                named = place.data if said is None or Path(place.data).is_dir() else said
                from warehouse.lake.read_only_files import ReadOnlyFiles  # noqa: PLC0415 - fsspec takes 0.06 s

                connection.register_filesystem(ReadOnlyFiles(Path(named)))
                address = literal(ReadOnlyFiles.address(named))
                options = [*options, f"DATA_PATH {address}", "OVERRIDE_DATA_PATH true"]
            elif place.data_inside:
                options = [*options, f"DATA_PATH {literal(place.data)}", "OVERRIDE_DATA_PATH true"]
            source = place.catalog
            if place.server is not None:
                source, options = str(place.server), [*options, *place.server.options(connection)]
            if place.data_on_store:
                engine.grant(connection, place.data)
            connection.execute(f"ATTACH {literal('ducklake:' + source)} AS {NAME} ({', '.join(options)})")
            sealing.refuse_strange(connection, place)
            connection.execute(f"USE {NAME}")
            if place.catalog_file is None or place.data_on_store or bytes_stored(connection) >= _SMALL:
                use_all_threads(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def use_all_threads(connection: duckdb.DuckDBPyConnection) -> None:
    """Lets queries have a thread a core, as those over much have; others take more processor time by it, not less."""
    connection.execute("RESET threads")


def _patience(place: LakePlace) -> list[str]:
    """Returns the option that lets SQLite wait for others instead of failing at once; PostgreSQL needs none."""
    return [f"META_BUSY_TIMEOUT {_WRITER_WAITS_MS}"] if place.catalog_file is not None else []

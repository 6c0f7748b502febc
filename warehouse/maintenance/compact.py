"""Merges small files of a lake, expires old snapshots, and deletes files that no reader can need.

DuckLake's own functions do the work, with three of their traps kept away from the data:

- With a SQLite catalogue `older_than` is compared as text, to the day: files that were retired a minute ago count as
  older than an hour. So snapshots are named one by one, and files are deleted by whole days past.
- A file deleted too soon is lost to a reader in the middle of its query. So retired files stay for a grace period.
- `delete_orphaned_files` deletes whatever lies under the data path and is not in the catalogue: the files of another
  lake, a stranger's, those of a newer catalogue than this one. It takes the path for a pattern, and has taken files in
  use for orphans (https://github.com/duckdb/ducklake/issues/815). So it is not called at all: only files that this
  catalogue registered are deleted, and those that its own killed sessions left.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise

from duckdb import DuckDBPyConnection

from sources.errors import CheckFailed
from sources.text import counted
from warehouse import Stage, without_progress
from warehouse.lake.ownership import forget_killed_sessions, of_killed_sessions
from warehouse.lake.session import NAME, transaction
from warehouse.lake.stored_files import (
    DataFolder,
    data_path,
    keep_seals,
    retire,
    retired_files,
    seal,
    sha256_of,
    sizes_on_disk,
    stored_files,
    table_folders,
)
from warehouse.tables.declarations import TABLES

KEEP = timedelta(days=90)
GRACE = timedelta(days=1)
_REWRITE_AT = 0.1  # a file is rewritten once this share of its rows is deleted
_LAKE = f"'{NAME}'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How many Parquet files there are, and their bytes."""

    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What compacting a lake did."""

    read_before: Size  # the files that the newest snapshot read before
    read_after: Size  # the files that it reads now
    disk_before: Size  # all files of the lake before
    disk_after: Size  # all files of the lake now
    snapshots_expired: int  # snapshots that `--as-of` reaches no longer
    history_begins: datetime  # the oldest instant that `--as-of` reaches now
    waiting: Size  # files that no snapshot reads any more, kept for readers in the middle of a query
    unknown: Size  # files in the data folder that this lake never registered, and that were left alone


def compact(
    connection: DuckDBPyConnection,
    *,
    keep: timedelta = KEEP,
    grace: timedelta = GRACE,
    now: datetime,
    stage: Stage = without_progress,
) -> Compaction:
    """Compacts the lake; every row stays, and every snapshot younger than `keep`.

    Each step is whole in itself: stopped anywhere, the lake is sound, and the next compaction goes on.

    `--as-of` must reach back as far as `keep`. For readers in the middle of a query a file stays for `grace` after the
    last snapshot that reads it, rounded up to whole days; zero deletes at once.

    Raises:
        CheckFailed: A table would have other rows afterwards, or a file in use would be deleted; nothing was deleted.
        duckdb.Error: A file cannot be read or written.
    """
    read_before, disk_before = _read(connection), _on_disk(connection)
    step = stage("compacting", 5, "steps")
    rows = _fingerprints(connection)
    expired = _expire(connection, now - keep)
    step(1)
    _merge(connection)
    _refuse_change(rows, _fingerprints(connection))
    step(1)
    _seal(connection)
    step(1)
    _retire_orphans(connection)
    step(1)
    _delete_retired(connection, now=now, grace=grace)
    keep_seals(connection, {file.name for file in stored_files(connection)})
    step(1)
    ((begins,),) = connection.execute(f"SELECT min(snapshot_time) FROM {NAME}.snapshots()").fetchall()
    read_after, disk_after, unknown = _read(connection, history=True), _on_disk(connection), _unknown(connection)
    return Compaction(
        read_before=read_before,
        read_after=_read(connection),
        disk_before=disk_before,
        disk_after=disk_after,
        snapshots_expired=expired,
        history_begins=begins.astimezone(UTC),
        waiting=Size(files=disk_after.files - read_after.files, bytes=disk_after.bytes - read_after.bytes),
        unknown=Size(files=len(unknown), bytes=sum(unknown.values())),
    )


def _expire(connection: DuckDBPyConnection, oldest: datetime) -> int:
    times = connection.execute(f"SELECT snapshot_id, snapshot_time FROM {NAME}.snapshots() ORDER BY 1").fetchall()
    old = [number for (number, _), (_, followed) in pairwise(times) if followed < oldest]
    if old:
        connection.execute(f"CALL ducklake_expire_snapshots({_LAKE}, versions => {old})")
    return len(old)


def _merge(connection: DuckDBPyConnection) -> None:
    with transaction(connection, message="compact", extra="{}"):
        connection.execute(f"CALL ducklake_rewrite_data_files({_LAKE}, delete_threshold => {_REWRITE_AT})")
        connection.execute(f"CALL ducklake_merge_adjacent_files({_LAKE})")


def _fingerprints(connection: DuckDBPyConnection) -> dict[str, tuple[int, int]]:
    """Returns table -> its number of rows, and a sum over all of them that no lost or changed value leaves as it is."""
    return {
        table.name: connection.execute(
            f'SELECT count(*), coalesce(sum(hash(t)::HUGEINT), 0) FROM "{table.name}" AS t'
        ).fetchall()[0]
        for table in TABLES
    }


def _refuse_change(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> None:
    for table, (rows, _) in before.items():
        if after[table] != before[table]:
            raise CheckFailed(
                f"compacting was stopped: {table} had {counted(rows, 'row')} and would have {after[table][0]}, or "
                "others; no file was deleted. Please report this",
                check="compact",
                table=table,
            )


def _seal(connection: DuckDBPyConnection) -> None:
    new = [file for file in stored_files(connection) if file.sha256 is None]
    seal(connection, [(file, sha256_of(connection, file.path)[1]) for file in new])


def _delete_retired(connection: DuckDBPyConnection, *, now: datetime, grace: timedelta) -> None:
    """Deletes the files that no snapshot reads any more, once no reader can be in the middle of them."""
    mistaken = retired_files(connection) & {file.name for file in stored_files(connection)}
    if mistaken:
        raise CheckFailed(
            f"compacting was stopped: DuckLake would delete {min(mistaken)}, and a snapshot reads it; no file was "
            "deleted. Please report this",
            check="compact",
            sample=sorted(mistaken)[:5],
        )
    if grace <= timedelta(0):
        connection.execute(f"CALL ducklake_cleanup_old_files({_LAKE}, cleanup_all => true)")
        return
    # Compared as text, a day counts as older than any hour of itself: so the bound is the end of the day before.
    bound = datetime.combine((now - grace).date(), time(), UTC) - timedelta(seconds=1)
    connection.execute(f"CALL ducklake_cleanup_old_files({_LAKE}, older_than => ?::TIMESTAMPTZ)", [bound])


def _retire_orphans(connection: DuckDBPyConnection) -> None:
    """Schedules the files of killed sessions, which no commit registered, for deletion as if one had.

    Any other file that the catalogue does not know is left alone: it may be another lake's, a stranger's, or that of a
    newer catalogue than this one, which was put back from a backup.
    """
    folder = DataFolder(data_path(connection), connection)
    homes = table_folders(connection)
    unknown = {path.rsplit("/", 1)[-1]: path for path in _unknown(connection) if path.rsplit("/", 1)[0] + "/" in homes}
    orphans = of_killed_sessions(folder, unknown)
    if orphans:
        root = len(folder.data)
        retire(connection, {unknown[name][root:]: moment for name, moment in orphans.items()})
    forget_killed_sessions(folder)


def _unknown(connection: DuckDBPyConnection) -> dict[str, int]:
    """Returns path -> bytes of the files under the data path whose names the catalogue does not know."""
    known = {file.name for file in stored_files(connection)} | retired_files(connection)
    return {path: size for path, size in sizes_on_disk(connection).items() if path.rsplit("/", 1)[-1] not in known}


def _read(connection: DuckDBPyConnection, *, history: bool = False) -> Size:
    files = [file for file in stored_files(connection) if file.current or history]
    return Size(files=len(files), bytes=sum(file.size for file in files))


def _on_disk(connection: DuckDBPyConnection) -> Size:
    sizes = sizes_on_disk(connection)
    unknown = _unknown(connection)
    return Size(files=len(sizes) - len(unknown), bytes=sum(sizes.values()) - sum(unknown.values()))

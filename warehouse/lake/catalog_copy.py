"""Copies of a SQLite catalogue: one for each reader, and one beside the data, from which a lost one is put back.

With a copy of its own no reader ever holds up a commit, or is held up.

SQLite's rollback journal lets nobody commit while somebody reads, and a query may take minutes. Write-ahead logging
would end that, but leaves files that a reader in a read-only folder cannot make, and does not work over a network
(https://sqlite.org/wal.html). The catalogue is small: copying it holds it for milliseconds.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sources.errors import UsageError
from warehouse.durable_files import write_whole
from warehouse.lake.stored_files import DataFolder

if TYPE_CHECKING:
    from warehouse.lake.place import LakePlace

SAVED = "paperlake-catalogue-copy.sqlite"
"""The copy of a SQLite catalogue that every writer leaves in the data folder, for `restored`."""
_WAITS_S = 30
"""How long to wait for a commit under way, which takes milliseconds."""


def copy_catalog(file: Path) -> Path:
    """Returns a copy of the catalogue `file` as last committed, alone in a temporary folder, which the caller removes.

    What a writer killed in mid-commit left is undone first (https://sqlite.org/lockingv3.html#hot_journals).

    Raises:
        sqlite3.Error: The file is no sound database, or a commit did not end in time.
        OSError: There is no room for the copy.
    """
    folder = Path(tempfile.mkdtemp(prefix="paperlake-"))
    try:
        copy = folder / file.name
        with (
            closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=_WAITS_S)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master")  # the wait is here; a backup would wait for ever
            target.execute("PRAGMA synchronous = OFF")
            source.backup(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return copy


def keep_copy(file: Path, folder: DataFolder) -> None:
    """Puts a copy of the catalogue `file` beside the data, in the place of the one before."""
    copy = copy_catalog(file)
    try:
        folder.write(SAVED, copy.read_bytes())
    finally:
        shutil.rmtree(copy.parent, ignore_errors=True)


def restored(place: LakePlace) -> datetime:
    """Puts back the copy of a lost SQLite catalogue that lies beside the data, and returns when that was made.

    Raises:
        UsageError: The catalogue is there, or is a server's, or there is no copy.
    """
    file = place.catalog_file
    if file is None:
        raise UsageError("the catalogue is on a PostgreSQL server: restore its database from the server's own backup")
    if file.is_file() and file.stat().st_size:
        raise UsageError(f"the catalogue {file} is there: move it away first if it is to be replaced")
    body = DataFolder(place.data).read(SAVED)
    if body is None:
        raise UsageError(f"there is no copy of the catalogue in {place.data}: put the catalogue back from a backup")
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, body)
    with closing(sqlite3.connect(file)) as catalog:
        ((newest,),) = catalog.execute("SELECT max(snapshot_time) FROM ducklake_snapshot").fetchall()
    return datetime.fromisoformat(newest)

"""One writer and many readers: writers take turns, and each reader has a copy of a SQLite catalogue.

A turn is a lock on a file in the lake's folder, or is held by the server of the catalogue. Either ends with whoever
holds it, killed or not, so that no dead writer holds anybody up.

SQLite's rollback journal lets nobody commit while somebody reads, and a query may take minutes. Write-ahead logging
would end that, but leaves files that a reader in a read-only folder cannot make, and does not work over a network
(https://sqlite.org/wal.html). The catalogue is small: copying it holds it for milliseconds. One more copy lies beside
the data, from which a lost catalogue is put back.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary

from sources.errors import LakeBusyError, UsageError
from warehouse.durable_files import write_whole
from warehouse.lake.place import open_catalog
from warehouse.lake.stored_files import DataFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace
    from warehouse.lake.postgres import ServerTurn


class FolderTurn:
    """A turn over all processes that share a folder, on one machine: a lock on a file in it."""

    lost = False  # the system takes the lock from no living process

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock  # noqa: PLC0415 - takes long, and readers take no turn

        self._folder = folder
        self._lock = FileLock(folder / "writer.lock")

    def take(self, wait_s: float) -> bool:
        """Returns whether the turn is ours, after at most `wait_s` seconds of waiting for another; makes the folder.

        Raises:
            UsageError: The folder cannot be written.
        """
        from filelock import Timeout  # noqa: PLC0415

        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=wait_s, poll_interval=0.2)
        except Timeout:
            return False
        except OSError as error:
            raise UsageError(f"cannot write to the lake folder {self._folder}: {error.strerror or error}") from error
        return True

    def release(self) -> None:
        """Ends the turn, ours or not."""
        self._lock.release()


# The right to write to one lake, which one writer has at a time.
Turn: TypeAlias = "FolderTurn | ServerTurn"


def turn_of(place: LakePlace) -> Turn:
    """Returns the turn to write to the lake, not yet taken."""
    if place.server is None:
        return FolderTurn(place.folder)
    from warehouse.lake.postgres import ServerTurn  # noqa: PLC0415 - takes 0.1 s, which a file does not need

    return ServerTurn(place.server)


# The turn that a writer's connection was opened under.
_DEPENDS: WeakKeyDictionary[DuckDBPyConnection, Turn] = WeakKeyDictionary()


@contextmanager
def hold_turn(turn: Turn, lake: str, *, wait_s: float, on_wait: Callable[[str], None]) -> Iterator[None]:
    """Takes `turn` to write to `lake`, which the messages name, and ends it afterwards.

    Raises:
        LakeBusyError: Another writer did not end in time.
    """
    try:
        if not turn.take(0):
            on_wait(f"another paperlake writes to {lake}; waiting for it to end")
            if not turn.take(wait_s):
                raise LakeBusyError(f"another paperlake has been writing to {lake} for {wait_s:.0f} s; try later")
        yield
    finally:
        turn.release()


def depend(connection: DuckDBPyConnection, turn: Turn) -> None:
    """Lets `connection` commit only while `turn` lasts, see `refuse_lost_turn`."""
    _DEPENDS[connection] = turn


def refuse_lost_turn(connection: DuckDBPyConnection) -> None:
    """Refuses to commit where the turn has been lost, as when the server was restarted in the middle of a run.

    Raises:
        LakeBusyError: Another writer may have begun.
    """
    turn = _DEPENDS.get(connection)
    if turn is not None and turn.lost:
        raise LakeBusyError(
            "the connection to the catalogue's server broke, and with it this writer's turn: nothing was written, "
            "since another writer may have begun; refresh again"
        )


# The copy of a SQLite catalogue that every writer leaves in the data folder, for `restored`.
SAVED = "paperlake-catalogue-copy.sqlite"


def copy_catalog(file: Path) -> Path:
    """Returns a copy of the catalogue `file` as last committed, in a temporary folder that the caller removes."""
    folder = Path(tempfile.mkdtemp(prefix="paperlake-"))
    try:
        copy = folder / file.name
        with closing(open_catalog(file)) as source, closing(sqlite3.connect(copy)) as target:
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

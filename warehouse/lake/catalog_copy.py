"""Gives each reader a copy of the SQLite catalogue of its own, so that no reader ever holds up a commit, or is held up.

SQLite's rollback journal lets nobody commit while somebody reads, and a query may take minutes. Write-ahead logging
would end that, but leaves files that a reader in a read-only folder cannot make, and does not work over a network
(https://sqlite.org/wal.html). The catalogue is small: copying it holds it for milliseconds.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

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

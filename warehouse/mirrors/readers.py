"""Who reads a release of a mirror: while somebody does, its files stay.

A reader holds a lock on a file of its own, which names the release. The system ends the lock with the process, so a
reader that was killed keeps nothing. Readers begin, and releases go, one at a time: no reader begins on a release that
is just being removed.
"""

from __future__ import annotations

import os
import secrets
import weakref
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from sources.errors import WarehouseError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WAIT_S = 60.0
"""What comes in between lasts milliseconds."""


class Reader:
    """Somebody who reads a release, until `end`, or until nobody refers to this any more.

    Args:
        path: The file to lock; None where the folder cannot be written, and so no import can remove anything.
    """

    def __init__(self, path: Path | None) -> None:
        lock = None if path is None else FileLock(path, timeout=0, thread_local=False)
        if lock is not None:
            lock.acquire()
        self.end = weakref.finalize(self, _end, lock)


class Readers:
    """Those who read the releases in one mirror's folder.

    Args:
        folder: The mirror's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / "readers"

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lets no reader begin, and nobody else remove anything, meanwhile.

        Raises:
            WarehouseError: Somebody else does not come to an end.
            OSError: The folder cannot be written.
        """
        self._path.mkdir(exist_ok=True)
        gate = FileLock(self._path / "gate.lock", timeout=_WAIT_S)
        try:
            gate.acquire()
        except Timeout as error:
            raise WarehouseError(f"the mirror is locked by another process ({gate.lock_file}); try again") from error
        try:
            yield
        finally:
            gate.release()

    def begin(self, release: str) -> Reader:
        """Returns a new reader of `release`; only to be called `alone`."""
        return Reader(self._path / f"{release}.{os.getpid()}-{secrets.token_hex(4)}.lock")

    def are_reading(self, release: str) -> bool:
        """Returns whether anybody reads `release`, and clears away after those who died; to be called `alone`."""
        files = [path for path in self._path.iterdir() if path.name.startswith(f"{release}.")]
        return [_is_locked(path) for path in files].count(True) > 0


def _is_locked(path: Path) -> bool:
    lock = FileLock(path, timeout=0)
    try:
        with lock:
            path.unlink(missing_ok=True)
    except Timeout:
        return True
    return False


def _end(lock: FileLock | None) -> None:
    if lock is not None:
        with suppress(OSError):
            os.unlink(lock.lock_file)  # noqa: PTH108 - at the end of the interpreter little else is left
            lock.release()

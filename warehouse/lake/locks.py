"""Writers take turns: through a file in the lake's folder, or through the server that holds the catalogue.

Either turn ends with whoever holds it, killed or not, so that no dead writer holds anybody up.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from sources.errors import LakeBusyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace


class Turn(Protocol):
    """The right to write to one lake, which one writer has at a time."""

    def take(self, wait_s: float) -> bool:
        """Returns whether the turn is ours, after at most `wait_s` seconds of waiting for another writer."""

    @property
    def lost(self) -> bool:
        """Returns whether the turn that was ours has ended without our doing."""

    def release(self) -> None:
        """Ends the turn, ours or not."""


class FolderTurn:
    """A turn over all processes that share a folder, on one machine: a lock on a file in it."""

    lost = False
    """The system takes the lock from nobody who lives."""

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock  # noqa: PLC0415 - takes long, and readers take no turn

        self._folder = folder
        self._lock = FileLock(folder / "writer.lock")

    def take(self, wait_s: float) -> bool:
        """Returns whether the turn is ours, see `Turn`; makes the folder.

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


def turn_of(place: LakePlace) -> Turn:
    """Returns the turn to write to the lake, not yet taken."""
    if place.server is None:
        return FolderTurn(place.folder)
    from warehouse.lake.postgres import ServerTurn  # noqa: PLC0415 - takes 0.1 s, which a file does not need

    return ServerTurn(place.server)


_DEPENDS: WeakKeyDictionary[DuckDBPyConnection, Turn] = WeakKeyDictionary()
"""The turn that a writer's connection was opened under."""


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

"""What several commands need: the lake's place, and Ctrl-C that no library swallows or turns into an error."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from flows.lake_place import simple_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warehouse.lake.place import LakePlace

STOPPED = 130
"""Exit code of a command that Ctrl-C ended: 128 and the signal's number."""
_GRACE_S = 2.0


def read_place(lake: str | None) -> LakePlace:
    """Returns where the lake is, as the settings say; imports their library only where more than the folder is set.

    Args:
        lake: The option `--lake`.

    Raises:
        UsageError: A setting has an impossible value.
    """
    place = simple_place(lake)
    if place is None:
        from flows.settings import read_settings  # noqa: PLC0415 - takes as long as a query

        place = read_settings(lake=lake).place
    return place


@contextmanager
def ctrl_c_ends(saying: str) -> Iterator[None]:
    """Lets Ctrl-C leave the block as KeyboardInterrupt, whatever a library makes of it.

    DuckDB turns it into a RuntimeError, and an interrupt that arrives inside a callback may be swallowed. A process
    that has not ended two seconds later is ended as it stands: nothing has to be put away for the lake to stay whole.

    Args:
        saying: What to tell the user in that case.
    """
    pressed = False

    def note(_number: int, _frame: Any) -> None:
        nonlocal pressed
        if not pressed:
            pressed = True
            last_resort = threading.Timer(_GRACE_S, _end, [saying])
            last_resort.daemon = True
            last_resort.start()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception as error:
        if pressed:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)


def _end(saying: str) -> None:
    sys.stderr.write(saying)
    sys.stderr.flush()
    os._exit(STOPPED)

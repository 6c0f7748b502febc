"""Helpers of several commands: the lake's place, and a Ctrl-C that ends a command at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warehouse.lake.place import simple_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from warehouse.lake.place import LakePlace

STOPPED = 130  # exit code of a command that Ctrl-C ended: 128 and the signal's number
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
    """Raises KeyboardInterrupt from the block on Ctrl-C, whatever a library makes of it.

    DuckDB turns it into a RuntimeError, and one that is raised inside a callback may be lost. A process that is still
    running two seconds later is ended at once: the lake needs no cleaning up.

    Args:
        saying: What to print in that case.
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

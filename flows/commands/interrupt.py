"""Ctrl-C, told apart from the errors that it causes in libraries on its way out, and never lost in one of them."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

STOPPED = 130
"""Exit code of a command that Ctrl-C ended: 128 and the signal's number."""
_GRACE_S = 2.0


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

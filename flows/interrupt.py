"""Ctrl-C, told apart from the errors that it causes in libraries on its way out."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def ctrl_c_as_itself() -> Iterator[None]:
    """Raises KeyboardInterrupt for what leaves the block after Ctrl-C; DuckDB makes a RuntimeError of it."""
    pressed = False

    def note(_number: int, _frame: Any) -> None:
        nonlocal pressed
        pressed = True
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

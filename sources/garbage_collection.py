"""Work on millions of values without Python's search for objects that keep only each other."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Holds off the search, for work that leaves hardly any such objects, and many to search.

    It is for the whole process, so whoever had it off finds it off, and two threads may each do this at once.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

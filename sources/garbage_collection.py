"""Pauses Python's cyclic garbage collector."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Pauses the collector, for work that creates many objects and hardly any cycles.

    It applies to the whole process. Where the collector was off before, it stays off; threads may overlap.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

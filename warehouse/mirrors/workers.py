"""Several pieces of work at a time in one process. DuckDB lets go of Python's lock, so that threads will do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

WORKERS = max(1, min(os.cpu_count() or 1, 8))
"""Blocks taken at a time; each has up to 1 GB to itself."""


def in_threads(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yields what `function` returns for each of `items`, as it comes.

    The next item is made only when a worker will soon be free for it: items may be unpacked parts of a huge file.
    """
    pending: set[Future[Any]] = set()
    with ThreadPoolExecutor(WORKERS) as pool:
        try:
            for item in items:
                pending.add(pool.submit(function, item))
                if len(pending) > WORKERS:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    yield from (one.result() for one in done)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (one.result() for one in done)
        finally:
            for one in pending:
                one.cancel()

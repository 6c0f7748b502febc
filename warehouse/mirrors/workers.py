"""Runs a function over many things, in threads, in processes, or on the machines of a Dask cluster."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from typing import Any, TypeVar

from sources.errors import UsageError, WarehouseError
from sources.processes import keep_working_folder_out

T = TypeVar("T")
R = TypeVar("R")

_CONNECT_S = 20  # in which a scheduler must answer
WORKERS = max(1, min(os.cpu_count() or 1, 8))  # blocks taken at a time; each has up to 1 GB to itself


# Runs a function over many things, several at a time where it can, and yields what it returns, in no fixed order.
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


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
                    yield from (item.result() for item in done)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (item.result() for item in done)
        finally:
            for each in pending:
                each.cancel()


def on_dask(address: str) -> Spread:
    """Returns what runs a function on the workers of a Dask cluster, which must see the files under the same paths.

    A worker that dies costs what it had in hand, which another one does again.

    Raises:
        UsageError: Dask is not installed.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise UsageError("Dask is not installed here: pip install 'paperlake[dask]'") from error

    def spread(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        try:
            client = distributed.Client(address, timeout=_CONNECT_S)
        except OSError as error:
            raise WarehouseError(f"no Dask scheduler answers at {address}: {error}") from error
        with client:
            at_once = 2 * max(1, sum(client.nthreads().values()))
            done = distributed.as_completed(with_results=True)
            for item in items:
                done.add(client.submit(function, item, pure=False))
                if done.count() >= at_once:
                    yield next(done)[1]
            for _, made in done:
                yield made

    return spread


def in_processes(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yields what `function` returns for each of `items`, in order, worked out by as many processes as there are cores.

    One item, or one core, makes no process. Where the machine lets us have none, or takes one away, the rest is done
    here.
    """
    shares = list(items)
    done = 0
    workers = min(WORKERS, len(shares))
    if workers > 1:
        keep_working_folder_out()
        try:
            context = multiprocessing.get_context("spawn")
            left_to_us = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C
            with ProcessPoolExecutor(workers, context, initializer=signal.signal, initargs=left_to_us) as pool:
                for made in pool.map(function, shares):
                    done += 1
                    yield made
        except (BrokenProcessPool, OSError):
            pass
    yield from map(function, shares[done:])

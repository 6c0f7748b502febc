"""A Dask cluster that runs the tasks of a flow: looked at before anything is handed to it."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING

from distributed import Client
from distributed.comm import CommClosedError
from distributed.comm.addressing import parse_address
from distributed.scheduler import KilledWorker
from prefect_dask import DaskTaskRunner

from flows.prefect.server import answers, configured_server
from sources.errors import PaperlakeError, UsageError
from warehouse.mirrors.release import hash_probe

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ANSWERS_WITHIN_S = 20.0
"""For the scheduler to answer, and then for a worker to be there."""


@contextmanager
def dask_cluster(address: str, *, seen: Sequence[str]) -> Iterator[tuple[DaskTaskRunner, int]]:
    """Gives what runs tasks on the cluster whose scheduler is at `address`, and how many it runs at a time.

    Args:
        address: The scheduler's, as in tcp://host:8786.
        seen: Paths that every worker must be able to read.

    Raises:
        UsageError: There is no such cluster, or a worker of it could not do the work; nothing was begun.
        PaperlakeError: The cluster was lost on the way.
    """
    threads = _threads(address, seen)
    try:
        with warnings.catch_warnings():
            # Titles and what is found for them are handed over as they are: nothing that users could do better.
            warnings.filterwarnings("ignore", message="Sending large graph")
            yield DaskTaskRunner(address=address), threads
    except (KilledWorker, CancelledError, CommClosedError) as error:
        raise PaperlakeError(
            f"the Dask cluster at {address} lost its work ({type(error).__name__}: {error}); the same command goes on"
            " with what is done"
        ) from error


def _threads(address: str, seen: Sequence[str]) -> int:
    """Returns how many tasks the cluster runs at a time, all of whose workers can take part."""
    try:
        parse_address(address, strict=True)
        client = Client(address, timeout=_ANSWERS_WITHIN_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {address}: is PAPERLAKE_DASK right? ({error})") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_ANSWERS_WITHIN_S)
        except TimeoutError as error:
            raise UsageError(f"the Dask cluster at {address} has no worker: start some with `dask worker`") from error
        faults = client.run(why_not, seen, configured_server(), hash_probe(), on_error="return")
        for worker, fault in faults.items():
            if isinstance(fault, Exception):
                raise UsageError(
                    f"the Dask worker at {worker} cannot run paperlake ({fault}): install the same version there, with"
                    " `pip install 'paperlake[dask]'`"
                )
            if fault is not None:
                raise UsageError(f"the Dask worker at {worker} {fault}")
        return sum(client.nthreads().values())


def why_not(seen: Sequence[str], server: str | None, hashed: int) -> str | None:
    """Returns, on a worker, why it cannot take part; None where it can.

    Args:
        seen: Paths that it must see.
        server: Address of the Prefect server that hears of its tasks.
        hashed: What `hash_probe` told where the flow was started.
    """
    for path in seen:
        if not os.access(path, os.R_OK):
            return f"does not see {path}: dumps and lake must be in a folder that all machines share, at the same path"
    if server is None or not answers(server):
        return (
            f"does not reach Prefect's server at {server}: run `prefect server start --host 0.0.0.0` and set"
            " PREFECT_API_URL to an address that all machines reach"
        )
    if hash_probe() != hashed:
        return "has another version of DuckDB, which hashes terms otherwise: install the same one"
    return None

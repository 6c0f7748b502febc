"""Pieces of the work on a mirror as Prefect tasks, on whatever runs the tasks of the flow."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from sources.errors import UsageError

if TYPE_CHECKING:
    from prefect.task_runners import TaskRunner


def work(label: str, function: Callable[[Any], Any], item: Any) -> Any:  # noqa: ARG001 - the label names the task run
    """Returns what `function` makes of `item`; under a name of its own, by which workers elsewhere find it."""
    return function(item)


_TASK = task(name="mirror", task_run_name="{label}", cache_policy=NO_CACHE, persist_result=False)(work)


def as_tasks(function: Callable[[Any], Any], items: Iterable[Any], *, at_once: int) -> Iterator[Any]:
    """Yields what `function` returns for each of `items`, each a task of the flow that is running.

    Only so many are handed out that none of the `at_once` that run has to wait: items may be unpacked parts of a huge
    file.
    """
    name = function.__name__.replace("_", " ")
    pending: deque[Any] = deque()
    for number, item in enumerate(items):
        pending.append(_TASK.submit(f"{name} {number}", function, item))
        if len(pending) > 2 * at_once:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


@contextmanager
def on_cluster(address: str, *, seen: Sequence[str]) -> Iterator[tuple[TaskRunner[Any], int]]:
    """Gives what runs tasks on the Dask cluster at `address`, and how many at a time; see `dask_cluster`.

    Raises:
        UsageError: The package for Dask is not installed, or the cluster cannot do the work.
        PaperlakeError: The cluster was lost on the way.
    """
    try:
        from flows.mirror.dask_cluster import dask_cluster  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise UsageError("a Dask cluster needs `pip install 'paperlake[dask]'`, here and on its workers") from error
    with dask_cluster(address, seen=seen) as cluster:
        yield cluster

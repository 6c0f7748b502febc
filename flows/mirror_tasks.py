"""Pieces of a bulk import as Prefect tasks, on whatever runs the tasks of the flow."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE


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

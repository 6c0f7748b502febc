"""A batch is a task: Prefect sees one task a request's worth of papers, never one a paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from prefect import task
from prefect.cache_policies import NO_CACHE

T = TypeVar("T")


@task(name="ask", task_run_name="{label}", cache_policy=NO_CACHE, persist_result=False)
def _ask(label: str, call: Callable[[], Any]) -> Any:  # noqa: ARG001 - the label names the task run
    return call()


def as_task(label: str, call: Callable[[], T]) -> T:
    """Returns what `call` returns, run as one Prefect task that is named `label`.

    Nothing is retried here: the adapters know the services' own rules for that, and a batch they gave up is reported in
    its answer, not raised.
    """
    return cast("T", _ask(label, call))

"""A batch is a task: Prefect sees one task a request's worth of papers, never one a paper.

The adapters know the services' own rules for asking again. What they had to give up makes its task fail, so that
Prefect shows which batch it was and why, and a scheduled run, which has the time, tries what may pass once more later;
what was answered meanwhile is kept and not asked again. The run itself goes on with what it has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from prefect import task
from prefect.cache_policies import NO_CACHE

from sources.errors import PayloadError, SourceError, SourceUnreachable, TransientSourceError
from sources.text import counted

if TYPE_CHECKING:
    from prefect import Task
    from prefect.client.schemas.objects import State, TaskRun

T = TypeVar("T")


class BatchIncomplete(Exception):
    """Some of a batch could not be asked; `answer` holds what could, and the rest as failed."""

    def __init__(self, message: str, answer: Any = None, *, may_pass: bool = False) -> None:
        super().__init__(message)
        self.answer = answer
        self.may_pass = may_pass


def as_task(label: str, call: Callable[[], T]) -> T:
    """Returns what `call` returns, run as one Prefect task that is named `label`; for somebody who waits for it.

    Raises:
        SourceError: As `call` does.
    """
    return _run(_ask, label, call)


def as_patient_task(*, retries: int, wait_s: float) -> Callable[[str, Callable[[], Any]], Any]:
    """Returns `as_task` for a run that nobody waits for: a batch is tried `retries` times more, `wait_s` later."""
    patient = _ask.with_options(retries=retries, retry_delay_seconds=wait_s, retry_condition_fn=_may_pass)
    return lambda label, call: _run(patient, label, call)


def _run(ask: Task[..., Any], label: str, call: Callable[[], T]) -> T:
    try:
        return cast("T", ask(label, call))
    except BatchIncomplete as incomplete:
        return cast("T", incomplete.answer)


@task(name="ask", task_run_name="{label}", cache_policy=NO_CACHE, persist_result=False)
def _ask(label: str, call: Callable[[], Any]) -> Any:  # noqa: ARG001 - the label names the task run
    answer = call()
    failed: Mapping[str, SourceError] = getattr(answer, "failed", {})
    if failed:
        errors = list(dict.fromkeys(map(str, failed.values())))
        more = f" (and {counted(len(errors) - 1, 'other error')})" if len(errors) > 1 else ""
        text = f"{len(failed)} of {len(answer.requested)} failed: {errors[0]}{more}"
        raise BatchIncomplete(text, answer, may_pass=any(map(_is_passing, failed.values())))
    return answer


def _may_pass(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    error = state.result(raise_on_failure=False)
    return error.may_pass if isinstance(error, BatchIncomplete) else _is_passing(error)


def _is_passing(error: object) -> bool:
    """Returns whether asking again in a while may help; a service out of reach is left alone for the whole run."""
    return isinstance(error, TransientSourceError | PayloadError) and not isinstance(error, SourceUnreachable)

"""`refresh`: the main job as a Prefect flow, in which each batch of requests is a task.

The clients retry requests by the services' own rules. A batch that still failed makes its task fail, so that Prefect
shows which batch it was and why. A scheduled run retries such a task later, if the error may be temporary; answers that
came meanwhile are kept. The run itself continues with what it has.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import pyarrow as pa
from prefect import Task, flow, get_run_logger, task
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State, TaskRun
from prefect.events import emit_event
from prefect.runtime import flow_run
from prefect.settings import PREFECT_API_URL
from prefect.states import Completed, Failed

from flows.progress import Reporter, Silent, Stopwatch, log_line
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import Reading, read_and_parse
from flows.refresh.services import RunBatch, folder_pace
from flows.refresh.summary import RunSummary, summary_markdown, summary_rows
from flows.settings import Settings, read_settings
from sources.errors import PaperlakeError, PayloadError, SourceError, SourceUnreachable, TransientSourceError
from sources.http.rate_limit import Pace
from sources.text import counted, shown

T = TypeVar("T")

SERVED = "PAPERLAKE_SERVED"  # time zone and cron expression of the schedule that this process's runs are of
JUMPED = "paperlake.papers.jumped"
# Kind of change -> the event of a run that saw it, and what its payload says of each paper.
_EVENTS = {
    "jumped": (JUMPED, "{title}: {before} -> {after}"),
    "retracted": ("paperlake.papers.retracted", "{title}: {retracted_on}"),
    "published": ("paperlake.papers.published", "{title}: {published_as}"),
    "missing": ("paperlake.papers.missing", "{title}: missing from {list}"),
}
_TOLD_PAPERS = 5
_NAMED_LISTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What the command line gives to the flow beside its parameters, which Prefect would store and show."""

    settings: Settings  # the settings, flags among them
    reading: Reading  # the lists
    reporter: Reporter  # shows progress
    clock: Stopwatch  # measures the stages
    run_batch: RunBatch  # runs one batch of requests as a task
    shares_server: bool  # whether the Prefect server in use is the user's, whose limits hold for all machines


_RUN_CONTEXT: ContextVar[RunContext | None] = ContextVar("run_context", default=None)


@contextmanager
def run_context(by: RunContext) -> Iterator[None]:
    """Lets flow runs inside the block use what the command line has read, and report to it."""
    token = _RUN_CONTEXT.set(by)
    try:
        yield
    finally:
        _RUN_CONTEXT.reset(token)


def _run_name() -> str:
    """Returns the name of a run on Prefect's pages: its lists and the time."""
    lists = [parameter.rstrip("/").rsplit("/", 1)[-1] for parameter in flow_run.parameters["lists"]]
    shown = ", ".join(lists[:_NAMED_LISTS]) or "all lists"
    more = f" and {len(lists) - _NAMED_LISTS} more" if len(lists) > _NAMED_LISTS else ""
    return f"{shown}{more}, {datetime.now(UTC):%Y-%m-%d %H:%M}"


@flow(name="refresh", flow_run_name=_run_name, log_prints=False, retries=0)
def refresh(
    lists: list[str],
    lake: str | None = None,
    offline: bool = False,  # noqa: FBT001, FBT002 - a flow's parameters are shown and set by name
    max_age: str | None = None,
    force: bool = False,  # noqa: FBT001, FBT002
) -> RunSummary:
    """Reads reading lists, finds the paper behind every mention, and brings the lake up to date.

    Args:
        lists: Files, folders, globs, https addresses or github:owner/name[/path]; none means those of the settings,
            else all that the lake knows.
        lake: The lake's folder; by default that of the settings.
        offline: Send no request; use the lake and the local mirrors.
        max_age: Citation counts older than this are fetched again, as in 90m, 12h, 1d, 2w.
        force: Commit also a run that removes much from the lake.
    """
    given = _RUN_CONTEXT.get()
    if given is not None:
        return _refreshed(given, force=force)
    try:
        settings = read_settings(lake=lake, offline=offline or None, max_age=max_age)
        clock = Stopwatch()
        with clock.stage("parse"):
            reading = read_and_parse(lists, settings.place, configured=settings.lists, force=force)
        scheduled = RunContext(
            settings=settings,
            reading=reading,
            reporter=_RunLog(),
            clock=clock,
            run_batch=as_patient_task(retries=settings.batch_retries, wait_s=settings.batch_retry_wait),
            shares_server=bool(PREFECT_API_URL.value()),
        )
        return _refreshed(scheduled, force=force, tell=_journal)
    except PaperlakeError as error:  # a sentence says it: the run fails with that, and without a traceback
        _journal(f"failed: {error}", {"status": "failed", "problems": [str(error)]})
        return cast("RunSummary", Failed(message=str(error)))


def _refreshed(
    by: RunContext, *, force: bool, tell: Callable[[str, Mapping[str, Any]], None] | None = None
) -> RunSummary:
    summary = refresh_lake(
        by.reading,
        by.settings,
        run_batch=by.run_batch,
        report=by.reporter,
        clock=by.clock,
        force=force,
        make_pace=partial(_server_pace, by.reporter) if by.shares_server else folder_pace,
    )
    _publish(summary, by.settings)
    if tell is not None:
        tell(
            f"{counted(summary.mentions, 'mention')} in {counted(summary.lists, 'list')}, {summary.failed} failed,"
            f" {counted(sum(summary.requests.values()), 'request')}, {sum(summary.seconds.values()):.1f} s"
            + "".join(f"; {problem}" for problem in summary.problems),
            summary.model_dump(mode="json"),
        )
    if summary.status == "completed":
        return summary
    # A state of its own name, for pages and automations; its type stays, as the lake has what was received.
    return cast(
        "RunSummary", Completed(name="CompletedWithFailures", message="; ".join(summary.problems), data=summary)
    )


def _journal(sentence: str, facts: Mapping[str, Any]) -> None:
    """Writes the line that the log of `paperlake serve`, or of a worker, has of a run; a JSON one has the facts."""
    zone_and_cron = os.environ.get(SERVED, "")
    timezone, _, cron = zone_and_cron.partition(" ")
    if cron:
        from prefect.server.schemas.schedules import CronSchedule  # noqa: PLC0415 - the client's tells no dates

        (due,) = asyncio.run(CronSchedule(cron=cron, timezone=timezone).get_dates(1, start=datetime.now(UTC)))
        sentence += f"; next run {due:%Y-%m-%d %H:%M %Z}"
        facts = {**facts, "next_run": due.isoformat()}
    log_line(sentence, facts, stamped=True)


def _publish(summary: RunSummary, settings: Settings) -> None:
    """Writes the artifacts of the run, and emits an event for each kind of change in `_EVENTS`."""
    changes: dict[str, pa.Table] = {}
    if summary.news:
        from warehouse.query.changes import changes_since  # noqa: PLC0415 - only a run with changes needs it

        changes = changes_since(settings.place, summary.started_at, jump=settings.jump)
    create_markdown_artifact(
        summary_markdown(summary, changes), key="refresh", description="What the refresh did, and what changed"
    )
    create_table_artifact(summary_rows(summary), key="refresh-figures", description="Figures of the refresh")
    for kind, (event, sentence) in _EVENTS.items():
        rows = changes[kind].to_pylist() if changes else []
        if rows:
            known = ({name: "unknown" if value is None else value for name, value in row.items()} for row in rows)
            papers = [sentence.format_map(row) for row in known]
            if (more := len(papers) - _TOLD_PAPERS) > 0:  # a message is read at a glance
                papers = [*papers[:_TOLD_PAPERS], f"and {more} more: paperlake status --since"]
            emit_event(
                event,
                resource={"prefect.resource.id": f"paperlake.lake.{settings.place.folder}"},
                payload={"papers": papers},
            )


class _RunLog(Silent):
    """Writes to the run's own log what the user should know."""

    def say(self, sentence: str) -> None:
        """Logs the sentence as a warning."""
        get_run_logger().warning("%s", shown(sentence))


def _server_pace(reporter: Reporter, folder: Path, service: str, interval_s: float) -> Pace:
    from flows.prefect.limits import ServerPace  # noqa: PLC0415 - only a run with requests needs it

    folders = folder_pace(folder, service, interval_s)
    return ServerPace(folders, service=service, interval_s=interval_s, on_wait=reporter.say)


class BatchIncomplete(Exception):
    """A part of a batch failed; `answer` has the other answers, and the errors of that part."""

    def __init__(self, message: str, answer: Any = None, *, may_pass: bool = False) -> None:
        super().__init__(message)
        self.answer = answer
        self.may_pass = may_pass


def as_task(label: str, call: Callable[[], T]) -> T:
    """Returns what `call` returns, run as one Prefect task named `label`, without retries, as a user waits for it.

    Raises:
        SourceError: As `call` does.
    """
    return _run(_ask, label, call)


def as_patient_task(*, retries: int, wait_s: float) -> Callable[[str, Callable[[], Any]], Any]:
    """Returns `as_task` for a scheduled run: a batch is retried up to `retries` times, `wait_s` seconds later."""
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
    """Returns whether a retry may help; a service that cannot be reached is not asked again in the same run."""
    return isinstance(error, TransientSourceError | PayloadError) and not isinstance(error, SourceUnreachable)

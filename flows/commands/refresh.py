"""`paperlake refresh`: reads and checks everything first, then runs the flow, then says what was done."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from flows.commands.interrupt import STOPPED, ctrl_c_ends
from flows.prefect.server import OwnServer, prepare_prefect, refuse_dead_server
from flows.progress import Stopwatch, watched
from flows.refresh.revisions import read_and_parse
from flows.refresh.summary import plan_lines, problem_lines, summary_lines
from flows.settings import read_settings
from sources.text import json_text, shown
from warehouse.lake.session import check_catalog, check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flows.refresh.summary import RunSummary
    from flows.settings import Settings


_SAYING = "paperlake: stopped; every reply received so far is kept, and the next refresh goes on from there\n"


def run_refresh(
    lists: Sequence[str],
    *,
    lake: str | None,
    offline: bool,
    max_age: str | None,
    dashboard: Path | None,
    force: bool,
    as_json: bool,
    verbose: bool,
) -> int:
    """Runs one refresh and returns the exit code: 0 all well, 1 finished but something failed, 130 stopped by Ctrl-C.

    Raises:
        UsageError: Bad input; nothing was created.
        CheckFailed: A check refused the run; the lake is as it was.
        WarehouseError: The lake cannot be used; nothing was changed.
    """
    try:
        with ctrl_c_ends(_SAYING):
            settings = read_settings(lake=lake, offline=offline or None, max_age=max_age, dashboard=dashboard)
            return _run(lists, settings, max_age=max_age, force=force, as_json=as_json, verbose=verbose)
    except KeyboardInterrupt:
        sys.stderr.write(_SAYING)
        return STOPPED


def _run(
    lists: Sequence[str], settings: Settings, *, max_age: str | None, force: bool, as_json: bool, verbose: bool
) -> int:
    clock = Stopwatch()
    check_writable(settings.place)
    check_catalog(settings.place)
    with clock.stage("parse"), watched() as reporter:
        reading = read_and_parse(lists, settings.place, configured=settings.lists, report=reporter, force=force)
    with clock.stage("start"), watched() as reporter:
        server = OwnServer()
        prepare_prefect(verbose=verbose)
        refuse_dead_server()
        server.start()
        from flows.prefect.flow import RunContext, refresh, run_context  # noqa: PLC0415
        from flows.prefect.heartbeats import without_prefects  # noqa: PLC0415
        from flows.prefect.tasks import as_task  # noqa: PLC0415 - takes seconds, which the server needs too

        server.wait(reporter)
    with watched() as reporter, without_prefects() as heartbeat_s:
        by = RunContext(
            settings=settings,
            reading=reading,
            reporter=reporter,
            clock=clock,
            run_batch=as_task,
            shares_server=not server.is_ours,
            heartbeat_s=None if server.is_ours else heartbeat_s,  # of our own server nobody watches them
        )
        with run_context(by):
            summary = refresh(
                lists=[item.document.location for item in reading.lists],
                lake=str(settings.lake),
                offline=settings.offline,
                max_age=max_age,
                force=force,
            )
    for line in problem_lines(summary, reporter.said):
        sys.stderr.write(f"{shown(line)}\n")
    _print(summary, as_json=as_json)
    return 0 if summary.status == "completed" else 1


def print_plan(lists: Sequence[str], *, lake: str | None, offline: bool, max_age: str | None, as_json: bool) -> None:
    """Prints what a refresh would ask and how long that would take; sends nothing, writes nothing.

    Raises:
        UsageError: Bad input.
        WarehouseError: The lake cannot be read.
    """
    from flows.refresh.plan import plan_refresh  # noqa: PLC0415 - a real run does without

    settings = read_settings(lake=lake, offline=offline or None, max_age=max_age)
    with watched() as reporter:
        reading = read_and_parse(lists, settings.place, configured=settings.lists, report=reporter)
    plan = plan_refresh(reading, settings)
    sys.stderr.writelines(f"paperlake: {shown(problem)}\n" for problem in plan.problems)
    if as_json:
        sys.stdout.write(json_text(plan.model_dump(mode="json")) + "\n")
    else:
        sys.stdout.writelines(f"{shown(line)}\n" for line in plan_lines(plan))


def _print(summary: RunSummary, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json_text(summary.model_dump(mode="json")) + "\n")
    else:
        sys.stdout.writelines(f"{shown(line)}\n" for line in summary_lines(summary))

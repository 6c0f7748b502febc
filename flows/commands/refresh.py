"""`paperlake refresh`: reads the lists, checks the target, runs the refresh, and prints the summary."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from flows.commands.shared import STOPPED, ctrl_c_ends
from flows.prefect.server import OwnServer, may_use_server, prepare_prefect, refuse_dead_server
from flows.progress import Stopwatch, watched
from flows.refresh.pipeline import refresh_lake
from flows.refresh.plan import may_send_requests, plan_lines, plan_refresh
from flows.refresh.reading import read_and_parse
from flows.refresh.summary import problem_lines, summary_lines
from flows.settings import read_settings
from sources.text import json_text, shown
from warehouse.lake.place import check_catalog, check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flows.progress import Reporter
    from flows.refresh.reading import Reading
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
    """Runs one refresh and returns the exit code: 0 success, 1 finished but something failed, 130 stopped by Ctrl-C.

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
    prepare_prefect(verbose=verbose)
    run = (
        partial(_run_flow, max_age=max_age)
        if (may_use_server() or may_send_requests(reading, settings))
        else _run_plainly
    )
    with watched() as reporter:
        summary = run(reading, settings, reporter=reporter, clock=clock, force=force)
    for line in problem_lines(summary, reporter.said):
        sys.stderr.write(f"{shown(line)}\n")
    _print(summary, as_json=as_json)
    return 0 if summary.status == "completed" else 1


def _run_plainly(
    reading: Reading, settings: Settings, *, reporter: Reporter, clock: Stopwatch, force: bool
) -> RunSummary:
    return refresh_lake(reading, settings, run_batch=lambda _, call: call(), report=reporter, clock=clock, force=force)


def _run_flow(
    reading: Reading, settings: Settings, *, reporter: Reporter, clock: Stopwatch, force: bool, max_age: str | None
) -> RunSummary:
    with clock.stage("start"):
        server = OwnServer()
        refuse_dead_server()
        server.start()
        from flows.prefect.flow import RunContext, as_task, refresh, run_context  # noqa: PLC0415 - takes seconds

        server.wait(reporter)
    context = RunContext(
        settings=settings,
        reading=reading,
        reporter=reporter,
        clock=clock,
        run_batch=as_task,
        shares_server=not server.is_ours,
    )
    with server.settings(), run_context(context):
        return refresh(
            lists=[item.document.location for item in reading.lists],
            lake=str(settings.lake),
            offline=settings.offline,
            max_age=max_age,
            force=force,
        )


def print_plan(lists: Sequence[str], *, lake: str | None, offline: bool, max_age: str | None, as_json: bool) -> None:
    """Prints how many requests a refresh would send and how long that takes; sends none, and writes nothing.

    Raises:
        UsageError: Bad input.
        WarehouseError: The lake cannot be read.
    """
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

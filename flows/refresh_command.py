"""`paperlake refresh`: reads and checks everything first, then runs the flow, then says what was done."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from flows.pipeline import Stopwatch
from flows.progress import watched
from flows.report import problem_lines, summary_lines
from flows.revisions import read_and_parse
from flows.settings import read_settings
from warehouse.lake import check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.summary import RunSummary


def run_refresh(
    lists: Sequence[str], *, lake: str | None, offline: bool, max_age: str | None, as_json: bool, verbose: bool
) -> int:
    """Runs one refresh and returns the exit code: 0 all well, 1 finished but something failed.

    Raises:
        UsageError: Bad input; nothing was created.
        WarehouseError: The lake cannot be used, or a check refused the run; nothing was changed.
    """
    settings = read_settings(lake=lake, offline=offline or None, max_age=max_age)
    clock = Stopwatch()
    with clock.stage("parse"):
        parsed = read_and_parse(lists, settings.place, configured=settings.lists)
    check_writable(settings.place)
    with clock.stage("start"):
        prepare_prefect(verbose=verbose)
        from flows.refresh import Attended, attended, refresh  # noqa: PLC0415 - Prefect takes seconds to import

    with watched() as reporter:
        by = Attended(settings=settings, parsed=parsed, reporter=reporter, clock=clock)
        with attended(by):
            summary = refresh(
                lists=[one.document.location for one in parsed],
                lake=str(settings.lake),
                offline=settings.offline,
                max_age=max_age,
            )
    _print(summary, as_json=as_json)
    return 0 if summary.status == "completed" else 1


def prepare_prefect(*, verbose: bool) -> None:
    """Tells Prefect, before it is imported, to be quiet and to send no telemetry; what the user has set stays."""
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "INFO" if verbose else "CRITICAL")
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS", "120")


def _print(summary: RunSummary, *, as_json: bool) -> None:
    for line in problem_lines(summary):
        sys.stderr.write(f"{line}\n")
    if as_json:
        sys.stdout.write(json.dumps(summary.model_dump(mode="json"), ensure_ascii=False) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in summary_lines(summary))

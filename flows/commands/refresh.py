"""`paperlake refresh`: reads the lists, checks the target, runs the refresh, and prints the summary."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.shared import STOPPED, Json, Lake, Lists, MaxAge, Offline, begin, ctrl_c_ends, report
from flows.list_names import shown_location
from flows.progress import Reporter, Stopwatch, watched
from sources.text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.refresh.reading import Reading
    from flows.refresh.summary import RunSummary
    from flows.settings import Settings

_SAYING = "paperlake: stopped; every reply received so far is kept, and the next refresh goes on from there\n"


def refresh(
    lists: Lists = None,
    lake: Lake = None,
    offline: Offline = False,
    max_age: MaxAge = None,
    dashboard: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also write the trend page there afterwards. [env: PAPERLAKE_DASHBOARD]"),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Commit also a run that removes much from the lake, or the mentions of a missing list."
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print how many requests it would send and how long that takes; send none."),
    ] = False,
    as_json: Json = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show Prefect's own log as well.")] = False,
) -> None:
    """Reads lists, finds the paper behind every mention, pulls metadata and counts, and loads the lake.

    Without LIST it refreshes the lists of `paperlake.toml`, else all that the lake knows. A second refresh soon after
    the first sends no request. Exit code 1 means that it finished but something failed; the next refresh tries that
    again. A run that would remove more than 15 % of a list's mentions, of a column's values or of the counts stops
    before it commits, and says so; `--force` commits it. A list that is missing, cannot be read or names no paper any
    more keeps its mentions and is reported, with exit code 1; with `--force`, the mentions of a missing or empty list
    are removed.

    A list is Markdown; CSV, TSV, BibTeX and RIS files are read, too, when they are named.

    Example: `paperlake refresh reading-list.md github:owner/awesome-list --max-age 7d`
    """
    begin("reading the lists")
    if dry_run:
        _print_plan(lists or [], lake=lake, offline=offline, max_age=max_age, as_json=as_json)
        return
    from flows.settings import read_settings

    try:
        with ctrl_c_ends(_SAYING):
            settings = read_settings(lake=lake, offline=offline or None, max_age=max_age, dashboard=dashboard)
            code = _run(lists or [], settings, max_age=max_age, force=force, as_json=as_json, verbose=verbose)
    except KeyboardInterrupt:
        sys.stderr.write(_SAYING)
        code = STOPPED
    raise typer.Exit(code)


def _run(
    lists: Sequence[str], settings: Settings, *, max_age: str | None, force: bool, as_json: bool, verbose: bool
) -> int:
    from flows.prefect.server import configured_server, may_use_server, prepare_prefect, refuse_dead_server
    from flows.refresh.pipeline import refresh_lake
    from flows.refresh.reading import read_and_parse
    from flows.refresh.summary import next_lines, summary_lines
    from warehouse.lake.place import check_catalog, check_writable

    clock = Stopwatch()
    check_writable(settings.place)
    check_catalog(settings.place)
    with clock.stage("parse"), watched() as reporter:
        reading = read_and_parse(lists, settings.place, configured=settings.lists, report=reporter, force=force)
    prepare_prefect(verbose=verbose)
    server = None
    if may_use_server():
        with clock.stage("start"):
            refuse_dead_server()
            server = configured_server()
    with watched() as reporter:
        if server:
            summary = _run_flow(reading, settings, reporter=reporter, clock=clock, force=force, max_age=max_age)
        else:
            summary = refresh_lake(
                reading, settings, run_batch=lambda _, call: call(), report=reporter, clock=clock, force=force
            )
    for problem in summary.problems:
        if not any(problem.rsplit(" (", 1)[0] in sentence for sentence in reporter.said):
            sys.stderr.write(f"{shown(f'failed: {problem}')}\n")
    where = f"as a flow run of {server}" if server else "in this process, as PREFECT_API_URL names no Prefect server"
    needing = summary.ambiguous + summary.not_found
    ways = next_lines(summary, shown_location(str(settings.place.folder)), needing=needing)
    lines = [*summary_lines(summary), f"run: {where}", *ways]
    report(summary.model_dump(mode="json"), map(shown, lines), as_json=as_json)
    return 0 if summary.status == "completed" else 1


def _run_flow(
    reading: Reading, settings: Settings, *, reporter: Reporter, clock: Stopwatch, force: bool, max_age: str | None
) -> RunSummary:
    with clock.stage("start"):
        from flows.prefect.flow import RunContext, as_task, refresh, run_context

    context = RunContext(
        settings=settings, reading=reading, reporter=reporter, clock=clock, run_batch=as_task, shares_server=True
    )
    with run_context(context):
        return refresh(
            lists=[item.document.location for item in reading.lists],
            lake=str(settings.lake),
            offline=settings.offline,
            max_age=max_age,
            force=force,
        )


def _print_plan(lists: Sequence[str], *, lake: str | None, offline: bool, max_age: str | None, as_json: bool) -> None:
    """Prints how many requests a refresh would send and how long that takes; sends none, and writes nothing."""
    from flows.refresh.plan import plan_lines, plan_refresh
    from flows.refresh.reading import read_and_parse
    from flows.settings import read_settings

    settings = read_settings(lake=lake, offline=offline or None, max_age=max_age)
    with watched() as reporter:
        reading = read_and_parse(lists, settings.place, configured=settings.lists, report=reporter)
    plan = plan_refresh(reading, settings)
    sys.stderr.writelines(f"paperlake: {shown(problem)}\n" for problem in plan.problems)
    report(plan.model_dump(mode="json"), map(shown, plan_lines(plan)), as_json=as_json)

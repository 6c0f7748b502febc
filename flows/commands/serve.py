"""`paperlake serve`: refreshes on a Prefect schedule, in this process."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from flows.commands.shared import Lake, LastingLists, MaxAge, Offline, begin
from flows.progress import LOG, log_line, watched
from sources.errors import UsageError
from sources.text import counted

if TYPE_CHECKING:
    from uuid import UUID

    from prefect.client.schemas.schedules import CronSchedule

    from flows.prefect.server import OwnServer

_PREFECT_PORT = 4200  # where `prefect server start` listens by default
_POLLS_S = 5.0
_ASKS_SERVER_EVERY_S = 2.0
_REMOTE = re.compile(r"https?://|github:")


def serve(
    lists: LastingLists = None,
    cron: Annotated[
        str, typer.Option(metavar="CRON", help="When: minute, hour, day of the month, month, day of the week.")
    ] = "0 6 * * *",
    timezone: Annotated[
        str | None,
        typer.Option(metavar="ZONE", help="Time zone, as in Europe/Berlin. [default: this machine's]"),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The schedule's name in Prefect. [default: made from the lake's folder]")
    ] = None,
    now: Annotated[bool, typer.Option("--now", help="Refresh once at the start as well.")] = False,
    log: Annotated[
        Literal["text", "json"], typer.Option("--log", help="How a line of the log is written: as text or as JSON.")
    ] = "text",
    lake: Lake = None,
    offline: Offline = False,
    max_age: MaxAge = None,
) -> None:
    """Refreshes on a schedule, for as long as it runs: start it once, as a service or in a terminal that stays open.

    Lists are read again at each run, so edit them as you like. A refresh that is due while another runs waits for it;
    one that was due while this command was not running starts with it. Prefect keeps the schedule and shows every run
    with its report: on the server that `PREFECT_API_URL` names, else on one that this command finds on this machine or
    starts for itself.

    Example: `paperlake serve reading-list.md --cron "0 6 * * *"`  every day at six

    Example: `paperlake serve lists/ --cron "0 */4 * * 1-5" --timezone Europe/Berlin`  every four hours on weekdays
    """
    os.environ.pop(LOG, None)
    if log == "json":  # the processes of its runs are to write JSON, too
        os.environ[LOG] = log
    begin("setting up the schedule")
    from asyncio import CancelledError

    from flows.prefect.server import prepare_prefect
    from flows.refresh.reading import read_and_parse
    from flows.settings import read_settings
    from sources.lists.list_urls import without_secrets
    from warehouse.lake.place import check_writable

    settings = read_settings(lake=lake, offline=offline or None, max_age=max_age)
    lists = lists or []
    if "-" in lists:
        raise UsageError("standard input cannot be read again at each run: name a file, a folder or an address")
    if any("://" in item and without_secrets(item) != item.partition("#")[0] for item in lists):
        raise UsageError(
            "a list's address holds a secret, which Prefect would store and show with the schedule: name the list in"
            " PAPERLAKE_LISTS instead"
        )
    # Prefect's runs import from the working folder first.
    for other in (Path("flows.py").absolute(), Path("flows", "__init__.py").absolute()):
        if other.exists() and other.parent != Path(__file__).parents[1]:
            raise UsageError(
                f"{other} has the name of paperlake's own package, and Prefect would run that one: serve from another"
                " folder, naming lists and lake by their whole paths"
            )
    named = [item if _REMOTE.match(item) else str(Path(item).absolute()) for item in lists]
    with watched() as reporter:
        lists_read = read_and_parse(named, settings.place, configured=settings.lists, report=reporter).lists
    check_writable(settings.place)
    prepare_prefect(verbose=False)
    schedule = _schedule(cron, timezone)
    server = _server()
    parameters = {"lists": named, "lake": str(settings.place.folder), "offline": offline, "max_age": max_age}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        log_line(f"refreshing {counted(len(lists_read), 'list')} into {settings.place.folder}")
        # By default no other lake of this machine has the deployment's name.
        parts = (part for part in settings.place.folder.parts if part != os.sep)
        _serve(name or "-".join(parts), schedule, parameters, server, now=now)
    except (KeyboardInterrupt, CancelledError):
        log_line("stopped; the schedule stays, and the same command continues it")
    finally:
        server.stop()
    raise typer.Exit(0)


def _schedule(cron: str, timezone: str | None) -> CronSchedule:
    import tzlocal
    from prefect.client.schemas.schedules import CronSchedule
    from pydantic import ValidationError

    try:
        return CronSchedule(cron=cron, timezone=timezone or tzlocal.get_localzone_name())
    except ValidationError as error:
        why = error.errors(include_input=False, include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise UsageError(f'{why}; five fields say when, as in --cron "0 6 * * *": every day at six') from error


def _server() -> OwnServer:
    """Returns a server of our own, which is started where the user has none."""
    from flows.prefect.server import OwnServer, answers, configured_server

    server = OwnServer(port=_PREFECT_PORT)
    with watched() as reporter:
        configured = configured_server()
        usual = f"http://127.0.0.1:{_PREFECT_PORT}/api"
        if configured is None and answers(usual):
            os.environ["PREFECT_API_URL"] = usual
            log_line(f"using the Prefect server that runs at {usual}; PREFECT_API_URL would name another")
        elif configured is not None and not answers(configured):
            reporter.say(f"the Prefect server at {configured} does not answer yet; waiting for it")
        server.start()
        server.wait(reporter)
    if server.is_ours:
        log_line("started a Prefect server for as long as this command runs; set PREFECT_API_URL to use one of yours")
    return server


def _serve(name: str, schedule: CronSchedule, parameters: dict[str, Any], server: OwnServer, *, now: bool) -> None:
    """Runs due refreshes until it is stopped, and one `now`; while the server is away, it waits."""
    import asyncio

    from httpx import HTTPError

    from flows.prefect.server import answers, configured_server

    tell = True
    while True:
        server.revive()
        address = configured_server() or server.url
        while not answers(address):
            time.sleep(_ASKS_SERVER_EVERY_S)
        try:
            asyncio.run(_run(name, schedule, parameters, tell=tell, now=now and tell))
        # The runner gives up after a few polls without an answer, from inside its task groups.
        except* (HTTPError, RuntimeError) as lost:
            tell = False
            log_line(f"Prefect's server is gone ({_first(lost)}); waiting for it")


async def _run(name: str, schedule: CronSchedule, parameters: dict[str, Any], *, tell: bool, now: bool) -> None:
    import asyncio

    from prefect.client.orchestration import get_client
    from prefect.runner import Runner
    from prefect.schedules import Cron
    from prefect.types.entrypoint import EntrypointType

    from flows.prefect.flow import SERVED, refresh

    os.environ[SERVED] = f"{schedule.timezone} {schedule.cron}"  # the runs are processes of their own
    deployment = await refresh.ato_deployment(
        name,
        schedule=Cron(schedule.cron, timezone=schedule.timezone),
        parameters=parameters,
        tags=["paperlake"],
        # The runs load the flow by its module's name, as any Python with paperlake installed can.
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    runner = Runner(name=name, pause_on_shutdown=False, limit=1, query_seconds=_POLLS_S)
    deployment_id = await runner.aadd_deployment(deployment)
    if tell:
        _tell(deployment.full_name, deployment_id, schedule)
    if now:
        async with get_client() as client:
            await client.create_flow_run_from_deployment(deployment_id)
        log_line("refreshing now, and then as scheduled")
    served = cast("asyncio.Task[None]", asyncio.current_task())

    def end(*_: object) -> None:
        served.get_loop().call_soon_threadsafe(served.cancel)

    # The runner's own way to end, in the middle of whatever it does, prints a traceback.
    runner.handle_sigterm = end  # type: ignore[method-assign]
    await runner.start()


def _first(errors: BaseExceptionGroup[Exception]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _tell(full_name: str, deployment_id: UUID, schedule: CronSchedule) -> None:
    from prefect.settings import PREFECT_UI_URL

    log_line(f'scheduled as {full_name!r}: "{schedule.cron}" in {schedule.timezone}')
    if PREFECT_UI_URL.value():
        log_line(f"runs and their reports: {PREFECT_UI_URL.value()}/deployments/deployment/{deployment_id}")
    log_line(f"one at once, besides: prefect deployment run {full_name!r}; Ctrl-C stops serving")

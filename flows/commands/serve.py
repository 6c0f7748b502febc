"""`paperlake serve`: refreshes on a Prefect schedule, in this process."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.prefect.server import OwnServer, answers, configured_server, prepare_prefect
from flows.progress import watched
from flows.refresh.reading import read_and_parse
from flows.settings import read_settings
from sources.errors import UsageError
from sources.lists.remote import without_secrets
from sources.text import shown
from warehouse.lake.place import check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from prefect.client.schemas.schedules import CronSchedule

    from flows.settings import Settings

_PREFECT_PORT = 4200  # where `prefect server start` listens by default
_POLLS_S = 5.0
_ASKS_SERVER_EVERY_S = 2.0
_REMOTE = re.compile(r"https?://|github:")


def run_serve(
    lists: Sequence[str],
    *,
    cron: str,
    timezone: str | None,
    name: str | None,
    lake: str | None,
    max_age: str | None,
    offline: bool,
    now: bool = False,
) -> int:
    """Serves scheduled refreshes until it is stopped, the first `now` where that is set, and returns the exit code.

    Raises:
        UsageError: Bad input; nothing was scheduled.
        PaperlakeError: There is no Prefect server, and none could be started.
    """
    settings = read_settings(lake=lake, offline=offline or None, max_age=max_age)
    if "-" in lists:
        raise UsageError("standard input cannot be read again at each run: name a file, a folder or an address")
    if any("://" in item and without_secrets(item) != item.partition("#")[0] for item in lists):
        raise UsageError(
            "a list's address holds a secret, which Prefect would store and show with the schedule: name the list in"
            " PAPERLAKE_LISTS instead"
        )
    _check_working_folder()
    named = [item if _REMOTE.match(item) else str(Path(item).absolute()) for item in lists]
    with watched() as reporter:
        lists_read = read_and_parse(named, settings.place, configured=settings.lists, report=reporter).lists
    check_writable(settings.place)
    prepare_prefect(verbose=False)
    schedule = _schedule(cron, timezone)
    server = _server()
    parameters = {"lists": named, "lake": str(settings.place.folder), "offline": offline, "max_age": max_age}
    signal.signal(signal.SIGTERM, _end)
    try:
        _say(f"refreshing {len(lists_read)} {'list' if len(lists_read) == 1 else 'lists'} into {settings.place.folder}")
        _serve(name or _name_of(settings), schedule, parameters, server, now=now)
    except KeyboardInterrupt:
        _say("stopped; the schedule stays, and the same command continues it")
    finally:
        server.stop()
    return 0


def _check_working_folder() -> None:
    """Refuses a working folder with another package `flows`: Prefect's runs import from the working folder first."""
    for other in (Path("flows.py").absolute(), Path("flows", "__init__.py").absolute()):
        if other.exists() and other.parent != Path(__file__).parents[1]:
            raise UsageError(
                f"{other} has the name of paperlake's own package, and Prefect would run that one: serve from another"
                " folder, naming lists and lake by their whole paths"
            )


def _schedule(cron: str, timezone: str | None) -> CronSchedule:
    import tzlocal  # noqa: PLC0415
    from prefect.client.schemas.schedules import CronSchedule  # noqa: PLC0415 - `prepare_prefect` comes first
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        return CronSchedule(cron=cron, timezone=timezone or tzlocal.get_localzone_name())
    except ValidationError as error:
        why = error.errors(include_input=False, include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise UsageError(f'{why}; five fields say when, as in --cron "0 6 * * *": every day at six') from error


def _server() -> OwnServer:
    """Returns a server of our own, which is started where the user has none."""
    server = OwnServer(port=_PREFECT_PORT, with_pages=True)
    with watched() as reporter:
        configured = configured_server()
        usual = f"http://127.0.0.1:{_PREFECT_PORT}/api"
        if configured is None and answers(usual):
            os.environ["PREFECT_API_URL"] = usual
            _say(f"using the Prefect server that runs at {usual}; PREFECT_API_URL would name another")
        elif configured is not None and not answers(configured):
            reporter.say(f"the Prefect server at {configured} does not answer yet; waiting for it")
        server.start()
        server.wait(reporter)
    if server.is_ours:
        _say("started a Prefect server for as long as this command runs; set PREFECT_API_URL to use one of yours")
    return server


def _name_of(settings: Settings) -> str:
    """Returns a name for the deployment that no other lake of this machine has."""
    return "-".join(part for part in settings.place.folder.parts if part != os.sep)


def _serve(name: str, schedule: CronSchedule, parameters: dict[str, Any], server: OwnServer, *, now: bool) -> None:
    """Runs due refreshes until it is stopped, and one `now`; while the server is away, it waits."""
    from httpx import HTTPError  # noqa: PLC0415

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
            _say(f"Prefect's server is gone ({_first(lost)}); waiting for it")


async def _run(name: str, schedule: CronSchedule, parameters: dict[str, Any], *, tell: bool, now: bool) -> None:
    """Creates or updates the deployment, and runs due refreshes."""
    from prefect.client.orchestration import get_client  # noqa: PLC0415
    from prefect.runner import Runner  # noqa: PLC0415
    from prefect.schedules import Cron  # noqa: PLC0415
    from prefect.types.entrypoint import EntrypointType  # noqa: PLC0415

    from flows.prefect.flow import refresh  # noqa: PLC0415

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
        _say("refreshing now, and then as scheduled")
    await runner.start()


def _first(errors: BaseExceptionGroup[Exception]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _tell(full_name: str, deployment_id: UUID, schedule: CronSchedule) -> None:
    from prefect.settings import PREFECT_UI_URL  # noqa: PLC0415

    _say(f'scheduled as {full_name!r}: "{schedule.cron}" in {schedule.timezone}')
    if PREFECT_UI_URL.value():
        _say(f"runs and their reports: {PREFECT_UI_URL.value()}/deployments/deployment/{deployment_id}")
    _say(f"one at once, besides: prefect deployment run {full_name!r}; Ctrl-C stops serving")


def _end(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _say(sentence: str) -> None:
    sys.stderr.write(f"paperlake: {shown(sentence)}\n")
    sys.stderr.flush()

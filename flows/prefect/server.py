"""Says which Prefect server the user has, and starts one for as long as `paperlake serve` runs where there is none.

Prefect would start such a server itself, but only when the first flow runs, after importing the whole server into the
client, and in our process group, where Ctrl-C ends it before the client has reported the end of the run.
"""

from __future__ import annotations

import atexit
import logging
import os
import socket
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

from flows.progress import Reporter
from sources.errors import PaperlakeError, UsageError
from sources.processes import python

_HEALTH_WITHIN_S = 10.0
_STARTS_WITHIN_S = 120.0  # a first start creates Prefect's database, which took over a minute in a new container


def prepare_prefect(*, verbose: bool) -> None:
    """Sets Prefect, before it is imported, to log little and to send no telemetry; what the user has set stays.

    Raises:
        UsageError: Files of the working folder would set Prefect.
    """
    # A cloned folder could name a server, or code to run.
    file = next((name for name, sets in _SETTERS.items() if Path(name).is_file() and sets(Path(name))), None)
    if file is not None:
        raise UsageError(
            f"{Path(file).absolute()} sets Prefect, which could send runs to a stranger's server: export those settings"
            " (PREFECT_...), put them into a Prefect profile, or run paperlake in another folder"
        )
    os.environ.setdefault("PREFECT_LOGGING_LEVEL", "INFO" if verbose else "CRITICAL")
    os.environ.setdefault("PREFECT_SERVER_ANALYTICS_ENABLED", "false")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    if not verbose:
        # Prefect's background services log under their class names, past its own log level, when a process ends.
        for service in ("EventsWorker", "APILogWorker"):
            logging.getLogger(service).setLevel(logging.CRITICAL)


def _dotenv_sets(file: Path) -> bool:
    from dotenv import dotenv_values  # noqa: PLC0415 - few folders have such a file

    return any(name.upper().startswith("PREFECT") for name in dotenv_values(file, interpolate=False))


def _pyproject_sets(file: Path) -> bool:
    try:
        return "prefect" in tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
    except ValueError:
        return True  # Prefect would refuse it


# File of the working folder -> whether Prefect takes settings from it.
_SETTERS = {".env": _dotenv_sets, "prefect.toml": lambda _: True, "pyproject.toml": _pyproject_sets}


def may_use_server() -> bool:
    """Returns whether Prefect may be set to use a server: a variable names one, or a profile may.

    This imports no Prefect, which takes seconds; `configured_server` then says which server it is.
    """
    if any(name.upper() == "PREFECT_API_URL" and value for name, value in os.environ.items()):
        return True
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
    profiles = Path(os.environ.get("PREFECT_PROFILES_PATH") or home / "profiles.toml").expanduser()
    try:
        return b"PREFECT_API_URL" in profiles.read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return True


def configured_server() -> str | None:
    """Returns the address of the server that Prefect is set to use, None where it is set to none."""
    from prefect.settings import PREFECT_API_URL  # noqa: PLC0415 - `prepare_prefect` comes first

    address: str | None = PREFECT_API_URL.value()
    return address


def answers(api_url: str) -> bool:
    """Returns whether a Prefect server answers at `api_url`."""
    import httpx  # noqa: PLC0415 - not needed where the user runs a server

    try:
        # Loading the certificates takes long, and the server is asked many times while it starts.
        reply = httpx.get(f"{api_url}/health", timeout=5, verify=api_url.startswith("https:"))
    except httpx.TransportError:
        return False
    return reply.status_code == httpx.codes.OK and reply.text.strip() == "true"


def refuse_dead_server() -> None:
    """Refuses a configured server that cannot be reached, before a run fails because of it.

    Raises:
        UsageError: Nothing answers at its address.
    """
    import httpx  # noqa: PLC0415 - not needed where the user runs no server

    address = configured_server()
    if not address:
        return
    try:
        httpx.get(f"{address}/health", timeout=_HEALTH_WITHIN_S)
    except (httpx.TransportError, httpx.InvalidURL) as error:
        raise UsageError(
            f"no Prefect server answers at {address}, which PREFECT_API_URL names ({error or type(error).__name__}): "
            "start it, or remove the setting"
        ) from error


class OwnServer:
    """A Prefect server of our own; `start` it, go on working, then `wait` until it answers.

    It keeps its runs in the same database as `prefect server start` would, so they can be looked at later.

    It listens at `port` if that is free; 0 takes any.
    """

    def __init__(self, *, port: int = 0) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._port = port

    @property
    def url(self) -> str:
        """Returns the address of its API."""
        return f"http://127.0.0.1:{self._port}/api"

    @property
    def is_ours(self) -> bool:
        """Returns whether there is such a server, as Prefect was set to use none."""
        return self._process is not None

    def start(self) -> None:
        """Starts the server, unless Prefect is set to use one already. Returns at once."""
        from prefect.context import refresh_global_settings_context  # noqa: PLC0415 - `prepare_prefect` comes first

        if configured_server():
            return
        self._port = _free_port(self._port)
        self._launch()
        atexit.register(self.stop)
        os.environ["PREFECT_API_URL"] = self.url
        refresh_global_settings_context()

    def wait(self, reporter: Reporter) -> None:
        """Returns when the server answers; at once where `start` had none to start.

        Raises:
            PaperlakeError: It ended, or does not answer in time.
        """
        if self._process is None:
            return
        until = time.monotonic() + _STARTS_WITHIN_S
        done = reporter.stage("Starting Prefect", 1)
        while not answers(self.url):
            if self._process.poll() is not None or time.monotonic() > until:
                raise PaperlakeError("Prefect's own server did not start: `prefect server start` will say why")
            time.sleep(0.02)
        done(1)

    def revive(self) -> None:
        """Starts the server again where it has died; at once where `start` had none to start."""
        if self._process is not None and self._process.poll() is not None:
            self._launch()

    def stop(self) -> None:
        """Ends the server at once: Prefect's client has waited for every answer, so nothing is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _launch(self) -> None:
        command = python("-m", "flows.prefect.server", str(self._port))
        environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
        # Its standard input is a pipe to which nothing is written: when this process ends, it reads the end and exits.
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


def _free_port(wished: int) -> int:
    for port in (wished, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise PaperlakeError("no port of this machine is free for Prefect's server")


def serve() -> None:
    """Serves Prefect's API on loopback until standard input ends: the main function of `python -m`, with PORT."""

    def end_with_parent() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=end_with_parent, daemon=True).start()
    port = int(sys.argv[1])
    os.environ |= {"PREFECT__SERVER_FINAL": "1", "PREFECT_SERVER_API_PORT": str(port)}
    import uvicorn  # noqa: PLC0415 - after the environment that the server reads when it is imported

    uvicorn.run(
        "prefect.server.api.server:create_app",
        factory=True,
        host="127.0.0.1",
        port=port,
        log_level="error",
        lifespan="on",
    )


if __name__ == "__main__":
    serve()

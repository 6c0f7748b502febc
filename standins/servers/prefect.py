"""A real Prefect server as a child process, which tests and benchmarks can kill and start again."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

_STARTS_WITHIN_S = 120.0
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class PrefectServer:
    """`prefect server start` on a free port, with its database in `home`, for as long as the `with` block lasts.

    Args:
        home: Its folder.
        told: Further settings of Prefect's, such as another database.
    """

    def __init__(self, home: Path, told: Mapping[str, str] | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.home = home
        self._told = dict(told or {})
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    def env(self) -> dict[str, str]:
        """Returns what makes a client, or a worker, use this server."""
        return {"PREFECT_API_URL": self.url, "PREFECT_HOME": str(self.home), "DO_NOT_TRACK": "1"}

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Starts it, and returns when it answers."""
        environment = {name: value for name, value in os.environ.items() if name != "PREFECT_API_URL"}
        environment |= {
            "PREFECT_HOME": str(self.home),
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
            **self._told,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "prefect", "server", "start", "--no-ui", "--port", str(self.port)],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + _STARTS_WITHIN_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the Prefect server did not start")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kills it with -9, as a machine does that loses its power."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        try:
            with _DIRECT.open(f"{self.url}/health", timeout=5):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

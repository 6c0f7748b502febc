"""Two machines that share nothing but a Prefect server: requests that come too soon, with its limits and without them.

    python -m benchmarks.running.pace [--full]

Each machine is a process with a folder of its own, which asks a stand-in of arXiv. Both keep the interval within their
folders, as always; only a limit of the server keeps it over both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Figure, run
from standins import StandIns
from standins.servers.prefect import PrefectServer

ROOT = Path(__file__).resolve().parents[2]
INTERVAL_S = 0.4
MACHINE = """
import sys
from pathlib import Path

import httpx

from flows.prefect.limits import ServerPace
from sources.http.rate_limit import FilePace

folder, url, interval_s, requests, shares = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), *map(int, sys.argv[4:])
pace = FilePace(folder, service="arxiv", interval_s=interval_s)
if shares:
    pace = ServerPace(pace, service="arxiv", interval_s=interval_s)
for _ in range(requests):
    with pace.turn():
        httpx.get(url, params={"id_list": "1706.03762"})
pace.close()
"""


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields how many requests of two machines come too soon, for `make bench`."""
    requests = 60 if full else 20
    with (
        tempfile.TemporaryDirectory() as folder,
        StandIns() as standins,
        PrefectServer(Path(folder, "server")) as server,
    ):
        standins.limit("arxiv", per_seconds=INTERVAL_S, connections=1)
        with_limits, without = (
            _too_soon(standins, server, Path(folder, str(shares)), requests, shares=shares) for shares in (True, False)
        )
    yield Figure(
        name=f"{2 * requests} requests of two machines: too soon or at once, with a limit of a Prefect server",
        value=with_limits,
        unit="requests",
        beside="without it",
        plain=without,
        bar=0,
        bar_on="value",
    )


def _too_soon(standins: StandIns, server: PrefectServer, folder: Path, requests: int, *, shares: bool) -> int:
    """Returns how many requests of two machines broke the stand-in's limits."""
    standins.clear_log()
    numbers = [str(INTERVAL_S), str(requests), str(int(shares))]
    machines = [
        subprocess.Popen(
            [sys.executable, "-c", MACHINE, str(folder / name), standins.arxiv_url, *numbers],
            env=os.environ | server.env() | {"PYTHONPATH": str(ROOT), "PREFECT_LOGGING_LEVEL": "CRITICAL"},
        )
        for name in "ab"
    ]
    if any(machine.wait() for machine in machines) or len(standins.requests("arxiv")) != 2 * requests:
        raise SystemExit("a machine ended early")
    return len(standins.violations("arxiv"))


if __name__ == "__main__":
    run(figures, __doc__)

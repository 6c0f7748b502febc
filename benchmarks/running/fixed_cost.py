"""What orchestration costs: a refresh with nothing to do beside an empty Prefect flow, with a server and without.

    .venv/bin/python benchmarks/running/fixed_cost.py [--rounds 5]

Each is a process of its own, as a user or cron starts it, in turns, so that a busy machine slows all alike. It prints
medians and ratios. The lake is made from a list of its own, offline, in a temporary folder, with a Prefect home of its
own. Without a server a refresh runs without Prefect; with one it is held against
that and an empty flow.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.figure import Figure, medians  # noqa: E402

LIST = "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n"
EMPTY = "from prefect import flow\n\n\n@flow\ndef empty():\n    return 1\n\n\nempty()\n"


def main() -> None:
    for figure in _measured(_rounds()):
        print(figure, flush=True)


def figures(*, full: bool) -> Iterator[Figure]:
    """Yields both figures, for `make bench`."""
    yield from _measured(5 if full else 3)


def _measured(rounds: int) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "list.md").write_text(LIST)
        (work / "empty.py").write_text(EMPTY)
        env = os.environ | {
            "PREFECT_HOME": str(work / "prefect"),
            "PREFECT_LOGGING_LEVEL": "CRITICAL",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
            "DO_NOT_TRACK": "1",
            "PYTHONPATH": str(ROOT),
            "PAPERLAKE_OFFLINE": "true",
        }
        env.pop("PREFECT_API_URL", None)
        refresh, empty = [sys.executable, "-m", "flows", "refresh", "list.md"], [sys.executable, "empty.py"]
        for command in (refresh, empty):
            _run(command, work, env)  # makes the lake, Prefect's database, and the compiled modules
        alone, started = medians(rounds, partial(_run, refresh, work, env), partial(_run, empty, work, env))
        yield _figure("no server running", alone, "an empty Prefect flow", started, bar=0.5)
        with _Server(work, env) as url:
            served = env | {"PREFECT_API_URL": url}
            runs = (refresh, served), (empty, served), (refresh, env)
            whole, *parts = medians(rounds, *(partial(_run, command, work, each) for command, each in runs))
            beside = "an empty Prefect flow, then the refresh without Prefect"
            yield _figure("a server running", whole, beside, sum(parts), bar=1.1)


def _run(command: list[str], work: Path, env: dict[str, str]) -> None:
    done = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        raise SystemExit(done.stderr)


def _figure(where: str, value: float, beside: str, plain: float, *, bar: float) -> Figure:
    name = f"a refresh with nothing to do, {where}"
    return Figure(name=name, value=value, unit="s", beside=beside, plain=plain, bar=bar)


class _Server:
    """`prefect server start` on a free port, for as long as the block lasts."""

    def __init__(self, work: Path, env: dict[str, str]) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._work, self._env = work, env

    def __enter__(self) -> str:
        command = [sys.executable, "-m", "prefect", "server", "start", "--no-ui", "--port", str(self._port)]
        self._process = subprocess.Popen(
            command, cwd=self._work, env=self._env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        url = f"http://127.0.0.1:{self._port}/api"
        for _ in range(1200):
            try:
                with urllib.request.urlopen(f"{url}/health", timeout=5):
                    return url
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise SystemExit("the Prefect server did not start")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()


def _rounds() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args().rounds


if __name__ == "__main__":
    main()

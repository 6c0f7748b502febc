"""A schedule that keeps itself: a real Prefect server, `paperlake serve` every minute, the server killed in between.

    .venv/bin/python -m benchmarks.running.schedule [--runs 3]

It serves a list against the local stand-ins, waits for that many scheduled runs, kills Prefect's server with -9 after
the first, starts it again, and prints what every run asked. Fails where a run does not come by itself, asks what is
not stale, or anything of the lake is lost. Takes some minutes: a cron has no seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from standins import StandIns
from standins.servers.prefect import PrefectServer

ROOT = Path(__file__).resolve().parents[2]
LIST = """# Reading

- [Fast R-CNN](https://arxiv.org/abs/1504.08083)
- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)
- An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale, ICLR 2021
"""
WITHIN_S = 210


def main() -> None:
    runs = _runs()
    with tempfile.TemporaryDirectory() as folder, StandIns() as standins:
        work = Path(folder)
        (work / "list.md").write_text(LIST)
        with PrefectServer(work / "prefect") as server:
            env = os.environ | standins.env() | server.env() | {"PYTHONPATH": str(ROOT)}
            command = [sys.executable, "-m", "flows", "serve", "list.md", "--cron", "* * * * *", "--max-age", "1h"]
            with (work / "serve.log").open("w") as log:
                serving = subprocess.Popen(command, cwd=work, env=env, stderr=log, stdout=log)
            try:
                _watch(runs, work, env, standins, server)
            finally:
                serving.terminate()
                serving.wait(timeout=30)
                print("--- what `paperlake serve` said\n" + (work / "serve.log").read_text())


def _watch(runs: int, work: Path, env: dict[str, str], standins: StandIns, server: PrefectServer) -> None:
    for number in range(1, runs + 1):
        before = len(standins.requests())
        run = _next_run(number, work, env)
        asked = standins.requests()[before:]
        by = {service: sum(one["service"] == service for one in asked) for service in ("arxiv", "s2")}
        print(f"run {number}: {run['started_at'][:19]} {run['status']}, resolved {run['resolved']}, asked {by}")
        if number > 1 and asked:
            raise SystemExit("a run asked although nothing was stale")
        if number == 1:
            server.kill()
            print("the Prefect server was killed (-9) and is away for 45 s")
            time.sleep(45)
            server.start()
            print("the Prefect server is back")
    papers = _sql("SELECT count(*) AS n FROM papers", work, env)[0]["n"]
    print(f"{papers} papers in the lake, {len(standins.violations())} broken limits")


def _next_run(number: int, work: Path, env: dict[str, str]) -> dict:
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        rows = _sql("SELECT * FROM runs ORDER BY started_at", work, env) if (work / "lake").exists() else []
        if len(rows) >= number:
            return rows[number - 1]
        time.sleep(3)
    raise SystemExit(f"scheduled run {number} did not come within {WITHIN_S} s")


def _sql(query: str, work: Path, env: dict[str, str]) -> list[dict]:
    command = [sys.executable, "-m", "flows", "sql", query, "--format", "json"]
    done = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else []


def _runs() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    return parser.parse_args().runs


if __name__ == "__main__":
    main()

"""Two workers on one queue: `prefect worker` processes that refresh 2,000 papers against rate-limited stand-ins.

    .venv/bin/python -m benchmarks.running.workers [--papers 2000] [--lists 4] [--interval 1.0] [--postgres]

A real Prefect server, a process pool, the deployment of `prefect.yaml`, two workers and one lake. Each list is one flow
run; the stand-ins answer 429 to a request that comes too soon and note one that comes while another is open. Fails
where that happens, where a paper is asked for twice, or where a paper is missing in the end. With `--postgres` both the
lake's catalogue and what Prefect's server keeps are in one PostgreSQL, which Debian's packages start on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from psycopg.conninfo import conninfo_to_dict

from standins import StandIns
from standins.servers.postgres import PostgresServer
from standins.servers.prefect import PrefectServer

ROOT = Path(__file__).resolve().parents[2]
WITHIN_S = 1200


def main() -> None:
    asked = _asked()
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        standins = stack.enter_context(StandIns([_facts(work, asked.papers)]))
        kept = _postgres(stack, work) if asked.postgres else _Kept()
        lists = _write_lists(work, asked.papers, asked.lists)
        for service in ("arxiv", "s2"):
            standins.limit(service, per_seconds=asked.interval, connections=1)
        with PrefectServer(work / "prefect", kept.by_prefect) as server:
            env = os.environ | standins.env() | server.env() | kept.by_paperlake | {"PYTHONPATH": str(ROOT)}
            env |= {"PAPERLAKE_ARXIV_INTERVAL": str(asked.interval), "PAPERLAKE_S2_INTERVAL": str(asked.interval)}
            _prefect(env, "work-pool", "create", "papers", "--type", "process")
            _prefect(env, "--no-prompt", "deploy", "--name", "on-demand")
            workers = [_worker(number, work, env) for number in (1, 2)]
            try:
                began = time.monotonic()
                for one in lists:
                    told = json.dumps({"lists": [str(one)], "lake": str(work / "lake")})
                    _prefect(env, "deployment", "run", "refresh/on-demand", "--params", told)
                runs = _finished(len(lists), env)
                seconds = time.monotonic() - began
            finally:
                for worker in workers:
                    worker.terminate()
                for worker in workers:
                    _ended(worker)
            _judge(standins, runs, work, env, papers=asked.papers, seconds=seconds, interval=asked.interval)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Settings that say where Prefect's server and the lake keep what they know; empty for files in their folders."""

    by_prefect: dict[str, str] = field(default_factory=dict)
    by_paperlake: dict[str, str] = field(default_factory=dict)


def _postgres(stack: ExitStack, work: Path) -> _Kept:
    server = PostgresServer()
    stack.callback(server.stop)
    of_prefect = conninfo_to_dict(server.address(server.database()))
    login = f"{quote(str(of_prefect['user']), '')}:{quote(str(of_prefect['password']), '')}"
    place = f"{of_prefect['host']}:{of_prefect['port']}/{of_prefect['dbname']}"
    return _Kept(
        {"PREFECT_SERVER_DATABASE_CONNECTION_URL": f"postgresql+asyncpg://{login}@{place}"},
        {"PAPERLAKE_CATALOG": f"postgres:{server.address(server.database())}", "PAPERLAKE_DATA": str(work / "data")},
    )


def _judge(standins: StandIns, runs, work: Path, env, *, papers: int, seconds: float, interval: float) -> None:
    requests = standins.requests()
    by = Counter(request["service"] for request in requests)
    statuses = Counter(request["status"] for request in requests)
    most = max(request["in_flight"] for request in requests if request["service"] == "arxiv")
    questions = Counter(
        json.dumps([request[part] for part in ("service", "path", "params", "body")], sort_keys=True)
        for request in requests
    )
    twice = sum(count - 1 for count in questions.values())
    who = Counter(run["worker"] for run in runs)
    (held,) = _sql("SELECT count(*) AS papers, count(citation_count) AS counted FROM papers", work, env)
    print(f"{len(runs)} flow runs, by worker: {dict(who)}; states: {dict(Counter(run['state'] for run in runs))}")
    print(f"requests: {dict(by)}; statuses: {dict(statuses)}; broken limits: {len(standins.violations())}")
    print(f"most arXiv requests at once: {most}; questions asked twice: {twice}; papers in the lake: {held}")
    floor = max(by.values()) * interval
    print(f"{seconds:.0f} s with the starts of {len(runs)} processes; the limits alone ask for {floor:.0f} s")
    if standins.violations() or set(statuses) != {200} or most != 1 or twice or held["papers"] != papers:
        raise SystemExit("a limit was broken, something asked twice, or a paper is missing")


def _facts(folder: Path, papers: int) -> Path:
    path = folder / "facts.jsonl"
    with path.open("w") as file:
        for number in range(papers):
            fact = {"arxiv_id": _id(number), "title": f"Measurement {number} of {_word(number)} in {_word(number + 7)}"}
            file.write(json.dumps(fact | {"authors": [f"A. {_word(number)}"], "year": 2024}) + "\n")
    return path


def _write_lists(work: Path, papers: int, lists: int) -> list[Path]:
    paths = []
    for part in range(lists):
        lines = [f"- https://arxiv.org/abs/{_id(number)}" for number in range(part, papers, lists)]
        paths.append(work / f"part-{part + 1}.md")
        paths[-1].write_text("# Papers\n\n" + "\n".join(lines) + "\n")
    return paths


def _id(number: int) -> str:
    return f"2401.{number + 1:05}"


def _word(number: int) -> str:
    letters = "bcdfghklmnprstvz"
    return "".join(letters[(number // 16**place) % 16] + "aeio"[(number >> place) % 4] for place in range(4))


def _worker(number: int, work: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "papers", "--name", f"worker-{number}"]
    with (work / f"worker-{number}.log").open("wb") as log:
        return subprocess.Popen([*command, "--limit", "1"], cwd=work, env=env, stdout=log, stderr=log)


def _ended(worker: subprocess.Popen[bytes]) -> None:
    """Waits for a worker that was told to end; Prefect's may hang in asking its server, and has nothing left to do."""
    try:
        worker.wait(timeout=20)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def _prefect(env: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "prefect", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def _finished(number: int, env: dict[str, str]) -> list[dict[str, str]]:
    """Returns the flow runs once all of them have ended."""
    script = (
        "import json; from prefect.client.orchestration import get_client\n"
        "with get_client(sync_client=True) as client: runs = client.read_flow_runs()\n"
        "tell = lambda run: {'state': run.state_name, 'ended': run.state.is_final(),"
        " 'worker': next((v for k, v in run.labels.items() if 'worker' in k), str(run.created_by))}\n"
        "print(json.dumps([tell(run) for run in runs]))"
    )
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        runs = json.loads(done.stdout.strip().splitlines()[-1])
        if len(runs) == number and all(run["ended"] for run in runs):
            return runs
        time.sleep(3)
    raise SystemExit("the runs did not end in time")


def _sql(query: str, work: Path, env: dict[str, str]) -> list[dict]:
    command = [sys.executable, "-m", "flows", "sql", query, "--format", "json"]
    done = subprocess.run(command, cwd=work, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=2000)
    parser.add_argument("--lists", type=int, default=4)
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between requests, for both services")
    parser.add_argument("--postgres", action="store_true", help="keep the catalogue and Prefect's runs in PostgreSQL")
    return parser.parse_args()


if __name__ == "__main__":
    main()

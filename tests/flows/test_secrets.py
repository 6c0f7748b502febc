"""The API key is in no log, artifact, parameter, file, error or output, whatever the services do with it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from standins import StandIns
from standins.handle import ROOT
from standins.servers.prefect import PrefectServer
from standins.trials.bench import Bench

pytestmark = pytest.mark.slow

KEY = "k3y-0f-n0b0dy-5ecret42"
LIST = """# Reading

- [Fast R-CNN](https://arxiv.org/abs/1504.08083)
- [Curriculum Learning for Natural Language Understanding](https://doi.org/10.18653/v1/2020.acl-main.542)
- GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism (2018)
- Sparse Comunication for Distributed Gradient Descent (2017)
- A Made-up Study of Reading Lists That Nobody Ever Wrote Down (2020)
"""
EVERYTHING_LOGGED = """
import logging, sys, traceback
log = open(sys.argv.pop(1), "w", encoding="utf-8", buffering=1)
record_to_handlers = logging.Logger.callHandlers

def told(logger, record):
    log.write(f"{record.name} {record.levelname} {record.getMessage()} {record.args!r}\\n")
    if record.exc_info:
        log.write("".join(traceback.format_exception(*record.exc_info)))
    record_to_handlers(logger, record)

logging.Logger.callHandlers = told
logging.Logger.isEnabledFor = lambda logger, level: True
from flows.cli import main
main()
"""
"""The command line in a process in which every logger, also one to come, is at DEBUG, and its records go to a file."""


@dataclass
class Ran:
    """A refresh as a child process, and everything that it left."""

    folder: Path
    prefect: Path
    output: str
    code: int

    @property
    def log(self) -> str:
        return (self.folder / "debug.log").read_text(encoding="utf-8")

    def holders(self) -> list[str]:
        """Returns what holds the key: files, by name; tables, whose files are compressed; and the output."""
        files = [path for place in (self.folder, self.prefect) for path in place.rglob("*") if path.is_file()]
        held = [str(path) for path in files if KEY.encode() in path.read_bytes()]
        lake = Bench(self.folder, {})
        rows = {**lake.contents(), "runs": list(map(repr, lake.rows("FROM runs")))}
        held += [name for name, texts in rows.items() if any(KEY in text for text in texts)]
        return held + (["its output"] if KEY in self.output else [])


def refresh(folder: Path, standins: StandIns, of_prefect: dict[str, str]) -> Ran:
    (folder / "list.md").write_text(LIST, encoding="utf-8")
    own = {"SEMANTIC_SCHOLAR_API_KEY": f" {KEY}\n", "PYTHONPATH": str(ROOT)} | of_prefect
    own |= {"PREFECT_LOGGING_LEVEL": "DEBUG", "PREFECT_LOGGING_ROOT_LEVEL": "DEBUG"}
    own |= {"PAPERLAKE_TRIES": "2", "PAPERLAKE_BACKOFF": "0.01"}
    child = subprocess.run(
        [sys.executable, "-c", EVERYTHING_LOGGED, "debug.log", "refresh", "-v", "list.md"],
        cwd=folder,
        env=os.environ | standins.env() | own,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return Ran(
        folder=folder,
        prefect=Path(of_prefect["PREFECT_HOME"]),
        output=child.stdout + child.stderr,
        code=child.returncode,
    )


def test_a_refresh_with_a_key_leaves_it_nowhere(tmp_path: Path, standins: StandIns, prefect_server: PrefectServer):
    standins.require_key(KEY)
    ran = refresh(tmp_path, standins, prefect_server.env())
    assert ran.code == 0, ran.output
    assert {line["key_sent"] for line in standins.requests("s2")} == {True}
    assert {line["key_sent"] for line in standins.requests("arxiv")} == {False}
    for name in ("httpx", "httpcore.http11", "prefect"):
        assert f"\n{name}" in ran.log, f"{name} said nothing"
    assert ran.holders() == []


@pytest.mark.nightly
def test_services_that_repeat_the_key_are_not_quoted(tmp_path: Path, standins: StandIns, prefect_server: PrefectServer):
    standins.fault("s2", "echo", endpoint="batch", status=401)
    standins.fault("s2", "echo", endpoint="bulk", status=429)
    standins.fault("s2", "redirect_loop", endpoint="match", location=f"http://127.0.0.1:9/?key={KEY}", times=1)
    standins.fault("s2", "echo", endpoint="match", status=200)
    began = datetime.now(UTC).isoformat()
    ran = refresh(tmp_path, standins, prefect_server.env())
    assert ran.code == 1, ran.output
    assert "HTTP 401" in ran.output
    assert "x-echo" in ran.log, "the replies' headers were logged, which is what this is about"
    of_this_run = {"logs": {"timestamp": {"after_": began}}}
    assert httpx.post(f"{prefect_server.url}/logs/filter", json=of_this_run).json(), "the server keeps its log"
    assert ran.holders() == []


def test_the_logs_of_a_caller_are_clean_too(bench: Bench, standins: StandIns, caplog: pytest.LogCaptureFixture):
    standins.fault("s2", "echo", times=1)
    with caplog.at_level(logging.DEBUG):
        for name in ("httpx", "httpcore", "urllib3", "arxiv", "semanticscholar", "sources"):
            caplog.set_level(logging.DEBUG, logger=name)
        bench.refresh(bench.write(LIST), s2_api_key=KEY)
    assert "receive_response_headers" in caplog.text
    assert KEY not in caplog.text
    assert not [one for one in logging.getLogger("httpcore.http11").filters if type(one).__name__ == "KeyFilter"]

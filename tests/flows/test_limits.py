"""Politeness over several machines: processes without a common folder, and a real Prefect server between them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextvars import copy_context
from itertools import pairwise
from pathlib import Path

import pytest

from sources.errors import SourceUnreachable, TransientSourceError
from sources.http.rate_limit import FilePace
from standins import StandIns
from standins.servers.prefect import PrefectServer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
INTERVAL_S = 0.4

ASKER = """
import sys
from pathlib import Path

from flows.prefect.limits import ServerPace
from sources.services.arxiv.client import ArxivClient
from sources.http.rate_limit import FilePace
from sources.http.retry import RetryPolicy
from sources.services.service_client import ServiceSettings
from tests.sources.stores import MemoryReplies

folder, url, interval_s = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
pace = ServerPace(FilePace(folder, service="arxiv", interval_s=interval_s), service="arxiv", interval_s=interval_s)
client = ArxivClient(ServiceSettings(url=url, retry=RetryPolicy(max_tries=1)), replies=MemoryReplies(), pace=pace)
for paper in sys.argv[4:]:
    answer = client.fetch_papers([paper])
    assert not answer.failed, answer.failed
client.close()
print(client.requests_sent)
"""

HOLDER = """
import sys, time
from pathlib import Path

from flows.prefect.limits import ServerPace
from sources.http.rate_limit import FilePace

pace = ServerPace(
    FilePace(Path(sys.argv[1]), service="held", interval_s=0.1), service="held", interval_s=0.1, forgotten_after_s=6
)
with pace.turn():
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def server(prefect_server: PrefectServer) -> PrefectServer:
    return prefect_server


@pytest.fixture
def make_pace(server: PrefectServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from prefect.settings import PREFECT_API_URL, temporary_settings

    from flows.prefect.limits import ServerPace

    made = []

    def make(service: str, *, machine: str = "this", **more) -> ServerPace:
        folders = FilePace(tmp_path / machine, service=service, interval_s=0)
        made.append(ServerPace(folders, service=service, interval_s=0, **more))
        return made[-1]

    with temporary_settings({PREFECT_API_URL: server.url}):
        yield make
        for pace in made:
            pace.close()


def _limits(server: PrefectServer):
    from prefect.client.orchestration import SyncPrefectClient

    return SyncPrefectClient(server.url)


def _child(server: PrefectServer, script: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=os.environ | server.env() | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.nightly
def test_machines_that_share_nothing_but_a_server_take_turns_and_keep_the_interval(
    server: PrefectServer, standins: StandIns, tmp_path: Path
):
    standins.limit("arxiv", per_seconds=INTERVAL_S, connections=1)
    standins.latency("arxiv", 0.15)
    papers = ["1504.08083", "1409.4842", "1710.03740", "1706.03762", "1506.01497", "1502.03167", "1607.06450"]
    machines = [
        _child(server, ASKER, str(tmp_path / name), standins.arxiv_url, str(INTERVAL_S), *papers) for name in "ab"
    ]
    asked = [machine.communicate(timeout=120)[0].strip() for machine in machines]

    assert [machine.returncode for machine in machines] == [0, 0]
    assert asked == ["7", "7"]
    requests = standins.requests("arxiv")
    assert len(requests) == 14
    assert {request["status"] for request in requests} == {200}
    assert not standins.violations()
    assert all(request["in_flight"] == 1 for request in requests)
    assert min(after["started"] - before["started"] for before, after in pairwise(requests)) >= INTERVAL_S * 0.98


@pytest.mark.nightly
def test_nobody_is_kept_waiting_while_another_asks_on_and_on(server: PrefectServer, make_pace):
    turns: list[str] = []

    def ask(machine: str) -> None:
        pace = make_pace("fair", machine=machine)
        for _ in range(12):
            with pace.turn():
                turns.append(machine)

    askers = [threading.Thread(target=copy_context().run, args=[ask, machine]) for machine in "ab"]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert {*turns[:12]} == {"a", "b"}, turns


def test_the_slot_of_a_holder_that_was_killed_is_free_again_when_its_time_is_over(
    server: PrefectServer, make_pace, tmp_path: Path
):
    holder = _child(server, HOLDER, str(tmp_path / "other"))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.kill()
    holder.communicate()
    with _limits(server) as client:
        assert client.read_global_concurrency_limit_by_name("paperlake-held").active_slots == 1
    with make_pace("held", forgotten_after_s=6).turn(patience_s=0), _limits(server) as client:
        assert client.read_global_concurrency_limit_by_name("paperlake-held").active_slots == 1


def delete(client, name: str) -> None:
    client.delete_global_concurrency_limit_by_name(name)


def switch_off(client, name: str) -> None:
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    client.update_global_concurrency_limit(name, GlobalConcurrencyLimitUpdate(active=False))


@pytest.mark.parametrize(
    ("harm", "said"), [(delete, "paperlake-delete was deleted"), (switch_off, "gcl enable paperlake-switch_off")]
)
def test_a_turn_is_never_taken_without_the_limit(server: PrefectServer, make_pace, harm, said):
    pace = make_pace(harm.__name__)
    with pace.turn():
        pass
    with _limits(server) as client:
        limit = client.read_global_concurrency_limit_by_name(f"paperlake-{harm.__name__}")
        assert (limit.limit, limit.active) == (1, True)
        harm(client, limit.name)
    with pytest.raises(TransientSourceError, match=said), pace.turn():
        pytest.fail("a request would have been made")


def test_a_server_that_does_not_answer_is_a_fault_and_no_answer(tmp_path: Path):
    from prefect.settings import PREFECT_API_URL, temporary_settings

    from flows.prefect.limits import ServerPace

    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        pace = ServerPace(FilePace(tmp_path, service="gone", interval_s=0), service="gone", interval_s=0)
        with pytest.raises(SourceUnreachable, match="Prefect server"), pace.turn(patience_s=0.5):
            pytest.fail("a request would have been made")
        pace.close()


def test_a_retry_after_holds_back_the_other_machines_as_well(server: PrefectServer, make_pace, tmp_path: Path):
    pace = make_pace("told")
    began = time.monotonic()
    with pytest.raises(TransientSourceError, match="too many"), pace.turn():
        raise TransientSourceError("too many requests", status=429, retry_after_s=1.0)
    with make_pace("told", machine="other").turn():
        pass
    assert time.monotonic() - began >= 1.0

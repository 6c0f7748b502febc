"""What Prefect shows of a refresh on a real server, what a failed batch leaves, and what is tried again."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import pytest

from flows.prefect.flow import BatchIncomplete, _ask, as_patient_task
from sources.errors import PermanentSourceError, SourceError, SourceUnreachable, TransientSourceError
from sources.records import BatchAnswer
from standins import StandIns
from standins.servers.prefect import PrefectServer
from tests.flows.conftest import CommandLine

pytestmark = pytest.mark.slow

LIST = """- [Fast R-CNN](https://arxiv.org/abs/1504.08083)
- [Mixed Precision Training](https://arxiv.org/abs/1710.03740)
"""


@pytest.fixture
def command(served_paperlake: CommandLine) -> CommandLine:
    (served_paperlake.folder / "reading.md").write_text(LIST)
    return served_paperlake


def test_a_wrong_list_fails_a_scheduled_run_with_a_sentence(tmp_path, monkeypatch, capsys):
    from flows.prefect.flow import refresh

    monkeypatch.chdir(tmp_path)
    state: Any = refresh.fn(["nowhere.md"], lake=str(tmp_path / "lake"))
    assert state.is_failed()
    assert state.message.startswith("nowhere.md: no such file or folder")
    assert "paperlake: failed: nowhere.md: no such file" in capsys.readouterr().err


def _last_run(server: PrefectServer) -> tuple[Any, list[Any], dict[str, Any]]:
    """Returns the last flow run, its task runs and its artifacts by key."""
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.filters import FlowRunFilter
    from prefect.client.schemas.sorting import FlowRunSort

    with SyncPrefectClient(server.url) as client:
        ended = FlowRunFilter(end_time={"is_null_": False})  # other tests' schedules have runs to come
        (run,) = client.read_flow_runs(flow_run_filter=ended, sort=FlowRunSort.END_TIME_DESC, limit=1)
        tasks = _tasks(client, FlowRunFilter(id={"any_": [run.id]}))
    of_run = {"artifacts": {"flow_run_id": {"any_": [str(run.id)]}}}
    artifacts = {one["key"]: one["data"] for one in httpx.post(f"{server.url}/artifacts/filter", json=of_run).json()}
    return run, tasks, artifacts


def _tasks(client: Any, of_run: Any) -> list[Any]:
    """Returns the run's tasks once the server has noted their ends, which it is told by events."""
    from prefect.client.schemas.sorting import TaskRunSort

    patience = time.monotonic() + 30
    while True:
        tasks = client.read_task_runs(flow_run_filter=of_run, sort=TaskRunSort.ID_DESC, limit=50)
        if (tasks and all(task.state.is_final() for task in tasks)) or time.monotonic() > patience:
            return list(tasks)
        time.sleep(0.2)


def test_a_run_is_named_for_its_lists_and_leaves_its_figures_and_what_changed(
    command: CommandLine, prefect_server: PrefectServer
):
    done = command("refresh", "reading.md", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["mentions_new"] == 2

    run, tasks, artifacts = _last_run(prefect_server)
    assert run.name.startswith("reading.md, ")
    assert (run.state.name, run.state.type.value) == ("Completed", "COMPLETED")
    assert {task.name for task in tasks} == {"arXiv: 2 identifiers", "Semantic Scholar: 2 identifiers"}
    assert set(artifacts) == {"refresh", "refresh-figures"}
    assert "## New papers: 2" in artifacts["refresh"]
    assert "Fast R-CNN" in artifacts["refresh"]
    figures = {row["figure"]: row["value"] for row in json.loads(artifacts["refresh-figures"])}
    assert figures["resolved"] == "2"


@pytest.mark.nightly
def test_a_run_that_could_not_ask_says_which_batch_and_why(
    command: CommandLine, prefect_server: PrefectServer, standins: StandIns
):
    standins.fault("s2", "503")
    command.env["PAPERLAKE_TRIES"] = "1"
    done = command("refresh", "reading.md")
    assert done.returncode == 1

    run, tasks, artifacts = _last_run(prefect_server)
    assert (run.state.name, run.state.type.value) == ("CompletedWithFailures", "COMPLETED")
    assert "503" in run.state.message
    (failed,) = [task for task in tasks if task.state.name == "Failed"]
    assert failed.name == "Semantic Scholar: 2 identifiers"
    assert "2 of 2 failed" in failed.state.message
    assert "## Failed" in artifacts["refresh"]


@pytest.mark.nightly
def test_what_a_list_says_is_shown_as_text(command: CommandLine, prefect_server: PrefectServer):
    (command.folder / "reading.md").write_text(
        "- [A <img src=x onerror=alert(1)> | `study` of [brackets]](https://arxiv.org/abs/1504.08083)\n"
    )
    assert command("refresh", "reading.md").returncode in (0, 1)
    _, _, artifacts = _last_run(prefect_server)
    assert "<img" not in artifacts["refresh"]


def _answer(error: SourceError) -> BatchAnswer[str, str]:
    return BatchAnswer(requested=("a", "b"), found={"a": "A"}, failed={"b": error})


@pytest.mark.parametrize(
    ("error", "may_pass"),
    [
        (TransientSourceError("HTTP 503"), True),
        (SourceUnreachable("no route"), False),
        (PermanentSourceError("HTTP 400"), False),
    ],
)
def test_a_batch_with_a_failure_fails_its_task_and_keeps_the_answer(error: SourceError, may_pass: bool):
    answer = _answer(error)
    with pytest.raises(BatchIncomplete, match=f"1 of 2 failed: {error}") as told:
        _ask.fn("a batch", lambda: answer)
    assert (told.value.answer, told.value.may_pass) == (answer, may_pass)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "asked"),
    [
        pytest.param(TransientSourceError("HTTP 503"), 3, id="may pass"),
        pytest.param(PermanentSourceError("HTTP 400"), 1, id="will not"),
    ],
)
def test_a_scheduled_run_tries_again_only_what_may_pass(prefect_server: PrefectServer, error: SourceError, asked: int):
    from prefect import flow
    from prefect.events.worker import EventsWorker
    from prefect.settings import PREFECT_API_URL, temporary_settings

    calls: list[int] = []

    def ask() -> BatchAnswer[str, str]:
        calls.append(1)
        return _answer(error)

    run_batch = as_patient_task(retries=2, wait_s=0)
    with temporary_settings({PREFECT_API_URL: prefect_server.url}):
        answer = flow(lambda: run_batch("a batch", ask), name="tried")()
        EventsWorker.drain_all()  # its pings draw from `random`, which later tests that draw examples would notice
    assert len(calls) == asked
    assert answer.failed == {"b": error}

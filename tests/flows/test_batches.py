"""A batch as a task: what a failed one leaves, and what a scheduled run tries again."""

from __future__ import annotations

import pytest

from flows.prefect.flow import BatchIncomplete, _ask, as_patient_task
from sources.errors import PermanentSourceError, SourceError, SourceUnreachable, TransientSourceError
from sources.records import BatchAnswer
from standins.servers.prefect import PrefectServer


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

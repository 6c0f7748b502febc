"""One request at a time, and not too soon: in one process, across processes, through crashes and clocks set wrong."""

import json
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import httpx
import pytest

from sources.errors import PayloadError, TransientSourceError
from sources.http.rate_limit import FilePace
from tests.matrices import for_each

INTERVAL_S = 3.0


class Hands:
    """A clock moved by hand; sleeping moves it."""

    def __init__(self, *, now: float = 1_800_000_000.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_time(seconds)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    def pace(self, folder: Path, *, interval_s: float = INTERVAL_S) -> FilePace:
        return FilePace(folder, service="arxiv", interval_s=interval_s, now=lambda: self.now, sleep=self.sleep)


def _waited(hands: Hands, folder: Path) -> float:
    hands.slept.clear()
    with hands.pace(folder).turn():
        pass
    return sum(hands.slept)


@for_each(
    ("took", "idle", "waited"),
    [
        (0.1, 0.0, INTERVAL_S),  # short: counted from its end
        (1.0, 0.0, INTERVAL_S - 0.85),  # longer: from a twentieth of the interval after its start
        (10.0, 0.0, 0.0),
        (0.1, 1.0, INTERVAL_S - 1),
        (0.0, 60.0, 0.0),
    ],
)
def test_the_next_request_waits_out_the_interval_since_the_last_was_surely_seen(tmp_path, took, idle, waited):
    hands, folder = Hands(), tmp_path / f"{took} {idle}"
    with hands.pace(folder).turn():
        hands.pass_time(took)
    assert not hands.slept  # the first waits for nothing
    hands.pass_time(idle)
    assert _waited(hands, folder) == pytest.approx(waited)
    assert max(hands.slept, default=0) <= 0.5  # so that Ctrl-C ends a wait at once


def test_a_rest_that_the_service_asks_for_is_counted_from_its_word(tmp_path):
    hands = Hands()

    def refused() -> None:
        with hands.pace(tmp_path).turn():
            hands.pass_time(20)
            raise TransientSourceError("", status=429, retry_after_s=30.0)

    with pytest.raises(TransientSourceError):
        refused()
    assert _waited(hands, tmp_path) == pytest.approx(30)


def test_a_stamp_from_the_future_costs_one_interval_and_no_more(tmp_path):
    ahead = Hands(now=2_000_000_000.0)
    _waited(ahead, tmp_path)
    hands = Hands()
    assert _waited(hands, tmp_path) == pytest.approx(INTERVAL_S)
    assert _waited(hands, tmp_path) == pytest.approx(INTERVAL_S)


@for_each("text", ["not json", "[]", '{"at": 1}', '{"at": NaN, "hold_s": 0}', "\ud800"])
def test_a_stamp_that_cannot_be_read_costs_one_interval(tmp_path, text):
    (tmp_path / "arxiv.stamp").write_bytes(text.encode("utf-8", "surrogatepass"))
    assert _waited(Hands(), tmp_path) == pytest.approx(INTERVAL_S)


@pytest.mark.parametrize(
    ("error", "held_s"),
    [
        pytest.param(TransientSourceError("", status=429, retry_after_s=30.0), 30.0, id="as long as it says"),
        pytest.param(TransientSourceError("", status=429, retry_after_s=0.0), INTERVAL_S, id="at least the interval"),
        pytest.param(TransientSourceError("", status=429), 2 * INTERVAL_S, id="too many, no time told"),
        pytest.param(TransientSourceError("", status=500), INTERVAL_S, id="another fault"),
        pytest.param(PayloadError(""), INTERVAL_S, id="a reply that is none"),
        pytest.param(KeyboardInterrupt(), INTERVAL_S, id="Ctrl-C"),
    ],
)
def test_a_refusal_seen_by_one_holds_back_all(tmp_path, error, held_s):
    hands = Hands()
    with pytest.raises(type(error)), hands.pace(tmp_path).turn():
        raise error
    assert _waited(hands, tmp_path) == pytest.approx(held_s)
    assert _waited(hands, tmp_path) == pytest.approx(INTERVAL_S)


def test_a_wait_beyond_patience_is_an_error_and_sends_nothing(tmp_path):
    hands = Hands()
    with pytest.raises(TransientSourceError), hands.pace(tmp_path).turn():
        raise TransientSourceError("", status=429, retry_after_s=3_600.0)
    with pytest.raises(TransientSourceError) as caught, hands.pace(tmp_path).turn(patience_s=120.0):
        pytest.fail("a request was made")
    assert caught.value.retry_after_s == pytest.approx(3_600.0)
    hands.pass_time(3_590.0)
    assert _waited(hands, tmp_path) == pytest.approx(10.0)


def test_services_do_not_wait_for_each_other(tmp_path):
    hands = Hands()
    _waited(hands, tmp_path)
    hands.slept.clear()
    with FilePace(tmp_path, service="s2", interval_s=INTERVAL_S, sleep=hands.sleep).turn():
        assert not hands.slept


def test_threads_take_turns(tmp_path):
    pace = FilePace(tmp_path, service="arxiv", interval_s=0.0)
    inside, most = 0, 0

    def work():
        nonlocal inside, most
        for _ in range(5):
            with pace.turn():
                inside += 1
                most = max(most, inside)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def _ask_often(folder: Path, url: str, times: int) -> None:
    pace = FilePace(folder, service="arxiv", interval_s=0.05)
    with httpx.Client() as client:
        for _ in range(times):
            with pace.turn():
                client.get(url, params={"id_list": "1706.03762"})


def test_processes_that_share_a_folder_keep_the_limit_together(tmp_path, standins):
    standins.limit("arxiv", per_seconds=0.05, connections=1)
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_ask_often, args=(tmp_path, standins.arxiv_url, 5)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(standins.requests("arxiv")) == 20
    assert not standins.violations()


def _die_in_mid_request(folder: Path, ready) -> None:
    with FilePace(folder, service="arxiv", interval_s=0.01).turn():
        ready.set()
        time.sleep(60)


def test_a_process_killed_in_mid_request_leaves_its_stamp_and_no_lock(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    worker = spawn.Process(target=_die_in_mid_request, args=(tmp_path, ready))
    worker.start()
    assert ready.wait(30)
    os.kill(worker.pid, signal.SIGKILL)
    worker.join()
    assert json.loads((tmp_path / "arxiv.stamp").read_text())["hold_s"] == 0
    with FilePace(tmp_path, service="arxiv", interval_s=0.01).turn():
        pass


def test_a_turn_that_never_comes_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr("sources.http.rate_limit.LONGEST_QUEUE_S", 0.0)
    pace = FilePace(tmp_path, service="arxiv", interval_s=0.0)
    with pace.turn(), pytest.raises(TransientSourceError, match="another process"), pace.turn(patience_s=0.1):
        pytest.fail("two turns at once")

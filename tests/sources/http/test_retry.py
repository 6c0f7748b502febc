"""Whether and when to ask again."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.errors import PayloadError, PermanentSourceError, SourceUnreachable, TransientSourceError
from sources.http.replies import Received, retry_after_s, status_error
from sources.http.retry import Attempts, RetryPolicy
from tests.matrices import for_each

PATIENCE = RetryPolicy(max_tries=4, backoff_s=2.0, max_wait_s=120.0)
NOW = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)


class Service:
    """Meets each call with the next of its faults, and then answers."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.calls = 0

    def __call__(self) -> str:
        self.calls += 1
        if self.faults:
            raise self.faults.pop(0)
        return "answer"


def retrying(service: Service, **options) -> str:
    attempts = Attempts(**options)
    while True:
        with attempts:
            return service()


def _waits(service: Service, *, policy: RetryPolicy = PATIENCE, draw: float = 1.0) -> list[float]:
    waits: list[float] = []
    assert retrying(service, policy=policy, sleep=waits.append, draw=lambda: draw) == "answer"
    return waits


@for_each("draw", [0.0, 0.25, 1.0])
def test_waits_double_and_are_drawn_from_the_whole_of_their_range(draw):
    service = Service(*[TransientSourceError("")] * 3)
    assert _waits(service, draw=draw) == [2.0 * draw, 4.0 * draw, 8.0 * draw]


def test_retry_after_is_waited_out_in_full():
    assert _waits(Service(TransientSourceError("", retry_after_s=30.0))) == [30.0]
    assert _waits(Service(TransientSourceError("", retry_after_s=0.0)), draw=0.5) == [1.0]


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        pytest.param(TransientSourceError(""), 4, id="transient: all tries"),
        pytest.param(PayloadError(""), 4, id="no reply of its kind: all tries"),
        pytest.param(SourceUnreachable(""), 2, id="unreachable: two"),
        pytest.param(PermanentSourceError(""), 1, id="refused: one"),
        pytest.param(TransientSourceError("", retry_after_s=121.0), 1, id="told to wait beyond patience: one"),
        pytest.param(TransientSourceError("", retry_after_s=50.0), 3, id="waits add up to patience"),
        pytest.param(KeyboardInterrupt(), 1, id="Ctrl-C"),
    ],
)
def test_giving_up_raises_the_last_fault(fault, calls):
    service = Service(*[fault] * 9)
    with pytest.raises(type(fault)) as caught:
        retrying(service, policy=PATIENCE, sleep=lambda _: None, draw=lambda: 0.0)
    assert caught.value is fault
    assert service.calls == calls


@given(st.lists(st.floats(0, 200), max_size=8), st.floats(0, 1))
def test_what_is_waited_in_all_never_exceeds_patience(asked, draw):
    waits: list[float] = []
    service = Service(*[TransientSourceError("", retry_after_s=seconds) for seconds in asked])
    try:
        retrying(service, policy=PATIENCE, sleep=waits.append, draw=lambda: draw)
    except TransientSourceError:
        assert service.calls <= PATIENCE.max_tries
    assert sum(waits) <= PATIENCE.max_wait_s


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        pytest.param("7", 7.0, id="seconds"),
        pytest.param("1.5", 1.5, id="a fraction, against the rules"),
        pytest.param(format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0, id="date"),
        pytest.param(format_datetime(NOW - timedelta(days=1), usegmt=True), 0.0, id="date gone by"),
        pytest.param("Sat, 21 Nov 2026 06:00:09", 9.0, id="date without zone is GMT"),
        pytest.param("9" * 400, 7 * 86_400.0, id="more than a number holds"),
        pytest.param("soon", None, id="word"),
        pytest.param("-5", None, id="negative"),
        pytest.param("nan", None, id="no number"),
        pytest.param("", None, id="empty"),
    ],
)
def test_retry_after_is_read_in_both_forms(header, seconds):
    assert retry_after_s(header, now=NOW) == seconds


@given(st.text(max_size=40))
def test_any_retry_after_is_a_wait_or_nothing(header):
    seconds = retry_after_s(header, now=NOW)
    assert seconds is None or 0 <= seconds <= 7 * 86_400


@given(st.integers(100, 999).filter(lambda status: status != 200))
def test_every_status_but_200_is_an_error(status):
    error = status_error(Received(status=status, body=b"", at=NOW), source="s2", url="https://api", said="no")
    assert error.status == status
    transient = status in (408, 425, 429) or 500 <= status <= 599
    assert isinstance(error, TransientSourceError if transient else PermanentSourceError)

"""Cutting into batches, and finding the items that a service refuses."""

from collections.abc import Sequence
from math import ceil, log2

from hypothesis import given
from hypothesis import strategies as st

from sources.errors import PermanentSourceError, SourceError, TransientSourceError
from sources.http.queries import Halving, batches
from tests.matrices import for_each

REFUSAL = PermanentSourceError("refused", status=400)


class Service:
    """Refuses any batch that holds a bad item; notes what it was asked, and what it answered."""

    def __init__(self, bad: Sequence[str], refusal: SourceError = REFUSAL, *, most: int = 10_000) -> None:
        self.bad, self.refusal, self.most = set(bad), refusal, most
        self.requests = 0
        self.answered: list[str] = []
        self.given_up: dict[str, SourceError] = {}

    def ask(self, items: Sequence[str]) -> None:
        self.requests += 1
        if self.bad & set(items) or len(items) > self.most:
            raise self.refusal
        self.answered += items

    def give_up(self, items: Sequence[str], error: SourceError) -> None:
        self.given_up.update(dict.fromkeys(items, error))

    def run(self, *todo: Sequence[str]) -> None:
        Halving(todo, give_up=self.give_up).put(self.ask)


def _items(count: int) -> list[str]:
    return [str(number) for number in range(count)]


@given(st.integers(0, 60), st.integers(1, 9), st.integers(1, 40))
def test_batches_keep_order_and_bounds(count, most, room):
    items = _items(count)
    cut = list(batches(items, most=most, room=room, size=len))
    assert [item for batch in cut for item in batch] == items
    assert all(0 < len(batch) <= most for batch in cut)
    assert all(len(batch) == 1 or sum(map(len, batch)) <= room for batch in cut)


@given(st.integers(2, 500), st.data())
def test_a_few_bad_items_alone_are_given_up(size, data):
    items = _items(size)
    bad = data.draw(st.sets(st.sampled_from(items), min_size=1, max_size=4))
    service = Service(sorted(bad))
    service.run(items)
    assert set(service.given_up) == bad
    assert set(service.answered) == set(items) - bad
    assert service.requests <= len(bad) * (ceil(log2(size)) + 3)


@given(st.integers(1, 120), st.data())
def test_nothing_is_lost_whatever_is_bad(size, data):
    items = _items(size)
    service = Service(sorted(data.draw(st.sets(st.sampled_from(items)))))
    service.run(items)
    assert set(service.given_up) | set(service.answered) == set(items)
    assert not set(service.given_up) & set(service.answered)


def test_a_batch_that_is_only_too_large_is_answered_in_parts():
    service = Service([], PermanentSourceError("", status=413), most=30)
    service.run(_items(100))
    assert not service.given_up
    assert set(service.answered) == set(_items(100))


def test_a_service_that_refuses_everything_is_not_asked_item_by_item():
    items = _items(500)
    service = Service(items)
    service.run(items[:100], items[100:200], items[200:])
    assert set(service.given_up) == set(items)
    assert service.requests <= 40


@for_each(
    "error",
    [TransientSourceError("", status=503), PermanentSourceError("", status=403), PermanentSourceError("", status=404)],
)
def test_a_fault_that_says_nothing_of_the_items_costs_its_batch_and_no_further_request(error):
    service = Service(["7"], error)
    service.run(_items(5), ["7", "8"], ["9"])
    assert service.requests == 3
    assert service.given_up == {"7": error, "8": error}
    assert set(service.answered) == {"0", "1", "2", "3", "4", "9"}

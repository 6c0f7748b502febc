"""Batches: cut to what one request may hold, and halved where a service refuses one: no bad item sinks the rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from sources.errors import PermanentSourceError, SourceError, SourceUnreachable
from sources.statuses import SPLIT_STATUSES


def batches(
    items: Sequence[str], *, most: int, room: int = 0, size: Callable[[str], int] = lambda _: 0
) -> Iterator[list[str]]:
    """Returns `items` in order, in batches of at most `most` items and, but for single items, of `room` by `size`."""
    batch: list[str] = []
    used = 0
    for item in items:
        if batch and (len(batch) == most or used + size(item) > room):
            yield batch
            batch, used = [], 0
        batch.append(item)
        used += size(item)
    if batch:
        yield batch


class HalfMayDo(PermanentSourceError):
    """The answer to a batch cannot be used as a whole; that to half of it may."""


def ask_halving(
    todo: Iterable[Sequence[str]],
    ask: Callable[[Sequence[str]], None],
    *,
    give_up: Callable[[Sequence[str], SourceError], None],
) -> None:
    """Asks batch after batch, halving whatever the service refuses, down to the items at fault.

    Beyond the batch itself that costs at most 2 log2(n) requests for each bad item among n. A refusal is blamed only
    on an item that was asked for alone; any other fault costs its own batch. Once the service cannot be reached at
    all, nothing further is asked.

    Args:
        todo: The batches.
        ask: Asks for one batch and notes the answer.
        give_up: Told of items that could not be asked, and why.
    """
    waiting = deque(todo)
    while waiting:
        batch = waiting.popleft()
        try:
            ask(batch)
        except SourceUnreachable as error:
            for lost in (batch, *waiting):
                give_up(lost, error)
            return
        except PermanentSourceError as refusal:
            splits = refusal.status in SPLIT_STATUSES or isinstance(refusal, HalfMayDo)
            if splits and len(batch) > 1:
                middle = len(batch) // 2
                waiting.extendleft((batch[middle:], batch[:middle]))
            else:
                give_up(batch, refusal)
        except SourceError as error:
            give_up(batch, error)

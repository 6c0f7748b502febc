"""Batches of questions: splitting, halving what is refused, and what became of each item."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from sources.errors import BatchRefused, PermanentSourceError, SourceError, SourceUnreachable
from sources.http.outcome import SPLIT_STATUSES
from sources.records import Answer, TitleAnswer

_HOPELESS = 24
"""So many refusals with nothing accepted between them are not due to single items."""

Ask = Callable[[Sequence[str]], None]
GiveUp = Callable[[Sequence[str], SourceError], None]


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


def ask_halving(todo: Iterable[Sequence[str]], ask: Ask, *, give_up: GiveUp) -> None:
    """Asks batch after batch; one that the service refuses is halved, down to the item at fault.

    The search asks for half of the suspects at a time, and for everybody else together once the culprit is found:
    log2(n) + 3 requests for one bad item among n, and as many for each further one. A refusal is blamed only on an
    item that was refused alone, unless nothing at all is accepted any more. Any other fault costs its own batch; once
    the service cannot be reached, nothing further is asked.

    Args:
        todo: The batches.
        ask: Asks for one batch and notes the answer.
        give_up: Told of items that could not be asked, and why.
    """
    waiting = deque(todo)
    search = _Search(ask, give_up)
    while waiting:
        batch = waiting.popleft()
        try:
            search.run(batch)
        except SourceUnreachable as error:
            for lost in (batch, *waiting):
                give_up(lost, error)
            return


class _Search:
    """Finds the items that a service refuses."""

    def __init__(self, ask: Ask, give_up: GiveUp) -> None:
        self._ask = ask
        self._give_up = give_up
        self._refused_in_a_row = 0

    def run(self, batch: Sequence[str]) -> None:
        """Asks for `batch`, in parts if need be. What is given up or noted twice is the caller's to ignore."""
        left = [*batch]
        while left:
            suspects: Sequence[str] = left
            left = []
            refusal = self._refusal(suspects)
            while refusal is not None and len(suspects) > 1 and self._refused_in_a_row < _HOPELESS:
                half, rest = _halves(suspects, swap=self._refused_in_a_row % 2 == 1)
                if (worse := self._refusal(half)) is not None:
                    suspects, refusal = half, worse
                    left += rest
                elif len(rest) > 1:
                    suspects = rest
                else:
                    suspects, refusal = rest, self._refusal(rest)
            if refusal is not None:
                self._give_up(suspects, refusal)

    def _refusal(self, items: Sequence[str]) -> PermanentSourceError | None:
        """Asks for `items`; returns a refusal that may be due to some of them."""
        try:
            self._ask(items)
        except SourceUnreachable:
            raise
        except PermanentSourceError as error:
            if error.status in SPLIT_STATUSES or isinstance(error, BatchRefused):
                self._refused_in_a_row += 1
                return error
            self._give_up(items, error)
        except SourceError as error:
            self._give_up(items, error)
        else:
            self._refused_in_a_row = 0
        return None


def _halves(items: Sequence[str], *, swap: bool) -> tuple[Sequence[str], Sequence[str]]:
    """Returns two halves; which comes first alternates, as bad items often stand together."""
    middle = len(items) // 2
    first, second = items[:middle], items[middle:]
    return (second, first) if swap else (first, second)


T = TypeVar("T")


class Tally(Generic[T]):
    """What became of each item so far; what is found stays found, and a fault touches only what is still open."""

    def __init__(self, requested: Iterable[str]) -> None:
        self.requested = tuple(dict.fromkeys(requested))
        self.found: dict[str, T] = {}
        self.not_found: set[str] = set()
        self.failed: dict[str, SourceError] = {}

    def open(self, items: Sequence[str]) -> list[str]:
        """Returns those of `items` of which nothing is known yet, in order."""
        return [i for i in items if i not in self.found and i not in self.not_found and i not in self.failed]

    def note(self, papers: Mapping[str, T]) -> None:
        """Notes what was found; that outweighs a fault met earlier."""
        for item, paper in papers.items():
            self.failed.pop(item, None)
            self.found[item] = paper

    def note_absent(self, items: Sequence[str]) -> None:
        """Notes that the source has none of the open ones among `items`."""
        self.not_found.update(self.open(items))

    def fail(self, items: Sequence[str], error: SourceError) -> None:
        """Notes that the open ones among `items` could not be asked."""
        self.failed.update(dict.fromkeys(self.open(items), error))

    def answer(self) -> Answer[str, T]:
        """Returns the answer; its sum is checked there."""
        return Answer(
            requested=self.requested, found=self.found, not_found=frozenset(self.not_found), failed=self.failed
        )


class TitleTally(Generic[T]):
    """What a search for titles has brought so far."""

    def __init__(self, requested: Iterable[str]) -> None:
        self.requested = tuple(dict.fromkeys(requested))
        self.papers: dict[str, T] = {}
        self.answered: set[str] = set()
        self.failed: dict[str, SourceError] = {}

    def note(self, papers: Mapping[str, T]) -> None:
        """Notes papers found, by their identifier; each is kept once."""
        self.papers.update(papers)

    def note_answered(self, titles: Sequence[str]) -> None:
        """Notes that all of `titles` have been answered to the end; that outweighs a fault met earlier."""
        self.answered.update(titles)
        for title in titles:
            self.failed.pop(title, None)

    def fail(self, titles: Sequence[str], error: SourceError) -> None:
        """Notes that the titles not yet answered among `titles` could not be asked to the end."""
        self.failed.update({title: error for title in titles if title not in self.answered})

    def answer(self) -> TitleAnswer[T]:
        """Returns the answer; its sum is checked there."""
        return TitleAnswer(
            requested=self.requested,
            papers=tuple(self.papers.values()),
            answered=frozenset(self.answered),
            failed=self.failed,
        )

"""Keeps count while batches are asked, so that every item ends in one place, and none in between."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from sources.errors import SourceError
from sources.records import Answer, TitleAnswer

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

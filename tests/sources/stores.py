"""What the adapters need around them, in memory: a reply store, a pace that never waits, papers by the hundred."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sources.records import Reply, SourceName


class MemoryReplies:
    """Keeps replies for as long as the test runs."""

    def __init__(self) -> None:
        self.kept: dict[tuple[SourceName, str], Reply] = {}

    def find(self, source: SourceName, request_key: str) -> Reply | None:
        return self.kept.get((source, request_key))

    def keep(self, reply: Reply) -> None:
        self.kept[reply.source, reply.request_key] = reply


class NoPace:
    """Everybody's turn at once."""

    @contextmanager
    def turn(self, *, patience_s: float = 0.0) -> Iterator[None]:
        yield

    def close(self) -> None:
        pass


def shared_words(count: int) -> list[dict[str, Any]]:
    """Returns facts of papers whose titles all hold the same three words."""
    return [
        {
            "arxiv_id": f"2401.{number:05}",
            "title": f"Paper {number} on shared words",
            "authors": ["A. B."],
            "year": 2024,
        }
        for number in range(1, count + 1)
    ]

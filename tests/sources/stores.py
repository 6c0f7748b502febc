"""What the adapters need around them, in memory: a reply store, and a pace that never waits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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

"""Clients of services that wait nowhere, and end with their test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from sources.services.service_client import ServiceSettings
from tests.sources.stores import MemoryReplies, NoPace


@pytest.fixture
def replies() -> MemoryReplies:
    return MemoryReplies()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def connect(replies: MemoryReplies, waits: list[float]) -> Iterator[Callable[..., Any]]:
    """Makes a client of a kind for an address; further arguments are settings."""
    with ExitStack() as stack:

        def connected(kind: Any, url: str, *, replies: MemoryReplies = replies, **settings: Any) -> Any:
            patient = ServiceSettings(url=url, **{"timeout_s": (2.0, 2.0), **settings})
            client = kind(patient, replies=replies, pace=NoPace(), sleep=waits.append, draw=lambda: 1.0)
            stack.callback(client.close)
            return client

        yield connected

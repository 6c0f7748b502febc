"""Clients of OpenAlex that end with their test, and with them the sockets that they hold open."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from pydantic import SecretStr

from sources.http.retry import RetryPolicy
from sources.services.openalex.client import OpenAlexClient
from sources.services.service_client import ServiceSettings
from standins import StandIns
from tests.sources.stores import MemoryReplies, NoPace


@pytest.fixture
def make(standins: StandIns) -> Iterator[Callable[..., OpenAlexClient]]:
    """Makes a client of the stand-in that has kept no reply, with an API key if it is given one."""
    with ExitStack() as stack:

        def made(*, key: str | None = None) -> OpenAlexClient:
            settings = ServiceSettings(
                url=standins.openalex_url,
                api_key=SecretStr(key) if key else None,
                timeout_s=(5.0, 0.6),
                retry=RetryPolicy(max_tries=2, max_wait_s=5.0),
            )
            client = OpenAlexClient(settings, replies=MemoryReplies(), pace=NoPace(), sleep=lambda _: None)
            stack.callback(client.close)
            return client

        yield made


@pytest.fixture
def client(make: Callable[..., OpenAlexClient]) -> OpenAlexClient:
    return make()

"""Clients of OpenAlex."""

from collections.abc import Callable

import pytest
from pydantic import SecretStr

from sources.http.retry import RetryPolicy
from sources.services.openalex.client import OpenAlexClient
from standins import StandIns
from tests.sources.stores import MemoryReplies


@pytest.fixture
def make(standins: StandIns, connect: Callable[..., OpenAlexClient]) -> Callable[..., OpenAlexClient]:
    """Makes a client of the stand-in that has kept no reply, with an API key if it is given one."""

    def made(*, key: str | None = None) -> OpenAlexClient:
        patience = {"timeout_s": (5.0, 0.6), "retry": RetryPolicy(max_tries=2, max_wait_s=5.0)}
        api_key = SecretStr(key) if key else None
        return connect(OpenAlexClient, standins.openalex_url, replies=MemoryReplies(), api_key=api_key, **patience)

    return made


@pytest.fixture
def client(make: Callable[..., OpenAlexClient]) -> OpenAlexClient:
    return make()

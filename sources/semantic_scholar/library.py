"""The `semanticscholar` package underneath: it says what to ask for; sources/http sends it and takes the reply.

The seam is the package's requester, which its calls await: ours hands what it is to send to whoever runs the call, who
then closes it, so that the package's records are never built. Its own requester turns any status that it does not list
(401, 502, 503 ...) into an empty answer, logs the key at DEBUG, waits without asking Retry-After, and builds its query
by concatenation, so that & + # % in a title change the question.
"""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote_plus

from pydantic import SecretStr
from semanticscholar import AsyncSemanticScholar

from sources.http.outcome import Received
from sources.http.transport import Limits, Transport
from sources.semantic_scholar.payload import FIELDS


class S2Library:
    """Sends what the package would, each request answered by one reply as received."""

    def __init__(self, *, url: str, timeout_s: tuple[float, float], api_key: SecretStr | None) -> None:
        self._api = _Api(api_url=url.rstrip("/"))
        self._api._requester = _Requester()
        key = ("x-api-key", api_key) if api_key else None
        limits = Limits(connect_s=timeout_s[0], read_s=timeout_s[1])
        self._transport = Transport("s2", url=url.rstrip("/"), limits=limits, key=key)

    def close(self) -> None:
        """Closes the connection."""
        self._transport.close()

    def batch(self, ids: Sequence[str]) -> Received:
        """Returns the reply to one request for many papers."""
        wanted = _wanted(self._api.get_papers(list(ids), fields=list(FIELDS)))
        return self._transport.send("POST", wanted.url, params=wanted.parameters, json=wanted.payload)

    def bulk(self, query: str, *, token: str | None) -> Received:
        """Returns the reply to one page of a bulk search."""
        # The package glues options to the query as text: what it is handed must be encoded already.
        page = f"&token={quote_plus(token)}" if token else ""
        wanted = _wanted(self._api.search_paper(quote_plus(query) + page, fields=list(FIELDS), bulk=True))
        return self._transport.send("GET", wanted.url, params=wanted.parameters)

    def match(self, title: str) -> Received:
        """Returns the reply to a search for the one paper of that title."""
        wanted = _wanted(self._api.search_paper(quote_plus(title), fields=list(FIELDS), match_title=True))
        return self._transport.send("GET", wanted.url, params=wanted.parameters)


class _Api(AsyncSemanticScholar):  # type: ignore[misc]
    """The package's client without its `debug` property, which sets up the root logger."""

    debug = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What a call of the package would send."""

    url: str
    parameters: Mapping[str, str]
    payload: Mapping[str, Any] | None

    def __await__(self) -> Generator[_Wanted, Any, Any]:
        """Hands itself to whoever runs the call."""
        return (yield self)


class _Requester:
    """Stands in for the package's ApiRequester: it sends nothing, and never returns."""

    async def get_data_async(
        self, url: str, parameters: str, headers: Mapping[str, str], payload: Mapping[str, Any] | None = None
    ) -> Any:
        """Hands the request to whoever runs the call; `headers` are what the package would add for a key: none."""
        del headers
        return await _Wanted(
            url=url, parameters=dict(parse_qsl(parameters.lstrip("&"), keep_blank_values=True)), payload=payload
        )


def _wanted(call: Coroutine[_Wanted, Any, Any]) -> _Wanted:
    """Returns what a call of the package would send. No event loop is run, which would hold up Ctrl-C."""
    try:
        return call.send(None)
    finally:
        call.close()

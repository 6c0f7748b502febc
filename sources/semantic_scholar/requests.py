"""What to ask Semantic Scholar for, as the `semanticscholar` package says it.

The seam is the package's requester, which its calls await: ours hands what it is to send to whoever runs the call, who
then closes it, so that the package's records are never built. Its own requester turns any status that it does not list
(401, 502, 503 ...) into an empty answer, logs the key at DEBUG, waits without asking Retry-After, and builds its query
by concatenation, so that & + # % in a title change the question. sources/http sends instead.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote_plus

from semanticscholar import AsyncSemanticScholar

from sources.semantic_scholar.payload import FIELDS

if TYPE_CHECKING:
    from sources.http.outcome import Received
    from sources.http.transport import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class S2Request:
    """What a call of the package would send."""

    url: str
    parameters: Mapping[str, str]
    payload: Mapping[str, Any] | None

    def __await__(self) -> Generator[S2Request, Any, Any]:
        """Hands itself to whoever runs the call."""
        return (yield self)

    def sent_by(self, transport: Transport) -> Callable[[], Received]:
        """Returns what sends it, once a call, and returns the reply."""
        method = "GET" if self.payload is None else "POST"
        return partial(transport.send, method, self.url, params=self.parameters, json=self.payload)


class S2Requests:
    """Requests to the service at `url`."""

    def __init__(self, url: str) -> None:
        self._api = _Api(api_url=url)
        self._api._requester = _Requester()

    def batch(self, ids: Sequence[str]) -> S2Request:
        """Returns the request for many papers."""
        return _awaited(self._api.get_papers(list(ids), fields=list(FIELDS)))

    def bulk(self, query: str, *, token: str | None) -> S2Request:
        """Returns the request for one page of a bulk search."""
        # The package glues options to the query as text: what it is handed must be encoded already.
        page = f"&token={quote_plus(token)}" if token else ""
        return _awaited(self._api.search_paper(quote_plus(query) + page, fields=list(FIELDS), bulk=True))

    def match(self, title: str) -> S2Request:
        """Returns the request for the one paper of that title."""
        return _awaited(self._api.search_paper(quote_plus(title), fields=list(FIELDS), match_title=True))


class _Api(AsyncSemanticScholar):  # type: ignore[misc]
    """The package's client without its `debug` property, which sets up the root logger."""

    debug = False


class _Requester:
    """Stands in for the package's ApiRequester: it sends nothing, and never returns."""

    async def get_data_async(
        self, url: str, parameters: str, headers: Mapping[str, str], payload: Mapping[str, Any] | None = None
    ) -> Any:
        """Hands the request to whoever runs the call; `headers` are what the package would add for a key: none."""
        del headers
        options = dict(parse_qsl(parameters.lstrip("&"), keep_blank_values=True))
        return await S2Request(url=url, parameters=options, payload=payload)


def _awaited(call: Coroutine[S2Request, Any, Any]) -> S2Request:
    """Returns what a call of the package would send. No event loop is run, which would hold up Ctrl-C."""
    try:
        return call.send(None)
    finally:
        call.close()

"""The `semanticscholar` package underneath, over a requester of our own.

Mended here: the package's requester turns any status it does not list (401, 502, 503 ...) into an empty answer, logs
the key at DEBUG, waits without asking Retry-After, and builds its query by concatenation, so that & + # % in a title
change the question. The reply is taken as it comes over the wire; the package's own records are never built.
"""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Generator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote_plus

import httpx
from pydantic import SecretStr
from semanticscholar import AsyncSemanticScholar

from sources.errors import PermanentSourceError, SourceError, SourceUnreachable, TransientSourceError
from sources.http.bodies import ACCEPTED, UnsoundBody, read_body
from sources.http.retry import Received
from sources.semantic_scholar.payload import FIELDS

_LARGEST_BODY = 16 * 2**20
_LONGEST_READ_S = 300.0

_KEY_HEADER = "x-api-key"


class S2Library:
    """Sends requests through the package, each answered by one reply as received."""

    def __init__(self, *, url: str, timeout_s: tuple[float, float], api_key: SecretStr | None) -> None:
        connect_s, read_s = timeout_s
        self._url = url.rstrip("/")
        self._key = api_key
        self._filter = KeyFilter(api_key) if api_key else None
        if self._filter is not None:
            self._filter.install()
        self._http = httpx.Client(
            timeout=httpx.Timeout(read_s, connect=connect_s),
            auth=_KeyHeader(api_key) if api_key else None,
            headers={"User-Agent": "paperlake", "Accept-Encoding": ACCEPTED},
        )

    def close(self) -> None:
        """Closes the connection."""
        self._http.close()
        if self._filter is not None:
            self._filter.remove()

    def batch(self, ids: Sequence[str]) -> Received:
        """Returns the reply to one request for many papers."""
        return self._reply(self._api().get_papers(list(ids), fields=list(FIELDS)))

    def bulk(self, query: str, *, token: str | None) -> Received:
        """Returns the reply to one page of a bulk search."""
        # The package glues options to the query as text: what it is handed must be encoded already.
        page = f"&token={quote_plus(token)}" if token else ""
        return self._reply(self._api().search_paper(quote_plus(query) + page, fields=list(FIELDS), bulk=True))

    def match(self, title: str) -> Received:
        """Returns the reply to a search for the one paper of that title."""
        return self._reply(self._api().search_paper(quote_plus(title), fields=list(FIELDS), match_title=True))

    def _api(self) -> _Api:
        api = _Api(api_url=self._url)
        api._requester = _Requester(self._http, self._url)
        return api

    def _reply(self, call: Coroutine[Any, Any, Any]) -> Received:
        """Returns the reply that a call of the package brings, whatever its status.

        The call never waits on an event loop, as our requester blocks; so none is run, which would hold up Ctrl-C.

        Raises:
            SourceError: No whole reply came.
        """
        try:
            call.send(None)
        except _Arrived as arrived:
            return self._without_key(arrived.received)
        except httpx.HTTPError as error:
            with suppress(RuntimeError):  # it broke before there was a request
                error.request.headers.pop(_KEY_HEADER, None)  # an error may be pickled with its cause
            raise _network_error(error, self._url) from error
        except httpx.InvalidURL as error:
            raise PermanentSourceError(f"not an address: {self._url}", source="s2", url=self._url) from error
        finally:
            call.close()
        raise PermanentSourceError("the semanticscholar package made no request", source="s2", url=self._url)

    def _without_key(self, received: Received) -> Received:
        """Returns a reply that does not repeat the key, should a service ever echo it."""
        key = self._key.get_secret_value().encode() if self._key else b""
        if not key or key not in received.body:
            return received
        body = received.body.replace(key, b"*" * len(key))
        return Received(status=received.status, headers=received.headers, body=body, at=received.at)


class _Api(AsyncSemanticScholar):  # type: ignore[misc]
    """The package's client without its `debug` property, which sets up the root logger."""

    debug = False


class _KeyHeader(httpx.Auth):
    """Adds the key as a request leaves, so that no object which is ever shown holds it."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Yields the request with the key."""
        request.headers[_KEY_HEADER] = self._key.get_secret_value()
        yield request


class _Arrived(Exception):
    """Carries a reply past the package's records."""

    def __init__(self, received: Received) -> None:
        super().__init__(received.status)
        self.received = received


class _Requester:
    """Stands in for the package's ApiRequester: every reply is handed over, whatever its status."""

    def __init__(self, http: httpx.Client, url: str) -> None:
        self._http = http
        self._url = url

    async def get_data_async(
        self, url: str, parameters: str, headers: dict[str, str], payload: dict[str, Any] | None = None
    ) -> Any:
        """Sends one request and raises its reply."""
        options = dict(parse_qsl(parameters.lstrip("&"), keep_blank_values=True))
        method = "POST" if payload else "GET"
        with self._http.stream(method, url, params=options, headers=headers, json=payload) as response:
            body = _body(response)
        raise _Arrived(
            Received(status=response.status_code, headers=dict(response.headers), body=body, at=datetime.now(UTC))
        )


def _body(response: httpx.Response) -> bytes:
    encoding = response.headers.get("content-encoding")
    try:
        return read_body(response.iter_raw(), encoding, most=_LARGEST_BODY, seconds=_LONGEST_READ_S)
    except UnsoundBody as error:
        raise httpx.DecodingError(str(error)) from error


def _network_error(error: httpx.HTTPError, url: str) -> SourceError:
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        return SourceUnreachable(f"Semantic Scholar could not be reached at {url}", source="s2", url=url)
    text = f"Semantic Scholar gave no whole reply: {type(error).__name__}"
    if isinstance(error, httpx.UnsupportedProtocol):
        return PermanentSourceError(f"not an address: {url}", source="s2", url=url)
    return TransientSourceError(text, source="s2", url=url)


_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")
"""A filter sees what is logged under a logger's own name, not under those below it: so each is named."""
MASK = "***"


class KeyFilter(logging.Filter):
    """Masks the key in every record of the libraries underneath, from `install` to `remove`."""

    def __init__(self, key: SecretStr) -> None:
        super().__init__()
        self._key = key

    def install(self) -> None:
        """Starts to mask."""
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        """Ends it; without effect where it was not begun."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Returns True: a record is changed where it holds the key, never dropped."""
        text, key = record.getMessage(), self._key.get_secret_value()
        if key in text:
            record.msg, record.args = text.replace(key, MASK), ()
        return True

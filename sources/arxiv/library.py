"""The `arxiv` package underneath: it builds the request and sends it; the reply is taken as it comes over the wire.

Mended here: the package has no timeout, waits a flat three seconds after a 429, turns a cut-off feed into a short one
(`recover=True`) and an error entry into a paper. So its retries and waits are off, and its parser is never reached.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import arxiv
import requests
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError

from sources.errors import PermanentSourceError, SourceError, SourceUnreachable, TransientSourceError
from sources.http.bodies import ACCEPTED, UnsoundBody, read_body
from sources.http.retry import Received

_LARGEST_BODY = 16 * 2**20
_READ_AT_ONCE = 2**10
_LONGEST_READ_S = 300.0


class ArxivLibrary:
    """Sends one page's request through `arxiv.Client`, to the endpoint at `url`."""

    def __init__(self, *, url: str, timeout_s: tuple[float, float]) -> None:
        self._url = url
        self._session = _Session(timeout_s)

    def close(self) -> None:
        """Closes the connection."""
        self._session.close()

    def page(self, search: arxiv.Search, *, start: int, size: int) -> Received:
        """Returns the reply to one request for `size` results from `start`, whatever its status.

        Raises:
            SourceError: No whole reply came.
        """
        client = _Client(page_size=size, session=self._session, url=self._url)
        try:
            next(client.results(search, offset=start), None)
        except _Arrived as arrived:
            return arrived.received
        except requests.RequestException as error:
            raise _network_error(error, self._url) from error
        raise PermanentSourceError("the arxiv package made no request", source="arxiv", url=self._url)


class _Client(arxiv.Client):  # type: ignore[misc]
    """The package's client with our session and endpoint; spacing and retries are ours."""

    def __init__(self, *, page_size: int, session: requests.Session, url: str) -> None:
        super().__init__(page_size=page_size, delay_seconds=0, num_retries=0)
        self._session = session
        self.query_url_format = url.replace("{", "{{").replace("}", "}}") + ("&{}" if "?" in url else "?{}")


class _Arrived(Exception):
    """Carries a reply past the package's parser."""

    def __init__(self, received: Received) -> None:
        super().__init__(received.status)
        self.received = received


class _Session(requests.Session):
    """A session that never waits for ever, and hands over each reply before anybody parses it."""

    def __init__(self, timeout_s: tuple[float, float]) -> None:
        super().__init__()
        self._timeout_s = timeout_s
        self.max_redirects = 2
        self.headers["Accept-Encoding"] = ACCEPTED
        self.hooks["response"].append(_hand_over)

    def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
        """Returns the response, with our timeouts in place of the package's none."""
        options["timeout"] = self._timeout_s
        return super().send(request, **options)


def _hand_over(response: requests.Response, **_: Any) -> None:
    if response.is_redirect and _stays(response):
        return
    headers = {name.lower(): value for name, value in response.headers.items()}
    with response:
        body = _body(response)
    raise _Arrived(Received(status=response.status_code, headers=headers, body=body, at=datetime.now(UTC)))


def _stays(response: requests.Response) -> bool:
    """Whether a redirect leads to the same machine; what another one says is not arXiv's answer."""
    parts = urlsplit(response.url)
    target = urlsplit(urljoin(response.url, response.headers["location"]))
    return target.hostname == parts.hostname and (target.scheme != parts.scheme or target.port == parts.port)


def _body(response: requests.Response) -> bytes:
    parts = response.raw.stream(_READ_AT_ONCE, decode_content=False)
    encoding = response.headers.get("content-encoding")
    try:
        return read_body(parts, encoding, most=_LARGEST_BODY, seconds=_LONGEST_READ_S)
    except UnsoundBody as error:
        response.close()
        raise requests.exceptions.ContentDecodingError(str(error)) from error
    except ReadTimeoutError as error:
        raise requests.exceptions.ReadTimeout from error
    except HTTPError as error:
        raise requests.exceptions.ChunkedEncodingError(error) from error


_NO_CONNECTION = (requests.exceptions.ConnectTimeout, requests.exceptions.ProxyError, requests.exceptions.SSLError)
_LOST = (requests.exceptions.ConnectionError, requests.exceptions.Timeout, requests.exceptions.ChunkedEncodingError,
         requests.exceptions.ContentDecodingError)  # fmt: skip


def _network_error(error: requests.RequestException, url: str) -> SourceError:
    if isinstance(error, _NO_CONNECTION) or _never_connected(error):
        return SourceUnreachable(f"arXiv could not be reached at {url}", source="arxiv", url=url)
    text = f"arXiv gave no whole reply: {type(error).__name__}"
    if isinstance(error, _LOST):
        return TransientSourceError(text, source="arxiv", url=url)
    return PermanentSourceError(text, source="arxiv", url=url)


def _never_connected(error: requests.RequestException) -> bool:
    """Whether the name was not found, the connection was refused, or there was no route."""
    cause = error.args[0] if error.args else None
    return isinstance(getattr(cause, "reason", None), NewConnectionError)

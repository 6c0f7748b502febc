"""One https GET to an address that was checked beforehand: the host name is verified, never looked up again.

The name stays in the Host header, in SNI and in the check of the certificate; only the connection goes to the address.
`requests` allows this through `build_connection_pool_key_attributes`
(https://requests.readthedocs.io/en/latest/api/#requests.adapters.HTTPAdapter.build_connection_pool_key_attributes).
Importing this module imports `requests`; sources/lists/remote.py does so only when there is something to fetch.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import requests
from requests import exceptions
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError

from sources.errors import SourceError, SourceUnreachable, TransientSourceError
from sources.http.bodies import UnsoundBody, unpacked
from sources.lists.list_urls import permanent, shown_url, timed_out

_CONNECT_SECONDS = 10.0
_CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """What came back. Header names are in lower case; only a status of 200 has its body read."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


class _PinnedAdapter(HTTPAdapter):
    """Connects to `address` whatever the name looks up to, and holds the certificate against the name."""

    def __init__(self, address: str, host: str) -> None:
        super().__init__()
        self._address = address
        self._host = host
        self._where_and_tls = super().build_connection_pool_key_attributes  # a requests too old to pin fails here

    def build_connection_pool_key_attributes(
        self, request: requests.PreparedRequest, verify: Any, cert: Any = None
    ) -> tuple[Any, Any]:
        """Returns where to connect and how to check who answers."""
        where, tls = self._where_and_tls(request, verify, cert)
        return where | {"host": self._address}, tls | {"server_hostname": self._host, "assert_hostname": self._host}


class _OneHop(requests.Session):
    """A session that leaves redirects alone; `allow_redirects=False` by itself still parses their target."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Returns None: whoever asks follows redirects by hand."""


def get_pinned(
    url: str, *, host: str, port: int, addresses: Sequence[str], deadline: float, max_bytes: int
) -> HttpReply:
    """Returns the reply of the first of `addresses` that a connection can be made to.

    Args:
        url: What to ask for.
        host: Its host name in ASCII, as it was checked.
        port: Its port.
        addresses: The checked addresses of that host, in the order in which to try them.
        deadline: When to give up, on the clock of `time.monotonic`.
        max_bytes: A longer body is cut off one byte beyond this.

    Raises:
        SourceUnreachable: No address accepted a connection.
        TransientSourceError: A time-out, or a connection that broke off before the end.
        PermanentSourceError: No trusted certificate, or a reply that is no HTTP.
    """
    failure: SourceError = timed_out(url)
    for address in addresses:
        try:
            with _session(address, host, port) as session:
                return _get(session, url, deadline, max_bytes)
        except OSError as error:  # what requests raises is one, and so is a missing certificate bundle
            failure = _translated(error, url)
            if not isinstance(failure, SourceUnreachable):
                break
    raise failure


def _session(address: str, host: str, port: int) -> requests.Session:
    """Returns a session that takes nothing from the environment but certificates, and connects to `address` only."""
    session = _OneHop()
    session.trust_env = False
    session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE") or True
    name = f"[{host}]" if ":" in host else host
    session.headers.update(
        {
            "Host": name if port == 443 else f"{name}:{port}",
            "User-Agent": "paperlake",
            "Accept": "text/markdown, text/plain, */*;q=0.5",
            "Accept-Encoding": "identity",
        }
    )
    session.mount("https://", _PinnedAdapter(address, host))
    return session


def _get(session: requests.Session, url: str, deadline: float, max_bytes: int) -> HttpReply:
    with session.get(
        url,
        timeout=(min(_CONNECT_SECONDS, _left(deadline)), _left(deadline)),
        allow_redirects=False,
        stream=True,
    ) as response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        body = _body(response, deadline, max_bytes) if response.status_code == 200 else b""
        return HttpReply(status=response.status_code, headers=headers, body=body)


def _body(response: requests.Response, deadline: float, max_bytes: int) -> bytes:
    body = bytearray()
    parts = response.raw.stream(_CHUNK, decode_content=False)
    try:
        for chunk in unpacked(parts, response.headers.get("content-encoding")):
            body += chunk
            if time.monotonic() > deadline:
                raise exceptions.ReadTimeout
            if len(body) > max_bytes:
                break
    except UnsoundBody as error:
        raise exceptions.ContentDecodingError(str(error)) from error
    except ReadTimeoutError as error:
        raise exceptions.ReadTimeout from error
    except HTTPError as error:
        raise exceptions.ChunkedEncodingError(error) from error
    return bytes(body[: max_bytes + 1])


def _left(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.001)


def _translated(error: OSError, url: str) -> SourceError:
    """Returns our error for one of requests' own, whose text may hold the query and is not passed on."""
    where = shown_url(url)
    if isinstance(error, exceptions.SSLError):
        return permanent(f"{where}: no secure connection, its certificate was not accepted", url)
    reason = getattr(error.args[0], "reason", None) if error.args else None
    if isinstance(error, exceptions.ConnectTimeout) or isinstance(reason, NewConnectionError):
        message = f"{where} could not be reached (proxies of the environment are not used for lists)"
        return SourceUnreachable(message, source="list", url=where)
    if isinstance(error, exceptions.Timeout):
        return timed_out(url)
    if isinstance(
        error, exceptions.ConnectionError | exceptions.ChunkedEncodingError | exceptions.ContentDecodingError
    ):
        return TransientSourceError(f"{where}: the connection broke off; try again later", source="list", url=where)
    if not isinstance(error, exceptions.RequestException):
        return permanent(f"{where} could not be read: {error}", url)
    return permanent(f"{where} could not be read ({type(error).__name__})", url)

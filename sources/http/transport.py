"""Sends one HTTP request, with limits on size and time; every fault is an error of ours.

A body is read as it comes over the wire, so that its size after unpacking is bounded (`replies.py`), and with a limit
on the whole time, as a time-out for each part bounds no reply that trickles. Redirects are followed only where the
caller says so. A key is added as the request leaves, and masked in replies, errors and logs.
"""

from __future__ import annotations

import logging
import os
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import httpx
from pydantic import SecretStr

from sources.clock import utc_now
from sources.errors import PermanentSourceError, SourceError, SourceUnreachable, TransientSourceError, UsageError
from sources.http.replies import ACCEPTED, EndlessBody, NoReply, Reason, Received, UnsoundBody, read_body
from sources.records import SERVICE_NAMES
from sources.text import MASK

_MOST_REDIRECTS = 2

# Which redirects are followed. On the same host: to another scheme or port of it; what another machine says is not the
# answer of the one that was asked. One that is not followed is the reply.
Redirects = Literal["none", "same host", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a request may take."""

    connect_s: float = 10.0  # seconds to wait for a connection
    read_s: float = 60.0  # seconds to wait for each part of the reply
    whole_s: float = 300.0  # seconds in which the body must have come
    most_bytes: int = 16 * 2**20  # bytes of the body, after unpacking

    @property
    def timeout(self) -> httpx.Timeout:
        """Returns these limits as `httpx` takes them."""
        return httpx.Timeout(self.read_s, connect=self.connect_s)


@dataclass(frozen=True, slots=True)
class Key:
    """A key that goes with every request to a service."""

    header: str  # the name of the header in which it is sent
    value: SecretStr  # the key itself
    prefix: str = ""  # what precedes it in that header


class Transport:
    """Sends requests to one service.

    With a `key` no redirect is followed, as it would go along. `url` is for messages, and `contact` an address that is
    sent with every request.

    Raises:
        UsageError: The certificates that the environment names cannot be read.
    """

    def __init__(
        self,
        source: str,
        *,
        url: str,
        limits: Limits,
        redirects: Redirects = "none",
        key: Key | None = None,
        contact: str | None = None,
    ) -> None:
        self._source = source
        self._url = url
        self._limits = limits
        self._redirects = redirects if key is None else "none"
        self._key = key
        self._filter = KeyFilter(key.value) if key else None
        if self._filter is not None:
            self._filter.install()
        # Made here, as it takes a while, and a request's own time counts towards the pace.
        self._http = httpx.Client(
            timeout=limits.timeout,
            verify=certificates(),
            auth=self._with_key if key else None,
            headers={"User-Agent": user_agent(contact), "Accept-Encoding": ACCEPTED},
        )

    def close(self) -> None:
        """Closes the connection."""
        self._http.close()
        if self._filter is not None:
            self._filter.remove()

    def send(self, method: str, url: str, *, params: Mapping[str, str] | None = None, json: Any = None) -> Received:
        """Returns the reply to one request, whatever its status.

        Raises:
            SourceError: No whole reply came.
        """
        left = _MOST_REDIRECTS
        try:
            with naming_faults(), self._without_key():
                request: httpx.Request | None = self._http.build_request(method, url, params=params, json=json)
                while request is not None:
                    response = self._http.send(request, stream=True)
                    try:
                        request = response.next_request if left and self._is_followed(response) else None
                        received = None if request else received_from(response, self._limits)
                    finally:
                        response.close()
                    left -= 1
        except NoReply as fault:
            raise self._error(fault, redirected=left < _MOST_REDIRECTS) from fault
        assert received is not None  # noqa: S101 - the loop ends with a reply
        key = self._key.value.get_secret_value().encode() if self._key else b""
        if not key or key not in received.body:
            return received
        body = received.body.replace(key, b"*" * len(key))
        return Received(status=received.status, headers=received.headers, body=body, at=received.at)

    def _is_followed(self, response: httpx.Response) -> bool:
        if response.next_request is None or self._redirects == "none":
            return False
        before, after = response.url, response.next_request.url
        is_elsewhere = (before.scheme, before.port) != (after.scheme, after.port)
        return after.scheme in ("http", "https") and (
            self._redirects == "any" or (before.host == after.host and is_elsewhere)
        )

    def _with_key(self, request: httpx.Request) -> httpx.Request:
        """Adds the key as a request leaves, so that no object which is ever shown holds it."""
        if self._key is not None:
            request.headers[self._key.header] = f"{self._key.prefix}{self._key.value.get_secret_value()}"
        return request

    @contextmanager
    def _without_key(self) -> Iterator[None]:
        """Takes the key out of what an error holds: that may be pickled with its cause."""
        try:
            yield
        except httpx.HTTPError as error:
            with suppress(RuntimeError):  # it broke before there was a request
                error.request.headers.pop(self._key.header if self._key else "", None)
            raise

    def _error(self, fault: NoReply, *, redirected: bool) -> SourceError:
        source, url = self._source, self._url
        name = SERVICE_NAMES.get(source, source)
        match fault.reason:
            case "unreachable" | "untrusted" if not redirected:  # else it answered, and led elsewhere
                error = SourceUnreachable(
                    f"{name} could not be reached at {url}{_WHY.get(fault.detail, '')}", source=source, url=url
                )
                error.is_lasting = fault.detail in _WHY
                return error
            case "unusable":
                return PermanentSourceError(f"no use asking {url}: {fault.detail}", source=source, url=url)
            case _:
                text = f"{name} gave no whole reply: {fault.detail}"
                return TransientSourceError(text, source=source, url=url)


def user_agent(contact: str | None) -> str:
    """Returns the User-Agent: this program's version and, if there is one, an address."""
    return f"paperlake/{version('paperlake')}" + (f" (+{contact})" if contact else "")


def certificates() -> ssl.SSLContext:
    """Returns the certificates to trust: REQUESTS_CA_BUNDLE or SSL_CERT_FILE of the environment, else certifi's.

    Raises:
        UsageError: They cannot be read.
    """
    bundle = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("SSL_CERT_FILE")
    try:
        return _read_certificates(bundle)
    except OSError as error:
        text = f"the certificates in {bundle or 'the environment'} cannot be read: {error}"
        raise UsageError(f"{text}; correct REQUESTS_CA_BUNDLE or SSL_CERT_FILE") from error


@cache
def _read_certificates(bundle: str | None) -> ssl.SSLContext:
    """Returns the certificates of a file or folder, or certifi's, read once for the clients of all services."""
    if not bundle:
        return httpx.create_ssl_context()
    is_folder = Path(bundle).is_dir()
    return ssl.create_default_context(cafile=None if is_folder else bundle, capath=bundle if is_folder else None)


def received_from(response: httpx.Response, limits: Limits) -> Received:
    """Returns an open response with its body.

    Raises:
        UnsoundBody: The body cannot be unpacked, or goes beyond the limits.
        httpx.HTTPError: It broke off.
    """
    headers = {name.lower(): value for name, value in response.headers.items()}
    body = read_body(
        response.iter_raw(), headers.get("content-encoding"), most=limits.most_bytes, seconds=limits.whole_s
    )
    return Received(status=response.status_code, headers=headers, body=body, at=utc_now())


@contextmanager
def naming_faults() -> Iterator[None]:
    """Raises what goes wrong inside as `NoReply`.

    Raises:
        NoReply: A request could not be sent, or its reply not read to its end.
    """
    try:
        yield
    except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
        raise NoReply("unusable", str(error)) from error
    except (httpx.HTTPError, UnsoundBody) as error:
        detail = type(error).__name__
        if isinstance(error, httpx.ConnectError):
            kinds = ((socket.gaierror, "no address"), (ssl.SSLError, "certificate"))
            detail = next((name for kind, name in kinds if _is_caused_by(error, kind)), "ConnectError")
        raise NoReply(_reason(error), detail) from error


# What is wrong with a connection, and what of it nothing but a setting changes -> the rest of the sentence.
_WHY = {
    "no address": ": its name has no address here",
    "ProxyError": ": the proxy of the environment (HTTPS_PROXY, HTTP_PROXY) refused",
    "certificate": ": its certificate is not trusted; if a proxy puts in its own, set SSL_CERT_FILE to that one's file",
}


def _reason(error: httpx.HTTPError | UnsoundBody) -> Reason:
    match error:
        case httpx.ConnectError() if _is_caused_by(error, ssl.SSLError):
            return "untrusted"
        case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.ProxyError():
            return "unreachable"
        case httpx.TimeoutException():
            return "slow"
        case EndlessBody():
            return "slow" if error.took_too_long else "endless"
        case _:
            return "broken"


def _is_caused_by(error: BaseException | None, kind: type[Exception]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


# A filter sees what is logged under a logger's own name, not under those below it: so each is named.
_LOGGERS = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")


class KeyFilter(logging.Filter):
    """Masks a key in every record of the libraries underneath, from `install` to `remove`."""

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

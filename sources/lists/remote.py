"""Reads one reading list over https from the public internet, and from nowhere else.

A list's address comes from a stranger's command line or settings, so it is not trusted: https only, no user name in it,
every address of the host public (`sources/http/public_addresses.py`). Redirects are followed by hand, each hop checked
like the first. Bytes and seconds are limited.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from sources.clock import utc_now
from sources.errors import PaperlakeError, SourceUnreachable, TransientSourceError, UsageError
from sources.http.public_addresses import (
    REDIRECTS,
    RequestForm,
    Resolve,
    in_time,
    is_loopback,
    is_public,
    resolve,
    send_to,
)
from sources.http.replies import NoReply, Received, is_transient, retry_after_s
from sources.lists.list_urls import host_and_port, permanent, shown_url, timed_out

if TYPE_CHECKING:
    import httpx

    from sources.http.transport import Limits

MAX_BYTES = 10 * 1024 * 1024
MAX_SECONDS = 30.0
MAX_REDIRECTS = 5

_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_HEADERS = {
    "User-Agent": "paperlake",
    "Accept": "text/markdown, text/plain, */*;q=0.5",
    "Accept-Encoding": "identity",
}


def get_from(
    addresses: Sequence[str], url: str, *, host: str, deadline: float, clock: Callable[[], float] = time.monotonic
) -> Received:
    """Returns the reply of the first of `addresses` that a connection can be made to; redirects are not followed.

    The body of a status other than 200 is not read.

    Args:
        addresses: The checked addresses of the host, in the order in which to try them.
        url: What to ask for, over https.
        host: The host name in ASCII, as it was checked.
        deadline: When to give up, by `clock`.
        clock: Counts the seconds.

    Raises:
        NoReply: No address accepted a connection, or the reply did not come to its end.
    """
    return send_to(addresses, url, host=host, form=_FORM, deadline=deadline, clock=clock)


def _read(response: httpx.Response, limits: Limits) -> Received:
    from sources.http.transport import received_from  # noqa: PLC0415 - only where there is something to fetch

    if response.status_code == 200:
        return received_from(response, limits, now=utc_now)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Received(status=response.status_code, headers=headers, body=b"", at=utc_now())


_FORM = RequestForm(headers=_HEADERS, read=_read, most_bytes=MAX_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What an address holds.

    Attributes:
        body: The bytes, after any transfer compression.
        charset: The encoding that the server states, None where it states none.
    """

    body: bytes
    charset: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hop:
    """One checked step on the way to a list: what to ask for, of whom, at which addresses."""

    url: str
    host: str
    port: int
    addresses: tuple[str, ...]


def fetch_list(
    url: str,
    *,
    resolve: Resolve = resolve,
    allow_loopback: bool = False,
    max_seconds: float = MAX_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Fetched:
    """Returns what the https address `url` holds: at most `MAX_BYTES`, within `max_seconds` in all.

    Args:
        url: The address.
        resolve: Host and port -> addresses.
        allow_loopback: Lets tests read from a server on this machine. Nothing that a user can set reaches it.
        max_seconds: Limit on the whole way, look-ups and redirects included.
        clock: Counts the seconds.

    Raises:
        UsageError: No https address, an address that is not public, or a web page instead of a list.
        TransientSourceError: A time-out, a dropped connection, 429 or 5xx; SourceUnreachable if no connection was made.
        PermanentSourceError: Any other refusal, or a redirect to where a list may not be read from.
    """
    deadline = clock() + max_seconds

    def work() -> Fetched:
        return _follow(url, resolve, allow_loopback=allow_loopback, deadline=deadline, clock=clock)

    try:
        return in_time(work, max_seconds)
    except TimeoutError:
        raise timed_out(url) from None


def _follow(
    url: str, resolve: Resolve, *, allow_loopback: bool, deadline: float, clock: Callable[[], float]
) -> Fetched:
    """Follows at most `MAX_REDIRECTS` redirects, each checked like the first address."""
    hop = _checked(url, resolve, allow_loopback=allow_loopback)
    for _ in range(MAX_REDIRECTS + 1):
        try:
            reply = get_from(hop.addresses, hop.url, host=hop.host, deadline=deadline, clock=clock)
        except NoReply as fault:
            raise _error(fault, hop.url) from None
        target = reply.headers.get("location")
        if reply.status not in REDIRECTS or target is None:
            return _list_in(reply, hop.url)
        try:
            hop = _checked(urljoin(hop.url, target), resolve, allow_loopback=allow_loopback)
        except (UsageError, ValueError) as error:
            raise permanent(f"{shown_url(url)} redirects to where no list is read from: {error}", url) from None
    raise permanent(f"{shown_url(url)} redirects more than {MAX_REDIRECTS} times", url)


def _checked(url: str, resolve: Resolve, *, allow_loopback: bool) -> _Hop:
    """Returns the hop to `url` with the addresses of its host, all of them public."""
    host, port = host_and_port(url)
    try:
        addresses = tuple(resolve(host, port))
    except (OSError, UnicodeError) as error:
        where = shown_url(url)
        message = f"{where} could not be reached: the name look-up failed ({error})"
        raise SourceUnreachable(message, source="list", url=where) from None
    refused = [a for a in addresses if not (is_public(a) or (allow_loopback and is_loopback(a)))]
    if refused or not addresses:
        raise UsageError(
            f"{shown_url(url)} is not on the public internet ({', '.join(refused) or 'no address'}); read a file"
        )
    return _Hop(url=url, host=host, port=port, addresses=addresses)


def _error(fault: NoReply, url: str) -> PaperlakeError:
    """Returns our error for a reply that did not come. The library may name the query: it is not quoted."""
    where = shown_url(url)
    match fault.reason:
        case "untrusted":
            return permanent(f"{where}: no secure connection, its certificate was not accepted", url)
        case "unreachable":
            message = f"{where} could not be reached (proxies of the environment are not used for lists)"
            return SourceUnreachable(message, source="list", url=where)
        case "unusable":
            return permanent(f"{where} could not be read: {fault.detail}", url)
        case "slow":
            return timed_out(url)
        case "endless":
            return UsageError(f"{where} is larger than {MAX_BYTES // 1024 // 1024} MiB; a reading list is text")
        case "broken":
            text = f"{where}: the connection broke off; try again later"
            return TransientSourceError(text, source="list", url=where)


def _list_in(reply: Received, url: str) -> Fetched:
    """Returns the list that `reply` holds, unless that is a web page or a refusal."""
    where = shown_url(url)
    if is_transient(reply.status):
        raise TransientSourceError(
            f"{where} answered {reply.status}; try again later",
            source="list",
            url=where,
            status=reply.status,
            retry_after_s=retry_after_s(reply.headers.get("retry-after"), now=reply.at),
        )
    if reply.status != 200:
        raise permanent(f"{where} answered {reply.status}; check the address", url, status=reply.status)
    kind, _, parameters = reply.headers.get("content-type", "").partition(";")
    if "html" in kind.lower() or _HTML.match(reply.body):
        raise UsageError(
            f"{where} is a web page, not a list; give the address of the raw file, or github:owner/name/path"
        )
    charset = _CHARSET.search(parameters)
    return Fetched(body=reply.body, charset=charset[1] if charset else None)

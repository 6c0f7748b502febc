"""Reads a reading list over https, from the public internet only.

A list's address comes from a stranger's command line or settings, so it is not trusted: https only, no user name in it,
every address of the host public (`sources/http/public_addresses.py`). Redirects are followed by hand, each hop checked
like the first. Bytes and seconds are limited.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from sources.clock import utc_now
from sources.errors import PermanentSourceError, SourceError, SourceUnreachable, TransientSourceError, UsageError
from sources.http.public_addresses import (
    REDIRECTS,
    RequestForm,
    Resolve,
    in_thread,
    is_loopback,
    is_public,
    resolve,
    send_to,
)
from sources.http.replies import NoReply, Received, is_transient, retry_after_s
from sources.lists.list_urls import Fetched, host_and_port, shown_url

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


def _fault(kind: type[SourceError], url: str, says: str, *, status: int | None = None) -> SourceError:
    where = shown_url(url)
    return kind(f"{where} {says}", source="list", url=where, status=status)


def _read(response: httpx.Response, limits: Limits) -> Received:
    from sources.http.transport import received_from  # noqa: PLC0415 - only where there is something to fetch

    if response.status_code == 200:
        return received_from(response, limits)
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Received(status=response.status_code, headers=headers, body=b"", at=utc_now())


# Why no reply came -> our error, and what it says. The library may name the query: it is not quoted.
_NO_REPLY: dict[str, tuple[type[SourceError], str]] = {
    "untrusted": (PermanentSourceError, "has a certificate that was not accepted: no secure connection was made"),
    "unreachable": (SourceUnreachable, "could not be reached (proxies of the environment are not used for lists)"),
    "unusable": (PermanentSourceError, "could not be read: {}"),
    "slow": (TransientSourceError, "took too long to answer; try again later"),
    "broken": (TransientSourceError, "cannot be read: the connection broke off; try again later"),
}
_FORM = RequestForm(headers=_HEADERS, read=_read, most_bytes=MAX_BYTES)


def fetch_list(
    url: str,
    *,
    resolve: Resolve = resolve,
    allow_loopback: bool = False,
    max_seconds: float = MAX_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Fetched:
    """Returns what the https address `url` holds: at most `MAX_BYTES`, within `max_seconds` in all.

    `allow_loopback` lets tests read from a server on this machine; nothing that a user can set reaches it.

    Raises:
        UsageError: No https address, an address that is not public, or a web page instead of a list.
        TransientSourceError: A time-out, a dropped connection, 429 or 5xx; SourceUnreachable if no connection was made.
        PermanentSourceError: Any other refusal, or a redirect to where a list may not be read from.
    """
    deadline = clock() + max_seconds

    def follow() -> Fetched:
        """Follows at most `MAX_REDIRECTS` redirects, each checked like the first address."""
        here, (host, addresses) = url, _public_addresses(url, resolve, allow_loopback=allow_loopback)
        for _ in range(MAX_REDIRECTS + 1):
            try:
                reply = send_to(addresses, here, host=host, form=_FORM, deadline=deadline, clock=clock)
            except NoReply as fault:
                if fault.reason == "endless":
                    raise UsageError(
                        f"{shown_url(here)} is larger than {MAX_BYTES >> 20} MiB; a list is text"
                    ) from None
                kind, says = _NO_REPLY[fault.reason]
                raise _fault(kind, here, says.format(fault.detail)) from None
            target = reply.headers.get("location")
            if reply.status not in REDIRECTS or target is None:
                return _list_in(reply, here)
            try:
                here = urljoin(here, target)
                host, addresses = _public_addresses(here, resolve, allow_loopback=allow_loopback)
            except (UsageError, ValueError) as error:
                says = f"redirects to where no list is read from: {error}"
                raise _fault(PermanentSourceError, url, says) from None
        raise _fault(PermanentSourceError, url, f"redirects more than {MAX_REDIRECTS} times")

    try:
        return in_thread(follow).result(max_seconds)
    except TimeoutError:
        kind, says = _NO_REPLY["slow"]
        raise _fault(kind, url, says) from None


def _public_addresses(url: str, resolve: Resolve, *, allow_loopback: bool) -> tuple[str, Sequence[str]]:
    host, port = host_and_port(url)
    try:
        addresses = resolve(host, port)
    except (OSError, UnicodeError) as error:
        raise _fault(SourceUnreachable, url, f"could not be reached: the name look-up failed ({error})") from None
    refused = [a for a in addresses if not (is_public(a) or (allow_loopback and is_loopback(a)))]
    if refused or not addresses:
        raise UsageError(
            f"{shown_url(url)} is not on the public internet ({', '.join(refused) or 'no address'}); read a file"
        )
    return host, addresses


def _list_in(reply: Received, url: str) -> Fetched:
    """Returns the list that `reply` holds, unless that is a web page or a refusal."""
    if is_transient(reply.status):
        wait_s = retry_after_s(reply.headers.get("retry-after"), now=reply.at)
        where, status = shown_url(url), reply.status
        message = f"{where} answered {status}; try again later"
        raise TransientSourceError(message, source="list", url=where, status=status, retry_after_s=wait_s)
    if reply.status != 200:
        says = f"answered {reply.status}; check the address"
        raise _fault(PermanentSourceError, url, says, status=reply.status)
    kind, _, parameters = reply.headers.get("content-type", "").partition(";")
    if "html" in kind.lower() or _HTML.match(reply.body):
        where = shown_url(url)
        raise UsageError(
            f"{where} is a web page, not a list; give the address of the raw file, or github:owner/name/path"
        )
    charset = _CHARSET.search(parameters)
    return Fetched(body=reply.body, charset=charset[1] if charset else None)

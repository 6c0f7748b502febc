"""Reads one reading list over https from the public internet, and from nowhere else.

A list's address comes from a stranger's command line or settings, so it is not trusted: https only, no user name in it,
every address of the host public. A name is looked up once, and the connection goes to the address that was checked, as
a second look-up could answer differently; the name stays in the Host header, in SNI and in the check of the certificate
(https://www.python-httpx.org/advanced/extensions/#sni_hostname). Redirects are followed by hand, each hop checked like
the first. Bytes and seconds are limited.

`ipaddress.is_global` alone is not enough: it lets multicast, site-local, 6to4 and IPv4 hidden in IPv6 pass. So IPv6
must lie in the global unicast block of https://www.iana.org/assignments/ipv6-address-space/ , outside its tunnels, and
an IPv4 address inside an IPv6 one is judged as what it is.

Proxies, cookies and .netrc of the environment are not used: a proxy looks the name up again where nobody checks it, and
credentials are not a stranger's. A private certificate bundle (REQUESTS_CA_BUNDLE or SSL_CERT_FILE) is.
"""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeVar
from urllib.parse import urljoin, urlsplit, urlunsplit

from sources.clock import utc_now
from sources.errors import PaperlakeError, SourceUnreachable, TransientSourceError, UsageError
from sources.http.replies import NoReply, Received, is_transient, retry_after_s
from sources.lists.list_urls import host_and_port, permanent, shown_url, timed_out

MAX_BYTES = 10 * 1024 * 1024
MAX_SECONDS = 30.0
MAX_REDIRECTS = 5

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)

Resolve = Callable[[str, int], Sequence[str]]
T = TypeVar("T")
_CONNECT_S = 10.0
_IPV4_SPECIAL = (ip_network("192.0.0.0/24"), ip_network("192.88.99.0/24"))
_GLOBAL_UNICAST = ip_network("2000::/3")
_TUNNELS_AND_SPECIAL = (ip_network("2001::/23"), ip_network("2002::/16"), ip_network("3fff::/20"))
_NAT64 = ip_network("64:ff9b::/96")
"""Where IPv6-only networks put the whole IPv4 internet (https://www.rfc-editor.org/rfc/rfc6052)."""


def is_public(address: str) -> bool:
    """Returns whether `address` (IPv4 or IPv6, as text) belongs to the public internet."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return _is_public_ipv6(parsed) if isinstance(parsed, IPv6Address) else _is_public_ipv4(parsed)


def is_loopback(address: str) -> bool:
    """Returns whether `address` is this machine's own (127.0.0.0/8 or ::1)."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def resolve(host: str, port: int) -> list[str]:
    """Returns the addresses of `host` in the order in which to try them, each once.

    Raises:
        OSError: The name has no address, or could not be looked up.
        UnicodeError: No host name at all.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


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
    import httpx  # noqa: PLC0415 - only where there is something to fetch

    from sources.http.transport import Limits, certificates, naming_faults, received_from  # noqa: PLC0415

    fault = NoReply("unreachable", "no address")
    parts = urlsplit(url)
    name = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port not in (None, 443) else "")
    headers = {
        "Host": name,
        "User-Agent": "paperlake",
        "Accept": "text/markdown, text/plain, */*;q=0.5",
        "Accept-Encoding": "identity",
    }
    for address in addresses:
        left_s = max(deadline - clock(), 0.001)
        limits = Limits(connect_s=min(_CONNECT_S, left_s), read_s=left_s, whole_s=left_s, most_bytes=MAX_BYTES)
        extensions = {"sni_hostname": host, "timeout": limits.timeout.as_dict()}
        try:
            with naming_faults(), httpx.HTTPTransport(verify=certificates(), trust_env=False) as transport:
                named = httpx.URL(urlunsplit(parts._replace(netloc=name, fragment="")))
                request = httpx.Request("GET", named.copy_with(host=address), headers=headers, extensions=extensions)
                response = transport.handle_request(request)
                try:
                    if response.status_code == 200:
                        return received_from(response, limits, now=utc_now)
                    headers = {name.lower(): value for name, value in response.headers.items()}
                    return Received(status=response.status_code, headers=headers, body=b"", at=utc_now())
                finally:
                    response.close()
        except NoReply as error:
            fault = error
            if fault.reason != "unreachable":
                break
    raise fault


def _is_public_ipv4(address: IPv4Address) -> bool:
    special = address.is_multicast or address.is_reserved or any(address in block for block in _IPV4_SPECIAL)
    return address.is_global and not special


def _is_public_ipv6(address: IPv6Address) -> bool:
    if address.ipv4_mapped is not None:
        return _is_public_ipv4(address.ipv4_mapped)
    if address in _NAT64:
        return _is_public_ipv4(IPv4Address(int(address) & 0xFFFFFFFF))
    ordinary = address in _GLOBAL_UNICAST and not any(address in block for block in _TUNNELS_AND_SPECIAL)
    return ordinary and address.is_global and address.scope_id is None


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

    return _in_time(work, url, max_seconds)


def _in_time(work: Callable[[], T], url: str, seconds: float) -> T:
    """Returns what `work` returns. A thread does it: a look-up, or a server that drips, knows no time limit."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - raised again in the caller's thread
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="paperlake-fetch").start()
    try:
        return future.result(timeout=seconds)
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
        if reply.status not in _REDIRECTS or target is None:
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

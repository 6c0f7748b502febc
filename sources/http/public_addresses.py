"""Restricts requests for addresses from lists to the public internet.

Every address of a host must be public. A name is looked up once, and the connection goes to the address that was
checked, as a second look-up could answer differently; the name stays in the Host header, in SNI and in the check of the
certificate (https://www.python-httpx.org/advanced/extensions/#sni_hostname). Redirects are not followed here: whoever
follows one checks it like the first address.

`ipaddress.is_global` alone is not enough: it lets multicast, site-local, 6to4 and IPv4 hidden in IPv6 pass. So IPv6
must lie in the global unicast block of https://www.iana.org/assignments/ipv6-address-space/ , outside its tunnels, and
an IPv4 address inside an IPv6 one is judged as what it is.

Proxies, cookies and .netrc of the environment are not used: a proxy looks the name up again where nobody checks it, and
credentials are not a stranger's. A private certificate bundle (REQUESTS_CA_BUNDLE or SSL_CERT_FILE) is.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network
from typing import TYPE_CHECKING, Literal, TypeVar
from urllib.parse import urlsplit, urlunsplit

from sources.http.replies import NoReply, Received

if TYPE_CHECKING:
    import httpx

    from sources.http.transport import Limits

# Host and port -> the addresses of the host, in the order in which to try them.
Resolve = Callable[[str, int], Sequence[str]]
REDIRECTS = frozenset({301, 302, 303, 307, 308})
T = TypeVar("T")
_CONNECT_S = 10.0
_IPV4_SPECIAL = (ip_network("192.0.0.0/24"), ip_network("192.88.99.0/24"))
_GLOBAL_UNICAST = ip_network("2000::/3")
_TUNNELS_AND_SPECIAL = (ip_network("2001::/23"), ip_network("2002::/16"), ip_network("3fff::/20"))
# Where IPv6-only networks put the whole IPv4 internet (https://www.rfc-editor.org/rfc/rfc6052).
_NAT64 = ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Returns whether `address` (IPv4 or IPv6, as text) belongs to the public internet."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return _is_public_ipv4(parsed)
    if parsed.ipv4_mapped is not None:
        return _is_public_ipv4(parsed.ipv4_mapped)
    if parsed in _NAT64:
        return _is_public_ipv4(IPv4Address(int(parsed) & 0xFFFFFFFF))
    ordinary = parsed in _GLOBAL_UNICAST and not any(parsed in block for block in _TUNNELS_AND_SPECIAL)
    return ordinary and parsed.is_global and parsed.scope_id is None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestForm:
    """What a request is like, whatever the address."""

    headers: Mapping[str, str]  # what to send beside the host's name
    # makes a reply of the open response, as far as its body is wanted
    read: Callable[[httpx.Response, Limits], Received]
    most_bytes: int  # limit on the body, for `read`
    method: Literal["GET", "HEAD"] = "GET"  # GET or HEAD


def send_to(
    addresses: Sequence[str],
    url: str,
    *,
    host: str,
    form: RequestForm,
    deadline: float,
    clock: Callable[[], float] = time.monotonic,
) -> Received:
    """Returns the reply of the first of `addresses` that a connection can be made to; redirects are not followed.

    `addresses` and `host` (in ASCII) are checked already; `deadline` is by `clock`.

    Raises:
        NoReply: No address accepted a connection, or the reply did not come to its end.
    """
    import httpx  # noqa: PLC0415 - only where there is something to fetch

    from sources.http.transport import Limits, certificates, naming_faults  # noqa: PLC0415

    fault = NoReply("unreachable", "no address")
    parts = urlsplit(url)
    standard_port = 443 if parts.scheme == "https" else 80
    name = (f"[{host}]" if ":" in host else host) + (
        f":{parts.port}" if parts.port not in (None, standard_port) else ""
    )
    for address in addresses:
        left_s = max(deadline - clock(), 0.001)
        limits = Limits(connect_s=min(_CONNECT_S, left_s), read_s=left_s, whole_s=left_s, most_bytes=form.most_bytes)
        extensions = {"sni_hostname": host, "timeout": limits.timeout.as_dict()}
        try:
            with naming_faults(), httpx.HTTPTransport(verify=certificates(), trust_env=False) as transport:
                named = httpx.URL(urlunsplit(parts._replace(netloc=name, fragment="")))
                target, headers = named.copy_with(host=address), {"Host": name, **form.headers}
                request = httpx.Request(form.method, target, headers=headers, extensions=extensions)
                response = transport.handle_request(request)
                try:
                    return form.read(response, limits)
                finally:
                    response.close()
        except NoReply as error:
            fault = error
            if fault.reason != "unreachable":
                break
    raise fault


def in_thread(work: Callable[[], T]) -> Future[T]:
    """Returns the result of `work` to come, of a thread that nobody has to wait for.

    A look-up, or a server that drips, knows no time limit: wait for the result as long as it may take.
    """
    future: Future[T] = Future()

    def run() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - raised again in the caller's thread
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="paperlake-fetch").start()
    return future


def _is_public_ipv4(address: IPv4Address) -> bool:
    special = address.is_multicast or address.is_reserved or any(address in block for block in _IPV4_SPECIAL)
    return address.is_global and not special

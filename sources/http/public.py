"""The public internet and nothing else: which addresses belong to it, and one https GET to an address checked before.

`ipaddress.is_global` alone is not enough: it lets multicast, site-local, 6to4 and IPv4 hidden in IPv6 pass. So IPv6
must lie in the global unicast block of https://www.iana.org/assignments/ipv6-address-space/ , outside its tunnels, and
an IPv4 address inside an IPv6 one is judged as what it is.

A name is looked up once. The connection goes to the very address that was checked, as a second look-up could answer
differently; the name stays in the Host header, in SNI and in the check of the certificate
(https://www.python-httpx.org/advanced/extensions/#sni_hostname). Nothing but certificates is taken from the
environment. `httpx` is imported only where there is something to fetch.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit, urlunsplit

from sources.clock import Clock, utc_now
from sources.http.replies import NoReply, Received

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
    if isinstance(parsed, IPv6Address):
        return _is_public_ipv6(parsed)
    return _is_public_ipv4(parsed)


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
    addresses: Sequence[str],
    url: str,
    *,
    host: str,
    deadline: float,
    most_bytes: int,
    clock: Callable[[], float] = time.monotonic,
    now: Clock = utc_now,
) -> Received:
    """Returns the reply of the first of `addresses` that a connection can be made to; redirects are not followed.

    Args:
        addresses: The checked addresses of the host, in the order in which to try them.
        url: What to ask for, over https.
        host: The host name in ASCII, as it was checked.
        deadline: When to give up, by `clock`.
        most_bytes: A longer body is a fault. That of a status other than 200 is not read.
        clock: Counts the seconds.
        now: Tells when the reply came.

    Raises:
        NoReply: No address accepted a connection, or the reply did not come to its end.
    """
    import httpx  # noqa: PLC0415 - see the module's docstring

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
        limits = Limits(connect_s=min(_CONNECT_S, left_s), read_s=left_s, whole_s=left_s, most_bytes=most_bytes)
        extensions = {"sni_hostname": host, "timeout": limits.timeout.as_dict()}
        try:
            with naming_faults(), httpx.HTTPTransport(verify=certificates(), trust_env=False) as transport:
                named = httpx.URL(urlunsplit(parts._replace(netloc=name, fragment="")))
                request = httpx.Request("GET", named.copy_with(host=address), headers=headers, extensions=extensions)
                response = transport.handle_request(request)
                try:
                    if response.status_code == 200:
                        return received_from(response, limits, now=now)
                    headers = {name.lower(): value for name, value in response.headers.items()}
                    return Received(status=response.status_code, headers=headers, body=b"", at=now())
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

"""Which network addresses a reading list may be read from: the public internet, nothing else. Pure but for `resolve`.

`ipaddress.is_global` alone is not enough: it lets multicast, site-local, 6to4 and IPv4 hidden in IPv6 pass. So IPv6
must lie in the global unicast block of https://www.iana.org/assignments/ipv6-address-space/ , outside its tunnels, and
an IPv4 address inside an IPv6 one is judged as what it is.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

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

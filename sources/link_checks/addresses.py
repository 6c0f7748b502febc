"""Which addresses of a list are asked, and why the others are not. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import quote, urlsplit, urlunsplit

_SETTLED = (
    ("arxiv.org", "/", "arXiv"),
    ("ar5iv.org", "/", "arXiv"),
    ("doi.org", "/", "DOI"),
    ("semanticscholar.org", "/", "Semantic Scholar"),
    ("openreview.net", "/forum", "OpenReview"),
    ("openreview.net", "/pdf", "OpenReview"),
)
"""Hosts, with the hosts below them, and paths on them whose papers a service knows: it is asked, its pages are not."""
_RESERVED = (".invalid", ".local", ".localhost", ".internal", ".onion", ".home.arpa")
"""Names that the public internet does not know: https://www.iana.org/assignments/special-use-domain-names/ ."""
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?")
_SAFE = "/:?#[]@!$&'()*+,;=%~-._"
_READ_DIFFERENTLY = "\u00df\u03c2\u200c\u200d"
"""Letters that the rules of 2003 replace, and those of 2008 do not: https://www.unicode.org/reports/tr46/ ."""
LONGEST = 4_000
"""Characters of an address that a server can be asked for."""


class Place(NamedTuple):
    """Where an address is asked.

    Attributes:
        url: The address in ASCII, without fragment.
        host: Its host in ASCII and lower case; an IPv6 address has no brackets.
        port: Its port.
    """

    url: str
    host: str
    port: int


class NotAsked(ValueError):
    """An address that is not asked; the message says why."""


class SettledElsewhere(NotAsked):
    """An address whose paper a service knows."""


def place_of(address: str) -> Place:
    """Returns where `address` is asked.

    Raises:
        NotAsked: It is not asked.
    """
    text = address.strip()
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise NotAsked("not a valid address") from None
    if parts.scheme.lower() not in ("http", "https"):
        raise NotAsked("only http and https addresses are asked")
    if not host or port == 0 or "\\" in text or not text.isprintable() or len(text) > LONGEST:
        raise NotAsked("not a valid address")
    if "@" in parts.netloc:
        raise NotAsked("it holds a user name or a password")
    ascii_host = _ascii(host)
    if (service := _service(ascii_host, parts.path)) is not None:
        raise SettledElsewhere(f"settled by {service}, not fetched")
    return Place(_in_ascii(text, ascii_host, port), ascii_host, port or (443 if parts.scheme == "https" else 80))


def _ascii(host: str) -> str:
    if ":" in host:
        return host
    if any(letter in _READ_DIFFERENTLY for letter in host):
        raise NotAsked("its host name means two hosts, by older and newer rules")
    try:
        name = host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise NotAsked("no valid host name") from None
    if not _HOST.fullmatch(name):
        raise NotAsked("no valid host name")
    name = name.rstrip(".")
    if "." not in name or name.endswith(_RESERVED):
        raise NotAsked("its host is not on the public internet")
    return name


def _service(host: str, path: str) -> str | None:
    """Returns the service that knows the paper behind an address, None where there is none."""
    for known, start, service in _SETTLED:
        if (host == known or host.endswith(f".{known}")) and (path or "/").startswith(start):
            return service
    return None


def _in_ascii(text: str, host: str, port: int | None) -> str:
    """Returns an address as it is sent: what is not ASCII is percent-encoded, what is encoded stays as it is."""
    parts = urlsplit(text)
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    path, query = quote(parts.path, safe=_SAFE), quote(parts.query, safe=_SAFE)
    return urlunsplit((parts.scheme.lower(), netloc, path or "/", query, ""))

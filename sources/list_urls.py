"""The https addresses of reading lists: check them, mask what is secret, and name them in errors. Pure."""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urlsplit, urlunsplit

from sources.errors import PermanentSourceError, TransientSourceError, UsageError

_SECRET = re.compile(
    r"((?:^|(?<=&))[^&=]*(?:token|key|secret|sig|signature|password|passwd|pwd|auth|credential|session)[^&=]*)=[^&]*",
    re.IGNORECASE,
)


def host_and_port(url: str) -> tuple[str, int]:
    """Returns the host, in ASCII, and the port of an https address that a list may be read from.

    Raises:
        UsageError: Another scheme, a user name in it, or no valid address.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        raise UsageError(f"{shown_url(url)} is not a valid address") from None
    if parts.scheme != "https":
        raise UsageError(f"{shown_url(url)} is not an https address; lists are read over https only")
    if "@" in parts.netloc:
        raise UsageError(f"{shown_url(url)} holds a user name or password; lists are read without one")
    if not host or "\\" in url or not url.isprintable() or " " in url:
        raise UsageError(f"{shown_url(url)} is not a valid address")
    try:
        return (host if ":" in host else host.encode("idna").decode("ascii")), port
    except UnicodeError:
        raise UsageError(f"{shown_url(url)} has no valid host name") from None


def without_secrets(url: str) -> str:
    """Returns `url` without fragment, with the values of secret-looking query parameters masked."""
    parts = urlsplit(urldefrag(url).url)
    return urlunsplit(parts._replace(query=_SECRET.sub(r"\1=***", parts.query)))


def shown_url(url: str) -> str:
    """Returns `url` for a message: on one line, without user name, query and fragment."""
    try:
        parts = urlsplit(url)
        netloc, path = parts.netloc.rpartition("@")[2], parts.path
    except ValueError:
        return "the address"
    return "".join(mark if mark.isprintable() else "?" for mark in f"{parts.scheme}://{netloc}{path}")


def permanent(message: str, url: str, *, status: int | None = None) -> PermanentSourceError:
    """Returns the refusal of a list address, naming it without secrets."""
    return PermanentSourceError(message, source="list", url=shown_url(url), status=status)


def timed_out(url: str) -> TransientSourceError:
    """Returns the error for an address that took too long."""
    where = shown_url(url)
    return TransientSourceError(f"{where} took too long to answer; try again later", source="list", url=where)

"""Decides which addresses of a list are requested, and whether a redirect led to the page. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

# A site that gives up a page often leads to its front page, to the section above, to an error page or a log-in, and
# a domain that was sold leads to its new owner's. None of them takes the place of the page, and none says that it
# is gone.
_INDEX = re.compile(r"(?:index|default|home|main)(?:\.[a-z]{3,5})?", re.IGNORECASE)
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?", re.IGNORECASE)
_SIGNS = (
    (
        re.compile(r"/(?:404|410|errors?|(?:page[-_]?)?not[-_]?found)(?:\.\w+)?(?:/|$)", re.IGNORECASE),
        "it leads to an error page",
    ),
    (
        re.compile(
            r"/(?:log[-_]?in|sign[-_]?in|sso|saml2?|oauth2?|authori[sz]e|auth|shibboleth|wayf|consent)(?:\.\w+)?(?:/|$)",
            re.IGNORECASE,
        ),
        "it leads to a log-in",
    ),
)
_FEWEST_LETTERS = 4  # of the name of a page by which it is known again on another site
# Domains under which everybody has a site of their own.
_SHARED = frozenset(
    "github.io gitlab.io blogspot.com wordpress.com tumblr.com medium.com substack.com readthedocs.io netlify.app "
    "vercel.app pages.dev web.app herokuapp.com weebly.com wixsite.com sourceforge.net sourceforge.io".split()
)


def doubt_about(start: str, end: str) -> str | None:
    """Returns why the page at `end` may be another than the one at `start`; None where nothing speaks for that."""
    old, new = urlsplit(start), urlsplit(end)
    for sign, reason in _SIGNS:
        if sign.search(new.path) and not sign.search(old.path):
            return reason
    before, after = _steps(old), _steps(new)
    is_front = not after or (len(after) == 1 and _LANGUAGE.fullmatch(after[0]) is not None)
    if (before or old.query) and is_front and new.query in ("", old.query):
        return "it leads to the site's front page, not to the page"
    if len(after) < len(before) and before[: len(after)] == after and not new.query:
        return "it leads to a page above it, not to the page"
    return None


def is_known_again(start: str, end: str) -> bool:
    """Returns whether `end` may be written in the place of `start`: on its site, or on another under its own name."""
    old, new = urlsplit(start), urlsplit(end)
    if _site(old) == _site(new):
        return True
    before, after = _steps(old), _steps(new)
    name = _page_name(before[-1]) if before else ""
    return len(name) >= _FEWEST_LETTERS and bool(after) and name == _page_name(after[-1])


def _steps(parts: SplitResult) -> list[str]:
    """Returns the names of folders and of the page in a path, without a last `index.html`."""
    steps = [step for step in parts.path.split("/") if step]
    return steps[:-1] if steps and _INDEX.fullmatch(steps[-1]) else steps


def _page_name(step: str) -> str:
    return re.sub(r"\.[a-z]{2,5}$", "", step.lower())


def _site(parts: SplitResult) -> str:
    """Returns the part of a host's name that belongs to one owner, as in `example.org` and `example.ac.uk`."""
    labels = (parts.hostname or "").split(".")
    has_two_level_end = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    site = ".".join(labels[-3:] if has_two_level_end else labels[-2:])
    return (parts.hostname or "").removeprefix("www.") if site in _SHARED else site


# Hosts, with the hosts below them, and paths on them whose papers a service knows: it is asked, its pages are not.
_SETTLED = (
    ("arxiv.org", "/", "arXiv"),
    ("ar5iv.org", "/", "arXiv"),
    ("doi.org", "/", "DOI"),
    ("semanticscholar.org", "/", "Semantic Scholar"),
    ("openreview.net", "/forum", "OpenReview"),
    ("openreview.net", "/pdf", "OpenReview"),
)
# Names that the public internet does not know: https://www.iana.org/assignments/special-use-domain-names/ .
_RESERVED = (".invalid", ".local", ".localhost", ".internal", ".onion", ".home.arpa")
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?")
_SAFE = "/:?#[]@!$&'()*+,;=%~-._"
# Letters that the rules of 2003 replace, and those of 2008 do not: https://www.unicode.org/reports/tr46/ .
_READ_DIFFERENTLY = "\u00df\u03c2\u200c\u200d"
LONGEST = 4_000  # characters of an address that a server can be asked for


class Place(NamedTuple):
    """Where an address is requested."""

    url: str  # the address in ASCII, without fragment
    host: str  # its host in ASCII and lower case; an IPv6 address has no brackets
    port: int  # its port


class NotAsked(ValueError):
    """An address that is not asked; the message says why."""


class SettledElsewhere(NotAsked):
    """An address whose paper a service knows."""


def place_of(address: str) -> Place:
    """Returns where `address` is requested.

    Raises:
        NotAsked: It is not requested.
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
    for known, start, service in _SETTLED:
        if f".{ascii_host}".endswith(f".{known}") and (parts.path or "/").startswith(start):
            raise SettledElsewhere(f"settled by {service}, not fetched")
    netloc = (f"[{ascii_host}]" if ":" in ascii_host else ascii_host) + (f":{port}" if port else "")
    # What is not ASCII is percent-encoded, what is encoded stays as it is.
    path, query = quote(parts.path, safe=_SAFE), quote(parts.query, safe=_SAFE)
    url = urlunsplit((parts.scheme.lower(), netloc, path or "/", query, ""))
    return Place(url, ascii_host, port or (443 if parts.scheme == "https" else 80))


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

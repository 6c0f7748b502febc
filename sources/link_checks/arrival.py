"""Whether the page at the end of redirects can be the one that was asked for, as far as its address tells. Pure.

A site that gives up a page often leads to its front page, to the section above, to an error page or a log-in, and a
domain that was sold leads to its new owner's. None of them takes the place of the page, and none says that it is gone.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

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
_FEWEST_LETTERS = 4
"""Of the name of a page by which it is known again on another site."""
_SHARED = frozenset(
    "github.io gitlab.io blogspot.com wordpress.com tumblr.com medium.com substack.com readthedocs.io netlify.app "
    "vercel.app pages.dev web.app herokuapp.com weebly.com wixsite.com sourceforge.net sourceforge.io".split()
)
"""Domains under which everybody has a site of their own."""


def doubt_about(start: str, end: str) -> str | None:
    """Returns why the page at `end` may be another than the one at `start`; None where nothing speaks for that."""
    old, new = urlsplit(start), urlsplit(end)
    for sign, reason in _SIGNS:
        if sign.search(new.path) and not sign.search(old.path):
            return reason
    before, after = _steps(old), _steps(new)
    is_deep = bool(before or old.query)
    if is_deep and _is_front(after) and new.query in ("", old.query):
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
    name = _name(before[-1]) if before else ""
    return len(name) >= _FEWEST_LETTERS and bool(after) and name == _name(after[-1])


def _steps(parts: SplitResult) -> list[str]:
    """Returns the names of folders and of the page in a path, without a last `index.html`."""
    steps = [step for step in parts.path.split("/") if step]
    return steps[:-1] if steps and _INDEX.fullmatch(steps[-1]) else steps


def _is_front(steps: list[str]) -> bool:
    return not steps or (len(steps) == 1 and _LANGUAGE.fullmatch(steps[0]) is not None)


def _name(step: str) -> str:
    """Returns the name of a page without its ending."""
    return re.sub(r"\.[a-z]{2,5}$", "", step.lower())


def _site(parts: SplitResult) -> str:
    """Returns the part of a host's name that belongs to one owner, as in `example.org` and `example.ac.uk`."""
    labels = (parts.hostname or "").split(".")
    has_two_level_end = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    site = ".".join(labels[-3:] if has_two_level_end else labels[-2:])
    return (parts.hostname or "").removeprefix("www.") if site in _SHARED else site

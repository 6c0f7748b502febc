"""What is known of an address, for how long that holds, and what asking may take. Pure.

    alive     it answers
    moved     it leads for good (301, 308) to another address of its site, or to its name on another; that answers
    dead      404 or 410, or no such host, twice, with time between
    blocked   it could not be looked at: 401, 403, 429, 5xx, a bot wall, a time-out, no trusted certificate, a redirect
              to the site's front page or to somebody else's site
    unasked   not asked: a paper's service knows better, not an address of the public web, no time was left

`blocked` says nothing about the page, and is never called dead.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol

LinkKind = Literal["alive", "moved", "dead", "blocked", "unasked"]

_VALID: dict[LinkKind, timedelta] = {
    "alive": timedelta(days=7),
    "moved": timedelta(days=7),
    "dead": timedelta(days=1),
    "blocked": timedelta(days=1),
    "unasked": timedelta(0),
}
"""A page that was put back must not be called dead for long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAnswer:
    """What is known of one address.

    Attributes:
        kind: See above.
        status: The last HTTP status; None where no reply came.
        location: Where it leads in the end; None where it does not lead elsewhere. Only that of `moved` may take the
            address's place.
        reason: Why, in some words for the list's owner; empty for `alive`.
        asked_at: When the last reply came, or was given up, UTC; None for `unasked`.
    """

    kind: LinkKind
    status: int | None = None
    location: str | None = None
    reason: str = ""
    asked_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Returns whether it need not be asked again at `now`."""
        return self.asked_at is not None and timedelta(0) <= now - self.asked_at < _VALID[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLimits:
    """What asking may take.

    Attributes:
        spacing_s: Seconds between the end of a request to a host and the next one to it.
        again_s: Least seconds before a dead address is asked again.
        request_s: Seconds for one request, look-up of the name included.
        whole_s: Seconds for all; what is left then is `unasked`.
        longest_hold_s: The longest Retry-After that is waited out; for a longer one, the host is left alone.
        most_redirects: Redirects that are followed from one address.
        most_bytes: Bytes of a body that are read, to tell a bot wall from a page.
        parallel: Requests at the same time, each to another host.
        most_faults: Time-outs or failed connections in a row after which a host is left alone.
    """

    spacing_s: float = 1.0
    again_s: float = 5.0
    request_s: float = 20.0
    whole_s: float = 900.0
    longest_hold_s: float = 60.0
    most_redirects: int = 5
    most_bytes: int = 16 * 1024
    parallel: int = 16
    most_faults: int = 3


class LinkStore(Protocol):
    """Where answers are kept between runs."""

    def find(self, address: str) -> LinkAnswer | None:
        """Returns the last answer for an address, None where there is none."""
        ...

    def keep(self, address: str, answer: LinkAnswer) -> None:
        """Keeps an answer; called from several threads, never for `unasked`."""
        ...

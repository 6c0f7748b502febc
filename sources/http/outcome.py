"""What a request came to: a reply, or none and why; and what the status of a reply and its Retry-After mean. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from sources.errors import PermanentSourceError, SourceError, TransientSourceError

SPLIT_STATUSES = frozenset({400, 413, 414})
"""Statuses that say something about the size or an item of a request: half of it may pass."""

SERVICES = {"arxiv": "arXiv", "s2": "Semantic Scholar"}
"""What people call them."""

_TRANSIENT_4XX = frozenset({408, 425, 429})
_NEVER_S = 7 * 86_400.0


Reason = Literal["unreachable", "untrusted", "unusable", "slow", "endless", "broken"]


class NoReply(Exception):
    """No whole reply came.

    Attributes:
        reason: `unreachable`, no connection; `untrusted`, no certificate that counts; `unusable`, an address or a
            certificate bundle that nothing can be sent with; `slow`, a time-out; `endless`, a body beyond the limits;
            `broken`, anything else that ended the connection early.
        detail: The error in a word or two, without the address.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What came over the wire.

    Attributes:
        status: HTTP status.
        headers: Header names in lower case.
        body: The body as received, after content decoding.
        at: When it came, UTC.
    """

    status: int
    body: bytes
    at: datetime
    headers: Mapping[str, str] = field(default_factory=dict)


def status_error(received: Received, *, source: str, url: str, said: str = "") -> SourceError:
    """Returns the error that a status other than 200 means; `said` is the service's own word on it."""
    status = received.status
    detail = f': "{said}"' if said else ""
    text = f"{SERVICES.get(source, source)} answered HTTP {status}{detail}"
    if is_transient(status):
        wait = retry_after_s(received.headers.get("retry-after"), now=received.at)
        return TransientSourceError(text, source=source, url=url, status=status, retry_after_s=wait)
    return PermanentSourceError(text, source=source, url=url, status=status)


def is_transient(status: int) -> bool:
    """Returns whether a status says that asking again later may help."""
    return status in _TRANSIENT_4XX or 500 <= status <= 599


def retry_after_s(header: str | None, *, now: datetime) -> float | None:
    """Returns the seconds that a Retry-After header asks for, None where it is absent or unreadable.

    Both forms of https://www.rfc-editor.org/rfc/rfc9110#name-retry-after are read: seconds, and a date.
    """
    text = (header or "").strip()
    if not text:
        return None
    if text.isascii() and text.replace(".", "", 1).isdigit():
        seconds = float(text)
    else:
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds()
    return min(max(seconds, 0.0), _NEVER_S) if math.isfinite(seconds) else _NEVER_S

"""What a request came to, and whether to ask again.

A reply, or none and why; what the status of a reply and its Retry-After mean; which failures are asked again, and when.
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from sources.errors import PayloadError, PermanentSourceError, SourceError, SourceUnreachable, TransientSourceError
from sources.records import SERVICE_NAMES

SPLIT_STATUSES = frozenset({400, 413, 414})
"""Statuses that say something about the size or an item of a request: half of it may pass."""

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
    text = f"{SERVICE_NAMES.get(source, source)} answered HTTP {status}{detail}"
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


_log = logging.getLogger(__name__)

_UNREACHABLE_TRIES = 2
_LONGEST_BACKOFF_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to go on with one request.

    Attributes:
        max_tries: Requests in all, the first among them.
        backoff_s: The first wait is at most this long, and each further one at most twice the one before.
        max_wait_s: What may be waited for in all; a Retry-After beyond it ends the tries at once.
    """

    max_tries: int = 4
    backoff_s: float = 2.0
    max_wait_s: float = 120.0


class Attempts:
    """Attempts at one request: `while True: with attempts: return ask()`.

    A fault that may pass is waited out at the end of the block, and the next attempt begins; any other leaves it. Waits
    grow exponentially with full jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/); a
    Retry-After is waited out in full.

    Args:
        patience: When to give up; then the last fault leaves the block.
        sleep: Waits that many seconds.
        draw: A number from 0 to 1.
    """

    def __init__(
        self, patience: Patience, *, sleep: Callable[[float], None], draw: Callable[[], float] = random.random
    ) -> None:
        self._patience = patience
        self._sleep = sleep
        self._draw = draw
        self._waited = 0.0
        self._tries = 0

    def __enter__(self) -> None:
        self._tries += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, TransientSourceError | PayloadError):
            return False
        wait = _wait_s(error, self._tries, self._patience, self._draw)
        if wait is None or self._waited + wait > self._patience.max_wait_s:
            return False
        _log.info("%s; asking again in %.1f s (try %d of %d)", error, wait, self._tries + 1, self._patience.max_tries)
        self._sleep(wait)
        self._waited += wait
        return True


def _wait_s(error: SourceError, tries: int, patience: Patience, draw: Callable[[], float]) -> float | None:
    """Returns how long to wait before the next try, None where there is to be none."""
    most = min(patience.max_tries, _UNREACHABLE_TRIES) if isinstance(error, SourceUnreachable) else patience.max_tries
    if tries >= most:
        return None
    backoff = draw() * min(patience.backoff_s * 2.0 ** (tries - 1), _LONGEST_BACKOFF_S)
    after_s = error.retry_after_s if isinstance(error, TransientSourceError) else None
    return backoff if after_s is None else max(after_s, backoff)

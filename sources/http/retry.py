"""Which failures are asked again, and when."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sources.errors import PayloadError, SourceError, SourceUnreachable, TransientSourceError

T = TypeVar("T")
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


def retrying(
    attempt: Callable[[], T],
    *,
    patience: Patience,
    sleep: Callable[[float], None],
    draw: Callable[[], float] = random.random,
) -> T:
    """Returns what `attempt` returns, asking again after faults that may pass.

    Waits grow exponentially with full jitter
    (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/); a Retry-After is waited out in full.

    Args:
        attempt: One request.
        patience: When to give up.
        sleep: Waits that many seconds.
        draw: A number from 0 to 1.

    Raises:
        SourceError: The last fault, when it is permanent or patience has run out.
    """
    waited = 0.0
    tries = 1
    while True:
        try:
            return attempt()
        except (TransientSourceError, PayloadError) as error:
            wait = _wait_s(error, tries, patience, draw)
            if wait is None or waited + wait > patience.max_wait_s:
                raise
            _log.info("%s; asking again in %.1f s (try %d of %d)", error, wait, tries + 1, patience.max_tries)
        sleep(wait)
        waited += wait
        tries += 1


def _wait_s(error: SourceError, tries: int, patience: Patience, draw: Callable[[], float]) -> float | None:
    """Returns how long to wait before the next try, None where there is to be none."""
    most = min(patience.max_tries, _UNREACHABLE_TRIES) if isinstance(error, SourceUnreachable) else patience.max_tries
    if tries >= most:
        return None
    backoff = draw() * min(patience.backoff_s * 2.0 ** (tries - 1), _LONGEST_BACKOFF_S)
    after_s = error.retry_after_s if isinstance(error, TransientSourceError) else None
    return backoff if after_s is None else max(after_s, backoff)

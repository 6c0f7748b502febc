"""Retries of requests to a service: which failures are tried again, how often, and after how long a wait."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable
from dataclasses import dataclass

from sources.errors import PayloadError, SourceUnreachable, TransientSourceError

_log = logging.getLogger(__name__)
_UNREACHABLE_TRIES = 2
_LONGEST_BACKOFF_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How long to go on with one request."""

    max_tries: int = 4  # requests in all, the first among them
    backoff_s: float = 2.0  # the first wait is at most this long, and each further one at most twice the one before
    max_wait_s: float = 120.0  # what may be waited for in all; a Retry-After beyond it ends the tries at once


class Attempts:
    """Attempts at one request: `while True: with attempts: return ask()`.

    A fault that may pass is waited out at the end of the block, and the next attempt begins; any other leaves it. Waits
    grow exponentially with full jitter (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/); a
    Retry-After is waited out in full. Where `policy` gives up, the last fault leaves the block. `draw` gives numbers
    from 0 to 1.
    """

    def __init__(
        self, policy: RetryPolicy, *, sleep: Callable[[float], None], draw: Callable[[], float] = random.random
    ) -> None:
        self._policy = policy
        self._sleep = sleep
        self._draw = draw
        self._waited = 0.0
        self._tries = 0

    def __enter__(self) -> None:
        self._tries += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        if not isinstance(error, TransientSourceError | PayloadError):
            return False
        policy, is_unreachable = self._policy, isinstance(error, SourceUnreachable)
        most = min(policy.max_tries, _UNREACHABLE_TRIES) if is_unreachable else policy.max_tries
        if self._tries >= most or (isinstance(error, SourceUnreachable) and error.is_lasting):
            return False
        wait = self._draw() * min(policy.backoff_s * 2.0 ** (self._tries - 1), _LONGEST_BACKOFF_S)
        if isinstance(error, TransientSourceError) and error.retry_after_s is not None:
            wait = max(error.retry_after_s, wait)
        if self._waited + wait > policy.max_wait_s:
            return False
        _log.info("%s; asking again in %.1f s (try %d of %d)", error, wait, self._tries + 1, self._policy.max_tries)
        self._sleep(wait)
        self._waited += wait
        return True

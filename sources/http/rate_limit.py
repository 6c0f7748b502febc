"""Rate limits: the interval between requests to a service, over all processes that share a folder.

The pace holds for every process that shares a folder. arXiv asks for at most one request in three seconds over a single
connection, summed over all machines of a user (https://info.arxiv.org/help/api/tou.html); Semantic Scholar for one a
second with a key, over all its endpoints (https://www.semanticscholar.org/product/api).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout
from pydantic import FiniteFloat, TypeAdapter

from sources.errors import TransientSourceError

_SLICE_S = 0.5
_LATE_SHARE, _LATE_S = 0.05, 0.1
LONGEST_QUEUE_S = 600.0  # how long others may go first, each with its own turn, before a wait is given up
_UNTOLD_PENALTY = 2.0
_TOO_MUCH = frozenset({429, 503})


class Pace(Protocol):
    """The interval between requests of a client."""

    def turn(self, *, patience_s: float = math.inf) -> AbstractContextManager[None]:
        """Returns a context in which one request may be made, and nobody else makes one.

        A `TransientSourceError` that leaves the context and means too many requests holds back everybody.

        Raises:
            TransientSourceError: The service wants to be left alone for longer than `patience_s` seconds.
        """
        ...

    def close(self) -> None:
        """Ends the use of it; there are no turns afterwards."""


def rest_after(error: TransientSourceError, interval_s: float) -> float:
    """Returns for how many seconds `error` asks everybody to leave the service alone; 0 where it does not."""
    if error.retry_after_s is not None:
        return error.retry_after_s
    return _UNTOLD_PENALTY * interval_s if error.status in _TOO_MUCH else 0.0


def counted_s(took_s: float, interval_s: float) -> float:
    """Returns how much of a request's own duration counts towards the interval after it.

    The limits are requests a second, as the service sees them come. One may be seen somewhat later than it was begun
    (the connection is made first) and the next one not: so a twentieth of the interval, 0.1 s at least, does not count,
    and two that come are apart by the interval even then. There is one connection at a time in any case.
    """
    return max(took_s - max(_LATE_SHARE * interval_s, _LATE_S), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stamp:
    """When the last request was made, in seconds since 1970, and how long the service wants to be left alone since."""

    at: FiniteFloat
    hold_s: FiniteFloat


_STAMPS = TypeAdapter(_Stamp)


class FilePace:
    """A `Pace` shared through a folder: a lock file, and beside it a stamp of the last request.

    The lock is held for the whole request, so that there is one connection at a time; the operating system frees it
    when its holder dies. A stamp that cannot be read, or that a clock set back has moved into the future, costs one
    interval and no more. Processes that share `folder` share the limit; `interval_s` is as in `counted_s`. `sleep` is
    asked for half a second at most, so that Ctrl-C ends a wait at once.
    """

    def __init__(
        self,
        folder: Path,
        *,
        service: str,
        interval_s: float,
        now: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._lock_path = folder / f"{service}.lock"
        self._stamp_path = folder / f"{service}.stamp"
        self._service = service
        self._interval_s = interval_s
        self._now = now
        self._sleep = sleep

    @contextmanager
    def turn(self, *, patience_s: float = math.inf) -> Iterator[None]:
        """Returns a context in which one request may be made; see `Pace.turn`."""
        self._lock_path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock(patience_s):
            left_s = self._left_s()
            if left_s > max(patience_s, self._interval_s):
                raise TransientSourceError(
                    f"{self._service} wants to be left alone for another {left_s:.0f} s",
                    source=self._service,
                    retry_after_s=left_s,
                )
            while left_s > 0:
                self._sleep(min(left_s, _SLICE_S))
                left_s -= _SLICE_S
            # Stamped before and after: a process killed in mid-request leaves the request behind all the same.
            self._stamp()
            began = self._now()
            hold_s = 0.0
            try:
                yield
            except TransientSourceError as error:
                hold_s = rest_after(error, self._interval_s)
                raise
            finally:
                self._stamp(hold_s, age_s=counted_s(self._now() - began, self._interval_s))

    def close(self) -> None:
        """Does nothing: between turns nothing is held."""

    def _lock(self, patience_s: float) -> AbstractContextManager[object]:
        # Others may take many turns before ours: only a turn that never ends is worth giving up for.
        timeout_s = -1 if math.isinf(patience_s) else patience_s + LONGEST_QUEUE_S
        try:
            return FileLock(self._lock_path).acquire(timeout=timeout_s)
        except Timeout as error:
            text = f"another process has kept {self._service} to itself; its lock is {self._lock_path}"
            raise TransientSourceError(text, source=self._service) from error

    def _left_s(self) -> float:
        """Returns the seconds until the next request may start."""
        if not self._stamp_path.exists():
            return 0.0
        try:
            stamp = _STAMPS.validate_json(self._stamp_path.read_bytes())
        except (OSError, ValueError):
            return self._interval_s
        return max(self._interval_s, stamp.hold_s) - max(self._now() - stamp.at, 0.0)

    def _stamp(self, hold_s: float = 0.0, *, age_s: float = 0.0) -> None:
        """Notes a request made `age_s` seconds ago, after which the service wants `hold_s` of rest from now."""
        stamp = _Stamp(at=self._now() - age_s, hold_s=hold_s + age_s if hold_s else 0.0)
        self._stamp_path.write_bytes(_STAMPS.dump_json(stamp))

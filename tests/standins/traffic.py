"""What was asked and when: the request log, the limits of both services, and who holds a connection."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

_TOLERANCE = 0.1
"""Share of an interval by which a request may come early: two clocks and a busy machine lie between the two sides."""


@dataclass(slots=True)
class _Limit:
    interval_s: float | None = None
    connections: int | None = None
    last: float | None = None


@dataclass(slots=True)
class Visit:
    """One request on its way through the server; becomes a line of the log."""

    service: str
    started: float
    open_connections: int
    in_flight: int
    violations: list[str] = field(default_factory=list)


class Traffic:
    """The log and the limits; every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._log: list[dict[str, Any]] = []
        self._open: Counter[str] = Counter()
        self._in_flight: Counter[str] = Counter()
        self.reset()

    def reset(self) -> None:
        """Forgets the log and the limits."""
        with self._lock:
            self._limits = {"arxiv": _Limit(), "s2": _Limit()}
            self.latency = {"arxiv": 0.0, "s2": 0.0}
            self.down: set[str] = set()
            self._log.clear()

    def limit(self, service: str, interval_s: float | None, connections: int | None) -> None:
        """Sets the least seconds between two requests, and the most connections in use at once."""
        with self._lock:
            self._limits[service] = _Limit(interval_s=interval_s, connections=connections)

    def connected(self, service: str) -> None:
        """Notes that a connection is used for this service."""
        with self._lock:
            self._open[service] += 1

    def disconnected(self, service: str) -> None:
        """Notes that such a connection is closed."""
        with self._lock:
            self._open[service] -= 1

    def enter(self, service: str) -> Visit:
        """Returns the visit of a request that has just come, with the limits it breaks."""
        now = time.monotonic()
        with self._lock:
            self._in_flight[service] += 1
            visit = Visit(service, now, self._open[service], self._in_flight[service])
            limit = self._limits[service]
            if limit.connections is not None and visit.in_flight > limit.connections:
                visit.violations.append("connections")
            if limit.interval_s is not None:
                due = None if limit.last is None else limit.last + limit.interval_s * (1 - _TOLERANCE)
                if due is not None and now < due:
                    visit.violations.append("rate")
                else:
                    limit.last = now
        return visit

    def leave(self, visit: Visit, line: dict[str, Any]) -> None:
        """Writes the visit's line."""
        ended = time.monotonic()
        with self._lock:
            self._in_flight[visit.service] -= 1
            told = {"started": visit.started, "ended": ended, "open_connections": visit.open_connections,
                    "in_flight": visit.in_flight, "violations": visit.violations}  # fmt: skip
            self._log.append({"service": visit.service, **line, **told})

    def lines(self, service: str | None) -> list[dict[str, Any]]:
        """Returns the log's lines in the order in which the requests came."""
        with self._lock:
            found = [line for line in self._log if service in (None, line["service"])]
        return sorted(found, key=lambda line: line["started"])

    def clear(self) -> None:
        """Empties the log."""
        with self._lock:
            self._log.clear()

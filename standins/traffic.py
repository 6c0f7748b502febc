"""What was asked and when: the request log, the limits of the services, and who holds a connection."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

_TOLERANCE = 0.1
"""Share of an interval by which a request may come early: two clocks and a busy machine lie between the two sides."""

_SETTLING_S = 0.25
"""A client sees a dropped connection before the server has noted its end; the log waits this long for such lines."""


@dataclass(slots=True)
class _Limit:
    interval_s: float | None = None
    connections: int | None = None
    last: float | None = None


class Visit:
    """One request on its way through the server; `line` is its line of the log."""

    def __init__(self, line: dict[str, Any], in_flight: Counter[str], lock: threading.Lock) -> None:
        self.line = line
        self._in_flight = in_flight
        self._lock = lock

    def leave(self, sent: int = 0) -> None:
        """Notes, once, that the request is over; one that outlived a reset changes nothing of what came after."""
        with self._lock:
            if self.line["ended"] is None:
                self._in_flight[self.line["service"]] -= 1
                self.line |= {"sent": sent, "ended": time.monotonic()}


class Traffic:
    """The log and the limits; every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Forgets the log, the limits and every request still on its way."""
        with self._lock:
            self._limits = {"arxiv": _Limit(), "s2": _Limit(), "openalex": _Limit()}
            self.latency = dict.fromkeys(self._limits, 0.0)
            self.down: set[str] = set()
            self._log: list[dict[str, Any]] = []
            self._open: defaultdict[str, set[int]] = defaultdict(set)
            self._in_flight: Counter[str] = Counter()

    def limit(
        self, service: str, interval_s: float | None, connections: int | None, endpoint: str | None = None
    ) -> None:
        """Sets the least seconds between two requests, and the most requests at once; of one endpoint if named."""
        with self._lock:
            self._limits[f"{service} {endpoint}" if endpoint else service] = _Limit(
                interval_s=interval_s, connections=connections
            )

    def disconnected(self, client: int) -> None:
        """Notes that the connection from this port is closed."""
        with self._lock:
            for connections in self._open.values():
                connections.discard(client)

    def enter(self, service: str, client: int, asked: dict[str, Any]) -> Visit:
        """Returns the visit of a request that has just come; its line names the limits it breaks."""
        now = time.monotonic()
        with self._lock:
            self._open[service].add(client)
            self._in_flight[service] += 1
            line = {"service": service, "client": client, **asked, "status": None, "fault": None, "sent": 0}
            line |= {"started": now, "ended": None, "in_flight": self._in_flight[service]}
            line |= {
                "open_connections": len(self._open[service]),
                "violations": [*self._broken(service, now), *self._broken(f"{service} {asked['endpoint']}", now)],
            }
            self._log.append(line)
            return Visit(line, self._in_flight, self._lock)

    def lines(self, service: str | None) -> list[dict[str, Any]]:
        """Returns the log's lines in the order in which the requests came; `ended` is None for one still served."""
        patience = time.monotonic() + _SETTLING_S
        while any(line["ended"] is None for line in self._log) and time.monotonic() < patience:
            time.sleep(0.005)
        with self._lock:
            return [dict(line) for line in self._log if service in (None, line["service"])]

    def clear(self) -> None:
        """Empties the log."""
        with self._lock:
            self._log = []

    def _broken(self, service: str, now: float) -> list[str]:
        limit, broken = self._limits.get(service, _Limit()), []
        if limit.connections is not None and self._in_flight[service] > limit.connections:
            broken.append("connections")
        if limit.interval_s is not None:
            if limit.last is not None and now < limit.last + limit.interval_s * (1 - _TOLERANCE):
                broken.append("rate")
            else:
                limit.last = now
        return broken

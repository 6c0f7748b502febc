"""Forty and more hosts on one loopback port, with every kind of answer that the addresses in a list can give.

The host is told by the Host header, and by a resolver that gives loopback for its name. What a path answers is its
first part: `/ok/anything` answers 200, `/404/anything` that status, and so on; each method of the handler is one.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self, cast

_PAGE = b"<!doctype html><title>A page</title><p>What was asked for."
_WALL = b"<!doctype html><title>Just a moment...</title><p>Checking that you are a person."
_SLOW_S = 5.0


class Visit(NamedTuple):
    """One request as the server saw it; `at` in seconds of `time.monotonic`."""

    at: float
    host: str
    method: str
    path: str


class LinkHosts(ThreadingHTTPServer):
    """The hosts, for as long as the `with` block lasts.

    Attributes:
        visits: The requests, oldest first.
        looked_up: How often each name was looked up.
        latency_s: How much longer every answer takes.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.visits: list[Visit] = []
        self.looked_up: Counter[str] = Counter()
        self.latency_s = 0.0
        self.knows_names = True
        self.seen: Counter[tuple[str, str]] = Counter()
        self.released = threading.Event()
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves early is nothing to report."""

    def url(self, host: str, path: str, *, scheme: str = "http") -> str:
        """Returns the address of a path at a host."""
        return f"{scheme}://{host}:{self.server_address[1]}{path}"

    def resolve(self, host: str, port: int) -> list[str]:
        """Returns loopback for a host, as a resolver would; raises for `gone.*` and `unsure.*`."""
        with self.lock:
            self.looked_up[host] += 1
            count = self.looked_up[host]
        if host.startswith("unsure.") or (host.startswith("gone-at-first.") and count > 1 and not self.knows_names):
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        if host.startswith("gone.") or (host.startswith("gone-at-first.") and count == 1) or not self.knows_names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return ["10.0.0.7"] if host.startswith("private.") else ["127.0.0.1"]

    def gaps(self) -> dict[str, float]:
        """Returns the least seconds between two requests that each host saw."""
        gaps: dict[str, float] = {}
        last: dict[str, float] = {}
        for visit in sorted(self.visits):
            if visit.host in last:
                gaps[visit.host] = min(gaps.get(visit.host, float("inf")), visit.at - last[visit.host])
            last[visit.host] = visit.at
        return gaps


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._take()

    def do_HEAD(self) -> None:
        self._take()

    def log_message(self, *arguments: Any) -> None:
        """Nothing is printed."""

    def _take(self) -> None:
        server = cast("LinkHosts", self.server)
        host = (self.headers["Host"] or "").rpartition(":")[0]
        with server.lock:
            server.visits.append(Visit(time.monotonic(), host, self.command, self.path))
            server.seen[host, self.path] += 1
        time.sleep(server.latency_s)
        kind = self.path.split("/")[1]
        if kind.isdigit() or host.startswith("nothing."):
            self._say(int(kind or 404))
        elif kind == "":
            self._say(200)
        else:
            getattr(self, f"_{kind.replace('-', '_')}")(server, host)
        self.close_connection = True

    def _say(self, status: int, body: bytes = _PAGE, kind: str = "text/html", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def _count(self, server: LinkHosts, host: str) -> int:
        return server.seen[host, self.path]

    def _ok(self, server: LinkHosts, host: str) -> None:
        self._say(200)

    def _file(self, server: LinkHosts, host: str) -> None:
        self._say(200, b"%PDF-1.7", "application/pdf")

    def _endless(self, server: LinkHosts, host: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        while self.command == "GET" and not server.released.wait(0.01):
            self.wfile.write(b"x" * 65_536)

    def _head_405(self, server: LinkHosts, host: str) -> None:
        self._say(405 if self.command == "HEAD" else 200)

    def _head_404(self, server: LinkHosts, host: str) -> None:
        self._say(404 if self.command == "HEAD" else 200)

    def _head_cut(self, server: LinkHosts, host: str) -> None:
        if self.command == "GET":
            self._say(200)

    def _back(self, server: LinkHosts, host: str) -> None:
        """A page that is gone for a while: the first GET answers 404, the next one finds it."""
        self._say(404 if self._count(server, host) <= 2 else 200)

    def _busy(self, server: LinkHosts, host: str) -> None:
        if self._count(server, host) == 1:
            self._say(429, Retry_After=self.path.split("/")[2])
        else:
            self._say(200)

    def _wall(self, server: LinkHosts, host: str) -> None:
        self._say(200, _WALL)

    def _wall_404(self, server: LinkHosts, host: str) -> None:
        self._say(404, _WALL)

    def _challenge(self, server: LinkHosts, host: str) -> None:
        self._say(403, _PAGE, cf_mitigated="challenge")

    def _slow(self, server: LinkHosts, host: str) -> None:
        server.released.wait(_SLOW_S)

    def _cut(self, server: LinkHosts, host: str) -> None:
        """Says nothing, and ends the connection."""

    def _drip(self, server: LinkHosts, host: str) -> None:
        while not server.released.wait(0.02):
            self.wfile.write(b"x")
            self.wfile.flush()

    def _to(self, server: LinkHosts, host: str) -> None:
        """`/to/301/PATH` redirects to a path, `/to/301/host/HOST/PATH` to another host, `/to/301/url/URL` anywhere."""
        _, _, status, rest = self.path.split("/", 3)
        if rest.startswith("host/"):
            _, other, path = rest.split("/", 2)
            target = server.url(other, f"/{path}")
        else:
            target = rest.removeprefix("url/") if rest.startswith("url/") else f"/{rest}"
        self._say(int(status), b"", Location=target)

    def _members(self, server: LinkHosts, host: str) -> None:
        self._say(302, b"", Location="/ok/login")

    def _lost(self, server: LinkHosts, host: str) -> None:
        self._say(301, b"", Location="/ok/404.html")

    def _lead(self, server: LinkHosts, host: str) -> None:
        self._say(301, b"", Location="/ok/whole")

    def _away(self, server: LinkHosts, host: str) -> None:
        """The page has a new site, where it has its old name."""
        name = self.path.rpartition("/")[2]
        self._say(301, b"", Location=server.url("www.another.example", f"/ok/archive/{name}"))

    def _sold(self, server: LinkHosts, host: str) -> None:
        """The domain has a new owner, who leads all to one page."""
        self._say(301, b"", Location=server.url("www.broker.example", "/ok/domain.php?name=old"))

    def _up(self, server: LinkHosts, host: str) -> None:
        """The page is gone, and what asks for it is led to the section."""
        if self.path == "/up/page":
            self._say(200)
        else:
            self._say(301, b"", Location="/up/page")

    def _round(self, server: LinkHosts, host: str) -> None:
        self._say(302, b"", Location=self.path)

    def _further(self, server: LinkHosts, host: str) -> None:
        self._say(302, b"", Location=f"{self.path}x")

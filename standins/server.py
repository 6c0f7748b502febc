"""The server: the services and their control endpoint on one loopback port, HTTP/1.1 with kept connections."""

from __future__ import annotations

import json
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from standins.arxiv import service as arxiv_service
from standins.catalogue.library import Library
from standins.control import command
from standins.delivery import deliver, reset
from standins.faults import Switchboard, apply, too_many_requests
from standins.openalex import service as openalex_service
from standins.semantic_scholar import service as s2_service
from standins.traffic import Traffic
from standins.wire import MAX_TARGET, Reply, Request, Service, page

CONTROL = "/_standins/"


class Server(ThreadingHTTPServer):
    """Holds what the handlers share."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int, library: Library, *, s2_key: str | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.library: Library = library
        self.s2_key: str | None = s2_key
        self.first_s2_key: str | None = s2_key
        self.credits_left: int = openalex_service.CREDITS
        self.traffic: Traffic = Traffic()
        self.faults: Switchboard = Switchboard()


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server_version = "standins"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16

    def do_GET(self) -> None:
        self._take()

    def do_POST(self) -> None:
        self._take()

    def log_message(self, *arguments: Any) -> None:
        """The request log is kept by traffic.py; nothing is printed."""

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            self.close_connection = True
        finally:
            self._shared.traffic.disconnected(self.client_address[1])

    def finish(self) -> None:
        try:
            super().finish()
        except OSError:
            self.close_connection = True

    @property
    def _shared(self) -> Server:
        return cast("Server", self.server)

    def _take(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith(CONTROL):
            self._control(body)
            return
        self._serve(_service_of(self.path), body)

    def _control(self, body: bytes) -> None:
        try:
            answer = command(self._shared, self.path.removeprefix(CONTROL), json.loads(body or b"{}"))
            reply = Reply(status=200, body=json.dumps(answer).encode(), content_type="application/json")
        except (KeyError, TypeError, ValueError) as error:
            reply = Reply(status=400, body=str(error).encode(), content_type="text/plain")
        deliver(self, reply, lambda sent: None)

    def _serve(self, service: Service, body: bytes) -> None:
        request = _request(service, self.command, self.path, body, {k.lower(): v for k, v in self.headers.items()})
        visit = self._shared.traffic.enter(service, self.client_address[1], _log_line(request))
        try:
            if service in self._shared.traffic.down:
                visit.line["fault"] = "down"
                reset(self)
                return
            reply, visit.line["fault"] = self._reply(request, rate_broken="rate" in visit.line["violations"])
            visit.line["status"] = None if reply.delivery in ("drop_before_headers", "hang") else reply.status
            time.sleep(self._shared.traffic.latency[service])
            deliver(self, reply, visit.leave)
        finally:
            visit.leave()

    def _reply(self, request: Request, *, rate_broken: bool) -> tuple[Reply, str | None]:
        if rate_broken:
            return too_many_requests(request), "rate"
        sent_key = request.headers.get("x-api-key")
        if request.service == "s2" and self._shared.s2_key and sent_key not in (None, self._shared.s2_key):
            return s2_service.forbidden(), None
        fault = self._shared.faults.strike(request)
        try:
            reply = _answer(self._shared.library, request)
            reply = apply(fault, reply, request) if fault else reply
            if request.service == "openalex":
                reply, self._shared.credits_left = openalex_service.metered(request, reply, self._shared.credits_left)
        except Exception:  # noqa: BLE001 - a mistake of the stand-in must not pass for one of the services' faults
            text = traceback.format_exc()
            sys.stderr.write(text)
            return Reply(status=599, body=text.encode(), content_type="text/plain"), "stand-in is broken"
        return reply, fault.kind if fault else None


def _log_line(request: Request) -> dict[str, Any]:
    return {
        "endpoint": request.endpoint,
        "method": request.method,
        "path": request.path,
        "target": request.target,
        "params": dict(request.params),
        "body": request.body,
        "key_sent": "x-api-key" in request.headers or "authorization" in request.headers,
        "user_agent": request.headers.get("user-agent", ""),
    }


def _answer(library: Library, request: Request) -> Reply:
    if len(request.target) > MAX_TARGET and request.service != "openalex":
        return page(414)
    if request.endpoint == "none":
        return page(404) if request.service == "arxiv" else _unknown_path()
    if request.service == "openalex":
        return openalex_service.answer(library, request)
    return arxiv_service.answer(library, request) if request.service == "arxiv" else s2_service.answer(library, request)


def _service_of(path: str) -> Service:
    if path.startswith("/works"):
        return "openalex"
    return "s2" if path.startswith(("/graph/", "/recommendations/", "/datasets/")) else "arxiv"


def _unknown_path() -> Reply:
    return Reply(status=404, body=b'{"error":"Not found"}\n', content_type="application/json")


def _request(service: Service, method: str, target: str, body: bytes, headers: dict[str, str]) -> Request:
    parts = urlsplit(target)
    params = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    parsed: Any = None
    if "json" in headers.get("content-type", ""):
        parsed = _json(body)
    elif body:
        form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        params |= {name: values[-1] for name, values in form.items()}
    endpoint = "query" if parts.path == "/api/query" else "none"
    if service == "s2":
        endpoint = s2_service.endpoint_of(parts.path) or "none"
    elif service == "openalex":
        endpoint = openalex_service.endpoint_of(parts.path, params) or "none"
    return Request(service=service, endpoint=endpoint, method=method, target=target, path=parts.path, params=params,
                   body=parsed, headers=headers)  # fmt: skip


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None

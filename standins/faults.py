"""The fault switches: which request is harmed, and how its reply is changed."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import unquote

from standins import entries
from standins.arxiv.feed import CONTENT_TYPE, render_error
from standins.arxiv.service import rate_exceeded
from standins.openalex import service as openalex_service
from standins.semantic_scholar import service as s2_service
from standins.semantic_scholar.payload import dump_error
from standins.wire import Reply, Request, page

Details = Mapping[str, Any]
Change = Callable[[Reply, Request, Details], Reply]

_GATEWAY_TEXTS = {
    500: "Internal Server Error",
    502: "Internal server error",
    503: "Service Unavailable",
    504: "Endpoint request timed out",
}
_LONGEST_WAIT_S = 60.0


@dataclass(slots=True, kw_only=True)
class Fault:
    """One switch: after `skip` matching requests the next `times` (None: all) are harmed."""

    service: str
    kind: str
    endpoint: str | None = None
    skip: int = 0
    times: int | None = None
    details: dict[str, Any] = field(default_factory=dict)
    seen: int = 0

    def strikes(self, request: Request) -> bool:
        """Returns whether this request is harmed, and counts it."""
        if request.service != self.service or self.endpoint not in (None, request.endpoint):
            return False
        if not _names(request, self.details.get("ids"), self.details.get("text")):
            return False
        self.seen += 1
        return self.seen > self.skip and (self.times is None or self.seen <= self.skip + self.times)


class Switchboard:
    """The faults that are switched on; the first that matches a request harms it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._faults: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Switches a fault on.

        Raises:
            KeyError: There is no such kind.
        """
        if fault.kind not in KINDS:
            raise KeyError(f"no fault kind {fault.kind!r}; there are {', '.join(sorted(KINDS))}")
        with self._lock:
            self._faults.append(fault)

    def clear(self) -> None:
        """Switches every fault off."""
        with self._lock:
            self._faults.clear()

    def strike(self, request: Request) -> Fault | None:
        """Returns the fault that harms this request, None where it is served well."""
        with self._lock:
            struck = [fault for fault in self._faults if fault.strikes(request)]
        return struck[0] if struck else None


def apply(fault: Fault, reply: Reply, request: Request) -> Reply:
    """Returns the reply as the fault leaves it."""
    return KINDS[fault.kind](reply, request, fault.details)


def _names(request: Request, ids: list[str] | None, text: str | None) -> bool:
    """Whether the request asks for any of `ids`, or holds `text`; both None is any request."""
    asked = " ".join([unquote(request.path), *request.params.values(), json.dumps(request.body, ensure_ascii=False)])
    parts = set(request.params.get("id_list", "").split(","))
    parts |= set(request.body.get("ids", ())) if isinstance(request.body, dict) else set()
    parts |= set(openalex_service.asked_dois(request)) if request.service == "openalex" else set()
    named = ids is None or any(one in parts or one == unquote(request.path).partition("/paper/")[2] for one in ids)
    return named and (text is None or text.lower() in asked.lower())


def _status(status: int) -> Change:
    def change(reply: Reply, request: Request, details: Details) -> Reply:
        if request.service == "arxiv":
            changed = page(status, str(details.get("note", "")))
        else:
            body = json.dumps({"message": _GATEWAY_TEXTS.get(status, "error")}).encode()
            changed = Reply(status=status, body=body, content_type="application/json")
        return _with_retry_after(changed, details)

    return change


def too_many_requests(request: Request) -> Reply:
    """Returns what the service answers to those who ask too fast."""
    if request.service == "arxiv":
        return rate_exceeded()
    return s2_service.too_many_requests() if request.service == "s2" else openalex_service.too_many_requests()


def _too_many(reply: Reply, request: Request, details: Details) -> Reply:
    return _with_retry_after(too_many_requests(request), details)


def _allowance_spent(reply: Reply, request: Request, details: Details) -> Reply:
    """OpenAlex's answer to those who have used up the day's credits."""
    return _with_retry_after(openalex_service.allowance_spent(), details)


def _openalex(change: Callable[[Request, Reply], Reply]) -> Change:
    return lambda reply, request, details: change(request, reply)


def _any_status(reply: Reply, request: Request, details: Details) -> Reply:
    status = int(details["status"])
    if "body" not in details:
        return _refused(status, reply, request) if status in (400, 404) else _status(status)(reply, request, details)
    changed = replace(reply, status=status, body=str(details["body"]).encode())
    return _with_retry_after(replace(changed, content_type=details.get("content_type", "text/plain")), details)


def _refused(status: int, reply: Reply, request: Request) -> Reply:
    if request.service == "arxiv" and status == 404:
        return page(404)
    if request.service == "arxiv":
        return Reply(status=status, body=render_error("request cannot be answered"), content_type=CONTENT_TYPE)
    text = "Not found" if status == 404 else "No valid paper ids given"
    return Reply(status=status, body=dump_error(text), content_type="application/json")


def _not_found(reply: Reply, request: Request, details: Details) -> Reply:
    """The endpoint is gone: a proxy's page, or API Gateway's own JSON (which has no "error" key)."""
    if request.service == "arxiv":
        return page(404)
    return Reply(status=404, body=b'{"message":"Not Found"}', content_type="application/json")


def _with_retry_after(reply: Reply, details: Details) -> Reply:
    if "retry_after_date" in details:
        moment = datetime.now(UTC) + timedelta(seconds=float(details["retry_after_date"]))
        return replace(reply, headers={**reply.headers, "Retry-After": format_datetime(moment, usegmt=True)})
    if "retry_after" in details:
        return replace(reply, headers={**reply.headers, "Retry-After": str(details["retry_after"])})
    return reply


def _delivered(delivery: str, default_s: float = 0.0) -> Change:
    def change(reply: Reply, request: Request, details: Details) -> Reply:
        seconds = min(float(details.get("seconds", default_s)), _LONGEST_WAIT_S)
        return replace(reply, delivery=delivery, seconds=seconds)

    return change


def _truncated(reply: Reply, request: Request, details: Details) -> Reply:
    """A body that ends early, and says that this was all."""
    return replace(reply, body=reply.body[: int(len(reply.body) * float(details.get("at", 0.5)))])


def _content_type(reply: Reply, request: Request, details: Details) -> Reply:
    """The right bytes under a wrong name."""
    return replace(reply, content_type=str(details.get("content_type", "text/plain; charset=iso-8859-1")))


def _compressed(reply: Reply, request: Request, details: Details) -> Reply:
    """Gzip as any server may send it; cut off where `at` says so."""
    body = gzip.compress(reply.body)
    encoding = {**reply.headers, "Content-Encoding": "gzip"}
    return replace(reply, headers=encoding, body=body[: int(len(body) * float(details.get("at", 1)))])


def _called_compressed(reply: Reply, request: Request, details: Details) -> Reply:
    """Plain bytes that call themselves gzip."""
    return replace(reply, headers={**reply.headers, "Content-Encoding": "gzip"})


def _recoded(reply: Reply, request: Request, details: Details) -> Reply:
    """The text in another encoding than its own header or declaration tells; utf-8-sig puts a byte-order mark first."""
    return replace(reply, body=reply.body.decode().encode(str(details.get("encoding", "utf-8-sig"))))


def _echo(reply: Reply, request: Request, details: Details) -> Reply:
    """A refusal that repeats every header of the request, the key among them, in its own headers and body."""
    told = "; ".join(f"{name}: {value}" for name, value in request.headers.items())
    body = json.dumps({"message": f"Forbidden for {told}", "error": f"{request.headers.get('x-api-key')} is no key"})
    headers = {"x-echo": told, "x-api-key": request.headers.get("x-api-key", "none")}
    return Reply(
        status=int(details.get("status", 403)), body=body.encode(), content_type="application/json", headers=headers
    )


def _html(reply: Reply, request: Request, details: Details) -> Reply:
    return replace(page(200, "down for maintenance"), status=200)


def _empty_body(reply: Reply, request: Request, details: Details) -> Reply:
    return replace(reply, status=200, body=b"")


def _literal(body: bytes) -> Change:
    def change(reply: Reply, request: Request, details: Details) -> Reply:
        return Reply(status=200, body=body, content_type="application/json")

    return change


def _error_entry(reply: Reply, request: Request, details: Details) -> Reply:
    message = str(details.get("message", "something went wrong"))
    if request.service == "arxiv":
        return Reply(status=200, body=render_error(message), content_type=CONTENT_TYPE)
    return Reply(status=200, body=dump_error(message), content_type="application/json")


def _redirect(reply: Reply, request: Request, details: Details) -> Reply:
    location = str(details.get("location", request.target))
    return Reply(status=int(details.get("status", 302)), body=b"", content_type="text/html",
                 headers={"Location": location})  # fmt: skip


def _changed_entries(change: Callable[[list[Any], Details], list[Any]]) -> Change:
    def changed(reply: Reply, request: Request, details: Details) -> Reply:
        return entries.changed(reply, lambda found: change(found, details)) if reply.status == 200 else reply

    return changed


KINDS: dict[str, Change] = {
    "500": _status(500),
    "502": _status(502),
    "503": _status(503),
    "504": _status(504),
    "429": _too_many,
    "allowance_spent": _allowance_spent,
    "timed_out": lambda reply, request, details: openalex_service.timed_out(reply, float(details.get("share", 0.5))),
    "searches_paused": _openalex(openalex_service.searches_paused),
    "wrong_key": _openalex(openalex_service.wrong_key),
    "no_title_filter": _openalex(openalex_service.no_title_filter),
    "prepaid": lambda reply, request, details: openalex_service.prepaid(reply),
    "404": _not_found,
    "status": _any_status,
    "cut_body": _delivered("cut"),
    "truncated": _truncated,
    "html": _html,
    "empty_feed": lambda reply, request, details: entries.emptied(reply, details.get("total")),
    "empty_body": _empty_body,
    "empty_object": _literal(b"{}\n"),
    "empty_list": _literal(b"[]\n"),
    "nulls": _changed_entries(entries.nulled),
    "missing_entries": _changed_entries(entries.thinned),
    "reordered": _changed_entries(lambda found, details: found[::-1]),
    "duplicated": _changed_entries(lambda found, details: [one for one in found for _ in range(2)]),
    "missing_field": _changed_entries(entries.without_field),
    "set_field": _changed_entries(entries.with_field),
    "other_paper": _changed_entries(entries.swapped_for_another),
    "lie": _changed_entries(entries.lied),
    "set_envelope": lambda reply, request, details: entries.with_envelope(reply, details["field"], details["value"]),
    "content_type": _content_type,
    "gzip": _compressed,
    "not_gzip": _called_compressed,
    "recoded": _recoded,
    "echo": _echo,
    "chunks_cut": _delivered("chunks_cut"),
    "no_length": _delivered("no_length"),
    "endless": _delivered("endless"),
    "drop_before_headers": _delivered("drop_before_headers"),
    "drop_after_headers": _delivered("drop_after_headers"),
    "drip": _delivered("drip", 5.0),
    "hang": _delivered("hang", 5.0),
    "slow": _delivered("slow", 1.0),
    "wrong_charset": lambda reply, request, details: entries.miscoded(reply),
    "error_entry": _error_entry,
    "redirect_loop": _redirect,
}
"""Every kind of fault. Details: retry_after, retry_after_date (seconds), seconds, at, message, status, body, location,
total, share, indices, drop, field, value, content_type, encoding, steps; and ids or text to harm only requests that
name them.
"""

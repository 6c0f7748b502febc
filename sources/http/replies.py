"""Reads replies: outcome, status, Retry-After, and the fields of a body in JSON. Pure.

A body is read with a bound on everything that can grow: unpacked bytes, lists, objects. Five kilobytes of gzip can be
a gigabyte of zeros, and packed twice, a thousand times that; so a body is unpacked once, and no further than its
reader takes.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, Protocol

from sources.bounds import cut, is_count, is_past, is_year
from sources.errors import PayloadError, PermanentSourceError, SourceError, TransientSourceError
from sources.records import SERVICE_NAMES, Reply, SourceName
from sources.text import object_of, one_line

# In JSON, null means "not told", as an absent field does; neither ever becomes zero, or false.


_MOST_BRACKETS = 2_000_000  # lists and objects; each costs far more than the two letters that it takes
_LARGEST_INT = 2**63 - 1
_LONGEST_WORDS = 200  # characters of a refusal that a log line bears


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonObject:
    """An object of a reply. What a field holds is of its type and within bounds, else the record is refused.

    All methods return None, or something empty, where the field is not told, and raise `PayloadError` for anything but
    what they return.
    """

    values: Mapping[str, Any]  # field -> value
    source: str  # the service
    name: str = "a reply"  # what messages call the record, such as "work W2741809807"
    record: str = ""  # its identifier; empty where there is none

    def unsound(self, what: str, *, field: str) -> PayloadError:
        """Returns the error of the record, `what` being said of it: "whose year is no count"."""
        return unsound(self.source, f"{self.name} {what}", record=self.record, field=field)

    def text(self, field: str, *, most: int) -> str | None:
        """Returns the first `most` characters of a text, on one line; None also for what is no text."""
        return cut(one_line(self.values.get(field)), most)

    def object(self, field: str) -> JsonObject:
        """Returns an object inside of this one."""
        value = self.values.get(field)
        if value is not None and not isinstance(value, dict):
            raise self.unsound(f"whose {field} is no object", field=field)
        return self._inner(value or {})

    def objects(self, field: str, *, most: int) -> list[JsonObject]:
        """Returns a list of objects, `most` at the most."""
        found = self.values.get(field) or []
        if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
            raise self.unsound(f"whose {field} is no list of objects", field=field)
        if len(found) > most:
            raise self.unsound(f"with {len(found)} {field}", field=field)
        return [self._inner(item) for item in found]

    def flag(self, field: str) -> bool | None:
        """Returns whether something is true."""
        value = self.values.get(field)
        if value is not None and not isinstance(value, bool):
            raise self.unsound(f"whose {field} is neither true nor false", field=field)
        return value

    def whole_number(self, field: str) -> int | None:
        """Returns a whole number from 0 that fits into 64 bits."""
        value = self.values.get(field)
        if value is None:
            return None
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST_INT:
            raise self.unsound(f"whose {field} is no count: {value!r:.40}", field=field)
        return value

    def count(self, field: str) -> int | None:
        """Returns how many citations or references there are."""
        number = self.whole_number(field)
        if number is not None and not is_count(number):
            raise self.unsound(f"whose {field} is beyond belief: {number}", field=field)
        return number

    def year(self, field: str, *, today: date) -> int | None:
        """Returns a year in which a paper can have come out."""
        number = self.whole_number(field)
        if number is not None and not is_year(number, today=today):
            raise self.unsound(f"of the year {number}", field=field)
        return number

    def day(self, field: str, *, today: date) -> date | None:
        """Returns the day of publication; a journal's coming issue is dated ahead, and has not come out yet."""
        value = self.values.get(field)
        if value is None or value == "":
            return None
        try:
            day = date.fromisoformat(value)
        except (TypeError, ValueError) as error:
            raise self.unsound(f"whose {field} is no date: {value!r:.40}", field=field) from error
        if not is_year(day.year, today=today):
            raise self.unsound(f"published on {day}", field=field)
        return day if is_past(day, today=today) else None

    def _inner(self, values: Mapping[str, Any]) -> JsonObject:
        return JsonObject(values=values, source=self.source, name=self.name, record=self.record)


def read_json(body: bytes, *, source: str) -> Any:
    """Returns the JSON document that a body is.

    Raises:
        PayloadError: No whole JSON document, one with two values of one name, or one beyond all measure.
    """
    try:
        return _document(body)
    except UnsoundBody as error:
        raise unsound(source, str(error)) from error


def read_object(body: bytes, *, source: str) -> JsonObject:
    """Returns the object that a body is.

    Raises:
        PayloadError: As `read_json` does, and for any other document.
    """
    document = read_json(body, source=source)
    if not isinstance(document, dict):
        raise unsound(source, "a reply that is no object")
    return JsonObject(values=document, source=source)


def refusal_words(body: bytes) -> list[str]:
    """Returns a service's own words in the body of a refusal, those under `error` before those under `message`.

    Each is cut to what a log line bears. A body that is no JSON object, such as a page of a proxy, is taken as text.
    """
    try:
        document = _document(body)
    except UnsoundBody:
        document = None
    if not isinstance(document, dict):
        document = {"error": body[:_LONGEST_WORDS].decode("utf-8", "replace")}
    words = (cut(one_line(document.get(field)), _LONGEST_WORDS) for field in ("error", "message"))
    return [text for text in words if text]


def _document(body: bytes) -> Any:
    try:
        if body.count(b"[") + body.count(b"{") > _MOST_BRACKETS:
            raise UnsoundBody
        return json.loads(body, object_pairs_hook=object_of)
    except (ValueError, RecursionError) as error:
        raise UnsoundBody(f"no whole JSON document ({type(error).__name__}; {len(body)} bytes)") from error


# Statuses that say something about the size or an item of a request: half of it may pass.
SPLIT_STATUSES = frozenset({400, 413, 414})

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
    """What came over the wire."""

    status: int  # HTTP status
    body: bytes  # the body as received, after content decoding
    at: datetime  # when it came, UTC
    headers: Mapping[str, str] = field(default_factory=dict)  # header names in lower case


def status_error(received: Received, *, source: str, url: str, said: str = "") -> SourceError:
    """Returns the error that a status other than 200 means; `said` is the service's own word on it."""
    status = received.status
    detail = f': "{said}"' if said else ""
    text = f"{SERVICE_NAMES.get(source, source)} answered HTTP {status}{detail}"
    if is_transient(status):
        wait = retry_after_s(received.headers.get("retry-after"), now=received.at)
        return TransientSourceError(text, source=source, url=url, status=status, retry_after_s=wait)
    return PermanentSourceError(text, source=source, url=url, status=status)


def unsound(source: str, what: str, *, record: str = "", field: str = "", text: str = "") -> PayloadError:
    """Returns the error of a reply that is not what its service promises: `what` it sent, and where in which record.

    `text` is as `PayloadError` has it.
    """
    message = f"{SERVICE_NAMES.get(source, source)} sent {what}"
    return PayloadError(message, source=source, record=record, field=field, text=text)


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


ACCEPTED = "gzip"  # what to ask for as Accept-Encoding


class UnsoundBody(ValueError):
    """A body that cannot be unpacked, ends too soon, or holds more than a reply ever does."""


class EndlessBody(UnsoundBody):
    """A body that is larger, or takes longer, than was allowed.

    Attributes:
        took_too_long: Whether it was time that ran out.
    """

    def __init__(self, message: str, *, took_too_long: bool) -> None:
        super().__init__(message)
        self.took_too_long = took_too_long


def read_body(
    parts: Iterable[bytes],
    encoding: str | None,
    *,
    most: int,
    seconds: float,
    clock: Callable[[], float] = time.monotonic,
) -> bytes:
    """Returns a body, unless it never ends or trickles: a time-out for each part alone bounds neither.

    `most` is in bytes after unpacking.

    Raises:
        EndlessBody: The body goes beyond these limits.
        UnsoundBody: An encoding that was not asked for, several on top of each other, or bytes that are not in it.
    """
    name, end = (encoding or "identity").strip().lower(), clock() + seconds

    def in_time() -> Iterator[bytes]:
        for part in parts:
            yield part
            if clock() > end:
                raise EndlessBody("a reply that takes too long", took_too_long=True)

    stream: io.BufferedIOBase = io.BufferedReader(ChunkStream(in_time()))
    if name in ("gzip", "x-gzip"):
        stream = gzip.GzipFile(fileobj=stream)
    elif name not in ("identity", ""):
        raise UnsoundBody(f"a body packed as {name[:40]!r}")
    try:
        body = stream.read(most + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise UnsoundBody(f"a body that is no {name}: {error}") from error
    if len(body) > most:
        raise EndlessBody(f"a reply without end, {len(body)} bytes so far", took_too_long=False)
    return body


class ChunkStream(io.RawIOBase):
    """What an iterator yields, as a stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Returns True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fills as much of `buffer` as the next chunk does, and returns how many bytes that is."""
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        piece = self._rest[: len(buffer)]
        buffer[: len(piece)] = piece
        self._rest = self._rest[len(piece) :]
        return len(piece)


# How replies are stored, and under which keys.
#
# Replies are stored as received, so that a crash, a second run or a new parser requests nothing twice. A question is
# written as canonical JSON (sorted keys, no blanks): the same question is the same text in every process.


class ReplyStore(Protocol):
    """The store of replies; the warehouse has the real one."""

    def find(self, source: SourceName, request_key: str) -> Reply | None:
        """Returns a stored reply to this very question that is still fresh; None if the service must be asked."""
        ...

    def keep(self, reply: Reply) -> None:
        """Stores a reply for good. Called at once, and only for replies that may be believed."""
        ...


def request_key(endpoint: str, **facts: Any) -> str:
    """Returns the canonical text of a question: an endpoint with what it was asked. It must hold no secret."""
    return json.dumps({"endpoint": endpoint, **facts}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def read_request_key(reply: Reply) -> dict[str, Any]:
    """Returns the question behind a reply, as `request_key` wrote it.

    Raises:
        PayloadError: The text is not such a question.
    """
    try:
        question = json.loads(reply.request_key)
    except ValueError:
        question = None
    if not isinstance(question, dict) or not isinstance(question.get("endpoint"), str):
        raise PayloadError("a stored reply does not say what was asked", source=reply.source, field="request_key")
    return question

"""What came back: a reply or none and why, what its status and Retry-After mean, and its body. Pure.

A body is read with a bound on everything that can grow: unpacked bytes, elements, nesting. Five kilobytes of gzip can
be a gigabyte of zeros, and packed twice, a thousand times that; so a body is unpacked in pieces, once, and its reader
stops when it has had enough. XML is read with no document type, in any encoding: that is where entities are declared,
which grow as well, and neither Atom nor OAI-PMH has one.
"""

from __future__ import annotations

import math
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal

from sources.errors import PayloadError, PermanentSourceError, SourceError, TransientSourceError
from sources.records import SERVICE_NAMES

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

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


_PIECE = 64 * 1024
_WINDOW_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_DEEPEST = 100
_MOST_ELEMENTS = 1_000_000
ACCEPTED = "gzip"
"""What to ask for as Accept-Encoding."""


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

    Args:
        parts: The bytes as they came over the wire.
        encoding: The header Content-Encoding.
        most: Bytes, after unpacking, beyond which it is no reply.
        seconds: How long it may take to come.
        clock: Counts the seconds.

    Raises:
        EndlessBody: The body goes beyond these limits.
        UnsoundBody: As `unpacked` does.
    """
    body = bytearray()
    end = clock() + seconds
    for part in unpacked(parts, encoding):
        body += part
        is_late = clock() > end
        if len(body) > most or is_late:
            raise EndlessBody(f"a reply without end, {len(body)} bytes so far", took_too_long=is_late)
    return bytes(body)


def unpacked(parts: Iterable[bytes], encoding: str | None) -> Iterator[bytes]:
    """Yields a body's bytes as they are without their content encoding, in pieces of at most 64 KiB.

    Args:
        parts: The bytes as they came over the wire.
        encoding: The header Content-Encoding.

    Raises:
        UnsoundBody: An encoding that was not asked for, several on top of each other, or bytes that are not in it.
    """
    name = (encoding or "identity").strip().lower()
    if name in ("identity", ""):
        yield from parts
        return
    if name not in _WINDOW_BITS:
        raise UnsoundBody(f"a body packed as {name[:40]!r}")
    try:
        yield from _unpacked(parts, _WINDOW_BITS[name])
    except zlib.error as error:
        raise UnsoundBody(f"a body that is no {name}: {error}") from error


def _unpacked(parts: Iterable[bytes], window_bits: int) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(window_bits)
    began = False
    for part in parts:
        left = part
        while left:
            if unpacker.eof:  # another member follows
                unpacker = zlib.decompressobj(window_bits)
            began = True
            piece = unpacker.decompress(left, _PIECE)
            left = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
            if piece:
                yield piece
    if began and not unpacker.eof:
        yield unpacker.flush(_PIECE)
        if not unpacker.eof:
            raise UnsoundBody("a packed body that ends too soon")


def parse_xml(body: bytes) -> Element:
    """Returns the root of an XML document.

    Raises:
        UnsoundBody: No whole XML document, one with a document type or entities, one in an encoding that no service
            uses, or one beyond all measure.
    """
    from xml.parsers import expat  # noqa: PLC0415 - lists are no XML, and their parser starts faster without

    builder, parser = _Builder(), expat.ParserCreate(_encoding(body), namespace_separator="}")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_document_type
    parser.EntityDeclHandler = _refuse_document_type
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(body, True)  # noqa: FBT003 - expat takes no keywords
        return builder.close()
    except expat.ExpatError as error:
        raise UnsoundBody(f"no whole XML document ({error}; {len(body)} bytes)") from error


_DECLARED = re.compile(rb"""\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([^"'>]{0,40})""")
_ENCODINGS = ("utf-8", "us-ascii", "iso-8859-1", "utf-16", "utf-16le", "utf-16be")
"""Those that expat reads itself. It would have Python read others, which fails in several ways for most."""


def _encoding(body: bytes) -> str:
    """Returns the encoding of an XML document: by its first bytes, by its declaration, or UTF-8."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    if b"\0" in body[:2]:
        return "utf-16be" if body[:1] == b"\0" else "utf-16le"
    declared = _DECLARED.match(body.removeprefix(b"\xef\xbb\xbf"))
    name = declared[1].decode("latin-1").lower() if declared else "utf-8"
    if name not in _ENCODINGS:
        raise UnsoundBody(f"an XML document in the encoding {name!r}")
    return name


class _Builder:
    """Builds the tree, as long as it stays within bounds."""

    def __init__(self) -> None:
        from xml.etree import ElementTree as ET  # noqa: PLC0415 - see `parse_xml`

        self._tree = ET.TreeBuilder()
        self._depth = 0
        self._elements = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begins an element."""
        self._depth += 1
        self._elements += 1
        if self._depth > _DEEPEST or self._elements > _MOST_ELEMENTS:
            raise UnsoundBody(f"an XML document of {self._elements} elements so far, {self._depth} deep")
        self._tree.start(_qualified(name), {_qualified(key): value for key, value in attributes.items()})

    def end(self, name: str) -> None:
        """Ends an element."""
        self._depth -= 1
        self._tree.end(_qualified(name))

    def data(self, text: str) -> None:
        """Adds text."""
        self._tree.data(text)

    def close(self) -> Element:
        """Returns the root."""
        return self._tree.close()


def _qualified(name: str) -> str:
    return "{" + name if "}" in name else name


def _refuse_document_type(*_: Any) -> None:
    raise UnsoundBody("a page with a document type, HTML perhaps")

"""Reads files of bulk dumps, as streams of lines, and lines as objects. Pure but for the reading of streams.

A dump cannot be asked again for a row. So a field of it that cannot be true is left out and named, and the paper stays.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import chain
from typing import IO, Any

from sources.bounds import is_past
from sources.errors import PayloadError
from sources.http.replies import ChunkStream
from sources.text import one_line, shown

# Files of a dump that are in a form of their own: read as a stream of lines, and known for web pages where they
# are.
#
# Bulk files come by way of browsers, and a page that says why there is no file may be stored under the file's
# name.


_BEGINNING = 2**16
_PIECE = 2**20
_LOOKED_AT = 4096  # bytes in which a web page shows that it is one
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_PAGE_TITLE = re.compile(rb"<title[^>]*>([^<]{1,200})", re.IGNORECASE)


def lines_read_by(read: Callable[[bytes, io.BufferedReader], Iterator[bytes]], stream: IO[bytes]) -> io.BufferedReader:
    """Returns the lines that `read` makes of a file, as a stream; what it raises is raised where that is read.

    `read` gets the first 64 KiB, by which the form is known, and the whole file.
    """

    def lines() -> Iterator[bytes]:
        first = stream.read(_BEGINNING)
        chunks = chain([first], iter(partial(stream.read, _PIECE), b""))
        yield from read(first, io.BufferedReader(ChunkStream(chunks), _PIECE))

    return io.BufferedReader(ChunkStream(lines()), _PIECE)


def is_web_page(first: bytes) -> bool:
    """Returns whether a file that begins with `first` is a web page."""
    return _HTML.search(first[:_LOOKED_AT]) is not None


def page_title(first: bytes) -> str:
    """Returns the title of a web page that begins with `first`, in brackets, with a blank before; empty without one."""
    title = _PAGE_TITLE.search(first)
    text = one_line(title[1].decode("utf-8", "replace")) if title else None
    return f" ({shown(text)!r})" if text else ""


_SHOWN = 500  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A line of a dump in the form of most lines."""

    text: str  # the line, as JSON
    left_out: Mapping[str, str]  # field -> why its value was left out, a sentence


def read_dump_line(line: bytes) -> Mapping[str, Any]:
    """Returns the object that a line of a dump holds; NaN and infinity, which JSON lacks, come back as text.

    Raises:
        PayloadError: It is not UTF-8 JSON, or no object.
    """
    try:
        row = json.loads(line, parse_constant=str)
        if b"\\ud" in line or b"\\uD" in line:
            json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise PayloadError(f"not a line of JSON: {error}", source="mirror", field="line") from error
    if not isinstance(row, dict):
        raise PayloadError("not a JSON object", source="mirror", field="line")
    return row


def shown_beginning(line: bytes) -> str:
    """Returns the beginning of a line, as it is stored beside the reason why the line was refused."""
    return line.rstrip(b"\r\n")[:_SHOWN].decode("utf-8", "replace")


def is_past_day(text: Any, today: date) -> bool:
    """Returns whether `text` is a day that has come, or nothing."""
    try:
        return text is None or is_past(date.fromisoformat(text), today=today)
    except (TypeError, ValueError):
        return False

"""Files of a dump that are in a form of their own: read as a stream of lines, and known for web pages where they are.

Bulk files come by way of browsers, and a page that tells why there is no file may be stored under the file's name.
"""

from __future__ import annotations

import io
import re
from functools import partial
from itertools import chain
from typing import IO, TYPE_CHECKING

from sources.text import one_line, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BEGINNING = 2**16
_PIECE = 2**20
_LOOKED_AT = 4096
"""Bytes in which a web page shows that it is one."""
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_PAGE_TITLE = re.compile(rb"<title[^>]*>([^<]{1,200})", re.IGNORECASE)


def lines_read_by(read: Callable[[bytes, io.BufferedReader], Iterator[bytes]], stream: IO[bytes]) -> io.BufferedReader:
    """Returns the lines that `read` makes of a file, as a stream; what it raises is raised where that is read.

    Args:
        read: Gets the first 64 KiB of the file, by which its form is known, and the whole file.
        stream: The file.
    """
    return io.BufferedReader(_ChunkStream(_lines(read, stream)), _PIECE)


def _lines(read: Callable[[bytes, io.BufferedReader], Iterator[bytes]], stream: IO[bytes]) -> Iterator[bytes]:
    first = stream.read(_BEGINNING)
    chunks = chain([first], iter(partial(stream.read, _PIECE), b""))
    yield from read(first, io.BufferedReader(_ChunkStream(chunks), _PIECE))


def is_web_page(first: bytes) -> bool:
    """Returns whether a file that begins with `first` is a web page."""
    return _HTML.search(first[:_LOOKED_AT]) is not None


def page_title(first: bytes) -> str:
    """Returns the title of a web page that begins with `first`, in brackets, with a blank before; empty without one."""
    title = _PAGE_TITLE.search(first)
    text = one_line(title[1].decode("utf-8", "replace")) if title else None
    return f" ({shown(text)!r})" if text else ""


class _ChunkStream(io.RawIOBase):
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

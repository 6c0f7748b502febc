"""A file of a DBLP release, in whichever form -> its records as lines of JSON."""

from __future__ import annotations

import io
import re
from functools import partial
from itertools import chain
from typing import IO, TYPE_CHECKING

from sources.errors import PayloadError
from sources.text import one_line, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOKED_AT = 2**16
"""Bytes at the beginning by which the form of a file is known."""
_PIECE = 2**20
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_ROOT = re.compile(rb"<dblp[\s>]")
_PAGE_TITLE = re.compile(rb"<title[^>]*>([^<]{1,200})", re.IGNORECASE)
WHERE_TO_GET_IT = "get it in a browser from https://dblp.org/xml/ or, as N-Triples, from https://dblp.org/rdf/"


def lines_of_release(stream: IO[bytes]) -> io.BufferedReader:
    """Returns the records of a release, XML or N-Triples, as lines of JSON; see `sources.dblp.entries`.

    To read them raises `PayloadError` where the release is in neither form, such as a web page, or breaks off.
    """
    return io.BufferedReader(ChunkStream(_lines_of(stream)), _PIECE)


def _lines_of(stream: IO[bytes]) -> Iterator[bytes]:
    # Read here, not above: who only looks papers up needs no parser.
    from sources.dblp.ntriples import lines_of_ntriples  # noqa: PLC0415
    from sources.dblp.xml_file import lines_of_xml  # noqa: PLC0415

    first = stream.read(_LOOKED_AT)
    whole = io.BufferedReader(ChunkStream(chain([first], iter(partial(stream.read, _PIECE), b""))), _PIECE)
    start = first.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<http", b"_:", b"#")):
        yield from lines_of_ntriples(whole)
        return
    if is_web_page(first) and not _ROOT.search(first[:4096]):
        raise PayloadError(f"it is a web page{page_title(first)}, not a release: {WHERE_TO_GET_IT}", source="dblp")
    if start.startswith((b"<?xml", b"<!DOCTYPE", b"<dblp", b"<!--", b"\xff\xfe", b"\xfe\xff")):
        yield from lines_of_xml(whole)
    else:
        seen = shown(first[:60].decode("utf-8", "replace"))
        raise PayloadError(
            f"it begins with {seen!r}, which is neither DBLP's XML nor N-Triples: {WHERE_TO_GET_IT}", source="dblp"
        )


def is_web_page(first: bytes) -> bool:
    """Returns whether a file that begins with `first` is a web page."""
    return _HTML.search(first[:4096]) is not None


def page_title(first: bytes) -> str:
    """Returns the title of a web page that begins with `first`, in brackets, with a blank before; empty without one."""
    title = _PAGE_TITLE.search(first)
    text = one_line(title[1].decode("utf-8", "replace")) if title else None
    return f" ({shown(text)!r})" if text else ""


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

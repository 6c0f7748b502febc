"""Caches the parser's results beside the lake, so that an unchanged list is not parsed again.

What is stored can be made again. It holds for this parser only, whose version is a digest of its code and data, and for
this year, as a mention of a year to come is none.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

import sources
from sources.clock import utc_today
from sources.lists import reading
from sources.lists.reading import ReadingList
from warehouse.durable_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warehouse.lake.place import LakePlace

_LARGEST = 1 << 28  # bytes of a file that is read; that of the largest list has a tenth


class ParsedLists:
    """A folder with a file for each list: the digest of its text and of the parser, and what that found in it.

    Args:
        place: The lake.
    """

    def __init__(self, place: LakePlace) -> None:
        self._folder = place.folder / "parsed"

    def parse(self, list_id: str, text: str) -> ReadingList:
        """Returns what the parser finds in the list: as stored if its text is as it was then, else read anew."""
        stored = self._read(list_id, _key(text))
        return reading.parse_reading_list(text) if stored is None else _LISTS.validate_json(stored)

    def store(self, list_id: str, text: str, parsed: ReadingList) -> None:
        """Stores what was found in the list, unless that is stored already.

        Raises:
            OSError: The folder cannot be written.
        """
        key = _key(text)
        if self._read(list_id, key) is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            body = _LISTS.dump_json(parsed)
            write_whole(self._file(list_id), b"\n".join((key, _digest([body]), body)))

    def forget(self, list_id: str) -> None:
        """Removes what is stored of the list."""
        self._file(list_id).unlink(missing_ok=True)

    def _read(self, list_id: str, key: bytes) -> bytes | None:
        """Returns what is stored of the list; None where that is of another text or parser, or damaged."""
        file = self._file(list_id)
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        stored_key, _, rest = file.read_bytes().partition(b"\n")
        digest, _, body = rest.partition(b"\n")
        return body if stored_key == key and digest == _digest([body]) else None

    def _file(self, list_id: str) -> Path:
        return self._folder / f"{list_id}.json"


_LISTS = TypeAdapter(ReadingList)


def _key(text: str) -> bytes:
    return _digest((_parser_version(), text.encode("utf-8", "surrogatepass")))


@cache
def _parser_version() -> bytes:
    """Returns a digest of all that the parser's findings depend on, besides the text."""
    folder = Path(sources.__file__).parent
    parts = (folder, folder / "bibliography", folder / "lists" / "reading")
    files = [file for part in parts for file in part.glob("*" if part == folder else "**/*")]
    code = (file.read_bytes() for file in sorted(files) if file.is_file() and file.suffix != ".pyc")
    libraries = (f"{name} {version(name)}".encode() for name in ("markdown-it-py", "mdit-py-plugins"))
    return _digest((*code, *libraries, sys.version.encode(), str(utc_today().year).encode()))


def _digest(parts: Iterable[bytes]) -> bytes:
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest().encode()

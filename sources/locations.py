"""LIST arguments -> the documents they name: files, folders, globs, standard input, https addresses, GitHub files.

Every argument is read before anything is done with any, so that a wrong one costs nothing.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sources.decoding import decode_list
from sources.errors import PermanentSourceError, UsageError
from sources.github import GithubFile, parse_github
from sources.list_urls import without_secrets
from sources.local_files import MAX_FILE_BYTES, check_size, find_list_files, read_list_file
from sources.remote import Fetched, fetch_list

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

Fetch = Callable[[str], Fetched]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A reading list as read.

    Attributes:
        location: Where it stands and what it is known by: the absolute POSIX path of a file, the https address (secrets
            in its query masked), `github:owner/name[@ref]/path`, or `-` for standard input.
        text: The text, without a byte-order mark; never empty.
        revision: Hexadecimal SHA-256 of the bytes as read, before decoding.
    """

    location: str
    text: str
    revision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """Bytes, where they were found, and the encoding that came with them."""

    key: str
    location: str
    body: bytes
    charset: str | None = None


def read_lists(arguments: Sequence[str], *, stdin: BinaryIO | None = None, fetch: Fetch = fetch_list) -> list[Document]:
    """Returns the documents that the LIST arguments name, in order, each once however often it is named.

    Args:
        arguments: Files, folders, globs, `-`, https addresses, `github:owner/name[@ref][/path]`.
        stdin: What `-` reads; None means this process's standard input.
        fetch: Reads an https address.

    Raises:
        UsageError: An argument that names nothing readable; the message says which, and what to do.
        SourceError: An address could not be read.
    """
    documents: dict[str, Document] = {}
    for argument in dict.fromkeys(arguments):
        for read in _read(argument, stdin, fetch):
            if read.key not in documents:
                documents[read.key] = _document(read)
    return list(documents.values())


def _document(read: _Read) -> Document:
    text = decode_list(read.body, name=_shown(read.location), declared=read.charset)
    return Document(location=read.location, text=text, revision=hashlib.sha256(read.body).hexdigest())


def _read(argument: str, stdin: BinaryIO | None, fetch: Fetch) -> Iterator[_Read]:
    if not argument.strip():
        raise UsageError("an empty LIST argument; name a file, a folder, a glob, -, an https URL or github:owner/name")
    if argument == "-":
        yield _from_stdin(sys.stdin.buffer if stdin is None else stdin)
    elif (github := parse_github(argument)) is not None:
        yield _from_github(github, fetch)
    elif _URL.match(argument):
        yield _from_url(argument, fetch)
    else:
        yield from map(_from_file, find_list_files(argument, shown=_shown(argument)))


def _from_file(path: Path) -> _Read:
    """Reads one file, known by its name in its real folder: a link that is pointed elsewhere stays the same list."""
    real = path.resolve()
    location = _text(path.parent.resolve() / path.name)
    return _Read(key=f"file:{real}", location=location, body=read_list_file(path, shown=_shown(location)))


def _from_stdin(stdin: BinaryIO) -> _Read:
    body = stdin.read(MAX_FILE_BYTES + 1)
    check_size(body, limit=MAX_FILE_BYTES, shown="standard input")
    return _Read(key="-", location="-", body=body)


def _from_url(url: str, fetch: Fetch) -> _Read:
    found = fetch(url)
    location = without_secrets(url)
    return _Read(key=location, location=location, body=found.body, charset=found.charset)


def _from_github(named: GithubFile, fetch: Fetch) -> _Read:
    for file in named.alternatives():
        try:
            found = fetch(file.raw_url)
        except PermanentSourceError as error:
            if error.status != 404:
                raise
            continue
        return _Read(key=file.location.casefold(), location=file.location, body=found.body, charset=found.charset)
    raise PermanentSourceError(
        f"{named.location} has no such file and no README, or is private; name the file: github:owner/name/path",
        source="list",
        url=named.raw_url,
        status=404,
    )


def _text(path: Path) -> str:
    """Returns the path as text that every store can hold: bytes that are no text are written out."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _shown(text: str) -> str:
    """Returns `text` on one line and without control characters, for a message."""
    return (
        "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in text) if text != "-" else "standard input"
    )

"""Reads the documents of LIST arguments: files, folders, globs, standard input, https addresses, GitHub files.

Every argument is read before anything is done with any, so that a wrong one costs nothing.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from sources.errors import EmptyList, NoSuchList, PaperlakeError, PermanentSourceError, SourceError, UsageError
from sources.lists.list_urls import (
    Fetched,
    GithubFile,
    host_and_port,
    identity_of,
    is_masked,
    parse_github,
    shown_url,
    without_secrets,
)
from sources.lists.local_files import decode_list, find_list_files, read_limited, read_list_file

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

Fetch = Callable[[str], Fetched]


def _from_internet(url: str) -> Fetched:
    from sources.lists.remote import fetch_list  # noqa: PLC0415 - only where there is something to fetch

    return fetch_list(url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDocument:
    """A reading list as read."""

    # where it is, to be shown and stored: the absolute POSIX path of a file, the https address (secrets masked),
    # `github:owner/name[@ref]/path`, or `-` for standard input
    location: str
    text: str  # the text, without a byte-order mark; never empty
    revision: str  # hexadecimal SHA-256 of the bytes as read, before decoding
    identity: str = ""  # what it is known by; empty where that is the location. Holds no secret.


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A list, or all that an argument stands for, that could not be read."""

    location: str  # where it should be; a folder, or a repository, where the argument names one
    error: PaperlakeError  # why it could not be read
    argument: str = ""  # the LIST argument, where that as a whole came to nothing
    identity: str = ""  # what the list would be known by; empty where that is the location

    @property
    def kind(self) -> Literal["gone", "empty", "unreadable"]:
        """Returns whether there is nothing any more, or no text in it, or something else is wrong."""
        error = self.error
        if isinstance(error, NoSuchList) or (isinstance(error, SourceError) and error.status in (404, 410)):
            return "gone"
        return "empty" if isinstance(error, EmptyList) else "unreadable"


class Readings(NamedTuple):
    """What LIST arguments came to: the lists that were read, in order, each once, and what could not be read."""

    documents: tuple[ListDocument, ...]
    unread: tuple[Unread, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    """A list that an argument names."""

    key: str  # what it is read once by
    location: str
    read: Callable[[], tuple[Fetched, str | None]]  # returns its bytes, with its location where that is found only now
    identity: str = ""


def read_lists(
    arguments: Sequence[str], *, stdin: BinaryIO | None = None, fetch: Fetch = _from_internet
) -> list[ListDocument]:
    """Returns the documents that the LIST arguments name, in order, each once however often it is named.

    Arguments are files, folders, globs, `-` for `stdin`, https addresses and `github:owner/name[@ref][/path]`.

    Raises:
        UsageError: An argument that names nothing readable; the message says which, and what to do.
        SourceError: An address could not be read.
    """
    read = try_lists(arguments, stdin=stdin, fetch=fetch)
    for item in read.unread:
        raise item.error
    return list(read.documents)


def try_lists(arguments: Sequence[str], *, stdin: BinaryIO | None = None, fetch: Fetch = _from_internet) -> Readings:
    """Returns what `read_lists` would, and beside it what could not be read, where that raises."""
    documents: dict[str, ListDocument] = {}
    unread: dict[str, Unread] = {}
    for argument in dict.fromkeys(arguments):
        try:
            sources = list(_sources(argument, stdin, fetch))
        except PaperlakeError as error:
            unread[argument] = Unread(location=_location_of(argument), error=error, argument=argument)
            continue
        for source in sources:
            if source.key in documents:
                if source.key == f"file:{source.location}":  # of a file and a link to it, the file gives the name
                    documents[source.key] = replace(documents[source.key], location=source.location)
            elif source.key not in unread:
                try:
                    document = _document(source)
                except PaperlakeError as error:
                    unread[source.key] = Unread(location=source.location, error=error, identity=source.identity)
                else:
                    is_found = document.location != source.location  # a repository's README, by its own name
                    documents.setdefault(document.location.casefold() if is_found else source.key, document)
    return Readings(tuple(documents.values()), tuple(unread.values()))


def _document(source: _Source) -> ListDocument:
    found, location = source.read()
    location = location or source.location
    name = _shown(location)
    if not found.body.strip():
        raise EmptyList(f"{name} is empty; give a list that names papers")
    return ListDocument(
        location=location,
        text=decode_list(found.body, name=name, declared=found.charset),
        revision=hashlib.sha256(found.body).hexdigest(),
        identity=source.identity,
    )


def _sources(argument: str, stdin: BinaryIO | None, fetch: Fetch) -> Iterator[_Source]:
    if not argument.strip():
        raise UsageError("an empty LIST argument; name a file, a folder, a glob, -, an https URL or github:owner/name")
    if argument == "-":
        yield _Source(
            key="-",
            location="-",
            read=lambda: (Fetched(body=read_limited(stdin or sys.stdin.buffer, shown="standard input")), None),
        )
    elif (github := parse_github(argument)) is not None:
        where = github.location
        yield _Source(key=where.casefold(), location=where, read=lambda: _read_github(github, fetch))
    elif _URL.match(argument):
        host_and_port(argument)
        if is_masked(argument):
            raise UsageError(
                f"{shown_url(argument)} was read with a secret, which is not kept: name the whole address, or set it in"
                " PAPERLAKE_LISTS"
            )
        location, identity = without_secrets(argument), identity_of(argument)
        yield _Source(
            key=identity,
            location=location,
            read=lambda: (fetch(argument), None),
            identity="" if identity == location else identity,
        )
    else:
        yield from map(_from_file, find_list_files(argument, shown=_shown(argument)))


def _from_file(path: Path) -> _Source:
    """Returns one file, known by its name in its real folder: a link that is pointed elsewhere stays the same list."""
    location = _text(path.parent.resolve() / path.name)
    return _Source(
        key=f"file:{path.resolve()}",
        location=location,
        read=lambda: (Fetched(body=read_list_file(path, shown=_shown(location))), None),
    )


def _read_github(named: GithubFile, fetch: Fetch) -> tuple[Fetched, str]:
    for file in named.alternatives():
        try:
            return fetch(file.raw_url), file.location
        except PermanentSourceError as error:
            if error.status != 404:
                raise
    raise PermanentSourceError(
        f"{named.location} has no such file and no README, or is private; name the file: github:owner/name/path",
        source="list",
        url=named.raw_url,
        status=404,
    )


def _location_of(argument: str) -> str:
    """Returns where the list that `argument` names would be, as far as that is known without finding it."""
    if _URL.match(argument):
        return argument if is_masked(argument) else shown_url(argument)
    try:
        path = Path(argument).expanduser()
        return _text(path.parent.resolve() / path.name)
    except (OSError, ValueError, RuntimeError):
        return _shown(argument)


def _text(path: Path) -> str:
    """Returns the path as text that every store can hold: bytes that are no text are written out."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _shown(text: str) -> str:
    """Returns `text` on one line and without control characters, for a message."""
    return (
        "".join(mark if mark.isprintable() else repr(mark)[1:-1] for mark in text) if text != "-" else "standard input"
    )

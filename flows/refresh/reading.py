"""Reads and parses the lists of a run, with the decisions on them; faults of lists are reported, not raised.

A list that is missing, unreadable or empty keeps its mentions; the run continues with the others, reports it, and its
row says why. Only `--force` removes the mentions of a missing or empty list, never those of an unreadable one.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter

import sources
from flows.progress import Reporter, Silent
from flows.refresh.mention_history import list_id_of
from flows.review.decisions import Decision, DecisionFiles
from sources.clock import utc_today
from sources.errors import TransientSourceError, UsageError
from sources.lists import reading
from sources.lists.list_urls import parse_github
from sources.lists.local_files import would_find
from sources.lists.locations import ListDocument, Unread, try_lists
from sources.lists.reading import ReadingList
from sources.text import counted, shown
from warehouse.durable_files import write_whole
from warehouse.lake.ownership import former_folder
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.papers.lake_papers import KnownPapers, StandingList
from warehouse.tables.declarations import ReadingListRow

_LARGEST = 1 << 28  # bytes of a file that is read; that of the largest list has a tenth


class ParsedLists:
    """A folder with a file for each list: the digest of its text and of the parser, and what that found in it."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedList:
    """A list as read, with what the parser found in it and the decisions on it."""

    document: ListDocument
    reading_list: ReadingList
    decisions: tuple[Decision, ...] = ()

    @property
    def list_id(self) -> str:
        """Returns the list's identifier in the lake."""
        return _list_id(self.document)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The lists that a run names."""

    lists: tuple[ParsedList, ...]  # those that name papers
    bare: tuple[ParsedList, ...] = ()  # those that were read and name none
    unread: tuple[Unread, ...] = ()  # those that could not be read
    named: tuple[str, ...] = ()  # the LIST arguments
    # former location of a list beside the lake, which has been moved with it -> the present one
    moved: Mapping[str, str] = field(default_factory=dict)


def read_and_parse(
    arguments: Sequence[str],
    place: LakePlace,
    *,
    configured: Sequence[str] = (),
    report: Reporter | None = None,
    force: bool = False,
) -> Reading:
    """Reads the lists named by `arguments`, else the configured ones, else all that the lake knows, and parses them.

    A list that cannot be read, or whose address does not answer, does not stop the others.

    With `force` it is accepted that none of the lists names a paper, where the lake knows them.

    Raises:
        UsageError: There is no list, or none can be read, or none names a paper, or a file of decisions is broken.
        SourceError: The same for a list's address.
    """
    rows: list[ReadingListRow] = []
    if place.exists:
        with closing(open_lake(place)) as connection:
            rows = KnownPapers(connection).all_lists()
    moved = _moved_with_lake(place, rows)
    named = tuple(arguments) or tuple(configured)
    named = named or tuple(moved.get(at, at) for row in rows if (at := row["location"]) != "-")
    if not named:
        raise UsageError(
            "no list named, and the lake knows none yet: `paperlake refresh LIST`, where LIST is a file,"
            " a folder, an https address or github:owner/name"
        )
    readings = try_lists(named)
    if readings.unread and not readings.documents:
        for item in readings.unread:
            is_known = any(is_of(row, item) for row in rows)
            if not is_known and not isinstance(item.error, TransientSourceError):
                raise item.error
    documents = _by_known_paths(readings.documents, rows)
    stored, parsed = ParsedLists(place), []
    done = (report or Silent()).stage("Reading the lists", len(documents), "lists")
    for document in documents:
        parsed.append(ParsedList(document=document, reading_list=stored.parse(_list_id(document), document.text)))
        done(1)
    lists = [item for item in parsed if item.reading_list.mentions]
    is_all_absent = all(item.kind != "unreadable" for item in readings.unread)
    if not lists and not (force and is_all_absent and rows):
        if not parsed:
            raise readings.unread[0].error
        where = shown(parsed[0].document.location) if len(parsed) == 1 else f"any of {len(parsed)} lists"
        raise UsageError(f"no paper is named in {where}: is it a reading list? `paperlake parse --explain` tells more")
    files = DecisionFiles(place.folder)
    return Reading(
        lists=tuple(replace(item, decisions=files.of(item.document.location)) for item in lists),
        bare=tuple(item for item in parsed if not item.reading_list.mentions),
        unread=readings.unread,
        named=named,
        moved=moved,
    )


def _moved_with_lake(place: LakePlace, rows: Sequence[ReadingListRow]) -> dict[str, str]:
    """Returns former location -> present one, of lists below the folder that holds the lake, if that was moved.

    A list that is still at its former location stays where it is: then the lake was copied.
    """
    former = former_folder(place)
    if former is None:
        return {}
    files = (Path(row["location"]) for row in rows)
    beside = [file for file in files if file.is_relative_to(former.parent) and not file.exists()]
    found = {file: place.folder.parent / file.relative_to(former.parent) for file in beside}
    return {file.as_posix(): now.as_posix() for file, now in found.items() if now.is_file()}


def _by_known_paths(documents: Sequence[ListDocument], rows: Sequence[ReadingListRow]) -> list[ListDocument]:
    """Returns the documents, a file that the lake knows only by another path, as by a link to it, under that."""
    known = [Path(row["location"]) for row in rows]
    locations = {path.as_posix() for path in known}
    new = {item.location for item in documents if _is_local(item.location) and item.location not in locations}
    places = {path.resolve(): path.as_posix() for path in reversed(known) if path.is_absolute()} if new else {}
    return [
        replace(item, location=places.get(Path(item.location).resolve(), item.location))
        if item.location in new
        else item
        for item in documents
    ]


def store_parsed(reading: Reading, place: LakePlace) -> None:
    """Stores what the parser found in the lists; where that is not possible, it reads them again the next time."""
    stored = ParsedLists(place)
    with suppress(OSError):
        for item in (*reading.lists, *reading.bare):
            stored.store(item.list_id, item.document.text, item.reading_list)


def _list_id(document: ListDocument) -> str:
    return list_id_of(document.identity or document.location)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFault:
    """The fault of one list."""

    message: str  # what is wrong, in one sentence
    list_id: str = ""  # the list; empty where the lake does not know it
    is_absent: bool = False  # whether it is missing or empty, so that `--force` may remove its mentions


def list_faults(
    known: KnownPapers, *, named: Sequence[str], unread: Sequence[Unread], read: Collection[str], bare: Collection[str]
) -> list[ListFault]:
    """Returns the faults of the lists that `named` names.

    `bare` are the identifiers of those lists among the `read` ones that name no paper.
    """
    searches = []  # folders and globs, which may find fewer lists than before
    for argument in named:
        if argument != "-" and "://" not in argument and not argument.startswith("github:"):
            with suppress(OSError, ValueError, RuntimeError):
                if not Path(argument).expanduser().is_file():
                    searches.append(argument)
    if not (unread or bare or searches):
        return []
    rows = known.standing_lists()
    empty = (row for row in rows if row["list_id"] in bare and row["standing"])
    faults = [
        *_unread(rows, unread, read),
        *(_fault(row, f"{row['location']} names no paper any more", is_absent=True) for row in empty),
    ]
    for row in rows:  # missing ones that a folder or glob would name if they existed
        if row["list_id"] in read or not row["standing"] or not _is_local(row["location"]):
            continue
        file = Path(row["location"])
        is_reported = any(is_of(row, item) for item in unread)
        if not is_reported and not file.exists() and any(would_find(argument, file) for argument in searches):
            faults.append(_fault(row, f"{file} is no longer there", is_absent=True))
    return faults


def is_of(row: ReadingListRow, unread: Unread) -> bool:
    """Returns whether the list of `row` is the one that could not be read, or belongs to it."""
    location = row["location"]
    if unread.identity:
        return row["list_id"] == list_id_of(unread.identity)
    if location == unread.location:
        return True
    if unread.location.startswith("github:"):
        repository = parse_github(unread.location)
        files = repository.alternatives() if repository else []
        return location.casefold() in {file.location.casefold() for file in files}
    return bool(unread.argument) and _is_local(location) and would_find(unread.argument, Path(location))


def _unread(rows: Sequence[StandingList], unread: Sequence[Unread], read: Collection[str]) -> Iterator[ListFault]:
    for item in unread:
        error = f"{item.error}".rstrip(".")
        of_it = [row for row in rows if row["list_id"] not in read and is_of(row, item)]
        if not of_it:
            yield ListFault(message=error)
        for row in of_it:
            if item.kind != "unreadable" and not row["standing"]:
                continue  # its mentions were removed with --force
            where = "" if row["location"] in error else f"{row['location']}: "
            yield _fault(row, f"{where}{error}", is_absent=item.kind != "unreadable")


def _fault(row: StandingList, what: str, *, is_absent: bool) -> ListFault:
    count = counted(row["standing"], "mention")
    if_meant = "; if that is meant, refresh it with --force" if is_absent else ""
    return ListFault(
        message=f"{what}; its {count} stay as they were{if_meant}", list_id=row["list_id"], is_absent=is_absent
    )


def _is_local(location: str) -> bool:
    return Path(location).is_absolute()

"""The lists as read now beside the lists as the lake knows them: which mentions are new, gone, or still open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sources.errors import UsageError
from sources.locations import read_lists
from sources.reading_list import parse_reading_list
from warehouse.known import KnownPapers
from warehouse.lake import LakePlace, open_lake
from warehouse.mention_history import list_id_of, revise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sources.locations import Document
    from sources.reading_list import ReadingList
    from sources.records import Mention

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedList:
    """A list as read, with what the parser found in it."""

    document: Document
    reading_list: ReadingList

    @property
    def list_id(self) -> str:
        """Returns the list's identifier in the lake."""
        return list_id_of(self.document.location)


@dataclass(slots=True, kw_only=True)
class Entry:
    """A mention that stands in its list now: its row, which the run brings up to date, and what the parser said.

    Attributes:
        row: The row of `mentions`.
        mention: The parser's words.
        candidates: Rows of `candidates`; None where the run gave no verdict, and what the lake has stays.
        findings: Rows of `findings` that go with them.
    """

    row: Row
    mention: Mention
    candidates: list[Row] | None = None
    findings: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """What one run knows of its lists.

    Attributes:
        lists: Rows of `reading_lists`.
        entries: Mentions standing in the lists.
        gone: Rows of mentions that have left them.
    """

    lists: tuple[Row, ...]
    entries: tuple[Entry, ...]
    gone: tuple[Row, ...]


def read_and_parse(arguments: Sequence[str], place: LakePlace, *, configured: Sequence[str] = ()) -> list[ParsedList]:
    """Returns the lists named by `arguments`, else the configured ones, else all that the lake knows, parsed.

    Raises:
        UsageError: There is no list, or one cannot be read, or none names a paper.
        SourceError: A list's address could not be read.
    """
    named = list(arguments) or list(configured) or _lists_of(place)
    if not named:
        raise UsageError(
            "no list named, and the lake knows none yet: `paperlake refresh LIST`, where LIST is a file,"
            " a folder, an https address or github:owner/name"
        )
    return parse_documents(read_lists(named))


def _lists_of(place: LakePlace) -> list[str]:
    if not place.exists:
        return []
    connection = open_lake(place)
    try:
        return KnownPapers(connection).locations()
    finally:
        connection.close()


def parse_documents(documents: Iterable[Document]) -> list[ParsedList]:
    """Returns the documents that hold papers, parsed; those without any are left out.

    Raises:
        UsageError: None of them names a paper.
    """
    parsed = [ParsedList(document=one, reading_list=parse_reading_list(one.text)) for one in documents]
    named = [one for one in parsed if one.reading_list.mentions]
    if not named:
        where = parsed[0].document.location if len(parsed) == 1 else f"any of {len(parsed)} lists"
        raise UsageError(f"no paper is named in {where}: is it a reading list? `paperlake parse --explain` tells more")
    return named


def compare(parsed: Sequence[ParsedList], known: KnownPapers, *, now: datetime) -> Revisions:
    """Returns the lists' rows as they are after this reading."""
    ids = [one.list_id for one in parsed]
    before = {row["list_id"]: row for row in known.lists(ids)}
    stored: dict[str, list[Row]] = {list_id: [] for list_id in ids}
    for row in known.mentions(ids):
        stored[row["list_id"]].append(row)
    lists, entries, gone = [], [], []
    for one in parsed:
        lists.append(_list_row(one, before.get(one.list_id), now))
        mentions = one.reading_list.mentions
        for row, mention in revise(stored[one.list_id], mentions, list_id=one.list_id, now=now):
            if mention is None:
                gone.append(row)
            else:
                entries.append(Entry(row=row, mention=mention))
    return Revisions(lists=tuple(lists), entries=tuple(entries), gone=tuple(gone))


def _list_row(parsed: ParsedList, before: Row | None, now: datetime) -> Row:
    same = before is not None and before["revision"] == parsed.document.revision
    return {
        "list_id": parsed.list_id,
        "location": parsed.document.location,
        "title": parsed.reading_list.title,
        "revision": parsed.document.revision,
        "first_seen_at": before["first_seen_at"] if before else now,
        "parsed_at": before["parsed_at"] if before and same else now,
    }

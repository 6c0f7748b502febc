"""The lists as read now beside the lists as the lake knows them: which mentions are new, gone, or still open."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from flows.decision_files import DecisionFiles
from flows.decisions import Spot, assign
from flows.progress import Silent
from sources.errors import UsageError
from sources.locations import read_lists
from sources.reading_list import parse_reading_list
from warehouse.known import KnownPapers
from warehouse.lake import LakePlace, open_lake
from warehouse.mention_history import list_id_of, reopened, revise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from flows.decisions import Decision
    from flows.progress import Reporter
    from sources.locations import Document
    from sources.reading_list import ReadingList
    from sources.records import Mention

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedList:
    """A list as read, with what the parser found in it and what people decided about it."""

    document: Document
    reading_list: ReadingList
    decisions: tuple[Decision, ...] = ()

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
        decision: What a person decided about it.
    """

    row: Row
    mention: Mention
    decision: Decision | None = None
    candidates: list[Row] | None = None
    findings: list[Row] = field(default_factory=list)

    @property
    def is_ruled(self) -> bool:
        """Returns whether a person decided what it is, so that nothing is left to weigh."""
        return self.decision is not None and not self.decision.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """What one run knows of its lists.

    Attributes:
        lists: Rows of `reading_lists`.
        entries: Mentions standing in the lists.
        gone: Rows of mentions that have left them.
        idle: Decisions about mentions that do not stand in their list.
    """

    lists: tuple[Row, ...]
    entries: tuple[Entry, ...]
    gone: tuple[Row, ...]
    idle: tuple[Decision, ...] = ()

    @property
    def unfound(self) -> tuple[Decision, ...]:
        """Returns the decisions that name a paper which no source has."""
        ruled = [one for one in self.entries if one.is_ruled and one.row["status"] == "not_found"]
        return tuple(dict.fromkeys(one.decision for one in ruled if one.decision and one.decision.paper))


def read_and_parse(
    arguments: Sequence[str], place: LakePlace, *, configured: Sequence[str] = (), report: Reporter | None = None
) -> list[ParsedList]:
    """Returns the lists named by `arguments`, else the configured ones, else all that the lake knows, parsed.

    Args:
        arguments: What the user names.
        place: The lake.
        configured: Those of the settings.
        report: Told how far it is.

    Raises:
        UsageError: There is no list, or one cannot be read, or none names a paper, or a decisions file is broken.
        SourceError: A list's address could not be read.
    """
    named = list(arguments) or list(configured) or _lists_of(place)
    if not named:
        raise UsageError(
            "no list named, and the lake knows none yet: `paperlake refresh LIST`, where LIST is a file,"
            " a folder, an https address or github:owner/name"
        )
    files = DecisionFiles(place.folder)
    parsed = parse_documents(read_lists(named), report=report)
    return [replace(one, decisions=files.of(one.document.location)) for one in parsed]


def _lists_of(place: LakePlace) -> list[str]:
    if not place.exists:
        return []
    connection = open_lake(place)
    try:
        return KnownPapers(connection).locations()
    finally:
        connection.close()


def parse_documents(documents: Sequence[Document], *, report: Reporter | None = None) -> list[ParsedList]:
    """Returns the documents that hold papers, parsed; those without any are left out.

    Raises:
        UsageError: None of them names a paper.
    """
    done = (report or Silent()).stage("Reading the lists", len(documents), "lists")
    parsed = []
    for one in documents:
        parsed.append(ParsedList(document=one, reading_list=parse_reading_list(one.text)))
        done(1)
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
    lists, entries, gone, idle = [], [], [], []
    for one in parsed:
        lists.append(_list_row(one, before.get(one.list_id), now))
        mentions = one.reading_list.mentions
        decided, about_nothing = assign(one.decisions, [spot_of(mention) for mention in mentions])
        idle += about_nothing
        for index, (row, mention) in enumerate(_revised(one, before, stored, now)):
            if mention is None:
                gone.append(row)
            else:
                entries.append(_entry(row, mention, decided.get(index)))
    return Revisions(lists=tuple(lists), entries=tuple(entries), gone=tuple(gone), idle=tuple(idle))


def spot_of(mention: Mention) -> Spot:
    """Returns what a decision can tell the mention by."""
    return Spot(title=mention.title, url=mention.url, text=mention.text, section=tuple(mention.section))


def _entry(row: Row, mention: Mention, decision: Decision | None) -> Entry:
    """Returns the mention with the decision on it; where that is another than the lake knows, it is open again."""
    ruling = decision.ruling if decision else None
    if row["decision"] != ruling:
        row = reopened(row) | {"decision": ruling}
    return Entry(row=row, mention=mention, decision=decision)


def _revised(
    parsed: ParsedList, before: Mapping[str, Row], stored: Mapping[str, list[Row]], now: datetime
) -> list[tuple[Row, Mention | None]]:
    held = before.get(parsed.list_id)
    revised = held is not None and held["revision"] != parsed.document.revision
    mentions = parsed.reading_list.mentions
    return revise(stored[parsed.list_id], mentions, list_id=parsed.list_id, now=now, revised=revised)


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

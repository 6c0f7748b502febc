"""The lists as read now beside the lists as the lake knows them: which mentions are new, gone, or still open."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flows.progress import Silent
from flows.refresh.list_faults import list_faults, moved_lists, refuse_unknown
from flows.refresh.mention_history import list_id_of, reopened, revise, revise_possible
from flows.review.decision_files import DecisionFiles
from flows.review.decisions import MentionKey, assign
from sources.errors import UsageError
from sources.lists.locations import try_lists
from sources.reading_list import parse_reading_list
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.papers.lake_papers import KnownPapers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from flows.progress import Reporter
    from flows.review.decisions import Decision
    from sources.lists.locations import Document, Unread
    from sources.reading_list import ReadingList
    from sources.records import Mention
    from warehouse.tables.rows import CandidateRow, FindingRow, MentionRow, ReadingListRow


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedList:
    """A list as read, with what the parser found in it and what people decided about it."""

    document: Document
    reading_list: ReadingList
    decisions: tuple[Decision, ...] = ()

    @property
    def list_id(self) -> str:
        """Returns the list's identifier in the lake."""
        return list_id_of(self.document.identity or self.document.location)

    @property
    def former_list_id(self) -> str | None:
        """Returns the identifier that earlier versions gave it; None where that is the same."""
        return list_id_of(self.document.former_location) if self.document.former_location else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the lists that a run names came to.

    Attributes:
        lists: Those that name papers.
        bare: Those that were read and name none.
        unread: Those that could not be read.
        named: The LIST arguments.
    """

    lists: tuple[ParsedList, ...]
    bare: tuple[ParsedList, ...] = ()
    unread: tuple[Unread, ...] = ()
    named: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Entry:
    """A mention that stands in its list now: its row, which the run brings up to date, and what the parser said.

    Attributes:
        row: The row of `mentions`.
        mention: The parser's words.
        candidates: Rows of `candidates`; None where the run gave no verdict, and what the lake has stays.
        findings: Rows of `findings` that go with them.
        decision: What a person decided about it.
        before: Of a possible title, its row in the lake; None where it has none, and for mentions.
    """

    row: MentionRow
    mention: Mention
    decision: Decision | None = None
    candidates: list[CandidateRow] | None = None
    findings: list[FindingRow] = field(default_factory=list)
    before: MentionRow | None = None

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
        possible: What may be titles in them; a mention only where its row is resolved.
        gone: Rows of mentions that have left them.
        idle: Decisions about mentions that do not stand in their list.
        read: How many lists were read that name papers.
        problems: What is wrong with lists that should have been read, a sentence each.
        renamed: Lists that an earlier version knew by another identifier: that -> the one of now.
    """

    lists: tuple[ReadingListRow, ...]
    entries: tuple[Entry, ...]
    gone: tuple[MentionRow, ...]
    idle: tuple[Decision, ...] = ()
    read: int = 0
    problems: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    possible: tuple[Entry, ...] = ()

    @property
    def unfound(self) -> tuple[Decision, ...]:
        """Returns the decisions that name a paper which no source has."""
        ruled = [entry for entry in self.entries if entry.is_ruled and entry.row["status"] == "not_found"]
        return tuple(dict.fromkeys(item.decision for item in ruled if item.decision and item.decision.paper))

    def settled(self, *, now: datetime) -> Revisions:
        """Returns the same with the possible titles that proved to be papers' as mentions, and without the others."""
        papers = tuple(item for item in self.possible if item.row["status"] == "resolved")
        left = (item.before for item in self.possible if item.row["status"] != "resolved" and item.before is not None)
        gone = tuple(row | {"removed_at": row["removed_at"] or now} for row in left)
        return replace(self, entries=(*self.entries, *papers), gone=(*self.gone, *gone), possible=())


def read_and_parse(
    arguments: Sequence[str],
    place: LakePlace,
    *,
    configured: Sequence[str] = (),
    report: Reporter | None = None,
    force: bool = False,
) -> Reading:
    """Reads the lists named by `arguments`, else the configured ones, else all that the lake knows, and parses them.

    A list of the lake that cannot be read, and one whose address does not answer, holds up none of the others.

    Args:
        arguments: What the user names.
        place: The lake.
        configured: Those of the settings.
        report: Told how far it is.
        force: Let also lists pass of which none names a paper, where the lake knows them.

    Raises:
        UsageError: There is no list, or none can be read, or one that the lake does not know cannot, or none names a
            paper, or a decisions file is broken.
        SourceError: The same of a list's address.
    """
    named = tuple(arguments) or tuple(configured) or _lists_of(place)
    if not named:
        raise UsageError(
            "no list named, and the lake knows none yet: `paperlake refresh LIST`, where LIST is a file,"
            " a folder, an https address or github:owner/name"
        )
    readings = try_lists(named)
    if readings.unread:
        refuse_unknown(readings.unread, _rows_of(place))
    parsed = parse_documents(readings.documents, report=report)
    lists = [item for item in parsed if item.reading_list.mentions]
    is_all_absent = all(item.kind != "unreadable" for item in readings.unread)
    if not lists and not (force and is_all_absent and _rows_of(place)):
        if not parsed:
            raise readings.unread[0].error
        where = parsed[0].document.location if len(parsed) == 1 else f"any of {len(parsed)} lists"
        raise UsageError(f"no paper is named in {where}: is it a reading list? `paperlake parse --explain` tells more")
    files = DecisionFiles(place.folder)
    return Reading(
        lists=tuple(replace(item, decisions=files.of(item.document.location)) for item in lists),
        bare=tuple(item for item in parsed if not item.reading_list.mentions),
        unread=readings.unread,
        named=named,
    )


def _lists_of(place: LakePlace) -> tuple[str, ...]:
    """Returns where the lists of the lake can be read again; what came from standard input cannot."""
    return tuple(row["location"] for row in _rows_of(place) if row["location"] != "-")


def _rows_of(place: LakePlace) -> list[ReadingListRow]:
    if not place.exists:
        return []
    with closing(open_lake(place)) as connection:
        return KnownPapers(connection).all_lists()


def parse_documents(documents: Sequence[Document], *, report: Reporter | None = None) -> list[ParsedList]:
    """Returns the documents, parsed."""
    done = (report or Silent()).stage("Reading the lists", len(documents), "lists")
    parsed = []
    for document in documents:
        parsed.append(ParsedList(document=document, reading_list=parse_reading_list(document.text)))
        done(1)
    return parsed


def compare(reading: Reading, known: KnownPapers, *, now: datetime, force: bool = False) -> Revisions:
    """Returns the lists' rows as they are after this reading; `force` takes lists that are gone or empty for emptied.

    A list that could not be read, or names no paper any more, keeps its mentions, and its row says why.
    """
    parsed = reading.lists
    ids = {item.list_id for item in (*parsed, *reading.bare)}
    formers = {item.former_list_id for item in parsed if item.former_list_id}
    before = {row["list_id"]: row for row in known.lists(sorted(ids.union(formers)))}
    renamed = _renamed(parsed, before)
    known_already = before.keys() | renamed.values()
    unknown = {item.list_id: item.document.revision for item in parsed if item.list_id not in known_already}
    for moved, now_id in moved_lists(unknown, known):
        before[moved["list_id"]] = moved
        renamed[moved["list_id"]] = now_id
    before |= {now_id: before[former] for former, now_id in renamed.items()}
    stored: dict[str, list[MentionRow]] = {list_id: [] for list_id in ids}
    for row in known.mentions([*ids, *renamed]):
        list_id = str(renamed.get(row["list_id"], row["list_id"]))
        stored[list_id].append(row | {"list_id": list_id})
    lists, entries, possible, gone, idle = [], [], [], [], []
    for each in parsed:
        lists.append(_list_row(each, before.get(each.list_id), now))
        revised = _Revised.of(each, before.get(each.list_id), stored[each.list_id], now)
        standing, maybe, about_nothing = revised.decided(each.decisions)
        entries += standing
        possible += maybe
        gone += revised.gone
        idle += about_nothing
    faulty = _faulty(reading, known, ids.union(renamed), now=now, force=force)
    return Revisions(
        lists=(*lists, *faulty.lists),
        entries=tuple(entries),
        gone=(*gone, *faulty.gone),
        idle=tuple(idle),
        read=len(parsed),
        problems=faulty.problems,
        renamed=renamed,
        possible=tuple(possible),
    )


def _renamed(parsed: Sequence[ParsedList], before: Mapping[str, ReadingListRow]) -> dict[str, str]:
    """Returns former identifier -> identifier, for lists that the lake knows only by the former one.

    Where several claim it, as addresses did that differ in what was masked, it is the one whose text it last was.
    """
    claims: dict[str, list[ParsedList]] = {}
    for each in parsed:
        if each.former_list_id and each.former_list_id in before and each.list_id not in before:
            claims.setdefault(each.former_list_id, []).append(each)
    return {
        former: max(claimants, key=lambda item: item.document.revision == before[former]["revision"]).list_id
        for former, claimants in claims.items()
    }


def _faulty(reading: Reading, known: KnownPapers, read: AbstractSet[str], *, now: datetime, force: bool) -> Revisions:
    """Returns the rows of lists that should have been read and were not, and what to say of them."""
    bare = {list_id for item in reading.bare for list_id in (item.list_id, item.former_list_id) if list_id}
    faults = list_faults(known, named=reading.named, unread=reading.unread, read=read, bare=bare)
    retired = [fault.list_id for fault in faults if fault.is_absent and force]
    messages = {fault.list_id: None if fault.list_id in retired else fault.message for fault in faults if fault.list_id}
    rows = {row["list_id"]: row for row in known.lists(messages)}
    standing = [row for row in known.mentions(retired) if row["removed_at"] is None]
    return Revisions(
        lists=tuple(rows[list_id] | {"fault": message} for list_id, message in messages.items()),
        entries=(),
        gone=tuple(row | {"removed_at": now} for row in standing),
        problems=tuple(fault.message for fault in faults if fault.list_id not in retired),
    )


def spot_of(mention: Mention) -> MentionKey:
    """Returns what a decision can tell the mention by."""
    return MentionKey(title=mention.title, url=mention.url, text=mention.text, section=tuple(mention.section))


def _entry(row: MentionRow, mention: Mention, decision: Decision | None) -> Entry:
    """Returns the mention with the decision on it; where that is another than the lake knows, it is open again."""
    ruling = decision.ruling if decision else None
    if row["decision"] != ruling:
        row = reopened(row) | {"decision": ruling}
    return Entry(row=row, mention=mention, decision=decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Revised:
    """One list as it is after this reading.

    Attributes:
        mentions: The mentions that stand in it, with their rows.
        possible: What may be titles, with its row now, and the one in the lake.
        gone: Rows of mentions that have left it.
    """

    mentions: list[tuple[MentionRow, Mention]]
    possible: list[tuple[MentionRow, Mention, MentionRow | None]]
    gone: list[MentionRow]

    @classmethod
    def of(
        cls, parsed: ParsedList, stored_list: ReadingListRow | None, stored: Sequence[MentionRow], now: datetime
    ) -> _Revised:
        """Returns the list `parsed`, of which the lake has the row `stored_list` and the mentions `stored`."""
        list_id, found = parsed.list_id, parsed.reading_list
        is_new_text = stored_list is not None and stored_list["revision"] != parsed.document.revision
        rows = revise(stored, found.mentions, list_id=list_id, now=now, revised=is_new_text)
        mentions = [(row, mention) for row, mention in rows if mention is not None]
        taken = {row["mention_id"] for row, _ in rows}
        free = [row for row in stored if row["mention_id"] not in {row["mention_id"] for row, _ in mentions}]
        pairs = revise_possible(free, found.possible, list_id=list_id, now=now, taken=taken, revised=is_new_text)
        possible = [(row, mention, before) for (row, before), mention in zip(pairs, found.possible, strict=True)]
        again = {before["mention_id"] for _, _, before in possible if before is not None}
        gone = [row for row, mention in rows if mention is None and row["mention_id"] not in again]
        return cls(mentions=mentions, possible=possible, gone=gone)

    def decided(self, decisions: Sequence[Decision]) -> tuple[list[Entry], list[Entry], list[Decision]]:
        """Returns the mentions, what may be titles, and the decisions that are about none of them.

        A possible title that was a mention in the lake, and that a person has decided on, is a mention.
        """
        rows: list[tuple[MentionRow, Mention, MentionRow | None]] = [
            (row, mention, None) for row, mention in self.mentions
        ]
        rows += [item for item in self.possible if item[2] is not None and item[2]["removed_at"] is None]
        rows.sort(key=lambda item: item[1].line)
        decided, idle = assign(decisions, [spot_of(mention) for _, mention, _ in rows])
        of_row = {rows[index][0]["mention_id"]: decision for index, decision in decided.items()}
        entries = [_entry(row, mention, of_row.get(row["mention_id"])) for row, mention in self.mentions]
        possible: list[Entry] = []
        for row, mention, before in self.possible:
            decision = of_row.get(row["mention_id"])
            if decision is not None:
                entries.append(_entry(row, mention, decision))
            else:
                own = row if row["method"] == "possible-title" else reopened(row)
                possible.append(replace(_entry(own, mention, None), before=before))
        return entries, possible, idle


def _list_row(parsed: ParsedList, before: ReadingListRow | None, now: datetime) -> ReadingListRow:
    same = before is not None and before["revision"] == parsed.document.revision
    return {
        "list_id": parsed.list_id,
        "location": parsed.document.location,
        "title": parsed.reading_list.title,
        "revision": parsed.document.revision,
        "first_seen_at": before["first_seen_at"] if before else now,
        "parsed_at": before["parsed_at"] if before and same else now,
        "fault": None,
    }

"""Compares the lists as read with the lists in the lake: which mentions are new, removed, or still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from flows.progress import Reporter
from flows.refresh.mention_history import Found, list_id_of, reopened, revise, share_left
from flows.refresh.reading import ParsedList, Reading, list_faults
from flows.review.decisions import Decision, MentionKey, assign, former_decisions, move_decisions
from sources.records import Mention
from warehouse.lake.place import LakePlace
from warehouse.papers.lake_papers import KnownPapers
from warehouse.tables.declarations import CandidateRow, FindingRow, MentionRow, ReadingListRow

# The share of a list's mentions below which a text under its name, while its own is under another, is another list.
_MOST_LEFT = 0.5


@dataclass(slots=True, kw_only=True)
class MentionState:
    """A mention in its list: its row, which the run updates, and the parser's mention."""

    row: MentionRow  # the row of `mentions`
    mention: Mention  # the parser's mention
    decision: Decision | None = None  # a person's decision about it
    # rows of `candidates`; None where the run gave no verdict, so that the lake's rows stay
    candidates: list[CandidateRow] | None = None
    findings: list[FindingRow] = field(default_factory=list)  # rows of `findings` that belong to them
    before: MentionRow | None = None  # for a possible title, its row in the lake, if it has one

    @property
    def is_ruled(self) -> bool:
        """Returns whether a person decided what it is."""
        return self.decision is not None and not self.decision.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisions:
    """The lists of one run, compared with the lake."""

    lists: tuple[ReadingListRow, ...]  # rows of `reading_lists`
    entries: tuple[MentionState, ...]  # the mentions in the lists
    gone: tuple[MentionRow, ...]  # rows of mentions that are no longer in them
    idle: tuple[Decision, ...] = ()  # decisions about mentions that are not in their list
    read: int = 0  # how many lists were read that name papers
    problems: tuple[str, ...] = ()  # one sentence for each list with a fault
    renamed: Mapping[str, str] = field(default_factory=dict)  # former identifier of a list -> the present one
    moved: tuple[tuple[str, str], ...] = ()  # former and present locations of local lists that were renamed or moved
    possible: tuple[
        MentionState, ...
    ] = ()  # the possible titles in them; one is a mention only where its row is resolved
    # mention -> its row in the lake, with the present identifier of its list
    stored: Mapping[str, MentionRow] = field(default_factory=dict)

    @property
    def changed(self) -> list[MentionRow]:
        """Returns the rows of mentions that are not as the lake has them."""
        rows = (*(entry.row for entry in self.entries), *self.gone)
        return [row for row in rows if self.stored.get(row["mention_id"]) != row]

    @property
    def unfound(self) -> tuple[Decision, ...]:
        """Returns the decisions on papers that no source has."""
        ruled = [entry for entry in self.entries if entry.is_ruled and entry.row["status"] == "not_found"]
        return tuple(dict.fromkeys(item.decision for item in ruled if item.decision and item.decision.paper))

    @property
    def paper_ids(self) -> set[str]:
        """Returns the papers of the mentions."""
        return {paper_id for entry in self.entries if (paper_id := entry.row["paper_id"]) is not None}

    def settled(self, *, now: datetime) -> Revisions:
        """Returns the same with the resolved possible titles as mentions, and without the others."""
        papers = tuple(item for item in self.possible if item.row["status"] == "resolved")
        left = (item.before for item in self.possible if item.row["status"] != "resolved" and item.before is not None)
        gone = tuple(row | {"removed_at": row["removed_at"] or now} for row in left)
        read = Counter(item.row["list_id"] for item in papers)
        left_over = {row["list_id"]: max((row["lines_not_read"] or 0) - read[row["list_id"]], 0) for row in self.lists}
        lists = tuple(
            row if row["fault"] else row | {"lines_not_read": left_over[row["list_id"]]} for row in self.lists
        )
        return replace(self, lists=lists, entries=(*self.entries, *papers), gone=(*self.gone, *gone), possible=())


def compare(reading: Reading, known: KnownPapers, *, now: datetime, force: bool = False) -> Revisions:
    """Returns the lists and mentions after this reading; `force` removes the mentions of missing or empty lists.

    Otherwise a list that cannot be read, or names no paper any more, keeps its mentions, and its row says why.
    """
    parsed = reading.lists
    ids = {item.list_id for item in (*parsed, *reading.bare)}
    before = {row["list_id"]: row for row in known.lists(sorted(ids))}
    unknown = {item.list_id: item.document.revision for item in parsed if item.list_id not in before}
    moved = _moved_lists(unknown, known, reading)
    renamed = {row["list_id"]: now_id for row, now_id in moved}
    former_locations = {now_id: row["location"] for row, now_id in moved}
    taken_over = ids & renamed.keys()
    before |= {now_id: row for row, now_id in moved}
    before = {list_id: row for list_id, row in before.items() if list_id not in taken_over}
    stored: dict[str, list[MentionRow]] = {list_id: [] for list_id in ids}
    for row in known.mentions([*ids, *renamed]):
        list_id = str(renamed.get(row["list_id"], row["list_id"]))
        stored[list_id].append(row | {"list_id": list_id})
    lists, entries, possible, gone, idle = [], [], [], [], []
    for each in parsed:
        lists.append(_list_row(each, before.get(each.list_id), now))
        revised = _Revised.of(each, before.get(each.list_id), stored[each.list_id], known, now)
        own = () if each.list_id in taken_over else each.decisions
        if each.list_id in former_locations.keys() - taken_over:  # also those under its name at the former location
            own = former_decisions(former_locations[each.list_id], each.document.location).under_new_name
        standing, maybe, about_nothing = revised.decided(own)
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
        moved=tuple(
            (former_locations[item.list_id], item.document.location)
            for item in parsed
            if item.list_id in former_locations
        ),
        possible=tuple(possible),
        stored={row["mention_id"]: row for rows in stored.values() for row in rows},
    )


def _moved_lists(unknown: Mapping[str, str], known: KnownPapers, reading: Reading) -> list[tuple[ReadingListRow, str]]:
    """Returns the lake's rows of local lists that were renamed or moved, each with its new identifier.

    A new list is such a one if it moved with the lake, or if exactly one list of the lake had the same text and is
    missing, or has left its name to another list.

    `unknown` are identifier -> revision of lists that were read and that the lake does not know.
    """
    if not unknown:
        return []
    with_lake = reading.moved
    rows = known.all_lists()
    followed = {row["list_id"]: list_id_of(with_lake[row["location"]]) for row in rows if row["location"] in with_lake}
    followed = {former: now for former, now in followed.items() if now in unknown}
    unknown = {list_id: revision for list_id, revision in unknown.items() if list_id not in followed.values()}
    gone: dict[str, list[ReadingListRow]] = {}
    for row in rows:
        if row["list_id"] in followed:
            continue
        place = Path(row["location"])
        if not place.is_absolute() or row["revision"] not in unknown.values():
            continue
        if not place.exists() or _is_another(row, known, reading):
            gone.setdefault(row["revision"], []).append(row)
    now: dict[str, list[str]] = {}
    for list_id, revision in unknown.items():
        now.setdefault(revision, []).append(list_id)
    renamed = [
        (gone[text][0], now[text][0]) for text in gone.keys() & now.keys() if len(gone[text]) == len(now[text]) == 1
    ]
    return [*((row, followed[row["list_id"]]) for row in rows if row["list_id"] in followed), *renamed]


def _is_another(row: ReadingListRow, known: KnownPapers, reading: Reading) -> bool:
    """Returns whether the text that was read under a list's name is another list's: most of its mentions are gone."""
    found = next((each for each in (*reading.lists, *reading.bare) if each.list_id == row["list_id"]), None)
    if found is None or found.document.revision == row["revision"]:
        return False
    return share_left(known.mentions([row["list_id"]]), found.reading_list.mentions) < _MOST_LEFT


def _faulty(reading: Reading, known: KnownPapers, read: AbstractSet[str], *, now: datetime, force: bool) -> Revisions:
    bare = {item.list_id for item in reading.bare}
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


def _entry(row: MentionRow, mention: Mention, decision: Decision | None) -> MentionState:
    """Returns the mention with its decision; if that differs from the one in the lake, the mention is open again."""
    ruling = decision.ruling if decision else None
    if row["decision"] != ruling:
        row = reopened(row) | {"decision": ruling}
    return MentionState(row=row, mention=mention, decision=decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Revised:
    mentions: list[Found]  # its mentions
    possible: list[Found]  # its possible titles
    gone: list[MentionRow]  # rows of mentions that are no longer in it

    @classmethod
    def of(
        cls,
        parsed: ParsedList,
        stored_list: ReadingListRow | None,
        stored: Sequence[MentionRow],
        known: KnownPapers,
        now: datetime,
    ) -> _Revised:
        """Returns the list `parsed`, of which the lake `known` has the row `stored_list` and the mentions `stored`.

        Mentions of another list that once was at this location have identifiers that new ones may not have.
        """
        is_new_text = stored_list is not None and stored_list["revision"] != parsed.document.revision
        find = partial(revise, list_id=parsed.list_id, now=now, revised=is_new_text)
        before = {row["mention_id"] for row in stored}
        elsewhere: set[str] = set()
        while True:
            mentions = find(stored, parsed.reading_list.mentions, taken=elsewhere)
            own = {item.row["mention_id"] for item in mentions}
            free = [row for row in stored if row["mention_id"] not in own]
            possible = find(free, parsed.reading_list.possible, taken=elsewhere | own | before)
            own |= {item.row["mention_id"] for item in possible}
            clashing = known.mention_ids(own - before)
            if not clashing:
                break
            elsewhere |= clashing
        gone = [row | {"removed_at": row["removed_at"] or now} for row in free if row["mention_id"] not in own]
        return cls(mentions=mentions, possible=possible, gone=gone)

    def decided(self, decisions: Sequence[Decision]) -> tuple[list[MentionState], list[MentionState], list[Decision]]:
        """Returns the mentions, the possible titles, and the decisions that are about none of them.

        A possible title that was a mention in the lake, and has a decision, is a mention.
        """
        former = (item for item in self.possible if item.before is not None and item.before["removed_at"] is None)
        found = sorted([*self.mentions, *former], key=lambda item: item.mention.line)
        keys = [
            MentionKey(title=m.title, url=m.url, text=m.text, section=tuple(m.section))
            for m in (item.mention for item in found)
        ]
        decided, idle = assign(decisions, keys)
        of_row = {found[index].row["mention_id"]: decision for index, decision in decided.items()}
        entries = [_entry(row, mention, of_row.get(row["mention_id"])) for row, mention, _ in self.mentions]
        possible: list[MentionState] = []
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
        "lines_not_read": parsed.reading_list.like_entries,
    }


def announce(revisions: Revisions, place: LakePlace, report: Reporter) -> None:
    """Moves the decisions on lists that were renamed or moved, and says what the user should know of the lists."""
    for former, location in revisions.moved:
        file = move_decisions(former, location, lock_folder=place.folder / "locks")
        if file is not None:
            report.say(f"{location} was {former} before; its decisions are now under its new name in {file}")
    for decision in revisions.idle:
        report.say(f"{decision.where} is about no mention in {decision.list}: {decision.mention!r}")
    for problem in revisions.problems:
        report.say(problem)

"""Dates the mentions of a list by the git history of its file: when each came, and which have left it.

A revision is read section by section, and a section that was read before is not read again: the cost grows with what
the commits changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from flows.progress import Reporter
from flows.refresh.mention_history import revise
from sources.errors import UsageError
from sources.lists.git import Revision, ask_git, repository_of, revisions_of
from sources.lists.local_files import decode_list
from sources.lists.reading import parse_reading_list
from sources.records import Mention
from warehouse.tables.declarations import MentionRow, ReadingListRow

_COMMAND = "history import git"
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_SHOWN_DIGITS = 10  # of a commit's name


@dataclass(slots=True, kw_only=True)
class _Dated:
    row: MentionRow  # its row after the last revision that has it
    mention: Mention  # as that revision writes it
    added: Revision  # the first revision that has it
    removed: Revision | None = None  # the first revision that lacks it again; None where the last one has it


@dataclass(frozen=True, slots=True, kw_only=True)
class ListHistory:
    """What the history of a list's file adds to the lake."""

    location: str  # the list
    commits: int  # how many commits changed the file
    list_row: ReadingListRow | None  # the list's row, where its date is earlier than the lake has it
    dated: tuple[MentionRow, ...]  # rows of mentions that the lake knows, with earlier dates
    left: tuple[MentionRow, ...]  # rows of mentions that left the list before the lake knew it
    problems: tuple[str, ...]  # revisions that could not be read, a sentence each


def read_history(file: Path, row: ReadingListRow, stored: Sequence[MentionRow], report: Reporter) -> ListHistory:
    """Returns what git says of the list `row`, whose file is `file` and whose mentions in the lake are `stored`.

    Raises:
        UsageError: The file is in no git repository, git is not installed, or no commit has the file.
    """
    top = repository_of(file, asked_by=_COMMAND)
    revisions = revisions_of(file, top, asked_by=_COMMAND)
    if not revisions:
        raise UsageError(f"{_COMMAND}: no commit has {file}")
    replay, step = _Replay(list_id=row["list_id"]), report.stage(file.name, len(revisions), "commits")
    for revision in revisions:
        blob = revision.blob
        body = None if blob is None else ask_git(top, "cat-file", "blob", blob, asked_by=_COMMAND)
        replay.read(revision, body)
        step(1)
    dated, left = _beside_lake(list(replay.known.values()), stored, row["list_id"])
    began = revisions[0].at
    return ListHistory(
        location=row["location"],
        commits=len(revisions),
        list_row=row | {"first_seen_at": began} if began < row["first_seen_at"] else None,
        dated=tuple(dated),
        left=tuple(left),
        problems=tuple(replay.problems),
    )


@dataclass(slots=True, kw_only=True)
class _Replay:
    """The revisions of a list, read one after the other."""

    list_id: str
    known: dict[str, _Dated] = field(default_factory=dict)  # identifier -> mention that any revision has
    problems: list[str] = field(default_factory=list)
    _read: dict[str, tuple[Mention, ...]] = field(default_factory=dict)  # text of a section -> its mentions

    def read(self, revision: Revision, body: bytes | None) -> None:
        """Notes which mentions came with the revision and which it lacks; one that is no text changes nothing."""
        name = revision.commit[:_SHOWN_DIGITS]
        try:
            text = decode_list(body, name=name) if body else ""
        except UsageError as error:
            self.problems.append(f"passed over: commit {name}: {error}")
            return
        mentions = self._mentions(text)
        found = revise(
            [item.row for item in self.known.values()],
            mentions,
            list_id=f"{self.list_id} {_COMMAND}",  # so that no identifier is one that the lake gave
            now=revision.at,
            revised=True,
            taken=frozenset(),
        )
        present = set()
        for row, mention, _ in found:
            before = self.known.get(row["mention_id"])
            added = before.added if before else revision
            self.known[row["mention_id"]] = _Dated(row=row, mention=mention, added=added)
            present.add(row["mention_id"])
        for name in self.known.keys() - present:
            item = self.known[name]
            if item.removed is None:
                item.removed = revision
                item.row = item.row | {"removed_at": revision.at}

    def _mentions(self, text: str) -> list[Mention]:
        mentions: list[Mention] = []
        first = 0
        for part in _sections(text):
            if part not in self._read:
                self._read[part] = parse_reading_list(part).mentions
            mentions += (replace(mention, line=mention.line + first) for mention in self._read[part])
            first += part.count("\n")
        return mentions


def _sections(text: str) -> list[str]:
    """Returns the text cut before each heading that is in no fenced code."""
    sections: list[list[str]] = [[]]
    fenced = False
    for line in text.splitlines(keepends=True):
        fenced ^= _FENCE.match(line) is not None
        if not fenced and _HEADING.match(line):
            sections.append([])
        sections[-1].append(line)
    return ["".join(lines) for lines in sections if lines]


def _beside_lake(
    found: Sequence[_Dated], stored: Sequence[MentionRow], list_id: str
) -> tuple[list[MentionRow], list[MentionRow]]:
    """Returns the lake's rows that get an earlier date, and rows of mentions that only the history has."""
    found = sorted(found, key=lambda item: item.removed is not None)  # those in the list have the first choice
    rows = {row["mention_id"]: row for row in stored}
    # A row that an earlier import added has the identifier that the same history gives again.
    again = [(item, rows.pop(item.row["mention_id"])) for item in found if item.row["mention_id"] in rows]
    known = {row["mention_id"] for _, row in again}
    rest = [item for item in found if item.row["mention_id"] not in known]
    mentions, now = [item.mention for item in rest], datetime.now(UTC)
    revised = revise(list(rows.values()), mentions, list_id="", now=now, revised=False, taken=frozenset())
    dated: list[MentionRow] = []
    left: list[MentionRow] = []
    for item, row in [*again, *((item, each.before) for item, each in zip(rest, revised, strict=True))]:
        if row is None and item.removed is not None:
            added, removed = (each.commit[:_SHOWN_DIGITS] for each in (item.added, item.removed))
            reason = f"only in the list's git history: from commit {added} until commit {removed}"
            left.append(item.row | {"list_id": list_id, "first_seen_at": item.added.at, "reason": reason})
        elif row is not None and item.added.at < row["first_seen_at"]:
            dated.append(row | {"first_seen_at": item.added.at})
    return dated, left

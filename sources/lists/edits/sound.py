"""Drops the changes that would alter how other entries read, by parsing the list with them. Pure.

A reading costs as much as parsing the list, so there is only a fixed number of them, however many changes there are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from sources.lists.checks.findings import CODES, FIELDS, MENDED_ONLY, CheckedEntry, Edit
from sources.lists.checks.list_text import ListText
from sources.lists.edits.edits import Change, apply_edits, composed, edits_of, in_order
from sources.lists.edits.spans import lines_of
from sources.lists.edits.style import WrittenList
from sources.lists.reading import parse_reading_list
from sources.records import Mention

_MOST_ROUNDS = 5
_MOST_READINGS = 20  # how often a list is read to find the changes at fault; what is undecided then is left out
SURE = 0.75  # how sure the reader is of an entry that no mending of other entries may undo
Mend = Callable[[str, Sequence[CheckedEntry]], Sequence[Change]]  # a list and its entries -> the changes that mend it


def settled_changes(text: str, entries: Sequence[CheckedEntry], mend: Mend) -> list[Change]:
    """Returns the changes that `mend` makes of the list `text`, and those that it makes of what comes out.

    What one entry is given may be what the rest of its section is then found to lack: the years of published versions,
    say, make a year the rule. A change that would mend an entry which is none in `text`, such as one behind a link that
    is closed, is left out.
    """
    made = list(mend(text, entries))
    for _ in range(_MOST_ROUNDS if made else 0):
        mended = apply_edits(text, edits_of(made))
        again = _read_again(text, entries, made, mended)
        if again is None:
            break
        more = mend(mended, again)
        # A change that touches what an earlier one has put in becomes part of that one.
        places = composed(text, edits_of(made), edits_of(more))
        new, old = ListText(text), ListText(mended)
        moved = [_placed(new, new, item, places[0]) for item in made]
        both = _joined([*moved, *(_placed(old, new, item, places[1]) for item in more)])
        if not more or apply_edits(text, edits_of(both)) != apply_edits(mended, edits_of(more)):
            break
        made = both
    return made


def _read_again(
    text: str, entries: Sequence[CheckedEntry], made: Sequence[Change], mended: str
) -> list[CheckedEntry] | None:
    """Returns the entries as they read in the mended text, without those that are none there; None if more are read."""
    before: defaultdict[int, list[CheckedEntry]] = defaultdict(list)
    for entry in entries:
        before[entry.mention.line].append(entry)
    after = _by_old_line(ListText(text), edits_of(made), parse_reading_list(mended).mentions)
    if any(len(after[line]) > len(before.get(line, ())) for line in after):
        return None
    return [
        replace(entry, mention=mention)
        for line, mentions in after.items()
        if len(mentions) == len(before[line])
        for entry, mention in zip(before[line], mentions, strict=True)
    ]


def _by_old_line(source: ListText, edits: Iterable[Edit], mentions: Iterable[Mention]) -> Mapping[int, list[Mention]]:
    """Returns what is read in a text with edits made, by the line of `source` on which it stood."""
    ordered = in_order(source.text, edits)
    grown = [edit.replacement.count("\n") - source.text.count("\n", edit.start, edit.end) for edit in ordered]
    shifts = [0, *accumulate(grown)]
    places = [source.line_of(edit.start) + shift for edit, shift in zip(ordered, shifts, strict=False)]
    found: defaultdict[int, list[Mention]] = defaultdict(list)
    for mention in mentions:
        found[mention.line - shifts[bisect_left(places, mention.line)]].append(mention)
    return found


def _placed(old: ListText, new: ListText, change: Change, places: Mapping[Edit, Edit]) -> Change:
    """Returns a change of the text `old` as one of the text `new`, in which its edits have other places."""
    edits = tuple(dict.fromkeys(places[edit] for edit in change.edits if edit in places))
    before = old.line_of(min(edit.start for edit in change.edits))
    after = new.line_of(min(edit.start for edit in edits))
    return replace(change, edits=edits, line=change.line + after - before)


def _joined(changes: Iterable[Change]) -> list[Change]:
    """Returns the changes by line, those with an edit in common as one."""
    groups: dict[Edit, list[Change]] = {}
    for change in changes:
        same = {id(groups[edit]): groups[edit] for edit in change.edits if edit in groups}
        parts = [*(part for group in same.values() for part in group), change]
        groups |= {edit: parts for part in parts for edit in part.edits}
    joined = [
        replace(
            parts[0],
            message="; ".join(dict.fromkeys(part.message for part in parts)),
            evidence=tuple(dict.fromkeys(phrase for part in parts for phrase in part.evidence)),
            edits=tuple(dict.fromkeys(edits_of(parts))),
        )
        for parts in {id(parts): parts for parts in groups.values()}.values()
    ]
    return sorted(joined, key=lambda change: min(edit.start for edit in change.edits))


def sound_changes(text: str, written: WrittenList, changes: Sequence[Change]) -> list[Change]:
    """Returns the changes after which all mentions read as before but for the field that is mended.

    Where they do not, the changes are divided and tried again, those at the entries that read otherwise last: mostly
    they are at fault. An entry without a change may read otherwise by what many changes do to the list as a whole; then
    as many are made as go.
    """
    reader = _Reader(text, written)
    chosen: list[Change] = []
    parts = [list(changes)] if changes else []
    seen: dict[frozenset[int], set[int]] = {}  # what was read with these changes: the half of a part comes again
    while parts:
        part = parts.pop()
        tried = frozenset(map(id, (*chosen, *part)))
        if tried not in seen:
            if len(seen) == _MOST_READINGS:
                break
            seen[tried] = reader.disturbed([*chosen, *part])
        lines = seen[tried]
        if not lines:
            chosen += part
        elif len(part) > 1:
            parts += reader.divided(part, lines)
    return others_than(others_than(chosen, changes), changes)


def others_than(some: Iterable[Change], changes: Iterable[Change]) -> list[Change]:
    """Returns the changes that are none of `some`."""
    taken = set(map(id, some))
    return [change for change in changes if id(change) not in taken]


class _Reader:
    """Reads a list with changes made, and says which of its lines read otherwise than they should."""

    def __init__(self, text: str, written: WrittenList) -> None:
        self._text = text
        self._written = written
        self._ranges: dict[int, range] = {}  # line of an entry -> all of its lines
        self._before: defaultdict[int, list[Mention]] = defaultdict(list)
        for entry in written.entries:
            self._ranges |= dict.fromkeys(lines_of(entry.mention), lines_of(entry.mention))
            self._before[entry.mention.line].append(entry.mention)

    def divided(self, changes: Sequence[Change], lines: set[int]) -> tuple[list[Change], list[Change]]:
        """Returns two parts of the changes, of which the second is more likely to leave `lines` in order."""
        in_place = [change for change in changes if not lines.isdisjoint(self._lines_of(change))]
        if 0 < len(in_place) < len(changes):
            return in_place, others_than(in_place, changes)
        half = len(changes) // 2
        return list(changes[half:]), list(changes[:half])

    def _lines_of(self, change: Change) -> set[int]:
        own = {line for edit in change.edits for line in self._written.lines_of(edit)}
        return own.union(*(self._ranges[line] for line in own if line in self._ranges))

    def disturbed(self, changes: Sequence[Change]) -> set[int]:
        """Returns the lines at which an entry reads otherwise than it should with the changes made."""
        edits = edits_of(changes)
        read = parse_reading_list(apply_edits(self._text, edits)).mentions
        after = _by_old_line(self._written.source, edits, read)
        codes: defaultdict[int, set[str]] = defaultdict(set)
        for change in changes:
            for edit in change.edits:
                for line in self._written.lines_of(edit):
                    codes[line].add(change.code)
        lines = self._before.keys() | after.keys()
        return {line for line in lines if not _read_alike(self._before.get(line, ()), after.get(line, ()), codes)}


def _read_alike(before: Sequence[Mention], after: Sequence[Mention], codes: Mapping[int, set[str]]) -> bool:
    """Returns whether the entries of a line read as they should; closing a link may make one, or part two.

    A doubtful entry without a change may be none any more: whether it is read hangs on what is usual in the list.
    """
    if len(before) != len(after):
        lines = {line for mention in before for line in lines_of(mention)} | {mention.line for mention in after}
        is_doubtful = not after and all((mention.confidence or 0) < SURE for mention in before)
        changed = [codes[line] for line in lines if line in codes]
        return any("broken-markup" in each for each in changed) or (is_doubtful and not changed)
    for old, new in zip(before, after, strict=True):
        mine = {code for line in lines_of(old) for code in codes.get(line, ())}
        fixed = FIELDS.difference(*(MENDED_ONLY.get(code) or CODES[code].alters or () for code in mine))
        if any(getattr(old, name) != getattr(new, name) for name in fixed):
            return False
    return True

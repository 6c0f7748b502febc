"""Drops the changes that would alter how other entries read, by parsing the list with them. Pure.

A reading costs as much as parsing the list, so there is only a fixed number of them, however many changes there are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from sources.lists.checks.findings import Edit, Entry
from sources.lists.checks.list_text import ListText
from sources.lists.edits.edits import Change, apply_edits, in_order
from sources.lists.edits.siblings import WrittenEntry, WrittenList
from sources.lists.edits.spans import first_line_of
from sources.lists.reading import parse_reading_list
from sources.records import Mention

# Changes after which there is nothing left to change. Pure.
#
# What one entry is given may be what the rest of its section is then found to lack: the years of published
# versions, say, make a year the rule. So the list with its changes made is looked at again, and what is found is
# put in terms of the text as it was, until nothing is found.


_MOST_ROUNDS = 5
Mend = Callable[[str, Sequence[Entry]], Sequence[Change]]  # a list and its entries -> the changes that mend it


def settled_changes(text: str, entries: Sequence[Entry], mend: Mend) -> list[Change]:
    """Returns the changes that `mend` makes of the list `text`, and those that it makes of what comes out.

    A change that would mend an entry which is none in `text`, such as one behind a link that is closed, is left out.
    """
    made = list(mend(text, entries))
    for _ in range(_MOST_ROUNDS if made else 0):
        mended = _applied(text, made)
        mentions = parse_reading_list(mended).mentions
        if len(mentions) != len(entries):
            break
        pairs = zip(entries, mentions, strict=True)
        more = mend(mended, [replace(entry, mention=mention) for entry, mention in pairs])
        composed = _composed(text, made, mended, more)
        if not more or _applied(text, composed) != _applied(mended, more):
            break
        made = composed
    return made


def _applied(text: str, changes: Iterable[Change]) -> str:
    return apply_edits(text, (edit for change in changes for edit in change.edits))


@dataclass(slots=True)
class _Cluster:
    """Edits that touch each other in the mended text.

    Attributes:
        start: Where the first begins in the mended text.
        end: Where the last one ends there.
        earlier: Those that made the mended text.
        later: Those that change it.
    """

    start: int
    end: int
    earlier: list[Edit] = field(default_factory=list)
    later: list[Edit] = field(default_factory=list)


def _composed(text: str, made: Sequence[Change], mended: str, more: Sequence[Change]) -> list[Change]:
    """Returns the changes of `text` that come to what `made` and, of what comes out, `more` come to.

    A change that touches what an earlier one has put in becomes part of that one.
    """
    earlier = in_order(text, (edit for change in made for edit in change.edits))
    later = in_order(mended, (edit for change in more for edit in change.edits))
    of_earlier: dict[Edit, Edit] = {}
    of_later: dict[Edit, Edit] = {}
    grown = 0
    for cluster in _clusters(earlier, later):
        start, before = cluster.start - grown, grown
        grown += sum(len(edit.replacement) - (edit.end - edit.start) for edit in cluster.earlier)
        if cluster.earlier and cluster.later:
            inside = [_moved(edit, -cluster.start) for edit in cluster.later]
            words = apply_edits(mended[cluster.start : cluster.end], inside)
            both = Edit(start=start, end=cluster.end - grown, replacement=words)
            of_earlier |= dict.fromkeys(cluster.earlier, both)
            of_later |= dict.fromkeys(cluster.later, both)
        else:
            of_earlier |= {edit: edit for edit in cluster.earlier}
            of_later |= {edit: _moved(edit, -before) for edit in cluster.later}
    new, old = ListText(text), ListText(mended)
    moved = [_placed(new, new, change, of_earlier) for change in made]
    return _joined([*moved, *(_placed(old, new, change, of_later) for change in more)])


def _placed(old: ListText, new: ListText, change: Change, places: Mapping[Edit, Edit]) -> Change:
    """Returns a change of the text `old` as one of the text `new`, in which its edits have other places."""
    edits = tuple(dict.fromkeys(places[edit] for edit in change.edits if edit in places))
    before = old.line_of(min(edit.start for edit in change.edits))
    after = new.line_of(min(edit.start for edit in edits))
    return replace(change, edits=edits, line=change.line + after - before)


def _clusters(earlier: Iterable[Edit], later: Iterable[Edit]) -> Iterator[_Cluster]:
    """Yields the edits in the order of the mended text, an edit of what an earlier one has put in together with it."""
    grown = 0
    places: list[tuple[int, int, bool, Edit]] = []
    for edit in earlier:
        start = edit.start + grown
        places.append((start, start + len(edit.replacement), False, edit))
        grown += len(edit.replacement) - (edit.end - edit.start)
    places += [(edit.start, edit.end, True, edit) for edit in later]
    cluster: _Cluster | None = None
    for start, end, is_later, edit in sorted(places, key=lambda place: place[:3]):
        if cluster is not None and start <= cluster.end:
            cluster.end = max(cluster.end, end)
        else:
            if cluster is not None:
                yield cluster
            cluster = _Cluster(start, end)
        (cluster.later if is_later else cluster.earlier).append(edit)
    if cluster is not None:
        yield cluster


def _moved(edit: Edit, by: int) -> Edit:
    return replace(edit, start=edit.start + by, end=edit.end + by)


def _joined(changes: Iterable[Change]) -> list[Change]:
    """Returns the changes by line, those with an edit in common as one."""
    groups: dict[Edit, list[Change]] = {}
    for change in changes:
        same = {id(groups[edit]): groups[edit] for edit in change.edits if edit in groups}
        parts = [*(part for group in same.values() for part in group), change]
        groups |= {edit: parts for part in parts for edit in part.edits}
    joined = {id(parts): _as_one(parts) for parts in groups.values()}
    return sorted(joined.values(), key=lambda change: min(edit.start for edit in change.edits))


def _as_one(parts: Sequence[Change]) -> Change:
    return replace(
        parts[0],
        message="; ".join(dict.fromkeys(part.message for part in parts)),
        evidence=tuple(dict.fromkeys(phrase for part in parts for phrase in part.evidence)),
        edits=tuple(dict.fromkeys(edit for part in parts for edit in part.edits)),
    )


_FIELDS = frozenset(("title", "name", "authors", "year", "venue", "url", "identifiers", "notes", "struck"))
_MOST_READINGS = 20  # how often a list is read to find the changes at fault; what is undecided then is left out
# Readings in which the changes at the entries that read otherwise are left out, before others are suspected.
_MOST_IN_PLACE = 4
# Changes in a row that spoil a distant entry, from which it is all that are left together, and none of them.
_MOST_REFUSED = 2


def sound_changes(
    text: str, written: WrittenList, changes: Sequence[Change], may_change: Mapping[str, frozenset[str] | None]
) -> list[Change]:
    """Returns the changes after which all mentions read as before but for the field that is mended.

    Where they do not, the changes at fault are mostly those at the entries that read otherwise. They are left out, and
    tried again one an entry, or by halves where an entry has more than that would take: what one of them spoils may be
    in order without another one, or with others made. An entry
    without a change may read otherwise by what many changes do to the list as a whole; then as many are made as go.

    Args:
        text: The list as decoded.
        written: Its entries.
        changes: What would be changed.
        may_change: Code -> the fields of a mention that a change of this kind may alter; None for all of them.
    """
    reader = _Reader(text, written, may_change)
    chosen: list[Change] = []
    while not reader.is_exhausted and (rest := reader.open_of(others_than(chosen, changes))):
        more = _sound_part(reader, chosen, rest)
        if not more:
            break
        chosen += more
    return others_than(others_than(chosen, changes), changes)


def others_than(some: Iterable[Change], changes: Iterable[Change]) -> list[Change]:
    """Returns the changes that are none of `some`."""
    taken = set(map(id, some))
    return [change for change in changes if id(change) not in taken]


def _sound_part(reader: _Reader, made: Sequence[Change], changes: Sequence[Change]) -> list[Change]:
    chosen = reader.undisturbing(made, changes)
    waiting = reader.open_of(others_than(chosen, changes))
    while waiting and not reader.is_exhausted:
        first_by_entry = {reader.entry_of(change): change for change in reversed(waiting)}
        layer = [change for change in waiting if first_by_entry[reader.entry_of(change)] is change]
        chosen += reader.undisturbing([*made, *chosen], layer)
        waiting = reader.open_of(others_than(layer, waiting))
    return chosen


class _Reader:
    """Reads a list with changes made, and says which of its lines read otherwise than they should."""

    def __init__(self, text: str, written: WrittenList, may_change: Mapping[str, frozenset[str] | None]) -> None:
        self._text = text
        self._written = written
        self._may_change = may_change
        self._known: dict[frozenset[int], list[int]] = {frozenset(): []}
        self._given_up: list[Change] = []
        self._lines = {
            line: number for number, entry in enumerate(written.entries) for line in _range_of(entry.mention)
        }
        self._before: defaultdict[int, list[WrittenEntry]] = defaultdict(list)
        for entry in written.entries:
            self._before[entry.mention.line].append(entry)

    @property
    def is_exhausted(self) -> bool:
        """Returns whether the list has been read as often as it may be."""
        return len(self._known) > _MOST_READINGS

    def entry_of(self, change: Change) -> int:
        """Returns the number of the entry that a change is in; of one in none, a number of its own, below zero."""
        line = self._written.source.line_of(change.edits[0].start)
        return self._lines.get(line, -line)

    def open_of(self, changes: Iterable[Change]) -> list[Change]:
        """Returns those of `changes` that may still be in order: those that spoil no distant entry."""
        return others_than(self._given_up, changes)

    def undisturbing(self, made: Sequence[Change], changes: Sequence[Change]) -> list[Change]:
        """Returns those of `changes` with which, beside those `made`, the list reads as it should."""
        group = list(changes)
        for _ in range(_MOST_IN_PLACE):
            lines = self._disturbed([*made, *group])
            if lines is None:
                return []
            in_place = [change for change in group if self._distance(change, lines) == 0]
            rest = others_than(in_place, group)
            if not lines or not in_place or (not rest and self._are_crowded(group)):
                break
            group = rest
        lines = self._disturbed([*made, *group])
        if lines:
            group.sort(key=lambda change: self._distance(change, lines), reverse=True)
        chosen = self._tried_by_halves(made, group)
        self._given_up += others_than(chosen, group)
        return chosen

    def _are_crowded(self, changes: Sequence[Change]) -> bool:
        """Returns whether there are more changes an entry than could be tried one an entry."""
        return len(changes) > _MOST_READINGS * len(set(map(self.entry_of, changes)))

    def _tried_by_halves(self, made: Sequence[Change], changes: Sequence[Change]) -> list[Change]:
        """Returns as many of the changes as leave the list in order, found by halves, the first ones first choice."""
        chosen: list[Change] = []
        parts, refused = [list(changes)], 0
        while parts and refused < _MOST_REFUSED:
            part = parts.pop()
            lines = self._disturbed([*made, *chosen, *part])
            if lines is None:
                break
            if not lines:
                chosen += part
                refused = 0
            elif len(part) == 1:
                refused += 1
            else:
                parts += [part[len(part) // 2 :], part[: len(part) // 2]]
        return chosen

    def _distance(self, change: Change, lines: Sequence[int]) -> int:
        """Returns how many lines lie between the entries that a change is in and the nearest of `lines`."""
        own = [line for edit in change.edits for line in self._written.lines_of(edit)]
        entries = [self._written.entries[self._lines[line]].mention for line in own if line in self._lines]
        ranges = [(line, line) for line in own] + [(first_line_of(each), each.last_line) for each in entries]
        return min(_gap(lines, first, last) for first, last in ranges)

    def _disturbed(self, changes: Sequence[Change]) -> list[int] | None:
        """Returns the lines, in order, at which an entry reads otherwise than it should; None where that stays open.

        What was read once is known.
        """
        key = frozenset(map(id, changes))
        if key not in self._known:
            if self.is_exhausted:
                return None
            self._known[key] = self._read(changes)
        return self._known[key]

    def _read(self, changes: Sequence[Change]) -> list[int]:
        edits = sorted((edit for change in changes for edit in change.edits), key=lambda edit: edit.start)
        mentions = parse_reading_list(apply_edits(self._text, edits)).mentions
        after: defaultdict[int, list[Mention]] = defaultdict(list)
        for line, mention in zip(self._lines_before(mentions, edits), mentions, strict=True):
            after[line].append(mention)
        codes: defaultdict[int, set[str]] = defaultdict(set)
        for change in changes:
            for edit in change.edits:
                for line in self._written.lines_of(edit):
                    codes[line].add(change.code)
        return [
            line
            for line in sorted(self._before.keys() | after.keys())
            if not self._read_alike(self._before.get(line, []), after.get(line, []), codes)
        ]

    def _read_alike(
        self, before: Sequence[WrittenEntry], after: Sequence[Mention], codes: Mapping[int, set[str]]
    ) -> bool:
        """Returns whether the entries of a line read as they should; closing a link may make one, or part two."""
        if len(before) != len(after):
            lines = {line for entry in before for line in _range_of(entry.mention)}
            lines |= {mention.line for mention in after}
            return any("broken-markup" in codes.get(line, ()) for line in lines)
        return all(self._reads_as(entry, mention, codes) for entry, mention in zip(before, after, strict=True))

    def _reads_as(self, entry: WrittenEntry, after: Mention, codes: Mapping[int, set[str]]) -> bool:
        mine = {code for line in _range_of(entry.mention) for code in codes.get(line, ())}
        fixed = _FIELDS.difference(*(self._may_change.get(code) or _FIELDS for code in mine))
        return all(getattr(entry.mention, name) == getattr(after, name) for name in fixed)

    def _lines_before(self, mentions: Iterable[Mention], edits: Sequence[Edit]) -> list[int]:
        """Returns the lines that mentions had before the edits, of which some may add lines or take them away."""
        grown = [edit.replacement.count("\n") - self._text.count("\n", edit.start, edit.end) for edit in edits]
        shifts = [0, *accumulate(grown)]
        places = [self._written.source.line_of(edit.start) + shift for edit, shift in zip(edits, shifts, strict=False)]
        return [mention.line - shifts[bisect_left(places, mention.line)] for mention in mentions]


def _gap(lines: Sequence[int], first: int, last: int) -> int:
    """Returns how many lines lie between those from `first` to `last` and the nearest of `lines`, in order."""
    at = bisect_left(lines, first)
    return min((max(first - line, line - last, 0) for line in lines[max(at - 1, 0) : at + 1]), default=0)


def _range_of(mention: Mention) -> range:
    return range(first_line_of(mention), mention.last_line + 1)

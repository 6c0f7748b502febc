"""What can be mended in a list: the smallest edits for each kind of fault, in the list's own form. Pure.

An edit is made only where its evidence is certain and its place in the text is: what is doubtful stays as it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from sources.list_checks.findings import Edit, Entry, ListFinding
from sources.list_edits.edits import Change, apply_edits, without_conflicts
from sources.list_edits.mending.address_fixes import (
    dead_link_changes,
    empty_link_changes,
    resolver_changes,
    scheme_changes,
)
from sources.list_edits.mending.field_fixes import (
    missing_link_changes,
    publication_changes,
    title_changes,
    venue_changes,
    year_changes,
)
from sources.list_edits.siblings import KnownList, WrittenEntry, WrittenList
from sources.list_edits.spans import first_line_of
from sources.reading_list import parse_reading_list
from sources.records import Mention

FIXES: Mapping[str, str] = {
    "broken-markup": "brackets of a link that are not closed, where there is one way to close them",
    "empty-link": "the address of a link that has none",
    "dead-link": "the paper's own address in the place of one that leads nowhere",
    "moved-link": "the address to which a page has moved for good",
    "missing-link": "the address of a paper whose neighbours in the list have one",
    "title-misspelt": "a typing error in a title",
    "published-version": "venue and year of a preprint that has been published",
    "missing-year": "the year, where the other entries of the section have one",
    "missing-venue": "the venue, where the other entries of the section have one",
    "doi-address": "doi.org in the place of dx.doi.org",
    "http-address": "https in the place of http, of hosts that serve it",
}
"""What is mended, the kinds with the first claim on a stretch of text first."""


def changes_of(
    text: str,
    entries: Sequence[Entry],
    findings: Sequence[ListFinding] = (),
    *,
    only: Sequence[str] = (),
    is_off: Callable[[str, int], bool] = lambda _code, _line: False,
) -> tuple[list[Change], list[Change]]:
    """Returns the changes that mend the list `text`, in order, and those that do not go with them or spoil a reading.

    Args:
        text: The list as decoded.
        entries: All its mentions in file order, each with what is known of its paper.
        findings: What the checks found; without them, only what needs no service is mended.
        only: Kinds of `FIXES`; all where empty.
        is_off: Whether a kind is switched off on a line.
    """
    known = KnownList(WrittenList(text, [entry.mention for entry in entries]), entries, findings)
    changes: list[Change] = []
    for code in FIXES:
        if not only or code in only:
            changes += _made_by_finding(known, code)
            changes += _MAKERS.get(code, _nothing)(known)
    markup = known.written.source.markup
    line_of = known.written.source.line_of
    shown = [
        change
        for change in changes
        if not any(is_off(change.code, line) for line in (change.line, *(line_of(edit.start) for edit in change.edits)))
        and not any(_is_in_code(text, markup, edit) for edit in change.edits)
    ]
    chosen, left_out = without_conflicts(text, shown)
    sound = sound_changes(text, known.written, chosen)
    return sound, [*left_out, *_others(chosen, sound)]


def _is_in_code(text: str, markup: str, edit: Edit) -> bool:
    """Returns whether an edit is inside of code or of a comment, which `markup` has blanks for."""
    around = slice(max(edit.start - 1, 0), edit.end + 1)
    return bool(text[around].strip()) and not markup[around].strip()


_MAY_DIFFER: Mapping[str, frozenset[str]] = {
    "title-misspelt": frozenset(("title", "name")),
    "published-version": frozenset(("venue", "year")),
    "missing-year": frozenset(("year",)),
    "missing-venue": frozenset(("venue", "year")),
    "doi-address": frozenset(("url", "notes")),
    "http-address": frozenset(("url", "notes")),
    "missing-link": frozenset(("url", "identifiers", "venue", "year")),
    **dict.fromkeys(("empty-link", "dead-link", "moved-link"), frozenset(("url", "identifiers"))),
}
"""The fields of a mention that a change of each kind may change; one of another kind may change all of them."""
_MOST_READINGS = 100
"""How often a list is read to find the changes at fault; what is undecided then is left out."""
_FIELDS = frozenset(("title", "name", "authors", "year", "venue", "url", "identifiers", "notes", "struck"))


def sound_changes(text: str, written: WrittenList, changes: Sequence[Change]) -> list[Change]:
    """Returns the changes after which all mentions read as before but for the field that is mended.

    Where they do not, the changes at fault are those at the entries that read otherwise. They are left out, and tried
    again one an entry: what one of them spoils may be in order without another one, or with others made.
    """
    reader = _Reader(text, written)
    chosen: list[Change] = []
    rest = list(changes)
    while rest:
        more = _sound_part(reader, chosen, rest)
        if not more:
            break
        chosen += more
        rest = _others(rest, chosen)
    left_out = _others(changes, chosen)
    return _others(changes, left_out)


def _others(changes: Iterable[Change], some: Iterable[Change]) -> list[Change]:
    """Returns the changes that are none of `some`."""
    taken = set(map(id, some))
    return [change for change in changes if id(change) not in taken]


def _sound_part(reader: _Reader, made: Sequence[Change], changes: Sequence[Change]) -> list[Change]:
    chosen = reader.undisturbing(made, changes)
    waiting = _others(changes, chosen)
    while waiting:
        first_by_entry = {reader.entry_of(change): change for change in reversed(waiting)}
        layer = [change for change in waiting if first_by_entry[reader.entry_of(change)] is change]
        chosen += reader.undisturbing([*made, *chosen], layer)
        waiting = _others(waiting, layer)
    return chosen


class _Reader:
    """Reads a list with changes made, and says which of its lines read otherwise than they should."""

    def __init__(self, text: str, written: WrittenList) -> None:
        self._text = text
        self._written = written
        self._left = _MOST_READINGS
        self._lines = {
            line: number
            for number, entry in enumerate(written.entries)
            for line in range(first_line_of(entry.mention), entry.mention.last_line + 1)
        }

    def entry_of(self, change: Change) -> int:
        """Returns the number of the entry that a change is in; of one in none, a number of its own, below zero."""
        line = self._written.source.line_of(change.edits[0].start)
        return self._lines.get(line, -line)

    def undisturbing(self, made: Sequence[Change], changes: Sequence[Change]) -> list[Change]:
        """Returns those of `changes` with which, beside those `made`, the list reads as it should.

        Those at the entries that read otherwise are left out, until none does; where none is there, the nearest are.
        """
        group = list(changes)
        while group:
            if not self._left:
                return []
            self._left -= 1
            lines = self._disturbed([*made, *group])
            if not lines:
                break
            group = self._without_nearest(group, lines)
        return group

    def _without_nearest(self, group: Sequence[Change], lines: Collection[int]) -> list[Change]:
        """Returns the changes but for those that are at the lines or, where none is at a line, the nearest to it."""
        at = {id(change): self._lines_of(change) for change in group}
        guilty: set[int] = set()
        for line in lines:
            distance = {key: max(first - line, line - last, 0) for key, (first, last) in at.items()}
            least = min(distance.values())
            guilty |= {key for key, value in distance.items() if value == least}
        return [change for change in group if id(change) not in guilty]

    def _lines_of(self, change: Change) -> tuple[int, int]:
        """Returns the first and the last line of the entries that a change is in."""
        lines = [self._written.source.line_of(edit.start) for edit in change.edits]
        entries = [self._written.entries[self._lines[line]].mention for line in lines if line in self._lines]
        firsts = [first_line_of(mention) for mention in entries]
        return min(lines + firsts), max(lines + [mention.last_line for mention in entries])

    def _disturbed(self, changes: Sequence[Change]) -> set[int]:
        """Returns the lines, as they are numbered in the text, at which an entry reads otherwise than it should."""
        edits = [edit for change in changes for edit in change.edits]
        after: defaultdict[int, list[Mention]] = defaultdict(list)
        for mention in parse_reading_list(apply_edits(self._text, edits)).mentions:
            after[self._line_before(mention.line, edits)].append(mention)
        codes: defaultdict[int, set[str]] = defaultdict(set)
        for change in changes:
            for edit in change.edits:
                codes[self._written.source.line_of(edit.start)].add(change.code)
        before: defaultdict[int, list[WrittenEntry]] = defaultdict(list)
        for entry in self._written.entries:
            before[entry.mention.line].append(entry)
        return {
            line
            for line in before.keys() | after.keys()
            if not _read_alike(before.get(line, []), after.get(line, []), codes)
        }

    def _line_before(self, line: int, edits: Sequence[Edit]) -> int:
        """Returns the number that a line had before the edits, of which some may add lines or take them away."""
        number = line
        for edit in sorted(edits, key=lambda edit: edit.start):
            more = edit.replacement.count("\n") - self._text.count("\n", edit.start, edit.end)
            if more and self._written.source.line_of(edit.start) < number:
                number -= more
        return number


def _read_alike(before: Sequence[WrittenEntry], after: Sequence[Mention], codes: Mapping[int, set[str]]) -> bool:
    """Returns whether the entries of a line read as they should; closing a link may make one, or part two."""
    if len(before) != len(after):
        lines = {line for entry in before for line in _range_of(entry.mention)}
        lines |= {mention.line for mention in after}
        return any("broken-markup" in codes.get(line, ()) for line in lines)
    return all(_reads_as(entry, mention, codes) for entry, mention in zip(before, after, strict=True))


def _range_of(mention: Mention) -> range:
    return range(first_line_of(mention), mention.last_line + 1)


def _reads_as(entry: WrittenEntry, after: Mention, codes: Mapping[int, set[str]]) -> bool:
    mine = {code for line in _range_of(entry.mention) for code in codes.get(line, ())}
    fixed = _FIELDS.difference(*(_MAY_DIFFER.get(code, _FIELDS) for code in mine))
    return all(getattr(entry.mention, name) == getattr(after, name) for name in fixed)


def _nothing(_known: KnownList) -> Iterator[Change]:
    yield from ()


def _made_by_finding(known: KnownList, code: str) -> Iterator[Change]:
    """Yields the changes that a check gives with what it found."""
    for item in known.findings:
        if item.code == code and item.edits:
            yield Change(code=code, line=item.line, message=item.message, evidence=item.evidence, edits=item.edits)


_MAKERS: Mapping[str, Callable[[KnownList], Iterator[Change]]] = {
    "empty-link": empty_link_changes,
    "dead-link": dead_link_changes,
    "missing-link": missing_link_changes,
    "title-misspelt": title_changes,
    "published-version": publication_changes,
    "missing-year": year_changes,
    "missing-venue": venue_changes,
    "doi-address": resolver_changes,
    "http-address": scheme_changes,
}

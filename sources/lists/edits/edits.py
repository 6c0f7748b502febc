"""Applies edits to a text, and shows them as a unified diff; all other characters stay. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise, takewhile
from operator import attrgetter
from typing import NamedTuple, TypeVar

from sources.errors import EditConflict, UsageError
from sources.lists.checks.findings import Edit
from sources.text import shown

CONTEXT = 3  # unchanged lines shown around a change, as diffs have them
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# Paths that git does not quote: printable ASCII without quotes and backslashes.
_UNQUOTED = re.compile(r"[ !#-\[\]-~]*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # as git has it, and not as the reader does
T = TypeVar("T")


def in_order(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Returns the edits that change something, each once, in the order of the text.

    Raises:
        EditConflict: Two of them overlap, or one does not lie in `text`.
    """
    changing: set[Edit] = set()
    for edit in edits:
        if not 0 <= edit.start <= edit.end <= len(text):
            raise EditConflict(f"an edit of the characters {edit.start} to {edit.end} lies outside of the text")
        if text[edit.start : edit.end] != edit.replacement:
            changing.add(edit)
    ordered = sorted(changing, key=attrgetter("start", "end"))
    for before, after in pairwise(ordered):
        if are_in_conflict(before, after):
            message = f"two edits change the same characters, {before.start} to {before.end} and {after.start} on"
            raise EditConflict(message)
    return ordered


def are_in_conflict(first: Edit, second: Edit) -> bool:
    """Returns whether two edits change the same characters, or insert at the same place."""
    if first == second:
        return False
    before, after = sorted((first, second), key=attrgetter("start", "end"))
    return after.start < before.end or (after.start == before.start)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Returns `text` with the edits made.

    Raises:
        EditConflict: Two of them overlap, or one does not lie in `text`.
    """
    parts, position = [], 0
    for edit in in_order(text, edits):
        parts += [text[position : edit.start], edit.replacement]
        position = edit.end
    return "".join([*parts, text[position:]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Edits that are made together or not at all, and why."""

    code: str  # the kind of change, as in `http-address`
    line: int  # 1-based line that it is about
    message: str  # one sentence for the list's owner
    evidence: tuple[str, ...] = ()  # what proves it, a sentence each
    edits: tuple[Edit, ...]


def edits_of(changes: Iterable[Change]) -> list[Edit]:
    """Returns the edits of all changes."""
    return [edit for change in changes for edit in change.edits]


def without_conflicts(text: str, changes: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """Returns the changes that can be made together, earlier ones first choice, and those left out for them."""
    chosen: list[Change] = []
    left_out: list[Change] = []
    made: list[Edit] = []  # in order, and in no conflict with each other

    def is_in_conflict(edit: Edit) -> bool:
        at = max(bisect_left(made, edit.start, key=attrgetter("start")) - 1, 0)
        near = takewhile(lambda other: other.start <= edit.end, islice(made, at, None))
        return any(are_in_conflict(edit, other) for other in near)

    for change in changes:
        if not in_order(text, change.edits):
            continue
        if any(map(is_in_conflict, change.edits)):
            left_out.append(change)
        else:
            chosen.append(change)
            for edit in change.edits:
                insort(made, edit, key=attrgetter("start"))
    return sorted(chosen, key=lambda change: min(edit.start for edit in change.edits)), left_out


def grouped(items: Iterable[T], belongs: Callable[[list[T], T], bool]) -> list[list[T]]:
    """Returns the items in groups of neighbours; `belongs` says whether an item goes with the group before it."""
    groups: list[list[T]] = []
    for item in items:
        if groups and belongs(groups[-1], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def composed(text: str, edits: Iterable[Edit], then: Iterable[Edit]) -> tuple[dict[Edit, Edit], dict[Edit, Edit]]:
    """Returns, for `edits` of `text` and for those `then` of what comes of these, the edit of `text` that each becomes.

    All of these together do what both do one after the other. Edits that touch become one.

    Raises:
        EditConflict: Two of either overlap, or one does not lie in its text.
    """
    made = in_order(text, edits)
    changed = apply_edits(text, made)
    shifts = [0, *accumulate(len(edit.replacement) - (edit.end - edit.start) for edit in made)]
    starts = [edit.start + shift for edit, shift in zip(made, shifts, strict=False)]
    # where an edit is in the changed text, and whether it is a later one
    places = [(start, start + len(edit.replacement), False, edit) for start, edit in zip(starts, made, strict=True)] + [
        (edit.start, edit.end, True, edit) for edit in in_order(changed, then)
    ]
    ordered = sorted(places, key=lambda place: place[:3])
    becomes: tuple[dict[Edit, Edit], dict[Edit, Edit]] = {}, {}
    grown = 0
    for group in grouped(ordered, lambda group, place: place[0] <= max(end for _, end, *_ in group)):
        start, end, before = group[0][0], max(place[1] for place in group), grown
        earlier = [edit for *_, is_later, edit in group if not is_later]
        later = [edit for *_, is_later, edit in group if is_later]
        grown += sum(len(edit.replacement) - (edit.end - edit.start) for edit in earlier)
        if earlier and later:
            words = apply_edits(changed[start:end], [edit.moved(-start) for edit in later])
            both = Edit(start=start - before, end=end - grown, replacement=words)
            becomes[0].update(dict.fromkeys(earlier, both))
            becomes[1].update(dict.fromkeys(later, both))
        else:
            becomes[0].update({edit: edit for edit in earlier})
            becomes[1].update({edit: edit.moved(-before) for edit in later})
    return becomes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """A stretch of a unified diff."""

    header: str  # the line that begins with `@@`
    lines: tuple[str, ...]  # the lines with their sign before them and their ends behind them
    changes: tuple[Change, ...]  # what is changed in it


def hunks_of(text: str, changes: Sequence[Change]) -> list[Hunk]:
    """Returns the unified diff that makes `changes`, stretch by stretch, each with the changes made in it.

    Raises:
        EditConflict: Two of them overlap, or one does not lie in `text`.
    """
    lines = _LINE.findall(text)
    starts = [0, *accumulate(map(len, lines[:-1]))]

    def line_of(position: int) -> int:
        return max(bisect_right(starts, position) - 1, 0)

    edits = in_order(text, edits_of(changes))
    by_line = grouped(edits, lambda group, edit: line_of(edit.start) <= line_of(group[-1].end))
    numbers: dict[int, list[int]] = {}
    for number, change in enumerate(changes):
        for line in {line_of(edit.start) for edit in change.edits}:
            numbers.setdefault(line, []).append(number)
    blocks = []
    for group in by_line:
        first, last = line_of(group[0].start), line_of(group[-1].end) + 1
        begin, old = starts[first], lines[first:last]
        new = apply_edits("".join(old), [edit.moved(-begin) for edit in group])
        blocks.append((_Block(first, last, _LINE.findall(new)).without_common(lines), range(first, last)))
    hunks, shift = [], 0
    for near in grouped(blocks, lambda group, item: item[0].first - group[-1][0].last <= 2 * CONTEXT):
        inside = {number for _, reach in near for line in reach for number in numbers.get(line, ())}
        part = [block for block, _ in near]
        hunks.append(_hunk(lines, part, shift, [changes[number] for number in sorted(inside)]))
        shift += sum(len(block.new) - (block.last - block.first) for block in part)
    return hunks


def diff_text(name: str, hunks: Sequence[Hunk]) -> str:
    """Returns a patch that `git apply` and `patch -p1` take, or "" where nothing changes.

    Raises:
        UsageError: There are control characters other than tabs in `name`.
    """
    if not hunks:
        return ""
    body = "".join(f"{hunk.header}\n{''.join(hunk.lines)}" for hunk in hunks)
    return f"--- {_quoted(f'a/{name}')}\n+++ {_quoted(f'b/{name}')}\n{body}"


def _quoted(path: str) -> str:
    """Returns a path as git writes it (`core.quotePath` in git-config): bytes beyond ASCII in octal, and in quotes."""
    if _CONTROL.search(path):
        raise UsageError(f"a patch cannot name {shown(path[2:])}: there are control characters in it")
    if _UNQUOTED.fullmatch(path):
        return f"{path}\t" if " " in path else path
    escaped = path.replace("\\", r"\\").replace('"', r"\"").encode(errors="surrogateescape")
    return '"' + "".join(chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}" for byte in escaped) + '"'


class _Block(NamedTuple):
    """Lines `first:last` (from 0, `last` excluded) that become `new`."""

    first: int
    last: int
    new: list[str]

    def without_common(self, lines: Sequence[str]) -> _Block:
        """Returns the block without the lines at its ends that stay as they are."""
        first, last, new = self
        while first < last and new and lines[first] == new[0]:
            first, new = first + 1, new[1:]
        while first < last and new and lines[last - 1] == new[-1]:
            last, new = last - 1, new[:-1]
        return _Block(first, last, new)


def _hunk(lines: Sequence[str], blocks: Sequence[_Block], shift: int, changes: Sequence[Change]) -> Hunk:
    first, last = max(blocks[0].first - CONTEXT, 0), min(blocks[-1].last + CONTEXT, len(lines))
    body: list[str] = []
    position = first
    for block in blocks:
        body += [f" {line}" for line in lines[position : block.first]]
        body += [f"-{line}" for line in lines[block.first : block.last]]
        body += [f"+{line}" for line in block.new]
        position = block.last
    body += [f" {line}" for line in lines[position:last]]
    counts = [sum(line[0] in signs for line in body) for signs in (" -", " +")]
    # An empty range is named by the line before it.
    starts = [at + 1 if count else at for at, count in zip((first, first + shift), counts, strict=True)]
    before, after = (
        str(start) if count == 1 else f"{start},{count}" for start, count in zip(starts, counts, strict=True)
    )
    codes = ", ".join(dict.fromkeys(change.code for change in changes))
    return Hunk(
        header=f"@@ -{before} +{after} @@ {codes}".rstrip(),
        lines=tuple(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in body),
        changes=tuple(changes),
    )

"""Applies edits to a text, and shows them as a unified diff; all other characters stay. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile

from sources.errors import EditConflict, UsageError
from sources.lists.checks.findings import Edit
from sources.text import shown

CONTEXT = 3  # unchanged lines shown around a change, as diffs have them
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# Paths that git does not quote: printable ASCII without quotes and backslashes.
_UNQUOTED = re.compile(r"[ !#-\[\]-~]*")


def in_order(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Returns the edits that change something, each once, in the order in which they stand.

    Raises:
        EditConflict: Two of them overlap, or one does not lie in `text`.
    """
    ordered = sorted({edit for edit in edits if _changes(text, edit)}, key=lambda edit: (edit.start, edit.end))
    for before, after in pairwise(ordered):
        if are_in_conflict(before, after):
            message = f"two edits change the same characters, {before.start} to {before.end} and {after.start} on"
            raise EditConflict(message)
    return ordered


def _changes(text: str, edit: Edit) -> bool:
    if not 0 <= edit.start <= edit.end <= len(text):
        raise EditConflict(f"an edit of the characters {edit.start} to {edit.end} lies outside of the text")
    return text[edit.start : edit.end] != edit.replacement


def are_in_conflict(first: Edit, second: Edit) -> bool:
    """Returns whether two edits change the same characters, or insert at the same place."""
    if first == second:
        return False
    before, after = sorted((first, second), key=lambda edit: (edit.start, edit.end))
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
    """Edits that are made together or not at all, and why.

    Attributes:
        code: The kind of change, as in `http-address`.
        line: 1-based line that it is about.
        message: One sentence for the list's owner.
        evidence: What proves it, a sentence each.
    """

    code: str
    line: int
    message: str
    edits: tuple[Edit, ...]
    evidence: tuple[str, ...] = ()


def edits_of(changes: Iterable[Change]) -> list[Edit]:
    """Returns the edits of all changes."""
    return [edit for change in changes for edit in change.edits]


def without_conflicts(text: str, changes: Iterable[Change]) -> tuple[list[Change], list[Change]]:
    """Returns the changes that can be made together, earlier ones first choice, and those left out for them."""
    chosen: list[Change] = []
    left_out: list[Change] = []
    made: list[Edit] = []
    for change in changes:
        if not in_order(text, change.edits):
            continue
        if any(_conflicts(edit, made) for edit in change.edits):
            left_out.append(change)
        else:
            chosen.append(change)
            for edit in change.edits:
                insort(made, edit, key=_start_of)
    return sorted(chosen, key=lambda change: min(edit.start for edit in change.edits)), left_out


def _start_of(edit: Edit) -> int:
    return edit.start


def _conflicts(edit: Edit, made: Sequence[Edit]) -> bool:
    """Returns whether an edit is in conflict with one of `made`, which are in order and in no conflict themselves."""
    at = max(bisect_left(made, edit.start, key=_start_of) - 1, 0)
    near = takewhile(lambda other: other.start <= edit.end, islice(made, at, None))
    return any(are_in_conflict(edit, other) for other in near)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """A stretch of a unified diff.

    Attributes:
        header: The line that begins with `@@`.
        lines: The lines with their sign before them and their ends behind them.
        changes: What is changed in it.
    """

    header: str
    lines: tuple[str, ...]
    changes: tuple[Change, ...]


def hunks_of(text: str, changes: Sequence[Change]) -> list[Hunk]:
    """Returns the unified diff that makes `changes`, stretch by stretch, each with the changes made in it.

    Raises:
        EditConflict: Two of them overlap, or one does not lie in `text`.
    """
    lines = text.split("\n")
    lines = [*(f"{line}\n" for line in lines[:-1]), *filter(None, lines[-1:])]
    starts = _line_starts(lines)
    edits = in_order(text, (edit for change in changes for edit in change.edits))
    blocks = [_changed_lines(text, lines, starts, group) for group in _groups_by_line(starts, edits)]
    by_line: dict[int, list[int]] = {}
    for number, change in enumerate(changes):
        for line in {_line_of(starts, edit.start) for edit in change.edits}:
            by_line.setdefault(line, []).append(number)
    hunks, shift = [], 0
    for group in _near_blocks(blocks):
        inside = {number for block in group for line in range(*block.reach) for number in by_line.get(line, ())}
        hunk, grown = _hunk(lines, group, shift, [changes[number] for number in sorted(inside)])
        hunks.append(hunk)
        shift += grown
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
    return f'"{"".join(map(_escaped, path.encode(errors="surrogateescape")))}"'


def _escaped(byte: int) -> str:
    character = chr(byte)
    if character in '"\\':
        return f"\\{character}"
    return character if " " <= character <= "~" else f"\\{byte:03o}"


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines `first:last` (from 0, `last` excluded) that become `new`; `reach` are the lines that its edits touch."""

    first: int
    last: int
    new: tuple[str, ...]
    reach: tuple[int, int]


def _line_starts(lines: Sequence[str]) -> list[int]:
    """Returns where the lines begin, which end in feeds alone here, as git has it, and not as the reader has them."""
    starts, position = [], 0
    for line in lines:
        starts.append(position)
        position += len(line)
    return starts or [0]


def _line_of(starts: Sequence[int], position: int) -> int:
    return max(bisect_right(starts, position) - 1, 0)


def _groups_by_line(starts: Sequence[int], edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """Yields the edits that touch the same lines together."""
    group: list[Edit] = []
    last = -1
    for edit in edits:
        if group and _line_of(starts, edit.start) > last:
            yield group
            group = []
        group.append(edit)
        last = max(last, _line_of(starts, edit.end))
    if group:
        yield group


def _changed_lines(text: str, lines: Sequence[str], starts: Sequence[int], edits: Sequence[Edit]) -> _Block:
    first = _line_of(starts, edits[0].start)
    last = _line_of(starts, max(edit.end for edit in edits)) + 1
    begin = starts[first]
    old = lines[first:last]
    moved = [replace(edit, start=edit.start - begin, end=edit.end - begin) for edit in edits]
    new = apply_edits(text[begin : begin + sum(map(len, old))], moved)
    split = new.split("\n")
    new_lines = [*(f"{line}\n" for line in split[:-1]), *filter(None, split[-1:])]
    reach = (first, last)
    while old and new_lines and old[0] == new_lines[0]:
        old, new_lines, first = old[1:], new_lines[1:], first + 1
    while old and new_lines and old[-1] == new_lines[-1]:
        old, new_lines, last = old[:-1], new_lines[:-1], last - 1
    return _Block(first, last, tuple(new_lines), reach)


def _near_blocks(blocks: Iterable[_Block]) -> Iterator[list[_Block]]:
    """Yields the blocks whose lines of context touch together."""
    group: list[_Block] = []
    for block in blocks:
        if group and block.first - group[-1].last > 2 * CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _hunk(lines: Sequence[str], blocks: Sequence[_Block], shift: int, changes: Sequence[Change]) -> tuple[Hunk, int]:
    first, last = max(blocks[0].first - CONTEXT, 0), min(blocks[-1].last + CONTEXT, len(lines))
    body: list[str] = []
    position = first
    for block in blocks:
        body += [f" {line}" for line in lines[position : block.first]]
        body += [f"-{line}" for line in lines[block.first : block.last]]
        body += [f"+{line}" for line in block.new]
        position = block.last
    body += [f" {line}" for line in lines[position:last]]
    grown = sum(len(block.new) - (block.last - block.first) for block in blocks)
    count = last - first
    codes = ", ".join(dict.fromkeys(change.code for change in changes))
    before, after = _range(first, count), _range(first + shift, count + grown)
    header = f"@@ -{before} +{after} @@ {codes}".rstrip()
    return Hunk(header=header, lines=tuple(map(_ended, body)), changes=tuple(changes)), grown


def _range(first: int, count: int) -> str:
    """Returns a range of lines as diffs write it; an empty one is named by the line before it."""
    start = first + 1 if count else first
    return str(start) if count == 1 else f"{start},{count}"


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"

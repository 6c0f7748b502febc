"""Tables in a list's text, and edits in cells that are aligned by blanks. Pure.

What an edit adds to a cell is taken from the blanks of that cell, so that the bars of the row stay where they are.
Where the blanks do not suffice, or the bars did not stand below each other, nothing is aligned. Other rows stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sources.list_checks.findings import Edit
from sources.list_checks.list_text import ListText
from sources.list_edits.edits import Change

BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$")


def tables_of(source: ListText) -> list[tuple[int, int]]:
    """Returns the first and the last line of every Markdown table, the first being its head."""
    tables = []
    line, count = 1, source.line_count
    while line < count:
        if "|" in source.line(line) and "|" in source.line(line + 1) and _RULE.match(source.line(line + 1)):
            last = line + 1
            while last < count and "|" in source.line(last + 1):
                last += 1
            tables.append((line, last))
            line = last
        line += 1
    return tables


def aligned_changes(text: str, changes: Sequence[Change]) -> list[Change]:
    """Returns the changes with further edits of blanks, which keep the columns of tables aligned where they are."""
    source = ListText(text)
    cells: defaultdict[tuple[int, int], list[tuple[int, Edit]]] = defaultdict(list)
    for number, change in enumerate(changes):
        for edit in change.edits:
            line = source.line_of(edit.start)
            start, end = source.stretch(line, line)
            if edit.end <= end and "|" in text[start:end]:
                cells[line, len(BAR.findall(text, start, edit.start))].append((number, edit))
    rules = {line: first + 1 for first, last in (tables_of(source) if cells else ()) for line in range(first, last + 1)}
    aligned = list(changes)
    for (line, column), inside in cells.items():
        edits = [edit for _, edit in inside]
        if line in rules and (blanks := _blanks(source, line, rules[line], column, edits)) is not None:
            owner = inside[0][0]
            aligned[owner] = replace(aligned[owner], edits=(*aligned[owner].edits, blanks))
    return aligned


def fitted(cell: str, column: Sequence[str]) -> str | None:
    """Returns what is to stand in a cell as wide as all of its column, aligned as they are; None where it does not fit.

    Args:
        cell: Its words.
        column: Other cells of the column, with the blanks around their words.
    """
    widths = {len(other) for other in column}
    words = [other for other in column if other.strip()]
    room = min(widths, default=0) - 2
    if len(widths) != 1 or not words or len(cell) > room:
        return None
    before = {len(other) - len(other.lstrip(" ")) for other in words}
    behind = {len(other) - len(other.rstrip(" ")) for other in words}
    if 0 in before | behind:
        return None
    aligned = cell.ljust(room) if before == {1} else cell.rjust(room) if behind == {1} else f"{cell:^{room}}"
    return f" {aligned} "


def _blanks(source: ListText, line: int, rule: int, column: int, edits: Sequence[Edit]) -> Edit | None:
    """Returns the edit of a cell's blanks that makes up for what its edits add; None where there is no such."""
    (start, end), (above, above_end) = source.stretch(line, line), source.stretch(rule, rule)
    bars = [match.start() for match in BAR.finditer(source.text, start, end)]
    drawn = [match.start() for match in BAR.finditer(source.text, above, above_end)]
    grown = sum(len(edit.replacement) - (edit.end - edit.start) for edit in edits)
    if not grown or not 0 < column < min(len(bars), len(drawn)):
        return None
    left, right = bars[column - 1] + 1, bars[column]
    if [left - start, right - start] != [drawn[column - 1] + 1 - above, drawn[column] - above]:
        return None
    first, last = min(edit.start for edit in edits), max(edit.end for edit in edits)
    behind = len(source.text[last:right]) - len(source.text[last:right].rstrip(" "))
    before = len(source.text[left:first]) - len(source.text[left:first].lstrip(" "))
    if last > right or not behind:
        return None
    if grown < 0:
        at = left if before > behind == 1 else right
        return Edit(start=at, end=at, replacement=" " * -grown)
    if behind > grown:
        return Edit(start=right - grown, end=right, replacement="")
    return Edit(start=left + 1, end=left + 1 + grown, replacement="") if before > grown else None

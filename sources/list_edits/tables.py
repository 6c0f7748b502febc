"""Tables in a list's text, and edits in cells that are aligned by blanks. Pure.

What an edit adds to a cell is taken from the blanks of that cell, so that the bars of the row stay where they are.
Where the blanks do not suffice, or the bars did not stand below each other, nothing is aligned. Other rows stay.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from sources.list_checks.findings import Edit
from sources.list_checks.list_text import ListText
from sources.list_edits.edits import Change
from sources.list_edits.form import TITLE, is_plain, without_other_links, without_ratings
from sources.list_edits.siblings import WrittenEntry, filled

BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*(?:(?::-*:?|-+:?)[ \t]*)?)*$")


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

    @cache
    def bars_of(line: int) -> list[int]:
        return [match.start() for match in BAR.finditer(text, *source.stretch(line, line))]

    cells: defaultdict[tuple[int, int], list[tuple[int, Edit]]] = defaultdict(list)
    for number, change in enumerate(changes):
        for edit in change.edits:
            line = source.line_of(edit.start)
            bars = bars_of(line)
            if bars and edit.end <= source.stretch(line, line)[1]:
                cells[line, bisect_left(bars, edit.start)].append((number, edit))
    rules = {line: first + 1 for first, last in (tables_of(source) if cells else ()) for line in range(first, last + 1)}
    aligned = list(changes)
    for (line, column), inside in cells.items():
        edits = [edit for _, edit in inside]
        if line in rules and (blanks := _blanks(source, (line, rules[line]), column, edits, bars_of)) is not None:
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


def _blanks(
    source: ListText, lines: tuple[int, int], column: int, edits: Sequence[Edit], bars_of: Callable[[int], list[int]]
) -> Edit | None:
    """Returns the edit of a cell's blanks that makes up for what its edits add; None where there is no such.

    Args:
        source: The list.
        lines: That of the cell, and that of the rule of its table.
        column: How many bars stand before the cell.
        edits: Its edits.
        bars_of: A line -> where its bars stand.
    """
    (start, above), (bars, drawn) = [source.stretch(line, line)[0] for line in lines], map(bars_of, lines)
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


def new_row(text: str, rows: Sequence[WrittenEntry], values: Mapping[str, str]) -> str | None:
    """Returns a row with `values` in its cells; a cell whose value is not known is empty. None without a title.

    Every cell has the form that it has in most of `rows`, and the width that it has in all, else in the last two.
    """
    forms = [BAR.split(entry.form.text) for entry in rows if entry.form is not None]
    size = Counter(map(len, forms)).most_common(1)[0][0] if forms else 0
    forms = [cells for cells in forms if len(cells) == size]
    cells = [_cell([form[column] for form in forms], values) for column in range(size)]
    patterns = [BAR.split(text[slice(*row.spans.entry)]) for row in rows]
    has_title = any(TITLE in form[column] and cells[column] for form in forms for column in range(size))
    patterns = [pattern for pattern in patterns if len(pattern) == size]
    if not has_title or not patterns:
        return None
    columns = [[pattern[column] for pattern in patterns] for column in range(size)]
    above = patterns[-2] if len(patterns) > 1 else [""] * size
    pairs = zip(cells, columns, strict=True)
    aligned = [fitted(cell, column) if len(rows) > 1 else None for cell, column in pairs]
    return "|".join(
        fit if fit is not None else _padded(cell, like) if len(like) == len(other) else _beside(cell, like)
        for cell, fit, like, other in zip(cells, aligned, patterns[-1], above, strict=True)
    )


def _cell(forms: Sequence[str], values: Mapping[str, str]) -> str:
    usual = Counter(without_other_links(form) for form in forms)
    unrated = Counter(without_ratings(form) for form in usual.elements())
    for form, _ in (*usual.most_common(), *unrated.most_common()):
        words = filled(form, values) if is_plain(form) and _holds_field(form) else None
        if words is not None:
            return words
    first, count = usual.most_common(1)[0]
    is_mark = not any(map(str.isalnum, first)) and not _holds_field(first) and without_ratings(first) == first
    return first if is_mark and 2 * count > len(forms) else ""


def _holds_field(form: str) -> bool:
    return any("\ue000" <= sign <= "\uf8ff" for sign in form)


def _beside(cell: str, like: str) -> str:
    """Returns a cell with one blank at the most at each edge, where another one has blanks; an empty one as that."""
    if not cell and not like.strip():
        return like
    left, right = (" " if like[at : at + 1].isspace() else "" for at in (0, len(like) - 1))
    return f"{left}{cell}{right}" if cell else left or right


def _padded(cell: str, like: str) -> str:
    """Returns a cell with the blanks that another one has at its edges, and at least as wide where that is wide."""
    if not like.strip():
        return f" {cell} ".ljust(len(like)) if cell else like
    left = like[: len(like) - len(like.lstrip())]
    right = like[len(like.rstrip()) :]
    if not cell:
        return " " * len(like) if left or right else ""
    return (left[:1] + cell + right[:1]).ljust(len(like)) if len(right) > 1 else left[:1] + cell + right[:1]

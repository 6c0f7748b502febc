"""Keeps what a list shows beside its entries up to date between marks: citations, BibTeX, code. Pure.

A mark is a comment of HTML, which readers do not see: `<!-- paperlake:citations -->12 citations<!-- /paperlake -->`. In
a table the mark is in the head of a column, and the column's cells are the values.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import starmap
from typing import Literal
from urllib.parse import quote

from sources.lists.checks.findings import CheckedEntry, Edit, PaperFacts
from sources.lists.checks.list_text import ListText, tables_of
from sources.lists.edits.edits import Change
from sources.lists.edits.forms import (
    FEWEST_ALIKE,
    NAME,
    SLOTS,
    TITLE,
    filled,
    is_plain,
    without_notes,
    without_other_links,
    without_ratings,
)
from sources.lists.edits.spans import name_in
from sources.lists.edits.style import WrittenEntry
from sources.lists.edits.writing import markdown_address
from sources.lists.reading.document import BAR, cells_of
from sources.text import counted

_BREAK_BEFORE = re.compile(r"\s*<br\s*/?>", re.IGNORECASE)  # what is left of a badge above a title


def aligned_changes(text: str, changes: Sequence[Change]) -> list[Change]:
    """Returns the changes with further edits of blanks, which keep the columns of tables aligned where they are.

    What an edit adds to a cell is taken from the blanks of that cell, so that the bars of the row stay where they are.
    Where the blanks do not suffice, or the bars were not below each other, nothing is aligned. Other rows stay.
    """
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
        if line not in rules:
            continue
        rule, bars, drawn = rules[line], bars_of(line), bars_of(rules[line])
        if not 0 < column < min(len(bars), len(drawn)):
            continue
        above = source.stretch(line, line)[0] - source.stretch(rule, rule)[0]
        if (bars[column - 1], bars[column]) != (drawn[column - 1] + above, drawn[column] + above):
            continue
        blanks = _blanks(text, bars[column - 1] + 1, bars[column], [edit for _, edit in inside])
        if blanks is not None:
            owner = inside[0][0]
            aligned[owner] = replace(aligned[owner], edits=(*aligned[owner].edits, blanks))
    return aligned


def _blanks(text: str, left: int, right: int, edits: Sequence[Edit]) -> Edit | None:
    """Returns the edit of a cell's blanks that makes up for what its edits add; None where there is no such."""
    grown = sum(len(edit.replacement) - (edit.end - edit.start) for edit in edits)
    first, last = min(edit.start for edit in edits), max(edit.end for edit in edits)
    behind = len(text[last:right]) - len(text[last:right].rstrip(" "))
    before = len(text[left:first]) - len(text[left:first].lstrip(" "))
    if not grown or last > right or not behind:
        return None
    if grown < 0:
        at = left if before > behind == 1 else right
        return Edit(start=at, end=at, replacement=" " * -grown)
    if behind > grown:
        return Edit(start=right - grown, end=right, replacement="")
    return Edit(start=left + 1, end=left + 1 + grown, replacement="") if before > grown else None


def new_row(text: str, rows: Sequence[WrittenEntry], values: Mapping[str, str]) -> str | None:
    """Returns a row with `values` in its cells; a cell whose value is not known is empty. None without a title.

    Every cell has the form that it has in most of `rows`, those of title and name in rows named or not as the paper is,
    and the width that it has in all, else in the last two.
    """
    split = [(name_in(row.mention.title), BAR.split(row.form.text)) for row in rows if row.form is not None]
    size = Counter(len(cells) for _, cells in split).most_common(1)[0][0] if split else 0
    forms = [cells for _, cells in split if len(cells) == size]
    alike = [cells for name, cells in split if len(cells) == size and bool(name) == (NAME in values)]
    cells = []
    for column in range(size):
        signs = {sign for form in forms for sign in form[column]}
        fewest = 2 if NAME in signs else FEWEST_ALIKE if TITLE in signs else len(alike) + 1
        shown = (alike, forms) if len(alike) >= fewest else (forms,)
        tried = (_cell([form[column] for form in each], values) for each in shown)
        cells.append(next(filter(None, tried), ""))
    patterns = [BAR.split(text[slice(*row.spans.entry)]) for row in rows]
    has_title = any(TITLE in form[column] and cells[column] for form in forms for column in range(size))
    patterns = [pattern for pattern in patterns if len(pattern) == size]
    if not has_title or not patterns:
        return None
    columns = [[pattern[column] for pattern in patterns] for column in range(size)]
    return "|".join(starmap(_in_column_of, zip(cells, columns, strict=True)))


def lacking_columns(rows: Sequence[WrittenEntry], row: str) -> int:
    """Returns how many cells of a new row are empty where all of `rows` have fields or words of their own.

    Where rows have links alone, or ratings, a paper may have none.
    """
    cells = BAR.split(row)
    forms = [BAR.split(entry.form.text) for entry in rows if entry.form is not None]
    forms = [form for form in forms if len(form) == len(cells)]
    empty = [column for column, cell in enumerate(cells) if not cell.strip() and len(forms) >= FEWEST_ALIKE]
    return sum(all(_says_something(form[column]) for form in forms) for column in empty)


def _says_something(cell: str) -> bool:
    return any(sign.isalnum() or sign in SLOTS for sign in without_ratings(without_other_links(cell)))


def _cell(forms: Sequence[str], values: Mapping[str, str]) -> str:
    usual = Counter(without_other_links(form) for form in forms)
    unrated = Counter(_BREAK_BEFORE.sub("", without_ratings(form)).strip() for form in usual.elements())
    plain = Counter(without_notes(form) for form in unrated.elements())
    fields = sum(not SLOTS.isdisjoint(form) for form in forms)
    is_field = 2 * fields >= sum(map(bool, forms))  # not where what a few cells hold only looks like one
    for form, _ in (each for counts in (usual, unrated, plain) for each in counts.most_common()) if is_field else ():
        words = filled(form, values) if is_plain(form) and not SLOTS.isdisjoint(form) else None
        if words is not None:
            return words
    for form, _ in usual.most_common():
        is_word = form.lower() in ("n/a", "na", "none", "tbd") or not any(map(str.isalnum, form))
        if is_word and SLOTS.isdisjoint(form) and without_ratings(form) == form != "":
            return form if usual[form] > usual[""] else ""  # what is not known has a mark there
    return ""


def _in_column_of(cell: str, column: Sequence[str]) -> str:
    """Returns the words of a cell with blanks around them, as the other cells of its column have them."""
    like = column[-1]
    left, right = like[: len(like) - len(like.lstrip())], like[len(like.rstrip()) :]
    if len(column) > 1 and (fitted := _fitted(cell, column)) is not None:
        return fitted
    if not _is_padded(column) or len(like) != len(column[-2] if len(column) > 1 else ""):  # the column has no width
        if not cell and not like.strip():
            return like
        left, right = (" " if like[at : at + 1].isspace() else "" for at in (0, len(like) - 1))
        return f"{left}{cell}{right}" if cell else left or right
    if not like.strip():
        return f" {cell} ".ljust(len(like)) if cell else like
    if not cell:
        return " " * len(like) if left or right else ""
    return f"{left[:1]}{cell}{right[:1]}".ljust(len(like) if len(right) > 1 else 0)


def _is_padded(column: Sequence[str]) -> bool:
    """Returns whether cells are filled up with blanks to a width; else they may be as wide as others by chance."""
    return any(len(cell) > len(cell.strip()) + 2 for cell in column)


def _fitted(cell: str, column: Sequence[str]) -> str | None:
    """Returns a cell as wide as all of its column, and aligned as they are; None where it does not fit."""
    widths = {len(other) for other in column}
    words = [other for other in column if other.strip()]
    room = min(widths) - 2
    before = {len(other) - len(other.lstrip(" ")) for other in words}
    behind = {len(other) - len(other.rstrip(" ")) for other in words}
    if len(widths) != 1 or not _is_padded(words) or len(cell) > room or 0 in before | behind:
        return None
    return f" {cell.ljust(room) if before == {1} else cell.rjust(room) if behind == {1} else f'{cell:^{room}}'} "


Kind = Literal["citations", "bibtex", "code"]
# suffix: words behind the entry. badge: an image there. column: a column of the entry's table.
Look = Literal["suffix", "badge", "column"]
_END = "<!-- /paperlake -->"
_TRAILING = re.compile(r"(?:[ \t]|\\|<br ?/?>)*$")
_HEADS: Mapping[Kind, str] = {"citations": "Citations", "bibtex": "BibTeX", "code": "Code"}
_BADGES = "https://img.shields.io/badge/"


def annotation_changes(
    text: str, entries: Sequence[CheckedEntry], kind: Kind, look: Look | None = None
) -> list[Change]:
    """Returns the changes that add or renew what is shown of each paper.

    What no source has is not shown, and what is shown of it stays. Without a `look`, it is shown in a column of tables,
    and as words behind other entries.
    """
    source = ListText(text)
    tables = tables_of(source) if look in (None, "column") else []
    in_table = {line for first, last in tables for line in range(first, last + 1)}
    by_line: dict[int, list[CheckedEntry]] = {}
    for entry in entries:
        by_line.setdefault(entry.mention.line, []).append(entry)
    changes: list[Change] = []
    for line, same in by_line.items() if look != "column" else ():
        is_code = not source.markup[slice(*source.stretch(line, line))].strip()
        if not (is_code or line in in_table or len(same) > 1 or source.line(line).lstrip().startswith("#")):
            changes += _behind(source, same[0], kind, look or "suffix")
    for first, last in tables:
        changes += _in_column(source, (first, last), by_line, kind)
    return changes


# Why nothing is shown, with how many papers that is so of behind it.
NOT_SHOWN: Mapping[Kind, str] = {
    "citations": "OpenAlex tells no count",
    "bibtex": "neither DBLP nor arXiv has BibTeX",
    "code": "the abstract names no repository, or several,",
}


def _start(kind: Kind) -> str:
    return f"<!-- paperlake:{kind} -->"


def shown_value(paper: PaperFacts, kind: Kind, look: Look = "suffix") -> str | None:
    """Returns what is shown of a paper; None where no source has it."""
    if kind == "citations":
        count = paper.open_citation_count
        if count is None:
            return None
        if look == "badge":
            return f"![{counted(count, 'citation')}]({_BADGES}citations-{count}-blue)"
        return f"{count:,}" if look == "column" else f"({count:,} citation{'' if count == 1 else 's'})"
    address = paper.code_url
    if kind == "bibtex":
        address = f"https://arxiv.org/bibtex/{paper.arxiv_id}" if paper.arxiv_id else None
        if key := next((item.value for item in paper.identifiers if item.scheme == "dblp"), None):
            address = f"https://dblp.org/rec/{quote(key)}.bib"
    if address is None:
        return None
    address = markdown_address(address)
    return f"[![{kind}]({_BADGES}{kind}-{kind}-blue)]({address})" if look == "badge" else f"[{kind}]({address})"


def _behind(source: ListText, entry: CheckedEntry, kind: Kind, look: Look) -> Iterator[Change]:
    """Yields the change of what is behind an entry's title line, or between marks further down in the entry."""
    if entry.paper is None or (value := shown_value(entry.paper, kind, look)) is None:
        return
    start, end = source.stretch(entry.mention.line, entry.mention.last_line)
    mark = re.compile(re.escape(_start(kind)) + r"(.*?)" + re.escape(_END), re.DOTALL).search(source.text, start, end)
    if mark is not None:
        edit = Edit(start=mark.start(1), end=mark.end(1), replacement=value)
    else:
        at = start + len(_TRAILING.sub("", source.line(entry.mention.line), count=1))
        edit = Edit(start=at, end=at, replacement=f" {_start(kind)}{value}{_END}")
    yield from _change(source, entry.mention.line, kind, value, [edit])


def _change(source: ListText, line: int, kind: Kind, value: str, edits: Iterable[Edit]) -> Iterator[Change]:
    changed = tuple(edit for edit in edits if source.text[edit.start : edit.end] != edit.replacement)
    if changed:
        proof = ("OpenAlex's count (CC0)",) if kind == "citations" else ()
        yield Change(code=f"annotate-{kind}", line=line, message=f"{kind}: {value}", evidence=proof, edits=changed)


def _in_column(
    source: ListText, table: tuple[int, int], by_line: Mapping[int, Sequence[CheckedEntry]], kind: Kind
) -> Iterator[Change]:
    """Yields the change of a table's column; a column is added only where something is known of one of its papers."""
    first, last = table
    papers = {line: [entry.paper for entry in by_line.get(line, ())] for line in range(first + 2, last + 1)}
    values = {
        line: shown_value(same[0], kind, "column") if len(same) == 1 and same[0] is not None else None
        for line, same in papers.items()
    }
    if not any(values.values()):
        return
    head = source.line(first)
    column = next((at for at, cell in enumerate(cells_of(head)) if _start(kind) in head[slice(*cell)]), None)
    if column is None:
        rule = "---:" if kind == "citations" else "---"
        cells = {first: f"{_HEADS[kind]} {_start(kind)}", first + 1: rule} | {at: values[at] or "" for at in values}
        edits = [_put_in(source, line, len(cells_of(head)), words) for line, words in cells.items()]
    else:
        edits = [_renewed(source, line, column, value) for line, value in values.items() if value is not None]
    known = sum(value is not None for value in values.values())
    yield from _change(source, first, kind, f"a column with {counted(known, 'value')}", edits)


def _put_in(source: ListText, line: int, column: int, words: str) -> Edit:
    """Returns the edit that makes a cell at a place of a row; cells before it that the row leaves out are empty."""
    row, start = source.line(line), source.stretch(line, line)[0]
    cells = cells_of(row)
    if column < len(cells):  # more cells than the table had columns: they stay behind the new one, and are not shown
        at = start + cells[column][0]
        return Edit(start=at, end=at, replacement=f" {words} |")
    row = row.rstrip()
    filled_up = " |" * (column - len(cells))
    words = f" {words} |" if row.endswith("|") else f" | {words}"
    return Edit(start=start + len(row), end=start + len(row), replacement=filled_up + words)


def _renewed(source: ListText, line: int, column: int, value: str) -> Edit:
    row, start = source.line(line), source.stretch(line, line)[0]
    cells = cells_of(row)
    if column >= len(cells):
        return _put_in(source, line, column, value)
    first, last = cells[column]
    inside = row[first:last]
    lead = len(inside) - len(inside.lstrip()) if inside.strip() else min(len(inside), 1)
    return Edit(start=start + first + lead, end=start + first + max(len(inside.rstrip()), lead), replacement=value)

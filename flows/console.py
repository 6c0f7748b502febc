"""Prints rows on a terminal: as a table where the columns fit, else as a block a row, else the first columns.

No column is ever so narrow that its text cannot be read, and no line is longer than the width.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from itertools import accumulate, zip_longest
from typing import Any

from rich.cells import cell_len, set_cell_size

from sources.text import counted, json_text, shortened, shown

_MOST_CHARACTERS = 300  # the most characters of one value
_MOST_LINES = 4  # the most lines of one value in a table
_LEAST_TEXT = 16  # the least width of a column of text, unless all its texts are shorter
_LONGEST_WORD = 20  # the least width of a column of single words, such as identifiers, unless all are shorter
# The most rows shown as blocks where their columns do not fit; more are shown with the first columns only.
_MOST_BLOCKS = 10
_BROKEN_HEAD = 12  # characters of a line of a column's name, where names are broken so that more columns fit
_GAP = "  "
_BLANK = "-"
# Names of columns with identifiers, which people read last.
_IDENTIFIERS = re.compile(r"(^|_)(id|ids|key|sha256|revision)$")
_FEWEST = 2  # the fewest columns of a table; with fewer, blocks show more

BOLD = "1"
DIM = "2"
CYAN = "1;36"
YELLOW = "33"  # styles of `styled`, as ANSI codes


def screen_width() -> int:
    """Returns the characters of a line: what `COLUMNS` says, else the terminal's width, else 80."""
    with suppress(ValueError):
        if (columns := int(os.environ.get("COLUMNS", "0"))) > 0:
            return columns
    for descriptor in (1, 0, 2):
        with suppress(OSError):
            return os.get_terminal_size(descriptor).columns or 80
    return 80


def is_read_by_people() -> bool:
    """Returns whether standard output is a terminal, or `COLUMNS` says how wide what shows it is."""
    return sys.stdout.isatty() or "COLUMNS" in os.environ


def styled(text: str, style: str) -> str:
    """Returns `text` in a style where standard output is a terminal that shows colours (https://no-color.org)."""
    if not text or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty():
        return text
    return f"\x1b[{style}m{text}\x1b[0m"


def wrapped(text: str, width: int) -> list[str]:
    """Returns `text` in lines of at most `width` cells, broken between words where they are not too long themselves."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        rest = word
        while cell_len(rest) > width:
            head = set_cell_size(rest, width).rstrip() or rest[0]
            mark = max(map(head.rfind, "/-_.")) + 1  # a long word is broken after a mark if one is near the end
            head = head[:mark] if mark > len(head) // 2 else head
            lines[-1:] = [head, ""]
            rest = rest[len(head) :]
        lines[-1] = rest
    return [line.rstrip() for line in (lines if lines[-1] or len(lines) == 1 else lines[:-1])]


def cut(text: str, width: int) -> str:
    """Returns `text` in at most `width` cells, with `…` for the end of what is longer."""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"


def paragraph(text: str, *, indent: str, first: str | None = None, style: str = "") -> Iterator[str]:
    """Yields `text` in lines of the screen's width, all but the first behind `indent`.

    Control characters of `text` are escaped. `first` stands before the first line instead of `indent`; `style` is
    that of the text, as `styled` has it.
    """
    lines = wrapped(shown(text), max(_LEAST_TEXT, screen_width() - cell_len(indent)))
    for number, line in enumerate(lines):
        yield (first if first is not None and not number else indent) + styled(line, style)


def print_rows(names: Sequence[str], rows: Sequence[Sequence[Any]], *, paged: bool = False, **options: Any) -> None:
    """Prints the lines that `row_lines` makes; `paged`, a screen at a time where standard output is a terminal."""
    lines = list(row_lines(names, rows, **options))
    if paged and sys.stdout.isatty() and len(lines) >= os.get_terminal_size(sys.stdout.fileno()).lines:
        from pydoc import pager  # noqa: PLC0415 - only where there is more than a screen

        os.environ.setdefault("LESS", "-FRX")  # colours as they are, and what was read stays on the screen
        pager("\n".join(lines) + "\n")
        return
    sys.stdout.writelines(f"{line}\n" for line in lines)


def row_lines(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    title: str | None = None,
    total: int | None = None,
    remedy: str = "--format csv gives all",
    more: str | None = None,
) -> Iterator[str]:
    """Yields `rows` in lines of the screen's width, NULL as a dash and numbers to the right.

    `rows` may be the first of a `total`. `remedy` tells how to get the columns that are not shown, and the rows
    unless `more` does. Where not all columns fit, those with identifiers come last.
    """
    if title:
        yield styled(title, BOLD)
    width, heads = screen_width(), [shown(name) for name in names]
    cells = [[_BLANK if value is None else as_text(value) for value in row] for row in rows]
    are_numbers = [_are_numbers(column) for column in zip(*rows, strict=True)]
    least = _least_widths(heads, cells, are_numbers, width)
    if rows and _fitting(least, width) < len(heads):
        order = sorted(range(len(heads)), key=lambda place: bool(_IDENTIFIERS.search(heads[place])))
        heads, cells = [heads[place] for place in order], [[row[place] for place in order] for row in cells]
        are_numbers, least = [are_numbers[place] for place in order], [least[place] for place in order]
    fitting = _fitting(least, width)
    if not rows:
        yield from (styled(line, BOLD) for line in wrapped(", ".join(heads), width))
    elif fitting == len(heads) or (fitting >= _FEWEST and len(rows) > _MOST_BLOCKS):
        natural = [max(map(cell_len, column)) for column in zip(heads, *cells, strict=True)]
        widths = _spread(least[:fitting], natural[:fitting], width - len(_GAP) * (fitting - 1))
        head = _row([_head(name, size) for name, size in zip(heads, widths, strict=False)], widths, are_numbers)
        yield from (styled(line, BOLD) for line in head)
        for row in cells:
            yield from _row([_cell(text, size) for text, size in zip(row, widths, strict=False)], widths, are_numbers)
        if hidden := heads[fitting:]:
            note = f"... {counted(len(hidden), 'more column')}: {', '.join(hidden)}; {remedy}"
            yield from (styled(line, DIM) for line in wrapped(note, width))
    else:
        yield from _blocks(heads, cells, width)
    if total is not None and total > len(rows):
        yield styled(f"... {total - len(rows):,} more of {counted(total, 'row')}: {more or remedy}", DIM)
    elif not rows:
        yield styled("no rows", DIM)


def _fitting(least: Sequence[int], width: int) -> int:
    """Returns how many columns fit `width`, given the least width of each."""
    return sum(end <= width for end in accumulate(least, lambda end, size: end + len(_GAP) + size))


def as_text(value: Any) -> str:
    """Returns a value as one line of text for people: times to the minute in UTC, no number with an exponent."""
    if isinstance(value, float | Decimal):
        text = _number(value)
    elif isinstance(value, datetime):
        text = f"{value:%Y-%m-%d %H:%M}" + (" UTC" if value.tzinfo else "")
    elif isinstance(value, list | tuple) and not any(isinstance(item, list | tuple | dict) for item in value):
        text = "; ".join(_BLANK if item is None else as_text(item) for item in value) or _BLANK
    elif isinstance(value, list | tuple | dict):
        text = json_text(_plain(value))
    elif isinstance(value, date):
        text = value.isoformat()
    else:
        text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    text = shown(text)
    return shortened(text, _MOST_CHARACTERS)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int) else as_text(value)


def _number(value: float | Decimal) -> str:
    """Returns a number to three figures where it is no whole one, and with at least one decimal."""
    if not math.isfinite(value):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if value == int(value):
        return f"{value:.1f}"
    return f"{value:.{min(15, max(1, 2 - math.floor(math.log10(abs(value)))))}f}"


def _are_numbers(values: Sequence[Any]) -> bool:
    there = [value for value in values if value is not None]
    return bool(there) and all(isinstance(v, int | float | Decimal) and not isinstance(v, bool) for v in there)


def _least_widths(
    heads: Sequence[str], cells: Sequence[Sequence[str]], are_numbers: Sequence[bool], width: int
) -> list[int]:
    """Returns the least width of each column; names are broken as far as all columns fit `width` then."""
    texts = []
    for column, is_number in zip(zip(*cells, strict=True), are_numbers, strict=True):
        enough = _LEAST_TEXT if any(" " in text for text in column) else _LONGEST_WORD
        natural = max(map(cell_len, column))
        texts.append(natural if is_number else min(natural, enough))
    least = texts
    for head_width in (width, _BROKEN_HEAD, 1):
        least = [max(text, *map(cell_len, _head(head, head_width))) for text, head in zip(texts, heads, strict=False)]
        if sum(least) + len(_GAP) * (len(least) - 1) <= width:
            break
    return least


def _head(name: str, width: int) -> list[str]:
    """Returns a column's name in lines of `width` cells where possible, broken at blanks and underscores."""
    lines: list[str] = []
    for part in re.findall(r"[^_ ]*[_ ]?", name):
        if lines and cell_len((lines[-1] + part).rstrip()) <= width:
            lines[-1] += part
        elif part:
            lines.append(part)
    return [line.rstrip() for line in lines] or [""]


def _spread(least: Sequence[int], wanted: Sequence[int], width: int) -> list[int]:
    """Returns the columns' widths: the least of each, and a share of the rest in proportion to what each could use."""
    wishes = [max(0, want - size) for want, size in zip(wanted, least, strict=True)]
    spare = min(width - sum(least), sum(wishes))
    if spare <= 0:
        return list(least)
    widths = [size + spare * wish // sum(wishes) for size, wish in zip(least, wishes, strict=True)]
    widths[wishes.index(max(wishes))] += spare - (sum(widths) - sum(least))
    return widths


def _cell(text: str, width: int) -> list[str]:
    lines = wrapped(text, width)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], set_cell_size(lines[_MOST_LINES - 1], width - 1).rstrip() + "…"]
    return lines


def _row(cells: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    for parts in zip_longest(*cells, fillvalue=""):
        blanks = [" " * (width - cell_len(part)) for part, width in zip(parts, widths, strict=False)]
        padded = (b + part if is_right else part + b for part, b, is_right in zip(parts, blanks, right, strict=False))
        yield _GAP.join(padded).rstrip()


def _blocks(heads: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yields each row as a block: a long value a line, short ones side by side, the names of empty ones at the end."""
    for number, row in enumerate(cells, 1):
        yield styled(f"-- {number} of {len(cells)} --", DIM)
        values = [(f"{head}:", text) for head, text in zip(heads, row, strict=True) if text != _BLANK]
        for group in _side_by_side(values, width):
            first, *rest = (styled(f"{head} ", DIM) + text for head, text in group)
            if rest or cell_len(" ".join(group[0])) <= width:
                yield (_GAP * 2).join((first, *rest))
            else:  # several lines behind the name, which is broken where it is long itself
                ((head, text),) = group
                indent = min(cell_len(head), max(_LEAST_TEXT, width // 3)) + 1
                labels, lines = wrapped(head, indent - 1), wrapped(text, max(_LEAST_TEXT, width - indent))
                for label, line in zip_longest(labels, lines, fillvalue=""):
                    yield styled(label + " " * (indent - cell_len(label)), DIM) + line
        if empty := [head for head, text in zip(heads, row, strict=True) if text == _BLANK]:
            yield from (styled(line, DIM) for line in wrapped(f"without a value: {', '.join(empty)}", width))


def _side_by_side(values: Sequence[tuple[str, str]], width: int) -> Iterator[list[tuple[str, str]]]:
    """Yields the names and values of a row in lines; neighbours share one as far as they fit."""
    line: list[tuple[str, str]] = []
    for head, text in values:
        size = sum(cell_len(name) + 1 + cell_len(value) + 2 * len(_GAP) for name, value in [*line, (head, text)])
        if line and size - 2 * len(_GAP) > width:
            yield line
            line = []
        line.append((head, text))
    if line:
        yield line

"""Raw HTML inside Markdown -> pieces that can be read as Markdown, items, rows or headings, with their lines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

_BLOCK_TAG = re.compile(
    r"<(/?)(h[1-6]|li|ul|ol|p|div|tr|t[dh]|table|tbody|thead|dl|dt|dd|hr|details|summary|blockquote|center|section|"
    r"article|header|footer|nav|main|figure|figcaption|colgroup|caption)\b[^>]*>",
    re.IGNORECASE,
)
_SILENT = re.compile(r"<!--.*?(?:-->|\Z)|<(script|style|pre|textarea)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_NEWLINE = re.compile(r"\n")
_NOT_NEWLINE = re.compile(r"[^\n]+")


class Piece(NamedTuple):
    """A stretch of an HTML block between two block tags.

    Attributes:
        kind: heading, item, row or markdown.
        text: The stretch without its block tags; inline tags are still there.
        line: How many lines below the block's first line it starts.
        level: Level of a heading.
        cells: Of a row: where in `text` each cell starts, and the cell.
        head: Whether the row's cells are heads.
    """

    kind: str
    text: str
    line: int
    level: int = 0
    cells: tuple[tuple[int, str], ...] = ()
    head: bool = False


def pieces(content: str) -> Iterator[Piece]:
    """Yields the pieces of an HTML block in order. Comments, scripts and styles are left out."""
    content = _SILENT.sub(lambda match: _NOT_NEWLINE.sub("", match[0]), content)
    newlines = [match.start() for match in _NEWLINE.finditer(content)]
    row_start, head, context, start = -1, False, "markdown", 0
    cells: list[tuple[int, str]] = []
    for match in _BLOCK_TAG.finditer(content):
        closing, tag = bool(match[1]), match[2].lower()
        if row_start >= 0 and tag in ("td", "th"):
            if closing or context == "cell":
                cells.append((start - row_start, content[start : match.start()]))
            context = "row" if closing else "cell"
            head = head or tag == "th"
        elif row_start >= 0 and tag == "tr":
            if context == "cell":
                cells.append((start - row_start, content[start : match.start()]))
            yield _row(content, newlines, (row_start, match.start()), cells, head=head)
            cells, head, context = [], False, "row"
            row_start = -1 if closing else match.end()
        elif row_start >= 0:
            continue
        else:
            yield from _piece(content, newlines, (start, match.start()), context)
            context = "markdown" if closing else _context(tag)
            row_start = match.end() if tag == "tr" and not closing else -1
        start = match.end()
    if row_start >= 0:
        yield _row(
            content, newlines, (row_start, len(content)), [*cells, (start - row_start, content[start:])], head=head
        )
    else:
        yield from _piece(content, newlines, (start, len(content)), context)


def _context(tag: str) -> str:
    if tag in ("li", "dt", "dd"):
        return "item"
    return tag if tag[0] == "h" and tag[1:].isdigit() else "markdown"


def _piece(content: str, newlines: list[int], bounds: tuple[int, int], context: str) -> Iterator[Piece]:
    start, end = bounds
    text = content[start:end]
    if not text.strip():
        return
    lead = len(text) - len(text.lstrip())
    line = bisect_left(newlines, start + lead)
    if context == "item":
        yield Piece("item", text[lead:], line)
    elif context.startswith("h"):
        yield Piece("heading", " ".join(text.split()), line, level=int(context[1]))
    else:
        blank = text.rfind("\n", 0, lead) + 1
        yield Piece("markdown", text[blank:], bisect_left(newlines, start + blank))


def _row(
    content: str, newlines: list[int], bounds: tuple[int, int], cells: list[tuple[int, str]], *, head: bool
) -> Piece:
    start, end = bounds
    return Piece("row", content[start:end], bisect_left(newlines, start), cells=tuple(cells), head=head)

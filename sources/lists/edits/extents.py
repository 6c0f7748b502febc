"""What belongs to an entry of a list: its extent, which nothing may part. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sources.lists.edits.spans import first_line_of
from sources.lists.edits.style import WrittenEntry, WrittenList, is_row

_WHITESPACE = re.compile(r"[ \t]*")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
HEADING = re.compile(r"#{1,6}(?=\s)")
# What stands below a paragraph and belongs to it, also behind an empty line: a picture, a badge, a quotation.
BESIDE = re.compile(r"\s*(?:!\[|\[!\[|<(?:a\s[^>]*>\s*<)?img\b|<(?:p|div|center)\b[^>]*>\s*<(?:a\b[^>]*>\s*<)?img\b|>)")
# A rule, words in bold alone, a heading in HTML, a block of HTML that ends, or a comment.
_BORDER = re.compile(
    r"\s*(?:(?:-{3,}|={3,}|\*{3,}|_{3,})\s*$|(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*$|</?(?:h[1-6]|summary|details)\b"
    r"|</(?:ul|ol|table|tbody|div|center)\s*>|<!--)",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{3,})\s*$")


def block_end(written: WrittenList, entry: WrittenEntry) -> int:
    """Returns the last line of an entry with all that belongs to it: its extent.

    Of an item that is what is indented further, lines right below it, and pictures and quotations; of a heading all up
    to the next one; of a paragraph all up to the next entry or heading, or to words that lead over to what follows.
    """
    source = written.source
    first, last = first_line_of(entry.mention), entry.mention.last_line
    own = HEADING.match(source.line(first))
    level = len(own[0]) if own else 0
    is_item = _ITEM.match(source.line(first)) is not None
    for line in range(last + 1, source.line_count + 1):
        text = source.line(line)
        if not text.strip():
            continue
        heading = HEADING.match(text)
        if level:
            ends = heading is not None and len(heading[0]) <= level
        elif is_item and _width(text) > _width(source.line(first)):
            ends = False
        elif heading or line in written.first_lines or _is_border(written, line):
            ends = True
        elif is_item:
            ends = _ITEM.match(text) is not None or not (line == last + 1 or BESIDE.match(text))
        elif is_row(source.line(first)):
            ends = True
        else:
            ends = text.rstrip(" *_").endswith((":", "："))
        if ends:
            break
        last = line
    return last


def _is_border(written: WrittenList, line: int) -> bool:
    """Returns whether a line ends what stands above it: a rule, a line in bold, a heading, or the end of a block."""
    source = written.source
    following = source.line(line + 1) if line < source.line_count else ""
    return _BORDER.match(source.line(line)) is not None or _UNDERLINE.match(following) is not None


def _width(line: str) -> int:
    match = _WHITESPACE.match(line)
    return len(match[0].expandtabs(4)) if match else 0


def not_inside_others(written: WrittenList, entries: Sequence[WrittenEntry]) -> list[WrittenEntry]:
    """Returns the entries of a section that stand in no extent of another of the list's."""
    outer, end = [], 0
    first, last = (first_line_of(entries[at].mention) for at in (0, -1))
    for entry in written.entries:
        line = first_line_of(entry.mention)
        if first <= line <= last and entry.mention.section == entries[0].mention.section:
            if line > end and entry.form is not None:
                outer.append(entry)
            end = max(end, block_end(written, entry))
    return outer


def lines_between(written: WrittenList, run: Sequence[WrittenEntry]) -> str:
    """Returns the empty lines that stand between two entries: as many as between most of those that follow another."""
    gaps = Counter(
        first_line_of(second.mention) - end - 1
        for end, second in zip((block_end(written, entry) for entry in run), run[1:], strict=False)
        if not any(written.source.line(line).strip() for line in range(end + 1, first_line_of(second.mention)))
        and first_line_of(second.mention) > end
    )
    first = written.source.line(first_line_of(run[0].mention))
    is_paragraph = not (_ITEM.match(first) or HEADING.match(first) or is_row(first) or first.lstrip().startswith("<"))
    return written.source.line_end * (gaps.most_common(1)[0][0] if gaps else is_paragraph)

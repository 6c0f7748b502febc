"""What belongs to an entry of a list: its extent, which nothing may part. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from sources.lists.edits.forms import is_row
from sources.lists.edits.style import WrittenEntry, WrittenList

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]")
_EMPTY = re.compile(r"(?:\s|<br\s*/?>|&nbsp;)*$", re.IGNORECASE)
HEADING = re.compile(r" {0,3}(#{1,6})(?=\s)")
PICTURE = re.compile(r"\s*(?:!\[|\[!\[|<(?:a\s[^>]*>\s*<)?img\b|<(?:p|div|center)\b[^>]*>\s*<(?:a\b[^>]*>\s*<)?img\b)")
# A rule, an empty item, words in bold alone, a heading in HTML or without its blank, a block of HTML that ends, an
# anchor of what follows, or a comment. Longer words in bold are a note.
_BORDER = re.compile(
    r"#{1,6}[^\s#]|\s*(?:(?:[-*+]|-{3,}|={3,}|\*{3,}|_{3,}|- - -)\s*$|(?:\*\*|__)[^*_]{1,100}(?:\*\*|__):?\s*$"
    r"|</?(?:h[1-6]|summary|details)\b|</(?:ul|ol|table|tbody|div|center)\s*>"
    r"|<a\s+(?:name|id)\s*=[^>]*>(?:\s*</a>)?\s*$|<!--)",
    re.IGNORECASE,
)
# Words in bold alone, or a year in italics.
_IN_BOLD = re.compile(
    r"\s*(?:(?:\*\*|__|<(?:b|strong)>)(?P<bold>[^*_\[\]<>]{1,100})(?:\*\*|__|</(?:b|strong)>):?"
    r"|([*_])(?P<year>\(?(?:19|20)\d\d\)?)\2:?)\s*$",
    re.IGNORECASE,
)
_LINK_WITHIN = re.compile(r"\s*\[(?:[^\[\]]|\\[\[\]])*\]\(#[^()\s]*\)\s*$")  # "back to the top", which ends a section
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{3,})\s*$")
_LINES_ABOVE = 3  # lines above the first entry of a section among which it may have words in bold
_FEWEST = 2  # entries beside one that show whether something is below each of them


class _Shape(NamedTuple):
    """What an entry is in Markdown."""

    heading: int  # its level, 0 of others
    is_item: bool
    is_row: bool
    indent: int


class _Block(NamedTuple):
    """The lines of an entry."""

    first: int
    last: int  # of its own block: an item, a paragraph, a row, or all below a heading
    behind: int  # of what is behind empty lines below it, up to the next entry, heading or border


class _Beside(NamedTuple):
    """The entries of a section that have the shape of one, or else those of the list."""

    some: bool  # whether something is behind empty lines below one of them
    usual: bool  # whether that is so of most, and of the last of the section
    is_last: bool  # whether the entry is the last of the section


class Extents:
    """The extents of a list's entries: the block of Markdown of each, and what is with it behind empty lines.

    What is there belongs to an entry where most of those beside it have something there, the last one too. Where
    only some have, and another entry follows, it is not clear to which of the two it belongs.
    """

    def __init__(self, written: WrittenList) -> None:
        self._written = written
        self._blocks: dict[int, _Block] = {}
        self._shapes: dict[int, _Shape] = {}
        groups: defaultdict[object, list[int]] = defaultdict(list)
        for entry in written.entries:
            first, line = entry.first, written.source.line(entry.first)
            level = HEADING.match(line)
            shape = _Shape(
                len(level[1]) if level else 0, _ITEM.match(line) is not None, is_row(line), width_before(line)
            )
            self._shapes[first] = shape
            last = max(entry.mention.last_line, self._blocks[first].last if first in self._blocks else 0)
            self._blocks[first] = self._block(first, last, shape)
            groups[entry.mention.section, shape].append(first)
            groups[shape].append(first)
        self._groups = {key: list(dict.fromkeys(lines)) for key, lines in groups.items()}
        self._having = {key: sum(map(self._has_more_below, lines)) for key, lines in self._groups.items()}

    def end(self, entry: WrittenEntry) -> int:
        """Returns the last line of an entry with all that belongs to it."""
        block, place = self._blocks[entry.first], self._beside(entry)
        if place.usual or not place.is_last or block.behind == block.last:
            return block.behind if place.usual else block.last
        # Behind the last item of a section may be what ends it, or leads over to the next.
        lines = map(self._written.source.line, range(block.last + 1, block.behind + 1))
        below = next(line for line in lines if not _EMPTY.match(line))
        is_own = not self._shapes[block.first].is_item or PICTURE.match(below) or below.lstrip().startswith(">")
        return block.behind if place.some or is_own else block.last

    def is_moved_whole(self, entry: WrittenEntry) -> bool:
        """Returns whether all below an entry is surely its own, and not the end of its section."""
        return self.end(entry) == self.block(entry) or self._beside(entry).some

    def block(self, entry: WrittenEntry) -> int:
        """Returns the last line of an entry's own block of Markdown."""
        return self._blocks[entry.first].last

    def is_clear(self, entry: WrittenEntry) -> bool:
        """Returns whether it is clear where the extent of an entry ends."""
        block, place = self._blocks[entry.first], self._beside(entry)
        following = min((line for line in self._blocks if line > block.first), default=block.first)
        between = map(self._written.source.line, range(block.last + 1, following))
        if self._is_lazy(block.first) or (self._is_lazy(following) and not any(map(HEADING.match, between))):
            return False
        return place.is_last or block.behind == block.last or place.usual

    def outer(self, section: tuple[str, ...]) -> list[WrittenEntry]:
        """Returns the entries of a section that are in no extent of another of the list's."""
        outer, end = [], 0
        for entry in self._written.entries:
            line = entry.first
            is_own = entry.mention.section == section
            if is_own and line > end:
                outer.append(entry)
            if is_own or not self._shapes[line].heading:  # a paper may be the heading of its own section
                end = max(end, self.end(entry))
        return outer

    def groups(self, run: Sequence[WrittenEntry]) -> dict[str, list[WrittenEntry]]:
        """Returns the entries of a run by what is above them: words in bold alone, headings, the item they are in.

        "" where there is nothing.
        """
        grouped: defaultdict[str, list[WrittenEntry]] = defaultdict(list)
        if not run or self._shapes[run[0].first].heading:
            return {"": list(run)} if run else {}
        words = item = ""
        # The words above the first entry begin at most behind the section's heading.
        above = range(run[0].first - 1, max(0, run[0].first - _LINES_ABOVE), -1)
        end = next((line for line in above if HEADING.match(self._written.source.line(line))), above.stop)
        previous = 0
        for entry in run:
            first = entry.first
            words = " ".join(filter(None, map(self._heading, range(end + 1, first)))) or words
            item = self._item_around(first, previous, item)
            grouped[f"{words} {item}".strip()].append(entry)
            end, previous = max(end, entry.mention.last_line), first
        return grouped

    def _item_around(self, first: int, previous: int, usual: str) -> str:
        """Returns the item in which an entry is; `usual` where that is the one of the entry before it."""
        source, depth = self._written.source, self._shapes[first].indent
        for line in range(first - 1, previous, -1) if depth else ():
            text = source.line(line)
            if HEADING.match(text) or (text.strip() and width_before(text) < depth):
                return text.strip() if _ITEM.match(text) and line not in self._written.first_lines else ""
        return usual if depth else ""

    def _heading(self, line: int) -> str:
        """Returns the words of a heading, or of words in bold alone above an empty line or an entry; "" of others."""
        source, firsts = self._written.source, self._written.first_lines
        text = source.line(line)
        match = None if line in firsts else _IN_BOLD.match(text) or HEADING.match(text)
        if match is None or (match.re is _IN_BOLD and line + 1 not in firsts and source.line(line + 1).strip()):
            return ""
        return match["bold"] or match["year"] if match.re is _IN_BOLD else text.strip(" #")

    def is_plain(self, run: Iterable[WrittenEntry]) -> bool:
        """Returns whether entries are all items, all rows, all headings, or all none of these."""
        return len({self._shapes[entry.first][:3] for entry in run}) < 2

    def between(self, run: Sequence[WrittenEntry]) -> int:
        """Returns how many empty lines are between two entries: as between most of `run`, or of the list."""
        shape = self._shapes[run[0].first]
        alike = [entry for entry in self._written.entries if self._shapes[entry.first] == shape]
        is_paragraph = not (shape.is_item or shape.heading or shape.is_row)
        gaps = self._gaps(run) or self._gaps(() if is_paragraph else alike)
        first = self._written.source.line(run[0].first)
        return gaps.most_common(1)[0][0] if gaps else int(is_paragraph and not first.lstrip().startswith("<"))

    def _gaps(self, entries: Iterable[WrittenEntry]) -> Counter[int]:
        gaps: Counter[int] = Counter()
        for entry, other in pairwise(entries):
            end, first = self.end(entry), other.first
            if first > end and not any(self._written.source.line(line).strip() for line in range(end + 1, first)):
                gaps[first - end - 1] += 1
        return gaps

    def _beside(self, entry: WrittenEntry) -> _Beside:
        first = entry.first
        shape = self._shapes[first]
        own, whole = self._groups[entry.mention.section, shape], self._groups[shape]
        key, lines = ((entry.mention.section, shape), own) if len(own) > _FEWEST else (shape, whole)
        having, number = self._having[key] - self._has_more_below(first), len(lines) - 1
        usual = 2 * having >= number > 0 and (len(own) == 1 or self._has_more_below(own[-1]))
        return _Beside(having > 0, usual, first == own[-1])

    def _has_more_below(self, first: int) -> bool:
        return self._blocks[first].behind > self._blocks[first].last

    def _block(self, first: int, last: int, shape: _Shape) -> _Block:
        source = self._written.source
        own = behind = last
        for line in range(last + 1, source.line_count + 1):
            text = source.line(line)
            heading = HEADING.match(text)
            is_item = shape.is_item and _ITEM.match(text) is not None
            is_inside = shape.is_item and width_before(text) > shape.indent + (heading is not None)
            if shape.heading:
                is_inside = heading is None or len(heading[1]) > shape.heading
            is_joined = line == behind + 1 and not (is_item or shape.is_row)
            if _EMPTY.match(text):
                is_ended = own == behind and bool(text.strip()) and not any(shape[:3])
                if is_ended:  # by a sign for an empty line, as a paragraph may be
                    own = behind = line
                continue
            if _LINK_WITHIN.match(text) and line > own + 1:
                break
            if is_inside or (is_joined and own == behind and text.startswith("<!--")):
                own = behind = line
            elif shape.heading or shape.is_row or heading or self.is_border(line) or is_item:
                break
            elif is_joined and own == behind:
                own = behind = line
            elif text.rstrip(" *_").endswith((":", "：")) and self._leads_over(line):
                break
            else:
                behind = line
        return _Block(first, own, behind)

    def _leads_over(self, line: int) -> bool:
        """Returns whether an entry or a heading follows a line that ends with a colon, so that it is not a note."""
        source = self._written.source
        below = (at for at in range(line + 1, source.line_count + 1) if source.line(at).strip())
        following = next(below, 0)
        is_heading = following == 0 or HEADING.match(source.line(following)) is not None
        return is_heading or following in self._written.first_lines

    def is_border(self, line: int) -> bool:
        """Returns whether a line ends what is above: an entry, a rule, words in bold, or the end of a block."""
        source = self._written.source
        text, following = source.line(line), source.line(line + 1) if line < source.line_count else ""
        border = _BORDER.match(text) or _IN_BOLD.match(text) or _UNDERLINE.match(following)
        return border is not None or line in self._written.first_lines

    def _is_lazy(self, first: int) -> bool:
        """Returns whether an entry is read from the line below an item that is not its own, without an empty line."""
        shape = self._shapes[first]
        titles = [entry.mention.line for entry in self._written.entries if entry.first == first]
        lines = map(self._written.source.line, titles)
        return (
            shape.is_item
            and min(titles) > first
            and not any(width_before(line) > shape.indent or _ITEM.match(line) for line in lines)
        )


def width_before(line: str) -> int:
    """Returns how far a line is indented."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))

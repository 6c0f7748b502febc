"""A list's text by lines and offsets, with its code and comments marked, and the smallest edit between texts.

A line ends as the reader has it: in a feed, a return, or both.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache

from markdown_it import MarkdownIt
from rapidfuzz.distance import Postfix, Prefix

from sources.lists.checks.findings import Edit


def smallest_edit(start: int, before: str, after: str) -> Edit:
    """Returns the edit that makes `after` of `before`, which is at `start`, without what they have in common."""
    head = Prefix.similarity(before, after)
    tail = Postfix.similarity(before[head:], after[head:])
    return Edit(start=start + head, end=start + len(before) - tail, replacement=after[head : len(after) - tail])


ADDRESS = re.compile(r"https?://[^\s()<>\[\]\"']+")  # an address as written in an entry
_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n\r]*?(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*(?:(?::-*:?|-+:?)[ \t]*)?)*$")


@dataclass(frozen=True)
class ListText:
    """The text of a list as decoded."""

    text: str  # with its line ends

    @cached_property
    def _line_ends(self) -> tuple[tuple[int, int], ...]:
        return tuple(match.span() for match in _LINE_END.finditer(self.text))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return (0, *(end for _, end in self._line_ends))

    @property
    def line_count(self) -> int:
        """Returns the number of lines; behind a last line end is an empty one."""
        return len(self._starts)

    @property
    def line_end(self) -> str:
        """Returns what the first line ends in; a line feed where there is one line."""
        return self.text[slice(*self._line_ends[0])] if self._line_ends else "\n"

    def stretch(self, first: int, last: int) -> tuple[int, int]:
        """Returns where the lines from `first` to `last`, counted from 1, are, without the last one's end."""
        ends = self._line_ends
        return self._starts[max(first, 1) - 1], ends[last - 1][0] if last <= len(ends) else len(self.text)

    def line(self, number: int) -> str:
        """Returns a line without its end."""
        start, end = self.stretch(number, number)
        return self.text[start:end]

    def line_of(self, offset: int) -> int:
        """Returns the line, counted from 1, in which the character at `offset` is."""
        return bisect_right(self._starts, offset)

    @cached_property
    def markup(self) -> str:
        """Returns the text with blanks in the place of code, fenced or in a line, and of HTML comments."""
        text = _COMMENT.sub(lambda match: _blank(match[0]), self.text)
        lines = re.split(r"(\r\n|\r|\n)", text)
        fence = ""
        for at in range(0, len(lines), 2):
            match = _FENCE.match(lines[at])
            if fence:
                ends = match is not None and match[1].startswith(fence)
                lines[at] = _blank(lines[at])
                fence = "" if ends else fence
            elif match:
                fence = match[1]
                lines[at] = _blank(lines[at])
        return _CODE.sub(lambda match: _blank(match[0]), "".join(lines))


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)


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


@lru_cache(maxsize=1)
def commonmark() -> MarkdownIt:
    """Returns a parser of plain CommonMark."""
    return MarkdownIt("commonmark")

"""A list's text by lines and offsets, and which of it is shown as it stands: code and comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

_LINE_END = re.compile(r"\r\n|\r|\n")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n\r]*?(?<!`)\1(?!`)")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


@dataclass(frozen=True)
class ListText:
    """The text of a list as decoded.

    Attributes:
        text: As it stands, line ends untouched.
    """

    text: str

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return (0, *(match.end() for match in _LINE_END.finditer(self.text)))

    @property
    def line_count(self) -> int:
        """Returns the number of lines; behind a last line end stands an empty one."""
        return len(self._starts)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Returns the offsets at which the lines `first` to `last`, counted from 1, begin and end."""
        starts = self._starts
        end = starts[last] if last < len(starts) else len(self.text)
        return starts[first - 1], end

    def line(self, number: int) -> str:
        """Returns a line without its end."""
        start, end = self.span(number, number)
        return self.text[start:end].rstrip("\r\n")

    def line_of(self, offset: int) -> int:
        """Returns the line, counted from 1, in which the character at `offset` stands."""
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

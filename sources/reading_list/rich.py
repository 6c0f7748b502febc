"""Text with its mark-up beside it: one plain string, and which stretches of it are links, bold, struck...

Everything behind this module reads plain text and asks what a stretch is marked as; nobody else sees a token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from markdown_it.token import Token

BREAK = "\v"
"""Stands in the text for a line break that is not one in the file, such as `<br>`."""

_STYLES = {"strong": "bold", "em": "italic", "s": "struck"}
_TAGS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "cite": "italic",
    "s": "struck",
    "del": "struck",
    "strike": "struck",
}
_BREAKING = frozenset("br li ul ol p div tr td th table tbody thead dt dd hr details summary blockquote center".split())
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_ATTRIBUTE = re.compile(r"""\b(href|src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)


class Mark(NamedTuple):
    """A stretch `start:end` of the text and what it is marked as.

    `kind` is link, image, bold, italic, struck or code; `url` is the target of a link (empty for `[Title]()`) or image.
    """

    start: int
    end: int
    kind: str
    url: str = ""


class Rich(NamedTuple):
    """Plain text with marks, and the 1-based line in the file on which the text starts.

    A newline in the text is a newline in the file; `BREAK` is not.
    """

    text: str
    marks: tuple[Mark, ...]
    line: int


def from_tokens(tokens: Iterable[Token], line: int) -> Rich:
    """Returns the text of inline `tokens`, whose first character stands on `line`."""
    builder = _Builder()
    for token in tokens:
        builder.add(token)
    return builder.finish(line)


class _Builder:
    """Collects text and marks while walking inline tokens."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.open: list[tuple[str, int, str]] = []
        self.marks: list[Mark] = []

    def add(self, token: Token) -> None:
        kind = token.type
        if kind == "text":
            self.write(token.content)
        elif kind in ("softbreak", "hardbreak"):
            self.write("\n")
        elif kind == "code_inline":
            self.write_marked(token.content, "code", "")
        elif kind == "html_inline":
            self.add_tag(token.content)
        elif kind == "image":
            self.write_marked(token.content, "image", str(token.attrs.get("src", "")))
        elif kind == "link_open":
            self.open.append(("link", self.length, str(token.attrs.get("href", ""))))
        elif kind == "link_close":
            self.close("link")
        elif token.nesting and token.tag in _STYLES:
            self.style(_STYLES[token.tag], opening=token.nesting > 0)
        elif token.content:
            self.write(token.content)

    def add_tag(self, html: str) -> None:
        match = _TAG.match(html)
        if match is None:
            self.write("\n" * html.count("\n"))
            return
        closing, name = bool(match[1]), match[2].lower()
        if name == "a":
            self.anchor(html, closing=closing)
        elif name == "img":
            found = _attributes(html)
            self.write_marked(found.get("alt", ""), "image", found.get("src", ""))
        elif name in _TAGS:
            self.style(_TAGS[name], opening=not closing)
        elif name in _BREAKING:
            self.write(BREAK)
        self.write("\n" * html.count("\n"))

    def anchor(self, html: str, *, closing: bool) -> None:
        if closing:
            self.close("link")
        elif "href" in (found := _attributes(html)):
            self.open.append(("link", self.length, found["href"]))

    def style(self, kind: str, *, opening: bool) -> None:
        if opening:
            self.open.append((kind, self.length, ""))
        else:
            self.close(kind)

    def close(self, kind: str) -> None:
        for index in range(len(self.open) - 1, max(len(self.open) - 20, 0) - 1, -1):
            if self.open[index][0] == kind:
                _, start, url = self.open.pop(index)
                self.marks.append(Mark(start, self.length, kind, url))
                return

    def write(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def write_marked(self, text: str, kind: str, url: str) -> None:
        self.marks.append(Mark(self.length, self.length + len(text), kind, url))
        self.write(text)

    def finish(self, line: int) -> Rich:
        self.marks.sort()
        return Rich("".join(self.parts), tuple(self.marks), line)


def _attributes(html: str) -> dict[str, str]:
    return {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(html)}

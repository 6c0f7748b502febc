"""Plain text of a block with its mark-up beside it: which stretches are links, bold, struck.

Everything behind this module reads plain text and asks what a stretch is marked as; nobody else sees a token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from markdown_it import MarkdownIt, helpers
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from sources.lists.reading.html import BLOCKS, Tag, tag_of

BREAK = "\v"  # stands in the text for a line break that is not one in the file, such as `<br>`
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
    "sup": "raised",
}
_BREAKING = BLOCKS - {"h1", "h2", "h3", "h4", "h5", "h6", "body", "html"} | {"br"}
# Elements that, behind a blank, hold what is said beside the words before them.
_APART = frozenset({"small", "sup", "sub"})


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
        self.anchors: list[str] = []

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
        tag = tag_of(html)
        if tag is not None and tag.name == "img":
            self.write_marked(tag.attributes.get("alt", ""), "image", tag.attributes.get("src", ""))
        elif tag is not None and (tag.name == "a" or html.lstrip("</")[:1].isupper()):
            self.anchor(tag, html)
        elif tag is not None and tag.name in _TAGS:
            self.write(BREAK if self.stands_apart(tag) else "")
            self.style(_TAGS[tag.name], opening=not tag.closing)
        elif tag is not None and (tag.name in _BREAKING or self.stands_apart(tag)):
            self.write(BREAK)
        self.write("\n" * html.count("\n"))

    def anchor(self, tag: Tag, html: str) -> None:
        """Opens or closes a link: an `<a>`, or a component of MDX that leads somewhere, with its title for words."""
        href = tag.attributes.get("href")
        if tag.closing and self.anchors and self.anchors[-1] == tag.name:
            self.anchors.pop()
            self.close("link")
        elif href is not None and html.endswith("/>") and tag.name != "a":
            self.write_marked(tag.attributes.get("title", ""), "link", href)
        elif href is not None:
            self.anchors.append(tag.name)
            self.open.append(("link", self.length, href))

    def stands_apart(self, tag: Tag) -> bool:
        return tag.name in _APART and not tag.closing and bool(self.parts) and self.parts[-1][-1:].isspace()

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


# Longest text, in characters, that is given to the inline parser in one piece; its cost on brackets is quadratic.
INLINE_LIMIT = 4_000
# Most opening brackets in such a piece; what has more is no text that a person wrote, and is taken as it stands.
_BRACKET_LIMIT = 300
# Where an inline rule may begin, or the words of a link end: the parser need not stop at any other sign.
_MARKED = re.compile(r"[\\`*_\[\]!<&~\n]")


_PLAIN_LINK = re.compile(r"\[([^\\`*_\[\]!<&~\n]++)\]\(([^\x00-\x20\x7f()<\\&]++)\)")
# Text without any mark-up but links of plain words to plain addresses, as most entries are.
_PLAIN_LINKS = re.compile(rf"[^\\`*_\[\]!<&~\n]*+(?:{_PLAIN_LINK.pattern}[^\\`*_\[\]!<&~\n]*+)*+")

# An address without brackets, escapes and entities, up to where the parser ends it.
_PLAIN_ADDRESS = re.compile(r"[^\x00-\x20\x7f()<\\&]++(?=[)\x00-\x20\x7f]|$)")


_PART_OF_DOI = re.compile(r"[A-Z]+\d+::")


class _Destination(NamedTuple):
    """The address of a link, as the parser asks for it: whether there is one, where it ends, and what it is."""

    ok: bool
    pos: int
    str: str


def _link_destination(text: str, start: int, limit: int) -> Any:
    """Returns what the parser's own function does, which looks at every sign by itself; few addresses need that."""
    match = _PLAIN_ADDRESS.match(text, start, limit)
    if match is None:
        return helpers.parseLinkDestination(text, start, limit)
    return _Destination(ok=True, pos=match.end(), str=match[0])


def _may_be_address(text: str) -> bool:
    """Returns whether `text` leads anywhere: in `<L1::AID-ANGE7>` it is a part of an old DOI."""
    return bool(text) and not _PART_OF_DOI.match(text)


@lru_cache(maxsize=1)
def markdown() -> MarkdownIt:
    """Returns the parser that lists are read with; its inline pass is called apart, block by block."""
    parser = MarkdownIt("js-default", {"html": True}).use(front_matter_plugin).use(footnote_plugin)
    parser.use(deflist_plugin)
    parser.disable(["code", "inline", "footnote_tail", "linkify", "replacements", "smartquotes", "text_join"])
    parser.disable(["footnote_inline", "footnote_ref", "fragments_join"])
    parser.inline.terminator_re = _MARKED
    parser.helpers = SimpleNamespace(**{**vars(helpers), "parseLinkDestination": _link_destination})  # type: ignore[assignment]
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]  # an address is kept as written
    parser.validateLink = _may_be_address  # type: ignore[method-assign,assignment]  # and never followed from here
    return parser


def read_inline(content: str, env: dict[str, Any], line: int) -> Rich:
    """Returns `content` as rich text; long content is read in pieces so that the time stays linear."""
    if len(content) <= INLINE_LIMIT:
        return _with_plain_links(content, line) or from_tokens(_inline_tokens(content, env), line)
    tokens: list[Token] = []
    for piece in _pieces(content):
        tokens.extend(_inline_tokens(piece, env))
    return from_tokens(tokens, line)


def _with_plain_links(content: str, line: int) -> Rich | None:
    """Returns what the parser makes of `content`, where it holds nothing but words and plain links; otherwise None."""
    if not _PLAIN_LINKS.fullmatch(content) or content.count("[") > _BRACKET_LIMIT:
        return None
    text, marks, done = "", [], 0
    for link in _PLAIN_LINK.finditer(content):
        text += content[done : link.start()]
        marks.append(Mark(len(text), len(text) + len(link[1]), "link", link[2]))
        text += link[1]
        done = link.end()
    return Rich(text + content[done:], tuple(marks), line)


def _inline_tokens(content: str, env: dict[str, Any]) -> list[Token]:
    if content.count("[") > _BRACKET_LIMIT:
        return [
            Token("text", "", 0, content=part) if part != "\n" else Token("softbreak", "br", 0)
            for part in re.split(r"(\n)", content)
        ]
    if not _MARKED.search(content):
        return [Token("text", "", 0, content=content)]
    children: list[Token] = []
    parser = markdown()
    parser.inline.parse(content, parser, env, children)
    return children


def _pieces(content: str) -> Iterator[str]:
    start = 0
    while start < len(content):
        end = start + INLINE_LIMIT
        if end < len(content):
            cut = max(content.rfind("\n", start, end), content.rfind(" ", start, end))
            end = cut + 1 if cut > start else end
        yield content[start:end]
        start = end

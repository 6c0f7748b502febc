"""Reads Markdown and HTML as plain text with marks beside it: which stretches are links, bold, struck.

Everything behind this module reads plain text and its marks; nobody else sees a token or a tag. HTML is read as
browsers do, by the standard library: attributes hold any sign between their quotation marks, items and cells end where
the next one begins, and what a page does not show is no text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from html.parser import HTMLParser
from itertools import accumulate
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

# Elements that part a text.
BLOCKS = frozenset(
    "h1 h2 h3 h4 h5 h6 li ul ol p div tr td th table tbody thead tfoot dl dt dd hr details summary blockquote center "
    "section article header footer nav main aside figure figcaption colgroup caption body html".split()
)
# Elements whose text is not shown, or is none of the list's.
_SILENT = frozenset("script style pre textarea template noscript head title svg math iframe object select".split())
# Over how many rows a cell is taken to go at most, and behind which column none goes over any: so a row holds few cells
# more than its text, and tables of nothing but spans take linear time as well.
_LONGEST, _WIDEST = 1000, 50
# What is not shown is NUL while pieces are cut, which Markdown text does not hold.
# A tag over several lines, of which none begins a quotation: "<a\n  href=...\n  >Title".
_TAG_OF_LINES, _NO_QUOTE = re.compile(r"<[a-zA-Z/][^<>\n]*\n[^<>]*>"), "\n" + " " * 4
_SHOWN, _UNSHOWN = re.compile(r"[^\n]"), re.compile(r"^[\s\0]+")


class HtmlPiece(NamedTuple):
    """A stretch of an HTML block between two block tags."""

    kind: str  # heading, item, row or markdown
    text: str  # the stretch without its block tags; inline tags are still there
    line: int  # how many lines below the block's first line it starts
    level: int = 0  # level of a heading
    cells: tuple[tuple[int, str], ...] = ()  # of a row: how many lines below its first each cell starts, and its text
    head: bool = False  # whether all of the row's cells are heads


class Tag(NamedTuple):
    """A tag: where it stands, the element's name in lower case, and the attributes as browsers read them."""

    start: int
    end: int
    name: str
    closing: bool
    attributes: dict[str, str]


class _Scanner(HTMLParser):
    """Finds the tags of a text, and what of it is not shown."""

    def __init__(self, content: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[Tag] = []
        self.silent: list[tuple[int, int]] = []
        self._content = content
        self._lines = list(
            accumulate((len(line) for line in content.split("\n")), lambda at, size: at + size + 1, initial=0)
        )
        self._hidden: tuple[str, int] | None = None
        self._depth = 0
        self.feed(content[: content.rfind(">") + 1])  # what follows holds no whole tag
        self.close()
        if self._hidden is not None:
            self.silent.append((self._hidden[1], len(content)))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an opening tag."""
        start = self._position()
        if self._hidden is not None:
            self._depth += tag == self._hidden[0]
        elif tag in _SILENT:
            self._hidden, self._depth = (tag, start), 1
        else:
            end = start + len(self.get_starttag_text() or "")
            attributes = {name: value or "" for name, value in reversed(attrs)}  # of two, browsers take the first
            self.tags.append(Tag(start, end, tag, closing=False, attributes=attributes))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag that ends with a slash; only what is not HTML ends with it, too."""
        if tag not in _SILENT:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        """Notes a closing tag."""
        start = self._position()
        end = self._content.find(">", start) + 1
        if self._hidden is None:
            self.tags.append(Tag(start, end, tag, closing=True, attributes={}))
        elif tag == self._hidden[0]:
            self._depth -= 1
            if not self._depth:
                self.silent.append((self._hidden[1], end))
                self._hidden = None

    def parse_comment(self, i: int, report: bool = True) -> int:  # noqa: FBT001, FBT002, ARG002 - as it is called
        """Passes a comment over; one without end hides the rest, and is looked through once."""
        end = self.rawdata.find("-->", i + 2)
        length = len(self.rawdata) - i if end < 0 else end + 3 - i
        if self._hidden is None:
            start = self._position()
            self.silent.append((start, len(self._content) if end < 0 else start + length))
        return i + length

    def parse_marked_section(self, i: int, report: bool = True) -> int:  # noqa: FBT001, FBT002, ARG002 - as above
        """Passes `<![...]>` over, which is a comment in HTML."""
        return self.rawdata.find(">", i) + 1

    def _position(self) -> int:
        line, offset = self.getpos()
        return self._lines[line - 1] + offset


@lru_cache(maxsize=4096)
def tag_of(html: str) -> Tag | None:
    """Returns the tag that the text `html` is, None where it is a comment or the like."""
    tags = _Scanner(html).tags
    return tags[0] if tags else None


def html_pieces(content: str) -> Iterator[HtmlPiece]:
    """Yields the pieces of an HTML block in order. Comments, scripts and styles are left out."""
    scanner = _Scanner(content)
    parts, done = [], 0
    for first, last in scanner.silent:
        parts += [content[done:first], _SHOWN.sub("\0", content[first:last])]
        done = last
    content = "".join(parts) + content[done:]
    newlines = [at for at, sign in enumerate(content) if sign == "\n"]
    row_start, head, context, start = -1, True, "markdown", 0
    row = _Row(newlines)
    for tag in [tag for tag in scanner.tags if tag.name in BLOCKS]:
        if row_start >= 0 and tag.name not in ("td", "th", "tr", "table"):
            continue
        text = content[start : tag.start]
        if row_start >= 0 and tag.name in ("td", "th"):
            if tag.closing or context == "cell":
                row.end_cell(start, text)
            if not tag.closing:
                row.spans = _span(tag, "rowspan", _LONGEST), _span(tag, "colspan", _WIDEST)
            context = "row" if tag.closing else "cell"
            head = head and tag.name == "th"
        elif row_start >= 0:
            if context == "cell":
                row.end_cell(start, text)
            yield row.end(row_start, content[row_start : tag.start], head=head)
            opens = tag.name == "tr" and not tag.closing
            row = _Row(newlines) if tag.name == "table" else row
            head, context = True, "row" if opens else "markdown"
            row_start = tag.end if opens else -1
        else:
            yield from _piece(newlines, start, text, context)
            context = "markdown" if tag.closing else tag.name
            row_start = tag.end if tag.name == "tr" and not tag.closing else -1
        start = tag.end
    if row_start >= 0:
        row.end_cell(start, content[start:])
        yield row.end(row_start, content[row_start:], head=head)
    else:
        yield from _piece(newlines, start, content[start:], context)


def _piece(newlines: list[int], start: int, text: str, context: str) -> Iterator[HtmlPiece]:
    """Yields the piece that `text` from `start` on is, unless it is blank; it stands in an element called `context`."""
    if not text.replace("\0", "").strip():
        return
    lead = len(text) - len(_UNSHOWN.sub("", text))
    line = bisect_left(newlines, start + lead)
    if context in ("li", "dt", "dd"):
        yield HtmlPiece("item", text[lead:].replace("\0", ""), line)
    elif context[0] == "h" and context[1:].isdigit():
        yield HtmlPiece("heading", " ".join(text.replace("\0", "").split()), line, level=int(context[1]))
    else:
        blank = text.rfind("\n", 0, lead) + 1
        shown = _TAG_OF_LINES.sub(lambda tag: tag[0].replace("\n", _NO_QUOTE), text[blank:].replace("\0", ""))
        yield HtmlPiece("markdown", shown, bisect_left(newlines, start + blank))


class _Row:
    """The cells of a row, each in its column: a cell may go down over further rows, or over several columns."""

    def __init__(self, newlines: list[int]) -> None:
        self.spans = 1, 1  # over how many rows and columns the cell goes that is being read
        self._newlines = newlines
        self._cells: list[tuple[int, str]] = []
        self._further: dict[int, int] = {}  # by column: over how many rows its cell goes on, from this row on
        self._next: dict[int, int] = {}

    def end_cell(self, start: int, text: str) -> None:
        """Adds the cell `text` that starts at `start`, in the first column that is free."""
        (rows, columns), self.spans = self.spans, (1, 1)
        self._pass_taken()
        room = max(_WIDEST - len(self._cells), 0)
        for cell in [(start, text.replace("\0", "")), *[(start, "")] * (min(columns, room) - 1)]:
            if rows > 1 and room:
                self._next[len(self._cells)] = rows - 1
            self._cells.append(cell)

    def end(self, start: int, text: str, *, head: bool) -> HtmlPiece:
        """Returns the row `text` that starts at `start`, and begins the next one."""
        self._pass_taken()
        line = bisect_left(self._newlines, start)
        cells = tuple((bisect_left(self._newlines, max(at, start)) - line, cell) for at, cell in self._cells)
        below = {column: rows - 1 for column, rows in self._further.items() if column >= len(cells) and rows > 1}
        self._cells, self._further, self._next = [], below | self._next, {}
        return HtmlPiece("row", text.replace("\0", ""), line, cells=cells, head=head)

    def _pass_taken(self) -> None:
        """Adds an empty cell for every column from here on that a cell of an earlier row takes."""
        while rows := self._further.get(len(self._cells), 0):
            if rows > 1:
                self._next[len(self._cells)] = rows - 1
            self._cells.append((0, ""))


def _span(tag: Tag, name: str, most: int) -> int:
    value = tag.attributes.get(name, "").strip()
    number = int(value) if value.isascii() and value.isdecimal() and len(value) < 10 else 1
    return min(max(number, 1), most)


BREAK = "\v"  # stands in the text for a line break that is not one in the file, such as `<br>`
# A link in reStructuredText, which Markdown takes for code: `words <https://...>`__
_LINK_OF_RST = re.compile(r"([^<>]*[^<>\s])\s*<(https?://[^<>\s]+)>")
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

    A newline in the text is a newline in the file; `BREAK` is not. `wraps` are the places of the newlines that stand
    for a blank.
    """

    text: str
    marks: tuple[Mark, ...]
    line: int
    wraps: frozenset[int] = frozenset()


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
            link = _LINK_OF_RST.fullmatch(token.content)
            self.write_marked(*((link[1], "link", link[2]) if link else (token.content, "code", "")))
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


# Longest text, in characters, that is given to the inline parser in one piece; its cost on brackets is quadratic.
INLINE_LIMIT = 4_000
# Most opening brackets in such a piece; what has more is no text that a person wrote, and is taken as it stands.
_BRACKET_LIMIT = 300
# Where an inline rule may begin, or the words of a link end: the parser need not stop at any other sign.
_MARKED = re.compile(r"[\\`*_\[\]!<&~\n]")


_PLAIN_LINK = re.compile(r"\[([^\\`*_\[\]!<&~\n]++)\]\(([^\x00-\x20\x7f()<\\&]++)\)")
# Text without any mark-up but links of plain words to plain addresses, as most entries are.
_PLAIN_LINKS = re.compile(rf"[^\\`*_\[\]!<&~\n]*+(?:{_PLAIN_LINK.pattern}[^\\`*_\[\]!<&~\n]*+)*+")

_ADDRESS_NOT_DOI = re.compile(r"(?![A-Z]+\d+::).", re.DOTALL)  # `<L1::AID-ANGE7>` is a part of an old DOI


@lru_cache(maxsize=1)
def markdown() -> MarkdownIt:
    """Returns the parser that lists are read with; its inline pass is called apart, block by block."""
    parser = MarkdownIt("js-default", {"html": True}).use(front_matter_plugin).use(footnote_plugin)
    parser.use(deflist_plugin)
    parser.disable(["code", "inline", "footnote_tail", "linkify", "replacements", "smartquotes", "text_join"])
    parser.disable(["footnote_inline", "footnote_ref", "fragments_join"])
    parser.inline.terminator_re = _MARKED
    parser.normalizeLink = str  # type: ignore[method-assign,assignment]  # an address is kept as written
    parser.validateLink = _ADDRESS_NOT_DOI.match  # type: ignore[method-assign,assignment]  # and never followed from here
    return parser


def read_inline(content: str, env: dict[str, Any], line: int) -> Rich:
    """Returns `content` as rich text; long content is read in pieces so that the time stays linear."""
    if len(content) <= INLINE_LIMIT and (rich := _with_plain_links(content, line)):
        return rich
    builder = _Builder()
    for piece in _pieces(content):
        tokens: list[Token] = []
        if piece.count("[") > _BRACKET_LIMIT:
            tokens += (
                Token("text", "", 0, content=part) if part != "\n" else Token("softbreak", "br", 0)
                for part in re.split(r"(\n)", piece)
            )
        elif not _MARKED.search(piece):
            tokens.append(Token("text", "", 0, content=piece))
        else:
            parser = markdown()
            parser.inline.parse(piece, parser, env, tokens)
        for token in tokens:
            builder.add(token)
    return Rich("".join(builder.parts), tuple(sorted(builder.marks)), line)


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


def _pieces(content: str) -> Iterator[str]:
    start = 0
    while start < len(content):
        end = start + INLINE_LIMIT
        if end < len(content):
            cut = max(content.rfind("\n", start, end), content.rfind(" ", start, end))
            end = cut + 1 if cut > start else end
        yield content[start:end]
        start = end

"""Markdown text -> blocks: the headings, paragraphs, list items and table rows of a list, each with its lines.

Built on markdown-it-py's tokens and their line maps. Three rules of CommonMark are bent, because lists in the world
are: an indented line is never code, a setext underline makes a heading of one line only, and Markdown inside an HTML
block is Markdown (see `html.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markdown_it.token import Token

from sources.reading_list.markdown import html
from sources.reading_list.markdown.dialects import BIBTEX, bibtex_entries, plain_markdown
from sources.reading_list.markdown.marked_text import Rich, markdown, read_inline

_INDENT_LIMIT = 160
_CLEAN = {
    **dict.fromkeys("\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad", ""),
    **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
}
_UNCLEAN = re.compile(f"[{''.join(_CLEAN)}]")
_FRONT_MATTER = re.compile(r"---[ \t]*\n\s*[\w\"'-][\w \"'-]*:(?:\s|$)")
_NOTED = re.compile(r"\[\^([^\[\]\s]{1,80})\](?!:)")
"""The mark of a footnote, which belongs to the block that it stands in."""
_CALLOUT = re.compile(r"\[![\w-]+\][+-]?[ \t]")
"""The beginning of a call-out with a title of its own, as Obsidian has them: one record in a box."""
_DEEP = re.compile(rf"^[ \t]{{{_INDENT_LIMIT},}}", re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class Block:
    """One block of a list.

    Attributes:
        kind: heading, paragraph, item (the first text of a list item), row (of a table) or record (of BibTeX).
        rich: The text; for a row, that of its first cell; for a record, its identifiers.
        first_line: 1-based first line in the file.
        last_line: 1-based last line of the block's own text.
        depth: How many list items the block stands in.
        parent: Index of the block that the enclosing item starts with; None at the top.
        group: Number of the list, table or run of paragraphs that the block belongs to.
        section: Headings above, outermost first.
        quoted: Whether it stands in a block quote.
        cells: The cells of a row, the fields of a record.
        columns: The heads of the row's columns, the names of the fields.
        level: Level of a heading.
    """

    kind: str
    rich: Rich
    first_line: int
    last_line: int
    depth: int = 0
    parent: int | None = None
    group: int = 0
    section: tuple[str, ...] = ()
    quoted: bool = False
    cells: tuple[Rich, ...] = ()
    columns: tuple[str, ...] = ()
    level: int = 0


@dataclass(slots=True)
class Document:
    """The blocks of a list in file order, and its lines as written."""

    lines: list[str]
    blocks: list[Block]
    title: str | None = None


def read_document(text: str) -> Document:
    """Returns the blocks of Markdown `text`. Never raises on any text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    cleaned = _UNCLEAN.sub(lambda match: _CLEAN[match[0]], text)  # such characters are few; `translate` asks for each
    cleaned = _DEEP.sub(" " * _INDENT_LIMIT, cleaned)
    if cleaned.startswith("---") and not _FRONT_MATTER.match(cleaned):
        cleaned = cleaned[len(cleaned.split("\n", 1)[0]) :]
    reader = _Reader()
    reader.read(plain_markdown(cleaned), offset=0, nested=False)
    titles = [block.rich.text.strip() for block in reader.blocks if block.kind == "heading" and block.level == 1]
    return Document(text.split("\n"), reader.blocks, titles[0] if titles else None)


@dataclass(slots=True)
class _Reader:
    """Walks block tokens and keeps what encloses them."""

    blocks: list[Block] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    items: list[int | None] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    last_group: int = 0
    quotes: int = 0
    columns: tuple[str, ...] = ()
    cells: list[Rich] | None = None
    in_head: bool = False
    section: tuple[str, ...] = ()
    opener: Token | None = None
    terms: list[int] = field(default_factory=list)
    noted: dict[str, int] = field(default_factory=dict)

    def read(self, text: str, *, offset: int, nested: bool) -> None:
        env: dict[str, Any] = {}
        for token in markdown().parse(text, env):
            if token.type == "inline":
                self.leaf(token, env, offset)
            elif token.type == "html_block":
                self.html_block(token, env, offset, nested=nested)
            elif token.type == "fence":
                self.records(token.content, (token.map or [0, 1])[0] + offset + 2)
            else:
                self.enclose(token)

    def enclose(self, token: Token) -> None:
        """Notes what the coming blocks stand in."""
        self.opener = token
        match token.type:
            case "list_item_open":
                self.items.append(None)
            case "list_item_close":
                self.items.pop()
            case "blockquote_open" | "blockquote_close":
                self.quotes += token.nesting
            case "thead_open" | "thead_close":
                self.in_head = token.nesting > 0
            case "tr_open":
                self.cells = []
            case "tr_close":
                self.row()
            case "bullet_list_open" | "ordered_list_open" | "table_open" | "dl_open":
                self.last_group += 1
                self.groups.append(self.last_group)
            case "bullet_list_close" | "ordered_list_close" | "table_close":
                self.groups.pop()
                self.last_group += 1
            case "dt_open" | "dl_close" | "footnote_reference_open" | "footnote_reference_close":
                (self.term if token.type[0] == "d" else self.footnote)(token)

    def footnote(self, token: Token) -> None:
        """Notes that what comes stands below the block that has the mark of a footnote, or that the footnote ends."""
        if token.nesting > 0:
            self.items.append(self.noted.get(str(token.meta.get("label"))))
        else:
            self.items.pop()

    def term(self, token: Token) -> None:
        """Ends the item that the last term of a definition list began: a term and what defines it are one item."""
        level = token.level + (token.type == "dl_close")
        if self.terms and self.terms[-1] == level:
            self.terms.pop()
            self.items.pop()
        if token.type == "dt_open":
            self.items.append(None)
            self.terms.append(level)
        else:
            self.groups.pop()
            self.last_group += 1

    def row(self) -> None:
        """Adds the row that ends here; a head only names the columns."""
        cells, self.cells = self.cells or [], None
        if not (self.in_head and self.is_head(cells)) and cells:
            line = cells[0].line
            self.add("row", cells[0], line, line, cells=tuple(cells), columns=self.columns)

    def is_head(self, cells: Sequence[Rich]) -> bool:
        """Names the columns after `cells`, and returns whether these only do that: a head with links is a row too."""
        self.columns = tuple(cell.text.strip() for cell in cells)
        return not any(mark.kind == "link" for cell in cells for mark in cell.marks)

    def records(self, text: str, line: int) -> None:
        """Adds the entries of BibTeX `text`, which starts on `line`."""
        for entry in bibtex_entries(text):
            record = {
                "title": entry.fields["title"],
                "authors": entry.authors,
                "venue": entry.venue,
                "year": entry.fields.get("year", ""),
                "link": entry.fields.get("url", ""),
            }
            at = line + entry.lines["title"]
            cells = tuple(Rich(value, (), at) for value in record.values())
            first, last = line + entry.first, line + entry.last
            self.add("record", Rich(entry.identifiers, (), at), first, last, cells=cells, columns=tuple(record))

    def leaf(self, token: Token, env: dict[str, Any], offset: int) -> None:
        first, last = token.map or [0, 1]
        if token.content.startswith("@") and BIBTEX.match(token.content):
            self.records(token.content, first + offset + 1)
            return
        rich = read_inline(token.content, env, first + offset + 1)
        opener = self.opener
        if self.cells is not None:
            self.cells.append(rich)
        elif opener is not None and opener.type == "heading_open":
            self.heading(rich, int(opener.tag[1]), first + offset + 1, last + offset, setext=opener.markup in "=-")
        else:
            is_callout = self.quotes > 0 and not self.items and _CALLOUT.match(token.content)
            kind = "item" if is_callout or (self.items and self.items[-1] is None) else "paragraph"
            self.add(kind, rich, first + offset + 1, last + offset)

    def heading(self, rich: Rich, level: int, first: int, last: int, *, setext: bool) -> None:
        if setext and "\n" in rich.text:
            self.add("paragraph", rich, first, last)
            return
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.last_group += 1
        self.section = tuple(text for _, text in self.headings)
        self.add("heading", rich, first, last, level=level)
        self.headings.append((level, " ".join(rich.text.split())))
        self.section = tuple(text for _, text in self.headings)

    def add(self, kind: str, rich: Rich, first: int, last: int, **more: Any) -> None:
        index = len(self.blocks)
        parent = self.parent(kind)
        if "[^" in rich.text:
            self.noted |= dict.fromkeys(_NOTED.findall(rich.text), index)
        self.blocks.append(
            Block(
                kind=kind,
                rich=rich,
                first_line=first,
                last_line=max(first, last),
                depth=len(self.items),
                parent=parent,
                group=self.groups[-1] if self.groups else self.last_group,
                section=self.section,
                quoted=self.quotes > 0,
                **more,
            )
        )
        if self.items and self.items[-1] is None:
            self.items[-1] = index

    def parent(self, kind: str) -> int | None:
        enclosing = self.items[:-1] if kind == "item" else self.items
        return next((index for index in reversed(enclosing) if index is not None), None)

    def html_block(self, token: Token, env: dict[str, Any], offset: int, *, nested: bool) -> None:
        first = (token.map or [0, 1])[0] + offset
        for piece in html.pieces(token.content):
            if piece.kind == "markdown" and not nested:
                self.read(piece.text, offset=first + piece.line, nested=True)
            elif piece.kind == "heading":
                line = first + piece.line + 1
                self.heading(read_inline(piece.text, env, line), piece.level, line, line, setext=False)
            else:
                self.html_text(piece, env, first + piece.line + 1)

    def html_text(self, piece: html.Piece, env: dict[str, Any], line: int) -> None:
        cells = tuple(read_inline(cell, env, line + piece.text.count("\n", 0, at)) for at, cell in piece.cells)
        rich = cells[0] if cells else read_inline(piece.text, env, line)
        kind = {"row": "row", "item": "item"}.get(piece.kind, "paragraph")
        if piece.head and cells and self.is_head(cells):
            return
        if any(part.text.strip() for part in (rich, *cells)):
            columns = self.columns if kind == "row" else ()
            self.add(kind, rich, line, line + piece.text.rstrip().count("\n"), cells=cells, columns=columns)

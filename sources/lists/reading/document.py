"""Parses Markdown into blocks: headings, paragraphs, list items and table rows, each with its lines.

Built on markdown-it-py's tokens and their line maps. Three rules of CommonMark are bent, because lists in the world
are: an indented line is never code, a setext underline makes a heading of one line only, and Markdown inside an HTML
block is Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

from markdown_it.token import Token

from sources.bibliography.identifiers import ArxivId, Doi
from sources.bibliography.titles import plain
from sources.errors import IdentifierError
from sources.lists.reading.addresses import OTHER_FIELD
from sources.lists.reading.marked_text import BREAK, Rich, html_pieces, markdown, read_inline
from sources.lists.reading.wrapping import wrapped_breaks

# Markdown as Obsidian, Logseq, Org, pandoc, Quarto, kramdown, Jekyll and MDX extend it -> plain Markdown. What they
# add, such as states of tasks, properties, comments, attributes and citations, is no word of an entry: it is taken
# out, or written as plain Markdown where it holds words. Every line stays a line, code and addresses stay as they are.

# Attributes in braces: `{.class #name key="value"}`, `{: .class}`. TeX has none of these forms.
_ATTRIBUTES = (
    r"\{(?:[#.][A-Za-z]|:\s?(?:[#.:A-Za-z]|$)|[A-Za-z][\w-]*=(?:\"[^\"\n]*\"|'[^'\n]*'|[\w./-]+)[\s}])[^{}\n]{0,300}?\}"
    r"|\{[A-Za-z][\w-]*=(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}')\}"
)
# A citation's key.
_KEY = r"[A-Za-z][\w:.#$%&+?<>~/-]{0,80}"

_SPAN = re.compile(
    r"(?P<protected>`[^`\n]+`|(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|(?:https?|ftp)://[^\s<>]+|"
    r"(?<=\]\()[^()\n]*(?=\)))"
    r"|(?P<embedded>!\[\[[^\[\]\n]{1,300}\]\])"
    r"|\[\[(?P<note_key>@[^\[\]|\n]{2,80})\]\]"
    r"|\[\[(?:[^\[\]|\n]{1,300}\||(?:[^\[\]|\n/]{1,100}/){1,9})(?P<alias>[^\[\]|\n]{1,300})\]\]"
    r"|(?P<comment>%%[^\n]*?%%|\{/\*[^\n]*?\*/\}|\{::comment\}.*?\{:/(?:comment)?\})"
    r"|(?P<macro>\{\{[^{}\n]{0,300}\}\}|\{%[^\n]{0,300}?%\}|\(\([0-9a-f]{8}-[0-9a-f-]{27}\)\))"
    r"|(?P<planned>\s*[\U0001f4c5\u23f3\U0001f6eb\u2795\u2705\u274c]\ufe0f?\s*\d{4}-\d\d-\d\d)"
    rf"|\[(?P<span>[^\[\]\n]{{1,300}})\](?:{_ATTRIBUTES})"
    rf"|(?P<attributes>(?:(?<=[)\]*`\">])|(?<=\s)|^)(?:{_ATTRIBUTES}))"
    rf"|(?P<cited>\[(?:[^\[\]@\n]{{0,60}}\s)?-?@{_KEY}[^\[\]\n]{{0,200}}\]|(?<![\w/@.])-?@[A-Za-z][\w:-]*(?:19|20)\d\d(?!\d)\w*)"
    r"|(?P<field>[\[(](?P<key>[A-Za-z][\w -]{0,40})::(?P<value>[^\[\]()\n]*)[\])])"
    r"|(?P<mark>(?<![\w^\[])\^\d{1,2}\^\s?|\^[\w,]{1,6}\^|(?<=\w)(?<!~)~[\w,]{1,6}~(?!~))"
    r"|==(?P<highlight>[^\s=][^=\n]{0,300}?)=="
    r"|(?P<anchor>\s\^[A-Za-z0-9-]{1,40}\s*$)"
)
# The key of a citation, as Zotero makes it: henzingerLazyAbstraction2002, vaswani2017, Smith_2010.
_CITED_KEY = re.compile(r"@?([A-Za-z][a-z'’-]{2,30})(?:[A-Z_]\w{0,60}?)?_?((?:19|20)\d\d)[a-z]?(?=[|\]]|$)")
# What a line must hold to hold one of these spans. All begin with a sign of their own: `re` skips to such.
_SIGNS = re.compile(r"\[\[[^\[\]\n]*[|/]|\[\[@|!\[\[|%%|\{|::|\(\(|-\d\d-\d\d|@|\^|~\w|==\S")

_PROPERTY = re.compile(r"(\s*(?:>\s*)*(?:[-*+]\s+)?)([A-Za-z][\w -]{0,40})::(?:\s+(.*)|\s*)$")
_TASK = re.compile(r"(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+)\[[^\s\[\]xX]\]\s")
_STATE = re.compile(
    r"(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+)(?:(?:TODO|DOING|DONE|LATER|NOW|WAITING|WAIT|CANCELED|CANCELLED|"
    r"IN-PROGRESS)\s+(?:\[#[A-C]\]\s+)?|\[#[A-C]\]\s+)(?=\S)"
)
# A line that opens or closes a division, or explains an abbreviation: nothing in it is an entry's.
_DIVISION = re.compile(r"\s*(?::{3,}.*|\{%.*%\}|\*\[[^\]\n]{1,40}\]:\s.*)\s*")
# A line that says something about the entry above it, and holds none of its words.
_ASIDE = re.compile(rf"\s*(?:(?:{_ATTRIBUTES})+|(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):\s.*)\s*")
_DRAWER, _DRAWER_END = re.compile(r"\s*:(?:LOGBOOK|PROPERTIES):\s*"), re.compile(r"\s*:END:\s*")
_IMPORT = re.compile(r"import\s.+\sfrom\s+['\"]|import\s+['\"]|export\s+(?:const|default|function|let|var)\b")
# The line under a heading in reStructuredText, as long as it; Markdown would take it for text, or for code to come.
_UNDERLINE = re.compile(r"([~^\"+])\1{3,}\s*")
_FENCE = re.compile(r"\s*(?:>\s*|[-*+]\s+)*(`{3,}|~{3,})")
_LONGEST_LINE = 4_000


def plain_markdown(text: str) -> str:
    """Returns `text` with the marks of dialects taken out or written as Markdown; it has as many lines as before."""
    fence: str | None = None
    closes: Callable[[str], object] | None = None
    above = ""
    lines = []
    for line in text.split("\n"):
        opened = _FENCE.match(line)
        plain = line
        if fence is not None:
            if opened and opened[1].startswith(fence) and not line.strip("`~ >\t"):
                fence = None
        elif closes is not None:
            closes, plain = (None if closes(line) else closes), ""
        elif _UNDERLINE.fullmatch(line) and len(line.rstrip()) - len(above.rstrip()) in (0, 1) and above[:1].isalnum():
            plain = "-" * len(line)
        elif opened:
            fence = opened[1]
        elif (closing := _end_of_opened_block(line)) is not None:
            closes, plain = closing, ""
        elif len(line) <= _LONGEST_LINE:
            plain = _plain_line(line, above)
        above = plain
        lines.append(plain)
    return "\n".join(lines)


def _end_of_opened_block(line: str) -> Callable[[str], object] | None:
    if line.strip() == "%%":
        return lambda later: later.strip() == "%%"
    if line.startswith("{::comment}") and "{:/" not in line:
        return lambda later: "{:/" in later
    if line.startswith("{/*") and "*/" not in line:
        return lambda later: "*/}" in later
    if _DRAWER.fullmatch(line):
        return _DRAWER_END.fullmatch
    if line.startswith(("import ", "export ")) and _IMPORT.match(line):
        return lambda later: not later.strip()
    return None


def _plain_line(line: str, above: str) -> str:
    first = line.lstrip()[:1]
    if first in ":{*" and _DIVISION.fullmatch(line):
        return ""
    if first in "{SDC" and _ASIDE.fullmatch(line):
        return _aside(line, above)
    if "::" in line and (property_match := _PROPERTY.fullmatch(line)):
        line = f"{property_match[1]}{property_match[2]}: {property_match[3] or ''}"
        return line if _is_field(line) else _aside(line, above)
    if task := _TASK.match(line):
        line = f"{task[1]}[ ] {line[task.end() :]}"
    if state := _STATE.match(line):
        line = state[1] + line[state.end() :]
    return _SPAN.sub(_plain_span, line) if _SIGNS.search(line) else line


def _aside(line: str, above: str) -> str:
    """Returns a line without words: blank where a block starts, otherwise one that does not end the block."""
    if not above.strip():
        return ""
    return line[: len(line) - len(line.lstrip(" \t>"))] + BREAK


def _is_field(line: str) -> bool:
    """Returns whether the property is one that tells of a paper: its authors, its year, its link..."""
    return OTHER_FIELD.match(line.lstrip(" \t>*+-")) is not None and "tag" not in line[:40].lower()


def _plain_span(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if match["protected"] is not None:
        return match[0]
    if kind in ("alias", "note_key"):
        key = _CITED_KEY.match(match[0][2:])
        people = f" ({key[1][0].upper()}{key[1][1:]} et al. {key[2]})" if key else ""
        return (f"[[{match['alias'].strip()}]]" if match["alias"] else "") + people
    if match["highlight"] is not None or match["span"] is not None:
        return match["span"] or f"**{match['highlight'].strip()}**"
    if match["field"] is not None:
        field = f"{match['key']}: {match['value'].strip()}"
        return f"({match['value'].strip()})" if _is_field(field) else ""
    if kind == "mark":
        inner = match[0].strip("^~ ")
        return "" if match[0][0] == "^" and inner.isdigit() else inner
    return ""


BAR = re.compile(r"(?<!\\)\|")  # what parts the cells of a table
# What `fix --annotate` shows beside entries: words behind them, or a column whose head has the mark.
_SHOWN = re.compile(r"(?<=\S)[ \t]*<!-- paperlake:[a-z]+ -->[^\n]{0,600}?<!-- /paperlake -->")
_SHOWN_BELOW = re.compile(r"<!-- paperlake:[a-z]+ -->")


def cells_of(row: str) -> list[tuple[int, int]]:
    """Returns where the cells of a row of a table begin and end; bars at its ends part none."""
    start, end = len(row) - len(row.lstrip()), len(row.rstrip())
    start += row.startswith("|", start, end)
    if end > start and row[end - 1] == "|" and BAR.match(row, end - 1):
        end -= 1
    bars = [match.start() for match in BAR.finditer(row, start, end)]
    return [(before + 1, after) for before, after in pairwise((start - 1, *bars, end))]


def without_shown(text: str) -> str:
    """Returns `text` without what `fix --annotate` shows beside entries, which is not the owner's."""
    if "<!-- paperlake:" not in text:
        return text
    lines = _SHOWN.sub("", text).split("\n")
    columns: list[int] = []
    for at, line in enumerate(lines):
        if "|" not in line:
            columns = []
        elif _SHOWN_BELOW.search(line):
            columns = [number for number, cell in enumerate(cells_of(line)) if _SHOWN_BELOW.search(line[slice(*cell)])]
        for number, (start, end) in reversed([*enumerate(cells_of(line))] if columns else []):
            if number in columns:  # it goes with the bar before it, the first with that behind it
                lines[at] = lines[at][: start - (number > 0)] + lines[at][end + (number == 0) :]
    return "\n".join(lines)


BIBTEX = re.compile(r"^[ \t]*@([A-Za-z]{3,20})[ \t]*\{[ \t]*[^\s,{}\"]{1,200}[ \t]*,", re.MULTILINE)
_NAME_OF_FIELD = re.compile(r"[\s,]*([A-Za-z][\w-]{0,40})\s*=\s*")
_BARE = re.compile(r"[\w.-]+")
_CLOSING = re.compile(r"[\s,]*\}")
_NO_ENTRY = frozenset({"string", "preamble", "comment", "software", "dataset"})
_JOINED = re.compile(r"\s*#\s*")  # what stands between the parts of a value
_BLANKS = re.compile(r"\s+")


class BibtexEntry(NamedTuple):
    """One entry of a bibliography."""

    fields: dict[str, str]  # name in lower case -> value without TeX, on one line
    lines: dict[str, int]  # the same names -> how many lines below the text's first line the value starts
    first: int  # how many lines below the text's first line the entry starts
    last: int  # the same of its last line

    @property
    def authors(self) -> str:
        """Returns the authors, given names first, with commas between them."""
        names = re.split(r"\s+and\s+", self.fields.get("author", ""))
        parts = [[part.strip() for part in name.split(",") if part.strip()] for name in names]
        return ", ".join(" ".join([*reversed(part)]) for part in parts if part and part != ["others"])

    @property
    def venue(self) -> str:
        """Returns where it was published."""
        names = ("booktitle", "journal", "journaltitle")
        return next((self.fields[name] for name in names if self.fields.get(name)), "")

    @property
    def identifiers(self) -> str:
        """Returns its identifiers as prose names them."""
        parts = [self.fields.get("journal", ""), self.fields.get("note", "")]
        eprint = self.fields.get("eprint", "")
        try:
            parts.append(f"arXiv:{ArxivId.parse(eprint)}")
        except IdentifierError:
            archive = self.fields.get("archiveprefix") or self.fields.get("eprinttype", "")
            parts.append(f"arXiv:{eprint}" if archive.lower() == "arxiv" else "")
        try:
            doi = Doi.parse(self.fields.get("doi", ""))
        except IdentifierError:
            return "; ".join(filter(None, parts))
        return "; ".join(filter(None, [*parts, f"arXiv:{doi.arxiv_id}" if doi.arxiv_id else f"doi:{doi}"]))


def bibtex_entries(text: str) -> Iterator[BibtexEntry]:
    """Yields the entries of `text`, in order; what stands between them is passed over."""
    done, line = 0, 0
    matches = [*BIBTEX.finditer(text)]
    for match, next_match in zip_longest(matches, matches[1:]):
        if match.start() < done or match[1].lower() in _NO_ENTRY:
            continue
        line += text.count("\n", done, match.start())
        position = match.end()
        start = match.start()
        fields: dict[str, str] = {}
        lines: dict[str, int] = {}
        limit = next_match.start() if next_match else len(text)
        while (field := _NAME_OF_FIELD.match(text, position, limit)) is not None:
            value, position = _part_of_value(text, field.end(), limit)
            while (joined := _JOINED.match(text, position, limit)) is not None:
                part, position = _part_of_value(text, joined.end(), limit)
                value += part
            name = field[1].lower()
            if name not in fields and value.strip():
                fields[name] = _BLANKS.sub(" ", plain(value)).strip()
                lines[name] = line + text.count("\n", start, field.end())
        closing = _CLOSING.match(text, position, limit)
        done = closing.end() if closing else position
        last = line + text[start:done].rstrip().count("\n")
        yield BibtexEntry(fields, lines, line, last)
        line += text.count("\n", start, done)


def record_of(entry: BibtexEntry) -> dict[str, str]:
    """Returns the cells of a record, by the names of their columns."""
    return {
        "title": entry.fields.get("title", ""),
        "authors": entry.authors,
        "venue": entry.venue,
        "year": entry.fields.get("year", ""),
        "link": entry.fields.get("url", ""),
    }


def _part_of_value(text: str, position: int, limit: int) -> tuple[str, int]:
    opening = text[position : position + 1]
    if opening not in ("{", '"'):
        bare = _BARE.match(text, position, limit)
        return (bare[0], bare.end()) if bare else ("", position)
    end = end_of_braces(text, position, limit)
    return (text[position + 1 : end - 1], end) if end <= limit else ("", limit)


def end_of_braces(text: str, position: int, limit: int) -> int:
    """Returns the end of what the brace or quotation mark at `position` opens; beyond `limit` where none closes it."""
    closing = "}" if text[position] == "{" else '"'
    depth = 0
    for at in range(position + 1, limit):
        sign = text[at]
        if sign == "{":
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
        elif not depth and sign == closing:
            return at + 1
    return limit + 1


_INDENT_LIMIT = 160
_CLEAN = {
    **dict.fromkeys("\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad", ""),
    **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
    **dict.fromkeys("\u2010\u2011", "-"),
    "ﬀ": "ff",
    "ﬁ": "fi",
    "ﬂ": "fl",
    "ﬃ": "ffi",
    "ﬄ": "ffl",
}
_UNCLEAN = re.compile(f"[{''.join(_CLEAN)}]")
_FRONT_MATTER = re.compile(r"---[ \t]*\n\s*[\w\"'-][\w \"'-]*:(?:\s|$)")
# The mark of a footnote, which belongs to the block that it stands in.
_NOTED = re.compile(r"\[\^([^\[\]\s]{1,80})\](?!:)")
# The beginning of a call-out with a title of its own, as Obsidian has them: one record in a box.
_CALLOUT = re.compile(r"\[![\w-]+\][+-]?[ \t]")
# How deep the parts of a definition list are nested: its terms' words, and what stands in a definition's paragraph.
_LEVEL_OF_TERM, _DEEPEST_OF_DEFINITION = 2, 4
_MARKED = re.compile(r"[*_\[`<]")
_DEEP = re.compile(rf"^[ \t]{{{_INDENT_LIMIT},}}", re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class Block:
    """One block of a list."""

    kind: str  # heading, paragraph, item (the first text of a list item), row (of a table) or record (of BibTeX...)
    rich: Rich  # the text; for a row, that of its first cell; for a record, its identifiers
    first_line: int  # 1-based first line in the file
    last_line: int  # 1-based last line of the block's own text
    depth: int = 0  # how many list items the block stands in
    parent: int | None = None  # index of the block that the enclosing item starts with; None at the top
    group: int = 0  # number of the list, table or run of paragraphs that the block belongs to
    section: tuple[str, ...] = ()  # headings above, outermost first
    quoted: bool = False  # whether it stands in a block quote
    cells: tuple[Rich, ...] = ()  # the cells of a row, the fields of a record
    columns: tuple[str, ...] = ()  # the heads of the row's columns, the names of the fields
    listed: bool = False  # whether it is a record of a list that is nothing but a table or bibliography of papers
    level: int = 0  # level of a heading

    @property
    def run(self) -> tuple[int, str, int]:
        """Returns the run of siblings that the block belongs to: those of one kind and depth in one list or table."""
        return self.group, self.kind, self.depth


@dataclass(slots=True)
class Document:
    """The blocks of a list in file order, and its lines as written."""

    lines: list[str]
    blocks: list[Block]
    title: str | None = None
    form: str | None = None  # what it is where it is no Markdown, such as "a table in CSV"
    delimiter: str = ""  # what stands between the cells of such a table


def cleaned(text: str) -> str:
    """Returns `text` without marks that are not seen, other blanks, hyphens and ligatures as plain ones."""
    return _UNCLEAN.sub(lambda match: _CLEAN[match[0]], text)  # such characters are few; `translate` asks for each


def read_document(text: str) -> Document:
    """Returns the blocks of Markdown `text`. Never raises on any text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    clean = _DEEP.sub(" " * _INDENT_LIMIT, cleaned(text))
    if clean.startswith("---") and not _FRONT_MATTER.match(clean):
        clean = clean[len(clean.split("\n", 1)[0]) :]
    reader = _Reader()
    reader.read(plain_markdown(without_shown(clean)), offset=0, nested=False)
    head = next((block.rich for block in reader.blocks if block.kind == "heading" and block.level == 1), None)
    title = None
    if head is not None:
        words = head.text  # without images, unless there is nothing else
        for mark in sorted((mark for mark in head.marks if mark.kind == "image"), reverse=True):
            words = words[: mark.start] + words[mark.end :]
        title = words.strip() or head.text.strip()
    lines = text.split("\n")
    running = [block for block in reader.blocks if "\n" in block.rich.text and block.kind in ("paragraph", "item")]
    wraps = wrapped_breaks(lines, [block.rich for block in running]) if running else {}
    for number, places in wraps.items():
        running[number].rich = running[number].rich._replace(wraps=places)
    return Document(lines, reader.blocks, title)


def _with_terms_joined(tokens: list[Token]) -> Iterator[Token]:
    """Yields the tokens of Markdown; in a list of one definition each, a term and its definition are one text.

    The term stands in bold there, as programs show it. Terms of several definitions are topics or people.
    """
    start = 0
    for at, token in enumerate(tokens):
        if token.type == "dl_open" and not token.level:
            yield from tokens[start:at]
            start = at
        elif token.type == "dl_close" and not token.level:
            definitions = tokens[start : at + 1]
            inner = [part for part in definitions[1:-1] if part.nesting >= 0 and part.level < _DEEPEST_OF_DEFINITION]
            kinds = [part.type for part in inner]
            one_each = kinds == ["dt_open", "inline", "dd_open", "paragraph_open", "inline"] * (len(kinds) // 5)
            yield from _joined_terms(definitions) if one_each else definitions
            start = at + 1
    yield from tokens[start:]


def _joined_terms(tokens: Sequence[Token]) -> Iterator[Token]:
    term = tokens[0]
    for token in tokens:
        if token.type == "inline" and token.level == _LEVEL_OF_TERM:
            term = token
            continue
        if token.type == "inline" and term.map and token.map:
            words = term.content if _MARKED.search(term.content) else f"**{term.content}**"
            token.content = words + "\n" * (token.map[0] - term.map[0]) + token.content
            token.map = [term.map[0], token.map[1]]
        yield token


@dataclass(slots=True)
class _Reader:
    """Makes blocks of tokens, and knows what encloses them."""

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
        for token in _with_terms_joined(markdown().parse(text, env)):
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
            case "list_item_open" | "footnote_reference_open":  # a footnote stands below the block that has its mark
                self.items.append(self.noted.get(token.meta.get("label", "")))
            case "list_item_close" | "footnote_reference_close":
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
            case "dt_open" | "dl_close":
                self.term(token)

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
            if not entry.fields.get("title"):
                continue
            record = record_of(entry)
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
        enclosing = self.items[:-1] if kind == "item" else self.items
        if "[^" in rich.text:
            self.noted |= dict.fromkeys(_NOTED.findall(rich.text), index)
        self.blocks.append(
            Block(
                kind=kind,
                rich=rich,
                first_line=first,
                last_line=max(first, last),
                depth=len(self.items),
                parent=next((above for above in reversed(enclosing) if above is not None), None),
                group=self.groups[-1] if self.groups else self.last_group,
                section=self.section,
                quoted=self.quotes > 0,
                **more,
            )
        )
        if self.items and self.items[-1] is None:
            self.items[-1] = index

    def html_block(self, token: Token, env: dict[str, Any], offset: int, *, nested: bool) -> None:
        first = (token.map or [0, 1])[0] + offset
        for piece in html_pieces(token.content):
            line = first + piece.line + 1
            if piece.kind == "markdown" and not nested:
                self.read(piece.text, offset=first + piece.line, nested=True)
                continue
            if piece.kind == "heading":
                self.heading(read_inline(piece.text, env, line), piece.level, line, line, setext=False)
                continue
            cells = tuple(read_inline(cell, env, line + at) for at, cell in piece.cells)
            rich = cells[0] if cells else read_inline(piece.text, env, line)
            kind = {"row": "row", "item": "item"}.get(piece.kind, "paragraph")
            if piece.head and cells and self.is_head(cells):
                continue
            if any(part.text.strip() for part in (rich, *cells)):
                columns = self.columns if kind == "row" else ()
                self.add(kind, rich, line, line + piece.text.rstrip().count("\n"), cells=cells, columns=columns)

"""Markdown as note-taking and publishing programs extend it -> plain Markdown; BibTeX inside it -> its entries.

Obsidian, Logseq, Org, pandoc, Quarto, kramdown, Jekyll and MDX add marks of their own: wiki links with an alias, states
and dates of tasks, properties, block references, comments, attributes in braces, citations, fences of divisions. None
is a word of an entry. Here they are taken out, or written as plain Markdown where they hold words. Every line stays a
line, code and addresses stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sources.bibliography.identifiers import ArxivId, Doi
from sources.bibliography.titles import plain
from sources.errors import IdentifierError
from sources.reading_list.links.link_kinds import OTHER_FIELD
from sources.reading_list.markdown.marked_text import BREAK

_ATTRIBUTES = (
    r"\{(?:[#.][A-Za-z]|:\s?(?:[#.:A-Za-z]|$)|[A-Za-z][\w-]*=(?:\"[^\"\n]*\"|'[^'\n]*'|[\w./-]+)[\s}])[^{}\n]{0,300}?\}"
    r"|\{[A-Za-z][\w-]*=(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}')\}"
)
"""Attributes in braces: `{.class #name key="value"}`, `{: .class}`. TeX has none of these forms."""
_KEY = r"[A-Za-z][\w:.#$%&+?<>~/-]{0,80}"
"""A citation's key."""

_SPAN = re.compile(
    r"(?P<protected>`[^`\n]+`|(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|(?:https?|ftp)://[^\s<>]+|"
    r"(?<=\]\()[^()\n]*(?=\)))"
    r"|(?P<embedded>!\[\[[^\[\]\n]{1,300}\]\])"
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
_SIGNS = re.compile(r"\[\[[^\[\]\n]*[|/]|!\[\[|%%|\{|::|\(\(|-\d\d-\d\d|@|\^|~\w|==\S")
"""What a line must hold to hold one of these spans. All begin with a sign of their own: `re` skips to such."""

_PROPERTY = re.compile(r"(\s*(?:>\s*)*(?:[-*+]\s+)?)([A-Za-z][\w -]{0,40})::(?:\s+(.*)|\s*)$")
_TASK = re.compile(r"(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+)\[[^\s\[\]xX]\]\s")
_STATE = re.compile(
    r"(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+)(?:(?:TODO|DOING|DONE|LATER|NOW|WAITING|WAIT|CANCELED|CANCELLED|"
    r"IN-PROGRESS)\s+(?:\[#[A-C]\]\s+)?|\[#[A-C]\]\s+)(?=\S)"
)
_DIVISION = re.compile(r"\s*(?::{3,}.*|\{%.*%\}|\*\[[^\]\n]{1,40}\]:\s.*)\s*")
"""A line that opens or closes a division, or explains an abbreviation: nothing in it is an entry's."""
_ASIDE = re.compile(rf"\s*(?:(?:{_ATTRIBUTES})+|(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):\s.*)\s*")
"""A line that says something about the entry above it, and holds none of its words."""
_DRAWER, _DRAWER_END = re.compile(r"\s*:(?:LOGBOOK|PROPERTIES):\s*"), re.compile(r"\s*:END:\s*")
_IMPORT = re.compile(r"import\s.+\sfrom\s+['\"]|import\s+['\"]|export\s+(?:const|default|function|let|var)\b")
_FENCE = re.compile(r"\s*(?:>\s*|[-*+]\s+)*(`{3,}|~{3,})")
_LONGEST_LINE = 4_000


def plain_markdown(text: str) -> str:
    """Returns `text` with the marks of dialects taken out or written as Markdown; it has as many lines as before."""
    return "\n".join(_plain_lines(text.split("\n")))


def _plain_lines(lines: list[str]) -> Iterator[str]:
    """Yields the lines; what a block of the dialect takes up is blank."""
    fence: str | None = None
    closes: Callable[[str], object] | None = None
    above = ""
    for line in lines:
        opened = _FENCE.match(line)
        plain = line
        if fence is not None:
            if opened and opened[1].startswith(fence) and not line.strip("`~ >\t"):
                fence = None
        elif closes is not None:
            closes, plain = (None if closes(line) else closes), ""
        elif opened:
            fence = opened[1]
        elif (closing := _opened_block(line)) is not None:
            closes, plain = closing, ""
        elif len(line) <= _LONGEST_LINE:
            plain = _plain_line(line, above)
        above = plain
        yield plain


def _opened_block(line: str) -> Callable[[str], object] | None:
    """Returns what tells the last line of the block of a dialect that `line` opens, None where it opens none."""
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
    """Returns what a mark of a dialect is as plain Markdown."""
    kind = match.lastgroup
    if match["protected"] is not None:
        return match[0]
    if match["alias"] is not None:
        return f"[[{match['alias'].strip()}]]"
    if match["highlight"] is not None or match["span"] is not None:
        return match["span"] or f"**{match['highlight'].strip()}**"
    if match["field"] is not None:
        field = f"{match['key']}: {match['value'].strip()}"
        return f"({match['value'].strip()})" if _is_field(field) else ""
    if kind == "mark":
        inner = match[0].strip("^~ ")
        return "" if match[0][0] == "^" and inner.isdigit() else inner
    return ""


BIBTEX = re.compile(r"^[ \t]*@([A-Za-z]{3,20})[ \t]*\{[ \t]*[^\s,{}\"]{1,200}[ \t]*,", re.MULTILINE)
_NAME_OF_FIELD = re.compile(r"[\s,]*([A-Za-z][\w-]{0,40})\s*=\s*")
_BARE = re.compile(r"[\w.-]+")
_CLOSING = re.compile(r"[\s,]*\}")
_NO_ENTRY = frozenset({"string", "preamble", "comment"})
_LONGEST = 20_000
"""Characters of an entry that are read; an abstract may be among them."""
_BLANKS = re.compile(r"\s+")


class BibtexEntry(NamedTuple):
    """One entry of a bibliography.

    Attributes:
        fields: Name in lower case -> value without TeX, on one line.
        lines: The same names -> how many lines below the text's first line the value starts.
        first: How many lines below the text's first line the entry starts.
        last: The same of its last line.
    """

    fields: dict[str, str]
    lines: dict[str, int]
    first: int
    last: int

    @property
    def authors(self) -> str:
        """Returns the authors, given names first, with commas between them."""
        names = re.split(r"\s+and\s+", self.fields.get("author", ""))
        parts = [[part.strip() for part in name.split(",") if part.strip()] for name in names]
        return ", ".join(" ".join([*reversed(part)]) for part in parts if part and part != ["others"])

    @property
    def venue(self) -> str:
        """Returns where it was published."""
        return self.fields.get("booktitle") or self.fields.get("journal") or ""

    @property
    def identifiers(self) -> str:
        """Returns its identifiers as prose names them."""
        parts = [self.fields.get("journal", ""), self.fields.get("note", ""), self._eprint]
        try:
            doi = Doi.parse(self.fields.get("doi", ""))
        except IdentifierError:
            return "; ".join(filter(None, parts))
        return "; ".join(filter(None, [*parts, f"arXiv:{doi.arxiv_id}" if doi.arxiv_id else f"doi:{doi}"]))

    @property
    def _eprint(self) -> str:
        """Returns its arXiv identifier; also a broken one, where the entry says that it is one of arXiv."""
        eprint = self.fields.get("eprint", "")
        try:
            return f"arXiv:{ArxivId.parse(eprint)}"
        except IdentifierError:
            return f"arXiv:{eprint}" if self.fields.get("archiveprefix", "").lower() == "arxiv" else ""


def bibtex_entries(text: str) -> Iterator[BibtexEntry]:
    """Yields the entries of `text` that have a title, in order; what stands between them is passed over."""
    done, line = 0, 0
    for match in BIBTEX.finditer(text):
        if match.start() < done or match[1].lower() in _NO_ENTRY:
            continue
        line += text.count("\n", done, match.start())
        found, end = _bibtex_entry(text, match.end(), line, match.start())
        line += text.count("\n", match.start(), end)
        done = end
        if found.fields.get("title"):
            yield found._replace(last=line)


def _bibtex_entry(text: str, position: int, line: int, start: int) -> tuple[BibtexEntry, int]:
    """Returns the entry whose fields begin at `position`, and where it ends."""
    fields: dict[str, str] = {}
    lines: dict[str, int] = {}
    limit = min(len(text), start + _LONGEST)
    while (field := _NAME_OF_FIELD.match(text, position, limit)) is not None:
        value, position = _value(text, field.end(), limit)
        name = field[1].lower()
        if name not in fields and value.strip():
            fields[name] = _BLANKS.sub(" ", plain(value)).strip()
            lines[name] = line + text.count("\n", start, field.end())
    closing = _CLOSING.match(text, position, limit)
    return BibtexEntry(fields, lines, line, line), closing.end() if closing else position


def _value(text: str, position: int, limit: int) -> tuple[str, int]:
    """Returns the value at `position`, without its braces or quotation marks, and where it ends."""
    opening = text[position : position + 1]
    if opening not in ("{", '"'):
        bare = _BARE.match(text, position, limit)
        return (bare[0], bare.end()) if bare else ("", position)
    depth = 0
    for at in range(position + 1, limit):
        sign = text[at]
        if sign == "{":
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
        elif not depth and sign == ("}" if opening == "{" else '"'):
            return text[position + 1 : at], at + 1
    return "", limit

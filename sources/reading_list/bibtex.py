"""BibTeX inside Markdown, in a code block or as it stands -> the fields of each entry, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sources.bibliography.identifiers import ArxivId, Doi
from sources.bibliography.titles import plain
from sources.errors import IdentifierError

OPENING = re.compile(r"^[ \t]*@([A-Za-z]{3,20})[ \t]*\{[ \t]*[^\s,{}\"]{1,200}[ \t]*,", re.MULTILINE)
_FIELD = re.compile(r"[\s,]*([A-Za-z][\w-]{0,40})\s*=\s*")
_BARE = re.compile(r"[\w.-]+")
_CLOSING = re.compile(r"[\s,]*\}")
_NO_ENTRY = frozenset({"string", "preamble", "comment"})
_LONGEST = 20_000
"""Characters of an entry that are read; an abstract may be among them."""
_BLANKS = re.compile(r"\s+")


class Entry(NamedTuple):
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


def entries_of(text: str) -> Iterator[Entry]:
    """Yields the entries of `text` that have a title, in order; what stands between them is passed over."""
    done, line = 0, 0
    for match in OPENING.finditer(text):
        if match.start() < done or match[1].lower() in _NO_ENTRY:
            continue
        line += text.count("\n", done, match.start())
        found, end = _entry(text, match.end(), line, match.start())
        line += text.count("\n", match.start(), end)
        done = end
        if found.fields.get("title"):
            yield found._replace(last=line)


def _entry(text: str, position: int, line: int, start: int) -> tuple[Entry, int]:
    """Returns the entry whose fields begin at `position`, and where it ends."""
    fields: dict[str, str] = {}
    lines: dict[str, int] = {}
    limit = min(len(text), start + _LONGEST)
    while (field := _FIELD.match(text, position, limit)) is not None:
        value, position = _value(text, field.end(), limit)
        name = field[1].lower()
        if name not in fields and value.strip():
            fields[name] = _BLANKS.sub(" ", plain(value)).strip()
            lines[name] = line + text.count("\n", start, field.end())
    closing = _CLOSING.match(text, position, limit)
    return Entry(fields, lines, line, line), closing.end() if closing else position


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

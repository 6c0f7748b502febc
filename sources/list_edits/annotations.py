"""What a list shows of each paper beside its entry, kept up to date between marks: citations, BibTeX, code. Pure.

A mark is a comment of HTML, which readers do not see: `<!-- paperlake:citations -->12 citations<!-- /paperlake -->`. In
a table the mark stands in the head of a column, and the column's cells are the values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal
from urllib.parse import quote

from sources.list_checks.findings import Edit, Entry, PaperFacts
from sources.list_checks.list_text import ListText
from sources.list_edits.edits import Change
from sources.list_edits.siblings import WrittenList
from sources.list_edits.tables import BAR, tables_of
from sources.list_edits.writing import markdown_address
from sources.text import counted

Kind = Literal["citations", "bibtex", "code"]
Look = Literal["suffix", "badge", "column"]
"""suffix: words behind the entry. badge: an image there. column: a column of the entry's table."""
_END = "<!-- /paperlake -->"
_TRAILING = re.compile(r"(?:[ \t]|\\|<br ?/?>)*$")
_HEADS: Mapping[Kind, str] = {"citations": "Citations", "bibtex": "BibTeX", "code": "Code"}
_BADGES = "https://img.shields.io/badge/"


def annotation_changes(text: str, entries: Sequence[Entry], kind: Kind, look: Look | None = None) -> list[Change]:
    """Returns the changes that add or renew what is shown of each paper.

    What nobody tells is not shown, and what is shown of it stays.

    Args:
        text: The list as decoded.
        entries: All its mentions in file order, each with what is known of its paper.
        kind: What is shown.
        look: The form; None for a column in tables, and words behind other entries.
    """
    written = WrittenList(text, [entry.mention for entry in entries])
    tables = tables_of(written.source)
    lines = {entry.mention.line for entry in entries}
    code = {line for line in lines if not written.source.markup[slice(*written.source.stretch(line, line))].strip()}
    in_table = {line for first, last in tables for line in range(first, last + 1)}
    by_line: dict[int, list[Entry]] = {}
    for entry in entries:
        by_line.setdefault(entry.mention.line, []).append(entry)
    changes: list[Change] = []
    for line, same in by_line.items():
        if line in code or (line in in_table and look in (None, "column")):
            continue
        if look != "column" and len(same) == 1 and not written.source.line(line).lstrip().startswith("#"):
            changes += _behind(written.source, same[0], kind, look or "suffix")
    if look in (None, "column"):
        for first, last in tables:
            changes += _in_column(written.source, (first, last), by_line, kind)
    return changes


NOT_SHOWN: Mapping[Kind, str] = {
    "citations": "OpenAlex tells no count",
    "bibtex": "neither DBLP nor arXiv has BibTeX",
    "code": "the abstract names no repository, or several,",
}
"""Why nothing is shown, with how many papers that is so of behind it."""


def shown_value(paper: PaperFacts, kind: Kind) -> str | None:
    """Returns what is shown of a paper in words; None where nobody tells it."""
    return _value(paper, kind, "suffix")


def _start(kind: Kind) -> str:
    return f"<!-- paperlake:{kind} -->"


def _value(paper: PaperFacts, kind: Kind, look: Look) -> str | None:
    """Returns what is shown of a paper; None where it is not told."""
    if kind == "citations":
        count = paper.open_citation_count
        if count is None:
            return None
        if look == "badge":
            return f"![{counted(count, 'citation')}]({_BADGES}citations-{count}-blue)"
        return f"{count:,}" if look == "column" else f"({count:,} citation{'' if count == 1 else 's'})"
    address = _bibtex_address(paper) if kind == "bibtex" else paper.code_url
    if address is None:
        return None
    address = markdown_address(address)
    return f"[![{kind}]({_BADGES}{kind}-{kind}-blue)]({address})" if look == "badge" else f"[{kind}]({address})"


def _bibtex_address(paper: PaperFacts) -> str | None:
    key = next((item.value for item in paper.identifiers if item.scheme == "dblp"), None)
    if key is not None:
        return f"https://dblp.org/rec/{quote(key)}.bib"
    return f"https://arxiv.org/bibtex/{paper.arxiv_id}" if paper.arxiv_id else None


def _behind(source: ListText, entry: Entry, kind: Kind, look: Look) -> Iterator[Change]:
    """Yields the change of what stands behind an entry's title line, or between marks further down in the entry."""
    if entry.paper is None or (value := _value(entry.paper, kind, look)) is None:
        return
    start, end = source.stretch(entry.mention.line, entry.mention.last_line)
    mark = re.compile(re.escape(_start(kind)) + r"(.*?)" + re.escape(_END), re.DOTALL).search(source.text, start, end)
    if mark is not None:
        edit = Edit(start=mark.start(1), end=mark.end(1), replacement=value)
    else:
        first, last = source.stretch(entry.mention.line, entry.mention.line)
        trailing = _TRAILING.search(source.text[first:last])
        at = first + trailing.start() if trailing else last
        edit = Edit(start=at, end=at, replacement=f" {_start(kind)}{value}{_END}")
    if source.text[edit.start : edit.end] != edit.replacement:
        yield _change(entry.mention.line, kind, value, (edit,))


def _change(line: int, kind: Kind, value: str, edits: tuple[Edit, ...]) -> Change:
    evidence = ("OpenAlex's count (CC0)",) if kind == "citations" else ()
    return Change(code=f"annotate-{kind}", line=line, message=f"{kind}: {value}", evidence=evidence, edits=edits)


def _in_column(
    source: ListText, table: tuple[int, int], by_line: Mapping[int, Sequence[Entry]], kind: Kind
) -> Iterator[Change]:
    """Yields the change of a table's column; a column is added only where something is known of one of its papers."""
    first, last = table
    values = {line: _row_value(by_line.get(line, ()), kind) for line in range(first + 2, last + 1)}
    column = next((at for at, cell in enumerate(BAR.split(source.line(first))) if _start(kind) in cell), None)
    if not any(values.values()):
        return
    edits: list[Edit] = []
    if column is None:
        cells = {first: f"{_HEADS[kind]} {_start(kind)}", first + 1: "---:" if kind == "citations" else "---"}
        edits = [_appended(source, line, (cells | values).get(line) or "") for line in range(first, last + 1)]
    else:
        edits = [_renewed(source, line, column, value) for line, value in values.items() if value is not None]
    changed = tuple(edit for edit in edits if source.text[edit.start : edit.end] != edit.replacement)
    if changed:
        known = sum(value is not None for value in values.values())
        yield _change(first, kind, f"a column with {counted(known, 'value')}", changed)


def _row_value(entries: Sequence[Entry], kind: Kind) -> str | None:
    papers = [entry.paper for entry in entries]
    return _value(papers[0], kind, "column") if len(papers) == 1 and papers[0] is not None else None


def _appended(source: ListText, line: int, value: str) -> Edit:
    start, end = source.stretch(line, line)
    row = source.text[start:end].rstrip()
    at = start + len(row)
    return Edit(start=at, end=at, replacement=f" {value} |" if row.endswith("|") else f" | {value}")


def _renewed(source: ListText, line: int, column: int, value: str) -> Edit:
    start, _ = source.stretch(line, line)
    cells = BAR.split(source.line(line))
    if column >= len(cells):
        return Edit(start=start, end=start, replacement="")
    at = start + sum(len(cell) + 1 for cell in cells[:column])
    inside = cells[column]
    lead = len(inside) - len(inside.lstrip()) if inside.strip() else min(len(inside), 1)
    return Edit(start=at + lead, end=at + max(len(inside.rstrip()), lead), replacement=value)

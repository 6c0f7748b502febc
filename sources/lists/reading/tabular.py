"""Reads lists that are no Markdown: tables in CSV and TSV, bibliographies in BibTeX and RIS.

The text alone tells them, so what may be Markdown is never taken for one: a table has a head that names titles and
another field, and rows with as many cells; a bibliography begins with an entry and holds hardly anything else.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from sources.bibliography.identifiers import ArxivId, Doi
from sources.bibliography.years import year_alone
from sources.errors import IdentifierError
from sources.lists.reading.addresses import carried_by_text, words_of_data
from sources.lists.reading.author_lists import read_authors
from sources.lists.reading.document import (
    BIBTEX,
    BibtexEntry,
    Block,
    Document,
    bibtex_entries,
    cleaned,
    end_of_braces,
    record_of,
)
from sources.lists.reading.entries import is_paper_link
from sources.lists.reading.links import links_of
from sources.lists.reading.marked_text import Rich
from sources.lists.reading.title_model import clean_title

# What begins a line of Markdown, and no row of a table or remark in a bibliography.
_MARKDOWN = re.compile(r"\s*(?:[-*+>]\s|#{1,6}\s|\||\d{1,3}[.)]\s|```|[^\[]*\[[^\]]*\]\([^)]*\)\s*$)")
_LINK = re.compile(r"\[([^\[\]]+)\]\((https?://[^\s()]+)\)")


class _Listed(NamedTuple):
    """What a text holds, in its order. An entry without fields is a stretch that could not be read."""

    form: str  # what the list is, in words
    entries: list[BibtexEntry]
    is_sure: bool = True  # whether every entry is a paper; else what it says decides
    delimiter: str = ""  # between the cells of a table


def read_table(text: str) -> Document | None:
    """Returns the rows of a table or the entries of a bibliography as records, what cannot be read as paragraphs.

    Returns None where `text` is in no such form. Never raises on any text.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = cleaned(text).split("\n")
    top = next((at for at, line in enumerate(lines) if line.strip()), 0)
    listed = _bibtex(lines, top) or _ris(lines, top) or _table(lines, top)
    if listed is None:
        return None
    blocks = [_block(entry, lines, listed) for entry in listed.entries]
    return Document(text.split("\n"), blocks, form=listed.form, delimiter=listed.delimiter)


def _block(entry: BibtexEntry, lines: Sequence[str], listed: _Listed) -> Block:
    """Returns the record of an entry; a paragraph where it has neither a title nor an identifier."""
    first, last = entry.first + 1, entry.last + 1
    years = [year for name in ("year", "date") if (year := year_alone(entry.fields.get(name, "")))]
    record = record_of(entry) | {"year": "".join(map(str, years[:1]))}
    at = entry.lines.get("title", entry.first) + 1
    cells = tuple(Rich(value, (), at) for value in record.values())
    named = [carried_by_text(entry.identifiers), *(link.carried for link in links_of(cells[-1]))]
    if clean_title(record["title"]) or any(carried.identifiers for carried in named):
        block = Block(kind="record", rich=Rich(entry.identifiers, (), at), first_line=first, last_line=last)
        block.cells, block.columns, block.listed = cells, tuple(record), listed.is_sure
        return block
    rich = Rich("\n".join(lines[first - 1 : last]), (), first)
    return Block(kind="paragraph", rich=rich, first_line=first, last_line=last)


# Tables: the head says what each column holds.

_FIELDS = words_of_data("record_fields.txt")
_FIELD_OF = {head: field for head, field in words_of_data("column_heads.txt").items() if field != "name"} | _FIELDS
_RANKS = {head: rank for rank, head in enumerate([*_FIELDS, *(head for head in _FIELD_OF if head not in _FIELDS)])}
_PROOFS = {"title": {"authors", "venue", "year", "doi"}, "name": {"authors", "venue", "doi"}}
_DELIMITERS = {",": "a table in CSV", "\t": "a table in TSV", ";": "a table in CSV"}
_LONGEST_HEAD = 10_000  # characters
_LONGEST_ROW = 300  # lines; beyond them, a quotation mark was never closed
# What tells the identifier of a paper at the beginning of a line: "10.1109/5.771073", "arXiv:1706.03762 [cs]".
_STATED = re.compile(r"\s*(?:(arxiv|doi|pmid|pmcid)\b\s*(?:id\b\s*)?[:/]?\s*)?(\S+)", re.IGNORECASE)
_BETWEEN_AUTHORS = re.compile(r"[;；\n|]")


class _Row(NamedTuple):
    """A row of a table."""

    first: int  # how many lines are above it
    last: int  # the same of its last line
    cells: list[str]


def _table(lines: Sequence[str], top: int) -> _Listed | None:
    declared = re.fullmatch("sep=([,;\t])", lines[top].rstrip())
    top += bool(declared)
    for delimiter, form in _DELIMITERS.items() if top < len(lines) else ():
        if delimiter not in lines[top][:_LONGEST_HEAD] or (declared and declared[1] != delimiter):
            continue
        _, end, head = _row(lines, top, delimiter)
        columns = _columns_of_fields(head)
        main = next((field for field in _PROOFS if field in columns), None)
        if main is None or len(columns) < 2:
            continue
        rows = [row for row in _rows(lines, end + 1, delimiter, len(head)) if any(map(str.strip, row.cells))]
        good = sum(len(row.cells) == len(head) and not _MARKDOWN.match(lines[row.first]) for row in rows)
        if good and 3 * good >= 2 * len(rows):
            entries = _entries(rows, columns | {"title": columns[main]}, head)
            addresses = [links_of(Rich(entry.fields.get("url", ""), (), 0)) for entry in entries]
            of_papers = any(word in head[columns[main][0]].lower() for word in ("paper", "论文", "論文", "논문"))
            of_papers = of_papers or 2 * sum(any(map(is_paper_link, links)) for links in addresses) > len(entries)
            return _Listed(form, entries, of_papers or not _PROOFS[main].isdisjoint(columns), delimiter)
    return None


def _columns_of_fields(head: Sequence[str]) -> dict[str, list[int]]:
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for column, name in enumerate(head):
        words = name.lower().strip(" *_:|").split()
        keys = ("-".join(words), re.sub(r"[\W_]+", "-", " ".join(words).replace("(s)", "s")).strip("-"))
        for key in [key for key in keys if key in _FIELD_OF][:1]:
            found[_FIELD_OF[key]].append((_RANKS[key], column))
    return {field: [column for _, column in sorted(ranked)] for field, ranked in found.items()}


def _rows(lines: Sequence[str], at: int, delimiter: str, width: int) -> Iterator[_Row]:
    """Yields the rows; those with other than `width` cells, but for empty ones at the end, could not be read."""
    while at < len(lines):
        row = _row(lines, at, delimiter)
        if not any(map(str.strip, row.cells[width:])):
            row = row._replace(cells=row.cells[:width])
        yield row
        at = row.last + 1


def _row(lines: Sequence[str], at: int, delimiter: str) -> _Row:
    """Returns the row that begins at a line; a quotation mark that none closes is a part of the words."""
    end = min(len(lines), at + _LONGEST_ROW)
    reader = csv.reader((f"{lines[number]}\n" for number in range(at, end)), delimiter=delimiter)
    try:
        cells = next(reader, [])
    except csv.Error:
        return _Row(at, at, [lines[at]])
    if cells and cells[-1].endswith("\n") and at + reader.line_num == end:
        return _Row(at, at, lines[at].split(delimiter))
    return _Row(at, at + reader.line_num - 1, cells)


def _entries(rows: Sequence[_Row], columns: Mapping[str, Sequence[int]], head: Sequence[str]) -> list[BibtexEntry]:
    whole, places = [row for row in rows if len(row.cells) == len(head)], columns.get("authors", ())
    authors = [_BETWEEN_AUTHORS.split(row.cells[at]) for row in whole for at in places]
    surname_first = "Item Type" in head or any("," in name for names in authors for name in names[:-1])
    entries = []
    for row in rows:
        if len(row.cells) != len(head):
            entries.append(BibtexEntry({}, {}, row.first, row.last))
            continue
        chosen = {
            name: next((at for at in places if row.cells[at].strip()), places[0]) for name, places in columns.items()
        }
        fields = {name: " ".join(row.cells[at].split()) for name, at in chosen.items() if name != "doi"}
        title = row.cells[chosen["title"]]
        above = "".join(row.cells[: chosen["title"]]) + title[: len(title) - len(title.lstrip())]
        addresses = [address for _, address in _LINK.findall(fields["title"])]
        fields["title"] = _LINK.sub(r"\1", fields["title"])
        fields["author"] = _names(fields.pop("authors", ""), surname_first=surname_first)
        fields["journal"] = fields.pop("venue", "")
        fields["url"] = " ".join([*addresses, *(row.cells[at].strip() for at in columns.get("link", ()))])
        _add_identifiers(fields, [(head[at], row.cells[at]) for of in ("doi", "id") for at in columns.get(of, ())])
        entries.append(BibtexEntry(fields, {"title": row.first + above.count("\n")}, row.first, row.last))
    return entries


def _names(text: str, *, surname_first: bool) -> str:
    """Returns authors as BibTeX has them; in what parts names by semicolons, a comma stands inside a name."""
    names = [name.strip() for name in _BETWEEN_AUTHORS.split(text) if name.strip()]
    if len(names) == 1:
        of_bibtex = re.split(r"\s+(?:and|&)\s+", names[0])
        is_one = surname_first and names[0].count(",") == 1 and any(" " not in part for part in names[0].split(", "))
        if is_one or (len(of_bibtex) > 1 and all(name.count(",") == 1 for name in of_bibtex)):
            names = of_bibtex
        else:
            read = read_authors(text)
            names = [*read.names] if read else [name.strip() for name in re.split("[,，、]", text) if name.strip()]
    return " and ".join(name for name in names if not re.fullmatch(r"et al\.?|others|…|\.\.\.", name))


def _add_identifiers(fields: dict[str, str], stated: Sequence[tuple[str, str]]) -> None:
    """Adds the identifiers of columns, or of tags, for nothing else, and the addresses in these."""
    found = []
    for head, text in stated:
        label = next((label for label in ("arxiv", "pmid", "pmcid") if head.lower().startswith(label)), "")
        for line in re.split(r"\n|[;,]\s", text):
            if line.strip().lower().startswith("http") and "doi.org/" not in line:
                fields["url"] = f"{fields.get('url', '')} {line.strip()}".strip()
            elif match := _STATED.match(f"{label} {line}" if line.strip() else ""):
                found.append(_identifier(match[1] or "", match[2]))
    fields["note"] = "; ".join(filter(None, found))


def _identifier(label: str, word: str) -> str:
    """Returns an identifier as prose names it, also one that its label says to be broken; nothing of other words."""
    with suppress(IdentifierError):
        doi = Doi.parse(word)
        return f"arXiv:{doi.arxiv_id}" if doi.arxiv_id else f"doi:{doi}"
    with suppress(IdentifierError):
        return f"arXiv:{ArxivId.parse(word)}"
    return f"{label}:{word}" if label and any(map(str.isdigit, word)) else ""


# RIS: a field a line, from `TY  - JOUR` to `ER  -`.

_TAG = re.compile(r"([A-Z][A-Z0-9]{1,5})  - ?(.*)")
# Fields -> the tags that may hold them, the surest first.
_TAGS = {
    "title": "TI T1 CT BT",
    "journal": "T2 JF JO BT C3 JA J2",
    "year": "PY Y1 DA",
    "author": "AU A1",
    "url": "UR L2 L1",
}
_TAGS_OF_IDENTIFIERS = ("DO", "M1", "M3", "AN", "L3", "N1")


def _ris(lines: Sequence[str], top: int) -> _Listed | None:
    if not re.match("TY  - [A-Z]", lines[top]):
        return None
    begins = [at for at in range(top, len(lines)) if lines[at].startswith("TY  -") or lines[at - 1].startswith("ER  -")]
    entries = []
    for first, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        filled = [at for at in range(first, end) if lines[at].strip()]
        if not filled:
            continue
        values: defaultdict[str, list[str]] = defaultdict(list)
        places: dict[str, int] = {}
        tag = ""
        for at in filled:
            if match := _TAG.match(lines[at]):
                tag = match[1]
                places.setdefault(tag, at)
                values[tag].append(match[2].strip())
            elif tag:  # a line without a tag goes on with the value above it
                values[tag][-1] += f" {lines[at].strip()}"
        given = {field: [tag for tag in tags.split() if any(values[tag])] for field, tags in _TAGS.items()}
        fields = {field: next(filter(None, values[tags[0]])) for field, tags in given.items() if tags}
        fields["author"] = " and ".join(name for tag in given["author"] for name in values[tag] if name)
        urls = [word for tag in given["url"] for word in values[tag] if word.lower().startswith("http")]
        fields["url"] = " ".join(urls)
        _add_identifiers(fields, [("", value) for tag in _TAGS_OF_IDENTIFIERS for value in values[tag]])
        title = places[given["title"][0]] if given["title"] else filled[0]
        entries.append(BibtexEntry(fields, {"title": title}, filled[0], filled[-1]))
    return _Listed("a bibliography in RIS", entries)


# BibTeX: a whole file of it.

_MACRO = re.compile(r"^[ \t]*@(?:(string)\s*\{\s*([^\s={}]+)\s*=|(?:string|preamble|comment)\s*\{)", re.I | re.M)
_COMMENT = re.compile(r"^[ \t]*(?:%|@comment[ \t]+[^{\s]).*$", re.I | re.M)
_MOST_REMARKS = 0.05  # the share of lines between entries from which a file is no bibliography


def _bibtex(lines: Sequence[str], top: int) -> _Listed | None:
    if lines[top].lstrip()[:1] not in ("@", "%"):
        return None
    text, macros, done = _COMMENT.sub("", "\n".join(lines)), {}, 0
    parts = []  # with blank lines for macros
    for match in _MACRO.finditer(text):
        if match.start() >= done:
            end = end_of_braces(text, text.index("{", match.start()), len(text))
            if end > len(text):
                break
            if match[1]:
                macros[match[2].lower()] = " ".join(text[match.end() : end].strip(' \t\n"{}').split())
            parts += [text[done : match.start()], "\n" * text.count("\n", match.start(), end)]
            done = end
    text = "".join([*parts, text[done:]])
    if not BIBTEX.match(text.lstrip()):
        return None
    entries = list(bibtex_entries(text))
    for fields in (entry.fields for entry in entries):
        fields.update({name: macros[value.lower()] for name, value in fields.items() if value.lower() in macros})
    closed = [entry for entry in entries if lines[entry.last].rstrip(" \t,").endswith("}")]
    inside = {at for entry in closed for at in range(entry.first, entry.last + 1)}
    remarks = [at for at, line in enumerate(text.split("\n")) if at not in inside and re.search(r"\w", line)]
    outside = set(remarks).difference(*(range(entry.first, entry.last + 1) for entry in entries))
    if not closed or len(outside) > _MOST_REMARKS * len(lines) or any(_MARKDOWN.match(lines[at]) for at in remarks):
        return None
    entries += [BibtexEntry({}, {}, at, at) for at in outside]
    return _Listed("a bibliography in BibTeX", sorted(entries, key=lambda entry: entry.first))

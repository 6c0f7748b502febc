"""`paperlake parse`: shows the mentions of lists as a table, JSON or CSV."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from flows.commands.shared import Lists, say
from flows.console import BOLD, DIM, paragraph, print_rows, screen_width, styled
from flows.list_names import short_names
from flows.progress import watched
from sources.errors import UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sources.lists.locations import Document
    from sources.records import Mention

# The columns of a mention; scripts use the names up to `confidence`.
COLUMNS = (
    "line", "title", "authors", "year", "venue", "url", "arxiv_id", "doi", "section", "struck", "notes", "text",
    "confidence", "list", "name", "identifiers", "findings",
)  # fmt: skip
_SIDES = {"+": "for", "-": "against"}  # what the first character of a reason says
_TABLE_WIDTH = 110  # characters from which a table leaves room for titles; below, a mention has two lines


def parse(
    lists: Lists,
    fmt: Annotated[
        Literal["table", "json", "jsonl", "csv"], typer.Option("--format", help="How to print the mentions.")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one array of objects.")] = False,
    explain: Annotated[bool, typer.Option(help="Also print the reasons for and against each mention.")] = False,
) -> None:
    """Shows the papers that reading lists name. Uses no network and no lake.

    A list is Markdown; CSV, TSV, BibTeX and RIS files are read, too, when they are named.

    Example: `paperlake parse awesome-list.md --format jsonl > mentions.jsonl`
    """
    from sources.lists.locations import read_lists
    from sources.lists.reading import parse_reading_list

    fmt = "json" if as_json else fmt
    rows: list[dict[str, Any]] = []
    forms: dict[str, list[str]] = {}
    documents = read_lists(lists or [])
    with watched() as reporter:
        done = reporter.stage("Reading the lists", len(documents), "lists")
        for document in documents:
            read = parse_reading_list(document.text)
            rows += (_row(mention, document, explain=explain) for mention in read.mentions)
            if explain:
                forms[document.location] = [*([read.form] if read.form else ()), *_possible_titles(read.possible)]
            done(1)
    if not rows:
        raise UsageError(f"no paper is named in {', '.join(lists or [])}")
    if fmt == "json":
        say([json_text(rows, indent=1)])
    elif fmt == "jsonl":
        say(map(json_text, rows))
    elif fmt == "csv":
        import csv

        writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: json_text(v) if isinstance(v, list | tuple) else v for k, v in row.items()})
    else:
        _print_tables(rows, forms, explain=explain)
        return
    notes = [f"{location}: {note}" for location, item in forms.items() for note in item]
    sys.stderr.writelines(f"{shown(note)}\n" for note in notes)


def _possible_titles(possible: Sequence[Mention]) -> list[str]:
    """Returns a line for each possible title, which a refresh looks up."""
    from sources.matching.mention_queries import is_telling

    titles = ((item.line, item.title) for item in possible if is_telling(item.title or ""))
    return [f"line {line}: a mention only if it is a paper's whole title: {title}" for line, title in titles]


def _row(mention: Mention, document: Document, *, explain: bool) -> dict[str, Any]:
    facts = {
        "list": document.location,
        "identifiers": [str(identifier) for identifier in mention.identifiers],
        "findings": [
            {name: getattr(finding, name) for name in ("code", "message", "value")} for finding in mention.findings
        ],
    }
    row = {name: facts[name] if name in facts else getattr(mention, name) for name in COLUMNS}
    return row | ({"reasons": mention.reasons} if explain else {})


def _print_tables(rows: Sequence[dict[str, Any]], forms: Mapping[str, Sequence[str]], *, explain: bool) -> None:
    """Prints the mentions of each list under the list's name."""
    names = short_names(row["list"] for row in rows)
    for location, name in names.items():
        inside = [row for row in rows if row["list"] == location]
        sys.stdout.write(styled(f"{shown(name)}: {counted(len(inside), 'mention')}", BOLD) + "\n")
        if explain or screen_width() < _TABLE_WIDTH:
            say(_blocks(inside, forms.get(location, ()), explain=explain))
        else:
            print_rows(("line", "title", "authors", "published", "identifier"), list(map(_cells, inside)))
        sys.stdout.write("\n")
    sys.stdout.write(styled(f"{counted(len(rows), 'mention')} in {counted(len(names), 'list')}", DIM) + "\n")


def _cells(row: Mapping[str, Any]) -> tuple[Any, ...]:
    published = " ".join(str(part) for part in (row["venue"], row["year"]) if part)
    return (row["line"], _title(row), _authors(row) or None, published or None, next(iter(row["identifiers"]), None))


def _title(row: Mapping[str, Any]) -> str:
    return str(row["title"] or row["url"] or row["text"])


def _authors(row: Mapping[str, Any]) -> str:
    return ", ".join(row["authors"][:2]) + (" et al." if len(row["authors"]) > 2 else "")


def _blocks(rows: Sequence[Mapping[str, Any]], notes: Sequence[str], *, explain: bool) -> Iterator[str]:
    """Yields a block for each mention: its fields and, to explain it, the reasons for and against."""
    for note in notes:
        yield from paragraph(note, indent="    ", first="  ", style=DIM)
    indent = " " * 7
    for row in rows:
        yield from paragraph(_title(row), indent=indent, first=f"{row['line']:>5}  ", style=BOLD if explain else "")
        facts = [str(fact) for fact in (_authors(row), row["venue"], row["year"], *row["identifiers"][:1]) if fact]
        if explain:
            facts.append(f"confidence {row['confidence']:.2f}")
        if facts:
            yield from paragraph("; ".join(facts), indent=indent, style="" if explain else DIM)
        reasons = row["reasons"] if explain else ()
        for label in ("for", "against", "also"):
            texts = [text for text in reasons if _SIDES.get(text[:1], "also") == label]
            if texts:
                first = f"{indent}{label:<9}"
                yield from paragraph("; ".join(texts), indent=" " * len(first), first=first, style=DIM)

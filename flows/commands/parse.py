"""`paperlake parse`: shows the mentions of lists as a table, JSON or CSV."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from flows.commands.shared import Lists, say
from flows.console import BOLD, DIM, paragraph, print_rows, screen_width, styled, wrapped
from flows.list_names import not_read, short_names
from flows.progress import watched
from sources.errors import UsageError
from sources.text import counted, json_text, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sources.lists.locations import ListDocument
    from sources.records import Mention

# The columns of a mention; scripts use the names up to `confidence`.
COLUMNS = (
    "line", "title", "authors", "year", "venue", "url", "arxiv_id", "doi", "section", "struck", "notes", "text",
    "confidence", "list", "name", "identifiers", "findings",
)  # fmt: skip
_SKIPPED_COLUMNS = ("list", "line", "kind", "reason", "text")
_SIDES = {"+": "for", "-": "against"}  # what the first character of a reason says
_TABLE_WIDTH = 110  # characters from which a table leaves room for titles; below, a mention has two lines


def parse(
    lists: Lists,
    fmt: Annotated[
        Literal["table", "json", "jsonl", "csv"], typer.Option("--format", help="How to print the mentions.")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json: one array of objects.")] = False,
    explain: Annotated[bool, typer.Option(help="Also print the reasons for and against each mention.")] = False,
    skipped: Annotated[
        bool,
        typer.Option("--skipped", help="Print the lines that no mention was made of instead, each with the reason."),
    ] = False,
) -> None:
    """Shows the papers that reading lists name. Uses no network and no lake.

    A list that cannot be read is named, and does not stop the others; the exit code is 1 then.

    A list is Markdown; CSV, TSV, BibTeX and RIS files are read, too, when they are named.

    A line is part of a mention, or `--skipped` says what it is: `not read` (it looks like an entry), `possible title`
    (a refresh looks it up: it is a mention if a paper has exactly this title), `resource` (a link to something else),
    `prose` or `structure`.

    Example: `paperlake parse awesome-list.md --format jsonl > mentions.jsonl`
    """
    from sources.lists.locations import try_lists
    from sources.lists.reading import parse_reading_list

    fmt = "json" if as_json else fmt
    rows: list[dict[str, Any]] = []
    forms: dict[str, str] = {}
    left_out: list[dict[str, Any]] = []
    like_entries = 0
    readings = try_lists(lists or [])
    documents = readings.documents
    if readings.unread and not documents:
        raise readings.unread[0].error
    with watched() as reporter:
        done = reporter.stage("Reading the lists", len(documents), "lists")
        for document in documents:
            read = parse_reading_list(document.text)
            rows += (_row(mention, document, explain=explain) for mention in read.mentions)
            if explain and read.form:
                forms[document.location] = read.form
            lines = document.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            left_out += (
                {
                    "list": document.location,
                    "line": item.line,
                    "kind": item.kind,
                    "reason": item.reason,
                    "text": lines[item.line - 1],
                }
                for item in read.skipped
            )
            like_entries += read.like_entries
            done(1)
    if not rows and not skipped:
        raise UsageError(
            f"no paper is named in {shown(', '.join(lists or []))}: `--skipped` says what its lines were taken for"
        )
    if fmt != "table":
        _print_rows(left_out if skipped else rows, fmt)
        sys.stderr.writelines(f"{shown(f'{location}: {form}')}\n" for location, form in forms.items())
    elif skipped:
        _print_skipped(left_out, like_entries)
    else:
        _print_tables(rows, forms, explain=explain)
    sys.stderr.writelines(f"paperlake: {shown(str(item.error))}\n" for item in readings.unread)
    if like_entries and not skipped:
        sys.stderr.write(f"{not_read(like_entries, shown(' '.join(lists or [])))}\n")
    if readings.unread:
        raise typer.Exit(1)


def _print_rows(rows: Sequence[Mapping[str, Any]], fmt: str) -> None:
    names = list(rows[0]) if rows else _SKIPPED_COLUMNS
    if fmt == "json":
        say([json_text(rows, indent=1)])
    elif fmt == "jsonl":
        say(map(json_text, rows))
    else:
        import csv

        cells = ([json_text(v) if isinstance(v, list | tuple) else v for v in row.values()] for row in rows)
        csv.writer(sys.stdout, lineterminator="\n").writerows([names, *cells])


def _print_skipped(rows: Sequence[Mapping[str, Any]], like_entries: int) -> None:
    """Prints the lines of each list by what they are, those that look like entries first."""
    from sources.lists.reading import LIKE_ENTRIES, LineKind

    order = get_args(LineKind)
    names = short_names(row["list"] for row in rows)
    for location, name in names.items():
        say([styled(shown(name), BOLD)])
        groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
        for row in rows:
            if row["list"] == location:
                groups.setdefault((row["kind"], row["reason"]), []).append(row)
        for (kind, reason), inside in sorted(groups.items(), key=lambda group: order.index(group[0][0])):
            say(paragraph(f"{kind}: {reason} ({counted(len(inside), 'line')})", indent="  "))
            for row in inside:
                text = wrapped(row["text"].strip(), screen_width() - 8)[0]
                say([styled(f"{row['line']:>6}  {shown(text)}", "" if kind in LIKE_ENTRIES else DIM)])
        say([""])
    say([styled(f"{counted(len(rows), 'line')} are part of no mention; {like_entries} of them look like entries", DIM)])


def _row(mention: Mention, document: ListDocument, *, explain: bool) -> dict[str, Any]:
    facts = {
        "list": document.location,
        "identifiers": [str(identifier) for identifier in mention.identifiers],
        "findings": [
            {name: getattr(finding, name) for name in ("code", "message", "value")} for finding in mention.findings
        ],
    }
    row = {name: facts[name] if name in facts else getattr(mention, name) for name in COLUMNS}
    return row | ({"reasons": mention.reasons} if explain else {})


def _print_tables(rows: Sequence[dict[str, Any]], forms: Mapping[str, str], *, explain: bool) -> None:
    names = short_names(row["list"] for row in rows)
    for location, name in names.items():
        inside = [row for row in rows if row["list"] == location]
        sys.stdout.write(styled(f"{shown(name)}: {counted(len(inside), 'mention')}", BOLD) + "\n")
        if explain or screen_width() < _TABLE_WIDTH:
            say(_blocks(inside, forms.get(location), explain=explain))
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


def _blocks(rows: Sequence[Mapping[str, Any]], form: str | None, *, explain: bool) -> Iterator[str]:
    """Yields a block for each mention: its fields and, to explain it, the reasons for and against."""
    if form:
        yield from paragraph(form, indent="    ", first="  ", style=DIM)
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

"""`paperlake parse`: the mentions of lists, as a table for people, JSON lines or CSV for scripts."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING, Any, Literal

from flows.progress import watched
from sources.errors import UsageError
from sources.locations import read_lists
from sources.reading_list import parse_reading_list
from sources.shown_text import json_text, shown
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sources.locations import Document
    from sources.records import Mention

COLUMNS = (
    "line", "title", "authors", "year", "venue", "url", "arxiv_id", "doi", "section", "struck", "notes", "text",
    "confidence", "list", "name", "identifiers", "findings",
)  # fmt: skip
"""What a mention is printed as; scripts use the names up to `confidence`."""


def print_mentions(arguments: Sequence[str], *, fmt: Literal["table", "jsonl", "csv"], explain: bool) -> None:
    """Prints the mentions of the lists named.

    Raises:
        UsageError: A list cannot be read, or none names a paper.
    """
    rows: list[dict[str, Any]] = []
    forms: list[str] = []
    documents = read_lists(arguments)
    with watched() as reporter:
        done = reporter.stage("Reading the lists", len(documents), "lists")
        for document in documents:
            read = parse_reading_list(document.text)
            rows += (_row(mention, document, explain=explain) for mention in read.mentions)
            if explain and read.form:
                forms.append(f"{document.location}: {read.form}")
            if explain:
                forms += _possible_titles(read.possible, document)
            done(1)
    if not rows:
        raise UsageError(f"no paper is named in {', '.join(arguments)}")
    if fmt == "jsonl":
        sys.stdout.writelines(json_text(row) + "\n" for row in rows)
    elif fmt == "csv":
        _write_csv(rows)
    else:
        _print_table(rows, explain=explain)
    sys.stderr.writelines(shown(form) + "\n" for form in forms)


def _possible_titles(possible: Sequence[Mention], document: Document) -> list[str]:
    """Returns a line for each stretch that a refresh looks up, as it may be a title."""
    from sources.matching.queries import is_telling  # noqa: PLC0415 - only an explanation needs what words prove

    titles = ((one.line, one.title) for one in possible if is_telling(one.title or ""))
    return [
        f"{document.location}:{line}: a mention only if it is a paper's whole title: {title}" for line, title in titles
    ]


def _row(mention: Mention, document: Document, *, explain: bool) -> dict[str, Any]:
    facts = {
        "list": document.location,
        "identifiers": [str(one) for one in mention.identifiers],
        "findings": [{"code": one.code, "message": one.message, "value": one.value} for one in mention.findings],
    }
    row = {name: facts[name] if name in facts else getattr(mention, name) for name in COLUMNS}
    return row | ({"reasons": mention.reasons} if explain else {})


def _write_csv(rows: Sequence[dict[str, Any]]) -> None:
    writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: json_text(v) if isinstance(v, list | tuple) else v for k, v in row.items()})


def _print_table(rows: Sequence[dict[str, Any]], *, explain: bool) -> None:
    from rich.console import Console  # noqa: PLC0415 - scripts, which take jsonl, need not wait for it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console()
    table = Table(box=None, header_style="bold", padding=(0, 1))
    for name in ("line", "title", "authors", "year", "venue", "identifier"):
        table.add_column(name, justify="right" if name in ("line", "year") else "left", overflow="fold")
    if explain:
        table.add_column("why", overflow="fold", style="dim")
    for row in rows:
        authors = ", ".join(row["authors"][:2]) + (" et al." if len(row["authors"]) > 2 else "")
        cells = [
            row["line"],
            row["title"] or row["url"],
            authors,
            row["year"],
            row["venue"],
            next(iter(row["identifiers"]), ""),
        ]
        if explain:
            cells.append("; ".join(row["reasons"]))
        table.add_row(*(Text("" if cell is None else shown(str(cell))) for cell in cells))
    console.print(table)
    lists = len({row["list"] for row in rows})
    console.print(f"{counted(len(rows), 'mention')} in {counted(lists, 'list')}", style="dim")

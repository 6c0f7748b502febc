"""`paperlake missing`: shows works that a list does not name, though its papers cite them or are cited by them."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.related import basis_sentence, title_with_year
from flows.commands.shared import Json, KnownLists, Lake, Limit, Row, begin, open_to_read, report
from flows.commands.status import since_when
from flows.console import BOLD, DIM, paragraph, styled
from flows.list_names import list_title, short_names, shown_location, wanted_lists
from sources.errors import AlreadyListed
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from duckdb import DuckDBPyConnection

_MOST_ENTRIES = 3  # entries that are named for a work on the screen
_MOST_WORKS = 500  # works of a list that the view has


def missing(
    lists: KnownLists = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only what is missing since then: 7d, 12h, or 2026-11-21, that day's end."),
    ] = None,
    limit: Limit = 10,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows works that a list does not name though its papers cite them, or are cited by them, far more than the world.

    A work needs three links to papers of the list, and more of them than its fame explains: what everybody cites is not
    missing. Retracted works, and other versions of papers that the list has, are left out. Each comes with the entries
    that say so, and, for a list in a local file, with its entry as the list would write it; `paperlake add` puts it in.
    Citations are OpenAlex's; a refresh of a list of ten papers or more asks for them. Nothing is asked for here.

    Example: `paperlake missing README.md`

    Example: `paperlake missing --since 7d --json`  for a weekly alert
    """
    begin("reading the lake")
    began = since_when(since) if since else None
    with open_to_read(lake) as connection:
        reports = [
            _report(connection, list_id, location, since=began, limit=limit)
            for location, list_id in wanted_lists(connection, lists or ()).items()
        ]
    lines = (line for each in reports for line in _lines(each, since=since))
    report({"lists": reports}, lines, as_json=as_json)


def _report(
    connection: DuckDBPyConnection, list_id: str, location: str | None, *, since: datetime | None, limit: int
) -> Row:
    from warehouse.query.citations import basis_of, missing_from, unknown_works
    from warehouse.query.pasted_lines import local_document

    document = local_document(location) if location else None
    text = document.text if document else None
    rows = missing_from(connection, list_id, since=since, limit=limit if text is None else _MOST_WORKS)
    missing, known = _with_lines(text, location, rows, limit=limit)
    works = unknown_works(connection, [list_id])
    basis = basis_of(connection, list_id) | {"works_not_known": works["works"], "works_failed": works["failed_works"]}
    return {"list": location, "basis": basis, "missing": missing, "in_file_by_now": known}


def _with_lines(text: str | None, location: str | None, rows: Sequence[Row], *, limit: int) -> tuple[list[Row], int]:
    """Returns the first works that the list as it stands lacks, each with its entry, and how many it has by now."""
    from sources.lists.edits.additions import shown_entries
    from warehouse.query.pasted_lines import facts_of

    if text is None:
        why = "the list is no local file" if location else "all lists together have no style of their own: name one"
        return [row | {"line": None, "section": None, "no_line_because": why} for row in rows], 0
    papers = ((facts_of(row), " > ".join(_section(row)) or None) for row in rows)
    missing: list[Row] = []
    known = 0
    for row, entry in zip(rows, shown_entries(text, papers), strict=False):
        if isinstance(entry.error, AlreadyListed):
            known += 1
            continue
        words = None if entry.words is None else entry.words.strip("\r\n")
        section = _section(row) if entry.is_in_section else None
        error = None if entry.error is None else str(entry.error)
        missing.append(row | {"line": words, "section": section, "no_line_because": error})
        if len(missing) == limit:
            break
    return missing, known


def _section(row: Row) -> list[str]:
    section: list[str] = row["entries"][0]["section"] if row["entries"] else []
    return section


def _lines(found: Row, *, since: str | None) -> Iterator[str]:
    location, basis, rows = found["list"], found["basis"], found["missing"]
    news = f" since {since}" if since else ""
    yield styled(shown(f"Missing from {list_title(location)}{news}: {len(rows) or 'nothing that is known'}"), BOLD)
    names = short_names(() if location else (entry["list"] for row in rows for entry in row["entries"]))
    for row in rows:
        yield ""
        yield from paragraph(title_with_year(row), indent=" " * 5, first=f"{row['rank']:>3}. ")
        citing, cited = row["cited_by_listed"], row["cites_listed"]
        known = counted(basis["with_references"], "listed paper")
        ways = [f"cited by {citing} of {known} with known references"] if citing else []
        ways += [f"cites {counted(cited, 'listed paper')}"] if cited else []
        entries = "; ".join(
            f"{names[entry['list']] + ' ' if names else ''}line {entry['line']} {entry['title']}"
            for entry in row["entries"][:_MOST_ENTRIES]
        )
        total = counted(row["citation_count"], "citation")
        evidence = f"{_address(row)}  {', '.join(ways)}; {total} in all: {entries}"
        yield from paragraph(evidence, indent=" " * 5, style=DIM)
        if row["line"]:
            yield f"     {shown(row['line'])}"
        elif location:
            place = shown_location(location)
            place = f"./{place}" if place.startswith("-") else place  # else it would be taken for an option
            command = f"paperlake add {quote(place)} {quote(_address(row))}"
            yield from paragraph(f"{row['no_line_because']}; {command}", indent=" " * 5, style=DIM)
    yield ""
    if known := found["in_file_by_now"]:
        sentence = f"Left out: {counted(known, 'work')} that the file has by now; `paperlake refresh` reads it again."
        yield from paragraph(sentence, indent="", style=DIM)
    yield from paragraph(basis_sentence(basis), indent="", style=DIM)


def _address(row: Row) -> str:
    from sources.lists.edits.writing import doi_address

    if row["arxiv_id"]:
        return f"https://arxiv.org/abs/{row['arxiv_id']}"
    return doi_address(row["doi"]) if row["doi"] else f"https://openalex.org/{row['openalex_id']}"

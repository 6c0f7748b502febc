"""`paperlake related`: shows the works near a paper, or the groups of papers in a list."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.shared import Json, Lake, Limit, Row, begin, open_to_read, report
from flows.console import BOLD, DIM, paragraph, row_lines, styled
from flows.list_names import one_list
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from duckdb import DuckDBPyConnection

ALL = "all"  # stands for all lists together


def basis_sentence(basis: Row) -> str:
    """Returns of how many papers of a list the citations are known, and why not of the others."""
    from warehouse.papers.graph_limits import LEAST_PAPERS, MOST_CITED

    citing = basis["with_citing_works"]
    sentence = (
        f"This rests on the references of {basis['with_references']} of {counted(basis['papers'], 'paper')}"
        f"{f', and on all works that cite {citing} of them' if citing else '; which works cite them is not known'}."
    )
    gaps = {
        "that OpenAlex does not have": basis["not_in_openalex"],
        "about which it could not be asked": basis["could_not_ask"],
        f"with more than {MOST_CITED} citations, whose citing works are not asked for": basis["much_cited"],
    }
    known = [f"{counted(number, 'paper')} {why}" for why, number in gaps.items() if number]
    if known:
        sentence += f" Not known: those of {', '.join(known)}."
    if basis["entries_without_paper"]:
        sentence += f" Left out: {counted(basis['entries_without_paper'], 'entry')} without a known paper."
    works, failed = basis.get("works_not_known", 0), basis.get("works_failed", 0)
    if works:
        vain = f", {failed} of which could not be asked about" if failed else ""
        sentence += f" Not looked up: {counted(works, 'work')} that may be missing{vain}."
    if off := _openalex_off():
        return f"{sentence}{off}"
    if basis["papers_of_all_lists"] < LEAST_PAPERS:
        limit = f"Below {LEAST_PAPERS} of all lists together"
        return f"{sentence} {limit} a refresh asks neither for citing works nor for works outside."
    is_due = citing + sum(gaps.values()) < basis["papers"] or basis["could_not_ask"] or works
    return f"{sentence} `paperlake refresh` asks for more." if is_due else sentence


def _openalex_off() -> str:
    """Returns a sentence behind others on how to turn OpenAlex on; empty where it is asked, or all of it is here."""
    from flows.refresh.summary import OPENALEX_OFF
    from flows.settings import read_settings
    from warehouse.mirrors import Mirrors

    settings = read_settings()
    with closing(Mirrors(settings.place.mirror_folder)) as mirrors:
        is_asked = settings.asks("openalex") or mirrors.openalex.whole_release is not None
    return "" if is_asked else f" {OPENALEX_OFF}."


def paper_sentence(known: Row) -> str:
    """Returns what is known of the citations of one paper, and why not more."""
    if known["status"] == "failed":
        return f"OpenAlex could not be asked about this paper: {known['error']}."
    if known["status"] == "not_found":
        return "OpenAlex does not have this paper: its references and what cites it are not known."
    if known["status"] is None and not known["reference_links"] and not known["citing_works"]:
        sentence = "OpenAlex was not asked about this paper: its references and what cites it are not known."
        return f"{sentence}{_openalex_off()}"
    references = counted(known["reference_links"], "reference") if known["reference_links"] else "no references of it"
    citing = counted(known["citing_works"], "citing work")
    whole = "all that OpenAlex tells of" if known["citing_status"] == "found" else "those that happened to come"
    count = known["citation_count"]
    of_all = f" ({counted(count, 'citation')} by its count)" if count is not None else ""
    return f"Known are {references}, and {citing}, {whole}{of_all}."


def related(
    paper: Annotated[
        str | None,
        typer.Argument(metavar="[PAPER]", help="An identifier, a title, or words of a title.", show_default=False),
    ] = None,
    of_list: Annotated[
        str | None, typer.Option("--list", metavar="LIST", help="How the papers of this list hang together; or `all`.")
    ] = None,
    show: Annotated[
        Literal["all", "core", "order"],
        typer.Option("--show", help="With --list: what holds its papers together, an order to read."),
    ] = "all",
    limit: Limit = 20,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows the works near a paper: cited together with it, sharing references with it, citing it or cited by it.

    With --list it shows how the papers of a list hang together: the papers with the most links and how many would lose
    their ties without them, and an order in which each paper comes after those that it cites. There is no order where
    the references of less than half of the papers are known.

    Example: `paperlake related 1706.03762`

    Example: `paperlake related --list README.md --show order`
    """
    if (paper is None) == (of_list is None):
        raise typer.BadParameter("name a paper, or a list with --list")
    begin("reading the lake")
    from warehouse.query.citations import basis_of

    with open_to_read(lake) as connection:
        if paper is not None:
            values, lines = _of_paper(connection, paper, limit=limit)
        else:
            list_id = ALL if of_list == ALL else one_list(connection, of_list)
            basis = basis_of(connection, list_id)
            parts = list_report(connection, list_id, limit=limit)
            reason = no_order_because(basis)
            if reason is not None:
                parts["order"] = []
            chosen = {key: rows for key, rows in parts.items() if show in ("all", key)}
            values = {"basis": basis} | chosen | {"no_order_because": reason}
            lines = [line for key, rows in chosen.items() for line in _lines(key, rows, reason)]
            lines += paragraph(basis_sentence(basis), indent="", style=DIM)
    report(values, lines, as_json=as_json)


def _of_paper(connection: DuckDBPyConnection, paper: str, *, limit: int) -> tuple[Row, Sequence[str]]:
    """Returns the works that are cited together with a paper, share references with it, or are linked to it."""
    from flows.review.decisions import identifier_of
    from warehouse.query.citations import known_of, paper_named, related_to

    identifier = identifier_of(paper)
    own = paper_named(connection, paper, identifier=identifier.value if identifier else None)
    rows = related_to(connection, own["work"], limit=limit)
    known = known_of(connection, own["work"])
    heads = ("title", "year", "in the lake", "cited together", "shared references", "link")
    cells = []
    for row in rows:
        links = [name for name, key in (("cited by it", "is_cited_by_it"), ("cites it", "cites_it")) if row[key]]
        in_lake = "yes" if row["is_in_lake"] else "no"
        counts = row["cited_together"], row["shared_references"]
        cells.append((row["title"], row["year"], in_lake, *counts, ", ".join(links)))
    title = f"Related to {own['title']}" + ("" if rows else ": nothing that is known")
    lines = [styled(shown(title), BOLD), *(row_lines(heads, cells) if rows else ())]
    lines += paragraph(paper_sentence(known), indent="", style=DIM)
    return {"paper": own, "basis": known, "related": rows}, lines


def list_report(connection: DuckDBPyConnection, list_id: str, *, limit: int) -> dict[str, list[Row]]:
    """Returns `core` and `order` of a list, or of `all`.

    `core`: papers with the most links to others, and how many papers would lose their ties without each.
    `order`: every paper after those that it cites, each with those and, of a single list, their lines; `cycle` numbers
    papers that cite each other in a circle.
    """
    from warehouse.query.citations import Links, cycles, papers_within, parted, reading_order

    papers, pairs = papers_within(connection, list_id)
    rows = {row["work"]: row for row in papers}
    facts = {work: {name: row[name] for name in ("work", "title", "year")} for work, row in rows.items()}
    lines = {work: None if list_id == ALL else row["line"] for work, row in rows.items()}
    links = Links.of(rows, pairs)
    lost = parted(links)
    by_links = sorted(rows, key=lambda work: (-len(links.citing[work] | links.cited[work]), work))
    circles = (group for group in cycles(links) if len(group) > 1)
    circle = {work: number for number, group in enumerate(circles, start=1) for work in group}
    return {
        "core": [
            facts[work]
            | {"cited_by": len(links.citing[work]), "cites": len(links.cited[work])}
            | {"parted_without_it": lost.get(work, 0)}
            for work in by_links[:limit]
            if links.citing[work] or links.cited[work]
        ],
        "order": [
            facts[work]
            | {"line": lines[work], "after_lines": sorted(filter(None, map(lines.get, links.cited[work])))}
            | {"after": sorted(links.cited[work]), "cycle": circle.get(work)}
            for work in reading_order(links)
        ],
    }


def title_with_year(row: Row) -> str:
    """Returns a work's title, and its year where that is known."""
    return f"{row['title']} ({row['year']})" if row["year"] else str(row["title"])


_TITLES = {
    "core": "What holds the list together: links to other papers of it",
    "order": "Reading order that the references suggest",
}


def no_order_because(basis: Row) -> str | None:
    """Returns why there is no reading order: it would rest on too few references. None where there is one."""
    if 2 * basis["with_references"] >= basis["papers"] > 0:
        return None
    known, papers = basis["with_references"], counted(basis["papers"], "paper")
    return f"the references of {known} of {papers} are known, and it takes half"


def _lines(key: str, rows: Sequence[Row], no_order: str | None) -> Iterator[str]:
    if key == "order" and no_order is not None:
        yield styled(f"No reading order: {no_order}", BOLD)
        return
    yield styled(_TITLES[key], BOLD)
    if not rows or (key == "order" and not any(row["after"] for row in rows)):
        yield "  no citation between these papers is known"
        return
    numbers = {row["work"]: number for number, row in enumerate(rows, start=1)}
    for row in rows:
        yield from paragraph(title_with_year(row), indent=" " * 6, first=f"{numbers[row['work']]:>4}. ")
        if note := _note(key, row, numbers):
            yield from paragraph(note, indent=" " * 6, style=DIM)
    yield ""


def _note(key: str, row: Row, numbers: Mapping[str, int]) -> str:
    if key == "core":
        lost = f"; without it {row['parted_without_it']} would lose their ties" if row["parted_without_it"] else ""
        return f"cited by {row['cited_by']}, cites {row['cites']} of the list{lost}"
    is_of_one_list = row["line"] is not None
    places = row["after_lines"] if is_of_one_list else sorted(numbers[work] for work in row["after"])
    head = f"line {row['line']}; after line " if is_of_one_list else "after "
    after = head + ", ".join(map(str, places)) if places else ""
    return after + (f"; in a circle with others (circle {row['cycle']})" if row["cycle"] else "")

"""`paperlake show` and `paperlake search`: one paper with all that is known of it, and papers by words."""

from __future__ import annotations

from contextlib import closing
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.shared import Json, Lake, Limit, Row, open_to_read, read_place, report
from flows.console import BOLD, CYAN, DIM, as_text, paragraph, screen_width, styled
from flows.list_names import lists_named, names_of_lists, short_names
from sources.errors import UsageError
from sources.records import SERVICE_NAMES
from sources.text import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duckdb import DuckDBPyConnection

    from sources.bibliography.identifiers import Identifier
    from sources.records import PaperRecord
    from warehouse.lake.place import LakePlace

_SHOWN_PEOPLE = 6
_SHOWN_PLACES = 10
_SHOWN_CITING = 10
_CITING = """
SELECT k.citing AS paper_id, p.title, p.year FROM citation_links AS k JOIN papers AS p ON p.paper_id = k.citing
WHERE k.cited = ? ORDER BY p.year DESC NULLS LAST, p.title, k.citing
"""


def show(
    paper: Annotated[
        list[str],
        typer.Argument(
            metavar="PAPER",
            help="An arXiv identifier, a DOI, an address, a citation key, a title, or words of a title.",
        ),
    ],
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Shows one paper of the lake: abstract, identifiers, counts, the lists that name it, who cites it here, BibTeX.

    Example: `paperlake show 1706.03762`

    Example: `paperlake show attention need`
    """
    from warehouse.papers.citation_keys import key_of
    from warehouse.query.bibliography import CITED, bibtex
    from warehouse.query.output import rows_of
    from warehouse.query.papers import described

    name = " ".join(paper)
    with open_to_read(lake) as connection:
        work = _paper_named(connection, name)
        (found,) = described(connection, [work])
        found["cited_by_here"] = rows_of(connection, _CITING, [work])
        (row,) = connection.execute(f"{CITED} WHERE paper_id = ?", [work]).to_arrow_table().to_pylist()
    found["bibtex"] = bibtex([row | {"abstract": None, "citation_key": key_of(row)}])
    report(found, _paper_lines(found), as_json=as_json)


def _paper_named(connection: DuckDBPyConnection, name: str) -> str:
    """Returns the `paper_id` of the one paper that has a name, or all of its words in the title."""
    from flows.review.decisions import identifier_of
    from warehouse.query.citations import paper_named
    from warehouse.query.papers import search_papers

    identifier = identifier_of(name)
    try:
        return str(paper_named(connection, name, identifier=identifier.value if identifier else None)["work"])
    except UsageError:
        found = [] if identifier else search_papers(connection, name, None, most=_SHOWN_CITING, offset=0)[0]
        titled = [row for row in found if row["kind"] == "paper"]
        papers = [row for row in titled if all(word in row["title"].lower() for word in name.lower().split())]
        if len(papers) > 1:
            titles = "; ".join(row["title"] for row in papers[:5])
            text = f"several papers have {name!r} in their titles: {titles}; name one by more words"
            raise UsageError(text) from None
        if not papers:
            raise
        return str(papers[0]["paper_id"])


def _paper_lines(found: Row) -> Iterator[str]:
    people = found["authors"]
    more = f" and {len(people) - _SHOWN_PEOPLE} more" if len(people) > _SHOWN_PEOPLE else ""
    yield from paragraph(found["title"], indent="", style=BOLD)
    yield from paragraph(", ".join(people[:_SHOWN_PEOPLE]) + more, indent="")
    published = [str(part) for part in (found["venue"], found["year"]) if part]
    marks = [mark for mark in ("retracted", "withdrawn") if found.get(mark)]
    yield from paragraph(", ".join([*published, *(mark.upper() for mark in marks)]) or "year not known", indent="")
    names = ", ".join(f"{item['scheme']}:{item['identifier']}" for item in found["identifiers"])
    counts = "; ".join(f"{row['citation_count']:,} {_whose(row)}" for row in found["counts"])
    versions = "; ".join(
        " ".join(str(part) for part in (row["venue"] or row["doi"], row["year"]) if part)
        for row in found["published_versions"]
    )
    citing = found["cited_by_here"]
    titles = "; ".join(f"{row['title']} ({row['year'] or 'year not known'})" for row in citing[:_SHOWN_CITING])
    others = f"; and {len(citing) - _SHOWN_CITING} more" if len(citing) > _SHOWN_CITING else ""
    facts = {
        "identifiers": names,
        "citations": counts or "not known",
        "published as": versions,
        "abstract": found["abstract"],
        "listed in": "; ".join(_places(found["places"])) or "no list now",
        "cited by": f"{counted(len(citing), 'paper')} of this lake: {titles}{others}" if citing else "",
    }
    for label, value in facts.items():
        if value:
            yield from paragraph(str(value), indent=" " * 14, first=styled(f"{label:<14}", DIM))
    yield ""
    for line in map(shown, found["bibtex"].strip().splitlines()):  # broken between words, which BibTeX allows
        yield from wrap(line, screen_width(), subsequent_indent="   ", break_long_words=False, break_on_hyphens=False)


def _whose(count: Row) -> str:
    return f"({SERVICE_NAMES[count['source']]}, {count['observed_at'][:10]})"


def _places(places: Sequence[Row]) -> Iterator[str]:
    names = short_names(place["location"] for place in places)
    for place in [place for place in places if place["removed_at"] is None][:_SHOWN_PLACES]:
        section = " / ".join(place["section"])
        yield f"{place['list']}, {names[place['location']]}:{place['line']}" + (f" ({section})" if section else "")


def search(
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORDS", help="Words of titles, authors, venues or abstracts; or an identifier."),
    ],
    of_list: Annotated[
        str | None, typer.Option("--list", metavar="LIST", help="Only what this list of the lake names.")
    ] = None,
    limit: Limit = 20,
    lake: Lake = None,
    as_json: Json = False,
) -> None:
    """Finds papers of the lake that have all the words, then entries of lists without a paper, then papers of mirrors.

    A mirror is looked into by title and identifier, as a refresh does.

    Example: `paperlake search attention vaswani`
    """
    from flows.review.decisions import identifier_of
    from warehouse.query.papers import described, paper_of, search_papers

    query = " ".join(words)
    identifier = identifier_of(query)
    with open_to_read(lake) as connection:
        lists = lists_named(of_list, names_of_lists(connection)) if of_list else None
        named = paper_of(connection, query, identifier) if identifier and lists is None else []
        records = [{"kind": "paper"} | row for row in described(connection, named, brief=True)]
        total = len(records)
        if not records:
            records, total = search_papers(connection, query, lists, most=limit, offset=0)
    known = {value for row in records for value in (row.get("arxiv_id"), row.get("doi")) if value}
    in_mirrors = [] if lists else _in_mirrors(read_place(lake), query, identifier)
    others = [row for row in in_mirrors if known.isdisjoint((row["arxiv_id"], row["doi"]))][:limit]
    values = {"found": records, "total": total, "in_mirrors": others}
    report(values, _found_lines(query, records, total, others), as_json=as_json)


def _in_mirrors(place: LakePlace, query: str, identifier: Identifier | None) -> list[Row]:
    """Returns the papers of the mirrors with an identifier, or with all words of `query` in their titles."""
    from sources.bibliography.titles import fold
    from sources.matching.candidates import candidate_of
    from warehouse.mirrors import Mirrors

    found: Iterable[PaperRecord] = ()
    with closing(Mirrors(place.mirror_folder)) as mirrors:
        if mirrors.releases and identifier:
            found = mirrors.by_identifiers([identifier]).values()
        elif mirrors.releases:
            found = mirrors.by_titles([query]).get(query, ())
    wanted = set() if identifier else set(fold(query).split())
    papers = [paper for paper in found if wanted <= set(fold(paper.title).split())]
    candidates = [(paper.SOURCE, candidate_of(paper, paper.SOURCE)) for paper in papers]
    names = ("title", "authors", "year", "venue", "arxiv_id", "doi")
    return [{"mirror": source} | {name: getattr(paper, name) for name in names} for source, paper in candidates]


def _found_lines(query: str, records: Sequence[Row], total: int, others: Sequence[Row]) -> Iterator[str]:
    for row in records:
        yield from (_brief(row) if row["kind"] == "paper" else _unresolved(row))
    if others:
        yield styled("Not in the lake, but in a mirror; `paperlake add LIST PAPER` puts one into a list", BOLD)
    for row in others:
        yield from _brief(row)
    hidden = total - len(records)
    if hidden > 0:
        yield styled(f"... {hidden} more: --limit {total}", DIM)
    if not records and not others:
        raise UsageError(f"nothing in the lake or a mirror has all the words of {query!r}")


def _brief(row: Row) -> Iterator[str]:
    people = ", ".join(row["authors"][:3]) + (" et al." if len(row["authors"]) > 3 else "")
    names = [f"{scheme}:{row[key]}" for scheme, key in (("arxiv", "arxiv_id"), ("doi", "doi")) if row.get(key)]
    counts = [f"{each['citation_count']:,} citations {_whose(each)}" for each in row.get("counts", ())[-1:]]
    where = sorted({place["list"] for place in row.get("places", ()) if place["removed_at"] is None})
    yield from paragraph(as_text(row["title"]), indent="  ", first="", style=CYAN)
    facts = (people, row["venue"], row["year"], *names, *counts, *(f"in {name}" for name in where))
    yield from paragraph(" · ".join(str(fact) for fact in facts if fact), indent="  ", style=DIM)


def _unresolved(row: Row) -> Iterator[str]:
    yield from paragraph(as_text(row["title"] or row["text"]), indent="  ", first="", style=CYAN)
    status = row["status"].replace("_", " ")
    yield from paragraph(f"{status}: {row['list']}, line {row['line']}; {row['reason'] or ''}", indent="  ", style=DIM)

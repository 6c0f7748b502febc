"""Papers as CSL-JSON, which Zotero, pandoc and citeproc read: https://docs.citationstyles.org/en/stable/ .

Types and names of fields are those of https://resource.citationstyles.org/schema/v1.0/input/json/csl-data.json .
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sources.bibliography.venues import Kind, kind_of
from warehouse.export.facts import link, names, plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sources.bibliography.names import Name
    from warehouse.papers.citation_keys import BibliographyRow

_TYPES = {
    Kind.JOURNAL: "article-journal",
    Kind.CONFERENCE: "paper-conference",
    Kind.PREPRINT: "article",
}


def csl_json(papers: Iterable[BibliographyRow]) -> str:
    """Returns `papers`, rows of `papers` with their citation keys, as a JSON array of CSL items."""
    return json.dumps([_item(paper) for paper in papers], ensure_ascii=False, indent=1) + "\n"


def _item(paper: BibliographyRow) -> dict[str, Any]:
    kind = kind_of(paper["venue"])
    preprint = kind is Kind.PREPRINT
    values = {
        "id": paper["citation_key"],
        "citation-key": paper["citation_key"],
        "type": _TYPES[kind],
        "title": plain_text(paper["title"]),
        "author": [_name(name) for name in names(paper["authors"])],
        "issued": _date(paper),
        "container-title": "" if preprint else plain_text(paper["venue"] or ""),
        "publisher": _publisher(paper) if preprint else "",
        "genre": "preprint" if preprint else "",
        "number": f"arXiv:{paper['arxiv_id']}" if paper["arxiv_id"] else "",
        "DOI": plain_text(paper["doi"] or ""),
        "URL": link(paper) or "",
        "abstract": plain_text(paper["abstract"] or ""),
    }
    return {name: value for name, value in values.items() if value}


def _publisher(paper: BibliographyRow) -> str:
    return "arXiv" if paper["arxiv_id"] else plain_text(paper["venue"] or "")


def _name(name: Name) -> dict[str, str]:
    if name.literal:
        return {"literal": name.literal}
    parts = {
        "family": name.family,
        "given": name.given,
        "non-dropping-particle": name.particle,
        "suffix": name.suffix,
    }
    return {part: text for part, text in parts.items() if text}


def _date(paper: BibliographyRow) -> dict[str, list[list[int]]]:
    """Returns the year, or the day where that is of the same year: a preprint's day is not its journal's."""
    day, year = paper["published_on"], paper["year"]
    if year is None:
        return {"date-parts": [[day.year, day.month, day.day]]} if day else {}
    parts = [day.year, day.month, day.day] if day and day.year == year else [year]
    return {"date-parts": [parts]}

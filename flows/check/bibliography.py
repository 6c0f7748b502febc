"""Makes bibliography rows of the papers of one list, without a lake."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, cast

from flows.check.entries import known_entries
from sources.errors import UsageError
from sources.lists.locations import read_lists
from sources.lists.reading import parse_reading_list
from sources.text import counted, shown
from warehouse.papers.citation_keys import AS_LISTED, NotedRow, base_key
from warehouse.tables.declarations import PAPERS, PaperRow

if TYPE_CHECKING:
    from flows.progress import Reporter
    from flows.settings import Settings
    from sources.lists.checks.findings import CheckedEntry, PaperFacts
    from sources.records import Mention


# What is known of a paper beyond what a list may say, for its record.
_OF_PAPERS = ("citation_key", "published_on", "primary_category", "pages", "publication_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListBibliography:
    """The papers of a list."""

    rows: tuple[PaperRow, ...]  # a row for each paper, in the order of their citation keys
    left_out: tuple[str, ...] = ()  # the entries without a row, a line each
    unasked: tuple[str, ...] = ()  # what could not be asked, a sentence each


def list_bibliography(argument: str, settings: Settings, *, report: Reporter) -> ListBibliography:
    """Returns the papers that one list names, each once.

    Raises:
        UsageError: The list cannot be read, names no paper, or is several lists.
        WarehouseError: The lake cannot be read.
    """
    documents = read_lists([argument])
    if len(documents) != 1:
        raise UsageError(
            f"{shown(argument)} names {counted(len(documents), 'list')}; name one, or refresh a lake with them and"
            " export that"
        )
    parsed = parse_reading_list(documents[0].text)
    if not parsed.mentions:
        raise UsageError(f"no paper is named in {shown(argument)}; `paperlake parse` shows how a list is read")
    known = known_entries(documents, [parsed], settings, report=report)
    rows: dict[str, PaperRow] = {}
    left_out = []
    for entry in known.by_list[0]:
        row = _known_row(entry) or (_own_row(entry.mention) if settings.offline else None)
        if row is None:
            left_out.append(_reason(entry))
        else:
            rows.setdefault(row["paper_id"], row)
    keyed: dict[str, PaperRow] = {}
    for row in rows.values():
        key = row["citation_key"] or base_key(row)
        if key in keyed:  # the second gets a longer one
            key = f"{base_key(row)}-{row['paper_id'][1:6]}"
        keyed[key] = PaperRow(**{**row, "citation_key": key})
    return ListBibliography(
        rows=tuple(sorted(keyed.values(), key=lambda row: row["citation_key"] or "")),
        left_out=tuple(left_out),
        unasked=known.unasked,
    )


def _reason(entry: CheckedEntry) -> str:
    mention = entry.mention
    why = "could not be asked about" if entry.unasked else "no paper was found for it that is surely meant"
    return f"line {mention.line} is left out: {why}: {mention.title or mention.url}"


def _known_row(entry: CheckedEntry) -> PaperRow | None:
    paper = entry.paper
    if paper is None:
        return None
    s2_paper_id = next((item.value for item in paper.identifiers if item.scheme == "s2"), None)
    row = _row(paper, paper.paper_id, paper.title, s2_paper_id=s2_paper_id)
    of_paper = {name: getattr(paper, name) for name in _OF_PAPERS}
    return cast("PaperRow", row | of_paper | {"publications": [asdict(version) for version in paper.publications]})


def _own_row(mention: Mention) -> PaperRow | None:
    """Returns what the list itself says of a paper; None where that is not even its title."""
    if mention.title is None:
        return None
    words = f"{mention.title}\n{mention.arxiv_id}\n{mention.doi}"
    row = _row(mention, f"p{hashlib.sha256(words.encode()).hexdigest()[:12]}", mention.title)
    return NotedRow(**row, note=AS_LISTED)


def _row(facts: PaperFacts | Mention, paper_id: str, title: str, **more: str | None) -> PaperRow:
    columns = {name: getattr(facts, name) for name in ("year", "venue", "arxiv_id", "doi")}
    own = {"paper_id": paper_id, "title": title, "authors": list(facts.authors), **more}
    return cast("PaperRow", dict.fromkeys(PAPERS.names) | columns | own)

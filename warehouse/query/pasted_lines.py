"""Writes missing works as entries of a list, where the list is an unchanged local file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sources.bibliography.identifiers import named_identifiers
from sources.errors import PaperlakeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckdb import DuckDBPyConnection

    from sources.lists.checks.findings import PaperFacts

_LONGEST_LIST = 100_000  # characters beyond which reading a list takes longer than writing the page may
_ALL = "all"
_PLACES = """
    WITH linked AS (
        SELECT list_id, openalex_id, unnest(list_concat(citing_paper_ids, cited_paper_ids)) AS paper_id
        FROM missing_works
    ),
    counted AS (
        SELECT k.list_id, k.openalex_id, m.section, count(*) AS papers
        FROM linked AS k
        JOIN mentions AS m ON m.paper_id = k.paper_id AND m.removed_at IS NULL
            AND (m.list_id = k.list_id OR k.list_id = 'all')
        GROUP BY ALL
    )
    SELECT list_id, openalex_id, array_to_string(arg_max(section, (papers, section)), ' > ')
    FROM counted GROUP BY list_id, openalex_id
"""


def lines_to_paste(connection: DuckDBPyConnection, rows: Mapping[str, Any]) -> list[str | None]:
    """Returns the entry of each work of the table `missing_works` in its list's own form, None where there is none.

    Those of all lists together have the form of the only list, if there is but one.
    """
    lists = connection.execute("SELECT list_id, location, revision FROM reading_lists").fetchall()
    known = {list_id: (location, revision) for list_id, location, revision in lists}
    if len(lists) == 1:
        known[_ALL] = lists[0][1:]
    sections = {(name, work): section for name, work, section in connection.execute(_PLACES).fetchall()}
    lines: list[str | None] = [None] * len(rows["title"])
    for name in dict.fromkeys(rows["list_id"]):
        chosen = [at for at, list_id in enumerate(rows["list_id"]) if list_id == name]
        text = _text_of(*known[name]) if name in known else None
        if text is None:
            continue
        from sources.lists.edits.additions import shown_entries  # noqa: PLC0415 - the parser takes long to import

        papers = [(_facts(rows, at), sections.get((name, rows["openalex_id"][at])) or None) for at in chosen]
        for at, entry in zip(chosen, shown_entries(text, papers), strict=True):
            lines[at] = entry.words
    return lines


def _text_of(location: str, revision: str) -> str | None:
    """Returns a list's text, None where it is no local file, too long, or not as the lake has read it."""
    if not location.startswith("/"):
        return None
    from sources.lists.locations import read_lists  # noqa: PLC0415 - only local lists need it

    try:
        documents = read_lists([location])
    except (PaperlakeError, OSError, ValueError):
        return None
    same = [document.text for document in documents if document.revision == revision]
    return same[0] if len(same) == 1 and len(same[0]) <= _LONGEST_LIST else None


def _facts(rows: Mapping[str, Any], at: int) -> PaperFacts:
    from sources.lists.checks.findings import PaperFacts  # noqa: PLC0415 - only local lists need it

    arxiv_id, doi = rows["arxiv_id"][at], rows["doi"][at]
    return PaperFacts(
        paper_id=rows["openalex_id"][at],
        title=rows["title"][at],
        authors=tuple(rows["authors"][at]),
        year=rows["year"][at],
        venue=rows["venue"][at],
        arxiv_id=arxiv_id,
        doi=doi,
        identifiers=named_identifiers(arxiv_id, doi, None),
    )

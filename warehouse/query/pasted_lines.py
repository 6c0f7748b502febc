"""Writes missing works as entries of a list, where the list is an unchanged local file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sources.bibliography.identifiers import named_identifiers
from sources.errors import PaperlakeError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duckdb import DuckDBPyConnection

    from sources.lists.checks.findings import PaperFacts
    from sources.lists.locations import ListDocument

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
        if name not in known:
            continue
        location, revision = known[name]
        document = local_document(location)
        if document is None or document.revision != revision or len(document.text) > _LONGEST_LIST:
            continue  # no local file, not as the lake has read it, or too long
        from sources.lists.edits.additions import shown_entries  # noqa: PLC0415 - the parser takes long to import

        chosen = [at for at, list_id in enumerate(rows["list_id"]) if list_id == name]
        works = [{name: values[at] for name, values in rows.items()} for at in chosen]
        papers = [(facts_of(work), sections.get((name, work["openalex_id"])) or None) for work in works]
        for at, entry in zip(chosen, shown_entries(document.text, papers), strict=True):
            lines[at] = entry.words
    return lines


def local_document(location: str) -> ListDocument | None:
    """Returns a list in a local file as it is now, None of others, which are not read again."""
    from sources.lists.locations import read_lists  # noqa: PLC0415 - only local lists need it

    if not Path(location).is_absolute():
        return None
    try:
        (document,) = read_lists([location])
    except (PaperlakeError, OSError, ValueError):
        return None
    return document


def facts_of(row: Mapping[str, Any]) -> PaperFacts:
    """Returns what an entry needs to know of a missing work."""
    from sources.lists.checks.findings import PaperFacts  # noqa: PLC0415 - only local lists need it

    facts = {name: row[name] for name in ("title", "year", "venue", "arxiv_id", "doi")}
    identifiers = named_identifiers(row["arxiv_id"], row["doi"])
    return PaperFacts(paper_id=row["openalex_id"], authors=tuple(row["authors"]), identifiers=identifiers, **facts)

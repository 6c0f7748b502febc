"""Works that lists miss, with the entries whose citations say so, and the papers of which no citation is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flows.mcp.papers import rows_of
from sources.errors import UsageError
from warehouse.lake.migrations import has_table
from warehouse.query.citations import unknown_works

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from duckdb import DuckDBPyConnection

Row = dict[str, Any]
ALL = "all"
"""What the view `missing_papers` calls all lists together."""
_MOST_WITNESSES = 10
"""Entries that are told of each work, of those that cite it and of those that it cites."""

_MISSING = """
SELECT *, count(*) OVER () AS total FROM (
    SELECT m.list_id, m.list, m."rank", m.openalex_id, m.paper_id, m.title, m.authors, m.year, m.venue, m.doi,
        m.arxiv_id, m.citation_count, m.cited_by_listed, m.cites_listed, m.score, m.first_missing_at,
        m.citing_paper_ids, m.cited_paper_ids, 'openalex' AS source,
        coalesce(o.refreshed_at, w.refreshed_at) AS counted_at
    FROM missing_papers AS m
    LEFT JOIN outside_works AS o ON o.openalex_id = m.openalex_id
    LEFT JOIN openalex_works AS w ON w.paper_id = m.paper_id
    WHERE m.list_id IN (SELECT unnest($lists::VARCHAR[])) AND ($since IS NULL OR m.first_missing_at >= $since)
)
ORDER BY list_id, "rank"
LIMIT $most OFFSET $offset
"""
_WITNESSES = """
SELECT m.paper_id, l.location, m.line, p.title
FROM mentions AS m JOIN reading_lists AS l USING (list_id) JOIN papers AS p USING (paper_id)
WHERE m.removed_at IS NULL AND m.paper_id IN (SELECT unnest($ids::VARCHAR[]))
    AND ($lists = ['all'] OR m.list_id IN (SELECT unnest($lists::VARCHAR[])))
QUALIFY row_number() OVER (PARTITION BY m.paper_id ORDER BY l.location, m.line) = 1
"""
_UNKNOWN = """
WITH listed AS (
    SELECT DISTINCT paper_id FROM mentions
    WHERE removed_at IS NULL AND paper_id IS NOT NULL
        AND ($lists = ['all'] OR list_id IN (SELECT unnest($lists::VARCHAR[])))
)
SELECT 'references' AS what, 'openalex' AS source, count(*) AS papers, any_value(h.error) AS why
FROM listed ANTI JOIN paper_references AS r ON r.paper_id = listed.paper_id
LEFT JOIN harvests AS h ON h.paper_id = listed.paper_id AND h.source = 'openalex' HAVING count(*) > 0
UNION ALL
SELECT 'citing works', 'openalex', count(*), any_value(h.error)
FROM listed ANTI JOIN openalex_works AS w ON w.paper_id = listed.paper_id AND w.citation_count = 0
LEFT JOIN citing_harvests AS h ON h.paper_id = listed.paper_id
WHERE h.status IS DISTINCT FROM 'found' HAVING count(*) > 0
"""


def missing_works(
    connection: DuckDBPyConnection, list_ids: Sequence[str], since: datetime | None, *, most: int, offset: int
) -> tuple[list[Row], int, list[Row]]:
    """Returns works that the lists miss, best first, how many there are, and what of the citations is not known.

    Each has the entries that cite it (`cited_by`) and that it cites (`cites`), by place and title.

    Args:
        connection: The lake.
        list_ids: The lists, each for itself; `ALL` alone for all of them together.
        since: Only those that were first found missing since then.
        most: Works wanted.
        offset: Works to pass over.

    Raises:
        UsageError: The lake is of an earlier version, without citations.
    """
    if not has_table(connection, "missing_papers"):
        raise UsageError("an earlier version made this lake, without a citation graph: run `paperlake refresh` first")
    lists = {"lists": list(list_ids)}
    found = rows_of(connection, _MISSING, lists | {"since": since, "most": most, "offset": offset})
    ids = {paper for row in found for paper in [*(row["citing_paper_ids"] or ()), *(row["cited_paper_ids"] or ())]}
    witnesses = {row["paper_id"]: row for row in rows_of(connection, _WITNESSES, lists | {"ids": sorted(ids)})}
    total = int(found[0]["total"]) if found else 0
    unknown = rows_of(connection, _UNKNOWN, lists)
    works = unknown_works(connection, list_ids)
    if works["works"]:
        unknown.append({"what": "works", "source": "openalex", "works": works["works"], "why": works["error"]})
    return [_missing_record(row, witnesses) for row in found], total, unknown


def _missing_record(row: Row, witnesses: dict[str, Row]) -> Row:
    record = {name: value for name, value in row.items() if not name.endswith("paper_ids") and name != "total"}
    for name, ids in (("cited_by", row["citing_paper_ids"]), ("cites", row["cited_paper_ids"])):
        record[name] = [witnesses[paper] for paper in (ids or ())[:_MOST_WITNESSES] if paper in witnesses]
    return record

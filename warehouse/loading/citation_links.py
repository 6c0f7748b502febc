"""What the lake makes of citations: which works are its papers, which are versions of others, and what is missing."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sources.bibliography.names import compare_authors
from warehouse.loading.load import registration

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from duckdb import DuckDBPyConnection

Row = dict[str, Any]
_LINKED = frozenset({"paper_identifiers", "paper_references", "paper_citations", "outside_works"})
"""Tables whose rows say which work is which; a new paper has an identifier."""
_MISSING = _LINKED | {"mentions", "reading_lists", "openalex_works"}
"""Tables whose rows say what is missing."""
_YEARS_APART = 5
"""Years between two versions of a work; with one widespread name in common, more are two works."""


def link_citations(connection: DuckDBPyConnection, changed: Collection[str]) -> None:
    """Writes down which papers of the lake cited and citing works are, and which works outside are versions of others.

    Args:
        connection: An open transaction.
        changed: The tables in which it has changed something.
    """
    if _LINKED.isdisjoint(changed):
        return
    for table, side in (("paper_references", "cited"), ("paper_citations", "citing")):
        if _has_rows(connection, table):
            _link(connection, table, side)
    if _has_rows(connection, "outside_works"):
        _mark_versions(connection)


def note_missing(connection: DuckDBPyConnection, changed: Collection[str], at: datetime) -> None:
    """Writes down since when each work is missing from a list that was not missing there before.

    One that has become a paper of the lake, or a version of another, is missing since it was under its former name.

    Args:
        connection: An open transaction.
        changed: The tables in which it has changed something.
        at: The instant of the run.
    """
    if _MISSING.isdisjoint(changed):
        return
    if any(_has_rows(connection, table) for table in ("paper_references", "paper_citations")):
        connection.execute(
            "INSERT INTO missing_since SELECT list_id, work, coalesce(since, ?) FROM missing_papers "
            f"LEFT JOIN ({_FORMER}) AS former USING (list_id, work) "
            "WHERE (list_id, work) NOT IN (SELECT (list_id, work) FROM missing_since)",
            [at],
        )


_FORMER = """
    SELECT m.list_id, coalesce(o.version_of, p.merged_into) AS work, min(m.first_missing_at) AS since
    FROM missing_since AS m
    LEFT JOIN outside_works AS o ON o.openalex_id = m.work
    LEFT JOIN papers AS p ON p.paper_id = m.work
    GROUP BY ALL
"""
"""List and work that were missing under another name -> since when."""


def _has_rows(connection: DuckDBPyConnection, table: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None


def _link(connection: DuckDBPyConnection, table: str, side: str) -> None:
    """Writes down which papers of the lake the works on one side of a table are, where that is not as it stands."""
    connection.execute(
        f"UPDATE {table} SET {side}_paper_id = now_id FROM ("
        f"SELECT r.paper_id AS other, r.{side}_openalex_id AS work, coalesce(p.merged_into, p.paper_id) AS now_id "
        f"FROM {table} AS r LEFT JOIN paper_identifiers AS i "
        f"ON i.scheme = 'openalex' AND i.value = r.{side}_openalex_id LEFT JOIN papers AS p ON p.paper_id = i.paper_id "
        f"WHERE r.{side}_paper_id IS DISTINCT FROM now_id) AS news "
        f"WHERE paper_id = other AND {side}_openalex_id = work"
    )


_NAMESAKES = """
    WITH known AS (
        SELECT title_key, openalex_id AS work, authors, year, false AS is_paper, coalesce(citation_count, 0) AS cited
        FROM outside_works WHERE title_key <> ''
        UNION ALL
        SELECT title_keys[1], paper_id, authors, year, true, 0 FROM papers
        WHERE merged_into IS NULL AND title_keys[1] IN (SELECT title_key FROM outside_works)
    )
    FROM known QUALIFY count(*) OVER (PARTITION BY title_key) > 1
    ORDER BY title_key, is_paper DESC, cited DESC, work
"""
_NAMED = """
    SELECT o.work, min(coalesce(p.merged_into, p.paper_id)) AS version_of
    FROM (  -- not one join by three conditions, which compares every work with every identifier
        SELECT openalex_id AS work, 'openalex' AS scheme, openalex_id AS value FROM outside_works
        UNION ALL SELECT openalex_id, 'doi', doi FROM outside_works WHERE doi IS NOT NULL
        UNION ALL SELECT openalex_id, 'arxiv', arxiv_id FROM outside_works WHERE arxiv_id IS NOT NULL
    ) AS o
    JOIN paper_identifiers AS i ON i.scheme = o.scheme AND i.value = o.value
    JOIN papers AS p ON p.paper_id = i.paper_id
    GROUP BY o.work
"""


def _mark_versions(connection: DuckDBPyConnection) -> None:
    """Writes down which works outside are other versions of papers, or of each other."""
    versions = _by_title(connection.execute(_NAMESAKES).to_arrow_table().to_pylist())
    named = connection.execute(_NAMED).to_arrow_table().to_pylist()
    versions |= {row["work"]: row["version_of"] for row in named}
    pairs = pa.table({"work": pa.array(versions, pa.string()), "main": pa.array(versions.values(), pa.string())})
    with registration(connection, "paperlake_versions", pairs):
        connection.execute(
            "UPDATE outside_works AS o SET version_of = news.main FROM (SELECT openalex_id, v.main FROM outside_works "
            "LEFT JOIN paperlake_versions AS v ON v.work = openalex_id WHERE version_of IS DISTINCT FROM v.main"
            ") AS news WHERE o.openalex_id = news.openalex_id"
        )


def _by_title(rows: Iterable[Row]) -> dict[str, str]:
    """Returns the works of one title and of the same people as another: work -> that one.

    Args:
        rows: Works in groups of one title, papers of the lake first, then the most cited.
    """
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    versions: dict[str, str] = {}
    for row in rows:
        own = groups[row["title_key"]]
        main = next((other for other in own if not row["is_paper"] and _are_versions(row, other)), None)
        if main is None:
            own.append(row)
        else:
            versions[row["work"]] = main["work"]
    return versions


def _are_versions(row: Row, other: Row) -> bool:
    agreement = compare_authors(row["authors"], other["authors"]).agreement
    apart = abs((row["year"] or 0) - (other["year"] or 0)) if row["year"] and other["year"] else 0
    return agreement == "agree" or (agreement == "weak" and apart <= _YEARS_APART)

"""What to read next of a list: its unread papers, those first that it builds on, near what was read, new, or cited."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from sources.text import counted
from warehouse.query.output import rows_of

Row = dict[str, Any]

# How an entry says that it was read, or that it was not: a box before it, or a field with a day or a word.
_BEFORE = r"\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})\s+)?"
_FIELD = r"(?:^|[|(\[,;.—–·])[\s>*_+-]*read[*_]*\s*:{1,2}[\s*_]*"
MARKS = {
    "read": rf"(?im)\A{_BEFORE}\[x\]\s|\|\s*\[x\]\s*\||{_FIELD}(?:\d{{4}}\b|(?:yes|true|done|x)\b|[✓✔✅])",
    "unread": rf"(?im)\A{_BEFORE}\[ \]\s|\|\s*\[ \]\s*\||{_FIELD}(?:no|false|todo|later|not yet)\b",
}

_MARKED = """
    WITH entries AS (
        SELECT paper_id, list_id, line, section, CASE WHEN struck THEN 'struck out'
            WHEN regexp_matches(text, $read) THEN 'read' WHEN regexp_matches(text, $unread) THEN 'unread' END AS mark
        FROM mentions
        WHERE removed_at IS NULL AND paper_id IS NOT NULL AND (list_id = $list_id OR $list_id = 'all')
    )
    SELECT e.paper_id, arg_min(l.location, (e.list_id, line)) AS list, arg_min(line, (e.list_id, line)) AS line,
        arg_min(section, (e.list_id, line)) AS section, bool_or(mark IN ('read', 'struck out')) IS TRUE AS is_read,
        bool_or(mark = 'unread') IS TRUE AS is_marked_unread,
        coalesce(any_value(p.retracted), false) OR coalesce(any_value(p.withdrawn), false) AS is_gone
    FROM entries AS e JOIN reading_lists AS l USING (list_id) JOIN papers AS p USING (paper_id)
    GROUP BY e.paper_id
"""
_STATES = """
    SELECT count(*) FILTER (is_read) AS marked_read,
        count(*) FILTER (is_marked_unread AND NOT is_read) AS marked_unread,
        count(*) FILTER (is_gone AND NOT is_read) AS retracted_or_withdrawn,
        count(*) FILTER (NOT is_read AND NOT is_gone) AS to_read
    FROM marked
"""
_NEXT = """
    WITH inward AS (
        SELECT cited_paper_id AS paper_id, count(*) AS cited_by, count(*) FILTER (m.is_read) AS cited_by_read
        FROM citations_within JOIN marked AS m ON m.paper_id = citing_paper_id
        WHERE $list_id = 'all' OR list_contains(list_ids, $list_id) GROUP BY cited_paper_id
    ),
    outward AS (
        SELECT citing_paper_id AS paper_id, count(*) FILTER (m.is_read) AS cites_read,
            count(*) FILTER (NOT m.is_read AND NOT m.is_gone) AS cites_unread
        FROM citations_within JOIN marked AS m ON m.paper_id = cited_paper_id
        WHERE $list_id = 'all' OR list_contains(list_ids, $list_id) GROUP BY citing_paper_id
    ),
    known AS (
        SELECT m.*, p.title, p.authors, p.year, p.arxiv_id, p.doi,
            coalesce(i.cited_by, 0) AS cited_by, coalesce(i.cited_by_read, 0) AS cited_by_read,
            coalesce(o.cites_read, 0) AS cites_read, coalesce(o.cites_unread, 0) AS cites_unread,
            y.counted_year, y.cited AS cited_in_year, round(r.gained_per_week, 1) AS gained_per_week
        FROM marked AS m JOIN papers AS p USING (paper_id)
        LEFT JOIN inward AS i USING (paper_id)
        LEFT JOIN outward AS o USING (paper_id)
        LEFT JOIN rising_by_year AS y USING (paper_id)
        LEFT JOIN rising AS r USING (paper_id)
    ),
    judged AS (
        SELECT *,
            ln(1 + cited_by) / ln(1 + greatest(1, max(cited_by) OVER ())) AS of_links,
            least(1, (cited_by_read + cites_read) / 3) AS of_what_was_read,
            coalesce(pow(0.5, (max(year) OVER () - year) / 5), 0) AS of_recency,
            -- each kind of count in an order of its own: two sources are never compared
            coalesce(
                CASE WHEN cited_in_year > 0 THEN percent_rank() OVER (ORDER BY cited_in_year NULLS FIRST) END,
                CASE WHEN gained_per_week > 0 THEN percent_rank() OVER (ORDER BY gained_per_week NULLS FIRST) END, 0
            ) AS of_growth
        FROM known
    )
    SELECT row_number() OVER best AS "rank",
        * EXCLUDE (is_read, is_gone, of_links, of_what_was_read, of_recency, of_growth),
        round(of_links + (of_what_was_read + of_recency + of_growth) / 2, 3) AS score
    FROM judged
    WHERE NOT is_read AND NOT is_gone
    WINDOW best AS (ORDER BY round(of_links + (of_what_was_read + of_recency + of_growth) / 2, 3) DESC, list, line)
    ORDER BY "rank" LIMIT $most OFFSET $offset
"""


def next_of(
    connection: DuckDBPyConnection, list_id: str, *, limit: int, offset: int = 0
) -> tuple[list[Row], dict[str, int]]:
    """Returns the unread papers of a list, or of `all`, what to read first before, and how many have which mark.

    `score` adds what the list builds on (1), and, by half as much each: links to what was read, how new the paper is,
    and its citations in the last full year or a week, as a place among the list's papers. `because` says it in words.
    """
    connection.execute(f"CREATE OR REPLACE TEMP TABLE marked AS {_MARKED}", MARKS | {"list_id": list_id})
    states = rows_of(connection, _STATES, {})[0]
    rows = rows_of(connection, _NEXT, {"list_id": list_id, "most": limit, "offset": offset})
    return [row | {"because": _reason(row)} for row in rows], states


def _reason(row: Row) -> str:
    """Returns why a paper comes where it does, in one sentence that says only what is known."""
    reasons = []
    if row["cited_by"]:
        verb = "cites" if row["cited_by"] == 1 else "cite"
        read = f", {row['cited_by_read']} of which you have read" if row["cited_by_read"] else ""
        reasons.append(f"{counted(row['cited_by'], 'paper')} of the list {verb} it{read}")
    if row["cites_read"]:
        reasons.append(f"it cites {row['cites_read']} that you have read")
    if row["cites_unread"]:
        reasons.append(f"it builds on {row['cites_unread']} that you have not read")
    if not reasons:
        reasons.append("no citation between it and the list is known")
    if row["year"]:
        reasons.append(f"it is of {row['year']}")
    if row["cited_in_year"] is not None:
        reasons.append(f"{counted(row['cited_in_year'], 'citation')} in {row['counted_year']}")
    if row["gained_per_week"] is not None:
        reasons.append(f"{row['gained_per_week']:g} citations more a week")
    sentence = "; ".join(reasons)
    return f"{sentence[0].upper()}{sentence[1:]}."

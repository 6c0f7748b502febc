"""Changes of the lake since an instant: added and removed mentions, jumps of counts, merged records.

New and removed things are told by their own instants; a published version that a new paper came with is no change, nor
is one that another source told of before. What a list misses is told once a list and work, of those that it misses
most. Jumps of counts are found in the observations that the lake did not have then: those of a mirror are dated as
the mirror is, before the run that reads them. What a source's recount added or took away (the view `recounts`) is no
part of a jump.
What a paper was before is read from the snapshot of that time
(https://ducklake.select/docs/stable/duckdb/usage/time_travel), or from the oldest one where that is gone.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sources.services.registry import counters
from warehouse.lake.session import NAME, open_lake

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import pyarrow as pa
    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump:
    """What counts as a jump: both of the two."""

    citations: int = 10  # so many citations gained
    share: float = 0.1  # so large a gain beside the count before; 0.1 is a tenth as many again


_THEN = """
    SELECT coalesce(max(snapshot_id) FILTER (WHERE snapshot_time <= $since), min(snapshot_id)) AS version
    FROM {lake}.snapshots() WHERE schema_version > 0
"""

_LISTED = """
    SELECT m.paper_id, string_agg(DISTINCT l.list, ', ') AS lists
    FROM mentions m JOIN list_names l USING (list_id)
    WHERE m.removed_at IS NULL GROUP BY m.paper_id
"""

# What is true of counts but those of the view `counts_ahead`, which a wrong clock has dated.
IS_BELIEVED = "observed_at <= now() + INTERVAL 1 DAY"

_QUERIES = {
    "papers_new": """
        SELECT p.paper_id, p.title, p.year, p.arxiv_id, p.doi, p.citation_count, named.lists, p.first_seen_at
        FROM papers p LEFT JOIN ({listed}) AS named USING (paper_id)
        WHERE p.first_seen_at >= $since AND p.merged_into IS NULL
        ORDER BY p.citation_count DESC NULLS LAST, p.title
    """,
    "mentions_new": """
        SELECT m.mention_id, m.paper_id, coalesce(m.title, m.url, m.text) AS mention,
            l.list, m.line, m.status, m.first_seen_at
        FROM mentions m JOIN list_names l USING (list_id)
        WHERE m.first_seen_at >= $since AND m.removed_at IS NULL
        ORDER BY list, m.line
    """,
    "mentions_removed": """
        SELECT m.mention_id, m.paper_id, coalesce(m.title, m.url, m.text) AS mention,
            l.list, m.status, m.removed_at
        FROM mentions m JOIN list_names l USING (list_id)
        WHERE m.removed_at >= $since
        ORDER BY list, m.line
    """,
    "jumped": """
        WITH known AS MATERIALIZED (
            SELECT paper_id, source, observed_at, citation_count
            FROM citation_counts AT (VERSION => {version})
            WHERE observed_at < $since AND citation_count IS NOT NULL
        ), earlier AS (
            SELECT paper_id, source, max_by(citation_count, observed_at) AS last_before, max(observed_at) AS last_at
            FROM known GROUP BY paper_id, source
        ), seen AS (
            SELECT paper_id, source, min_by(citation_count, observed_at) FILTER (observed_at >= $since) AS first_in,
                min(observed_at) FILTER (observed_at >= $since) AS first_at,
                max_by(citation_count, observed_at) AS after, max(observed_at) AS observed_at
            FROM {counts} ANTI JOIN known USING (paper_id, source, observed_at)
            WHERE citation_count IS NOT NULL AND observed_at < $until AND observed_at <= now() + INTERVAL 1 DAY
                AND source IN (SELECT unnest($sources::VARCHAR[]))
            GROUP BY paper_id, source
            QUALIFY row_number() OVER (PARTITION BY paper_id ORDER BY source <> 's2', source) = 1
        ), corrected AS (
            SELECT seen.paper_id, seen.source, sum(step.citation_count - step.count_before) AS added
            FROM seen LEFT JOIN earlier USING (paper_id, source) JOIN recounts AS step USING (paper_id, source)
            WHERE step.observed_at > coalesce(earlier.last_at, seen.first_at)
                AND step.observed_at <= seen.observed_at
            GROUP BY seen.paper_id, seen.source
        )
        SELECT p.paper_id, p.title, coalesce(earlier.last_before, seen.first_in) AS before, seen.after,
            coalesce(corrected.added, 0)::BIGINT AS recounted, after - before - recounted AS gained, seen.source,
            seen.observed_at
        FROM seen LEFT JOIN earlier USING (paper_id, source) LEFT JOIN corrected USING (paper_id, source)
        JOIN papers p USING (paper_id)
        WHERE p.merged_into IS NULL AND gained > 0
            AND (earlier.last_at IS NULL OR earlier.last_at < seen.observed_at)
            AND gained >= $citations AND gained >= $share * before
        ORDER BY gained DESC, p.title
    """,
    "withdrawn": """
        SELECT p.paper_id, p.title, p.arxiv_id, p.arxiv_version, p.refreshed_at
        FROM papers p LEFT JOIN (FROM {lake}.papers AT (VERSION => {version})) AS old USING (paper_id)
        WHERE p.withdrawn AND p.merged_into IS NULL AND p.refreshed_at >= $since AND old.withdrawn IS NOT TRUE
        ORDER BY p.title
    """,
    "retracted": """
        SELECT p.paper_id, p.title, p.doi, r.retracted_on, r.reasons, r.notice_doi, r.source, named.lists,
            r.first_seen_at
        FROM retractions r JOIN papers p USING (paper_id) LEFT JOIN ({listed}) AS named USING (paper_id)
        WHERE r.retracted AND p.retracted AND p.merged_into IS NULL
        QUALIFY min(r.first_seen_at) OVER (PARTITION BY p.paper_id) >= $since
            AND row_number() OVER (PARTITION BY p.paper_id ORDER BY r.source <> 'retraction-watch', r.source) = 1
        ORDER BY p.title
    """,
    "published": """
        SELECT p.paper_id, v.record, p.title,
            concat_ws(' ', coalesce(v.venue, v.doi), CASE WHEN v.source <> 'arxiv' THEN v.year END) AS published_as,
            p.arxiv_id, v.kind, v.year, v.doi, v.source, named.lists, v.first_seen_at
        FROM (
            SELECT *, min(first_seen_at) OVER (PARTITION BY paper_id, doi) AS doi_since,
                min(first_seen_at) OVER (PARTITION BY paper_id, kind, year) AS kind_since
            FROM published_versions
        ) AS v
        JOIN papers p USING (paper_id) LEFT JOIN ({listed}) AS named USING (paper_id)
        WHERE v.first_seen_at >= $since AND v.first_seen_at > p.first_seen_at AND v.gone_at IS NULL
            AND p.merged_into IS NULL AND (v.doi IS NULL OR v.first_seen_at = v.doi_since)
            AND (v.kind IS NULL OR v.year IS NULL OR v.first_seen_at = v.kind_since)
        ORDER BY p.title, v.year, v.source, v.record
    """,
    "missing": """
        SELECT list_id, work, openalex_id, paper_id, title, list, year, arxiv_id, doi, cited_by_listed, cites_listed,
            citation_count, score, first_missing_at
        FROM missing_papers
        WHERE first_missing_at >= $since AND list_id <> 'all' AND "rank" <= 20
        ORDER BY list, "rank"
    """,
    "merged": """
        SELECT now.title, old.s2_paper_id AS s2_paper_id_before, now.s2_paper_id,
            CASE WHEN old.paper_id <> now.paper_id THEN old.paper_id END AS paper_id_before, now.paper_id
        FROM (FROM {lake}.papers AT (VERSION => {version})) AS old
        JOIN papers AS own ON own.paper_id = old.paper_id
        JOIN papers AS now ON now.paper_id = coalesce(own.merged_into, own.paper_id)
        WHERE old.merged_into IS NULL
            AND (own.merged_into IS NOT NULL OR old.s2_paper_id <> now.s2_paper_id)
        ORDER BY now.title
    """,
}


_COUNTERS = counters()
# Columns of `changes_in` that say which thing changed, and tell people nothing.
_UNSHOWN = ("mention_id", "paper_id", "record", "list_id", "work", "openalex_id")


def changes_since(place: LakePlace, since: datetime, *, jump: Jump) -> dict[str, pa.Table]:
    """Returns kind -> rows, for each of `_QUERIES`; a kind without a change has no rows."""
    with closing(open_lake(place)) as connection:
        return shown_changes(changes_in(connection, since, jump=jump))


def shown_changes(found: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """Returns the changes without the columns that tell people nothing."""
    return {
        kind: rows if kind == "merged" else rows.drop_columns([name for name in _UNSHOWN if name in rows.column_names])
        for kind, rows in found.items()
    }


def changes_in(
    connection: DuckDBPyConnection,
    since: datetime,
    *,
    jump: Jump,
    until: datetime | None = None,
    kinds: Collection[str] = tuple(_QUERIES),
    sources: Sequence[str] = _COUNTERS,
) -> dict[str, pa.Table]:
    """Returns what `changes_since` does, of an open lake; rows also have `mention_id` and `paper_id` of what changed.

    Jumps are of the counts of `sources`, and of what the lake knew at `until`, None for all that it knows; the other
    kinds tell their own instants.
    """
    counts = "citation_counts"
    if until is not None:
        counts += f" AT (VERSION => {_version_of(connection, until)})"
    version = _version_of(connection, since)
    parameters = {
        "since": since,
        "until": until or datetime.max.replace(tzinfo=UTC),
        "sources": list(sources),
        "citations": jump.citations,
        "share": jump.share,
    }
    return {
        kind: _rows(connection, sql.format(lake=NAME, version=version, counts=counts, listed=_LISTED), parameters)
        for kind, sql in _QUERIES.items()
        if kind in kinds
    }


def _version_of(connection: DuckDBPyConnection, since: datetime) -> int:
    row = connection.execute(_THEN.format(lake=NAME), {"since": since}).fetchone()
    return int(row[0]) if row else 0


def _rows(connection: DuckDBPyConnection, sql: str, parameters: dict[str, object]) -> pa.Table:
    named = {name: value for name, value in parameters.items() if f"${name}" in sql}
    return connection.execute(sql, named).to_arrow_table()

"""Writes the results of a run into the lake: one transaction, checked before it commits, one snapshot."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pyarrow as pa
from duckdb import DuckDBPyConnection

from sources.bibliography.identifiers import Identifier
from sources.bibliography.names import compare_authors
from warehouse.lake.session import latest_snapshot, rows_of, transaction, use_all_threads
from warehouse.loading.checks import check, refuse_drift
from warehouse.loading.load import (
    append,
    changed_by,
    delete_others,
    incoming,
    put,
    registration,
    replace_where,
    stored_rows,
    temporary,
    upsert,
)
from warehouse.tables import declarations as tables
from warehouse.tables.schema import text_table

# What the lake makes of citations: which works are its papers, which are versions of others, and what is missing.


Row = dict[str, Any]
# Tables whose rows say which work is which; a new paper has an identifier.
_LINKED = frozenset({"paper_identifiers", "paper_references", "paper_citations", "outside_works"})
_MISSING = _LINKED | {"mentions", "reading_lists", "openalex_works"}  # tables whose rows say what is missing
_YEARS_APART = 5  # years between two versions of a work; with one widespread name in common, more are two works


def link_citations(connection: DuckDBPyConnection, changed: Collection[str]) -> None:
    """Writes down which papers of the lake cited and citing works are, and which works outside are versions of others.

    To be called in a transaction, with the tables in which it has changed something.
    """
    if _LINKED.isdisjoint(changed):
        return
    for table, side in (("paper_references", "cited"), ("paper_citations", "citing")):
        if _has_rows(connection, table):
            _link(connection, table, side)
    if _has_rows(connection, "outside_works"):
        versions = _by_title(rows_of(connection, _NAMESAKES)) | dict(connection.execute(_NAMED).fetchall())
        with registration(connection, "paperlake_versions", text_table(versions.items(), "work", "main")):
            connection.execute(
                "UPDATE outside_works AS o SET version_of = news.main FROM (SELECT openalex_id, v.main "
                "FROM outside_works LEFT JOIN paperlake_versions AS v ON v.work = openalex_id "
                "WHERE version_of IS DISTINCT FROM v.main) AS news WHERE o.openalex_id = news.openalex_id"
            )


def note_missing(connection: DuckDBPyConnection, changed: Collection[str], at: datetime) -> None:
    """Writes down since when each work is missing from a list that was not missing there before.

    One that has become a paper of the lake, or a version of another, is missing since it was under its former name.

    To be called in a transaction, with the tables in which it has changed something.
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


# List and work that were missing under another name -> since when.
_FORMER = """
    SELECT m.list_id, coalesce(o.version_of, p.merged_into) AS work, min(m.first_missing_at) AS since
    FROM missing_since AS m
    LEFT JOIN outside_works AS o ON o.openalex_id = m.work
    LEFT JOIN papers AS p ON p.paper_id = m.work
    GROUP BY ALL
"""


def _has_rows(connection: DuckDBPyConnection, table: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() is not None


def _link(connection: DuckDBPyConnection, table: str, side: str) -> None:
    """Updates which papers of the lake the works on one side of a table are."""
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


def _by_title(rows: Iterable[Row]) -> dict[str, str]:
    """Returns the works of one title and of the same people as another: work -> that one.

    Of one title, papers of the lake come first, then the most cited.
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


# Up to so many changed rows of a table, only these are checked; with more, checking the whole table is as fast. Up to
# so many in all, one thread writes them.
_FEW = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """Everything that a run wants to write, as rows of the tables: Python objects, or Arrow tables for bulk."""

    reading_lists: Sequence[tables.ReadingListRow] = ()
    mentions: Sequence[tables.MentionRow] = ()
    weighed: Sequence[str] = ()  # mentions that got a verdict; their candidates and findings in the lake are replaced
    reviewed: Sequence[str] = ()  # other mentions whose findings in the lake are replaced
    candidates: Sequence[tables.CandidateRow] = ()
    findings: Sequence[tables.FindingRow] = ()
    papers: Sequence[tables.PaperRow] = ()
    paper_identifiers: Sequence[tables.PaperIdentifierRow] = ()
    citation_counts: Sequence[tables.CitationCountRow] = ()
    # observations that differ now that their reply was read again; they replace the stored ones
    corrected_counts: Sequence[tables.CitationCountRow] = ()
    harvests: Sequence[tables.HarvestRow] = ()
    openalex_works: Sequence[tables.OpenalexWorkRow] = ()
    # all of each paper in `openalex_works`: other years are deleted
    citations_by_year: Sequence[tables.CitationsByYearRow] = ()
    # all of a paper or none, as of authors: the others are deleted
    paper_references: Sequence[tables.PaperReferenceRow] = ()
    paper_authors: Sequence[tables.PaperAuthorRow] = ()
    paper_citations: Sequence[tables.PaperCitationRow] = ()
    citing_harvests: Sequence[tables.CitingHarvestRow] = ()
    outside_works: Sequence[tables.OutsideWorkRow] = ()
    replies: Sequence[tables.ReplyRow] = ()
    retractions: Sequence[tables.RetractionRow] = ()
    published_versions: Sequence[tables.PublishedVersionRow] = ()
    # papers that turned out to be another one: paper_id -> the other
    merged: Mapping[str, str] = field(default_factory=dict)
    # lists that have a new identifier: former -> present
    renamed_lists: Mapping[str, str] = field(default_factory=dict)
    retired: Sequence[Identifier] = ()  # identifiers that no paper has any more


def load(connection: DuckDBPyConnection, harvest: Harvest, run: tables.RunRow, *, force: bool = False) -> int:
    """Writes `harvest` and the run's row, and returns the snapshot that they are; `force` lets it lose much.

    Raises:
        SchemaMismatch: A row does not fit its table; nothing is written.
        CheckFailed: The lake would not be sound afterwards, or would lose much of what it had; nothing is written.
    """
    note = {name: value for name, value in run.items() if isinstance(value, int | str)} | {"forced": force}
    batches = {table.name: table.batch(getattr(harvest, table.name)) for table in _WRITTEN}
    batches["runs"] = tables.RUNS.batch([run])
    if sum(batch.num_rows for batch in batches.values()) > _FEW:
        use_all_threads(connection)
    with transaction(connection, message=f"refresh {run['run_id']}", extra=json.dumps(note)):
        changed = _write(connection, harvest, batches, at=run["started_at"], force=force)
        unbatched = _MERGED if harvest.merged else frozenset()  # merges change rows that are in no batch
        unbatched |= {"citation_counts"} if len(harvest.corrected_counts) else set()
        with _changed_rows(connection, {name: batches[name] for name in changed if name not in unbatched}) as touched:
            check(connection, {*changed, *unbatched}, touched=touched)
    return latest_snapshot(connection)


def forget_lists(connection: DuckDBPyConnection, list_ids: Sequence[str]) -> int:
    """Deletes lists and their mentions, with candidates and findings, and returns how many mentions the lists had.

    This is one snapshot, so that `--as-of` shows the lake as it was. Papers, their counts and replies stay.

    Raises:
        CheckFailed: The lake would not be sound afterwards; nothing is deleted.
    """
    ids = [list(list_ids)]
    mentions = "mention_id IN (SELECT mention_id FROM mentions WHERE list_id IN (SELECT unnest(?::VARCHAR[])))"
    listed = "list_id IN (SELECT unnest(?::VARCHAR[]))"
    with transaction(connection, message="forget lists", extra=json.dumps({"lists": len(list_ids)})):
        row = connection.execute(f"SELECT count(*) FROM mentions WHERE removed_at IS NULL AND {listed}", ids).fetchone()
        for table, chosen in (
            (tables.CANDIDATES, mentions),
            (tables.FINDINGS, mentions),
            (tables.MENTIONS, listed),
            (tables.MISSING_SINCE, listed),
            (tables.READING_LISTS, listed),
        ):
            connection.execute(f'DELETE FROM "{table.name}" WHERE {chosen}', ids)
        check(connection, {"candidates", "findings", "mentions", "reading_lists"})
    return int(row[0]) if row else 0


def enter_history(
    connection: DuckDBPyConnection, lists: Sequence[tables.ReadingListRow], mentions: Sequence[tables.MentionRow]
) -> None:
    """Writes rows of lists and mentions as their own history dates them; this is one snapshot, and no run.

    Raises:
        CheckFailed: The lake would not be sound afterwards; nothing is written.
    """
    note = json.dumps({"lists": len(lists), "mentions": len(mentions)})
    with transaction(connection, message="history of lists", extra=note):
        upsert(connection, tables.READING_LISTS, lists)
        upsert(connection, tables.MENTIONS, mentions)
        check(connection, {"mentions", "reading_lists"})


# Tables whose rows go to the paper that stays when papers are merged.
_OF_PAPERS = (tables.RETRACTIONS, tables.PUBLISHED_VERSIONS, tables.PAPER_CITATIONS, tables.CITING_HARVESTS)
_UPSERTED = (
    *(tables.READING_LISTS, tables.PAPERS, tables.PAPER_IDENTIFIERS, tables.HARVESTS, tables.MENTIONS),
    *_OF_PAPERS,
    *tables.WORK_TABLES,
    tables.OUTSIDE_WORKS,
)
_APPENDED = (tables.CITATION_COUNTS, tables.REPLIES)
_REPLACED = (tables.CANDIDATES, tables.FINDINGS)
# Tables of which a run has all rows of a paper or none, and the table whose rows say of which papers.
_WHOLE = {
    tables.PAPER_REFERENCES: tables.PAPER_REFERENCES,
    tables.PAPER_AUTHORS: tables.PAPER_AUTHORS,
    tables.CITATIONS_BY_YEAR: tables.OPENALEX_WORKS,
}
_MERGED = frozenset({"mentions", "papers", *(table.name for table in (*_OF_PAPERS, *tables.WORK_TABLES))})
_WRITTEN = (*_UPSERTED, *_APPENDED, *_REPLACED)


def _write(
    connection: DuckDBPyConnection, harvest: Harvest, batches: Mapping[str, pa.Table], *, at: datetime, force: bool
) -> Collection[str]:
    """Writes the batches and the merges, and returns the names of the tables in which something changed."""
    if harvest.renamed_lists:  # before rows are compared with those in the lake
        pairs = text_table(harvest.renamed_lists.items(), "former", "now_id")
        with registration(connection, "paperlake_renamed", pairs):
            for name in ("reading_lists", "mentions", "missing_since"):
                connection.execute(f"UPDATE {name} SET list_id = now_id FROM paperlake_renamed WHERE list_id = former")
    with ExitStack() as stack:
        for table in _UPSERTED:
            stack.enter_context(incoming(connection, table, batches[table.name]))
        if not force:
            refuse_drift(connection)
        given = {name for name, batch in batches.items() if batch.num_rows}
        written = Counter(
            {table.name: delete_others(connection, table, of) for table, of in _WHOLE.items() if of.name in given}
        )
        written.update({table.name: put(connection, table) for table in _UPSERTED if table.name in given})
    written.update({item.name: append(connection, item, batches[item.name]) for item in (*_APPENDED, tables.RUNS)})
    if len(harvest.corrected_counts):
        written["citation_counts"] += upsert(connection, tables.CITATION_COUNTS, harvest.corrected_counts)
    if harvest.merged:
        _merge(connection, harvest.merged)
    if harvest.retired:
        retired = text_table([(item.scheme, item.value) for item in harvest.retired], "scheme", "value")
        with registration(connection, "paperlake_retired", retired):
            pairs = "(scheme, value) IN (SELECT (scheme, value) FROM paperlake_retired)"
            written["paper_identifiers"] += changed_by(connection, f"DELETE FROM paper_identifiers WHERE {pairs}")
    changed = {name for name, number in written.items() if number} | (_MERGED if harvest.merged else set())
    link_citations(connection, changed)
    for table, mentions in ((tables.CANDIDATES, ()), (tables.FINDINGS, harvest.reviewed)):
        chosen = [*harvest.weighed, *mentions]
        written[table.name] = replace_where(connection, table, "mention_id", chosen, batches[table.name])
    note_missing(connection, changed, at)
    return [name for name, number in written.items() if number]


def _merge(connection: DuckDBPyConnection, merged: Mapping[str, str]) -> None:
    """Points mentions of merged papers, and papers merged earlier, to the paper that stays.

    Each merged paper leads straight to the one that stays, so that queries need not follow a chain.
    """
    with registration(connection, "paperlake_merged", text_table(merged.items(), "loser", "winner")):
        for name, column in (("mentions", "paper_id"), ("papers", "merged_into"), ("outside_works", "version_of")):
            connection.execute(f"UPDATE {name} SET {column} = winner FROM paperlake_merged WHERE {column} = loser")
        for table in _OF_PAPERS:  # of what several have, that of the paper that stays does too, else one
            same = " AND ".join(f'w."{name}" = t."{name}"' for name in table.key if name != "paper_id")
            connection.execute(
                f"DELETE FROM {table.name} AS t USING paperlake_merged AS m WHERE t.paper_id = m.loser AND EXISTS ("
                f"FROM {table.name} AS w LEFT JOIN paperlake_merged AS n ON n.loser = w.paper_id WHERE {same} AND "
                "(w.paper_id = m.winner OR (n.winner = m.winner AND w.paper_id < t.paper_id)))"
            )
            connection.execute(
                f"UPDATE {table.name} SET paper_id = winner FROM paperlake_merged WHERE paper_id = loser"
            )
        for table in tables.WORK_TABLES:  # a whole work, if the paper that stays has none: two are not mixed
            connection.execute(
                f"UPDATE {table.name} SET paper_id = winner FROM ("
                "SELECT winner, min(loser) AS loser FROM paperlake_merged "
                f"WHERE loser IN (SELECT paper_id FROM {table.name}) "
                f"AND winner NOT IN (SELECT paper_id FROM {table.name}) GROUP BY winner"
                ") AS first WHERE paper_id = loser"
            )
            connection.execute(f"DELETE FROM {table.name} WHERE paper_id IN (SELECT loser FROM paperlake_merged)")


@contextmanager
def _changed_rows(connection: DuckDBPyConnection, batches: Mapping[str, pa.Table]) -> Iterator[dict[str, str]]:
    """Gives table -> the query for its rows with the keys of its batch; a table with many such rows is left out.

    They are read from the lake once, for all checks.
    """
    queries = {}
    with ExitStack() as stack:
        for table in (*_WRITTEN, tables.RUNS):
            batch = batches.get(table.name)
            if batch is not None and batch.num_rows <= _FEW:
                incoming_rows, touched = f"paperlake_{table.name}", f"paperlake_{table.name}_changed_rows"
                with registration(connection, incoming_rows, batch):
                    stack.enter_context(temporary(connection, touched, stored_rows(table, incoming_rows)))
                queries[table.name] = f"FROM {touched}"
        yield queries

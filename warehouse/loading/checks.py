"""Checks before a commit: the changed rows are sound, and the lake loses little of what it had.

A commit is refused unless keys are unique, references lead somewhere and sums are right. Rows that it does not change
were checked when they were written. Comparing whole tables takes too long for a refresh: `paperlake lake check` does it
(`warehouse.maintenance.lake_check`).

Wrong answers of a service, or a list that was cut short, can look like news in each single row. So the rows that a run
would write are also compared, all together, with the rows that they would replace.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from duckdb import DuckDBPyConnection

from sources.bounds import MOST_COUNTED, SURELY_CITED
from sources.errors import CheckFailed
from sources.text import inflected
from warehouse.loading.load import INCOMING
from warehouse.tables.declarations import CANDIDATES, FINDINGS, PAPERS, TABLES
from warehouse.tables.schema import TEXT, TEXTS, Column


@dataclass(frozen=True, slots=True)
class Check:
    """A query for rows that are wrong; it must return none."""

    name: str  # what must be true, in words
    table: str  # the table that it is about
    sql: str  # the query, with `{rows}` for the rows to check: the table, or a query for some of its rows
    reads: tuple[str, ...] = ()  # the tables that it needs, where it needs others
    remedy: str = ""  # what to do; empty where it can only be paperlake's own fault
    noted: bool = False  # whether it is only worth knowing: nothing mends it, and nothing goes by it


def _orphans(table: str, column: str, target: str, target_column: str) -> Check:
    sql = (
        f'SELECT DISTINCT t."{column}" FROM {{rows}} t ANTI JOIN "{target}" o ON t."{column}" = o."{target_column}" '
        f'WHERE t."{column}" IS NOT NULL'
    )
    return Check(f"{table}.{column} is in {target}", table, sql)


CHECKS: tuple[Check, ...] = (
    *(Check(f"{table.name}: one row a key", table.name, table.duplicate_keys_sql("{rows}")) for table in TABLES),
    _orphans("mentions", "list_id", "reading_lists", "list_id"),
    *(_orphans(table.name, "mention_id", "mentions", "mention_id") for table in (CANDIDATES, FINDINGS)),
    *(
        _orphans(table.name, "paper_id", "papers", "paper_id")
        for table in TABLES
        if "paper_id" in table.names and table is not PAPERS
    ),
    _orphans("paper_references", "cited_paper_id", "papers", "paper_id"),
    _orphans("paper_citations", "citing_paper_id", "papers", "paper_id"),
    _orphans("papers", "merged_into", "papers", "paper_id"),
    Check(
        "a mention has a paper exactly when it is resolved",
        "mentions",
        "SELECT mention_id, status FROM {rows} WHERE (status = 'resolved') <> (paper_id IS NOT NULL)",
    ),
    Check(
        "status is one of the four",
        "mentions",
        "SELECT mention_id, status FROM {rows} WHERE status NOT IN ('resolved', 'ambiguous', 'not_found', 'failed')",
    ),
    Check(
        "mentions = resolved + ambiguous + not_found + failed",
        "runs",
        "SELECT run_id FROM {rows} WHERE mentions <> resolved + ambiguous + not_found + failed",
    ),
    Check(
        "no count is negative",
        "citation_counts",
        "SELECT paper_id FROM {rows} WHERE least(citation_count, influential_citation_count, reference_count) < 0",
    ),
    Check(
        "no count of a year is negative", "citations_by_year", "SELECT paper_id FROM {rows} WHERE citation_count < 0"
    ),
)


def check(connection: DuckDBPyConnection, tables: Iterable[str], *, touched: Mapping[str, str] | None = None) -> None:
    """Runs every check on `tables`; of one that is in `touched`, on the rows that its query there gives.

    Raises:
        CheckFailed: The first check that found something, with a sample of it.
    """
    wanted = set(tables)
    for item in CHECKS:
        if item.table not in wanted:
            continue
        rows = f"({touched[item.table]})" if touched and item.table in touched else f'"{item.table}"'
        sample = connection.execute(f"{item.sql.format(rows=rows)} LIMIT 5").fetchall()
        if sample:
            shown = [", ".join(str(value) for value in row) for row in sample]
            raise CheckFailed(
                f"check failed on {item.table}: {item.name}; for example {shown[0]}",
                check=item.name,
                table=item.table,
                sample=shown,
            )


SHARE = 0.15  # losing more than this share of what there was stops a run
LEAST = 10  # fewer rows than this are an edit, not an accident
LEAST_ZEROED = 3  # counts do not go to zero; a few that do at once are enough to ask
# From what `load.incoming` makes: each incoming row (`i`) and the row that it would replace (`old`).
_MENTIONS = f"{INCOMING}_mentions_held AS old JOIN {INCOMING}_mentions AS i USING (mention_id)"
_PAPERS = f"{INCOMING}_papers_held AS old JOIN {INCOMING}_papers AS i USING (paper_id)"
_LISTS_OF_RUN = f"SELECT list_id FROM {INCOMING}_reading_lists UNION SELECT list_id FROM {INCOMING}_mentions"
# The papers of the mentions in the run's lists: changed rows, and the others.
_STANDING = (
    f"SELECT paper_id FROM {INCOMING}_mentions WHERE removed_at IS NULL UNION ALL "
    f"SELECT paper_id FROM mentions AS m ANTI JOIN {INCOMING}_mentions AS i USING (mention_id) "
    f"WHERE m.removed_at IS NULL AND list_id IN ({_LISTS_OF_RUN})"
)

# A loss: the table it is in, a sentence saying what and by how much, and a few of the rows.
Drift: TypeAlias = tuple[str, str, Sequence[str]]


def refuse_drift(connection: DuckDBPyConnection) -> None:
    """Refuses a run that would remove much from the lake; called before the run's rows are written.

    Raises:
        CheckFailed: The run would drop, null out or set to zero more than `SHARE` of what there was.
    """
    alive = f"{_PAPERS} WHERE i.merged_into IS NULL"
    drifts = [
        *_dropped(connection),
        *_unresolved(connection),
        *_nulled(connection, alive),
        *_fallen(connection, alive),
    ]
    if drifts:
        sentences = "; ".join(sentence for _, sentence, _ in drifts)
        raise CheckFailed(
            f"the run was stopped, and the lake is as it was: {sentences}. If that is as it should be, refresh again "
            "with --force; what the services answered is kept, and nothing is asked twice",
            check="drift",
            table=drifts[0][0],
            sample=drifts[0][2],
        )


def _dropped(connection: DuckDBPyConnection) -> Iterator[Drift]:
    """Finds lists that lose mentions; a mention whose paper is elsewhere in the run was moved, and is not lost."""
    lost = (
        "SELECT old.list_id, count(*) AS gone, list(coalesce(old.title, old.text))[:3] AS sample "
        f"FROM {_MENTIONS} "
        "WHERE old.removed_at IS NULL AND i.removed_at IS NOT NULL AND (old.paper_id IS NULL OR old.paper_id NOT IN "
        f"(SELECT paper_id FROM ({_STANDING}) WHERE paper_id IS NOT NULL)) "
        f"GROUP BY old.list_id HAVING gone >= {LEAST}"
    )
    for list_id, gone, sample in connection.execute(lost).fetchall():
        standing, location = _first_row(
            connection,
            "SELECT count(*), (SELECT location FROM reading_lists WHERE list_id = $1) FROM mentions "
            "WHERE list_id = $1 AND removed_at IS NULL",
            [list_id],
        )
        if gone > SHARE * standing:
            yield "mentions", f"{location} would lose {_of(gone, standing, 'mention')}", sample


def _unresolved(connection: DuckDBPyConnection) -> Iterator[Drift]:
    """Finds mentions that lose their paper although neither the list's text nor a person's decision has changed."""
    count, sample = _first_row(
        connection,
        f"SELECT count(*), list(coalesce(old.title, old.text))[:3] FROM {_MENTIONS} "
        "WHERE old.removed_at IS NULL AND i.removed_at IS NULL AND old.paper_id IS NOT NULL AND i.paper_id IS NULL "
        "AND i.text = old.text AND i.decision IS NOT DISTINCT FROM old.decision",
    )
    if count < LEAST:
        return
    (resolved,) = _first_row(
        connection,
        "SELECT count(*) FROM mentions WHERE removed_at IS NULL AND paper_id IS NOT NULL "
        f"AND list_id IN ({_LISTS_OF_RUN})",
    )
    if count > SHARE * resolved:
        what = f"{_of(count, resolved, 'resolved mention')} would lose their paper, though their text is as it was"
        yield "mentions", what, sample


def _nulled(connection: DuckDBPyConnection, pairs: str) -> Iterator[Drift]:
    columns = [
        column
        for column in PAPERS.columns
        if column.name not in (*PAPERS.key, "merged_into") and (not column.required or column.type in (TEXT, TEXTS))
    ]
    counts = ", ".join(
        f"count(*) FILTER ({_has_value('old', column)}), "
        f"count(*) FILTER ({_has_value('old', column)} AND NOT {_has_value('i', column)})"
        for column in columns
    )
    found = _first_row(connection, f"SELECT {counts} FROM {pairs}")
    for column, present, lost in zip(columns, found[::2], found[1::2], strict=True):
        if lost >= LEAST and lost > SHARE * present:
            yield "papers", f"{_of(lost, present, 'paper')} asked about would lose their {column.name}", ()


def _fallen(connection: DuckDBPyConnection, pairs: str) -> Iterator[Drift]:
    halved = "i.citation_count < old_count / 2"  # a product could be more than a BIGINT holds
    cited, zeroed, fallen, sample = _first_row(
        connection,
        f"SELECT count(*), count(*) FILTER (i.citation_count = 0), count(*) FILTER ({halved}), "
        "(list(title || ': ' || old_count || ' to ' || i.citation_count) "
        f"FILTER ({halved}))[:3] "
        f"FROM (SELECT i.*, old.citation_count AS old_count FROM {pairs}) AS i "
        f"WHERE old_count >= {SURELY_CITED} AND old_count < {MOST_COUNTED} AND i.citation_count IS NOT NULL",
    )
    for count, least, what in ((zeroed, LEAST_ZEROED, "zero"), (fallen, LEAST, "less than half of what they were")):
        if count >= least and count > SHARE * cited:
            sentence = f"{_of(count, cited, 'citation count')} would fall to {what} (as {sample[0]})"
            yield "papers", sentence, sample
            return


def _has_value(side: str, column: Column) -> str:
    name = f'{side}."{column.name}"'
    return f"coalesce(len({name}), 0) > 0" if column.type in (TEXT, TEXTS) else f"{name} IS NOT NULL"


def _first_row(connection: DuckDBPyConnection, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
    (row,) = connection.execute(sql, list(values)).fetchall()
    return tuple(row)


def _of(part: int, whole: int, noun: str) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f} %) {inflected(whole, noun)}"

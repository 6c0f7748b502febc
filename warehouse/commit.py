"""Puts what a run learned into the lake: one transaction, checked before it commits, one snapshot."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warehouse import tables
from warehouse.checks import check
from warehouse.drift import refuse_drift
from warehouse.lake import latest_snapshot, transaction
from warehouse.load import append, replace_where, upsert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from duckdb import DuckDBPyConnection

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """Everything that a run wants to write, as rows of the tables.

    Attributes:
        weighed: Mentions that got a verdict; the candidates and findings that the lake has of them are replaced.
        merged: Papers that turned out to be another one: paper_id -> that one.
    """

    reading_lists: Sequence[Row] = ()
    mentions: Sequence[Row] = ()
    weighed: Sequence[str] = ()
    candidates: Sequence[Row] = ()
    findings: Sequence[Row] = ()
    papers: Sequence[Row] = ()
    paper_identifiers: Sequence[Row] = ()
    citation_counts: Sequence[Row] = ()
    harvests: Sequence[Row] = ()
    replies: Sequence[Row] = ()
    merged: Mapping[str, str] = field(default_factory=dict)


def load(connection: DuckDBPyConnection, harvest: Harvest, run: Row, *, force: bool = False) -> int:
    """Writes `harvest` and the run's row, and returns the snapshot that they are; `force` lets it lose much.

    Raises:
        SchemaMismatch: A row does not fit its table; nothing is written.
        CheckFailed: The lake would not be sound afterwards, or would lose much of what it had; nothing is written.
    """
    note = {name: value for name, value in run.items() if isinstance(value, int | str)} | {"forced": force}
    with transaction(connection, message=f"refresh {run['run_id']}", extra=json.dumps(note)):
        if not force:
            refuse_drift(connection, mentions=harvest.mentions, papers=harvest.papers)
        written = _write(connection, harvest)
        written["runs"] = append(connection, tables.RUNS, [run])
        check(connection, (name for name, rows in written.items() if rows))
    return latest_snapshot(connection)


def _write(connection: DuckDBPyConnection, harvest: Harvest) -> dict[str, int]:
    """Writes everything but the run's row; returns table -> rows touched, so that only what changed is checked."""
    upserts = (
        (tables.READING_LISTS, harvest.reading_lists),
        (tables.PAPERS, harvest.papers),
        (tables.PAPER_IDENTIFIERS, harvest.paper_identifiers),
        (tables.HARVESTS, harvest.harvests),
        (tables.MENTIONS, harvest.mentions),
    )
    touched = {table.name: upsert(connection, table, rows) for table, rows in upserts}
    for table, rows in ((tables.CITATION_COUNTS, harvest.citation_counts), (tables.REPLIES, harvest.replies)):
        touched[table.name] = append(connection, table, rows)
    for loser, winner in harvest.merged.items():
        connection.execute("UPDATE mentions SET paper_id = ? WHERE paper_id = ?", [winner, loser])
        # One step leads from any paper to the one it is now, so that queries need not follow a chain.
        connection.execute("UPDATE papers SET merged_into = ? WHERE merged_into = ?", [winner, loser])
        touched["mentions"] += 1
    for table, rows in ((tables.CANDIDATES, harvest.candidates), (tables.FINDINGS, harvest.findings)):
        touched[table.name] = replace_where(connection, table, "mention_id", harvest.weighed, rows)
    return touched

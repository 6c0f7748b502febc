"""What changed in the lake since the refresh before the last, for the page."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from warehouse.dashboard.columns import NONE, coded, cut, day, positions
from warehouse.lake.migrations import has_table
from warehouse.query.changes import Jump, changes_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    import pyarrow as pa
    from duckdb import DuckDBPyConnection

    Row = dict[str, Any]

KINDS = ("added", "removed", "published", "retracted", "withdrawn", "jumped", "missing")
"""What may have happened, in the order in which the page says it."""
_CHANGES = ("mentions_new", "mentions_removed", "published", "retracted", "withdrawn", "jumped")
"""What is asked for, in the words of `status --since`."""
_RUNS = """
    SELECT started_at, finished_at FROM runs WHERE status <> 'reparsed'
    ORDER BY finished_at DESC, started_at DESC LIMIT 2
"""
_MENTIONS = """
    SELECT m.mention_id, m.list_id, CASE WHEN m.section[1] = l.title THEN m.section[2:] ELSE m.section END AS section,
        m.year, m.paper_id, coalesce(m.title, m.url, m.text) AS text
    FROM mentions AS m JOIN reading_lists AS l USING (list_id)
    WHERE m.first_seen_at >= $since OR m.removed_at >= $since
"""
_MISSING = "SELECT list_id, title AS text, year FROM missing_works WHERE first_missing_at >= $since"


def read_recent_changes(
    connection: DuckDBPyConnection, papers: Sequence[str], lists: Sequence[str], *, counted_by: str
) -> dict[str, Any]:
    """Returns what the last refresh changed: columns with a row a change, and between which days it happened.

    Where there was one refresh only, `since` is None and there is no row. A paper stands by its number and is named by
    the page itself; a mention without one brings its own words.

    Args:
        connection: The lake, with the temporary tables of `facts`.
        papers: The papers of the page.
        lists: Its lists.
        counted_by: The source whose counts the page draws.
    """
    runs = connection.execute(_RUNS).fetchall()
    if len(runs) < 2:
        return {"since": None, "until": None, "new_lists": []} | _columns([], papers, lists)
    since: datetime = runs[0][0]
    kinds = [kind for kind in _CHANGES if kind != "jumped" or has_table(connection, "recounts")]
    changes = changes_in(connection, since, jump=Jump(), kinds=kinds, sources=[counted_by], with_lists=False)
    mentions: dict[str, Row] = {
        row["mention_id"]: row for row in connection.execute(_MENTIONS, {"since": since}).to_arrow_table().to_pylist()
    }
    rows = [*chain(_of_mentions(changes, mentions), _of_papers(changes, set(papers)), _missing(connection, since))]
    new = connection.execute(
        "SELECT list_id FROM reading_lists WHERE first_seen_at >= $since", {"since": since}
    ).fetchall()
    until = {
        "since": day(runs[1][1]),
        "until": day(runs[0][1]),
        "new_lists": sorted(positions((name for (name,) in new), lists)),
    }
    return until | _columns(rows, papers, lists)


def _of_mentions(changes: Mapping[str, pa.Table], mentions: Mapping[str, Row]) -> Iterator[Row]:
    for kind, name in (("added", "mentions_new"), ("removed", "mentions_removed")):
        for change in changes[name].to_pylist():
            yield mentions[change["mention_id"]] | {"kind": kind}


def _of_papers(changes: Mapping[str, pa.Table], listed: set[str]) -> Iterator[Row]:
    for kind in ("published", "retracted", "withdrawn", "jumped"):
        seen: set[str] = set()
        for change in changes[kind].to_pylist() if kind in changes else ():
            paper = change["paper_id"]
            if paper in listed and paper not in seen:
                seen.add(paper)
                words = change["published_as"] if kind == "published" else None
                counts = [change["gained"], change["after"]] if kind == "jumped" else None
                yield {"kind": kind, "paper_id": paper, "words": words, "counts": counts}


def _missing(connection: DuckDBPyConnection, since: datetime) -> Iterator[Row]:
    if not has_table(connection, "missing_works"):
        return
    for row in connection.execute(_MISSING, {"since": since}).to_arrow_table().to_pylist():
        yield row | {"kind": "missing"}


def _columns(rows: Sequence[Row], papers: Sequence[str], lists: Sequence[str]) -> dict[str, Any]:
    number = {paper: at for at, paper in enumerate(papers)}
    where = {name: at for at, name in enumerate(lists)}
    known = [number.get(row.get("paper_id") or "", NONE) for row in rows]
    return {
        "kind": [KINDS.index(row["kind"]) for row in rows],
        "paper": known,
        "list": [where.get(row.get("list_id") or "", NONE) for row in rows],
        "section": coded(tuple(row["section"]) if "section" in row else None for row in rows),
        "year": [row.get("year") for row in rows],
        "text": [None if paper != NONE else cut(row.get("text") or "") for row, paper in zip(rows, known, strict=True)],
        "words": [row.get("words") for row in rows],
        "counts": [row.get("counts") for row in rows],
    }

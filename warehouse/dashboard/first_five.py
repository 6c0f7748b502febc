"""What to know first of a lake: at most five findings, a sentence each, for the page, its feed and `status --since`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow as pa
from duckdb import DuckDBPyConnection

from sources.text import counted, shortened, shown
from warehouse.dashboard.columns import query_text
from warehouse.dashboard.panel_facts import beside_peers, clear_rows
from warehouse.lake.session import look_once, rows_of

MOST = 5
_LONGEST = 110  # characters of a title

# Kind -> the panel of the page that has more of it.
PANELS = {
    "nothing": "changes-title", "retracted": "changes-title", "unread": "unresolved",
    "growing": "rising-title", "missing": "missing-title",
    "published": "changes-title", "added": "changes-title", "jumped": "changes-title", "removed": "changes-title",
    "about": "years-title", "agreed": "agreed-title", "newest": "papers", "health": "unresolved",
}  # fmt: skip
_DATED = ("retracted", "withdrawn", "published", "mentions_new", "mentions_removed", "jumped")
_GONE = "SELECT title FROM listed WHERE retracted OR withdrawn ORDER BY title"
_MISSING = """
    SELECT coalesce(w.title, m.title) AS title, m.cited_by_listed, m.cites_listed
    FROM missing_papers AS m LEFT JOIN openalex_works AS w USING (paper_id)
    WHERE m.list_id = 'all' AND m."rank" = 1
"""
_ABOUT = """
    SELECT primary_category AS category, count(*) AS papers, (SELECT count(*) FROM listed) AS total
    FROM listed GROUP BY category ORDER BY category IS NULL, papers DESC, category LIMIT 3
"""
_AGREED = """
    SELECT title, list_count, count(*) OVER () AS papers
    FROM listed WHERE list_count > 1 ORDER BY list_count DESC, title LIMIT 1
"""
_NEWEST = """
    SELECT title, year FROM listed WHERE year IS NOT NULL
    ORDER BY published_on DESC NULLS LAST, year DESC, title LIMIT 1
"""
_UNREAD = "SELECT list FROM list_names JOIN reading_lists USING (list_id) WHERE fault IS NOT NULL ORDER BY list"
_OPEN = """
    SELECT n.list, count(*) FILTER (m.paper_id IS NULL) AS own
    FROM mentions AS m JOIN list_names AS n USING (list_id) WHERE m.removed_at IS NULL
    GROUP BY n.list HAVING own > 0 ORDER BY own DESC, n.list
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyFinding:
    """One sentence, and what it is of."""

    kind: str  # a key of `PANELS`
    text: str


def list_papers(connection: DuckDBPyConnection, *, terms: str) -> None:
    """Makes the temporary table `listed`: what may be shown of the papers that lists name."""
    look_once(connection, "listed", query_text("listed" if terms == "all" else "listed_cc0"))


def first_five(
    connection: DuckDBPyConnection, changes: Mapping[str, pa.Table] | None, since: datetime | None
) -> list[KeyFinding]:
    """Returns the findings, what matters most first; it needs the temporary table `listed`.

    `changes` are by kind, as `changes_in` gives them; None where the lists were read once so far.
    """
    found = dict(_news(connection, changes) if changes is not None else _first_day(connection))
    found |= dict(_standing(connection))
    if changes is not None and since is not None and not any(changes[kind].num_rows for kind in _DATED):
        found["nothing"] = f"Nothing new since {since.day} {since:%b %Y}."
    return [KeyFinding(kind=kind, text=found[kind]) for kind in PANELS if kind in found][:MOST]


def _news(connection: DuckDBPyConnection, changes: Mapping[str, pa.Table]) -> Iterator[tuple[str, str]]:
    listed = {row["paper_id"]: row["title"] for row in rows_of(connection, "SELECT paper_id, title FROM listed")}

    def papers(kind: str) -> dict[str, dict[str, Any]]:
        return {row["paper_id"]: row for row in changes[kind].to_pylist()[::-1] if row["paper_id"] in listed}

    retracted, withdrawn = papers("retracted"), papers("withdrawn")
    if gone := sorted({listed[paper] for paper in retracted | withdrawn}):
        verb = " or ".join(["retracted"] * bool(retracted) + ["withdrawn"] * bool(withdrawn))
        yield "retracted", f"{verb.capitalize()}: {_names(gone)}."
    if published := list(papers("published").items())[::-1]:
        row = published[0][1]
        way = f", as {_text(row['published_as'])}" if len(published) == 1 and row["published_as"] else ""
        yield "published", f"Published: {_names([listed[paper] for paper, _ in published])}{way}."
    for kind, name in (("added", "mentions_new"), ("removed", "mentions_removed")):
        if rows := changes[name].select(["paper_id", "mention"]).to_pylist():
            titles = [listed.get(row["paper_id"], row["mention"]) for row in rows]
            yield kind, f"{kind.capitalize()}: {_names(titles)}."
    if jumped := list(papers("jumped").items())[::-1]:
        paper, row = jumped[0]
        more = f"; and {counted(len(jumped) - 1, 'other')}" if jumped[1:] else ""
        yield "jumped", f"Cited much more: {_quoted(listed[paper])}, {counted(row['gained'], 'citation')} gained{more}."


def _first_day(connection: DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    if not rows_of(connection, "SELECT list_id FROM reading_lists LIMIT 1"):
        yield "nothing", "No list has been read yet."
    if gone := [row["title"] for row in rows_of(connection, _GONE)]:
        yield "retracted", f"Retracted or withdrawn: {_names(gone)}."
    if fields := rows_of(connection, _ABOUT):
        known = [f"{row['category']} ({row['papers']:,})" for row in fields if row["category"] is not None]
        most = f", most in {' and '.join(filter(None, [', '.join(known[:-1]), known[-1]]))}" if known else ""
        yield "about", f"The lists name {counted(fields[0]['total'], 'paper')}{most}."
    for row in rows_of(connection, _AGREED):
        papers = f"{counted(row['papers'], 'paper')} {'stands' if row['papers'] == 1 else 'stand'}"
        of = f"{_quoted(row['title'])} in {row['list_count']} of them"
        yield "agreed", f"{papers} in several lists, {of}."
    for row in rows_of(connection, _NEWEST):
        yield "newest", f"The newest paper: {_quoted(row['title'])} ({row['year']})."


def _standing(connection: DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    """Yields what does not depend on a change: what takes off, what is missing most, how the lists are."""
    judged, clear = taking_off(connection)
    if clear:
        paper, more = clear[0], f" and {counted(len(clear) - 1, 'other')}" if clear[1:] else ""
        counts = f"{counted(paper['gained'], 'citation')} in {paper['counted_year']} after {paper['base']:,}"
        yield (
            "growing",
            f"Taking off: {_quoted(paper['title'])} ({counts}){more}, of {judged:,} judged beside their peers.",
        )
    for row in rows_of(connection, _MISSING):
        ways = [f"cited by {counted(row['cited_by_listed'], 'paper')} of the lists"] * bool(row["cited_by_listed"])
        ways += [f"citing {counted(row['cites_listed'], 'paper')} of them"] * bool(row["cites_listed"])
        yield "missing", f"Most missing: {_quoted(row['title'])}, {' and '.join(ways)}."
    if unread := [row["list"] for row in rows_of(connection, _UNREAD)]:
        yield "unread", f"Not read when last tried: {_names(unread)}."
    if lists := rows_of(connection, _OPEN):
        most = f", {lists[0]['own']:,} of them in {_quoted(lists[0]['list'])}" if lists[1:] else ""
        yield "health", f"Without a paper yet: {counted(sum(row['own'] for row in lists), 'entry')}{most}."


def taking_off(connection: DuckDBPyConnection) -> tuple[int, list[dict[str, Any]]]:
    """Returns how many papers were judged by their peers, and those that take off, the clearest first."""
    columns = beside_peers(connection, "growth")
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    titles = {row["paper_id"]: row["title"] for row in rows_of(connection, "SELECT paper_id, title FROM listed")}
    judged = sum(row["z"] is not None for row in rows)
    return judged, [rows[row] | {"title": titles[rows[row]["paper_id"]]} for row in clear_rows(columns)]


def _names(titles: Sequence[str]) -> str:
    if len(titles) == 2:
        return f"{_quoted(titles[0])} and {_quoted(titles[1])}"
    return _quoted(titles[0]) + (f" and {counted(len(titles) - 1, 'other')}" if titles[1:] else "")


def _quoted(title: str) -> str:
    return f"“{_text(title)}”"


def _text(text: str) -> str:
    return shortened(" ".join(shown(text).split()), _LONGEST)

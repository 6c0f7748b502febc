"""Reads the facts of the dashboard from the lake."""

from __future__ import annotations

from typing import Any

from duckdb import DuckDBPyConnection

from warehouse.dashboard.columns import (
    Columns,
    coded,
    cut,
    day,
    line_prefix,
    numbers_where,
    query_columns,
    query_text,
    short_names,
)
from warehouse.dashboard.entries import entry_columns
from warehouse.dashboard.first_five import first_five, list_papers
from warehouse.dashboard.panel_facts import COUNTED_BY, PANELS, PageLake, Terms, folded_venues, recent_changes
from warehouse.lake.session import look_once
from warehouse.query.changes import IS_BELIEVED, Jump

Facts = dict[str, Any]

_AUTHORS = 25  # authors of a paper that the page carries; collaborations of thousands would be most of its size

# The number by which the page knows a paper: most cited first.
_NUMBERED = """
    SELECT paper_id, (row_number() OVER (
        ORDER BY drawn_count DESC NULLS LAST, list_count DESC, title, paper_id
    ) - 1)::INTEGER AS paper
    FROM listed
"""
# `rising_lately`; with an instant that is known beforehand fewer counts are read.
_RATES = """
    FROM rising_since($newest::TIMESTAMPTZ - INTERVAL 90 DAY, counted_by := $source)
    WHERE gained_per_week IS NOT NULL
"""
# Columns of `papers.sql` that the page has as they are, under shorter names.
_NAMES = {
    "id": "paper_id", "title": "title", "year": "year", "arxiv": "arxiv_id", "doi": "doi", "s2": "s2_paper_id",
    "citations": "citation_count",
}  # fmt: skip


def read_facts(connection: DuckDBPyConnection, *, terms: Terms = "all", jump: Jump | None = None) -> Facts:
    """Returns what the page shows as plain JSON: a column is a list; papers, lists and sections go by number.

    What `terms` allow is looked up once, into the temporary tables `listed` (of the view `catalog`), `numbered`,
    `rates`, `recounts`, `missing_papers` and `missing_works`. They stay for the connection's next user, and no other
    query of a page reads facts of papers elsewhere.
    """
    list_papers(connection, terms=terms)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE numbered AS {_NUMBERED}")
    newest = connection.execute(f"SELECT max(observed_at) FROM citation_counts WHERE {IS_BELIEVED}").fetchall()[0][0]
    values = {"newest": newest, "source": COUNTED_BY[terms]}
    connection.execute(f"CREATE OR REPLACE TEMP TABLE rates AS {_RATES}", values)
    # Such a view looks through all that there is: once is enough. A temporary table goes before it.
    look_once(connection, "recounts")
    look_once(connection, "missing_papers")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE missing_works AS {query_text('missing')}")
    lists, papers = query_columns(connection, "lists"), query_columns(connection, "papers")
    lake = PageLake(
        connection=connection,
        terms=terms,
        papers={paper: number for number, paper in enumerate(papers["paper_id"])},
        lists={name: number for number, name in enumerate(lists["list_id"])},
        recent=recent_changes(connection, counted_by=COUNTED_BY[terms], jump=jump or Jump()),
    )
    columns = _papers(papers)
    panels = {name: read(lake) for name, read in PANELS.items()}
    # Works that are missing have OpenAlex's counts: where there are any, the map has those of all.
    columns["mapped"] = papers["openalex_citation_count"] if terms == "all" and panels["missing"]["title"] else None
    recent = lake.recent
    return {
        "refreshed_at": connection.execute("SELECT max(finished_at) FROM runs").fetchall()[0][0],
        "counted_by": COUNTED_BY[terms],
        "lists": _lists(lists),
        "papers": columns,
        "venues": folded_venues(columns["venue"]["values"]),
        "first": first_five(connection, *((recent.found, recent.days[0]) if recent else (None, None))),
        "bibtex": _entries(papers, columns["authors"]),
        **panels,
    }


def _lists(rows: Columns) -> Columns:
    names = short_names(rows["location"])
    return {
        "id": rows["list_id"],
        "title": [title or name for title, name in zip(rows["title"], names, strict=True)],
        "name": names,
        "line_prefix": [line_prefix(location) for location in rows["location"]],
        "since": [day(when) for when in rows["first_seen_at"]],
        "parsed": [day(when) for when in rows["parsed_at"]],
        "unread": numbers_where(rows["is_unread"]),
        "not_read": rows["lines_not_read"],
    }


def _papers(rows: Columns) -> dict[str, Any]:
    return {
        **{name: rows[column] for name, column in _NAMES.items()},
        "authors": ["; ".join(name.replace(";", ",") for name in _first(authors)) for authors in rows["authors"]],
        "published": [day(when) for when in rows["published_on"]],
        "venue": coded(rows["venue"]),
        "category": coded(rows["primary_category"]),
        "withdrawn": numbers_where(rows["withdrawn"]),
        "retracted": numbers_where(rows["retracted"]),
        "published_as": coded(None if names is None else "; ".join(map(cut, names)) for names in rows["published_as"]),
        "rising": [None if pace is None else round(pace, 2) for pace in rows["gained_per_week"]],
        "risen_days": [None if days is None else round(days) for days in rows["risen_days"]],
    }


def _first(authors: list[str]) -> list[str]:
    return authors if len(authors) <= _AUTHORS else [*authors[:_AUTHORS], "others"]


def _entries(papers: Columns, authors: list[str]) -> dict[str, Any]:
    """Returns each paper's entry in BibTeX, without its abstract, as `entry_columns` has them."""
    rows: Any = (
        dict(zip(papers, row, strict=True)) | {"authors": _first(names), "abstract": None}
        for row, names in zip(zip(*papers.values(), strict=True), papers["authors"], strict=True)
    )
    return entry_columns(rows, authors)

"""Reads the facts of the dashboard from the lake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
from warehouse.dashboard.first_five import first_five, list_papers
from warehouse.dashboard.panel_facts import COUNTED_BY, PANELS, PageLake, Terms, folded_venues, recent_changes
from warehouse.lake.session import look_once
from warehouse.papers.citation_keys import key_of
from warehouse.query.bibliography import UNBRACED, bibtex_fields
from warehouse.query.changes import Jump
from warehouse.tables.declarations import PaperRow

Facts = dict[str, Any]

_AUTHORS = 25  # authors of a paper that the page carries; collaborations of thousands would be most of its size

# The number by which the page knows a paper: most cited first.
_NUMBERED = """
    SELECT paper_id, (row_number() OVER (
        ORDER BY drawn_count DESC NULLS LAST, list_count DESC, title, paper_id
    ) - 1)::INTEGER AS paper
    FROM listed
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
    rates = "FROM rising_lately(counted_by := $source)"
    connection.execute(f"CREATE OR REPLACE TEMP TABLE rates AS {rates}", {"source": COUNTED_BY[terms]})
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
    bibliography: Any = (  # entries without abstracts
        dict(zip(papers, row, strict=True)) | {"authors": _first(names), "abstract": None}
        for row, names in zip(zip(*papers.values(), strict=True), papers["authors"], strict=True)
    )
    return {
        "refreshed_at": connection.execute("SELECT max(finished_at) FROM runs").fetchall()[0][0],
        "counted_by": COUNTED_BY[terms],
        "lists": _lists(lists),
        "papers": columns,
        "venues": folded_venues(columns["venue"]["values"]),
        "first": first_five(connection, *((recent.found, recent.days[0]) if recent else (None, None))),
        "bibtex": _entries(bibliography, columns["authors"]),
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


_COLUMNS = ("year", "venue", "doi", "arxiv_id", "primary_category", "s2_paper_id")
# Columns that a field may repeat, and the control character that a form has in place of their value.
_SIGNS = [(column, chr(number)) for number, column in enumerate(_COLUMNS, 1)][::-1]
_ADDRESSES = ("https://doi.org/", "https://arxiv.org/abs/", "https://www.semanticscholar.org/paper/")
_NO_LETTER = re.compile("[^a-z]")
_WORD = re.compile("[a-z0-9]+")


def _entries(rows: Iterable[PaperRow], authors: Iterable[str]) -> dict[str, Any]:
    """Returns the BibTeX entries of `rows`, in their order, as columns; `authors` are theirs as the page has them.

    Written out, they would be half of the page: these are differences from its other columns, which `script/entries.js`
    puts together again.

    `forms` are entries without key, title and authors; `keys` a word of the title by its number and what comes after
    author, year and word, or the key behind "="; `titles` and `authors` the parts that differ from the plain ones, each
    behind its number, or the whole text.
    """
    forms, keys, titles, people = [], [], [], []
    for row, text in zip(rows, authors, strict=True):
        kind, fields = bibtex_fields(row)
        names = text.split("; ") if text else []
        keys.append(_key(key_of(row), row, names))
        titles.append(_difference(row["title"].split(" "), fields.pop("title", ""), " "))
        inverted = []
        for name in names:  # the last word first: the plain way to invert a name, which is right for most
            given, blank, family = name.rpartition(" ")
            inverted.append(f"{family}, {given}" if blank else name)
        people.append(_difference(inverted, fields.pop("author", ""), " and "))
        forms.append(_form(kind, fields, row))
    return {"forms": coded(forms), "keys": keys, "titles": titles, "authors": people}


def _form(kind: str, fields: dict[str, str], row: PaperRow) -> str:
    # A value that repeats a column, or that column's address, has its sign instead.
    signs = {
        base + str(row[column]): base + sign  # type: ignore[literal-required]
        for base in (*_ADDRESSES, "")
        for column, sign in _SIGNS
        if row[column] is not None  # type: ignore[literal-required]
    }
    parts = [kind]
    for name, value in fields.items():
        written = signs.get(value, value)
        parts.append(f"{name} = {written if name in UNBRACED else f'{{{written}}}'}")
    return ",\n\t".join(parts)


def _key(key: str, row: PaperRow, names: Sequence[str]) -> str:
    author = _NO_LETTER.sub("", names[0].rpartition(" ")[2].lower()) if names else "anon"
    begins = f"{author}{row['year'] or ''}"
    for number, word in enumerate(_WORD.findall(row["title"].lower())[:10]):
        if key.startswith(begins + word):
            return f"{number}{key[len(begins + word) :]}"
    return f"={key}"


def _difference(plain: Sequence[str], text: str, between: str) -> Any:
    """Returns 0 where `text` is the parts of `plain`, else numbers and parts in turn, or `text` where it has others."""
    if text == between.join(plain):
        return 0
    parts = text.split(between)
    if len(parts) != len(plain):
        return text
    differences = [(number, other) for number, other in enumerate(parts) if other != plain[number]]
    return [value for difference in differences for value in difference]

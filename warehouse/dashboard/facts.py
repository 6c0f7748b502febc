"""Reads the facts of the dashboard from the lake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from duckdb import DuckDBPyConnection

from warehouse.dashboard.columns import (
    Columns,
    coded,
    cut,
    day,
    line_prefix,
    positions,
    query_columns,
    query_text,
    short_names,
)
from warehouse.dashboard.first_five import first_five, list_papers
from warehouse.dashboard.panel_facts import (
    folded_venues,
    read_abstracts,
    read_counting,
    read_findings,
    read_growth,
    read_history,
    read_links,
    read_missing,
    read_recent_changes,
    read_rises,
    read_terms,
    recent_changes,
)
from warehouse.lake.session import look_once
from warehouse.papers.citation_keys import key_of
from warehouse.query.bibliography import UNBRACED, bibtex_fields
from warehouse.query.changes import IS_BELIEVED, Jump
from warehouse.tables.declarations import PaperRow

Facts = dict[str, Any]

_AUTHORS = 25  # authors of a paper that the page carries; collaborations of thousands would be most of its size

# What the page may show: all that the lake knows, or only what may be given to others without asking.
Terms = Literal["all", "cc0"]
# Whose counts the page draws: it adds papers up, and the counts of two sources cannot be added.
_COUNTED_BY = {"all": "s2", "cc0": "openalex"}
# Whose answers the page speaks of.
_TOLD_BY = {"all": ("arxiv", "s2", "openalex", "dblp"), "cc0": ("arxiv", "openalex")}
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


def read_facts(connection: DuckDBPyConnection, *, terms: Terms = "all", jump: Jump | None = None) -> Facts:
    """Returns what the page shows as plain JSON: a column is a list; papers, lists and sections go by number.

    What `terms` allow is looked up once, into the temporary tables `listed` (of the view `catalog`), `numbered`,
    `rates`, `recounts` and `missing_papers`. They stay for the connection's next user, and no other query of a page
    reads facts of papers elsewhere.
    """
    list_papers(connection, terms=terms)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE numbered AS {_NUMBERED}")
    newest = connection.execute(f"SELECT max(observed_at) FROM citation_counts WHERE {IS_BELIEVED}").fetchall()[0][0]
    values = {"newest": newest, "source": _COUNTED_BY[terms]}
    connection.execute(f"CREATE OR REPLACE TEMP TABLE rates AS {_RATES}", values)
    # Such a view looks through all that there is: once is enough. A temporary table goes before it.
    look_once(connection, "recounts")
    lists, papers = query_columns(connection, "lists"), query_columns(connection, "papers")
    list_ids, paper_ids = lists["list_id"], papers["paper_id"]
    columns = _papers(papers)
    retracted = connection.execute("SELECT paper_id FROM listed WHERE retracted").fetchall()
    columns["retracted"] = sorted(positions((paper_id for (paper_id,) in retracted), paper_ids))
    versions = dict(
        connection.execute("SELECT paper_id, published_as FROM listed WHERE published_as IS NOT NULL").fetchall()
    )
    columns["published_as"] = coded(
        "; ".join(map(cut, versions[paper])) if paper in versions else None for paper in paper_ids
    )
    look_once(connection, "missing_papers")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE missing_works AS {query_text('missing')}")
    recent = recent_changes(connection, counted_by=_COUNTED_BY[terms], jump=jump or Jump())
    history = read_history(connection, paper_ids, counted_by=_COUNTED_BY[terms])
    missing = read_missing(connection, paper_ids, list_ids)
    # Works that are missing have OpenAlex's counts: where there are any, the map has those of all.
    columns["mapped"] = papers["openalex_citation_count"] if terms == "all" and missing["title"] else None
    return {
        "refreshed_at": connection.execute("SELECT max(finished_at) FROM runs").fetchall()[0][0],
        "counted_by": _COUNTED_BY[terms],
        "lists": _lists(lists),
        "papers": columns,
        "venues": folded_venues(coded(papers["venue"])["values"]),
        "places": _places(query_columns(connection, "places"), list_ids, paper_ids),
        "unresolved": _unresolved(query_columns(connection, "unresolved"), list_ids, terms=terms),
        "findings": read_findings(connection, paper_ids, list_ids, with_messages=terms == "all"),
        "cited": _cited_by_year(query_columns(connection, "cited"), paper_ids),
        "growth": read_growth(connection, paper_ids),
        "rises": read_rises(connection, paper_ids),
        "links": read_links(connection),
        "missing": missing,
        "terms": read_terms(connection, paper_ids, with_abstracts=terms == "all"),
        "changes": read_recent_changes(connection, paper_ids, list_ids, recent),
        "first": first_five(connection, *((recent.found, recent.days[0]) if recent else (None, None))),
        "counting": read_counting(connection, sources=_TOLD_BY[terms]),
        "history": history,
        "bibtex": _entries(papers, columns["authors"]),
        "abstracts": read_abstracts(connection, paper_ids) if terms == "all" else [],
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
        "unread": [number for number, is_unread in enumerate(rows["is_unread"]) if is_unread],
        "not_read": rows["lines_not_read"],
    }


def _papers(rows: Columns) -> dict[str, Any]:
    return {
        "id": rows["paper_id"],
        "title": rows["title"],
        "authors": [_names(authors) for authors in rows["authors"]],
        "year": rows["year"],
        "published": [day(when) for when in rows["published_on"]],
        "venue": coded(rows["venue"]),
        "category": coded(rows["primary_category"]),
        "arxiv": rows["arxiv_id"],
        "doi": rows["doi"],
        "s2": rows["s2_paper_id"],
        "withdrawn": [number for number, withdrawn in enumerate(rows["withdrawn"]) if withdrawn],
        "citations": rows["citation_count"],
        "rising": [None if pace is None else round(pace, 2) for pace in rows["gained_per_week"]],
        "risen_days": [None if days is None else round(days) for days in rows["risen_days"]],
    }


def _names(authors: list[str]) -> str:
    return "; ".join(name.replace(";", ",") for name in _first(authors))


def _first(authors: list[str]) -> list[str]:
    return authors if len(authors) <= _AUTHORS else [*authors[:_AUTHORS], "others"]


_BIBLIOGRAPHY = (
    "paper_id", "title", "year", "published_on", "venue", "arxiv_id", "doi", "s2_paper_id", "primary_category",
    "citation_key", "pages", "publication_type", "publications",
)  # fmt: skip


def _entries(papers: Columns, authors: list[str]) -> dict[str, Any]:
    """Returns each paper's entry in BibTeX, without its abstract, as `entry_columns` has them."""
    values = zip(*(papers[name] for name in _BIBLIOGRAPHY), strict=True)
    people = map(_first, papers["authors"])
    rows: Iterator[Any] = (
        dict(zip(_BIBLIOGRAPHY, row, strict=True)) | {"authors": names, "abstract": None}
        for row, names in zip(values, people, strict=True)
    )
    return entry_columns(rows, authors)


def _places(rows: Columns, lists: list[str], papers: list[str]) -> dict[str, Any]:
    return {
        "paper": positions(rows["paper_id"], papers),
        "list": positions(rows["list_id"], lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "since": coded(day(when) for when in rows["first_seen_at"]),
    }


def _unresolved(rows: Columns, lists: list[str], *, terms: Terms) -> dict[str, Any]:
    """Returns the mentions without a paper; for `cc0` without candidates and reasons, which may quote any source."""
    reasons = rows["reason"] if terms == "all" else [None] * len(rows["reason"])
    names = zip(rows["candidate"], rows["candidate_year"], rows["candidate_id"], strict=True)
    candidates = [[cut(name), year, key] if name and terms == "all" else None for name, year, key in names]
    return {
        "list": positions(rows["list_id"], lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "year": rows["year"],
        "status": coded(rows["status"]),
        "mention": [cut(text) for text in rows["mention"]],
        "reason": coded(reasons),
        "id": rows["mention_id"],
        "candidate": candidates,
    }


def _cited_by_year(rows: Columns, papers: list[str]) -> Columns:
    return {
        "paper": positions(rows["paper_id"], papers),
        "years": rows["years"],
        "counts": rows["counts"],
        "told": [day(when) for when in rows["told_at"]],
    }


# The BibTeX entries of the page, as differences from its other columns: written out, they would be half of the page.
# `script/entries.js` puts them together again.


_COLUMNS = ("year", "venue", "doi", "arxiv_id", "primary_category", "s2_paper_id")
# Columns that a field may repeat, and the control character that a form has in place of their value.
_SIGNS = [(column, chr(number)) for number, column in enumerate(_COLUMNS, 1)][::-1]
_ADDRESSES = ("https://doi.org/", "https://arxiv.org/abs/", "https://www.semanticscholar.org/paper/")
_NO_LETTER = re.compile("[^a-z]")
_WORD = re.compile("[a-z0-9]+")


def entry_columns(rows: Iterable[PaperRow], authors: Iterable[str]) -> dict[str, Any]:
    """Returns the entries of `rows`, in their order, as columns; `authors` are theirs as the page has them.

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
        people.append(_difference([last_first(name) for name in names], fields.pop("author", ""), " and "))
        forms.append(_form(kind, fields, row))
    return {"forms": coded(forms), "keys": keys, "titles": titles, "authors": people}


def last_first(name: str) -> str:
    """Returns a name with its last word first: the plain way to invert it, which is right for most."""
    given, blank, family = name.rpartition(" ")
    return f"{family}, {given}" if blank else name


def _form(kind: str, fields: dict[str, str], row: PaperRow) -> str:
    signs = {str(row[column]): sign for column, sign in _SIGNS if row[column] is not None}  # type: ignore[literal-required]
    return ",\n\t".join(
        [kind, *[f"{name} = {_written(name, _with_sign(value, signs))}" for name, value in fields.items()]]
    )


def _written(name: str, value: str) -> str:
    return value if name in UNBRACED else f"{{{value}}}"


def _with_sign(value: str, signs: dict[str, str]) -> str:
    """Returns `value` with the sign of the column that it repeats, also where it is that column's address."""
    if value in signs:
        return signs[value]
    for base in _ADDRESSES:
        if value.startswith(base) and value[len(base) :] in signs:
            return base + signs[value[len(base) :]]
    return value


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

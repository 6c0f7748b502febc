"""The facts of the dashboard: queries, columns, and addresses of entries."""

from __future__ import annotations

from importlib import resources
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import SplitResult, quote, unquote, urlsplit

from sources.errors import UsageError
from sources.lists.list_urls import GithubFile, parse_github
from warehouse.lake.migrations import has_table
from warehouse.papers.citation_keys import key_of
from warehouse.query.bibliography import bibtex
from warehouse.tables.declarations import OPENALEX_WORKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date, datetime

    from duckdb import DuckDBPyConnection

    from warehouse.papers.citation_keys import BibliographyRow


Facts = dict[str, Any]
Columns = dict[str, list[Any]]

_AUTHORS = 25
"""Authors of a paper that the page carries; collaborations of thousands would be most of its size."""
_TEXT = 200
"""Characters of an unresolved mention that the page carries."""


Terms = Literal["all", "cc0"]
"""What the page may show: all that the lake knows, or only what may be given to others without asking."""
_COUNTED_BY = {"all": "s2", "cc0": "openalex"}
"""Whose counts the page draws: it adds papers up, and the counts of two sources cannot be added."""
_OBSERVATIONS = "FROM citation_counts WHERE source = $source"
_RATES = "FROM rising_lately(counted_by := $source)"


def read_facts(connection: DuckDBPyConnection, *, terms: Terms = "all") -> Facts:
    """Returns what the page shows as plain JSON: a column is a list; papers, lists and sections go by number.

    What `terms` allow is looked up once, into the temporary tables `listed` (of the view `catalog`), `observations` and
    `rates`. They stay for the connection's next user, and no other query of a page reads facts of papers elsewhere.

    The lake of an earlier version has nothing of OpenAlex until its next refresh.

    Raises:
        duckdb.Error: The lake cannot be read.
        UsageError: Only what may be given to others is to be shown, and the lake is of an earlier version.
    """
    has_works = has_table(connection, OPENALEX_WORKS.name)
    if terms == "cc0" and not has_works:
        raise UsageError("an earlier version made this lake, without OpenAlex: run `paperlake refresh` first")
    listed = _query("listed" if terms == "all" else "listed_cc0")
    connection.execute(f"CREATE OR REPLACE TEMP TABLE listed AS {listed}")
    for name, query in (("observations", _OBSERVATIONS), ("rates", _RATES if has_works else "FROM rising")):
        counted = query.replace("$source", f"'{_COUNTED_BY[terms]}'")
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {counted}")
    lists, papers = _ask(connection, "lists"), _ask(connection, "papers")
    return {
        "figures": _figures(connection),
        "findings": _ask(connection, "findings"),
        "lists": _lists(lists),
        "papers": _papers(papers) | _news_of_papers(connection, papers["paper_id"]),
        "places": _places(_ask(connection, "places"), lists["list_id"], papers["paper_id"]),
        "unresolved": _unresolved(_ask(connection, "unresolved"), lists["list_id"], terms=terms),
        "cited": _cited_by_year(_ask(connection, "cited") if has_works else _NO_YEARS, papers["paper_id"]),
        "history": _history(connection, papers["paper_id"]),
        "bibtex": _entries(connection, papers["paper_id"]),
    }


def _query(name: str) -> str:
    return (resources.files("warehouse.dashboard") / "sql" / f"{name}.sql").read_text(encoding="utf-8")


def _ask(connection: DuckDBPyConnection, name: str) -> Columns:
    answer: Columns = connection.execute(_query(name)).to_arrow_table().to_pydict()
    return answer


def _figures(connection: DuckDBPyConnection) -> dict[str, Any]:
    return {name: values[0] for name, values in _ask(connection, "figures").items()}


def _lists(rows: Columns) -> Columns:
    names = short_names(rows["location"])
    return {
        "id": rows["list_id"],
        "title": [title or name for title, name in zip(rows["title"], names, strict=True)],
        "name": names,
        "line_prefix": [line_prefix(location) for location in rows["location"]],
        "since": [day(when) for when in rows["first_seen_at"]],
        "parsed": [day(when) for when in rows["parsed_at"]],
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


def _news_of_papers(connection: DuckDBPyConnection, papers: list[str]) -> dict[str, Any]:
    """Returns where the retracted papers stand among `papers`, and as what preprints were published.

    The lake of an earlier version has neither until its next refresh.
    """
    columns = connection.execute("SELECT * FROM listed LIMIT 0").to_arrow_table().column_names
    retracted, published = [], []
    if {"retracted", "published_as"} <= set(columns):
        retracted = connection.execute("SELECT paper_id FROM listed WHERE retracted").fetchall()
        sql = "SELECT paper_id, published_as FROM listed WHERE published_as IS NOT NULL"
        published = connection.execute(sql).fetchall()
    versions = dict(published)
    return {
        "retracted": sorted(positions((paper_id for (paper_id,) in retracted), papers)),
        "published_as": coded("; ".join(map(_cut, versions[paper])) if paper in versions else None for paper in papers),
    }


def _names(authors: list[str]) -> str:
    return "; ".join(name.replace(";", ",") for name in _first(authors))


def _first(authors: list[str]) -> list[str]:
    return authors if len(authors) <= _AUTHORS else [*authors[:_AUTHORS], "others"]


def _entries(connection: DuckDBPyConnection, papers: list[str]) -> list[str]:
    """Returns each paper's entry in BibTeX, without its abstract."""
    rows = connection.execute("FROM listed").to_arrow_table()
    entry = {row["paper_id"]: bibtex([_cited(row)]) for row in rows.to_pylist()}
    return [entry[paper] for paper in papers]


def _cited(row: BibliographyRow) -> BibliographyRow:
    return row | {"citation_key": key_of(row), "authors": _first(row["authors"]), "abstract": None}


def _places(rows: Columns, lists: list[str], papers: list[str]) -> dict[str, Any]:
    return {
        "paper": positions(rows["paper_id"], papers),
        "list": positions(rows["list_id"], lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "since": coded(day(when) for when in rows["first_seen_at"]),
    }


def _unresolved(rows: Columns, lists: list[str], *, terms: Terms) -> dict[str, Any]:
    """Returns the mentions without a paper; a reason may quote candidates of any source, and is left out for `cc0`."""
    reasons = rows["reason"] if terms == "all" else [None] * len(rows["reason"])
    return {
        "list": positions(rows["list_id"], lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "year": rows["year"],
        "status": coded(rows["status"]),
        "mention": [_cut(text) for text in rows["mention"]],
        "reason": coded(reasons),
    }


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"


def _history(connection: DuckDBPyConnection, papers: list[str]) -> dict[str, Any]:
    connection.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {_query('counted')}")
    steps, rows, recounts = _ask(connection, "steps"), _ask(connection, "history"), _ask(connection, "recounts")
    return {
        "days": [day(when) for when in steps["observed_at"]],
        "paper": positions(rows["paper_id"], papers),
        "first": rows["first_step"],
        "added": [_without_end_zeros(added) for added in rows["added"]],
        "recounts": {
            "paper": positions(recounts["paper_id"], papers),
            "step": recounts["step"],
            "added": recounts["added"],
        },
    }


_NO_YEARS: Columns = {"paper_id": [], "years": [], "counts": [], "told_at": []}


def _cited_by_year(rows: Columns, papers: list[str]) -> Columns:
    return {
        "paper": positions(rows["paper_id"], papers),
        "years": rows["years"],
        "counts": rows["counts"],
        "told": [day(when) for when in rows["told_at"]],
    }


def _without_end_zeros(added: list[int]) -> list[int]:
    length = len(added)
    while length > 1 and added[length - 1] == 0:
        length -= 1
    return added[:length]


NONE = -1
"""Stands for NULL where a column holds numbers of values, counted from 0."""


def coded(values: Iterable[Any]) -> dict[str, list[Any]]:
    """Returns `values` as the distinct ones in order of appearance, and for each its number there; NULL is -1."""
    numbers: dict[Any, int] = {}
    codes = [NONE if value is None else numbers.setdefault(value, len(numbers)) for value in values]
    return {"values": list(numbers), "codes": codes}


def positions(values: Iterable[str], among: Sequence[str]) -> list[int]:
    """Returns where each of `values` stands in `among`."""
    where = {value: number for number, value in enumerate(among)}
    return [where[value] for value in values]


def day(when: date | datetime | None) -> int | None:
    """Returns the days since 1970-01-01, None for None."""
    return None if when is None else when.toordinal() - 719163


def line_prefix(location: str) -> str | None:
    """Returns the address to which a line's number is appended, None where the list is not on the web.

    GitHub renders Markdown, and only its plain view has lines:
    https://docs.github.com/en/repositories/working-with-files/using-files/navigating-code-on-github
    """
    try:
        address = urlsplit(location)
        file = _raw_file(address) or parse_github(location)
    except (ValueError, UsageError):
        return None
    if file is not None and file.path:
        path = quote(f"{file.owner}/{file.name}/blob/{file.ref or 'HEAD'}/{file.path}", safe="/")
        return f"https://github.com/{path}?plain=1#L"
    return f"{location}#L" if address.scheme in ("http", "https") else None


def _raw_file(address: SplitResult) -> GithubFile | None:
    """Returns the file behind an address of GitHub's raw files: /OWNER/NAME/REF/PATH."""
    steps = unquote(address.path).strip("/").split("/")
    if address.scheme != "https" or address.netloc != "raw.githubusercontent.com" or len(steps) < 4:
        return None
    owner, name, ref, *path = steps
    return GithubFile(owner=owner, name=name, ref=ref, path="/".join(path))


def short_names(locations: Sequence[str]) -> list[str]:
    """Returns each location as people name it: an address in full, a file by the end of its path that tells it apart.

    A page is made to be shared, and where its maker's home folder is concerns nobody.
    """
    return [_tail(location, locations) if location.startswith("/") else location for location in locations]


def _tail(location: str, locations: Sequence[str]) -> str:
    parts = PurePosixPath(location).parts[1:]
    others = [other for other in locations if other != location]
    for length in range(1, len(parts)):
        tail = "/".join(parts[-length:])
        if not any(other.endswith(f"/{tail}") for other in others):
            return tail
    return "/".join(parts)

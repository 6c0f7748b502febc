"""The facts of single panels: growth beside peers, findings, days of counting, who cites whom, venues, abstracts."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from sources.bibliography.venues import venue_name
from warehouse.dashboard.columns import NONE, coded, cut, day, positions, query_columns, query_text
from warehouse.lake.migrations import has_table
from warehouse.query.citations import basis_of, unknown_works
from warehouse.query.pasted_lines import lines_to_paste

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckdb import DuckDBPyConnection

    from warehouse.dashboard.columns import Columns

_MOST_ABSTRACTS = 20_000
"""Papers up to which a page may have room for abstracts."""
_MOST_LINKS = 150_000
"""Citations between the papers of a page that it carries."""


def beside_peers(connection: DuckDBPyConnection, measured: str) -> Columns:
    """Returns the rows of the query `measured`, each judged against its peers as `beside_peers.sql` tells."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE measured AS {query_text(measured)}")
    return query_columns(connection, "beside_peers")


def read_growth(connection: DuckDBPyConnection, papers: Sequence[str]) -> dict[str, Any]:
    """Returns how much faster papers gain citations than those of their year and field, by years.

    Where a paper's growth cannot be told, the columns of numbers have no value and `why` has the reason.
    """
    rows = beside_peers(connection, "growth")
    return {
        "paper": positions(rows["paper_id"], papers),
        "counted_year": coded(rows["counted_year"]),
        "field": coded(rows["field"]),
        "why": coded(rows["why"]),
        "later": rows["gained"],
        "earlier": rows["base"],
        **{name: rows[name] for name in ("peers", "growth", "low", "high")},
    }


def read_rises(connection: DuckDBPyConnection, papers: Sequence[str]) -> dict[str, Any]:
    """Returns the papers that gain clearly more citations than their peers by the last counts, the clearest first.

    `usual` is what their peers gain a week for as many citations. The table `rates` has the gains.
    """
    rows = beside_peers(connection, "rises")
    rising = [number for number, low in enumerate(rows["low"]) if low is not None and low > 1]

    def usual(row: int) -> float:
        return float(rows["peers_gained"][row] / rows["peers_base"][row] * rows["base"][row] / rows["weeks"][row])

    return {
        "paper": positions([rows["paper_id"][row] for row in rising], papers),
        "usual": [round(usual(row), 3) for row in rising],
        **{name: [rows[name][row] for row in rising] for name in ("growth", "low", "high")},
    }


def read_findings(
    connection: DuckDBPyConnection, papers: Sequence[str], lists: Sequence[str], *, with_messages: bool
) -> dict[str, Any]:
    """Returns the findings in the lists; a message may quote any source, and is left out without `with_messages`."""
    rows = query_columns(connection, "finding_rows")
    messages = rows["message"] if with_messages else [None] * len(rows["message"])
    return {
        "code": coded(rows["code"]),
        "message": coded(None if text is None else cut(text) for text in messages),
        "value": [None if text is None else cut(text) for text in rows["value"]],
        "list": positions(rows["list_id"], lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "year": rows["year"],
        "paper": _numbers(rows["paper_id"], papers),
    }


def _numbers(values: Iterable[str | None], among: Sequence[str]) -> list[int]:
    where = {value: number for number, value in enumerate(among)}
    return [NONE if value is None else where.get(value, NONE) for value in values]


def read_counting(connection: DuckDBPyConnection, *, sources: Sequence[str]) -> dict[str, Any]:
    """Returns on which days papers were counted, and what each of `sources` answered when it was last asked."""
    days = connection.execute("FROM counted_days ORDER BY day").to_arrow_table()
    answers = query_columns(connection, "sources")
    rows = [number for number, source in enumerate(answers["source"]) if source in sources]
    return {
        "days": days["day"].to_pylist(),
        "papers": days["papers"].to_pylist(),
        "sources": {
            "source": [answers["source"][row] for row in rows],
            "status": [answers["status"][row] for row in rows],
            "papers": [answers["papers"][row] for row in rows],
            "first": [day(answers["first_asked_at"][row]) for row in rows],
            "last": [day(answers["last_asked_at"][row]) for row in rows],
        },
    }


_LINKS = """
    SELECT DISTINCT a.paper, b.paper
    FROM {links} AS k
    JOIN numbered AS a ON a.paper_id = k.citing
    JOIN numbered AS b ON b.paper_id = k.cited
    WHERE a.paper <> b.paper
"""
_EARLIER = "(SELECT paper_id AS citing, cited_paper_id AS cited FROM paper_references)"
"""The links of a lake of an earlier version, until its next refresh."""


def read_links(connection: DuckDBPyConnection) -> dict[str, Any]:
    """Returns which papers of the page cite which, by OpenAlex: a row a paper that cites any.

    Where there are too many, those between the papers cited most are carried, and `left_out` says how many are not.
    """
    table = "citation_links" if has_table(connection, "citation_links") else _EARLIER
    links = sorted(connection.execute(_LINKS.format(links=table)).fetchall())
    carried = sorted(sorted(links, key=max)[:_MOST_LINKS])
    cites: defaultdict[int, list[int]] = defaultdict(list)
    for citing, cited in carried:
        cites[citing].append(cited)
    return {"paper": list(cites), "cites": list(cites.values()), "left_out": len(links) - len(carried)}


_MOST_NAMED = 12
"""Papers that a missing work is cited by, or cites, which the page carries."""


def read_missing(connection: DuckDBPyConnection, papers: Sequence[str], lists: Sequence[str]) -> dict[str, Any]:
    """Returns the works of the table `missing_works`, with the papers of the page that cite them or are cited.

    A row is one of a list, or, with the list -1, of all lists together. `basis` says of how many listed papers the
    references and the citing works are known, and how many works that may be missing were not looked up; `line` is the
    entry in the list's own form, where that is known; `works` says how many the list lacks, up to 500.
    """
    rows: Columns = connection.execute("FROM missing_works").to_arrow_table().to_pydict()
    number = {paper: at for at, paper in enumerate(papers)}

    def named(paper_ids: list[str] | None) -> list[int]:
        return sorted(number[paper] for paper in paper_ids or () if paper in number)[:_MOST_NAMED]

    columns = (
        "title",
        "year",
        "venue",
        "doi",
        "arxiv_id",
        "openalex_id",
        "citation_count",
        "cited_by_listed",
        "cites_listed",
        "works",
    )
    return {
        "list": _numbers((None if name == "all" else name for name in rows["list_id"]), lists),
        "authors": ["; ".join(names[:3] + (["others"] if len(names) > 3 else [])) for names in rows["authors"]],
        "since": [day(when) for when in rows["first_missing_at"]],
        "basis": basis_of(connection, "all") | {"works_not_known": unknown_works(connection, ["all"])["works"]},
        "line": lines_to_paste(connection, rows),
        "citing": [named(paper_ids) for paper_ids in rows["citing_paper_ids"]],
        "cited": [named(paper_ids) for paper_ids in rows["cited_paper_ids"]],
        **{name: rows[name] for name in columns},
    }


def folded_venues(venues: Sequence[str]) -> dict[str, Any]:
    """Returns the names of the venues behind the texts `venues`, and for each text its number there, -1 for no venue.

    Years and editions are left out, so that "NeurIPS 2018" and "NeurIPS 2019" are one; an archive of preprints is none.
    A venue is named as most of its texts name it.
    """
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    keys: list[str | None] = []
    for text in venues:
        name = venue_name(text)
        keys.append(name.key if name else None)
        if name:
            written[name.key][name.written] += 1
    names = {key: max(texts, key=lambda text: (texts[text], -len(text), text)) for key, texts in written.items()}
    numbers = coded(keys)
    return {"names": [names[key] for key in numbers["values"]], "of": numbers["codes"]}


def read_abstracts(connection: DuckDBPyConnection, papers: Sequence[str]) -> list[str | None]:
    """Returns the abstracts in the order of `papers`; nothing where there are too many of them for a page."""
    if len(papers) > _MOST_ABSTRACTS:
        return []
    sql = "SELECT paper_id, abstract FROM papers SEMI JOIN listed USING (paper_id) WHERE abstract IS NOT NULL"
    known = dict(connection.execute(sql).fetchall())
    return [known.get(paper) for paper in papers]

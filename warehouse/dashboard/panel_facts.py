"""What single panels of the page show: a reader each, listed in `PANELS`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import erfc, sqrt
from operator import sub
from typing import Any, Literal

import pyarrow as pa
from duckdb import DuckDBPyConnection

from sources.bibliography.venues import venue_name
from sources.matching.word_match import LINKING, NEGATIONS, QUESTIONS
from sources.records import SERVICE_NAMES
from sources.services.registry import SOURCES, counters
from warehouse.dashboard.columns import NONE, Columns, coded, cut, day, positions, query_columns, query_text
from warehouse.lake.session import rows_of
from warehouse.query.changes import Jump, changes_in
from warehouse.query.citations import basis_of, unknown_works
from warehouse.query.pasted_lines import lines_to_paste

Row = dict[str, Any]

# What the page may show: all that the lake knows, or only what may be given to others without asking.
Terms = Literal["all", "cc0"]
# Whose counts the page draws: it adds papers up, and the counts of two sources cannot be added.
COUNTED_BY: Mapping[Terms, str] = {"all": counters()[0], "cc0": counters(publishable=True)[0]}
# Whose answers the page speaks of.
_TOLD_BY: Mapping[Terms, tuple[str, ...]] = {
    "all": tuple(SERVICE_NAMES),
    "cc0": tuple(name for name, source in SOURCES.items() if source.is_publishable),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLake:
    """A lake with the temporary tables of `read_facts`, and the numbers by which the page knows what is in it."""

    connection: DuckDBPyConnection
    terms: Terms
    papers: Mapping[str, int]  # paper_id -> number
    lists: Mapping[str, int]  # list_id -> number
    recent: Recent | None  # None where there was one refresh only


# The counts of the papers over time, as the page carries them.
_TABLES = ("followed", "counted", "counted_days")  # queries that follow from each other; each becomes a temporary table
_ZERO = 64  # the character of a step that added nothing is `@`; the next one is one citation more
_UNCOUNTED = "_"
_SIGNS = {change: chr(_ZERO + change) for change in range(-16, 63) if chr(_ZERO + change) not in (_UNCOUNTED, "\\")}


def read_history(lake: PageLake) -> dict[str, Any]:
    """Returns the counts by paper and step; `first` and `added` have a value for each paper, None where it has none.

    `added` has a character for each step from the first on: what the step added to the count last known, `@` for
    nothing and the characters around it for a little more or less, `(123)` for any other number, `_` where there was no
    count. Steps at the very end that added nothing are left out.

    The temporary tables that are made here stay.
    """
    source = {"source": COUNTED_BY[lake.terms]}
    for name in _TABLES:
        query = query_text(name)
        lake.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}", source if "$source" in query else {})
    days = lake.connection.execute("SELECT max(day) FROM counted_days GROUP BY step ORDER BY step").fetchall()
    first: list[int | None] = [None] * len(lake.papers)
    added: list[str | None] = [None] * len(lake.papers)
    for paper, steps, counts in zip(*query_columns(lake.connection, "history").values(), strict=True):
        first[paper] = steps[0]
        added[paper] = _written(steps, [counts[0], *map(sub, counts[1:], counts)], len(days))
    return {
        "days": [day for (day,) in days],
        "first": first,
        "added": added,
        "recounts": query_columns(lake.connection, "recounts", source),
    }


def _written(steps: Sequence[int], changes: Sequence[int], step_count: int) -> str:
    signs = [_SIGNS.get(change) or f"({change})" for change in changes]
    if step_count - steps[0] > len(steps):
        by_step = dict(zip(steps, signs, strict=True))
        return "".join([by_step.get(step, _UNCOUNTED) for step in range(steps[0], step_count)])
    return signs[0] + "".join(signs[1:]).rstrip(_SIGNS[0])


# What may have happened in the lake since the refresh before the last, in the order in which the page says it.
KINDS = ("added", "removed", "published", "retracted", "withdrawn", "jumped", "missing")
# Their names in `changes_in`.
_CHANGES = ("mentions_new", "mentions_removed", "published", "retracted", "withdrawn", "jumped")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Recent:
    """What the last refresh changed."""

    since: datetime  # its beginning
    days: tuple[datetime, datetime]  # when the refresh before it ended, and when it did
    found: Mapping[str, pa.Table]  # the changes by kind, as `changes_in` gives them


def recent_changes(connection: DuckDBPyConnection, *, counted_by: str, jump: Jump) -> Recent | None:
    """Returns what the last refresh changed, None where there was one refresh only."""
    runs = connection.execute(_RUNS).fetchall()
    if len(runs) < 2:
        return None
    since: datetime = runs[0][0]
    found = changes_in(connection, since, jump=jump, kinds=_CHANGES, sources=[counted_by])
    return Recent(since=since, days=(runs[1][1], runs[0][1]), found=found)


def read_recent_changes(lake: PageLake) -> dict[str, Any]:
    """Returns what the last refresh changed: columns with a row a change, and between which days it happened.

    Where there was one refresh only, `since` is None and there is no row. A paper has its number, a mention without one
    its text.
    """
    if lake.recent is None:
        return {"since": None, "until": None, "new_lists": []} | _columns([], lake)
    changes, instant = lake.recent.found, {"since": lake.recent.since}
    mentions: dict[str, Row] = {row["mention_id"]: row for row in rows_of(lake.connection, _MENTIONS, instant)}
    rows = [
        mentions[change["mention_id"]] | {"kind": kind}
        for kind, name in (("added", "mentions_new"), ("removed", "mentions_removed"))
        for change in changes[name].to_pylist()
    ]
    rows += _of_papers(changes, lake.papers)
    rows += [row | {"kind": "missing"} for row in rows_of(lake.connection, _MISSING, instant)]
    new = rows_of(lake.connection, "SELECT list_id FROM reading_lists WHERE first_seen_at >= $since", instant)
    since, until = lake.recent.days
    new_lists = sorted(positions((row["list_id"] for row in new), lake.lists))
    return {"since": day(since), "until": day(until), "new_lists": new_lists} | _columns(rows, lake)


def _of_papers(changes: Mapping[str, pa.Table], listed: Mapping[str, int]) -> Iterator[Row]:
    for kind in ("published", "retracted", "withdrawn", "jumped"):
        seen: set[str] = set()
        for change in changes[kind].to_pylist():
            paper = change["paper_id"]
            if paper in listed and paper not in seen:
                seen.add(paper)
                words = change["published_as"] if kind == "published" else None
                counts = [change["gained"], change["after"]] if kind == "jumped" else None
                yield {"kind": kind, "paper_id": paper, "words": words, "counts": counts}


def _columns(rows: Sequence[Row], lake: PageLake) -> dict[str, Any]:
    known = positions((row.get("paper_id") for row in rows), lake.papers)
    return {
        "kind": [KINDS.index(row["kind"]) for row in rows],
        "paper": known,
        "list": positions((row.get("list_id") for row in rows), lake.lists),
        "section": coded(tuple(row["section"]) if "section" in row else None for row in rows),
        "year": [row.get("year") for row in rows],
        "text": [None if paper != NONE else cut(row.get("text") or "") for row, paper in zip(rows, known, strict=True)],
        "words": [row.get("words") for row in rows],
        "counts": [row.get("counts") for row in rows],
    }


# Terms of titles and abstracts whose share of the papers rises or falls over the years.
#
# A term is a word of a title, or two adjacent ones, as long as no word that only joins others is
# part of it; which terms matter is judged by the years alone, so that no list of a field's words is needed. A paper
# has a term if its title or its abstract has it.
#
# The test is Cochran's and Armitage's for a trend in shares:
# https://en.wikipedia.org/wiki/Cochran%E2%80%93Armitage_test_for_trend
_MOST_TERMS = 60  # terms that the page carries: of those it draws the ones in motion among what is chosen
_MOST_PAPERS = 20_000  # papers up to which abstracts are searched for the terms too; it takes seconds beyond

_TEXTS = """
    SELECT l.paper_id, lower(strip_accents(l.title)), lower(strip_accents($abstract))
    FROM listed AS l JOIN papers AS p USING (paper_id)
"""
_WORD = re.compile(r"[^\W_]+")  # letters and digits, as in the query
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}


_SHORT = re.compile(r"\(([^\W_]{2,6})\)")  # what may be an abbreviation, behind what it is short for
_LONGEST_NAME = 80  # characters of that


def read_terms(lake: PageLake) -> dict[str, Any]:
    """Returns terms, the one with the clearest trend first, each with the numbers of the papers that have it.

    Plurals and abbreviations are one term with what they stand for.
    """
    looked_into = lake.terms == "all" and len(lake.papers) <= _MOST_PAPERS
    joining = sorted(LINKING | NEGATIONS | QUESTIONS)
    terms = query_columns(lake.connection, "terms", {"joining": joining, "most": _MOST_TERMS})["term"]
    texts = lake.connection.execute(_TEXTS.replace("$abstract", "p.abstract" if looked_into else "NULL")).fetchall()
    words = {term for term in terms if " " not in term}
    pairs = {(first, second): term for term in terms for first, _, second in [term.partition(" ")] if second}
    begin = {first for first, _ in pairs}
    names = _names_of(terms, (part for _, *parts in texts for part in parts if part))
    having: dict[str, set[int]] = {names[term]: set() for term in terms}
    for paper, *parts in texts:
        of_paper: set[str] = set()
        for part in filter(None, parts):
            written = part.translate(_BLANKS).split() if part.isascii() else _WORD.findall(part)
            of_paper.update(words.intersection(written))
            of_paper.update(pairs[two] for two in pairwise(written) if two[0] in begin and two in pairs)
        for term in of_paper:
            having[names[term]].add(lake.papers[paper])
    return {"term": list(having), "papers": list(map(sorted, having.values())), "abstracts": looked_into}


def _names_of(terms: Sequence[str], texts: Iterable[str]) -> dict[str, str]:
    """Returns term -> its name: of a plural the singular, with an abbreviation that texts explain, "robot arm, ra"."""
    names = {term: term[:-1] if term[:-1] in terms else term for term in terms}
    meant: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for match in _SHORT.finditer(text):
            for short in {match[1], match[1].removesuffix("s")}:
                before = _WORD.findall(text[: match.start()][-_LONGEST_NAME:])[-len(short) :]
                long = names.get(" ".join(before[-2:]))
                if long and "".join(word[0] for word in before) == short:
                    meant[short, long] += 1
    together: dict[str, str] = {}
    for (short, long), _ in meant.most_common():  # of what a text may mean, the most common
        if together.keys().isdisjoint((short, long)) and not names.keys().isdisjoint((short, f"{short}s")):
            together |= dict.fromkeys((short, f"{short}s", long), f"{long}, {short}")
    return {term: together.get(name, name) for term, name in names.items()}


_FALSE = 0.05  # the share of the papers said to take off that may do so by chance
_MOST_ABSTRACTS = 20_000  # papers up to which a page may have room for abstracts
_MOST_LINKS = 150_000  # citations between the papers of a page that it carries


def beside_peers(connection: DuckDBPyConnection, measured: str) -> Columns:
    """Returns the rows of the query `measured`, each judged against its peers as `beside_peers.sql` describes."""
    connection.execute(f"CREATE OR REPLACE TEMP TABLE measured AS {query_text(measured)}")
    return query_columns(connection, "beside_peers")


def clear_rows(rows: Columns) -> list[int]:
    """Returns which of `beside_peers`' rows lie clearly above their peers, also counting how many were judged.

    Benjamini and Hochberg 1995, https://doi.org/10.1111/j.2517-6161.1995.tb02031.x .
    """
    chances = sorted((erfc(z / sqrt(2)) / 2, row) for row, z in enumerate(rows["z"]) if z is not None)
    clear = max(
        (rank for rank, (chance, _) in enumerate(chances, 1) if chance <= _FALSE * rank / len(chances)), default=0
    )
    return sorted(row for _, row in chances[:clear] if rows["low"][row] > 1)


def read_growth(lake: PageLake) -> dict[str, Any]:
    """Returns how much faster papers gain citations than those of their year and field, by years.

    Where a paper's growth is not known, the columns of numbers have no value and `why` has the reason. `clear` is 1
    where it takes off.
    """
    rows = beside_peers(lake.connection, "growth")
    clear = set(clear_rows(rows))
    return {
        "paper": positions(rows["paper_id"], lake.papers),
        "counted_year": coded(rows["counted_year"]),
        "field": coded(rows["field"]),
        "why": coded(rows["why"]),
        "clear": [int(row in clear) for row in range(len(rows["why"]))],
        **{name: rows[name] for name in ("peers", "growth", "low", "high")},
    }


def read_rises(lake: PageLake) -> dict[str, Any]:
    """Returns the papers that gain clearly more citations than their peers by the last counts, the clearest first.

    `usual` is what their peers gain a week for as many citations. The table `rates` has the gains.
    """
    rows = beside_peers(lake.connection, "rises")
    rising = clear_rows(rows)

    def usual(row: int) -> float:
        return float(rows["peers_gained"][row] / rows["peers_base"][row] * rows["base"][row] / rows["weeks"][row])

    return {
        "paper": positions((rows["paper_id"][row] for row in rising), lake.papers),
        "usual": [round(usual(row), 3) for row in rising],
        **{name: [rows[name][row] for row in rising] for name in ("growth", "low", "high")},
    }


def read_places(lake: PageLake) -> dict[str, Any]:
    """Returns the places of papers in the lists."""
    rows = query_columns(lake.connection, "places")
    return {
        "paper": positions(rows["paper_id"], lake.papers),
        "list": positions(rows["list_id"], lake.lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "since": coded(day(when) for when in rows["first_seen_at"]),
    }


def read_unresolved(lake: PageLake) -> dict[str, Any]:
    """Returns the mentions without a paper; for `cc0` without candidates and reasons, which may quote any source."""
    rows = query_columns(lake.connection, "unresolved")
    names = zip(rows["candidate"], rows["candidate_year"], rows["candidate_id"], strict=True)
    return {
        "list": positions(rows["list_id"], lake.lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "year": rows["year"],
        "status": coded(rows["status"]),
        "mention": [cut(text) for text in rows["mention"]],
        "reason": coded(reason if lake.terms == "all" else None for reason in rows["reason"]),
        "id": rows["mention_id"],
        "candidate": [[cut(name), year, key] if name and lake.terms == "all" else None for name, year, key in names],
    }


def read_cited(lake: PageLake) -> Columns:
    """Returns citations by year from OpenAlex, and when it was asked."""
    rows = query_columns(lake.connection, "cited")
    return {
        "paper": positions(rows["paper_id"], lake.papers),
        "years": rows["years"],
        "counts": rows["counts"],
        "told": [day(when) for when in rows["told_at"]],
    }


def read_findings(lake: PageLake) -> dict[str, Any]:
    """Returns the findings in the lists; a message may quote any source, and stays off a page for others."""
    rows = query_columns(lake.connection, "finding_rows")
    messages = rows["message"] if lake.terms == "all" else [None] * len(rows["message"])
    return {
        "code": coded(rows["code"]),
        "message": coded(None if text is None else cut(text) for text in messages),
        "value": [None if text is None else cut(text) for text in rows["value"]],
        "list": positions(rows["list_id"], lake.lists),
        "section": coded(map(tuple, rows["section"])),
        "line": rows["line"],
        "year": rows["year"],
        "paper": positions(rows["paper_id"], lake.papers),
    }


def read_counting(lake: PageLake) -> dict[str, Any]:
    """Returns on which days papers were counted, and what each source answered when it was last asked."""
    days: Columns = lake.connection.execute("FROM counted_days ORDER BY day").to_arrow_table().to_pydict()
    answers = query_columns(lake.connection, "sources")
    rows = [number for number, source in enumerate(answers["source"]) if source in _TOLD_BY[lake.terms]]
    return {
        "days": days["day"],
        "papers": days["papers"],
        "sources": {
            **{name: [answers[name][row] for row in rows] for name in ("source", "status", "papers")},
            "first": [day(answers["first_asked_at"][row]) for row in rows],
            "last": [day(answers["last_asked_at"][row]) for row in rows],
        },
    }


_LINKS = """
    SELECT DISTINCT a.paper, b.paper
    FROM citation_links AS k
    JOIN numbered AS a ON a.paper_id = k.citing
    JOIN numbered AS b ON b.paper_id = k.cited
    WHERE a.paper <> b.paper
"""


_UNTOLD = "SELECT paper FROM numbered ANTI JOIN paper_references USING (paper_id) ORDER BY paper"


def read_links(lake: PageLake) -> dict[str, Any]:
    """Returns which papers of the page cite which, by OpenAlex: a row a paper that cites any.

    Where there are too many, those between the papers cited most are carried, and `left_out` says how many are not.
    `untold` are the papers of which nobody knows what they cite.
    """
    links = sorted(lake.connection.execute(_LINKS).fetchall())
    carried = sorted(sorted(links, key=max)[:_MOST_LINKS])
    cites: defaultdict[int, list[int]] = defaultdict(list)
    for citing, cited in carried:
        cites[citing].append(cited)
    untold = [paper for (paper,) in lake.connection.execute(_UNTOLD).fetchall()]
    return {
        "paper": list(cites),
        "cites": list(cites.values()),
        "left_out": len(links) - len(carried),
        "untold": untold,
    }


_MOST_NAMED = 12  # papers that a missing work is cited by, or cites, which the page carries
_OF_MISSING = (
    "title year venue doi arxiv_id openalex_id citation_count cited_by_listed cites_listed with_references score "
    "home_links works"
).split()


def read_missing(lake: PageLake) -> dict[str, Any]:
    """Returns the works of the table `missing_works`, with the papers of the page that cite them or are cited.

    A row is one of a list, or, with the list -1, of all lists together. `basis` says of how many listed papers the
    references and the citing works are known, and how many works that may be missing were not looked up; `line` is the
    entry in the list's own form, where that is known; `home` is the list with
    most of the papers; `works` says how many the list lacks, up to 500.
    """
    connection = lake.connection
    rows: Columns = connection.execute("FROM missing_works").to_arrow_table().to_pydict()

    def named(paper_ids: list[str] | None) -> list[int]:
        return sorted(lake.papers[paper] for paper in paper_ids or () if paper in lake.papers)[:_MOST_NAMED]

    return {
        "list": positions(rows["list_id"], lake.lists),
        "authors": ["; ".join(names[:3] + (["others"] if len(names) > 3 else [])) for names in rows["authors"]],
        "since": [day(when) for when in rows["first_missing_at"]],
        "basis": basis_of(connection, "all") | {"works_not_known": unknown_works(connection, ["all"])["works"]},
        "line": lines_to_paste(connection, rows),
        "citing": [named(paper_ids) for paper_ids in rows["citing_paper_ids"]],
        "cited": [named(paper_ids) for paper_ids in rows["cited_paper_ids"]],
        "home": positions(rows["home"], lake.lists),
        **{name: rows[name] for name in _OF_MISSING},
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


def read_institutions(lake: PageLake) -> dict[str, Any]:
    """Returns where the authors work, with the papers, by OpenAlex; `known` are all papers of which it is told."""
    sql = "SELECT DISTINCT paper FROM paper_authors JOIN numbered USING (paper_id) WHERE len(institutions) > 0"
    known = sorted(paper for (paper,) in lake.connection.execute(sql).fetchall())
    return query_columns(lake.connection, "institutions") | {"known": known}


def read_abstracts(lake: PageLake) -> list[str | None]:
    """Returns the abstracts in the order of the papers; none on a page for others, or of too many papers."""
    if lake.terms != "all" or len(lake.papers) > _MOST_ABSTRACTS:
        return []
    sql = "SELECT paper_id, abstract FROM papers SEMI JOIN listed USING (paper_id) WHERE abstract IS NOT NULL"
    known = dict(lake.connection.execute(sql).fetchall())
    return [known.get(paper) for paper in lake.papers]


# The facts of the page by their names there; those that need temporary tables of others come after them.
PANELS: Mapping[str, Callable[[PageLake], Any]] = {
    "history": read_history,
    "counting": read_counting,
    "places": read_places,
    "unresolved": read_unresolved,
    "findings": read_findings,
    "cited": read_cited,
    "growth": read_growth,
    "rises": read_rises,
    "links": read_links,
    "missing": read_missing,
    "terms": read_terms,
    "institutions": read_institutions,
    "changes": read_recent_changes,
    "abstracts": read_abstracts,
}

"""The answers of the tools of `paperlake mcp`: search, papers, missing works, status.

An answer is `found`, `none` (the lake was read, and holds nothing of the kind), or `could_not_ask` (nothing was found,
and a list or a source that may have had it could not be asked). The functions of the commands are behind them:
`paperlake sql`, `status` and `review` answer the same.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from flows.commands.shared import read_place
from flows.commands.status import read_changes, since_when, status_parts
from flows.list_names import lists_named
from flows.mcp.bounded_query import bounded_rows
from flows.review.decisions import identifier_of
from flows.review.queue import as_object, read_queue
from flows.times import as_of_instant
from sources.errors import UsageError
from warehouse.lake.session import open_lake
from warehouse.papers.lake_papers import KnownPapers
from warehouse.query.citations import unknown_works
from warehouse.query.output import for_json, plain_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime
    from threading import Event

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace


Row = dict[str, Any]
Rows = list[Row]

_MOST_PLACES = 50
_FEW_PLACES = 5  # places in lists that are told of one paper, and of each paper that a search finds

_WORDS = r"""
SELECT list_filter(string_split_regex(lower(strip_accents($query)), '[^\p{L}\p{N}]+'), lambda word: word <> '')
"""

_SEARCH = """
WITH texts AS (
    SELECT p.paper_id, p.title, p.citation_count,
        lower(strip_accents(p.title)) AS in_title,
        lower(strip_accents(array_to_string(p.authors, ' '))) AS in_authors,
        lower(strip_accents(concat_ws(' ', p.venue, p.year, p.arxiv_id, p.doi, p.citation_key))) AS in_record,
        lower(strip_accents(coalesce(p.abstract, ''))) AS in_abstract
    FROM papers AS p
    WHERE p.merged_into IS NULL
        AND ($lists IS NULL OR p.paper_id IN (
            SELECT paper_id FROM mentions JOIN reading_lists USING (list_id)
            WHERE removed_at IS NULL AND location IN (SELECT unnest($lists::VARCHAR[]))))
)
SELECT paper_id,
    list_filter(
        [CASE WHEN len(list_filter($words, lambda w: contains(in_title, w))) > 0 THEN 'title' END,
         CASE WHEN len(list_filter($words, lambda w: contains(in_authors, w))) > 0 THEN 'authors' END,
         CASE WHEN len(list_filter($words, lambda w: contains(in_record, w))) > 0 THEN 'record' END,
         CASE WHEN len(list_filter($words, lambda w: contains(in_abstract, w))) > 0 THEN 'abstract' END],
        lambda field: field IS NOT NULL) AS found_in,
    count(*) OVER () AS total
FROM texts
WHERE len(list_filter($words, lambda w: contains(concat_ws(chr(10), in_title, in_authors, in_record, in_abstract), w)))
    = len($words)
ORDER BY contains(in_title, array_to_string($words, ' ')) DESC,
    len(list_filter($words, lambda w: contains(in_title, w))) DESC, citation_count DESC NULLS LAST, title, paper_id
LIMIT $most OFFSET $offset
"""

_UNRESOLVED = """
SELECT m.mention_id, l.location, coalesce(l.title, l.location) AS list, m.line, m.section, m.status, m.title, m.text,
    m.url, m.arxiv_id, m.doi, m.reason, m.asked_at, m.tries, count(*) OVER () AS total
FROM mentions AS m JOIN reading_lists AS l USING (list_id)
WHERE m.removed_at IS NULL AND m.status <> 'resolved'
    AND ($lists IS NULL OR l.location IN (SELECT unnest($lists::VARCHAR[])))
    AND len(list_filter($words, lambda w: contains(lower(strip_accents(concat_ws(' ', m.title, m.text))), w)))
        = len($words)
ORDER BY l.location, m.line, m.mention_id
LIMIT $most OFFSET $offset
"""

_PAPERS = """
    SELECT COLUMNS(name -> name <> 'title_keys' AND NOT regexp_full_match(name, '(s2|arxiv|dblp|openalex)_(doi|venue)'))
    FROM papers WHERE paper_id IN (SELECT unnest($ids::VARCHAR[]))
"""
_COUNTS = """
SELECT paper_id, source, arg_max(citation_count, observed_at) AS citation_count, max(observed_at) AS observed_at
FROM citation_counts
WHERE citation_count IS NOT NULL AND observed_at <= now() + INTERVAL 1 DAY
    AND paper_id IN (SELECT unnest($ids::VARCHAR[]))
GROUP BY paper_id, source ORDER BY paper_id, source
"""
_PLACES = """
SELECT m.paper_id, m.mention_id, l.location, coalesce(l.title, l.location) AS list, m.line, m.section, m.text, m.url,
    m.method, m.score, m.reason, m.first_seen_at, m.last_seen_at, m.removed_at
FROM mentions AS m JOIN reading_lists AS l USING (list_id)
WHERE m.paper_id IN (SELECT unnest($ids::VARCHAR[]))
ORDER BY m.removed_at IS NOT NULL, l.location, m.line, m.mention_id
"""
_SOURCES = """
SELECT paper_id, source, status, asked_at, error FROM harvests
WHERE paper_id IN (SELECT unnest($ids::VARCHAR[])) ORDER BY paper_id, source
"""
_VERSIONS = """
SELECT paper_id, source, record, kind, venue, year, doi, first_seen_at FROM published_versions
WHERE gone_at IS NULL AND paper_id IN (SELECT unnest($ids::VARCHAR[])) ORDER BY paper_id, year, source, record
"""
_NOTICES = """
SELECT paper_id, source, retracted, retracted_on, reasons, notice_doi, matched_by, first_seen_at FROM retractions
WHERE paper_id IN (SELECT unnest($ids::VARCHAR[])) ORDER BY paper_id, source
"""
_IDENTIFIERS = """
SELECT paper_id, scheme, value AS identifier FROM paper_identifiers
WHERE paper_id IN (SELECT unnest($ids::VARCHAR[])) ORDER BY paper_id, scheme, value
"""
# What a search tells of a paper; the rest is for `paper`.
_BRIEF = frozenset(
    "paper_id title authors year venue arxiv_id doi citation_key withdrawn retracted first_seen_at refreshed_at".split()
)


def search_papers(
    connection: DuckDBPyConnection, query: str, lists: Sequence[str] | None, *, most: int, offset: int
) -> tuple[list[Row], int]:
    """Returns papers that have every word of `query`, then mentions without a paper that have, and how many there are.

    Accents and capitals make no difference. `lists` are the locations to look in; None for all papers of the lake.

    Raises:
        UsageError: There is no word in `query`.
    """
    row = connection.execute(_WORDS, {"query": query}).fetchone()
    words = row[0] if row else []
    if not words:
        raise UsageError("the query has no word: give words of a title, names of authors, or an identifier")
    bounds = {"words": words, "lists": None if lists is None else list(lists), "most": most, "offset": offset}
    found = rows_of(connection, _SEARCH, bounds)
    number = _total(connection, _SEARCH, bounds, found)
    papers = described(connection, [row["paper_id"] for row in found], brief=True)
    where = {row["paper_id"]: row["found_in"] for row in found}
    records = [{"kind": "paper", "found_in": where[paper["paper_id"]]} | paper for paper in papers]
    rest = bounds | {"most": most - len(records), "offset": max(0, offset - number)}
    mentions = rows_of(connection, _UNRESOLVED, rest)
    unresolved = _total(connection, _UNRESOLVED, rest, mentions)
    return records + [{"kind": "mention"} | _without(row, "total") for row in mentions], number + unresolved


def _total(connection: DuckDBPyConnection, sql: str, bounds: dict[str, Any], found: list[Row]) -> int:
    """Returns how many rows a query has without its bounds, also where none of them is among those found."""
    if found:
        return int(found[0]["total"])
    first = (
        rows_of(connection, sql, bounds | {"most": 1, "offset": 0}) if bounds["offset"] or bounds["most"] < 1 else []
    )
    return int(first[0]["total"]) if first else 0


def paper_of(connection: DuckDBPyConnection, reference: str) -> list[str]:
    """Returns the paper_id behind `reference`: a paper_id, a citation key, an identifier, an address, or a whole title.

    Several papers may have one title. A merged paper is given as the one it was merged into.
    """
    known = KnownPapers(connection)
    by_name = "SELECT paper_id FROM papers WHERE paper_id = $1 OR (citation_key = $1 AND merged_into IS NULL)"
    found = [row["paper_id"] for row in rows_of(connection, by_name, [reference.strip()])]
    if not found:
        identifier = identifier_of(reference)
        found = list(known.owners([identifier]).values()) if identifier else []
    if not found and (title := " ".join(reference.split())):
        by_title = (
            "SELECT paper_id FROM papers WHERE merged_into IS NULL AND lower(title) = lower($1) ORDER BY paper_id"
        )
        found = [row["paper_id"] for row in rows_of(connection, by_title, [title])]
    rows = known.papers(found)
    return list(dict.fromkeys(row["paper_id"] for row in rows if row["merged_into"] is None))


def described(connection: DuckDBPyConnection, paper_ids: Sequence[str], *, brief: bool = False) -> list[Row]:
    """Returns the papers in the order of `paper_ids`, each with its evidence.

    `counts` (whose, how many, when observed), `places` (where in which list, since when, why it is that paper),
    `sources` (what each source said when it was last asked: found, not_found, or failed, which is "could not ask");
    unless `brief`, also the abstract, every identifier, published versions and notices of retraction.
    """
    ids = {"ids": list(paper_ids)}
    facts = {row["paper_id"]: row for row in rows_of(connection, _PAPERS, ids)}
    parts = {"counts": _COUNTS, "places": _PLACES, "sources": _SOURCES}
    if not brief:
        parts |= {"identifiers": _IDENTIFIERS, "published_versions": _VERSIONS, "retractions": _NOTICES}
    for name, sql in parts.items():
        for row in facts.values():
            row[name] = []
        for row in rows_of(connection, sql, ids):
            facts[row["paper_id"]][name].append(_without(row, "paper_id"))
    return [
        {name: value for name, value in row.items() if not brief or name in _BRIEF or name in parts}
        | {"places": row["places"][: _FEW_PLACES if brief else _MOST_PLACES]}
        | {"author_count": len(row["authors"]), "place_count": len(row["places"])}
        for row in (facts[paper] for paper in paper_ids if paper in facts)
    ]


def rows_of(connection: DuckDBPyConnection, sql: str, parameters: object = None) -> list[Row]:
    """Returns the rows of one of our own queries as plain values: instants are ISO 8601 text."""
    return plain_rows(connection.execute(sql, parameters).to_arrow_table())


def _without(row: Row, name: str) -> Row:
    return {key: value for key, value in row.items() if key != name}


ALL = "all"  # what the view `missing_papers` calls all lists together
_MOST_WITNESSES = 10  # entries that are told of each work, of those that cite it and of those that it cites

_MISSING = """
SELECT *, count(*) OVER () AS total FROM (
    SELECT m.list_id, m.list, m."rank", m.openalex_id, m.paper_id, m.title, m.authors, m.year, m.venue, m.doi,
        m.arxiv_id, m.citation_count, m.cited_by_listed, m.cites_listed, m.score, m.first_missing_at,
        m.citing_paper_ids, m.cited_paper_ids, 'openalex' AS source,
        coalesce(o.refreshed_at, w.refreshed_at) AS counted_at
    FROM missing_papers AS m
    LEFT JOIN outside_works AS o ON o.openalex_id = m.openalex_id
    LEFT JOIN openalex_works AS w ON w.paper_id = m.paper_id
    WHERE m.list_id IN (SELECT unnest($lists::VARCHAR[])) AND ($since IS NULL OR m.first_missing_at >= $since)
)
ORDER BY list_id, "rank"
LIMIT $most OFFSET $offset
"""
_WITNESSES = """
SELECT m.paper_id, l.location, m.line, p.title
FROM mentions AS m JOIN reading_lists AS l USING (list_id) JOIN papers AS p USING (paper_id)
WHERE m.removed_at IS NULL AND m.paper_id IN (SELECT unnest($ids::VARCHAR[]))
    AND ($lists = ['all'] OR m.list_id IN (SELECT unnest($lists::VARCHAR[])))
QUALIFY row_number() OVER (PARTITION BY m.paper_id ORDER BY l.location, m.line) = 1
"""
_UNKNOWN = """
WITH listed AS (
    SELECT DISTINCT paper_id FROM mentions
    WHERE removed_at IS NULL AND paper_id IS NOT NULL
        AND ($lists = ['all'] OR list_id IN (SELECT unnest($lists::VARCHAR[])))
)
SELECT 'references' AS what, 'openalex' AS source, count(*) AS papers, any_value(h.error) AS why
FROM listed ANTI JOIN paper_references AS r ON r.paper_id = listed.paper_id
LEFT JOIN harvests AS h ON h.paper_id = listed.paper_id AND h.source = 'openalex' HAVING count(*) > 0
UNION ALL
SELECT 'citing works', 'openalex', count(*), any_value(h.error)
FROM listed ANTI JOIN openalex_works AS w ON w.paper_id = listed.paper_id AND w.citation_count = 0
LEFT JOIN citing_harvests AS h ON h.paper_id = listed.paper_id
WHERE h.status IS DISTINCT FROM 'found' HAVING count(*) > 0
"""


def missing_works(
    connection: DuckDBPyConnection, list_ids: Sequence[str], since: datetime | None, *, most: int, offset: int
) -> tuple[list[Row], int, list[Row]]:
    """Returns works that the lists miss, best first, how many there are, and what of the citations is not known.

    Each has the entries that cite it (`cited_by`) and that it cites (`cites`), by place and title.

    `list_ids` are lists, each for itself; `ALL` alone is all of them together. `since` leaves only works that were
    first found missing since then.
    """
    lists = {"lists": list(list_ids)}
    found = rows_of(connection, _MISSING, lists | {"since": since, "most": most, "offset": offset})
    ids = {paper for row in found for paper in [*(row["citing_paper_ids"] or ()), *(row["cited_paper_ids"] or ())]}
    witnesses = {row["paper_id"]: row for row in rows_of(connection, _WITNESSES, lists | {"ids": sorted(ids)})}
    total = int(found[0]["total"]) if found else 0
    unknown = rows_of(connection, _UNKNOWN, lists)
    works = unknown_works(connection, list_ids)
    if works["works"]:
        unknown.append({"what": "works", "source": "openalex", "works": works["works"], "why": works["error"]})
    records = []
    for row in found:
        record = {name: value for name, value in row.items() if not name.endswith("paper_ids") and name != "total"}
        for name, papers in (("cited_by", row["citing_paper_ids"]), ("cites", row["cited_paper_ids"])):
            record[name] = [witnesses[paper] for paper in (papers or ())[:_MOST_WITNESSES] if paper in witnesses]
        records.append(record)
    return records, total, unknown


MOST_RECORDS = 200  # records of one answer
LONGEST_QUERY_S = 20.0  # seconds after which a query is stopped

Limit = Annotated[int, Field(ge=1, le=MOST_RECORDS, description="The most records wanted.")]
Offset = Annotated[
    int, Field(ge=0, le=1_000_000_000, description="Records to pass over, to go on after an earlier answer.")
]
ListName = Annotated[
    str | None,
    Field(description="A reading list: its location, or the end of it, such as reading.md. Without one: all lists."),
]

_REFRESHED = "SELECT max(finished_at) AS refreshed_at FROM runs"
_UNREAD = (
    "SELECT 'list' AS what, location, to_json(l) ->> 'fault' AS why FROM reading_lists AS l "
    "WHERE why IS NOT NULL ORDER BY location"
)
# Mentions that a source could not be asked about, and those of them that may be a paper with a title or identifier.
_FAILED = """
SELECT 'mentions' AS what, l.location, count(*) AS mentions, max(m.asked_at) AS asked_at,
    coalesce(arg_max(m.reason, m.asked_at), any_value(m.reason)) AS why,
    count(*) FILTER (WHERE m.title IS NULL AND coalesce(m.arxiv_id, m.doi) IS NULL
        OR lower(m.title) = lower($title) OR (m.title IS NULL AND $title IS NOT NULL)
        OR $identifier IN (m.arxiv_id, m.doi) OR (coalesce(m.arxiv_id, m.doi) IS NULL AND $identifier IS NOT NULL)
    ) AS hiding
FROM mentions AS m JOIN reading_lists AS l USING (list_id)
WHERE m.removed_at IS NULL AND m.status = 'failed'
GROUP BY l.location ORDER BY l.location
"""
_LISTS = """
SELECT l.list_id, c.location, c.list, c.mentions, c.resolved, c.ambiguous, c.not_found, c.failed, c.papers,
    c.percent_resolved, l.first_seen_at, l.parsed_at, l.revision AS revision_sha256, c.not_read_because
FROM coverage AS c JOIN reading_lists AS l USING (location)
ORDER BY c.location
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a look at the lake found."""

    records: list[Row]  # those to be told
    total: int  # how many there are
    offset: int = 0  # how many were passed over
    gaps: list[Row] = field(default_factory=list)  # what could not be asked, a record each
    hides: bool = False  # whether what could not be asked may have had more, so that "none" would be too much said
    refreshed_at: str | None = None  # when the lake was last refreshed, ISO 8601; None where it never was

    @property
    def verdict(self) -> Literal["found", "none", "could_not_ask"]:
        """Returns whether there is something, nothing, or nobody knows."""
        return "found" if self.total else "could_not_ask" if self.hides else "none"


class LakeAnswers:
    """Answers questions about one lake, each from the lake as last committed; writes nothing.

    The methods are the tools of `paperlake mcp`, with their docstrings; `sql` is behind one. All raise UsageError where
    there is no lake, no such list, or an argument is wrong, and WarehouseError where a data file is lost or spoiled.

    Args:
        lake: The option `--lake`. A lake need not be there yet.
        longest_query_s: Seconds after which a query of `sql` is stopped.
    """

    def __init__(self, lake: str | None, *, longest_query_s: float = LONGEST_QUERY_S) -> None:
        self._lake = lake
        self._longest_query_s = longest_query_s
        self._place: LakePlace = read_place(lake)

    def search(
        self,
        query: Annotated[
            str, Field(description="Words of a title, names of authors, or an identifier.", max_length=500)
        ],
        list: ListName = None,  # noqa: A002 - an argument of a tool, which all call the same
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Found:
        """Finds papers, and entries of lists that have no paper yet, by words or by an identifier.

        Every word must occur, in the title, the authors, the venue or the abstract. `found_in` says where.
        """
        with self._open() as connection:
            lists = None if list is None else [*_lists_named(connection, list)]
            if list is None and identifier_of(query) is not None:
                papers = described(connection, paper_of(connection, query), brief=True)
                return self._found(connection, [{"kind": "paper"} | row for row in papers], sought=query, offset=offset)
            records, total = search_papers(connection, query, lists, most=limit, offset=offset)
            return self._found(connection, records, total=total, sought=query, offset=offset)

    def paper(
        self,
        paper: Annotated[
            str,
            Field(
                description="A paper_id, a citation key, an arXiv identifier, a DOI, an address of the paper, or its "
                "whole title.",
                max_length=2_000,
            ),
        ],
    ) -> Found:
        """Tells all that is known of one paper, with the evidence.

        `places`: where it stands in which list, and why that entry is this paper. `counts`: citations by source, each
        with the time of observation. `sources`: what each source said last: found, not_found, or failed, which means
        that it could not be asked.
        """
        with self._open() as connection:
            return self._found(connection, described(connection, paper_of(connection, paper)), sought=paper)

    def list(
        self,
        list: ListName = None,  # noqa: A002
        status: Annotated[
            Literal["resolved", "ambiguous", "not_found", "failed"] | None,
            Field(description="Only mentions with this verdict; failed means that a source could not be asked."),
        ] = None,
        only_review: Annotated[bool, Field(description="Only mentions that a person should decide about.")] = False,  # noqa: FBT002 - a tool's arguments are named
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Found:
        """Tells the reading lists; with `list`, the entries of that list in order: verdict, paper, candidates."""
        with self._open() as connection:
            if list is None:
                return self._found(connection, rows_of(connection, _LISTS))
            locations = _lists_named(connection, list)
            chosen = [
                mention
                for mention in read_queue(self._place).mentions
                if mention.row["location"] in locations
                and status in (None, mention.row["status"])
                and (mention.needs_a_person or not only_review)
            ]
            records = [for_json(as_object(mention)) for mention in chosen[offset : offset + limit]]
            return self._found(connection, records, total=len(chosen), within=locations, offset=offset)

    def status(
        self,
        since: Annotated[
            str | None,
            Field(description="Tell what changed since then instead: 7d, 12h, or 2026-11-21.", max_length=40),
        ] = None,
    ) -> Found:
        """Tells coverage by list, the age of the counts, the last runs, what is unresolved and why; or what changed."""
        with self._open() as connection:
            parts = status_parts(connection) if since is None else read_changes(since_when(since), lake=self._lake)
            records = [
                {"part": name} | row for name, rows in parts.items() for row in plain_rows(rows.slice(0, MOST_RECORDS))
            ]
            return self._found(connection, records, total=sum(rows.num_rows for rows in parts.values()))

    def missing(
        self,
        list: ListName = None,  # noqa: A002
        since: Annotated[
            str | None,
            Field(description="Only works first found missing since then: 7d, 12h, or 2026-11-21.", max_length=40),
        ] = None,
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Found:
        """Tells works that a list lacks although its papers cite them, or they its papers, far more than others do.

        `cited_by` and `cites` are the entries that say so; `score` is how much likelier that is than by fame alone.
        """
        began = None if since is None else since_when(since)
        with self._open() as connection:
            lists = [ALL] if list is None else [*_lists_named(connection, list).values()]
            records, total, unknown = missing_works(connection, lists, began, most=limit, offset=offset)
            found = self._found(connection, records, total=total, offset=offset)
            return replace(found, gaps=unknown + found.gaps, hides=bool(unknown))

    def sql(self, query: str, *, as_of: str | None, limit: int, stop: Event | None = None) -> Found:
        """Returns the first rows of a query, by the guard of `paperlake sql`; `stop` stops it once it is set."""
        moment = as_of_instant(as_of, day_ends=True)
        with self._open() as connection:
            records, total = bounded_rows(
                self._lake, query, as_of=moment, most=limit, longest_s=self._longest_query_s, stop=stop
            )
            return self._found(connection, records, total=total)

    @contextmanager
    def _open(self) -> Iterator[DuckDBPyConnection]:
        with closing(open_lake(self._place)) as connection:
            connection.execute("BEGIN")  # every query sees the same snapshot, also while a refresh commits
            yield connection

    def _found(
        self,
        connection: DuckDBPyConnection,
        records: Rows,
        *,
        total: int | None = None,
        sought: str | None = None,
        within: Collection[str] = (),
        offset: int = 0,
    ) -> Found:
        """Returns the records with what could not be asked, which may hide a paper `sought` or what lists hold."""
        identifier = None if sought is None else identifier_of(sought)
        title = sought if identifier is None else None
        unread_lists = rows_of(connection, _UNREAD)
        failed = rows_of(connection, _FAILED, {"title": title, "identifier": identifier.value if identifier else None})
        hiding = [row.pop("hiding") for row in failed]
        (last,) = rows_of(connection, _REFRESHED)
        return Found(
            records=records,
            total=len(records) if total is None else total,
            offset=offset,
            gaps=unread_lists + failed,
            hides=any(row["location"] in within for row in unread_lists)
            or (sought is not None and (bool(unread_lists) or any(hiding))),
            refreshed_at=last["refreshed_at"],
        )


def _lists_named(connection: DuckDBPyConnection, name: str) -> dict[str, str]:
    """Returns location -> list_id of the lists that a name stands for."""
    known = dict(connection.execute("SELECT location, list_id FROM reading_lists ORDER BY location").fetchall())
    named = lists_named(name, known)
    return {location: list_id for location, list_id in known.items() if location in named}

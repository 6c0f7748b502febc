"""Queries of the citation graph: missing works, works near a paper, groups within a list."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from graphlib import TopologicalSorter
from typing import Any

from duckdb import DuckDBPyConnection

from sources.errors import UsageError
from sources.services.openalex.record import work_id_of
from warehouse.papers.graph_limits import MOST_CITED
from warehouse.query.output import rows_of

# How works that cite each other hang together: reading order, and what holds them together. Pure, and in time in
# proportion to the links.


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Works and which of them cite which."""

    works: tuple[str, ...]  # in the order to use where citations say nothing, such as the oldest first
    cited: Mapping[str, frozenset[str]]  # work -> those that it cites
    citing: Mapping[str, frozenset[str]]  # work -> those that cite it

    @classmethod
    def of(cls, works: Iterable[str], links: Iterable[tuple[str, str]]) -> Links:
        """Returns the links between `works`: pairs of which the first cites the second."""
        own = tuple(dict.fromkeys(works))
        known = frozenset(own)
        cited: defaultdict[str, set[str]] = defaultdict(set)
        citing: defaultdict[str, set[str]] = defaultdict(set)
        for work, other in links:
            if work != other and work in known and other in known:
                cited[work].add(other)
                citing[other].add(work)
        return cls(
            works=own,
            cited={work: frozenset(cited[work]) for work in own},
            citing={work: frozenset(citing[work]) for work in own},
        )


def cycles(links: Links) -> list[tuple[str, ...]]:
    """Returns the works in groups within which each leads to each other (Tarjan): alone where it is in no cycle.

    A group comes after those that its works cite.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    is_open: set[str] = set()
    groups: list[tuple[str, ...]] = []
    for root in links.works:
        todo = [(root, iter(sorted(links.cited[root])))] if root not in index else []
        while todo:
            work, others = todo[-1]
            if work not in index:
                index[work] = low[work] = len(index)
                stack.append(work)
                is_open.add(work)
            for other in others:
                if other not in index:
                    todo.append((other, iter(sorted(links.cited[other]))))
                    break
                if other in is_open:
                    low[work] = min(low[work], index[other])
            else:
                todo.pop()
                if todo:
                    low[todo[-1][0]] = min(low[todo[-1][0]], low[work])
                if low[work] == index[work]:
                    group = [stack.pop()]
                    while group[-1] != work:
                        group.append(stack.pop())
                    groups.append(tuple(group))
                    is_open.difference_update(group)
    return groups


def reading_order(links: Links) -> list[str]:
    """Returns the works so that each comes after those that it cites; the works of a cycle are adjacent.

    Of the works that may come next, the first of `links.works` comes.
    """
    place = {work: number for number, work in enumerate(links.works)}
    groups = cycles(links)
    group_of = {work: number for number, group in enumerate(groups) for work in group}
    sorter = TopologicalSorter(
        {
            number: {group_of[other] for work in group for other in links.cited[work]} - {number}
            for number, group in enumerate(groups)
        }
    )
    sorter.prepare()
    ready: list[tuple[int, int]] = []
    order: list[str] = []
    while sorter.is_active():
        for number in sorter.get_ready():
            heapq.heappush(ready, (min(place[work] for work in groups[number]), number))
        _, number = heapq.heappop(ready)
        order += sorted(groups[number], key=place.__getitem__)
        sorter.done(number)
    return order


def parted(links: Links) -> dict[str, int]:
    """Returns work -> how many works would be parted from most of their neighbours without it, where there are any.

    Ties go both ways. These are the cut points of the graph (Hopcroft and Tarjan).
    """
    ties = {work: sorted(links.cited[work] | links.citing[work]) for work in links.works}
    lost: dict[str, int] = {}
    parent: dict[str, str] = {}
    for root in links.works:
        order = _depth_first(root, ties, parent) if root not in parent else []
        index = {work: number for number, work in enumerate(order)}
        low: dict[str, int] = {}
        size: dict[str, int] = {}
        for work in reversed(order):
            children = [other for other in ties[work] if parent[other] == work]
            beside = [index[other] for other in ties[work] if other != parent[work]]
            low[work] = min([index[work], *beside, *(low[child] for child in children)])
            size[work] = 1 + sum(size[child] for child in children)
            parts = [size[child] for child in children if low[child] >= index[work]]
            parts.append(len(order) - 1 - sum(parts))
            if sum(part > 0 for part in parts) > 1:
                lost[work] = len(order) - 1 - max(parts)
    return lost


def _depth_first(root: str, ties: Mapping[str, Sequence[str]], parent: dict[str, str]) -> list[str]:
    """Returns the works that are tied to `root`, each as soon as it is reached, and notes from where in `parent`."""
    parent[root] = ""
    order, todo = [root], [iter(ties[root])]
    path = [root]
    while todo:
        new = next((other for other in todo[-1] if other not in parent), None)
        if new is None:
            todo.pop()
            path.pop()
            continue
        parent[new] = path[-1]
        order.append(new)
        path.append(new)
        todo.append(iter(ties[new]))
    return order


Row = dict[str, Any]

_MISSING = """
    WITH chosen AS (
        SELECT * FROM missing_papers
        WHERE list_id = $list_id AND ($since IS NULL OR first_missing_at >= $since)
        ORDER BY "rank" LIMIT $most
    ),
    linked AS (
        SELECT work, unnest(citing_paper_ids) AS paper_id, 'cites it' AS link FROM chosen
        UNION ALL
        SELECT work, unnest(cited_paper_ids), 'is cited by it' FROM chosen
    ),
    places AS (
        SELECT paper_id, arg_min(location, (list_id, line)) AS location, arg_min(line, (list_id, line)) AS line,
            arg_min(section, (list_id, line)) AS section
        FROM mentions JOIN reading_lists USING (list_id)
        WHERE removed_at IS NULL AND (list_id = $list_id OR $list_id = 'all') AND paper_id IS NOT NULL
        GROUP BY paper_id
    ),
    entries AS (
        SELECT k.work, list(
            {'list': s.location, 'line': s.line, 'section': s.section, 'title': p.title, 'paper_id': k.paper_id,
             'link': k.link}
            ORDER BY usual.number DESC, s.section, s.line
        ) AS entries
        FROM linked AS k
        JOIN papers AS p ON p.paper_id = k.paper_id
        LEFT JOIN places AS s ON s.paper_id = k.paper_id
        LEFT JOIN (
            SELECT work, section, count(*) AS number FROM linked JOIN places USING (paper_id) GROUP BY work, section
        ) AS usual ON usual.work = k.work AND usual.section = s.section
        GROUP BY k.work
    )
    SELECT c.* EXCLUDE (list_id, list, citing_paper_ids, cited_paper_ids), e.entries
    FROM chosen AS c JOIN entries AS e ON e.work = c.work
    ORDER BY c."rank"
"""
_BASIS = """
    WITH listed AS (
        SELECT DISTINCT paper_id FROM mentions
        WHERE removed_at IS NULL AND paper_id IS NOT NULL AND (list_id = $list_id OR $list_id = 'all')
    )
    SELECT count(*) AS papers,
        count(r.paper_id) AS with_references,
        count(*) FILTER (c.status = 'found' OR w.citation_count = 0) AS with_citing_works,
        count(*) FILTER (w.citation_count > $much_cited) AS much_cited,
        count(*) FILTER (h.status = 'not_found') AS not_in_openalex,
        count(*) FILTER (h.status = 'failed' OR c.status = 'failed') AS could_not_ask,
        (
            SELECT count(*) FROM mentions
            WHERE removed_at IS NULL AND paper_id IS NULL AND (list_id = $list_id OR $list_id = 'all')
        ) AS entries_without_paper,
        (
            SELECT count(DISTINCT paper_id) FROM mentions WHERE removed_at IS NULL AND paper_id IS NOT NULL
        ) AS papers_of_all_lists
    FROM listed
    LEFT JOIN (SELECT DISTINCT paper_id FROM paper_references) AS r USING (paper_id)
    LEFT JOIN openalex_works AS w USING (paper_id)
    LEFT JOIN (SELECT paper_id, status FROM citing_harvests WHERE source = 'openalex') AS c USING (paper_id)
    LEFT JOIN (SELECT paper_id, status FROM harvests WHERE source = 'openalex') AS h USING (paper_id)
"""
_UNKNOWN_WORKS = """
    WITH wanted AS (
        SELECT unnest($list_ids::VARCHAR[]) AS list_id
    ),
    listed AS (
        SELECT DISTINCT w.list_id, m.paper_id
        FROM mentions AS m JOIN wanted AS w ON w.list_id IN ('all', m.list_id)
        WHERE m.removed_at IS NULL AND m.paper_id IS NOT NULL
    ),
    known AS (
        SELECT openalex_id AS work FROM outside_works WHERE status <> 'failed'
        UNION ALL
        SELECT paper_id FROM papers
    ),
    links AS MATERIALIZED (
        FROM citation_links
    ),
    linked AS (
        SELECT cited AS work, citing AS paper_id FROM links ANTI JOIN known ON known.work = links.cited
        UNION ALL
        SELECT citing, cited FROM links ANTI JOIN known ON known.work = links.citing
    ),
    counted AS (
        SELECT DISTINCT work
        FROM linked JOIN listed USING (paper_id)
        GROUP BY list_id, work HAVING count(DISTINCT paper_id) >= 3
    )
    SELECT count(*) AS works, count(*) FILTER (o.status = 'failed') AS failed_works, any_value(o.error) AS error
    FROM counted AS c
    LEFT JOIN outside_works AS o ON o.openalex_id = c.work
"""
_KNOWN_OF = """
    SELECT h.status, h.error, w.citation_count, c.status AS citing_status, c.error AS citing_error,
        (SELECT count(*) FROM paper_references WHERE paper_id = $work) AS reference_links,
        (SELECT count(*) FROM paper_citations WHERE paper_id = $work) AS citing_works
    FROM (SELECT $work AS paper_id) AS p
    LEFT JOIN harvests AS h ON h.paper_id = p.paper_id AND h.source = 'openalex'
    LEFT JOIN openalex_works AS w ON w.paper_id = p.paper_id
    LEFT JOIN citing_harvests AS c ON c.paper_id = p.paper_id
"""
_RELATED = """
    WITH out_links AS (SELECT cited AS work FROM citation_links WHERE citing = $work),
    in_links AS (SELECT citing AS work FROM citation_links WHERE cited = $work),
    together AS (
        SELECT k.cited AS work, count(*) AS cited_together
        FROM citation_links AS k JOIN in_links AS i ON i.work = k.citing
        WHERE k.cited <> $work GROUP BY k.cited
    ),
    shared AS (
        SELECT k.citing AS work, count(*) AS shared_references
        FROM citation_links AS k JOIN out_links AS o ON o.work = k.cited
        WHERE k.citing <> $work GROUP BY k.citing
    ),
    facts AS (
        SELECT openalex_id AS work, title, authors, year, doi, arxiv_id, citation_count, false AS is_in_lake
        FROM outside_works WHERE status = 'found' AND version_of IS NULL AND retracted IS NOT TRUE
        UNION ALL
        SELECT paper_id, title, authors, year, doi, arxiv_id, w.citation_count, true
        FROM papers LEFT JOIN (SELECT paper_id, citation_count FROM openalex_works) AS w USING (paper_id)
        WHERE merged_into IS NULL
    ),
    inward AS (SELECT cited AS work, count(*) AS number FROM citation_links GROUP BY cited),
    outward AS (SELECT citing AS work, count(*) AS number FROM citation_links GROUP BY citing),
    near AS (
        SELECT f.*,
            coalesce(t.cited_together, 0) AS cited_together,
            coalesce(s.shared_references, 0) AS shared_references,
            a.work IS NOT NULL AS is_cited_by_it,
            b.work IS NOT NULL AS cites_it,
            i.number AS inward,
            o.number AS outward
        FROM facts AS f
        LEFT JOIN together AS t ON t.work = f.work
        LEFT JOIN shared AS s ON s.work = f.work
        LEFT JOIN out_links AS a ON a.work = f.work
        LEFT JOIN in_links AS b ON b.work = f.work
        LEFT JOIN inward AS i ON i.work = f.work
        LEFT JOIN outward AS o ON o.work = f.work
        WHERE f.work <> $work AND coalesce(t.work, s.work, a.work, b.work) IS NOT NULL
    )
    SELECT * EXCLUDE (inward, outward), round(
        coalesce(cited_together / sqrt(((SELECT count(*) FROM in_links) + 3) * (inward + 3)), 0)
        + coalesce(shared_references / sqrt(((SELECT count(*) FROM out_links) + 3) * (outward + 3)), 0)
        + CASE WHEN is_cited_by_it OR cites_it THEN 0.1 ELSE 0 END, 4
    ) AS score
    FROM near
    ORDER BY score DESC, work LIMIT $most
"""
_LINKED = """
    WITH linked AS (
        SELECT citing AS work, 'citing work' AS kind FROM citation_links WHERE cited = $work
        UNION ALL
        SELECT cited, 'reference' FROM citation_links WHERE citing = $work
    ),
    facts AS (
        SELECT openalex_id AS work, title, year, doi, arxiv_id, citation_count, retracted, false AS is_in_lake
        FROM outside_works WHERE status = 'found'
        UNION ALL
        SELECT paper_id, title, year, doi, arxiv_id, citation_count, retracted, true FROM papers
    ),
    places AS (
        SELECT paper_id AS work, list({'location': location, 'line': line} ORDER BY location, line)[:5] AS places
        FROM mentions JOIN reading_lists USING (list_id)
        WHERE removed_at IS NULL AND paper_id IS NOT NULL GROUP BY paper_id
    )
    SELECT k.kind, k.work, f.* EXCLUDE (work) REPLACE (coalesce(is_in_lake, false) AS is_in_lake), s.places
    FROM linked AS k LEFT JOIN facts AS f USING (work) LEFT JOIN places AS s USING (work)
    ORDER BY s.places IS NULL, k.kind, f.citation_count DESC NULLS LAST, f.title, k.work
"""
_OUTSIDE = """
    SELECT openalex_id AS work, title, authors, year, venue, doi, arxiv_id, citation_count, retracted, refreshed_at
    FROM outside_works
    WHERE status = 'found' AND version_of IS NULL
        AND (openalex_id = $text OR $identifier IN (doi, arxiv_id) OR lower(title) = lower($text))
    ORDER BY openalex_id
"""
_PAPER = """
    SELECT DISTINCT p.paper_id AS work, p.title, p.year, p.authors
    FROM papers AS former
    JOIN papers AS p ON p.paper_id = coalesce(former.merged_into, former.paper_id)
    LEFT JOIN paper_identifiers AS i ON i.paper_id = former.paper_id
    WHERE former.paper_id = $text OR lower(i.value) = lower($text) OR i.value = $identifier OR p.citation_key = $text
        OR lower(p.title) = lower($text) OR ($is_loose AND contains(lower(p.title), lower($text)))
    ORDER BY p.title LIMIT 20
"""
_WITHIN = """
    SELECT citing_paper_id AS citing, cited_paper_id AS cited FROM citations_within
    WHERE $list_id = 'all' OR list_contains(list_ids, $list_id)
"""
_LISTED = """
    SELECT p.paper_id AS work, p.title, p.year, p.authors, p.arxiv_id, p.doi, min(m.line) AS line
    FROM mentions AS m JOIN papers AS p USING (paper_id)
    WHERE m.removed_at IS NULL AND (m.list_id = $list_id OR $list_id = 'all')
    GROUP BY ALL ORDER BY p.year NULLS LAST, p.title
"""


def missing_from(connection: DuckDBPyConnection, list_id: str, *, since: datetime | None, limit: int) -> list[Row]:
    """Returns rows of `missing_papers` of a list or of `all`, each with the `entries` that cite it or that it cites."""
    return rows_of(connection, _MISSING, {"list_id": list_id, "since": since, "most": limit})


def basis_of(connection: DuckDBPyConnection, list_id: str) -> Row:
    """Returns of how many of a list's papers the references are known, of how many all citing works, and why not.

    `much_cited` papers have more citations than are read, `not_in_openalex` has no record, `could_not_ask` is a fault.
    """
    return rows_of(connection, _BASIS, {"list_id": list_id, "much_cited": MOST_CITED})[0]


def unknown_works(connection: DuckDBPyConnection, list_ids: Sequence[str]) -> Row:
    """Returns how many works may be missing from lists and were not looked up, `failed_works` because of an `error`."""
    return rows_of(connection, _UNKNOWN_WORKS, {"list_ids": list(list_ids)})[0]


def known_of(connection: DuckDBPyConnection, work: str) -> Row:
    """Returns what is known of a paper's citations: whether OpenAlex has it, and how many links there are."""
    return rows_of(connection, _KNOWN_OF, {"work": work})[0]


def paper_named(connection: DuckDBPyConnection, text: str, *, identifier: str | None = None) -> Row:
    """Returns the paper of the lake with an identifier, a citation key, or a title, or with these words in its title.

    Raises:
        UsageError: There is none, or there are several.
    """
    name = work_id_of(text.strip()) or " ".join(text.split())
    for is_loose in (False, True) if name else ():
        found = rows_of(connection, _PAPER, {"text": name, "identifier": identifier, "is_loose": is_loose})
        if len(found) == 1:
            return found[0]
        if found:
            titles = "; ".join(row["title"] for row in found[:5])
            raise UsageError(f"several papers of the lake are named {text!r}: {titles}")
    raise UsageError(f"the lake knows no paper {text!r}; name its identifier or its title")


def related_to(connection: DuckDBPyConnection, work: str, *, limit: int) -> list[Row]:
    """Returns the works that are cited together with a paper, that share references with it, or that it is linked to.

    `score` adds the cosines of both, so that a work which is linked to everything is not the nearest to all.
    """
    return rows_of(connection, _RELATED, {"work": work, "most": limit})


def linked_to(connection: DuckDBPyConnection, work: str) -> list[Row]:
    """Returns the works that cite a work and those that it cites, those first that lists name, with the `places`."""
    return rows_of(connection, _LINKED, {"work": work})


def outside_works_named(connection: DuckDBPyConnection, text: str, *, identifier: str | None) -> list[Row]:
    """Returns the works in no list, known by what papers of lists cite, that have an identifier or a whole title."""
    name = work_id_of(text.strip()) or " ".join(text.split())
    return rows_of(connection, _OUTSIDE, {"text": name, "identifier": identifier})


def papers_within(connection: DuckDBPyConnection, list_id: str) -> tuple[list[Row], list[tuple[str, str]]]:
    """Returns the papers of a list, the oldest first, and pairs of them of which the first cites the second."""
    links = rows_of(connection, _WITHIN, {"list_id": list_id})
    return rows_of(connection, _LISTED, {"list_id": list_id}), [(row["citing"], row["cited"]) for row in links]

"""Papers of the lake by words, names and identifiers, with the evidence: places in lists, and the sources of facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duckdb import DuckDBPyConnection

from sources.bibliography.identifiers import Identifier
from sources.errors import UsageError
from warehouse.papers.lake_papers import KnownPapers
from warehouse.query.output import rows_of

Row = dict[str, Any]

_MOST_PLACES = 50  # places in lists that are returned of one paper
_FEW_PLACES = 5  # places in lists of each paper that a search finds

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
        lambda field: field IS NOT NULL) AS found_in
FROM texts
WHERE len(list_filter($words, lambda w: contains(concat_ws(chr(10), in_title, in_authors, in_record, in_abstract), w)))
    = len($words)
ORDER BY contains(in_title, array_to_string($words, ' ')) DESC,
    len(list_filter($words, lambda w: contains(in_title, w))) DESC, citation_count DESC NULLS LAST, title, paper_id
"""

_UNRESOLVED = """
SELECT m.mention_id, l.location, l.list, m.line, m.section, m.status, m.title, m.text,
    m.url, m.arxiv_id, m.doi, m.reason, m.asked_at, m.tries
FROM mentions AS m JOIN list_names AS l USING (list_id)
WHERE m.removed_at IS NULL AND m.status <> 'resolved'
    AND ($lists IS NULL OR l.location IN (SELECT unnest($lists::VARCHAR[])))
    AND len(list_filter($words, lambda w: contains(lower(strip_accents(concat_ws(' ', m.title, m.text))), w)))
        = len($words)
ORDER BY l.location, m.line, m.mention_id
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
SELECT m.paper_id, m.mention_id, l.location, l.list, m.line, m.section, m.text, m.url,
    m.method, m.score, m.reason, m.first_seen_at, m.last_seen_at, m.removed_at
FROM mentions AS m JOIN list_names AS l USING (list_id)
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
# What a search returns of a paper; the rest is for `paper`.
_BRIEF = frozenset(
    "paper_id title authors year venue arxiv_id doi citation_key withdrawn retracted first_seen_at refreshed_at".split()
)


def search_papers(
    connection: DuckDBPyConnection, query: str, lists: Sequence[str] | None, *, most: int, offset: int
) -> tuple[list[Row], int]:
    """Returns papers that have every word of `query`, then mentions without a paper that have, and how many there are.

    Accents and capitals make no difference. `lists` are the locations of the lists to look in; None for all papers.

    Raises:
        UsageError: There is no word in `query`.
    """
    row = connection.execute(_WORDS, {"query": query}).fetchone()
    words = row[0] if row else []
    if not words:
        raise UsageError("the query has no word: give words of a title, names of authors, or an identifier")
    wanted = {"words": words, "lists": None if lists is None else list(lists)}
    found = {row["paper_id"]: row["found_in"] for row in rows_of(connection, _SEARCH, wanted)}
    papers = described(connection, list(found)[offset:][:most], brief=True)
    records = [{"kind": "paper", "found_in": found[paper["paper_id"]]} | paper for paper in papers]
    mentions = [{"kind": "mention"} | row for row in rows_of(connection, _UNRESOLVED, wanted)]
    rest = mentions[max(0, offset - len(found)) :][: most - len(records)]
    return records + rest, len(found) + len(mentions)


def paper_of(connection: DuckDBPyConnection, reference: str, identifier: Identifier | None) -> list[str]:
    """Returns the paper_id behind `reference`: a paper_id, a citation key, an identifier, an address, or a whole title.

    Several papers may have one title. A merged paper is given as the one it was merged into.
    `identifier` is the one that `reference` names, if it names one.
    """
    known = KnownPapers(connection)
    by_name = "SELECT paper_id FROM papers WHERE paper_id = $1 OR (citation_key = $1 AND merged_into IS NULL)"
    found = [row["paper_id"] for row in rows_of(connection, by_name, [reference.strip()])]
    if not found:
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
            facts[row.pop("paper_id")][name].append(row)
    shown = _FEW_PLACES if brief else _MOST_PLACES
    return [
        {name: value for name, value in row.items() if not brief or name in _BRIEF or name in parts}
        | {"places": row["places"][:shown], "author_count": len(row["authors"]), "place_count": len(row["places"])}
        for row in (facts[paper] for paper in paper_ids if paper in facts)
    ]

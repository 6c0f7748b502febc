"""Invented papers and their weekly counts, as Arrow tables of the lake's own columns, made by DuckDB from numbers."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa

from standins.trials.rows import run_row
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load
from warehouse.tables import declarations as tables

FIRST = datetime(2025, 1, 6, 6, tzinfo=UTC)
"""The instant of the first counts; a week lies between one and the next."""
IN_A_LIST = 100
"""Mentions of a list, each of a paper of its own."""

_PAPER_ID = "'p' || substr(sha256('arxiv:' || i), 1, 16)"
_SENTENCES = """
SET VARIABLE sentences = (SELECT list(sentence) FROM (
    SELECT string_agg(substr(md5((hash(i * 17 + w) % 900)::VARCHAR), 1, 6), ' ')
        AS sentence
    FROM range(5000) s(i), range(15) t(w) GROUP BY i))
"""
_SENTENCE = "getvariable('sentences')[1 + (hash(i * 8 + {n}) % 5000)::INT]"
_ABSTRACT = " || '. ' || ".join(_SENTENCE.format(n=n) for n in range(8))
_PAPERS = f"""
SELECT {_PAPER_ID} AS paper_id, title, [lower(title)] AS title_keys, {_ABSTRACT} AS abstract,
    ['Author ' || hash(i * 3) % 50000, 'Author ' || hash(i * 5) % 50000] AS authors,
    2000 + i % 26 AS year, DATE '2000-01-01' + (i % 9000)::INT AS published_on, 'Venue ' || i % 300 AS venue,
    {{arxiv_id}} AS arxiv_id, 1::BIGINT AS arxiv_version, '10.1000/x' || i AS doi,
    substr(sha256('s2' || i), 1, 40) AS s2_paper_id, i AS s2_corpus_id, 'cs.LG' AS primary_category,
    ['cs.LG', 'stat.ML'] AS categories, ['Computer Science'] AS fields_of_study, NULL::VARCHAR AS open_access_pdf_url,
    false AS withdrawn, (hash(i) % 5000)::BIGINT + $weeks AS citation_count,
    (hash(i) % 50)::BIGINT AS influential_citation_count, 30::BIGINT AS reference_count,
    $last AS counted_at, $first AS first_seen_at, $last AS refreshed_at, NULL::VARCHAR AS merged_into
FROM (SELECT i, 'A Study of ' || hash(i) % 100000 || ' Things in ' || i || ' Parts' AS title FROM range($papers) t(i))
"""
_COUNTS = f"""
SELECT {_PAPER_ID} AS paper_id, 's2' AS source, $first + to_days((7 * week)::INT) AS observed_at,
    (hash(i) % 5000 + week)::BIGINT AS citation_count, (hash(i) % 50)::BIGINT AS influential_citation_count,
    30::BIGINT AS reference_count
FROM range($weeks) w(week), range($papers) t(i)
"""
_IDENTIFIERS = """
SELECT paper_id, unnest(['arxiv', 'doi', 's2', 'corpus']) AS scheme,
    unnest([arxiv_id, doi, s2_paper_id, s2_corpus_id::VARCHAR]) AS value FROM papers
"""
_HARVESTS = """
SELECT paper_id, unnest(['arxiv', 's2']) AS source, counted_at AS asked_at, 'found' AS status, 0::BIGINT AS tries,
    NULL::VARCHAR AS error FROM papers
"""
_MENTIONS = """
SELECT 'm' || substr(paper_id, 2) AS mention_id, 'l' || s2_corpus_id // $in_a_list AS list_id,
    s2_corpus_id % $in_a_list + 3 AS line, ['Part ' || (s2_corpus_id % $in_a_list) // 10] AS section,
    '- ' || title AS text, title, []::VARCHAR[] AS authors, year, NULL::VARCHAR AS venue,
    'https://arxiv.org/abs/' || arxiv_id AS url, arxiv_id, NULL::VARCHAR AS doi, false AS struck,
    []::VARCHAR[] AS notes_urls, first_seen_at, first_seen_at AS last_seen_at, NULL::TIMESTAMPTZ AS removed_at,
    'resolved' AS status, paper_id, 'identifier' AS method, 1.0::DOUBLE AS score, NULL::VARCHAR AS reason,
    first_seen_at AS asked_at, 0::BIGINT AS tries, NULL::VARCHAR AS decision FROM papers
"""
_UNRESOLVED = """
SELECT * REPLACE ('u' || substr(mention_id, 2) AS mention_id, line + $in_a_list AS line, 'ambiguous' AS status,
    NULL AS paper_id, NULL AS method, NULL AS score, 'two papers fit' AS reason)
FROM mentions WHERE hash(mention_id) % 10 = 0
"""
_CANDIDATES = """
SELECT mention_id, rank, 'arxiv' AS source, title || ' of ' || rank AS title, year, arxiv_id, NULL::VARCHAR AS doi,
    NULL::VARCHAR AS s2_paper_id, 1 - rank / 10 AS score, ['title'] AS reasons, authors
FROM mentions, range(1, 4) t(rank) WHERE status = 'ambiguous'
"""
_WORKS = """
SELECT paper_id, 'W' || s2_corpus_id AS openalex_id, title, doi, 'article' AS type, year, published_on, venue,
    'publishedVersion' AS version, false AS retracted, [venue] AS topics, 'closed' AS open_access,
    []::VARCHAR[] AS location_urls, []::VARCHAR[] AS location_versions, citation_count + 3 AS citation_count,
    refreshed_at
FROM papers
"""
_CITED_BY_YEAR = """
SELECT paper_id, 'openalex' AS source, t.year, hash(s2_corpus_id + t.year) % 500 AS citation_count,
    refreshed_at AS observed_at
FROM papers, range(2016, 2026) t(year)
"""
_REFERENCES = """
SELECT paper_id, 'openalex' AS source, 'W' || cited AS cited_openalex_id, refreshed_at AS observed_at,
    CASE WHEN cited < $papers THEN 'p' || substr(sha256('arxiv:' || cited), 1, 16) END AS cited_paper_id
FROM (
    SELECT DISTINCT paper_id, refreshed_at,
        (pow(hash(s2_corpus_id * 31 + n) / 18446744073709551616, 3) * 3 * $papers)::BIGINT AS cited
    FROM papers, range(20) t(n)
)
"""
_OUTSIDE = """
SELECT cited_openalex_id AS openalex_id, 'found' AS status, 'Work ' || cited_openalex_id AS title,
    'work' || lower(cited_openalex_id) AS title_key, []::VARCHAR[] AS authors, 2020 AS year, 'article' AS type,
    5 * count(*) AS citation_count, 30 AS reference_count, max(observed_at) AS refreshed_at, 0 AS tries
FROM paper_references WHERE cited_paper_id IS NULL GROUP BY ALL HAVING count(*) > 2
"""
_RETRACTIONS = """
SELECT paper_id, 'retraction-watch' AS source, true AS retracted, []::VARCHAR[] AS reasons, 'doi' AS matched_by,
    first_seen_at FROM papers WHERE hash(paper_id) % 500 = 0
"""
_PUBLISHED = """
SELECT paper_id, 'dblp' AS source, 'conf/x/' || s2_corpus_id AS record, 'conference' AS kind, venue, year, doi,
    first_seen_at
FROM papers WHERE hash(paper_id) % 2 = 0
"""
_LISTS = """
SELECT DISTINCT list_id, '/lists/' || list_id || '.md' AS location, 'List ' || list_id AS title,
    sha256(list_id) AS revision, first_seen_at, first_seen_at AS parsed_at FROM mentions
"""


def arxiv_id(number: int) -> str:
    """Returns the identifier of paper `number`, as `papers` gives it."""
    return f"{number // 90000 // 12 + 15:02}{number // 90000 % 12 + 1:02}.{number % 90000 + 10000:05}"


_ARXIV_ID = "printf('%02d%02d.%05d', i // 90000 // 12 + 15, i // 90000 % 12 + 1, i % 90000 + 10000)"


def papers(number: int, *, weeks: int = 1) -> pa.Table:
    """Returns `number` papers whose newest counts are of the last of `weeks` weeks."""
    with closing(duckdb.connect()) as db:
        db.execute("SET TimeZone = 'UTC'")
        db.execute(_SENTENCES)
        given = {"papers": number, "weeks": weeks, "first": FIRST, "last": FIRST + timedelta(weeks=weeks - 1)}
        return _shaped(db, tables.PAPERS, _PAPERS.format(arxiv_id=_ARXIV_ID), given)


def facts(number: int, *, weeks: int) -> list[dict]:
    """Returns the first `number` papers, counted for `weeks` weeks, as the stand-ins take them."""
    counted = ["citation_count", "influential_citation_count", "reference_count"]
    columns = ["title", "authors", "arxiv_id", "doi", "year", "s2_paper_id", "abstract", *counted]
    return papers(number, weeks=weeks).select(columns).to_pylist()


def counts(number: int, *, weeks: int) -> pa.Table:
    """Returns a count a week of each of `number` papers, in the order in which weekly refreshes bring them."""
    with closing(duckdb.connect()) as db:
        db.execute("SET TimeZone = 'UTC'")
        return _shaped(db, tables.CITATION_COUNTS, _COUNTS, {"papers": number, "weeks": weeks, "first": FIRST})


def make_lake(folder: Path, number: int, *, weeks: int, whole: bool = False) -> LakePlace:
    """Returns a lake of `number` papers with `weeks` weekly counts each, every one named by one of number/100 lists.

    With `whole` no table that views read is empty: there are a tenth as many mentions without a paper, with candidates,
    and what OpenAlex, DBLP and Retraction Watch tell. A table without rows takes DuckLake 1.5.5 many times as long to
    plan: https://github.com/duckdb/ducklake/pull/1313 .
    """
    place = LakePlace.of(folder)
    known = papers(number, weeks=weeks)
    with closing(duckdb.connect()) as db:
        db.execute("SET TimeZone = 'UTC'")
        db.register("papers", known)
        mentions = _shaped(db, tables.MENTIONS, _MENTIONS, {"in_a_list": IN_A_LIST})
        db.register("mentions", mentions)
        more = _more(db, number) if whole else {}
        mentions = more.pop("mentions", mentions)
        harvest = Harvest(
            reading_lists=_shaped(db, tables.READING_LISTS, _LISTS, {}),
            mentions=mentions,
            papers=known,
            paper_identifiers=_shaped(db, tables.PAPER_IDENTIFIERS, _IDENTIFIERS, {}),
            harvests=_shaped(db, tables.HARVESTS, _HARVESTS, {}),
            citation_counts=counts(number, weeks=weeks),
            **more,
        )
    with writing(place) as connection:
        load(connection, harvest, run_row(mentions=number, resolved=number, papers=number))
    return place


def _more(db: duckdb.DuckDBPyConnection, number: int) -> dict[str, pa.Table]:
    """Returns rows of the other tables that views read, and all mentions."""
    unresolved = _shaped(db, tables.MENTIONS, _UNRESOLVED, {"in_a_list": IN_A_LIST})
    mentions = pa.concat_tables(
        [db.execute("FROM mentions").to_arrow_table().cast(tables.MENTIONS.arrow()), unresolved]
    )
    db.register("mentions", mentions)
    references = _shaped(db, tables.PAPER_REFERENCES, _REFERENCES, {"papers": number})
    db.register("paper_references", references)
    others = [
        (tables.CANDIDATES, _CANDIDATES),
        (tables.OPENALEX_WORKS, _WORKS),
        (tables.CITATIONS_BY_YEAR, _CITED_BY_YEAR),
        (tables.OUTSIDE_WORKS, _OUTSIDE),
        (tables.RETRACTIONS, _RETRACTIONS),
        (tables.PUBLISHED_VERSIONS, _PUBLISHED),
    ]
    made = {table.name: _shaped(db, table, sql, {}) for table, sql in others}
    return made | {"mentions": mentions, "paper_references": references}


def _shaped(db: duckdb.DuckDBPyConnection, table: tables.Table, sql: str, given: dict) -> pa.Table:
    rows = db.execute(sql, given).to_arrow_table()
    for column in table.columns:
        if column.name not in rows.column_names:
            rows = rows.append_column(column.name, pa.nulls(rows.num_rows, column.type.arrow))
    return rows.select(table.names).cast(table.arrow())

"""Writes a dump of any size, shaped as arXiv's or as a shard of Semantic Scholar's papers, out of real titles.

    .venv/bin/python -m benchmarks.mirrors.mirror_dump ROWS OUT [--source NAME] [--background FILE] [--bad N]

The first rows are the background's own papers; the further ones are made of them so that look-alikes abound: surveys
and replies, second parts, negations, one word changed for another paper's, head and tail of two papers joined, the same
title by other authors. With `--bad N`, every Nth row of arXiv's is followed by a broken one, cut off, wrongly encoded,
without title, with a bad identifier, of another form, or by itself once more.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path

import duckdb

_VARIANTS = (
    "title",
    "'A Survey of ' || title",
    "title || ': A Reply'",
    "'Towards ' || title",
    "title || ' II'",
    "words[1:len(words) // 2] || other[len(other) // 2 + 1:]",
    "words[1:len(words) // 2] || other[1:1] || words[len(words) // 2 + 2:]",
    "'Rethinking ' || title",
    "words[1:-2] || other[-1:]",
    "title || ' without ' || other[-1]",
    "title",
)

_ARXIV = """
    printf('%02d%02d.%05d', 15 + row // 300000, 1 + (row // 25000) % 12, 1 + row % 25000) AS id,
    'A. Submitter' AS submitter,
    array_to_string(names, ', ') AS authors,
    varied AS title,
    '12 pages, 3 figures' AS comments,
    venue AS "journal-ref",
    CASE WHEN variant = 0 THEN doi END AS doi,
    NULL::VARCHAR AS "report-no",
    coalesce(primary_category, 'cs.LG') || ' stat.ML' AS categories,
    'http://arxiv.org/licenses/nonexclusive-distrib/1.0/' AS license,
    title || E'.\n  ' || abstract AS abstract,
    [{version: 'v1', created: strftime(make_date(2015 + (row // 300000)::INT, 1 + ((row // 25000) % 12)::INT,
        1 + (row % 28)::INT), '%a, %d %b %Y 08:00:00 GMT')}] AS versions,
    '2026-11-15' AS update_date,
    list_transform(names, lambda n: [split_part(n, ' ', -1), array_to_string(string_split(n, ' ')[:-2], ' '), ''])
        AS authors_parsed
"""
"""As https://www.kaggle.com/datasets/Cornell-University/arxiv describes it."""

_S2_PAPERS = """
    row + 1 AS corpusid,
    {ACL: NULL::VARCHAR, DBLP: NULL::VARCHAR, ArXiv: printf('%02d%02d.%05d', 15 + row // 300000,
        1 + (row // 25000) % 12, 1 + row % 25000), MAG: (2000000000 + row)::VARCHAR, CorpusId: (row + 1)::VARCHAR,
        PubMed: NULL::VARCHAR, DOI: CASE WHEN variant = 0 THEN doi END, PubMedCentral: NULL::VARCHAR} AS externalids,
    'https://www.semanticscholar.org/paper/' || md5(row::VARCHAR) || left(md5((-row)::VARCHAR), 8) AS url,
    varied AS title,
    list_transform(names, lambda n: {authorId: (hash(n) % 100000000)::VARCHAR, name: n}) AS authors,
    venue,
    NULL::VARCHAR AS publicationvenueid,
    2015 + row // 300000 % 11 AS year,
    row % 97 AS referencecount,
    row % 1009 AS citationcount,
    row % 31 AS influentialcitationcount,
    row % 2 = 0 AS isopenaccess,
    [{category: 'Computer Science', source: 's2-fos-model'}] AS s2fieldsofstudy,
    ['JournalArticle'] AS publicationtypes,
    strftime(make_date(2015 + (row // 300000 % 11)::INT, 1 + (row // 25000 % 12)::INT, 1 + (row % 28)::INT),
        '%Y-%m-%d') AS publicationdate,
    NULL::VARCHAR AS journal
"""
"""As https://api.semanticscholar.org/api-docs/datasets describes the data set "papers"."""

_OPENALEX = """
    work_of(row) AS id,
    CASE WHEN row % 3 < 2 THEN doi_of(row) END AS doi,
    CASE WHEN row % 50 = 49 THEN NULL WHEN drawn(row, 1) < 0.06 THEN translate(lower(varied), {latin}, {cyrillic})
        WHEN drawn(row, 1) < 0.22 THEN translate(varied, 'aou', 'äöü') ELSE varied END AS title,
    (1950 + floor(76 * sqrt(drawn(row, 2))))::INT AS publication_year,
    strftime(make_date((1950 + floor(76 * sqrt(drawn(row, 2))))::INT, 1 + (row % 12)::INT, 1 + (row % 28)::INT),
        '%Y-%m-%d') AS publication_date,
    'article' AS type,
    (0.4 * {references} * pow((row + 1) / {rows}, -0.6) * drawn(row, 3))::INT AS cited_by_count,
    list_transform(range(0, greatest(0, 12 - (20 * drawn(row, 4))::INT)),
        lambda n: {year: 2026 - n, cited_by_count: (hash(row + n) % 17)::INT}) AS counts_by_year,
    list_transform(range(0, references_of(row)),
        lambda n: work_of(floor({rows} * pow(drawn(row, 10 + n), 2.5))::BIGINT)) AS referenced_works,
    references_of(row) AS referenced_works_count,
    list_transform(range(0, people_of(row)), lambda n: {author_position: 'middle', is_corresponding: false,
        raw_author_name: name_of(names, n),
        author: {id: 'https://openalex.org/A' || (5000000000 + hash(name_of(names, n)) % 100000000),
            display_name: name_of(names, n), orcid: NULL::VARCHAR},
        institutions: list_transform(range(0, (hash(row + n) % 3)::INT), lambda i: {id: 'https://openalex.org/I1',
            display_name: 'University of ' || words[1] || ' ' || (hash(row * n + i) % 9999), country_code: 'XX'}),
        raw_affiliation_strings: ['Department of Things, University ' || (hash(row + n) % 9999)]}) AS authorships,
    list_transform(range(0, (row % 4)::INT), lambda n: {id: 'https://openalex.org/T1', score: 0.9,
        display_name: 'Topic ' || ((row + n) % 4500)}) AS topics,
    row % 5000 = 0 AS is_retracted,
    {is_oa: true, oa_status: 'green', oa_url: 'https://example.org/' || row} AS open_access,
    {is_oa: true, landing_page_url: doi_of(row), version: 'publishedVersion',
        source: {id: 'https://openalex.org/S1', display_name: venue, type: 'journal'}} AS primary_location,
    list_transform(range(0, 1 + (3 * pow(drawn(row, 5), 4))::INT), lambda n: {is_oa: true,
        landing_page_url: CASE WHEN n = 0 AND row % 20 = 0 THEN printf('https://arxiv.org/abs/%02d%02d.%05d',
            15 + row // 300000, 1 + (row // 25000) % 12, 1 + row % 25000)
            WHEN n = 0 THEN doi_of(row) ELSE 'https://example.org/paper/' || (hash(row + n) % 1000000000) END,
        version: 'publishedVersion',
        source: {id: 'https://openalex.org/S' || n, display_name: venue, type: 'journal'}}) AS locations,
    json_object('words', [0]) AS abstract_inverted_index,
    '{day}T10:00:00.000000' AS updated_date
"""
"""As https://developers.openalex.org/download/snapshot-format describes it, but for what nobody here reads.

Of 510 million works, 188 million are data and the like that the API leaves out; many works have no references. Here 35
in a hundred have some, 30 on average and up to 2,000, so that a work has ten; they go to few works most of all. A work
has 2.4 people, some none, some 2,000, and 1.6 places. Six titles in a hundred are in another alphabet, 16 have letters
beyond ASCII, two are missing.
"""

FIRST_WORK = 1_500_000_000
"""Number of the first work: those of OpenAlex have ten digits."""

_DRAWN = f"""
CREATE MACRO drawn(number, k) AS ((hash(number * 4096 + k) >> 11)::DOUBLE + 1) / 9007199254740993;
CREATE MACRO normal(number, k) AS sqrt(-2 * ln(drawn(number, k))) * cos(6.283185307 * drawn(number, k + 1));
CREATE MACRO work_of(number) AS 'https://openalex.org/W' || ({FIRST_WORK} + number);
CREATE MACRO doi_of(number) AS printf('https://doi.org/10.%d/%s', 1000 + number % 9000, left(md5(number::VARCHAR), 10));
CREATE MACRO references_of(number) AS
    CASE WHEN drawn(number, 2100) < 0.35 THEN least(2000, exp(3 + 0.9 * normal(number, 2110)))::INT ELSE 0 END;
CREATE MACRO people_of(number) AS CASE WHEN number % 200000 = 77 THEN 2000 WHEN drawn(number, 2120) < 0.08 THEN 0
    ELSE least(500, exp(0.6 + 0.85 * normal(number, 2130)))::INT END;
CREATE MACRO name_of(names, n) AS CASE WHEN n < len(names) THEN names[n + 1]
    ELSE chr((65 + n % 26)::INT) || '. ' || coalesce(string_split(names[1 + n % len(names)], ' ')[-1], 'Nomen') END;
"""
_REFERENCES = 10.5
"""References of a work on average, as `_DRAWN` has them."""
_LATIN, _CYRILLIC = "abcdefghijklmnopqrstuvwxyz", "абцдефгхийклмнопкрстуввхыз"
_PARTS = (400_000, 400_000, 120_000, 360_000, 5_000, 500)
"""Works of a part, one after the other: parts of a snapshot have from a few dozen to 400,000."""

_SHAPES = {"arxiv": _ARXIV, "s2-papers": _S2_PAPERS, "openalex": _OPENALEX}

_ROWS = """
SELECT {fields}
FROM (
    SELECT *, CASE variant {cases} END AS varied
    FROM (
        SELECT r.row, r.row // {papers} % {kinds} AS variant, b.title, b.venue, b.doi, b.primary_category,
            p.abstract || E'.\n  ' || q.abstract AS abstract,
            string_split(b.title, ' ') AS words, string_split(o.title, ' ') AS other,
            CASE WHEN r.row < {papers} THEN b.authors ELSE o.authors END AS names
        FROM (SELECT unnest(range({first}, {last})) AS row) r
        JOIN base b ON b.number = r.row % {papers}
        JOIN base o ON o.number = (r.row * 7919 + r.row // {papers} * 104729 + 31) % {papers}
        JOIN pool p ON p.number = r.row % 10007
        JOIN pool q ON q.number = r.row % 9973
    )
)
ORDER BY row
"""


_BAD_KINDS = 6


def bad_rows(rows: int, bad: int) -> tuple[int, int]:
    """Returns how many of the bad rows of such a dump are no papers, and how many a paper once more."""
    total = rows // bad
    again = (total + 1) // _BAD_KINDS
    return total - again, again


def write_dump(rows: int, out: Path, background: Path, *, source: str = "arxiv", bad: int = 0) -> None:
    """Writes `rows` rows of a dump of `source` to `out`, and after every `bad`-th of them one that is broken."""
    connection, papers = _prepared(background)
    step = 500_000
    with out.open("wb") as target:
        for first in range(0, rows, step):
            part = out.with_suffix(".part")
            sql = _rows_from(first, min(first + step, rows), rows=rows, papers=papers, source=source)
            connection.execute(f"COPY ({sql}) TO '{part}' (FORMAT json)")
            with part.open("rb") as written:
                if bad:
                    for number, line in enumerate(written, start=first + 1):
                        target.write(line)
                        if number % bad == 0:
                            target.write(_broken(number // bad, line))
                else:
                    while chunk := written.read(16 * 2**20):
                        target.write(chunk)
            part.unlink()


def write_snapshot(rows: int, folder: Path, background: Path, *, parts: Sequence[int] = _PARTS) -> None:
    """Writes a snapshot of `rows` works of OpenAlex as Parquet, and the manifest.

    `parts` has the works of a part, one after the other; each part is of a day of its own.
    """
    connection, papers = _prepared(background)
    files = []
    first = 0
    for number, size in enumerate(cycle(parts)):
        day, last = f"2026-{1 + number // 28 % 6:02}-{1 + number % 28:02}", min(first + size, rows)
        part = folder / f"updated_date={day}" / "part_0000.parquet"
        part.parent.mkdir(parents=True)
        sql = _rows_from(first, last, rows=rows, papers=papers, source="openalex", day=day)
        connection.execute(f"COPY ({sql}) TO '{part}' (FORMAT parquet, COMPRESSION snappy)")
        url = f"s3://openalex/data/parquet/works/{part.parent.name}/{part.name}"
        files.append({"url": url, "meta": {"content_length": part.stat().st_size, "record_count": last - first}})
        first = last
        if first == rows:
            break
    facts = {"date": "2026-06-26", "format": "parquet", "entity": "works", "record_count": rows, "files": files}
    (folder / "manifest.json").write_text(json.dumps(facts))


def _prepared(background: Path) -> tuple[duckdb.DuckDBPyConnection, int]:
    """Returns a connection with the papers that rows are made of, and how many these are."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar=false")
    connection.execute(_DRAWN)
    connection.execute(
        "CREATE TABLE base AS SELECT row_number() OVER () - 1 AS number, * FROM"
        f" (FROM read_parquet('{background}') ORDER BY hash(title), title)"
    )
    connection.execute(
        "CREATE TABLE pool AS SELECT number // 7 AS number, string_agg(title, E'.\\n  ') AS abstract"
        " FROM base WHERE number < 70100 GROUP BY ALL"
    )
    return connection, connection.execute("SELECT count(*) FROM base").fetchone()[0]


def _rows_from(first: int, last: int, *, rows: int, papers: int, source: str, day: str = "") -> str:
    texts = [f"array_to_string({sql}, ' ')" if sql.startswith("words") else sql for sql in _VARIANTS]
    cases = " ".join(f"WHEN {kind} THEN {sql}" for kind, sql in enumerate(texts))
    facts = {"rows": rows, "day": day, "latin": f"'{_LATIN}'", "cyrillic": f"'{_CYRILLIC}'", "references": _REFERENCES}
    fields = _SHAPES[source]
    for name, value in facts.items():
        fields = fields.replace(f"{{{name}}}", str(value))
    return _ROWS.format(fields=fields, first=first, last=last, papers=papers, kinds=len(_VARIANTS), cases=cases)


def _broken(number: int, line: bytes) -> bytes:
    """Returns a line that is no paper, of each kind in turn, or the same paper again."""
    kinds = (
        line[: len(line) // 2].rstrip(b"\n") + b"\n",
        line.replace(b'"title":"', b'"title":"\xff\xfe', 1),
        line.replace(b'"title":', b'"name":', 1),
        line.replace(b'"id":"', b'"id":"no-', 1),
        b"[1, 2, 3]\n",
        line,
    )
    assert len(kinds) == _BAD_KINDS
    return kinds[number % _BAD_KINDS]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("rows", type=int)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--background", type=Path, default=Path("../shared/facts/background.parquet"))
    arguments.add_argument("--source", choices=_SHAPES, default="arxiv")
    arguments.add_argument("--bad", type=int, default=0)
    options = arguments.parse_args()
    write_dump(options.rows, options.out, options.background, source=options.source, bad=options.bad)


if __name__ == "__main__":
    main()

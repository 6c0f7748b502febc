from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from sources.errors import UsageError
from standins.servers.postgres import PASSWORD
from standins.trials.rows import T0, paper_row
from tests.backends import as_argument
from tests.matrices import for_each
from tests.warehouse.test_read_only import STATEMENTS
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.load import append
from warehouse.query.output import cell, write_rows
from warehouse.query.read_only import run_query
from warehouse.tables import declarations as tables

pytestmark = pytest.mark.both_backends

ASK_ALL = """
import json, sys
from sources.errors import UsageError
from tests.backends import from_argument
from warehouse.lake.session import open_lake
from warehouse.query.read_only import ask

connection = open_lake(from_argument(sys.argv[1]))
for query in json.load(sys.stdin):
    try:
        ask(connection, query)
        said = "it ran"
    except UsageError as error:
        said = "refused: " + str(error)
    except BaseException as error:
        said = "broke: " + repr(error)
    print(json.dumps([query, said]), flush=True)
"""
"""In a process of its own: some queries crash DuckDB on a read-only lake when they get through."""


def answers(place: LakePlace, queries: list[str]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", ASK_ALL, as_argument(place)],
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        check=False,
    )
    said = dict(json.loads(line) for line in done.stdout.splitlines())
    crashed = next((query for query in queries if query not in said), None)
    assert crashed is None, f"{crashed!r} crashed DuckDB: {done.stderr}"
    return said


@pytest.fixture(scope="module")
def filled(backend, tmp_path_factory):
    """A lake with three papers; nothing in these tests changes it."""
    place = backend.new(tmp_path_factory.mktemp("query") / "lake")
    with writing(place) as connection:
        papers = [paper_row(f"p{number}", year=2000 + number, citation_count=number or None) for number in range(3)]
        append(connection, tables.PAPERS, papers)
    return place


FILES = {"new": "mine", "data": "mine/", "file": "mine.csv", "catalogue": "mine.sqlite"}
WRITES = [text.format(**FILES) for texts in STATEMENTS.values() for text in texts] + [
    "EXPLAIN ANALYZE INSERT INTO papers SELECT * FROM papers",
    "WITH w AS (DELETE FROM papers RETURNING 1) SELECT * FROM w",
]
TEXTS = ["", "-- only a remark", ";", "SELECT 1; DELETE FROM papers", "SELECT 'unfinished", "SELEKT 1", "\u0000"]
OUTSIDE = [
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM '/etc/*.csv'",
    "SELECT * FROM 'https://example.org/x.parquet'",
    "SELECT getenv('HOME')",
    "SELECT * FROM place",
    "SELECT * FROM 'S3://lakes/x.parquet'",
    "SELECT * FROM __ducklake_metadata_lake.ducklake_snapshot",
    'SELECT * FROM "__DUCKLAKE_metadata_lake".ducklake_snapshot',
    "SELECT (SELECT count(*) FROM __ducklake_metadata_lake.pg_catalog.pg_user)",
    "SELECT snapshot_id FROM papers JOIN __ducklake_metadata_lake.ducklake_snapshot ON true",
    "DESCRIBE __ducklake_metadata_lake.ducklake_snapshot",
    "SUMMARIZE __ducklake_metadata_lake.ducklake_snapshot",
    "EXPLAIN ANALYZE SELECT * FROM __ducklake_metadata_lake.ducklake_snapshot",
    "SELECT * FROM duckdb_secrets(redact => false)",
]
INTO_THE_STORE = [
    "SELECT * FROM '{data}../{name}'",
    'SELECT * FROM "{data}../{name}"',
    "SELECT * FROM $${data}../{name}$$",
    "SELECT * FROM E'{escaped}../{name}'",
    "SELECT * FROM '{data}{name}?s3_endpoint=127.0.0.1:9'",
    "WITH c AS (SELECT (SELECT count(*) FROM '{data}../{name}')) FROM c",
    "DESCRIBE SELECT * FROM E'{escaped}../{name}'",
    "SUMMARIZE '{data}../{name}'",
    "EXPLAIN ANALYZE SELECT * FROM e'{escaped}../{name}'",
    "PIVOT '{data}../{name}' ON year IN (2001) USING count(*)",
]
KEEPERS = [
    "ducklake_merge_adjacent_files('lake')",
    "ducklake_expire_snapshots('lake', older_than => now())",
    "lake.merge_adjacent_files()",
    "lake.set_option('data_inlining_row_limit', '9')",
    "lake.options()",
    "checkpoint('lake')",
    "json_execute_serialized_sql(json_serialize_sql('SELECT * FROM ducklake_merge_adjacent_files(''lake'')'))",
]
"""Some of each kind; that every function of the engine is refused is tried below."""
WAYS = [
    "SELECT * FROM {call}",
    "FROM {call}",
    "SELECT (SELECT count(*) FROM {call})",
    "WITH c AS (FROM {call}) SELECT 1",
    "WITH c AS MATERIALIZED (FROM {call}) SELECT * FROM c",
    "SELECT 1 UNION ALL SELECT 1 FROM {call}",
    "SELECT 1 WHERE EXISTS (FROM {call})",
    "DESCRIBE SELECT * FROM {call}",
    "SUMMARIZE SELECT * FROM {call}",
    "EXPLAIN SELECT * FROM {call}",
    "EXPLAIN ANALYZE SELECT * FROM {call}",
    "EXPLAIN (FORMAT json) SELECT * FROM {call}",
    "EXPLAIN/**/ANALYZE SELECT 'é' FROM {call}",
    "/* é */ EXPLAIN -- x\n ANALYZE FROM {call}",
]


def _disguised(call: str) -> str:
    name, _, rest = call.partition("(")
    *before, last = name.split(".")
    return ".".join([*before, f'"{last.upper()}"']) + f" /* é */ -- (\n ({rest}"


@pytest.mark.parametrize("queries", [WRITES, TEXTS, OUTSIDE], ids=["writes", "no-query", "outside"])
def test_all_that_is_not_reading_the_lake_is_refused(filled, backend, queries):
    before = backend.contents(filled)
    odd = {query: said for query, said in answers(filled, queries).items() if not said.startswith("refused: ")}
    assert odd == {}
    assert backend.contents(filled) == before


@pytest.mark.servers
def test_no_other_object_of_the_store_can_be_read_and_no_key_of_it_seen(filled, backend):
    name = "other/secret.parquet"
    backend.put(name, filled)
    escaped = filled.data.replace("s3", "s\\x33")
    queries = [query.format(data=filled.data, name=name, escaped=escaped) for query in INTO_THE_STORE]
    odd = {query: said for query, said in answers(filled, queries).items() if not said.startswith("refused: a ")}
    assert odd == {}
    looks = ["FROM duckdb_settings()", "FROM duckdb_secrets()", "FROM duckdb_databases()", "FROM duckdb_variables()"]
    seen = "".join(repr(run_query(filled, look).to_pylist()) for look in looks)
    assert os.environ["AWS_SECRET_ACCESS_KEY"] not in seen
    assert PASSWORD not in seen
    assert PASSWORD.replace("'", "\\'") not in seen


def test_functions_that_maintain_a_lake_or_run_sql_are_refused_wherever_they_stand(filled, backend):
    before = backend.contents(filled)
    queries = [way.format(call=call) for call in KEEPERS for way in (WAYS[0], WAYS[-1])]
    queries += [way.format(call=KEEPERS[0]) for way in WAYS]
    queries += [way.format(call=_disguised(call)) for call in KEEPERS[:6] for way in (WAYS[1], WAYS[7], WAYS[11])]
    said = answers(filled, list(dict.fromkeys(queries)))
    odd = {query: answer for query, answer in said.items() if "is not for reading the lake" not in answer}
    assert odd == {}
    assert backend.contents(filled) == before


def test_every_function_of_the_engine_that_gives_a_table_is_harmless_or_refused(filled):
    names = run_query(
        filled, "SELECT DISTINCT function_name AS n FROM duckdb_functions() WHERE function_type = 'table'"
    )
    harmless = "range generate_series unnest repeat repeat_row json_each json_tree icu_calendar_names pg_timezone_names"
    readers = "snapshots current_snapshot table_info table_deletions table_insertions"
    allowed = {*harmless.split(), *(f"ducklake_{name}" for name in readers.split())}
    others = [name for name in names.column("n").to_pylist() if name not in allowed and not name.startswith("duckdb_")]
    assert len(others) > 60
    said = answers(filled, [f'FROM "{name}"()' for name in others])
    assert {query: answer for query, answer in said.items() if "is not for reading the lake" not in answer} == {}


@for_each(
    ("query", "rows"),
    [
        ("from papers select paper_id order by 1 limit 1;  ", [{"paper_id": "p0"}]),
        ("WITH c AS (FROM papers) SELECT max(year) AS y FROM c -- newest", [{"y": 2002}]),
        ("VALUES (1), (2)", [{"col0": 1}, {"col0": 2}]),
        ("SELECT unnest([1, 2]) AS n", [{"n": 1}, {"n": 2}]),
        ("SELECT * FROM range(2) AS r(n)", [{"n": 0}, {"n": 1}]),
        ("SELECT 'read_csv(''x'')' AS t", [{"t": "read_csv('x')"}]),
        ("SELECT count(*) AS n FROM coverage", [{"n": 0}]),
        ("SELECT count(*) > 1 AS n FROM lake.snapshots()", [{"n": True}]),
        ("SELECT count(*) AS n FROM papers AT (VERSION => 1)", [{"n": 0}]),
        ("SELECT count(*) AS n FROM lake.table_changes('papers', 0, 2)", [{"n": 3}]),
        ("SELECT version() LIKE 'v%' AS v", [{"v": True}]),
    ],
)
def test_reading_works(filled, query, rows):
    assert run_query(filled, query).to_pylist() == rows


@for_each("query", ["DESCRIBE papers", "SHOW TABLES", "SUMMARIZE papers", "EXPLAIN FROM papers"])
def test_looking_around_works(filled, query):
    assert run_query(filled, query).num_rows


@for_each(
    ("query", "place_in_it"),
    [
        ("SELECT tilte FROM papers", "tilte"),
        ("SELECT title FROM paper", "paper"),
        ("SELECT title FRM papers", "papers"),
        ("SELECT lenght(title) FROM papers", "lenght"),
        ("SELECT title,\n       yaer\nFROM papers", "yaer"),
    ],
)
def test_an_error_points_at_the_place_in_the_query(filled, query, place_in_it):
    with pytest.raises(UsageError) as error:
        run_query(filled, query)
    *_, line, caret = str(error.value).splitlines()
    assert line.startswith("LINE ")
    assert line[caret.index("^") :].startswith(place_in_it)
    assert "Stack Trace" not in str(error.value)
    with pytest.raises(UsageError, match="struck_"):
        run_query(filled, "PIVOT papers ON year IN (2001) USING count(*) GROUP BY struck_ IS NULL")


# what comes out

MIXED = (
    "SELECT 1 AS n, NULL AS nothing, 'é\"\n,' AS text, ['a', NULL] AS list, {'k': DATE '2026-03-01'} AS thing, "
    "TIMESTAMPTZ '2026-03-01 06:00:00+00' AS instant, true AS flag, sum(x) AS total, 'nan'::DOUBLE AS undefined, "
    "1.25 AS fraction, 1 AS n FROM range(3) AS r(x) GROUP BY ALL"
)


def written(rows, fmt):
    out = io.BytesIO()
    write_rows(rows, out, fmt=fmt)
    return out.getvalue()


def test_json_holds_every_value_in_a_form_that_any_reader_takes(filled):
    text = written(run_query(filled, MIXED), "json").decode()

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    assert json.loads(text, parse_constant=refuse) == [
        {
            "n": 1,
            "nothing": None,
            "text": 'é"\n,',
            "list": ["a", None],
            "thing": {"k": "2026-03-01"},
            "instant": "2026-03-01T06:00:00+00:00",
            "flag": True,
            "total": 3,
            "undefined": None,
            "fraction": 1.25,
            "n_1": 1,
        }
    ]


def test_no_rows_are_still_an_answer(filled):
    rows = run_query(filled, "SELECT title FROM papers WHERE false")
    assert json.loads(written(rows, "json")) == []
    assert written(rows, "csv") == b"title\n"
    assert pq.read_table(io.BytesIO(written(rows, "parquet"))).column_names == ["title"]


@for_each(
    ("value", "text"),
    [(None, ""), (0, "0"), (["ö", 1], '["ö", 1]'), (T0, "2026-03-01T06:00:00+00:00"), (b"\xffa", "\\xffa")],
)
def test_a_cell_is_text(value, text):
    assert cell(value) == text

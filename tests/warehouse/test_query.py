"""Queries of users: what is read, what is refused, and how each kind of value comes out of every format."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import duckdb
import pyarrow.parquet as pq
import pytest

from flows.console import print_rows
from sources.errors import UsageError
from standins.servers.postgres import PASSWORD
from standins.trials.rows import paper_row
from tests.backends import as_argument
from tests.matrices import for_each
from tests.warehouse.test_read_only import STATEMENTS
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.load import append
from warehouse.query.output import write_rows
from warehouse.query.read_only import ask, ask_for_screen, run_query
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


def written(rows, fmt):
    out = io.BytesIO()
    write_rows(rows, out, fmt=fmt)
    return out.getvalue()


def test_no_rows_are_still_an_answer(filled):
    rows = run_query(filled, "SELECT title FROM papers WHERE false")
    assert json.loads(written(rows, "json")) == []
    assert written(rows, "csv") == b"title\n"
    assert pq.read_table(io.BytesIO(written(rows, "parquet"))).column_names == ["title"]


VALUES = [
    ("'nan'::DOUBLE", None, "nan"),
    ("DATE 'infinity'", "infinity", "infinity"),
    ("DATE '0044-03-15 (BC)'", "0044-03-15 (BC)", "0044-03-15 (BC)"),
    ("TIMESTAMP '290000-01-01'", "290000-01-01 00:00:00", "290000-01-01 00:00:00"),
    ("TIMESTAMPTZ '-infinity'", "-infinity", "-infinity"),
    ("TIMESTAMP_NS '2020-01-01 00:00:00.123456789'", "2020-01-01T00:00:00.123456789", "2020-01-01T00:00:00.123456789"),
    ("170141183460469231731687303715884105727::HUGEINT", 2**127 - 1, str(2**127 - 1)),
    ("340282366920938463463374607431768211455::UHUGEINT", str(2**128 - 1), str(2**128 - 1)),
    ("'\\xFF\\x00a'::BLOB", "\\xff\x00a", "\\xff\x00a"),
    ("INTERVAL '1 month 2 days 3 hours'", "1 month 2 days 03:00:00", "1 month 2 days 03:00:00"),
    ("TIMETZ '01:02:03+05'", "01:02:03+05", "01:02:03+05"),
    ("TIMESTAMPTZ '2026-03-01 06:00:00+02'", "2026-03-01T04:00:00+00:00", "2026-03-01T04:00:00+00:00"),
    ("[DATE 'infinity', NULL]", ["infinity", None], '["infinity", null]'),
    ("{'a': ['nan'::DOUBLE], 'b': {'c': 1::BIT}}", None, None),
    ("MAP {DATE 'infinity': [1]}", [["infinity", [1]]], '[["infinity", [1]]]'),
    ("row(1, 2)", {"field1": 1, "field2": 2}, '{"field1": 1, "field2": 2}'),
    ("union_value(k := 1)", "1", "1"),
    ("1.5::DECIMAL(38, 10)", 1.5, "1.5000000000"),
    ("99999999999999999999::DECIMAL(38, 0)", 99999999999999999999, "99999999999999999999"),
    ("chr(27) || ']52;' || chr(155) || chr(8238)", "\x1b]52;\x9b\u202e", "\x1b]52;\x9b\u202e"),
]


@pytest.fixture(scope="module")
def connection():
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    yield connection
    connection.close()


@for_each(("sql", "in_json", "in_csv"), VALUES)
def test_a_value_comes_out_of_every_format(connection, capsys, sql, in_json, in_csv):
    rows = ask(connection, f"SELECT {sql} AS v -- the end\n;")
    out = {fmt: io.BytesIO() for fmt in ("json", "csv", "parquet")}
    for fmt, file in out.items():
        write_rows(rows, file, fmt=fmt)

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    text = out["json"].getvalue().decode()
    ((told,),) = [row.values() for row in json.loads(text, parse_constant=refuse)]
    assert all(line.isprintable() for line in text.splitlines())
    _, (cell,) = csv.reader(io.StringIO(out["csv"].getvalue().decode(), newline=""))
    if in_csv is not None:
        assert (told, cell) == (in_json, in_csv)
    out["parquet"].seek(0)
    assert pq.read_table(out["parquet"]).num_rows == 1
    screen = ask_for_screen(connection, f"SELECT {sql} AS v -- the end\n;", most=9)
    assert screen.total == len(screen.rows) == 1
    print_rows(screen.names, screen.rows)
    assert all(line.isprintable() for line in capsys.readouterr().out.splitlines())


def test_rows_keep_their_order_and_columns_their_names_where_types_are_cast(connection):
    rows = ask(connection, "SELECT i AS n, i::UHUGEINT AS n FROM range(1000) AS r(i) ORDER BY i DESC;")
    assert rows.column_names == ["n", "n_1"]
    assert rows.column("n").to_pylist() == list(range(999, -1, -1))

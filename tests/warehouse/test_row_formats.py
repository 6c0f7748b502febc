"""Every kind of value that a query gives comes out of every format, whole and without a traceback."""

from __future__ import annotations

import csv
import io
import json

import duckdb
import pyarrow.parquet as pq
import pytest

from flows.console import print_rows
from tests.matrices import for_each
from warehouse.query.output import write_rows
from warehouse.query.read_only import ask, ask_for_screen

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

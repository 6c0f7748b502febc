"""Rows that fit their tables and rows that do not, and the tables as declared and as they stand in a lake."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sources.errors import SchemaMismatch
from tests.matrices import for_each
from warehouse.tables.declarations import TABLES
from warehouse.tables.schema import BYTES, COUNT, DAY, FLAG, INSTANT, REAL, TEXT, TEXTS, Column, Table

EVERY = Table(
    "every",
    "One row a test.",
    ("key",),
    (
        Column("key", TEXT, "The key.", required=True),
        Column("text", TEXT, "It's text."),
        Column("texts", TEXTS, "Texts."),
        Column("number", COUNT, "A number.", "count"),
        Column("real", REAL, "A real number."),
        Column("flag", FLAG, "A flag."),
        Column("day", DAY, "A day."),
        Column("instant", INSTANT, "An instant.", "UTC"),
        Column("bytes", BYTES, "Bytes."),
    ),
)
NOTHING = dict.fromkeys(EVERY.names) | {"key": "k"}

texts = st.text(st.characters(exclude_categories=["Cs"]))
instants = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-11))]),
)
rows = st.fixed_dictionaries(
    {
        "key": texts,
        "text": st.none() | texts,
        "texts": st.none() | st.lists(texts, max_size=4),
        "number": st.none() | st.integers(-(2**63), 2**63 - 1),
        "real": st.none() | st.floats(allow_nan=False),
        "flag": st.none() | st.booleans(),
        "day": st.none() | st.dates(),
        "instant": st.none() | instants,
        "bytes": st.none() | st.binary(),
    }
)


@given(st.lists(rows, max_size=5))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_come_back_from_parquet_as_they_went_in(tmp_path, many):
    pq.write_table(EVERY.batch(many), tmp_path / "rows.parquet")
    back = pq.read_table(tmp_path / "rows.parquet")
    assert back.schema.equals(EVERY.arrow())
    assert back.to_pylist() == many


@for_each(
    ("told", "at_fault"),
    [
        ({"unknown": 1}, ["unknown"]),
        ({"key": None}, ["key"]),
        ({"text": 3}, ["text"]),
        ({"text": b"bytes"}, ["text"]),
        ({"text": "half a \ud83d pair"}, ["text"]),
        ({"texts": "one"}, ["texts"]),
        ({"texts": [None]}, ["texts"]),
        ({"texts": ["\ud83d"]}, ["texts"]),
        ({"number": True}, ["number"]),
        ({"number": 3.0}, ["number"]),
        ({"number": 2**63}, ["number"]),
        ({"real": 3}, ["real"]),
        ({"flag": 1}, ["flag"]),
        ({"day": datetime(2026, 1, 1, tzinfo=UTC)}, ["day"]),
        ({"instant": datetime(2026, 1, 1)}, ["instant"]),  # noqa: DTZ001
        ({"instant": date(2026, 1, 1)}, ["instant"]),
        ({"bytes": "text"}, ["bytes"]),
        ({"text": 1, "flag": "yes"}, ["text", "flag"]),
    ],
)
def test_a_row_that_does_not_fit_is_refused_by_name(told, at_fault):
    with pytest.raises(SchemaMismatch) as error:
        EVERY.batch([NOTHING, NOTHING | told])
    assert error.value.table == "every"
    assert list(error.value.columns) == at_fault


def test_an_arrow_table_is_taken_as_it_is_with_its_columns_in_any_order():
    given = EVERY.batch([NOTHING, NOTHING | {"texts": ["a"], "number": 7}])
    assert EVERY.batch(given.select(sorted(given.column_names))).equals(given)


each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


@each_table
def test_the_lake_has_each_table_as_declared(new_lake, table):
    columns = new_lake.execute(
        "SELECT column_name, data_type, is_nullable, comment FROM duckdb_columns() "
        "WHERE database_name = 'lake' AND table_name = ? ORDER BY column_index",
        [table.name],
    ).fetchall()
    short = {"TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ"}
    there = [(name, short.get(kind, kind), nullable) for name, kind, nullable, _ in columns]
    assert there == [(column.name, column.type.duckdb, not column.required) for column in table.columns]
    doc = new_lake.execute(
        "SELECT comment FROM duckdb_tables() WHERE database_name = 'lake' AND table_name = ?", [table.name]
    )
    assert doc.fetchall() == [(table.doc,)]
    for column, (*_, comment) in zip(table.columns, columns, strict=True):
        assert comment.startswith(column.doc)
        assert column.unit is None or comment.endswith(f"[{column.unit}]")


@each_table
def test_what_the_lake_gives_back_has_the_declared_arrow_types(new_lake, table):
    given = new_lake.execute(f'SELECT * FROM "{table.name}"').to_arrow_table().schema
    assert given.names == table.arrow().names
    for name in table.names:
        there, declared = given.field(name).type, table.arrow().field(name).type
        assert there.equals(declared) or there.value_type.equals(declared.value_type)

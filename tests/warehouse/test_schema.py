from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Annotated, TypedDict

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sources.errors import SchemaMismatch
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


def test_no_rows_are_still_a_table_of_the_whole_schema():
    assert EVERY.batch([]).schema.equals(EVERY.arrow())


@pytest.mark.parametrize(
    ("told", "at_fault"),
    [
        pytest.param({"unknown": 1}, ["unknown"], id="unknown-key"),
        pytest.param({"key": None}, ["key"], id="null-in-a-required-column"),
        pytest.param({"text": 3}, ["text"], id="number-for-text"),
        pytest.param({"text": b"bytes"}, ["text"], id="bytes-for-text"),
        pytest.param({"text": "half a \ud83d pair"}, ["text"], id="text-that-is-no-unicode"),
        pytest.param({"texts": "one"}, ["texts"], id="text-for-list"),
        pytest.param({"texts": [None]}, ["texts"], id="null-in-a-list"),
        pytest.param({"texts": ["\ud83d"]}, ["texts"], id="list-of-what-is-no-unicode"),
        pytest.param({"number": True}, ["number"], id="bool-for-number"),
        pytest.param({"number": 3.0}, ["number"], id="real-for-number"),
        pytest.param({"number": "3"}, ["number"], id="text-for-number"),
        pytest.param({"number": 2**63}, ["number"], id="number-beyond-64-bits"),
        pytest.param({"real": 3}, ["real"], id="number-for-real"),
        pytest.param({"flag": 1}, ["flag"], id="number-for-flag"),
        pytest.param({"day": datetime(2026, 1, 1, tzinfo=UTC)}, ["day"], id="instant-for-day"),
        pytest.param({"day": "2026-01-01"}, ["day"], id="text-for-day"),
        pytest.param({"instant": datetime(2026, 1, 1)}, ["instant"], id="instant-without-zone"),  # noqa: DTZ001
        pytest.param({"instant": date(2026, 1, 1)}, ["instant"], id="day-for-instant"),
        pytest.param({"bytes": "text"}, ["bytes"], id="text-for-bytes"),
        pytest.param({"text": 1, "flag": "yes"}, ["text", "flag"], id="two-at-once"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_by_name(told, at_fault):
    with pytest.raises(SchemaMismatch) as error:
        EVERY.batch([NOTHING, NOTHING | told])
    assert error.value.table == "every"
    assert list(error.value.columns) == at_fault


def test_a_row_without_one_of_the_keys_is_refused():
    with pytest.raises(SchemaMismatch) as error:
        EVERY.batch([{name: value for name, value in NOTHING.items() if name != "flag"}])
    assert error.value.columns == ("flag",)


def test_an_arrow_table_is_taken_as_it_is_with_its_columns_in_any_order():
    given = EVERY.batch([NOTHING, NOTHING | {"texts": ["a"], "number": 7}])
    assert EVERY.batch(given.select(sorted(given.column_names))).equals(given)


def test_the_same_instant_is_stored_whatever_its_zone():
    kathmandu = datetime(2026, 1, 1, 5, 45, tzinfo=timezone(timedelta(hours=5, minutes=45)))
    (row,) = EVERY.batch([NOTHING | {"instant": kathmandu}]).to_pylist()
    assert row["instant"] == datetime(2026, 1, 1, tzinfo=UTC)
    assert row["instant"].utcoffset() == timedelta(0)


def test_zero_empty_and_null_stay_three_things():
    zero = NOTHING | {"number": 0, "text": "", "texts": [], "flag": False, "real": 0.0, "bytes": b""}
    assert EVERY.batch([zero, NOTHING]).to_pylist() == [zero, NOTHING]


def test_not_a_number_is_kept():
    (row,) = EVERY.batch([NOTHING | {"real": math.nan}]).to_pylist()
    assert math.isnan(row["real"])


def test_a_comment_may_hold_quotes_and_tells_the_unit():
    assert """COMMENT ON COLUMN "every"."text" IS 'It''s text.'""" in EVERY.comments()
    assert """COMMENT ON COLUMN "every"."number" IS 'A number. [count]'""" in EVERY.comments()


def test_the_columns_of_a_table_are_those_of_the_type_of_its_rows():
    class Row(TypedDict, total=False):
        """One row a test."""

        key: Annotated[str, "The key."]
        texts: Annotated[list[str] | None, "Texts."]
        number: Annotated[int, "A number.", "count"]
        instant: Annotated[datetime | None, "An instant.", "UTC"]

    table = Table.of("some", Row, key=("key",), more=(Column("flag", FLAG, "A flag."),))
    assert (table.name, table.doc, table.key) == ("some", "One row a test.", ("key",))
    assert table.columns == (
        Column("key", TEXT, "The key.", required=True),
        Column("texts", TEXTS, "Texts."),
        Column("number", COUNT, "A number.", "count", required=True),
        Column("instant", INSTANT, "An instant.", "UTC"),
        Column("flag", FLAG, "A flag."),
    )

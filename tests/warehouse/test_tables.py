"""The tables as promised, as declared, and as they stand in a lake: three accounts that must agree."""

from __future__ import annotations

import re

import pytest

from warehouse.tables.declarations import TABLES

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


@each_table
def test_each_table_is_declared_with_care(table):
    assert table.doc.startswith(("One row a ", "One row an "))
    assert table.key
    assert set(table.key) <= {column.name for column in table.columns if column.required}
    assert len(set(table.names)) == len(table.names)
    for column in table.columns:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", column.name)
        assert column.doc.endswith("."), column.name
        assert not column.name.endswith("_at") or (column.type.duckdb, column.unit) == ("TIMESTAMPTZ", "UTC")
        assert not column.name.endswith("_count") or column.unit == "count"

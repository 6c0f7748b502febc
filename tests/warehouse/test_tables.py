"""The tables as promised, as declared, and as they stand in a lake: three accounts that must agree."""

from __future__ import annotations

import re

import pytest

from tests.matrices import for_each
from warehouse.tables.declarations import TABLES

PROMISED = {
    "reading_lists": "list_id location title revision first_seen_at parsed_at",
    "mentions": "mention_id list_id line section text title authors year venue url arxiv_id doi struck notes_urls "
    "first_seen_at last_seen_at removed_at status paper_id method score",
    "candidates": "mention_id rank source title year arxiv_id doi s2_paper_id score",
    "papers": "paper_id title abstract authors year published_on venue arxiv_id arxiv_version doi s2_paper_id "
    "s2_corpus_id primary_category categories fields_of_study open_access_pdf_url withdrawn citation_count "
    "influential_citation_count reference_count counted_at first_seen_at refreshed_at",
    "paper_identifiers": "paper_id scheme value",
    "citation_counts": "paper_id source observed_at citation_count influential_citation_count reference_count",
    "replies": "source request_key fetched_at status body sha256 parser_version",
    "runs": "run_id started_at finished_at status lists mentions resolved ambiguous not_found failed papers papers_new "
    "counts_written requests_arxiv requests_s2",
}
"""The names that other people's scripts use. Columns may be added, and none may go."""
VIEWS = (
    "catalog unresolved rising_by_year rising recounts trend_by_year trend_by_section top_cited list_overlap coverage"
).split()

each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


@for_each("name", PROMISED)
def test_every_promised_column_stands_in_a_new_lake(new_lake, name):
    there = [row[0] for row in new_lake.execute(f"DESCRIBE {name}").fetchall()]
    assert set(PROMISED[name].split()) <= set(there)


@for_each("name", VIEWS)
def test_every_promised_view_answers_in_a_new_lake(new_lake, name):
    assert new_lake.execute(f'SELECT * FROM "{name}"').fetchall() == []


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
    for column, (*_, comment) in zip(table.columns, columns, strict=True):
        assert comment.startswith(column.doc)
        assert column.unit is None or comment.endswith(f"[{column.unit}]")


@each_table
def test_the_lake_says_what_a_row_of_each_table_is(new_lake, table):
    (comment,) = new_lake.execute(
        "SELECT comment FROM duckdb_tables() WHERE database_name = 'lake' AND table_name = ?", [table.name]
    ).fetchone()
    assert comment == table.doc


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

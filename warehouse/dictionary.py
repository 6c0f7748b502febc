"""Generates docs/tables.md from the declaration of the tables: python -m warehouse.dictionary > docs/tables.md ."""

from __future__ import annotations

import sys

from warehouse.lake.migrations import view_files
from warehouse.tables.declarations import TABLES
from warehouse.tables.schema import Table

_INTRODUCTION = """<!-- Generated: change warehouse/tables/declarations.py or warehouse/views, then run the command. -->

# Tables and views

Every table and view that `paperlake sql` can query. This page is the output of `python -m warehouse.dictionary`.

- NULL means that the source did not say. Zero means zero.
- The lake has no key constraints. Each commit checks that the key columns are unique.
- All instants are in UTC.
"""


def dictionary() -> str:
    """Returns the page: every view with what a row of it is, and every table with its columns, as Markdown."""
    views = "\n".join(f"| `{name}` | {sql.splitlines()[0].removeprefix('--').strip()} |" for name, sql in view_files())
    tables = "\n\n".join(_table(table) for table in TABLES)
    return f"{_INTRODUCTION}\n## Views\n\n| view | what it shows |\n|---|---|\n{views}\n\n{tables}\n"


def _table(table: Table) -> str:
    columns = "\n".join(
        f"| `{column.name}` | {column.type.duckdb}{'' if column.required else ', may be NULL'} | "
        f"{column.doc}{f' ({column.unit})' if column.unit else ''} |"
        for column in table.columns
    )
    key = ", ".join(f"`{name}`" for name in table.key)
    return f"## `{table.name}`\n\n{table.doc} Key: {key}.\n\n| column | type | meaning |\n|---|---|---|\n{columns}"


if __name__ == "__main__":
    sys.stdout.write(dictionary())

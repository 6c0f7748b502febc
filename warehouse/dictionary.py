"""The data dictionary of the README, made from the declaration of the tables."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from warehouse.migrations import view_files
from warehouse.tables import TABLES

if TYPE_CHECKING:
    from warehouse.schema import Column, Table


def dictionary() -> str:
    """Returns every table with its columns, and every view with what a row of it is, as Markdown."""
    tables = "\n\n".join(_table(table) for table in TABLES)
    views = "\n".join(f"| `{name}` | {_what(sql)} |" for name, sql in view_files())
    return f"{tables}\n\n#### Views\n\n| view | what it shows |\n|---|---|\n{views}\n"


def _table(table: Table) -> str:
    columns = "\n".join(_column(column) for column in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return f"#### `{table.name}`\n\n{table.doc} Key: {key}.\n\n| column | type | meaning |\n|---|---|---|\n{columns}"


def _column(column: Column) -> str:
    unit = f" ({column.unit})" if column.unit else ""
    return (
        f"| `{column.name}` | {column.type.duckdb}{'' if column.required else ', may be NULL'} | {column.doc}{unit} |"
    )


def _what(sql: str) -> str:
    return sql.splitlines()[0].removeprefix("--").strip()


if __name__ == "__main__":
    sys.stdout.write(dictionary())

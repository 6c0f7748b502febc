"""Generates docs/tables.md and the row types for mypy from the declaration of the tables.

python -m warehouse.dictionary > docs/tables.md
python -m warehouse.dictionary rows > warehouse/tables/rows.py
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from warehouse.lake.migrations import view_files
from warehouse.tables.declarations import MENTIONS, PAPERS, TABLES

if TYPE_CHECKING:
    from warehouse.tables.schema import Column, Table


_INTRODUCTION = """<!-- Generated: change warehouse/tables/declarations.py or warehouse/views, then run the command. -->

# Tables and views

Every table and view that `paperlake sql` can query. This page is the output of `python -m warehouse.dictionary`.

- NULL means that the source did not say. Zero means zero.
- The lake has no key constraints. Each commit checks that the key columns are unique.
- All instants are in UTC.
"""


_ROWS = '''"""The rows of each table as types, so that mypy knows their columns.

Generated: change warehouse/tables/declarations.py, then run `python -m warehouse.dictionary rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from datetime import date, datetime
'''


# Tables of which a run changes some columns of a row and leaves the others as they are.
_CHANGED_IN_PART = (MENTIONS, PAPERS)


def dictionary() -> str:
    """Returns the page: every view with what a row of it is, and every table with its columns, as Markdown."""
    views = "\n".join(f"| `{name}` | {_what(sql)} |" for name, sql in view_files())
    tables = "\n\n".join(_table(table) for table in TABLES)
    return f"{_INTRODUCTION}\n## Views\n\n| view | what it shows |\n|---|---|\n{views}\n\n{tables}\n"


def row_types() -> str:
    """Returns the module warehouse/tables/rows.py: the type of a row of each table, and of a change to some rows."""
    types = [*map(_row_type, TABLES), *map(_columns_type, _CHANGED_IN_PART)]
    return _ROWS + "".join(f"\n\n{item}\n" for item in types)


def row_name(table: Table) -> str:
    """Returns the name of a row's type: `PaperIdentifierRow` for `paper_identifiers`."""
    singular = re.sub("ies$", "y", table.name).removesuffix("s")
    return "".join(word.capitalize() for word in singular.split("_")) + "Row"


def _row_type(table: Table) -> str:
    fields = "\n".join(_field(column) for column in table.columns)
    return f'class {row_name(table)}(TypedDict):\n    """A row of `{table.name}`."""\n\n{fields}'


def _columns_type(table: Table) -> str:
    fields = "\n".join(_field(column) for column in table.columns)
    name = row_name(table).removesuffix("Row") + "Columns"
    return f'class {name}(TypedDict, total=False):\n    """Some columns of a row of `{table.name}`."""\n\n{fields}'


def _field(column: Column) -> str:
    kind = column.type
    name = f"list[{kind.item.__name__}]" if kind.item else kind.python.__name__
    return f"    {column.name}: {name}{'' if column.required else ' | None'}"


def _table(table: Table) -> str:
    columns = "\n".join(_column(column) for column in table.columns)
    key = ", ".join(f"`{name}`" for name in table.key)
    return f"## `{table.name}`\n\n{table.doc} Key: {key}.\n\n| column | type | meaning |\n|---|---|---|\n{columns}"


def _column(column: Column) -> str:
    unit = f" ({column.unit})" if column.unit else ""
    return (
        f"| `{column.name}` | {column.type.duckdb}{'' if column.required else ', may be NULL'} | {column.doc}{unit} |"
    )


def _what(sql: str) -> str:
    return sql.splitlines()[0].removeprefix("--").strip()


if __name__ == "__main__":
    sys.stdout.write(row_types() if sys.argv[1:] == ["rows"] else dictionary())

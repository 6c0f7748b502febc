"""Rows as a table on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sources.shown_text import shown
from sources.text import counted
from warehouse.row_formats import cell, python_rows

if TYPE_CHECKING:
    import pyarrow as pa

_MOST_ROWS = 1000
_WIDEST = 300


def print_rows(rows: pa.Table, *, title: str | None = None) -> None:
    """Prints `rows` in columns as wide as the terminal allows; NULL is shown as a dim dash, numbers to the right."""
    console = Console()
    table = Table(title=title, title_justify="left", header_style="bold", box=None, padding=(0, 1))
    for field in rows.schema:
        numeric = str(field.type).startswith(("int", "uint", "double", "decimal", "float"))
        table.add_column(Text(shown(field.name)), justify="right" if numeric else "left", overflow="fold")
    for row in python_rows(rows.slice(0, _MOST_ROWS)):
        table.add_row(*(_shown(value) for value in row.values()))
    console.print(table)
    if rows.num_rows > _MOST_ROWS:
        console.print(f"{_MOST_ROWS} of {counted(rows.num_rows, 'row')} shown; --format csv gives all", style="dim")
    elif rows.num_rows == 0:
        console.print("no rows", style="dim")


def _shown(value: object) -> Text:
    if value is None:
        return Text("-", style="dim")
    text = f"{value:.3g}" if isinstance(value, float) and not value.is_integer() else cell(value)
    return Text(shown(text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"))

"""Writes rows as JSON, CSV or Parquet, and a value as one cell of text."""

from __future__ import annotations

import csv
import io
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import duckdb

from sources.text import json_text
from warehouse.tables.schema import identifier

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa
    from duckdb import DuckDBPyConnection
    from duckdb.sqltypes import DuckDBPyType

Format = Literal["json", "csv", "parquet"]
_TIMES = frozenset("date timestamp timestamp_s timestamp_ms timestamp_ns".split()) | {"timestamp with time zone"}
# Types whose values Arrow, Parquet or Python would lose or change: they are handed on as DuckDB writes them.
_TEXT_TYPES = frozenset("uhugeint bignum bit time time_ns interval union variant geometry".split()) | {
    "time with time zone"
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_rows(rows: pa.Table, out: BinaryIO, *, fmt: Format) -> None:
    """Writes `rows` to `out` as a JSON array, as CSV with a header (lists as JSON), or as Parquet.

    This CSV is for programs: its text is as it is in the lake, also where a spreadsheet would run it as a formula.
    """
    if fmt == "parquet":
        import pyarrow.parquet as pq  # noqa: PLC0415 - takes long, and only this format needs it

        pq.write_table(rows, out, compression="zstd")
    elif fmt == "json":
        out.write(json_text(plain_rows(rows), indent=1).encode() + b"\n")
    else:
        out.write(csv_text([rows]).encode())


def plain_rows(rows: pa.Table) -> list[dict[str, Any]]:
    """Returns `rows` as objects that JSON can hold: instants and days as ISO 8601 text, infinity and NaN as null."""
    return [{name: for_json(value) for name, value in row.items()} for row in python_rows(rows)]


def rows_of(connection: DuckDBPyConnection, sql: str, parameters: object = None) -> list[dict[str, Any]]:
    """Returns the rows of one of our own queries as plain values: instants are ISO 8601 text."""
    return plain_rows(connection.execute(sql, parameters).to_arrow_table())


def python_rows(rows: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """Returns `rows` as Python's values; a column with times that Python cannot hold as DuckDB's text of them."""
    columns = [_python_column(column) for column in rows.columns]
    return [dict(zip(rows.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def csv_text(batches: Iterable[pa.Table | pa.RecordBatch], *, spreadsheet: bool = False) -> str:
    """Returns rows as CSV with a header, in UTF-8: quotes where needed, NULL is an empty cell.

    Args:
        batches: The rows, at least one batch, all of one schema.
        spreadsheet: For people who open it in a spreadsheet: as RFC 4180 has it, lists joined by "; ", and text that
            would be run as a formula with an apostrophe before it
            (https://owasp.org/www-community/attacks/CSV_Injection). Otherwise for programs: lists are JSON.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n" if spreadsheet else "\n")

    def as_text(value: Any) -> str:
        if not spreadsheet or not isinstance(value, str | list):
            return cell(value)
        text = value if isinstance(value, str) else "; ".join(map(cell, value))
        return f"'{text}" if text.startswith(_FORMULA) else text

    for number, batch in enumerate(batches):
        if not number:
            writer.writerow([as_text(name) for name in batch.schema.names])
        writer.writerows(zip(*(map(as_text, _python_column(column)) for column in batch.columns), strict=True))
    return out.getvalue()


def cell(value: Any) -> str:
    """Returns `value` as one cell of text: NULL is empty, an instant is ISO 8601, a list or struct is JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json_text(for_json(value)) if isinstance(value, list | dict) else str(_plain(value))


def is_kept(kind: DuckDBPyType, *, times: bool = True) -> bool:
    """Returns whether every value of `kind` arrives as it is in Arrow, Parquet and Python.

    Without `times`, those count as lost: Python has no year 10000 and no infinity.
    """
    if kind.id in _TEXT_TYPES or (kind.id in _TIMES and not times):
        return False
    return all(name and is_kept(inner, times=times) for name, inner in _parts(kind))


def kept_type(kind: DuckDBPyType, *, times: bool = True) -> str:
    """Returns the SQL type nearest to `kind` that loses nothing, with names for a row's nameless fields."""
    if kind.id in _TEXT_TYPES or (kind.id in _TIMES and not times):
        return "VARCHAR"
    parts = [
        (name or f"field{place}", kept_type(inner, times=times)) for place, (name, inner) in enumerate(_parts(kind), 1)
    ]
    if kind.id == "struct":
        return f"STRUCT({', '.join(f'{identifier(name)} {inner}' for name, inner in parts)})"
    if kind.id == "map":
        return f"MAP({', '.join(inner for _, inner in parts)})"
    return f"{parts[0][1]}[]" if parts else str(kind)


def _parts(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    """Returns the names and types of what a value of `kind` is made of, none for a plain type."""
    if kind.id not in ("array", "list", "map", "struct"):
        return []
    parts: list[Any] = list(kind.children)
    return parts[:1] if kind.id == "array" else parts  # the second part of an array's type is its length


def _python_column(values: pa.ChunkedArray | pa.Array) -> list[Any]:
    try:
        if not str(values.type).startswith("timestamp"):
            return values.to_pylist()  # type: ignore[no-any-return]
        instants = values.unique()  # of many rows few: what a refresh sees has one instant
        times = dict(zip(instants.cast("int64").to_pylist(), instants.to_pylist(), strict=True))
        return [times[value] for value in values.cast("int64").to_pylist()]
    except (OverflowError, ValueError):
        import pyarrow as pa  # noqa: PLC0415 - takes long, and rows that are Arrow's have it already

        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection_values = connection.from_arrow(pa.table({"told": values}))
            texts = connection_values.project(f"told::{kept_type(connection_values.types[0], times=False)}")
            return texts.to_arrow_table().column(0).to_pylist()  # type: ignore[no-any-return]


def for_json(value: Any) -> Any:
    """Returns `value` as JSON can hold it: instants and days as ISO 8601 text, infinity and NaN as null."""
    if isinstance(value, dict):
        return {str(_plain(name)): for_json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [for_json(item) for item in value]
    if isinstance(value, Decimal):  # as DuckDB gives the sum of integers
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)

"""Declares columns once, and derives row types, Arrow schema, DDL, checks and data dictionary from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_type_hints

from sources.errors import SchemaMismatch

if TYPE_CHECKING:
    import pyarrow as pa

# Arrow and its numpy take 0.2 s to import, which commands that only read need not wait for: functions import them.


Rows: TypeAlias = Sequence[Mapping[str, Any]]

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Type:
    """A column type, in DuckDB's words and Python's, and by `arrow` in Arrow's: the project's only type table."""

    duckdb: str
    python: type
    item: type | None = None

    @property
    def arrow(self) -> pa.DataType:
        """Returns the type that holds such values in Arrow."""
        return _arrow_types()[self.duckdb]


TEXT = Type("VARCHAR", str)
TEXTS = Type("VARCHAR[]", list, str)
COUNT = Type("BIGINT", int)
REAL = Type("DOUBLE", float)
FLAG = Type("BOOLEAN", bool)
DAY = Type("DATE", date)
INSTANT = Type("TIMESTAMPTZ", datetime)
BYTES = Type("BLOB", bytes)
_TYPES: Mapping[object, Type] = {
    list[kind.item] if kind.item else kind.python: kind  # type: ignore[name-defined]
    for kind in (TEXT, TEXTS, COUNT, REAL, FLAG, DAY, INSTANT, BYTES)
}


@cache
def _arrow_types() -> dict[str, pa.DataType]:
    import pyarrow as pa  # noqa: PLC0415

    return {
        "VARCHAR": pa.string(),
        "VARCHAR[]": pa.list_(pa.string()),
        "BIGINT": pa.int64(),
        "DOUBLE": pa.float64(),
        "BOOLEAN": pa.bool_(),
        "DATE": pa.date32(),
        "TIMESTAMPTZ": pa.timestamp("us", tz="UTC"),
        "BLOB": pa.binary(),
    }


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its type, what it means, its unit, and whether every row has it.

    A column that is not required holds NULL where the source did not say; NULL is never zero and never empty.
    """

    name: str
    type: Type
    doc: str
    unit: str | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the lake: its columns in order, and the columns that identify a row.

    DuckLake keeps no keys (https://ducklake.select/docs/stable/duckdb/unsupported_features), so uniqueness is a check
    inside the transaction that writes.
    """

    name: str
    doc: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, name: str, row: type, *, key: tuple[str, ...], more: tuple[Column, ...] = ()) -> Table:
        """Returns the table whose rows are of the TypedDict `row`, which says for each column what it means.

        A column is `Annotated[type, meaning]` or `Annotated[type, meaning, unit]`; one that is required admits no None.
        `more` are columns behind those.
        """
        columns = []
        for column, hint in get_type_hints(row, include_extras=True).items():
            kinds = get_args(hint.__origin__) if isinstance(hint.__origin__, UnionType) else (hint.__origin__,)
            (kind,) = (_TYPES[kind] for kind in kinds if kind is not NoneType)
            doc, unit = (*hint.__metadata__, None)[:2]
            columns.append(Column(column, kind, doc, unit, required=NoneType not in kinds))
        return cls(name, " ".join((row.__doc__ or "").split()), key, (*columns, *more))

    @property
    def names(self) -> tuple[str, ...]:
        """Returns the column names, in order."""
        return tuple(column.name for column in self.columns)

    def arrow(self) -> pa.Schema:
        """Returns the Arrow schema; a required column is not nullable."""
        import pyarrow as pa  # noqa: PLC0415

        return pa.schema([pa.field(c.name, c.type.arrow, nullable=not c.required) for c in self.columns])

    def ddl(self) -> str:
        """Returns the statement that makes the table where it is not there yet."""
        lines = [f'    "{c.name}" {c.type.duckdb}{" NOT NULL" if c.required else ""}' for c in self.columns]
        return f'CREATE TABLE IF NOT EXISTS "{self.name}" (\n' + ",\n".join(lines) + "\n)"

    def comments(self) -> tuple[str, ...]:
        """Returns the statements that put the meaning of the table and of each column into the catalogue."""
        columns = tuple(
            f'COMMENT ON COLUMN "{self.name}"."{c.name}" IS {literal(f"{c.doc} [{c.unit}]" if c.unit else c.doc)}'
            for c in self.columns
        )
        return (f'COMMENT ON TABLE "{self.name}" IS {literal(self.doc)}', *columns)

    def duplicate_keys_sql(self, rows: str) -> str:
        """Returns the query for keys of more than one of `rows`, with their number."""
        key = ", ".join(f'"{name}"' for name in self.key)
        return f"SELECT {key}, count(*) AS n FROM {rows} GROUP BY ALL HAVING n > 1"

    def batch(self, rows: Rows) -> pa.Table:
        """Returns `rows` as an Arrow table of exactly this schema.

        Arrow alone would drop unknown keys, cut 3.5 to 3, take a naive instant for UTC and let NULL into a required
        column, so all that is checked here.

        Raises:
            SchemaMismatch: A row has unknown or absent keys, or a value of another type.
        """
        import pyarrow as pa  # noqa: PLC0415

        if isinstance(rows, pa.Table):  # made up in bulk, by benchmarks
            return rows.select(self.names).cast(self.arrow())
        for row in rows:
            self._check(row)
        return pa.Table.from_pylist(rows, schema=self.arrow())

    def _check(self, row: Mapping[str, Any]) -> None:
        if odd := sorted(row.keys() ^ set(self.names)):
            raise SchemaMismatch(
                f"{self.name}: keys at odds with the table: {odd}", table=self.name, columns=tuple(odd)
            )
        bad = [column.name for column in self.columns if not _fits(column, row[column.name])]
        if bad:
            shown = ", ".join(f"{name}={row[name]!r}" for name in bad)
            raise SchemaMismatch(
                f"{self.name}: values that do not fit their column: {shown}", table=self.name, columns=tuple(bad)
            )


def _fits(column: Column, value: Any) -> bool:
    if value is None:
        return not column.required
    kind = column.type
    if kind.item is not None:
        return isinstance(value, list | tuple) and all(
            isinstance(item, kind.item) and _is_unicode(item) for item in value
        )
    if not isinstance(value, kind.python):
        return False
    if isinstance(value, datetime):
        return kind is INSTANT and value.tzinfo is not None
    if isinstance(value, int):
        return kind is FLAG if isinstance(value, bool) else -(2**63) <= value < 2**63
    return _is_unicode(value)


def _is_unicode(value: Any) -> bool:
    """Returns False for text that UTF-8 cannot hold: half a surrogate pair, as JSON may bring it."""
    return not isinstance(value, str) or value.isascii() or not _SURROGATE.search(value)


def text_table(rows: Iterable[tuple[str, ...]], *names: str) -> pa.Table:
    """Returns an Arrow table of text with columns of these names."""
    import pyarrow as pa  # noqa: PLC0415

    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=list(names))


def literal(text: str) -> str:
    """Returns `text` as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"


def literal_path(path: object) -> str:
    """Returns `path` for DuckDB's readers, with nothing in it that is a pattern.

    They take `[`, `*` and `?` for patterns, as in `reading[1]`, which is the name of `reading1` to them.
    """
    return re.sub(r"[\[*?]", r"[\g<0>]", str(path))


def file_literal(path: object) -> str:
    """Returns SQL for the path of this very file, as an argument of DuckDB's readers."""
    return literal(literal_path(path))


def identifier(name: str) -> str:
    """Returns `name` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def parquet(files: Iterable[Path]) -> str:
    """Returns SQL for the rows of Parquet files, one after the other; there must be a file."""
    return f"read_parquet([{', '.join(file_literal(file) for file in files)}])"

"""What leaves the lake: rows as JSON, CSV or Parquet, a value as one cell of text, and the files that a user asked for.

A file is written whole or not at all, over regular files only, and never into the lake. A new one is written beside,
flushed to disk and renamed (`warehouse.durable_files`); so a device, a FIFO or a symbolic link must not be the target
of the rename, and no path, link or second name may lead to what the lake is made of.
"""

from __future__ import annotations

import csv
import errno
import io
import math
import os
import shutil
import stat
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import duckdb

from sources.errors import UsageError
from sources.text import json_text
from warehouse.durable_files import put_in_place, replacing
from warehouse.tables.schema import identifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from duckdb.sqltypes import DuckDBPyType

    from warehouse.lake.place import LakePlace

Format = Literal["json", "csv", "parquet"]
_TIMES = frozenset("date timestamp timestamp_s timestamp_ms timestamp_ns".split()) | {"timestamp with time zone"}
_TEXT_TYPES = frozenset("uhugeint bignum bit time time_ns interval union variant geometry".split()) | {
    "time with time zone"
}
"""Types whose values Arrow, Parquet or Python would lose or change: they are handed on as DuckDB writes them."""
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


def python_rows(rows: pa.Table | pa.RecordBatch) -> list[dict[str, Any]]:
    """Returns `rows` as Python's values; a column with times that Python cannot hold as DuckDB's text of them."""
    try:
        return rows.to_pylist()  # type: ignore[no-any-return]
    except (OverflowError, ValueError):
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
    as_text = _spreadsheet_cell if spreadsheet else cell
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

    Args:
        kind: The type.
        times: Whether times do; not so in Python, which has no year 10000 and no infinity.
    """
    if kind.id in _TEXT_TYPES or (kind.id in _TIMES and not times):
        return False
    return all(name and is_kept(inner, times=times) for name, inner in _parts(kind))


def kept_type(kind: DuckDBPyType, *, times: bool = True) -> str:
    """Returns the SQL type nearest to `kind` that is kept: text for what is not, names for a row's nameless fields.

    Args:
        kind: The type.
        times: Whether times are kept.
    """
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


def _spreadsheet_cell(value: Any) -> str:
    if not isinstance(value, str | list):
        return cell(value)
    text = value if isinstance(value, str) else "; ".join(map(cell, value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _python_column(values: pa.ChunkedArray | pa.Array) -> list[Any]:
    try:
        return values.to_pylist()  # type: ignore[no-any-return]
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


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_BESIDE_SQLITE = ("", "-journal", "-wal", "-shm")


@contextmanager
def writing_user_file(path: Path, *, place: LakePlace) -> Iterator[BinaryIO]:
    """Gives a new file to write, which becomes the one at `path` at the end of the block; else nothing changes.

    Symbolic links are followed; the permissions of a file that is there stay.

    Args:
        path: A regular file, or a new name in a folder that is there.
        place: The lake, into which nothing is written.

    Raises:
        UsageError: There is something else at `path`, it leads into the lake, or it cannot be written.
    """
    target = user_file(path, place=place)
    with _refused(path), replacing(target) as file:
        yield file


def put_user_file(made: Path, path: Path, *, place: LakePlace) -> None:
    """Moves the file `made` to `path`, see `writing_user_file`.

    Raises:
        UsageError: As there.
    """
    target = user_file(path, place=place)
    with _refused(path):
        if not target.exists():
            put_in_place(made, target)
            return
        with replacing(target) as new, made.open("rb") as old:
            shutil.copyfileobj(old, new)


def user_folder(path: Path, *, place: LakePlace) -> Path:
    """Returns the folder that `path` names, made if it is not there.

    Raises:
        UsageError: It is no folder, leads into the lake, or cannot be made.
    """
    target = _resolved(path)
    with _refused(path):
        _refuse_inside(target, path, place)
        target.mkdir(parents=True, exist_ok=True)
        return target


def user_file(path: Path, *, place: LakePlace) -> Path:
    """Returns the file that `path` leads to, after every check that `writing_user_file` makes.

    Raises:
        UsageError: As there.
    """
    target = _resolved(path)
    with _refused(path):
        _refuse_inside(target, path, place)
        try:
            status = target.stat()
        except FileNotFoundError:
            return target
        if not stat.S_ISREG(status.st_mode):
            kind = _KINDS.get(stat.S_IFMT(status.st_mode), "no file")
            raise UsageError(f"cannot write {path}: it is {kind}; name a regular file or a new one")
        if status.st_nlink > 1 and any(os.path.samestat(status, own) for own in _own_files(place)):
            raise UsageError(f"cannot write {path}: it is another name of a file of the lake at {place}")
        return target


def _refuse_inside(target: Path, path: Path, place: LakePlace) -> None:
    """Refuses what is inside the lake, also where the folder has another name (a bind mount, another case)."""
    folders = [place.folder, *([] if place.data_on_store else [Path(place.data)])]
    own = [folder.stat() for folder in folders if folder.is_dir()]
    above = [parent.stat() for parent in (target, *target.parents) if parent.is_dir()]
    catalogue = place.catalog_file
    inside = any(target.is_relative_to(folder.resolve()) for folder in folders)
    inside = inside or any(os.path.samestat(status, folder) for status in above for folder in own)
    if catalogue is not None:
        real = catalogue.resolve()
        inside = inside or target in [real.with_name(f"{real.name}{ending}") for ending in _BESIDE_SQLITE]
    if inside:
        raise UsageError(f"cannot write {path}: it is inside the lake at {place}, which only paperlake itself writes")


def _own_files(place: LakePlace) -> Iterator[os.stat_result]:
    """Yields the status of every file that the lake is made of."""
    folders = [place.folder, *([] if place.data_on_store or place.data_inside else [Path(place.data)])]
    if place.catalog_file is not None and place.catalog_file.is_file():
        yield place.catalog_file.stat()
    for folder in folders:
        for file in folder.rglob("*"):
            if file.is_file():
                yield file.stat()


def _resolved(path: Path) -> Path:
    """Returns what `path` names when every symbolic link is followed."""
    with _refused(path):
        try:
            return path.resolve()
        except RuntimeError as error:  # a loop of symbolic links
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error
        except ValueError as error:  # a null byte in the name
            raise UsageError(f"cannot write {str(path)!r}: that is no name of a file") from error


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Turns what the system says into one line that names the file."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error

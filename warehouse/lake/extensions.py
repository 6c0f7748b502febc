"""How DuckDB gets its extensions: from wheels installed beside it, else from where DuckDB keeps its own.

The wheels load by path, signature-checked and with no network. This is the only module that knows.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

import duckdb

from sources.errors import WarehouseError

if TYPE_CHECKING:
    from pathlib import Path


_EXTRAS = {"postgres_scanner": "postgres", "httpfs": "s3", "aws": "s3"}
"""Extension -> the extra of paperlake that brings its wheel."""


def load_extension(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Loads the extension `name`, such as `ducklake`, into `connection`.

    Raises:
        WarehouseError: Neither a wheel nor DuckDB's own folder or repository has it.
    """
    path = _wheel_path(name)
    try:
        if path is not None:
            connection.execute(f"LOAD '{str(path).replace(chr(39), chr(39) * 2)}'")
        else:
            connection.execute(f"INSTALL {name}")
            connection.execute(f"LOAD {name}")
    except duckdb.Error as error:
        package = f"duckdb-extension-{name.replace('_', '-')}"
        remedy = f"install {package}=={duckdb.__version__}"
        if name in _EXTRAS:
            remedy = f"in paperlake's checkout, pip install '.[{_EXTRAS[name]}]'"
        raise WarehouseError(
            f"DuckDB {duckdb.__version__} cannot load its extension {name}: {remedy} ({error})"
        ) from error


def _wheel_path(name: str) -> Path | None:
    """Returns where the wheel of this DuckDB's version keeps the extension, None where there is no such wheel."""
    try:
        files = metadata.files(f"duckdb-extension-{name.replace('_', '-')}") or []
    except metadata.PackageNotFoundError:
        return None
    wanted = f"v{duckdb.__version__}/{name}.duckdb_extension"
    for file in files:
        if file.as_posix().endswith(wanted):
            return file.locate()  # type: ignore[return-value]
    return None

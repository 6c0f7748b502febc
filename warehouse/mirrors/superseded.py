"""Which papers of a mirror no longer stand: a later row replaces them, or their source took them away."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import duckdb
import pyarrow as pa

from sources.durable_files import PARTIAL, put_in_place
from warehouse.tables.schema import literal, parquet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SUPERSEDED = "superseded.parquet"
"""The file, in the folder of an index."""


def write_superseded(index: Path, *, older: Sequence[Path] = (), deleted: Sequence[str] = ()) -> tuple[int, int]:
    """Writes which papers an index replaces or takes away; returns how many it replaces, and how many it takes.

    Args:
        index: Folder of the index, whose own rows may replace each other.
        older: Folders of those that it comes on top of.
        deleted: Identifiers of papers taken away.
    """
    mine = sorted(index.glob("keys-*.parquet"))
    with closing(duckdb.connect()) as connection:
        connection.execute("SET enable_progress_bar=false")
        connection.register("deleted", pa.table({"key": pa.array(deleted, pa.string())}))
        connection.execute("CREATE TABLE superseded (position BIGINT, replaced BOOLEAN)")
        for file in mine:
            connection.execute(
                f"INSERT INTO superseded SELECT position, true FROM {literal(str(file))}"
                " QUALIFY lead(term) OVER (ORDER BY term, position) = term"
            )
        for file in (each for folder in older for each in sorted(folder.glob("keys-*.parquet"))):
            connection.execute(
                f"INSERT INTO superseded SELECT position, term IN (SELECT term FROM {parquet(mine)}) AS replaced"
                f" FROM {literal(str(file))}"
                f" WHERE position NOT IN (SELECT position FROM {parquet(folder / SUPERSEDED for folder in older)})"
                f" AND (replaced OR term IN (SELECT hash(key) FROM deleted))"
            )
        _copy(connection, "superseded", index)
        row = connection.execute(
            "SELECT count(*) FILTER (replaced), count(*) FILTER (NOT replaced) FROM superseded"
        ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def merge_superseded(indexes: Sequence[Path], target: Path) -> None:
    """Writes into the folder `target` what the folders `indexes` tell together."""
    with closing(duckdb.connect()) as connection:
        _copy(connection, parquet(index / SUPERSEDED for index in indexes), target)


def _copy(connection: duckdb.DuckDBPyConnection, rows: str, index: Path) -> None:
    made = index / f"{SUPERSEDED}{PARTIAL}"
    connection.execute(
        f"COPY (SELECT position FROM {rows} ORDER BY position) TO {literal(str(made))}"
        " (FORMAT parquet, COMPRESSION zstd)"
    )
    put_in_place(made, index / SUPERSEDED)

"""The catalogue as Parquet for other engines and as CSV for spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from warehouse.progress import untold
from warehouse.query.row_formats import csv_text
from warehouse.tables.declarations import (
    CANDIDATES,
    CITATION_COUNTS,
    FINDINGS,
    MENTIONS,
    PAPER_IDENTIFIERS,
    PAPERS,
    READING_LISTS,
    RUNS,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from warehouse.export.selection import Selection
    from warehouse.progress import Stage
    from warehouse.tables.schema import Table

_BATCH = 100_000
_CHOSEN = "paper_id IN (SELECT unnest($1::VARCHAR[]))"
_MERGED = (
    f"(paper_id IN (SELECT paper_id FROM papers WHERE {_CHOSEN} OR merged_into IN (SELECT unnest($1::VARCHAR[]))))"
)
_MENTIONED = f"(mention_id IN (SELECT mention_id FROM mentions WHERE {_CHOSEN}))"
_LISTED = f"(list_id IN (SELECT list_id FROM mentions WHERE {_CHOSEN}))"
_TABLES: tuple[tuple[Table, str], ...] = (
    (READING_LISTS, _LISTED),
    (MENTIONS, _CHOSEN),
    (CANDIDATES, _MENTIONED),
    (FINDINGS, _MENTIONED),
    (PAPERS, _MERGED),
    (PAPER_IDENTIFIERS, _MERGED),
    (CITATION_COUNTS, _MERGED),
    (RUNS, "true"),
)
"""What is handed on, and which rows where papers were chosen; not the services' replies, which are not ours to pass."""


def write_parquet(selection: Selection, folder: Path, *, stage: Stage = untold) -> None:
    """Writes one file a table into `folder`, and the catalogue as one more; a row group at a time.

    Papers merged into a chosen one come along with their observations, so that its history is whole.

    Raises:
        OSError: A file cannot be written.
    """
    step = stage("writing", len(_TABLES) + 1, "files")
    for table, rows in _TABLES:
        where = "" if selection.whole else f" WHERE {rows}"
        order = ", ".join(f'"{name}"' for name in table.key)
        _write(selection, f'SELECT * FROM "{table.name}"{where} ORDER BY {order}', folder / f"{table.name}.parquet")
        step(1)
    _write(selection, f"SELECT * FROM catalog WHERE {_CHOSEN} ORDER BY paper_id", folder / "catalog.parquet")
    step(1)


def spreadsheet_text(selection: Selection) -> str:
    """Returns the catalogue as CSV for spreadsheets."""
    rows = _rows(selection, f"SELECT * FROM catalog WHERE {_CHOSEN} ORDER BY paper_id")
    return csv_text([rows.schema.empty_table(), *rows], spreadsheet=True)


def _rows(selection: Selection, sql: str) -> pa.RecordBatchReader:
    values = [selection.paper_ids.to_pylist()] if "$1" in sql else []
    return selection.connection.execute(sql, values).to_arrow_reader(_BATCH)


def _write(selection: Selection, sql: str, path: Path) -> None:
    rows = _rows(selection, sql)
    with pq.ParquetWriter(path, rows.schema, compression="zstd", write_page_checksum=True) as file:
        for batch in rows:
            file.write_batch(batch)

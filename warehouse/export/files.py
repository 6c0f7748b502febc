"""The catalogue as files: Parquet for other engines, CSV for spreadsheets, each with the terms of the data.

A folder is written whole or not at all, and over nobody else's files.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sources.errors import UsageError
from warehouse import untold
from warehouse.query.row_formats import csv_text
from warehouse.query.user_files import put_user_file, user_file, user_folder
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
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

    from warehouse import Stage
    from warehouse.export.selection import Selection
    from warehouse.lake.place import LakePlace
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
    import pyarrow.parquet as pq  # noqa: PLC0415 - takes long, and bibliographies do without

    rows = _rows(selection, sql)
    with pq.ParquetWriter(path, rows.schema, compression="zstd", write_page_checksum=True) as file:
        for batch in rows:
            file.write_batch(batch)


NOTICE = "NOTICE.txt"
_OURS = "Exported by paperlake."
_TERMS = (
    "Citation counts and other facts from Semantic Scholar (https://www.semanticscholar.org) are under its API licence "
    "(https://www.semanticscholar.org/product/api/license): name Semantic Scholar and link to it where you show them, "
    "and do not pass them on. What arXiv (https://arxiv.org) told is CC0."
)
_SHORT = "Facts from Semantic Scholar are under its licence: https://www.semanticscholar.org/product/api/license"
_ARXIV = "What arXiv (https://arxiv.org) told is CC0."


def terms(*, semantic_scholar: bool) -> str:
    """Returns on what terms the data may be used, in a sentence or two."""
    return _TERMS if semantic_scholar else _ARXIV


def short_terms(*, semantic_scholar: bool) -> str:
    """Returns where the terms stand on which the data may be used, in a sentence; empty where all may be done."""
    return _SHORT if semantic_scholar else ""


@contextmanager
def whole_folder(folder: Path, *, force: bool, notice: str, place: LakePlace) -> Iterator[Path]:
    """Gives a new folder to fill, whose files then become those of `folder`, with a notice beside them.

    Raises:
        UsageError: `folder` holds something that was not exported, and `force` is not set; or it cannot be written, or
            is inside the lake.
    """
    if not force and folder.is_dir() and any(folder.iterdir()) and not _is_ours(folder):
        raise UsageError(f"{folder} holds other files: name a new folder, or say --force to put the export among them")
    before = folder.exists()
    target = user_folder(folder, place=place)
    try:
        filled = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        try:
            yield filled
            (filled / NOTICE).write_text(f"{_OURS}\n\n{notice}\n", encoding="utf-8")
            made = sorted(filled.iterdir())
            for file in made:
                user_file(folder / file.name, place=place)  # all are refused before the first is changed
            for file in made:
                put_user_file(file, folder / file.name, place=place)
        finally:
            shutil.rmtree(filled, ignore_errors=True)
            if not before and not any(target.iterdir()):
                target.rmdir()
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from error


def _is_ours(folder: Path) -> bool:
    notice = folder / NOTICE
    return notice.is_file() and notice.read_text(encoding="utf-8", errors="replace").startswith(_OURS)

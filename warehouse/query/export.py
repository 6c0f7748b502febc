"""Exports the catalogue as Parquet or CSV, with the terms of the data.

A folder is written whole or not at all, and over nobody else's files.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import duckdb

from sources.errors import UsageError
from warehouse import Stage, without_progress
from warehouse.lake.session import open_lake, rows_of
from warehouse.papers.citation_keys import AS_LISTED, NotedRow, key_of
from warehouse.query.bibliography import CITED
from warehouse.query.output import csv_text
from warehouse.query.read_only import ask
from warehouse.query.user_files import put_user_file, user_file, user_folder
from warehouse.tables.declarations import (
    CANDIDATES,
    CITATION_COUNTS,
    FINDINGS,
    MENTIONS,
    PAPER_IDENTIFIERS,
    PAPERS,
    PUBLISHED_VERSIONS,
    READING_LISTS,
    RETRACTIONS,
    RUNS,
    PaperRow,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    import pyarrow as pa

    from warehouse.lake.place import LakePlace
    from warehouse.tables.schema import Table

# How DuckDB begins the line of a query that its error is about; the line below points into it.
_POINTED = re.compile(r"LINE (\d+): ")


_NAMED = """
SELECT DISTINCT paper_id FROM mentions JOIN reading_lists USING (list_id)
WHERE removed_at IS NULL AND location IN (SELECT unnest($1::VARCHAR[])) AND paper_id IN (SELECT unnest($2::VARCHAR[]))
ORDER BY paper_id
"""


class Selection:
    """An open lake and the papers chosen from it; every question is put to the same snapshot.

    `where` is a condition over the columns of the view `catalog`, `lists` are locations of the lists that name the
    papers. It is `whole` where neither is given.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, where: str | None, lists: Sequence[str] | None = None
    ) -> None:
        self.connection = connection
        self._where, self._lists = where, lists
        self.whole = where is None and lists is None
        self.paper_ids: pa.ChunkedArray = _chosen(connection, where).column("paper_id")
        if lists is not None:
            named = connection.execute(_NAMED, [list(lists), self.paper_ids.to_pylist()]).to_arrow_table()
            self.paper_ids = named.column("paper_id")

    def __len__(self) -> int:
        return len(self.paper_ids)

    def papers(self) -> list[PaperRow]:
        """Returns the rows of `papers`, each with its citation key, in the order of the keys."""
        sql = f"{CITED} WHERE {_CHOSEN}"
        rows: list[PaperRow] = rows_of(self.connection, sql, [self.paper_ids.to_pylist()])
        return sorted((row | {"citation_key": key_of(row)} for row in rows), key=key_of)

    def as_listed(self) -> pa.Table:
        """Returns the rows of the view `listed` with what a list alone says."""
        names = "SELECT list(list) FROM list_names WHERE location IN (SELECT unnest($1::VARCHAR[]))"
        lists = "true" if self._lists is None else f"list_has_any(lists, ({names}))"
        values = [] if self._lists is None else [list(self._lists)]
        sql = f"FROM listed WHERE told_by = 'list' AND {lists} AND (\n{self._where or 'true'}\n) ORDER BY title, lists"
        return self.connection.execute(sql, values).to_arrow_table()

    def entries(self) -> list[PaperRow]:
        """Returns `papers`, and behind them, each with a note, what a list alone says."""
        rows: list[PaperRow] = [*self.papers()]
        for row in self.as_listed().to_pylist():
            names = (row["title"], row["arxiv_id"] and f"arXiv:{row['arxiv_id']}", row["doi"])
            title = next(filter(None, names))
            number = hashlib.sha256("\n".join(map(str, (*names, row["year"], row["authors"]))).encode()).hexdigest()[
                :12
            ]
            empty = dict.fromkeys(PaperRow.__annotations__)
            rows.append(cast("NotedRow", empty | row | {"paper_id": f"p{number}", "title": title, "note": AS_LISTED}))
        return rows

    def owes_semantic_scholar(self) -> bool:
        """Returns whether any fact of the papers is from Semantic Scholar."""
        ((count,),) = self.connection.execute(
            f"SELECT count(*) FROM papers WHERE (s2_paper_id IS NOT NULL OR counted_at IS NOT NULL) AND {_CHOSEN}",
            [self.paper_ids.to_pylist()],
        ).fetchall()
        return bool(count)


@contextmanager
def select(
    place: LakePlace,
    *,
    where: str | None = None,
    lists: Callable[[duckdb.DuckDBPyConnection], Sequence[str]] | None = None,
    as_of: datetime | None = None,
) -> Iterator[Selection]:
    """Gives the papers of the catalogue for which `where` holds, and which some of `lists` name.

    `lists` returns the locations of the lists whose papers are wanted, given the lake; None is all papers.

    Raises:
        UsageError: There is no lake, or `where` is no condition; the message points at the place.
        WarehouseError: The lake cannot be read.
    """
    with closing(open_lake(place, as_of=as_of)) as connection:
        connection.execute("BEGIN")
        yield Selection(connection, where, None if lists is None else lists(connection))


def _chosen(connection: duckdb.DuckDBPyConnection, where: str | None) -> pa.Table:
    if where is None:
        return ask(connection, "SELECT paper_id FROM catalog ORDER BY paper_id")
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [f"SELECT (\n{where}\n)"]).fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if tree["error"]:
        message = str(tree.get("error_message", "cannot be read"))
        position, caret = tree.get("position"), ""  # the place of the error may not be known
        if position is not None and "\n" not in where:
            caret = " " * min(max(int(position) - len("SELECT (\n"), 0), len(where)) + "^"
        raise UsageError(f"--where: {message}\n{where}\n{caret}".rstrip())
    nodes = [statement["node"] for statement in tree["statements"]]
    if len(nodes) != 1 or nodes[0]["type"] != "SELECT_NODE" or nodes[0]["from_table"]["type"] != "EMPTY":
        raise UsageError("--where takes one condition over the catalogue's columns: year >= 2020 AND doi IS NULL")
    try:
        # The condition has a line of its own, so that a remark at its end hides nothing and errors point into it.
        return ask(connection, f"SELECT paper_id FROM catalog WHERE (\n{where}\n) ORDER BY paper_id")
    except UsageError as error:
        raise UsageError(f"--where: {_as_typed(str(error), where)}") from error


def _as_typed(message: str, where: str) -> str:
    """Returns DuckDB's message, its place as a line of `where` instead of a line of the query around that."""
    match = _POINTED.search(message)
    if match is None:
        return f"{message}\n{where}"
    head, blanks = message[: match.start()].rstrip(), len(match[0])
    shown = "\n".join(line[blanks:] for line in message[match.start() :].splitlines())
    line = f"  line {int(match[1]) - 1}: " if "\n" in where else "  "
    return f"{head}\n{line}{shown.replace(chr(10), chr(10) + ' ' * len(line))}"


_BATCH = 100_000
_CHOSEN = "paper_id IN (SELECT unnest($1::VARCHAR[]))"
_MERGED = (
    f"(paper_id IN (SELECT paper_id FROM papers WHERE {_CHOSEN} OR merged_into IN (SELECT unnest($1::VARCHAR[]))))"
)
_MENTIONED = f"(mention_id IN (SELECT mention_id FROM mentions WHERE {_CHOSEN}))"
_LISTED = f"(list_id IN (SELECT list_id FROM mentions WHERE {_CHOSEN}))"
# What is handed on, and which rows where papers were chosen; not the services' replies, which are not ours to pass.
_TABLES: tuple[tuple[Table, str], ...] = (
    (READING_LISTS, _LISTED),
    (MENTIONS, _CHOSEN),
    (CANDIDATES, _MENTIONED),
    (FINDINGS, _MENTIONED),
    (PAPERS, _MERGED),
    (PAPER_IDENTIFIERS, _MERGED),
    (CITATION_COUNTS, _MERGED),
    (RETRACTIONS, _MERGED),
    (PUBLISHED_VERSIONS, _MERGED),
    (RUNS, "true"),
)


def write_parquet(selection: Selection, folder: Path, *, stage: Stage = without_progress) -> None:
    """Writes one file a table into `folder`, and the catalogue as one more; a row group at a time.

    What lists alone say is `as_listed.parquet`, where there is any.

    Papers merged into a chosen one come along with their observations, so that its history is whole.
    """
    step = stage("writing", len(_TABLES) + 1, "files")
    for table, rows in _TABLES:
        where = "" if selection.whole else f" WHERE {rows}"
        order = ", ".join(f'"{name}"' for name in table.key)
        _write(selection, f'SELECT * FROM "{table.name}"{where} ORDER BY {order}', folder / f"{table.name}.parquet")
        step(1)
    _write(selection, f"SELECT * FROM catalog WHERE {_CHOSEN} ORDER BY paper_id", folder / "catalog.parquet")
    step(1)
    if (alone := selection.as_listed()).num_rows:
        import pyarrow.parquet as pq  # noqa: PLC0415 - as in `_write`

        pq.write_table(alone, folder / "as_listed.parquet", compression="zstd", write_page_checksum=True)


def spreadsheet_text(selection: Selection) -> str:
    """Returns the catalogue as CSV for spreadsheets, and below it what lists alone say."""
    alone = selection.as_listed()  # read first, as a connection has one result at a time
    rows = _rows(selection, f"SELECT *, 'sources' AS told_by FROM catalog WHERE {_CHOSEN} ORDER BY paper_id")
    return csv_text([rows.schema.empty_table(), *rows, *([alone] if alone.num_rows else [])], spreadsheet=True)


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
# On what terms the data may be used: with facts from Semantic Scholar, without them, and in short.
TERMS = (
    "Citation counts and other facts from Semantic Scholar (https://www.semanticscholar.org) are under its API licence "
    "(https://www.semanticscholar.org/product/api/license): name Semantic Scholar and link to it where you show them, "
    "and do not pass them on. What arXiv (https://arxiv.org) told is CC0."
)
SHORT_TERMS = "Facts from Semantic Scholar are under its licence: https://www.semanticscholar.org/product/api/license"
TERMS_OF_ARXIV = "What arXiv (https://arxiv.org) told is CC0."


@contextmanager
def whole_folder(folder: Path, *, force: bool, notice: str, place: LakePlace) -> Iterator[Path]:
    """Gives a new folder to fill, whose files then become those of `folder`, with a notice beside them.

    Raises:
        UsageError: `folder` holds something that was not exported, and `force` is not set; or it cannot be written, or
            is inside the lake.
    """
    before, earlier = folder.exists(), folder / NOTICE
    is_ours = earlier.is_file() and earlier.read_text(encoding="utf-8", errors="replace").startswith(_OURS)
    if not force and folder.is_dir() and any(folder.iterdir()) and not is_ours:
        raise UsageError(f"{folder} holds other files: name a new folder, or say --force to put the export among them")
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

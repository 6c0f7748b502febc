"""Which papers to hand on: those of the catalogue for which a condition in SQL holds, read as one snapshot."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import duckdb

from sources.errors import UsageError
from warehouse.papers.citation_keys import key_of
from warehouse.query.read_only import ask, open_for_questions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    import pyarrow as pa

    from warehouse.lake.place import LakePlace
    from warehouse.tables.rows import PaperRow

_POINTED = re.compile(r"LINE (\d+): ")
"""How DuckDB begins the line of a query that its error is about; the line below points into it."""


class Selection:
    """An open lake and the papers chosen from it; every question is put to the same snapshot.

    Attributes:
        connection: Reads the lake and nothing else.
        paper_ids: The papers, as a column of text.
        whole: Whether nothing was asked of the papers.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, where: str | None) -> None:
        self.connection = connection
        self.whole = where is None
        self.paper_ids: pa.ChunkedArray = _chosen(connection, where).column("paper_id")

    def __len__(self) -> int:
        return len(self.paper_ids)

    def papers(self) -> list[PaperRow]:
        """Returns the rows of `papers`, each with its citation key, in the order of the keys."""
        rows: list[PaperRow] = (
            self.connection.execute(
                "SELECT * FROM papers WHERE paper_id IN (SELECT unnest($1::VARCHAR[]))", [self.paper_ids.to_pylist()]
            )
            .to_arrow_table()
            .to_pylist()
        )
        return sorted((row | {"citation_key": key_of(row)} for row in rows), key=key_of)

    def owes_semantic_scholar(self) -> bool:
        """Returns whether anything that Semantic Scholar told is among the papers."""
        ((count,),) = self.connection.execute(
            "SELECT count(*) FROM papers WHERE (s2_paper_id IS NOT NULL OR counted_at IS NOT NULL) "
            "AND paper_id IN (SELECT unnest($1::VARCHAR[]))",
            [self.paper_ids.to_pylist()],
        ).fetchall()
        return bool(count)


@contextmanager
def select(place: LakePlace, *, where: str | None = None, as_of: datetime | None = None) -> Iterator[Selection]:
    """Gives the papers of the catalogue for which `where` holds.

    Args:
        place: The lake.
        where: A condition over the columns of the view `catalog`; None for all.
        as_of: The lake as it was then.

    Raises:
        UsageError: There is no lake, or `where` is no condition; the message points at the place.
        WarehouseError: The lake cannot be read.
    """
    connection = open_for_questions(place, as_of=as_of)
    try:
        connection.execute("BEGIN")
        yield Selection(connection, where)
    finally:
        connection.close()


def _chosen(connection: duckdb.DuckDBPyConnection, where: str | None) -> pa.Table:
    if where is None:
        return ask(connection, "SELECT paper_id FROM catalog ORDER BY paper_id")
    _refuse_more_than_a_condition(connection, where)
    try:
        # The condition has a line of its own, so that a remark at its end hides nothing and errors point into it.
        return ask(connection, f"SELECT paper_id FROM catalog WHERE (\n{where}\n) ORDER BY paper_id")
    except UsageError as error:
        raise UsageError(f"--where: {_as_typed(str(error), where)}") from error


def _refuse_more_than_a_condition(connection: duckdb.DuckDBPyConnection, where: str) -> None:
    """Refuses text that would close the bracket around it and go on as something else."""
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [f"SELECT (\n{where}\n)"]).fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    if tree["error"]:
        message = str(tree.get("error_message", "cannot be read"))
        raise UsageError(f"--where: {message}\n{where}\n{_caret(tree, where)}".rstrip())
    nodes = [statement["node"] for statement in tree["statements"]]
    if len(nodes) != 1 or nodes[0]["type"] != "SELECT_NODE" or nodes[0]["from_table"]["type"] != "EMPTY":
        raise UsageError("--where takes one condition over the catalogue's columns: year >= 2020 AND doi IS NULL")


def _as_typed(message: str, where: str) -> str:
    """Returns DuckDB's message, its place as a line of `where` instead of a line of the query around that."""
    match = _POINTED.search(message)
    if match is None:
        return f"{message}\n{where}"
    head, blanks = message[: match.start()].rstrip(), len(match[0])
    shown = "\n".join(line[blanks:] for line in message[match.start() :].splitlines())
    line = f"  line {int(match[1]) - 1}: " if "\n" in where else "  "
    return f"{head}\n{line}{shown.replace(chr(10), chr(10) + ' ' * len(line))}"


def _caret(tree: dict[str, Any], where: str) -> str:
    """Returns a line that points at the place of the error in `where`, which may not be known."""
    position = tree.get("position")
    if position is None or "\n" in where:
        return ""
    place = min(max(int(position) - len("SELECT (\n"), 0), len(where))
    return " " * place + "^"

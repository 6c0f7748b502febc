"""Makes the parts of a mirror: a block of a dump into papers and postings, and postings of many blocks into an index.

Both are plain functions of what they are handed, so that any worker that shares the folder can run them: a thread, a
Prefect task, a Dask worker. What they make is put in place whole, and is found there by an import that goes on after
a crash.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from sources.errors import PayloadError, WarehouseError
from warehouse.mirrors.blocks import LINE_BITS, Block
from warehouse.mirrors.shapes import SHAPES
from warehouse.mirrors.terms import PLAIN_TERMS, prepare, title_terms
from warehouse.schema import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PAPERS_AT_ONCE = 8192
"""Rows of a row group of papers: what has to be read to get at one of them."""
_POSTINGS_AT_ONCE = 40_960
_MEMORY = "1GB"
"""What one worker's DuckDB may take before it goes to disk."""
_SHOWN = 500
"""Characters of a refused row that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTask:
    """A block to be taken into a mirror.

    Attributes:
        block: The bytes.
        shape: Name of the dump's kind.
        number: The block's number in the mirror; positions are made of it.
        papers: Where its papers go, a Parquet file.
        work: Folder for everything else that comes of it.
    """

    block: Block
    shape: str
    number: int
    papers: Path
    work: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of a block.

    Attributes:
        number: The block's number.
        file: Name of the dump file.
        sha256: Of the block's bytes.
        bytes: How many it has.
        lines: Lines of it, blank ones too.
        rows: Papers taken, duplicates among them.
        refused: Lines kept aside.
        postings: Terms that the papers stand under, all together.
        newest: The newest date that the rows tell, ISO 8601; None where they tell none.
    """

    number: int
    file: str
    sha256: str
    bytes: int
    lines: int
    rows: int
    refused: int
    postings: int
    newest: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeTask:
    """A range of terms to be brought together from many blocks.

    Attributes:
        files: Postings, each file in the order of its terms.
        low: The first term of the range.
        high: The last one.
        target: The Parquet file to make.
    """

    files: tuple[Path, ...]
    low: int
    high: int
    target: Path


def take_block(task: BlockTask) -> Taken:
    """Makes papers, postings and the list of refused lines of one block, unless they are there already.

    Raises:
        WarehouseError: The block could not be read or its parts not be written.
    """
    body = task.block.read()
    sha256 = hashlib.sha256(body).hexdigest()
    known = _taken_before(task, sha256)
    if known is None:
        with _told(task.work), _scratch(task.work) as (connection, scratch):
            known = _take(connection, task, body, sha256, scratch)
    return known


def merge_postings(task: MergeTask) -> int:
    """Makes one file of an index out of the postings of many blocks, and returns how many there are in it.

    Raises:
        WarehouseError: A file could not be read or written.
    """
    files = ", ".join(literal(str(file)) for file in task.files)
    postings = f"read_parquet([{files}])" if files else "(SELECT 0::UBIGINT AS term, 0::BIGINT AS position LIMIT 0)"
    with _told(task.target.parent), _scratch(task.target.parent) as (connection, scratch):
        made = scratch / "merged.parquet"
        connection.execute(
            f"COPY (SELECT term, position FROM {postings} WHERE term BETWEEN {task.low} AND {task.high}"
            f" ORDER BY term, position) TO {literal(str(made))} ({_parquet(_POSTINGS_AT_ONCE)})"
        )
        rows = connection.execute(f"SELECT count(*) FROM {literal(str(made))}").fetchone()
        made.replace(task.target)
    return int(rows[0]) if rows else 0


def refused_lines(work: Path) -> Iterator[dict[str, Any]]:
    """Yields the lines of a block that were kept aside: their number in the block, the reason, and their beginning."""
    with (work / "refused.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def _taken_before(task: BlockTask, sha256: str) -> Taken | None:
    try:
        facts = json.loads((task.work / "taken.json").read_text(encoding="utf-8"))
        taken = Taken(**facts)
    except (OSError, ValueError, TypeError):
        return None
    same = (taken.sha256, taken.number, taken.file) == (sha256, task.number, task.block.file.name)
    return taken if same and task.papers.is_file() else None


def _take(connection: duckdb.DuckDBPyConnection, task: BlockTask, body: bytes, sha256: str, scratch: Path) -> Taken:
    shape = SHAPES[task.shape]
    prepare(connection)
    lines = pc.split_pattern(pa.array([body], pa.large_binary()), "\n").values
    connection.register("lines", _numbered(lines))
    # In two steps: a condition on fields would read the whole line anew for each field that it names.
    try:
        connection.execute(f"CREATE TEMP TABLE kept AS {_fields(task, 'lines')} WHERE line <> ''")
    except duckdb.InvalidInputException:  # one line that is no JSON is enough; then each is looked at twice
        connection.execute(f"CREATE TEMP TABLE kept AS {_fields(task, 'lines')} WHERE json_valid(line)")
    connection.execute(f"DELETE FROM kept WHERE NOT coalesce({shape.sound}, false)")
    refused = _second_look(connection, task, lines, scratch / "refused.jsonl")
    base = task.number << LINE_BITS
    connection.execute(
        f"CREATE TEMP VIEW papers AS SELECT {base} + number AS position, {shape.key} AS key, * EXCLUDE (number)"
        " FROM kept"
    )
    postings = _write(connection, scratch, shape.identifiers)
    facts = connection.execute(f"SELECT count(*), CAST({shape.newest} AS VARCHAR) FROM kept").fetchone() or (0, None)
    taken = Taken(
        number=task.number,
        file=task.block.file.name,
        sha256=sha256,
        bytes=len(body),
        lines=body.count(b"\n") + (not body.endswith(b"\n")),
        rows=facts[0],
        refused=refused,
        postings=postings,
        newest=facts[1],
    )
    _put_in_place(task, scratch, taken)
    return taken


def _fields(task: BlockTask, relation: str) -> str:
    return f"SELECT number, unnest(json_transform(line, {literal(SHAPES[task.shape].structure)})) FROM {relation}"


def _numbered(lines: pa.Array) -> pa.Table:
    """Returns the lines as text with their number from 1; what is no UTF-8 is NULL, and so gets a second look."""
    try:
        texts = lines.cast(pa.large_string())
    except pa.ArrowInvalid:
        texts = pa.array([_decoded(line.as_py()) for line in lines], pa.large_string())
    return pa.table({"number": pa.array(range(1, len(lines) + 1), pa.int64()), "line": texts})


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def _second_look(connection: duckdb.DuckDBPyConnection, task: BlockTask, lines: pa.Array, aside: Path) -> int:
    """Reads the lines strictly that were not sound at first sight; returns how many had to be refused."""
    rest = connection.execute(
        "SELECT number FROM lines WHERE number NOT IN (SELECT number FROM kept) ORDER BY number"
    ).fetchall()
    shape, mended, refused = SHAPES[task.shape], [], 0
    with aside.open("w", encoding="utf-8") as stream:
        for (number,) in rest:
            line = lines[number - 1].as_py()
            if not line.strip():
                continue
            try:
                mended.append((number, shape.mend(line)))
            except PayloadError as error:
                refused += 1
                shown = line[:_SHOWN].decode("utf-8", "replace")
                stream.write(json.dumps({"line": number, "why": error.message, "row": shown}) + "\n")
    if mended:
        numbers, texts = zip(*mended, strict=True)
        connection.register("mended", pa.table({"number": pa.array(numbers, pa.int64()), "line": list(texts)}))
        connection.execute(f"INSERT INTO kept {_fields(task, 'mended')}")
    return refused


def _write(connection: duckdb.DuckDBPyConnection, scratch: Path, identifiers: str) -> int:
    """Writes papers, keys and postings, and returns how many postings there are."""
    titles = "(SELECT position, title FROM papers)"
    odd = connection.execute(f"SELECT position, title FROM {titles} WHERE NOT is_plain(title)").fetchall()
    pairs = [(position, text) for position, title in odd for text in title_terms(" ".join(title.split()))]
    columns = {
        "position": pa.array([position for position, _ in pairs], pa.int64()),
        "text": pa.array([text for _, text in pairs], pa.string()),
    }
    connection.register("odd_terms", pa.table(columns))
    connection.execute(
        f"CREATE TEMP TABLE postings AS {PLAIN_TERMS.format(titles=titles)}"
        " UNION ALL SELECT term(text), position FROM odd_terms"
        f" UNION ALL SELECT term('i:' || unnest({identifiers})), position FROM papers"
    )
    for relation, name, at_once in (
        ("papers", "papers", _PAPERS_AT_ONCE),
        ("(FROM postings ORDER BY term, position)", "terms", _POSTINGS_AT_ONCE),
        ("(SELECT hash(key) AS term, position FROM papers ORDER BY term, position)", "keys", _POSTINGS_AT_ONCE),
    ):
        target = literal(str(scratch / f"{name}.parquet"))
        connection.execute(f"COPY {relation} TO {target} ({_parquet(at_once)})")
    row = connection.execute("SELECT count(*) FROM postings").fetchone()
    return int(row[0]) if row else 0


def _put_in_place(task: BlockTask, scratch: Path, taken: Taken) -> None:
    task.papers.parent.mkdir(parents=True, exist_ok=True)
    (scratch / "papers.parquet").replace(task.papers)
    for name in ("terms.parquet", "keys.parquet", "refused.jsonl"):
        (scratch / name).replace(task.work / name)
    (scratch / "taken.json").write_text(json.dumps(asdict(taken)), encoding="utf-8")
    (scratch / "taken.json").replace(task.work / "taken.json")


def _parquet(rows: int) -> str:
    return f"FORMAT parquet, COMPRESSION lz4_raw, ROW_GROUP_SIZE {rows}"


@contextmanager
def _scratch(folder: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
    """Gives a DuckDB of one thread, and a folder that is gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="scratch-", dir=folder))
    connection = duckdb.connect()
    try:
        connection.execute("SET TimeZone='UTC'")
        connection.execute("SET threads=1")
        connection.execute("SET enable_progress_bar=false")
        connection.execute(f"SET memory_limit='{_MEMORY}'")
        connection.execute(f"SET temp_directory={literal(str(scratch / 'spill'))}")
        yield connection, scratch
    finally:
        connection.close()
        with suppress(OSError):
            shutil.rmtree(scratch)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, duckdb.Error) as error:
        why = str(error).strip().splitlines()[0]
        raise WarehouseError(f"cannot write the mirror at {folder}: {why}") from error


def ranges(rows: int, *, at_most: int, bits: int) -> Sequence[tuple[int, int]]:
    """Returns the ranges of terms of `bits` bits, first and last, that hold about equal numbers of `rows`."""
    count = max(1, -(-rows // at_most))
    edges = [part * 2**bits // count for part in range(count)] + [2**bits]
    return [(low, high - 1) for low, high in pairwise(edges)]

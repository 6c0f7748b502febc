"""Adds blocks of a dump to a mirror: papers, postings of their terms, and refused lines.

`take_block` is a plain function of what it is handed, so that any thread can run it. What it makes is put in place
whole, and is found there by an import that goes on after a crash.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from sources.errors import PayloadError, UsageError
from sources.services.dumps import shown_beginning
from warehouse.durable_files import put_in_place, replacing, write_whole
from warehouse.lake.engine import grant_public
from warehouse.mirrors.blocks import FileBlock, unread
from warehouse.mirrors.index import mirror_errors
from warehouse.mirrors.lookup import LINE_BITS, PLAIN_TERMS, prepare, title_terms
from warehouse.mirrors.shapes import SHAPES, Shape
from warehouse.tables.schema import literal

_DIGITS = 18  # of a whole number that fits into 64 bits whatever its digits

# The second look at lines of a dump that are not sound: each is read strictly, mended or refused.


@dataclass(slots=True)
class Aside:
    """What a second look found."""

    blank: int = 0  # blank lines
    refused: int = 0  # lines that are no papers
    left_out: int = 0  # fields of papers that were left out, as they cannot be true
    # what is written of the last two: line, why, row, and the field
    notes: list[dict[str, Any]] = field(default_factory=list)
    mended: dict[int, str] = field(default_factory=dict)  # number of a line -> the sound row made of it, as JSON


def read_strictly(shape: Shape, block: FileBlock, lines: Iterable[tuple[int, bytes]]) -> Aside:
    """Returns what is in some lines of a block, each given with its number."""
    aside = Aside()
    for number, line in lines:
        if not line.strip():
            aside.blank += 1
            continue
        try:
            mended = shape.mend(line)
        except PayloadError as error:
            is_object = line.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
            if block.ends_open and number == block.lines and error.field == "line" and is_object:
                raise UsageError(f"{block.file} is cut off: its last line has no end; get the file anew") from error
            aside.refused += 1
            aside.notes.append({"line": number, "why": error.message, "row": shown_beginning(line)})
            continue
        aside.mended[number] = mended.text
        aside.left_out += len(mended.left_out)
        aside.notes += [
            {"line": number, "field": name, "why": why, "row": shown_beginning(line)}
            for name, why in mended.left_out.items()
        ]
    return aside


# A row group of papers is what has to be read to get at one of them. For abstracts, zstd makes two thirds of what lz4
# makes of them, in the same time. Hashes have no use for a dictionary.
_PAPERS_OPTIONS = "COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 8192"
_POSTINGS_OPTIONS = "COMPRESSION lz4_raw, DICTIONARY_SIZE_LIMIT 1, ROW_GROUP_SIZE 122880"
_TAKEN = "taken.json"
_MEMORY = "1GB"  # what one worker's DuckDB may take before it goes to disk


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockTask:
    """A block to be taken into a mirror."""

    block: FileBlock  # the bytes
    shape: str  # name of the dump's kind
    number: int  # the block's number in the mirror; positions are made of it
    papers: Path  # where its papers go, a Parquet file
    work: Path  # folder for everything else that comes of it


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What came of a block."""

    number: int  # the block's number
    file: str  # the dump file, by its distinct name
    sha256: str  # of the block's bytes
    bytes: int  # how many it has
    lines: int  # lines of it, blank ones too
    blank: int  # blank ones
    rows: int  # papers taken, duplicates among them
    refused: int  # lines that are no papers
    left_out: int  # fields of papers taken that were left out, as they cannot be true
    newest: str | None  # the last day on which the source changed a row, ISO 8601; None where no row has one


def take_block(task: BlockTask) -> Taken:
    """Makes papers, postings and the list of refused lines of one block, unless they are there already.

    Raises:
        UsageError: The file's last line is cut off, or the file has changed since the block was cut.
        WarehouseError: The block could not be read or its parts not be written.
    """
    known: Taken | None = None
    with suppress(OSError, ValueError, TypeError):
        known = Taken(**json.loads((task.work / _TAKEN).read_text(encoding="utf-8")))
    block = (task.block.sha256, task.number, task.block.file)
    is_of_block = known is not None and (known.sha256, known.number, known.file) == block
    if known is None or not is_of_block or not task.papers.is_file():
        with mirror_errors(task.work), _scratch_duckdb(task.work) as (connection, scratch):
            known = _take(connection, task, scratch)
    return known


def _take(connection: duckdb.DuckDBPyConnection, task: BlockTask, scratch: Path) -> Taken:
    shape = SHAPES[task.shape]
    prepare(connection)
    aside = (_take_rows if task.block.is_parquet else _take_lines)(connection, task, scratch / "papers.parquet")
    _write_index(connection, scratch, shape.identifiers)
    ((rows, newest),) = connection.execute(
        f"SELECT count(*), CAST(max({shape.changed_on}) AS VARCHAR) FROM papers"
    ).fetchall()
    taken = Taken(
        number=task.number,
        file=task.block.file,
        sha256=task.block.sha256,
        bytes=task.block.length,
        lines=task.block.lines,
        blank=aside.blank,
        rows=rows,
        refused=aside.refused,
        left_out=aside.left_out,
        newest=newest,
    )
    (task.work / _TAKEN).unlink(missing_ok=True)
    task.papers.parent.mkdir(parents=True, exist_ok=True)
    put_in_place(scratch / "papers.parquet", task.papers)
    for name in ("terms.parquet", "keys.parquet", "refused.jsonl"):
        put_in_place(scratch / name, task.work / name)
    write_whole(task.work / _TAKEN, json.dumps(asdict(taken)).encode())
    return taken


def _take_lines(connection: duckdb.DuckDBPyConnection, task: BlockTask, papers: Path) -> Aside:
    lines = _split(task.block.read())
    try:
        texts = lines.cast(pa.large_string())
    except pa.ArrowInvalid:  # what is no UTF-8 is NULL, and so gets a second look
        texts = pa.array([_decoded(line.as_py()) for line in lines], pa.large_string())
    numbers = pa.array(range(1, len(lines) + 1), pa.int64())
    connection.register("lines", pa.table({"number": numbers, "line": texts}))
    # Straight into the file: to hold the rows first costs as much again. Nearly always, all of them are sound.
    try:
        _write_parquet(connection, _papers(task, "lines WHERE line NOT IN ('', '\n', '\r\n')"), papers, tight=True)
    except duckdb.InvalidInputException:  # one line that is no JSON is enough; then each is looked at twice
        _write_parquet(connection, _papers(task, "lines WHERE json_valid(line)"), papers, tight=True)
    return _second_look(
        connection,
        task,
        papers,
        all_numbers="SELECT number FROM lines",
        read=lambda numbers: ((number, lines[number - 1].as_py()) for number in numbers),
    )


def _take_rows(connection: duckdb.DuckDBPyConnection, task: BlockTask, papers: Path) -> Aside:
    shape, block = SHAPES[task.shape], task.block
    file = f"read_parquet({literal(block.url or str(block.path))}, file_row_number=true)"
    if block.url is not None:
        grant_public(connection, block.url)
    empty = f"SELECT json_transform('{{}}', {literal(shape.structure)}) AS kept"
    ((form,),) = connection.execute(f"SELECT typeof(kept) FROM ({empty})").fetchall()
    fields, columns = (_columns(connection, query) for query in (f"SELECT unnest(kept) FROM ({empty})", f"FROM {file}"))
    if lacking := [name for name in shape.needed if name not in columns]:
        raise UsageError(f"{block.file} has no column {', '.join(lacking)}: {shape.meant}")
    packed = ", ".join(f'"{name}": "{name}"' for name in fields if name in columns)
    connection.execute(
        f"CREATE TEMP VIEW numbered AS SELECT file_row_number + {1 - block.start} AS number, {{{packed}}} AS kept"
        f" FROM {file} WHERE file_row_number BETWEEN {block.start} AND {block.start + block.lines - 1}"
    )
    try:
        rows = _rows_of(task, f"SELECT number, unnest(CAST(kept AS {form})) FROM numbered")
        _write_parquet(connection, rows, papers, tight=True)
    except duckdb.IOException as error:
        raise unread(block.file, str(error).splitlines()[0]) from error
    except duckdb.Error as error:
        why = str(error).splitlines()[0]
        raise UsageError(f"{block.file} has columns of another form ({why}): {shape.meant}") from error
    rest = "SELECT number, to_json(kept)::VARCHAR FROM numbered WHERE number IN (SELECT unnest(?)) ORDER BY number"
    return _second_look(
        connection,
        task,
        papers,
        all_numbers=f"SELECT unnest(range(1, {block.lines + 1})) AS number",
        read=lambda numbers: (
            (number, line.encode()) for number, line in connection.execute(rest, [numbers]).fetchall()
        ),
    )


def _columns(connection: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    return [name for name, *_ in connection.execute(f"DESCRIBE {query}").fetchall()]


def _split(body: bytes | bytearray) -> pa.LargeBinaryArray:
    """Returns the lines of `body`, with their ends, as they lie there: nothing is copied."""
    offsets = array("q", [0])
    while end := body.find(b"\n", offsets[-1]) + 1:
        offsets.append(end)
    if offsets[-1] < len(body):
        offsets.append(len(body))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(body)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(offsets) - 1, buffers)


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return None


def _papers(task: BlockTask, lines: str) -> str:
    """Returns SQL for the papers in `lines`, a relation that has `number` and `line`."""
    structure = literal(SHAPES[task.shape].structure)
    return _rows_of(task, f"SELECT number, unnest(json_transform(line, {structure})) FROM {lines}")


def _rows_of(task: BlockTask, fields: str) -> str:
    """Returns SQL for the papers of `fields`, a query for the number of a row and the fields to store."""
    shape = SHAPES[task.shape]
    if shape.numbers:
        read = ", ".join(
            f"CASE WHEN regexp_full_match({name}, '[0-9]{{1,{_DIGITS}}}') THEN CAST({name} AS BIGINT)"
            f" WHEN {name} IS NOT NULL THEN -1 END AS {name}"
            for name in shape.numbers
        )
        fields = f"SELECT * REPLACE ({read}) FROM ({fields})"
    base = task.number << LINE_BITS
    return f"SELECT {base} + number AS position, {shape.key} AS key, * EXCLUDE (number) FROM ({fields})"


def _second_look(
    connection: duckdb.DuckDBPyConnection,
    task: BlockTask,
    papers: Path,
    *,
    all_numbers: str,
    read: Callable[[Sequence[int]], Iterable[tuple[int, bytes]]],
) -> Aside:
    """Reads the lines strictly that were not sound at first sight.

    Makes the view `papers` of those that are taken, in the file of that name. `all_numbers` is a query for the numbers
    of all lines; `read` returns some of them, with their numbers.
    """
    shape = SHAPES[task.shape]
    file = literal(str(papers))
    rest = connection.execute(
        f"SELECT number FROM ({all_numbers}) WHERE number + {task.number << LINE_BITS} NOT IN"
        f" (SELECT position FROM {file} WHERE {shape.sound}) ORDER BY number"
    ).fetchall()
    aside = read_strictly(shape, task.block, read([number for (number,) in rest]) if rest else ())
    with papers.with_name("refused.jsonl").open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(note) + "\n" for note in aside.notes)
    if rest:
        numbers, texts = list(aside.mended), list(aside.mended.values())
        columns = {"number": pa.array(numbers, pa.int64()), "line": pa.array(texts, pa.string())}
        connection.register("mended", pa.table(columns))
        sound = papers.with_name("sound.parquet")
        both = f"FROM {file} WHERE {shape.sound} UNION ALL {_papers(task, 'mended')}"
        _write_parquet(connection, both, sound, tight=True)
        sound.replace(papers)
    connection.execute(f"CREATE TEMP VIEW papers AS FROM {file}")
    return aside


def _write_index(connection: duckdb.DuckDBPyConnection, scratch: Path, identifiers: str) -> None:
    connection.execute("CREATE TEMP TABLE titles AS SELECT position, title, is_plain(title) AS plain FROM papers")
    odd = connection.execute("SELECT position, title FROM titles WHERE NOT plain").fetchall()
    pairs = [(position, text) for position, title in odd for text in title_terms(" ".join(title.split()))]
    positions, texts = zip(*pairs, strict=True) if pairs else ((), ())
    arrays = [pa.array(positions, pa.int64()), pa.array(texts, pa.string())]
    connection.register("odd_terms", pa.table(arrays, names=["position", "text"]))
    postings = (
        f"{PLAIN_TERMS.format(titles='(FROM titles WHERE plain)')}"
        " UNION ALL SELECT term(text), position FROM odd_terms"
        f" UNION ALL SELECT term('i:' || unnest({identifiers})), position FROM papers"
    )
    keys = "SELECT hash(key) AS term, position FROM papers"
    for relation, name in ((postings, "terms"), (keys, "keys")):
        _write_parquet(connection, relation, scratch / f"{name}.parquet")


def _write_parquet(connection: duckdb.DuckDBPyConnection, sql: str, target: Path, *, tight: bool = False) -> None:
    options = _PAPERS_OPTIONS if tight else _POSTINGS_OPTIONS
    connection.execute(f"COPY ({sql}) TO {literal(str(target))} (FORMAT parquet, {options})")


@contextmanager
def _scratch_duckdb(folder: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
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


def papers_of(work: Path, number: int) -> Path:
    """Returns the file with the papers of a block, in the folder that a mirror is made in."""
    return work / "papers" / f"{number:06}.parquet"


def write_refused(notes: Iterable[Mapping[str, Any]], target: Path, *, before: Path | None = None) -> tuple[int, int]:
    """Writes what was refused to the file `target`, behind what the file `before` holds, and returns how much it is.

    Each is written once: a run that was stopped, or an update that is applied again, adds nothing a second time.

    Returns:
        How many lines are no papers, and how many fields of others cannot be true.
    """
    seen: set[bytes] = set()
    counts: Counter[bool] = Counter()
    known = before.read_bytes().splitlines(keepends=True) if before is not None and before.exists() else ()
    with replacing(target) as made:
        for line in chain(known, (json.dumps(note).encode() + b"\n" for note in notes)):
            digest = hashlib.blake2b(line, digest_size=16).digest()
            if digest not in seen:
                seen.add(digest)
                counts["field" in json.loads(line)] += 1
                made.write(line)
    return counts[False], counts[True]


def refused_of(work: Path, taken: Sequence[Taken]) -> Iterator[dict[str, Any]]:
    """Yields what was refused of the blocks `taken`: the file, the line in it, the reason, its beginning, the field."""
    lines_before: Counter[str] = Counter()
    for item in taken:
        with (work / "blocks" / f"{item.number:06}" / "refused.jsonl").open(encoding="utf-8") as stream:
            for note in map(json.loads, stream):
                yield {"file": item.file} | note | {"line": lines_before[item.file] + note["line"]}
        lines_before[item.file] += item.lines

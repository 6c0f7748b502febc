"""The index of a mirror: the papers of each term, and which papers were deleted.

An index is merged out of the postings of many blocks, or out of older indexes. Of a paper that a later row replaces, or
that its source took away, the position is written down beside the postings.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sources.errors import WarehouseError
from sources.processes import keep_working_folder_out
from warehouse.durable_files import PARTIAL, put_in_place
from warehouse.tables.schema import literal, parquet

T = TypeVar("T")
R = TypeVar("R")

WORKERS = max(1, min(os.cpu_count() or 1, 8))  # blocks taken at a time; each has up to 1 GB to itself


# Runs a function over many things, several at a time where it can, and yields what it returns, in no fixed order.
Spread = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


def in_threads(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yields what `function` returns for each of `items`, as it comes.

    The next item is made only when a worker will soon be free for it: items may be unpacked parts of a huge file.
    """
    pending: set[Future[Any]] = set()
    with ThreadPoolExecutor(WORKERS) as pool:
        try:
            for item in items:
                pending.add(pool.submit(function, item))
                if len(pending) > WORKERS:
                    done, pending = wait(pending, return_when=FIRST_COMPLETED)
                    yield from (item.result() for item in done)
            while pending:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (item.result() for item in done)
        finally:
            for each in pending:
                each.cancel()


def in_processes(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yields what `function` returns for each of `items`, in order, worked out by as many processes as there are cores.

    One item, or one core, makes no process. Where the machine lets us have none, or takes one away, the rest is done
    here.
    """
    shares = list(items)
    done = 0
    workers = min(WORKERS, len(shares))
    if workers > 1:
        keep_working_folder_out()
        try:
            with ProcessPoolExecutor(
                workers, multiprocessing.get_context("spawn"), initializer=_leave_ctrl_c_to_the_parent
            ) as pool:
                for made in pool.map(function, shares):
                    done += 1
                    yield made
        except (BrokenProcessPool, OSError):
            pass
    yield from map(function, shares[done:])


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# Postings that one worker sorts at a time; with the memory of `building` that stays in memory.
POSTINGS_AT_ONCE = 16_000_000
ROWS_AT_ONCE = 40_960  # postings of a row group: what has to be read to get at one of them
_QUICK = "COMPRESSION lz4_raw"
_MEMORY = "1GB"  # what one worker's DuckDB may take before it goes to disk
SUPERSEDED = "superseded.parquet"  # the file, in the folder of an index


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeTask:
    """A range of terms to be brought together.

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


def merge_postings(task: MergeTask) -> None:
    """Makes one file of an index out of the postings of many blocks, or of older indexes.

    Raises:
        WarehouseError: A file could not be read or written.
    """
    postings = parquet(task.files) if task.files else "(SELECT 0::UBIGINT AS term, 0::BIGINT AS position LIMIT 0)"
    with mirror_errors(task.target.parent), scratch_duckdb(task.target.parent) as (connection, scratch):
        made = scratch / "merged.parquet"
        wanted = f"SELECT term, position FROM {postings} WHERE term BETWEEN {task.low} AND {task.high}"
        write_parquet(connection, f"({wanted} ORDER BY term, position)", made, ROWS_AT_ONCE)
        put_in_place(made, task.target)


def merge_indexes(parts: Sequence[Path], target: Path, *, spread: Spread) -> None:
    """Makes one index in the folder `target` of those in the folders `parts`.

    Raises:
        WarehouseError: It does not hold all that they hold.
    """
    target.mkdir(parents=True, exist_ok=True)
    tasks, before = [], {}
    for kind, bits in (("terms", 32), ("keys", 64)):
        files = tuple(file for part in parts for file in sorted(part.glob(f"{kind}*.parquet")))
        before[kind] = sum(rows_of(files).values())
        for number, (low, high) in enumerate(ranges(before[kind], at_most=POSTINGS_AT_ONCE, bits=bits)):
            made = target / f"{kind}-{number:04}.parquet"
            tasks.append(MergeTask(files=files, low=low, high=high, target=made))
    for _ in spread(merge_postings, tasks):
        pass
    for kind, rows in before.items():
        after = sum(rows_of([task.target for task in tasks if task.target.name.startswith(kind)]).values())
        if after != rows:
            raise WarehouseError(f"{after} of {rows} {kind} arrived in the index {target}: nothing was changed")


def ranges(rows: int, *, at_most: int, bits: int) -> Sequence[tuple[int, int]]:
    """Returns the ranges of terms of `bits` bits, first and last, that hold about equal numbers of `rows`."""
    count = max(1, -(-rows // at_most))
    edges = [part * 2**bits // count for part in range(count)] + [2**bits]
    return [(low, high - 1) for low, high in pairwise(edges)]


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
        _write_positions(connection, "superseded", index)
        row = connection.execute(
            "SELECT count(*) FILTER (replaced), count(*) FILTER (NOT replaced) FROM superseded"
        ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


def merge_superseded(indexes: Sequence[Path], target: Path) -> None:
    """Writes into the folder `target` what the folders `indexes` tell together."""
    with closing(duckdb.connect()) as connection:
        _write_positions(connection, parquet(index / SUPERSEDED for index in indexes), target)


def _write_positions(connection: duckdb.DuckDBPyConnection, rows: str, index: Path) -> None:
    made = index / f"{SUPERSEDED}{PARTIAL}"
    connection.execute(
        f"COPY (SELECT position FROM {rows} ORDER BY position) TO {literal(str(made))}"
        " (FORMAT parquet, COMPRESSION zstd)"
    )
    put_in_place(made, index / SUPERSEDED)


def rows_of(files: Sequence[Path]) -> dict[Path, int]:
    """Returns how many rows each of some Parquet files has.

    Raises:
        WarehouseError: One cannot be read.
    """
    try:
        return {file: pq.read_metadata(file).num_rows for file in files}
    except (OSError, pa.ArrowException) as error:
        raise WarehouseError(f"cannot read what was just written: {str(error).splitlines()[0]}") from error


def write_parquet(
    connection: duckdb.DuckDBPyConnection, relation: str, target: Path, rows: int, compression: str = _QUICK
) -> None:
    """Writes a relation to a Parquet file whose row groups hold so many `rows`."""
    options = f"FORMAT parquet, {compression}, ROW_GROUP_SIZE {rows}"
    connection.execute(f"COPY {relation} TO {literal(str(target))} ({options})")


@contextmanager
def scratch_duckdb(folder: Path) -> Iterator[tuple[duckdb.DuckDBPyConnection, Path]]:
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
def mirror_errors(folder: Path) -> Iterator[None]:
    """Turns the errors of DuckDB and of the system into one line that names the folder."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        why = str(error).strip().splitlines()[0]
        raise WarehouseError(f"cannot write the mirror at {folder}: {why}") from error


def count_parts(index: Path) -> int:
    """Returns how many files of terms are in the folder of an index."""
    return len(list(index.glob("terms-*.parquet")))


def hash_probe() -> int:
    """Returns a hash that tells whether this DuckDB finds what another one has put into an index."""
    with duckdb.connect() as connection:
        row = connection.execute("SELECT hash('paperlake')").fetchone()
    return int(row[0]) if row else 0

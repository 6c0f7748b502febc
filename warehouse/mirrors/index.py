"""The index of a mirror, one DuckDB file: papers by term, papers by key, and which papers were replaced.

`terms` lies in the order of its terms, so that a look-up reads the row groups whose terms it asks for. An update writes
a copy, because a file that one process writes cannot be read by others.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sources.errors import WarehouseError
from warehouse.durable_files import PARTIAL, put_in_place
from warehouse.mirrors.workers import WORKERS
from warehouse.tables.schema import literal, parquet

_TABLES = """
CREATE TABLE terms (term UBIGINT, position BIGINT);
CREATE TABLE keys (key UBIGINT, position BIGINT);
CREATE TABLE superseded (position BIGINT);
"""
# Papers that later rows replace, of the incoming ones and of those before, and papers that were taken away.
_GONE = """
CREATE TEMP TABLE gone AS
SELECT position, true AS replaced
FROM incoming JOIN (SELECT key, max(position) AS newest FROM incoming GROUP BY key HAVING count(*) > 1) USING (key)
WHERE position < newest
UNION ALL
SELECT position, key IN (SELECT key FROM incoming) AS replaced
FROM keys
WHERE position NOT IN (SELECT position FROM superseded)
    AND (replaced OR key IN (SELECT hash(key) FROM deleted))
"""


def write_index(
    blocks: Sequence[Path], target: Path, *, older: Path | None = None, deleted: Sequence[str] = ()
) -> tuple[int, int]:
    """Writes the index of blocks, and of all that an older one holds.

    Args:
        blocks: Folders of the blocks, each with `terms.parquet` and `keys.parquet`.
        target: The file to make.
        older: The index on top of which they come.
        deleted: Identifiers of papers taken away.

    Returns:
        How many papers are replaced, and how many are taken away.
    """
    made = target.with_name(f"{target.name}{PARTIAL}")
    made.unlink(missing_ok=True)
    with mirror_errors(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        if older is not None:
            shutil.copyfile(older, made)
        with closing(duckdb.connect(str(made))) as connection:
            connection.execute("SET enable_progress_bar=false")
            connection.execute(f"SET memory_limit='{WORKERS}GB'")
            connection.execute(f"SET temp_directory={literal(f'{made}.spill')}")
            if older is None:
                connection.execute(_TABLES)
            terms, keys = (_postings([block / name for block in blocks]) for name in ("terms.parquet", "keys.parquet"))
            connection.execute(f"INSERT INTO terms SELECT term, position FROM {terms} ORDER BY term, position")
            connection.execute(f"CREATE TEMP TABLE incoming AS SELECT term AS key, position FROM {keys}")
            connection.register("deleted", pa.table({"key": pa.array(deleted, pa.string())}))
            connection.execute(_GONE)
            connection.execute("INSERT INTO keys FROM incoming")
            connection.execute("INSERT INTO superseded SELECT position FROM gone ORDER BY position")
            counts = connection.execute("SELECT count(*) FILTER (replaced), count(*) FILTER (NOT replaced) FROM gone")
            ((replaced, taken_away),) = counts.fetchall()
        put_in_place(made, target)
    return int(replaced), int(taken_away)


def _postings(files: Sequence[Path]) -> str:
    return parquet(files) if files else "(SELECT 0::UBIGINT AS term, 0::BIGINT AS position LIMIT 0)"


def papers_in(index: Path) -> tuple[int, int]:
    """Returns how many papers an index has, and how many of them were replaced or taken away."""
    try:
        with closing(duckdb.connect(str(index), read_only=True)) as connection:
            rows: list[tuple[int, int]] = connection.execute(
                "SELECT (SELECT count(*) FROM keys), (SELECT count(*) FROM superseded)"
            ).fetchall()
    except duckdb.Error as error:
        raise WarehouseError(f"cannot read {index}: {str(error).splitlines()[0]}") from error
    return rows[0]


def rows_of(files: Sequence[Path]) -> dict[Path, int]:
    """Returns how many rows each of some Parquet files has."""
    try:
        return {file: pq.read_metadata(file).num_rows for file in files}
    except (OSError, pa.ArrowException) as error:
        raise WarehouseError(f"cannot read what was just written: {str(error).splitlines()[0]}") from error


@contextmanager
def mirror_errors(folder: Path) -> Iterator[None]:
    """Turns the errors of DuckDB and of the system into one line that names the folder."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        why = str(error).strip().splitlines()[0]
        raise WarehouseError(f"cannot write the mirror at {folder}: {why}") from error


def hash_probe() -> int:
    """Returns a hash, by which it is known whether this DuckDB hashes as the one that made an index."""
    with duckdb.connect() as connection:
        row = connection.execute("SELECT hash('paperlake')").fetchone()
    return int(row[0]) if row else 0

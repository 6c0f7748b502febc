"""The files of a lake's data folder: those in the catalogue, with their checksums, and our own few.

DuckDB writes no checksum into a Parquet page, so a flipped bit may read as another number. A seal is a file's SHA-256,
taken right after the commit that brought it and kept in the catalogue, beside DuckLake's own tables.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

import duckdb
from duckdb import DuckDBPyConnection

from sources.errors import WarehouseError
from warehouse.durable_files import write_whole
from warehouse.lake import engine
from warehouse.tables.schema import file_literal, literal, literal_path

CATALOG = "__ducklake_metadata_lake"  # what DuckLake calls the catalogue's own database, attached beside the lake
# How far the making of a lake has come: its catalogue has the tables, has an owner only, or is no lake's yet.
Progress = Literal["made", "begun", "none"]
# Has a row in the catalogue of a lake that was made.
MADE = "SELECT 1 FROM ducklake_table WHERE table_name = 'schema_migrations' AND end_snapshot IS NULL"
OWNER = "paperlake_owner"  # the catalogue's table in which it is written whose it is: the first that is ours
_NEVER_REGISTERED = 2**62  # numbers from here on are no file's in DuckLake's own count
_SEALS = f"{CATALOG}.paperlake_seals"


MARK = "paperlake-owner.json"  # the mark's name, in the data folder
_OF_A_LAKE = "main/*/ducklake-*.parquet"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One Parquet file of the lake, as `_FILES` gives it."""

    sha256: str | None  # what its bytes were when it was sealed; None where it was not
    table: str  # the table whose rows, or whose deleted rows' positions, it holds
    path: str  # where it is, in full
    rows: int  # how many rows the catalogue says it has
    size: int  # its size in bytes, as the catalogue has it
    snapshot: int  # the snapshot that brought it
    current: bool  # whether the newest snapshot reads it; the others are for time travel
    deletes: bool  # whether it holds the positions of deleted rows

    @property
    def name(self) -> str:
        """Returns the file's own name, which no other file of any lake has."""
        return self.path.rsplit("/", 1)[-1]


def stored_files(connection: DuckDBPyConnection, *, after: int = -1) -> list[StoredFile]:
    """Returns the files that any snapshot reads, by table, those brought after the snapshot `after` only."""
    query = " UNION ALL ".join(
        _FILES.format(root=literal(data_path(connection)), file=file, rows=rows, deletes=deletes)
        for file, rows, deletes in (("data", "record_count", "false"), ("delete", "delete_count", "true"))
    )
    seals = {file: digest for file, _, digest in _seals(connection)}
    found = connection.execute(f"SELECT * FROM ({query}) WHERE snapshot > ? ORDER BY ALL", [after]).fetchall()
    return [StoredFile(seals.get(row[1].rsplit("/", 1)[-1]), *row) for row in found]


def data_path(connection: DuckDBPyConnection) -> str:
    """Returns the folder or address under which all the lake's files are, with a slash behind it."""
    ((path,),) = connection.execute("SELECT data_path FROM ducklake_settings('lake')").fetchall()
    return str(path)


def bytes_stored(connection: DuckDBPyConnection) -> int:
    """Returns how many bytes the files have that the catalogue knows, by what it says itself."""
    query = f"SELECT sum(file_size_bytes) FROM {CATALOG}.ducklake_data_file"
    ((size,),) = connection.execute(query).fetchall()  # all, as a read that is not at its end locks the catalogue
    return int(size or 0)


def move_data(connection: DuckDBPyConnection, path: str) -> None:
    """Notes in the catalogue that the lake's files are under `path` from now on."""
    with beside_the_lake(connection) as catalog:
        catalog.execute(f"UPDATE {CATALOG}.ducklake_metadata SET value = ? WHERE key = 'data_path'", [path])


def table_folders(connection: DuckDBPyConnection) -> set[str]:
    """Returns the folders into which DuckLake writes the tables' files, each with a slash behind it."""
    query = _TABLE_FOLDERS.format(root=literal(data_path(connection)))
    return {path for (path,) in connection.execute(query).fetchall()}


def retired_files(connection: DuckDBPyConnection) -> set[str]:
    """Returns the names of the files that were the lake's, and are to be deleted."""
    rows = connection.execute(f"SELECT path FROM {CATALOG}.ducklake_files_scheduled_for_deletion").fetchall()
    return {path.rsplit("/", 1)[-1] for (path,) in rows}


def retire(connection: DuckDBPyConnection, files: Mapping[str, datetime]) -> None:
    """Schedules files that no commit registered for deletion: path, from the data path on -> when it was written."""
    schedule = f"{CATALOG}.ducklake_files_scheduled_for_deletion"
    with beside_the_lake(connection) as catalog:
        ((taken,),) = catalog.execute(f"SELECT coalesce(max(data_file_id), 0) FROM {schedule}").fetchall()
        rows = [
            (max(taken, _NEVER_REGISTERED) + number, path, f"{moment:%Y-%m-%d %H:%M:%S.%f}+00")
            for number, (path, moment) in enumerate(sorted(files.items()), 1)
        ]
        catalog.executemany(f"INSERT INTO {schedule} VALUES (?, ?, true, ?)", rows)


def sizes_on_disk(connection: DuckDBPyConnection) -> dict[str, int]:
    """Returns path -> bytes of every Parquet file under the data path, whether the catalogue knows it or not."""
    pattern = literal(f"{literal_path(data_path(connection))}**/*.parquet")
    return dict(connection.execute(f"SELECT filename, size FROM read_blob({pattern})").fetchall())


def sha256_of(connection: DuckDBPyConnection, path: str) -> tuple[int, str]:
    """Returns the size in bytes and the SHA-256 of the file at `path`."""
    read = f"SELECT size, sha256(content) FROM read_blob({file_literal(path)})"
    for size, digest in connection.execute(read).fetchall():
        return int(size), str(digest)
    raise duckdb.IOException(f"there is no file {path}")  # it went while it was opened


def seal(connection: DuckDBPyConnection, digests: Iterable[tuple[StoredFile, str]]) -> None:
    """Keeps the SHA-256 of new files in the catalogue; called between transactions by the one writer."""
    rows = [(file.name, file.snapshot, digest) for file, digest in digests]
    if not rows:
        return
    with beside_the_lake(connection) as catalog:
        catalog.execute(f"CREATE TABLE IF NOT EXISTS {_SEALS} (file VARCHAR, snapshot BIGINT, sha256 VARCHAR)")
        columns = [list(column) for column in zip(*rows, strict=True)]
        catalog.execute(f"INSERT INTO {_SEALS} SELECT unnest(?), unnest(?), unnest(?)", columns)


def keep_seals(connection: DuckDBPyConnection, names: Collection[str]) -> None:
    """Drops the seals of all files but `names`."""
    gone = [(file,) for file, _, _ in _seals(connection) if file not in names]
    if gone:
        with beside_the_lake(connection) as catalog:
            catalog.executemany(f"DELETE FROM {_SEALS} WHERE file = ?", gone)


def last_sealed(connection: DuckDBPyConnection) -> int | None:
    """Returns the newest snapshot whose files were sealed, None where none were."""
    return max((snapshot for _, snapshot, _ in _seals(connection)), default=None)


def _seals(connection: DuckDBPyConnection) -> list[tuple[str, int, str]]:
    try:
        return connection.execute(f"SELECT file, snapshot, sha256 FROM {_SEALS}").fetchall()
    except duckdb.CatalogException:
        return []


@contextmanager
def beside_the_lake(connection: DuckDBPyConnection) -> Iterator[DuckDBPyConnection]:
    """Gives a connection to the catalogue's database alone: one that also reads the lake would lock itself out."""
    cursor = connection.cursor()
    try:
        cursor.execute("USE memory")
        yield cursor
    finally:
        cursor.close()


class DataFolder:
    """A lake's data folder, local or on S3, for the few files in it that DuckLake does not write.

    Its path `data` ends with a slash. On S3 it is read and written by `connection`; None makes one that may.
    """

    def __init__(self, data: str, connection: DuckDBPyConnection | None = None) -> None:
        self.data = data
        self._remote = data.startswith(engine.SCHEME)
        self._given = connection

    def read(self, name: str) -> bytes | None:
        """Returns what the file `name` holds, None where there is none.

        Raises:
            WarehouseError: It cannot be read.
        """
        if self._remote:
            pattern = f"{literal_path(self.data + name[:-1])}[{name[-1]}]"  # a name alone, not there, is an error
            rows = self._connection.execute("SELECT content FROM read_blob(?)", [pattern]).fetchall()
            return bytes(rows[0][0]) if rows else None
        try:
            return (Path(self.data) / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise WarehouseError(f"cannot read {self.data}{name}: {error.strerror or error}") from error

    def write(self, name: str, body: bytes) -> None:
        """Puts the file `name` in place, whole or not at all.

        Raises:
            WarehouseError: It cannot be written.
        """
        if self._remote:
            target = literal(self.data + name)
            self._connection.execute(f"COPY (SELECT ?::BLOB AS content) TO {target} (FORMAT blob)", [body])
            return
        try:
            Path(self.data).mkdir(parents=True, exist_ok=True)
            write_whole(Path(self.data) / name, body)
        except OSError as error:
            raise WarehouseError(f"cannot write {self.data}{name}: {error.strerror or error}") from error

    def holds_a_lake(self) -> bool:
        """Returns whether a lake's mark or files are there."""
        if self.read(MARK) is not None:
            return True
        if not self._remote:
            return any(Path(self.data).glob(_OF_A_LAKE))
        pattern = literal(literal_path(self.data) + _OF_A_LAKE)
        return bool(self._connection.execute(f"SELECT file FROM glob({pattern}) LIMIT 1").fetchall())

    @property
    def _connection(self) -> DuckDBPyConnection:
        if self._given is None:
            self._given = duckdb.connect()
            engine.grant(self._given, self.data)
        return self._given


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerMark:
    """The file in a data folder that names its owner."""

    lake: str  # the lake's own random name, which its catalogue holds too
    catalogue: str  # where that catalogue was, to be shown; holds no password
    token: str  # that of the last session
    open_since: datetime | None = None  # when the session under way began; None between sessions
    # when sessions ran that were killed, whose files no compaction has looked for yet: from, to
    killed: tuple[tuple[datetime, datetime], ...] = ()

    @classmethod
    def read(cls, folder: DataFolder) -> OwnerMark | None:
        """Returns the mark in `folder`, None where there is none.

        Raises:
            WarehouseError: It cannot be read, or is not as it was written.
        """
        body = folder.read(MARK)
        if body is None:
            return None
        try:
            fields = json.loads(body)
            opened = fields["open_since"] and datetime.fromisoformat(fields["open_since"])
            killed = tuple((datetime.fromisoformat(a), datetime.fromisoformat(b)) for a, b in fields["killed"])
            named = {name: str(fields[name]) for name in ("lake", "catalogue", "token")}
        except (ValueError, KeyError, TypeError) as error:
            raise WarehouseError(f"{folder.data}{MARK} is spoiled: `paperlake lake adopt` writes it anew") from error
        return cls(**named, open_since=opened or None, killed=killed)

    def write(self, folder: DataFolder) -> None:
        """Puts the mark into `folder`."""
        fields = asdict(self) | {
            "open_since": self.open_since and self.open_since.isoformat(),
            "killed": [(a.isoformat(), b.isoformat()) for a, b in self.killed],
            "note": "The data of this folder belong to the lake named here. Leave this file where it is.",
        }
        folder.write(MARK, json.dumps(fields, indent=1).encode() + b"\n")


# Paths in the catalogue lead on from one another: a lake where one does not is refused, see `sealing`.
_TABLE_FOLDERS = f"""
SELECT DISTINCT {{root}} || s.path || t.path
FROM {CATALOG}.ducklake_table AS t JOIN {CATALOG}.ducklake_schema AS s USING (schema_id)
"""
_FILES = f"""
SELECT t.table_name AS table_name, {{root}} || s.path || t.path || f.path AS path, f.{{rows}} AS rows,
       f.file_size_bytes AS size, f.begin_snapshot AS snapshot, f.end_snapshot IS NULL AS current,
       {{deletes}} AS deletes
FROM {CATALOG}.ducklake_{{file}}_file AS f
JOIN (SELECT table_id, any_value(schema_id) AS schema_id, arg_max(table_name, begin_snapshot) AS table_name,
             any_value(path) AS path
      FROM {CATALOG}.ducklake_table GROUP BY table_id) AS t USING (table_id)
JOIN (SELECT schema_id, any_value(path) AS path FROM {CATALOG}.ducklake_schema GROUP BY schema_id) AS s
    USING (schema_id)
"""

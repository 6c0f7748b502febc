"""Who owns a data folder: one catalogue, whose mark stands in the folder, so that no other writes or deletes there.

The mark and the catalogue hold the same random token, replaced at the beginning and at the end of every writer's
session, in the catalogue first. So a mark that bears neither the catalogue's token nor the one before it means that
another catalogue has written there since: another lake's, or a newer copy of this one. The mark also says since when a
session is open. A session that is found open by the next one was killed, and the time between is when that session may
have written files which no commit registered: nothing else tells them from a stranger's.
"""

from __future__ import annotations

import json
import re
import uuid
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from sources.clock import Clock, utc_now
from sources.errors import WarehouseError
from sources.text import counted
from warehouse.durable_files import write_whole
from warehouse.lake import engine
from warehouse.lake.concurrency import keep_copy
from warehouse.tables.schema import file_literal, literal, literal_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from datetime import datetime

    from duckdb import DuckDBPyConnection

    from warehouse.lake.place import LakePlace


# The files of a lake's data folder: those that the catalogue knows, with their seals, and the few of our own.
#
# DuckDB writes no checksum into a Parquet page, so a flipped bit may read as another number. A seal is a file's
# SHA-256, taken right after the commit that brought it and kept in the catalogue, beside DuckLake's own tables.


CATALOG = "__ducklake_metadata_lake"
"""What DuckLake calls the catalogue's own database, attached beside the lake."""
_NEVER_REGISTERED = 2**62
"""Numbers from here on are no file's in DuckLake's own count."""
_SEALS = f"{CATALOG}.paperlake_seals"


MARK = "paperlake-owner.json"
"""The mark's name, in the data folder."""
_OF_A_LAKE = "main/*/ducklake-*.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One Parquet file of the lake.

    Attributes:
        table: The table whose rows, or whose deleted rows' positions, it holds.
        path: Where it is, in full.
        rows: How many rows the catalogue says it has.
        size: Its size in bytes, as the catalogue has it.
        snapshot: The snapshot that brought it.
        current: Whether the newest snapshot reads it; the others are for time travel.
        deletes: Whether it holds the positions of deleted rows.
        sha256: What its bytes were when it was sealed; None where it was not.
    """

    table: str
    path: str
    rows: int
    size: int
    snapshot: int
    current: bool
    deletes: bool
    sha256: str | None

    @property
    def name(self) -> str:
        """Returns the file's own name, which no other file of any lake has."""
        return self.path.rsplit("/", 1)[-1]


def stored_files(connection: DuckDBPyConnection, *, after: int = -1) -> list[StoredFile]:
    """Returns the files that any kept snapshot reads, by table, those brought after the snapshot `after` only."""
    query = " UNION ALL ".join(
        _FILES.format(catalog=CATALOG, root=literal(data_path(connection)), file=file, rows=rows, deletes=deletes)
        for file, rows, deletes in (("data", "record_count", "false"), ("delete", "delete_count", "true"))
    )
    seals = {file: digest for file, _, digest in _seals(connection)}
    found = connection.execute(f"SELECT * FROM ({query}) WHERE snapshot > ? ORDER BY ALL", [after]).fetchall()
    return [
        StoredFile(
            table=table,
            path=path,
            rows=int(rows),
            size=int(size),
            snapshot=int(snapshot),
            current=bool(current),
            deletes=bool(deletes),
            sha256=seals.get(path.rsplit("/", 1)[-1]),
        )
        for table, path, rows, size, snapshot, current, deletes in found
    ]


def data_path(connection: DuckDBPyConnection) -> str:
    """Returns the folder or address under which all the lake's files are, with a slash behind it."""
    ((path,),) = connection.execute("SELECT data_path FROM ducklake_settings('lake')").fetchall()
    return str(path)


def move_data(connection: DuckDBPyConnection, path: str) -> None:
    """Notes in the catalogue that the lake's files are under `path` from now on."""
    with beside_the_lake(connection) as catalog:
        catalog.execute(f"UPDATE {CATALOG}.ducklake_metadata SET value = ? WHERE key = 'data_path'", [path])


def registers_files(connection: DuckDBPyConnection) -> bool:
    """Returns whether the catalogue knows any file at all."""
    return bool(connection.execute(f"SELECT 1 FROM {CATALOG}.ducklake_data_file LIMIT 1").fetchall())


def table_folders(connection: DuckDBPyConnection) -> set[str]:
    """Returns the folders into which DuckLake writes the tables' files, each with a slash behind it."""
    query = _TABLE_FOLDERS.format(catalog=CATALOG, root=literal(data_path(connection)))
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
    """Returns the size in bytes and the SHA-256 of the file at `path`.

    Raises:
        duckdb.Error: The file is not there or cannot be read.
    """
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
    """Returns file, snapshot and SHA-256 of every seal; none where nothing was ever sealed."""
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

    Args:
        data: The folder or prefix, with a slash behind it.
        connection: What reads and writes on S3; None makes one that may.
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
            connection = self._connection
            import pyarrow as pa  # noqa: PLC0415 - takes long, and only a mark on S3 needs it

            connection.register("paperlake_body", pa.table({"content": [body]}))
            target = literal(self.data + name)
            connection.execute(f"COPY (SELECT content FROM paperlake_body) TO {target} (FORMAT blob)")
            connection.unregister("paperlake_body")
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


_TABLE_FOLDERS = """
SELECT DISTINCT CASE WHEN t.path_is_relative::BOOLEAN THEN
           CASE WHEN s.path_is_relative::BOOLEAN THEN {root} ELSE '' END || s.path ELSE '' END || t.path
FROM {catalog}.ducklake_table AS t JOIN {catalog}.ducklake_schema AS s USING (schema_id)
"""
_FILES = """
SELECT t.table_name AS table_name,
       CASE WHEN f.path_is_relative THEN
            CASE WHEN t.path_is_relative THEN CASE WHEN s.path_is_relative THEN {root} ELSE '' END || s.path ELSE '' END
            || t.path ELSE '' END || f.path AS path,
       f.{rows} AS rows, f.file_size_bytes AS size, f.begin_snapshot AS snapshot, f.end_snapshot IS NULL AS current,
       {deletes} AS deletes
FROM {catalog}.ducklake_{file}_file AS f
JOIN (SELECT table_id, any_value(schema_id) AS schema_id, arg_max(table_name, begin_snapshot) AS table_name,
             any_value(path) AS path, any_value(path_is_relative)::BOOLEAN AS path_is_relative
      FROM {catalog}.ducklake_table GROUP BY table_id) AS t USING (table_id)
JOIN (SELECT schema_id, any_value(path) AS path, any_value(path_is_relative)::BOOLEAN AS path_is_relative
      FROM {catalog}.ducklake_schema GROUP BY schema_id) AS s USING (schema_id)
"""


Progress = Literal["made", "begun", "none"]
"""How far the making of a lake has come: its catalogue has the tables, has an owner only, or is no lake's yet."""
MADE = "SELECT 1 FROM ducklake_table WHERE table_name = 'schema_migrations' AND end_snapshot IS NULL"
"""Has a row in the catalogue of a lake that was made."""
OWNER = "paperlake_owner"
"""The catalogue's table in which it is written whose it is: the first that is ours."""
_OWNER = f"{CATALOG}.{OWNER}"
_NAME = re.compile(r"ducklake-([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f-]{17}(?:-delete)?\.parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What stands in a data folder about its owner.

    Attributes:
        lake: The lake's own random name, which its catalogue holds too.
        catalogue: Where that catalogue was, to be shown; holds no password.
        token: That of the last session.
        open_since: When the session under way began; None between sessions.
        killed: When sessions ran that were killed, whose files no compaction has looked for yet: from, to.
    """

    lake: str
    catalogue: str
    token: str
    open_since: datetime | None = None
    killed: tuple[tuple[datetime, datetime], ...] = ()

    @classmethod
    def read(cls, folder: DataFolder) -> Mark | None:
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


@dataclass(frozen=True, slots=True)
class _Registration:
    """What the catalogue holds of its ownership: tokens of this session and of the one before."""

    lake: str
    token: str
    before: str | None


class Session:
    """A writer's session over a data folder; `begin` comes before its first file, `end` after its last.

    Args:
        connection: The one that may write.
        place: The lake.
        clock: Tells when the session begins.
    """

    def __init__(self, connection: DuckDBPyConnection, place: LakePlace, *, clock: Clock = utc_now) -> None:
        self._clock = clock
        self._connection = connection
        self._place = place
        self._folder = DataFolder(place.data, connection)

    def refuse_others(self) -> None:
        """Refuses a folder that is not this catalogue's; writes nothing.

        Raises:
            WarehouseError: Another catalogue's mark is in it, or this one's is not.
        """
        self._refuse(_registration(self._connection), Mark.read(self._folder))

    def refuse_adoption(self) -> None:
        """Refuses a folder that cannot be this catalogue's; writes nothing.

        Raises:
            WarehouseError: The mark is another lake's, or files that the catalogue knows are not there.
        """
        registered, mark = _registration(self._connection), self._readable_mark()
        if registered and mark and mark.lake != registered.lake:
            raise WarehouseError(_taken(self._place, mark))
        there = sizes_on_disk(self._connection)
        lost = [file.path for file in stored_files(self._connection) if file.current and file.path not in there]
        if lost:
            raise WarehouseError(
                f"{self._place.data} does not hold the data of the lake at {self._place}: its catalogue "
                f"misses {counted(len(lost), 'file')}, as {lost[0]}; put them back, or a catalogue of the same "
                "time as the files"
            )

    def begin(self, *, anew: bool = False) -> None:
        """Marks the folder as the lake's, with a session open.

        Args:
            anew: Whether the folder is adopted, whatever its mark says of earlier sessions.
        """
        registered, mark = _registration(self._connection), self._readable_mark()
        if anew and mark and not registered:
            registered = _Registration(mark.lake, mark.token, None)
        self._open(registered, None if anew else mark)

    def _readable_mark(self) -> Mark | None:
        try:
            return Mark.read(self._folder)
        except WarehouseError:
            return None

    def end(self) -> None:
        """Marks the session as ended, and leaves a copy of a SQLite catalogue."""
        registered, mark = _registration(self._connection), Mark.read(self._folder)
        if registered is None or mark is None or mark.token != registered.token:
            return  # somebody else's by now
        token = uuid.uuid4().hex
        _register(self._connection, _Registration(registered.lake, token, registered.token))
        if self._place.catalog_file is not None:
            keep_copy(self._place.catalog_file, self._folder)
        replace(mark, token=token, open_since=None).write(self._folder)

    def _open(self, registered: _Registration | None, mark: Mark | None) -> None:
        now = self._clock()
        killed = mark.killed if mark else ()
        if mark and mark.open_since:
            killed = (*killed, (mark.open_since, now))
        lake, token = registered.lake if registered else uuid.uuid4().hex, uuid.uuid4().hex
        _register(self._connection, _Registration(lake, token, mark.token if mark else None))
        Mark(lake=lake, catalogue=str(self._place), token=token, open_since=now, killed=killed).write(self._folder)

    def _refuse(self, registered: _Registration | None, mark: Mark | None) -> None:
        place = self._place
        if registered is None and not registers_files(self._connection) and self._folder.holds_a_lake():
            raise WarehouseError(_lost(place, "knows none of them"))
        if mark is None:
            if registered is None or registered.before is None:
                return  # made just now, or by a version that left no mark
            raise WarehouseError(
                f"{place.data} is not, or no longer, the data folder of the lake at {place}: its mark {MARK} is not "
                "there. Is the disk mounted? If you moved the files there yourself, run `paperlake lake adopt`"
            )
        if registered is None or registered.lake != mark.lake:
            raise WarehouseError(_taken(place, mark))
        if mark.token not in (registered.token, registered.before):
            raise WarehouseError(
                f"the catalogue of the lake at {place} is an older copy: another one, last at {mark.catalogue}, has "
                f"written to {place.data} since. Use that one. If it is lost, `paperlake lake adopt` goes on from this "
                "one, without what was written since"
            )


def former_folder(place: LakePlace) -> Path | None:
    """Returns where the lake's folder was when it was written last; None where it has not been moved since.

    Raises:
        WarehouseError: The data folder's mark is spoiled.
    """
    if place.catalog_file is None or place.data_on_store or not Path(place.data).is_dir():
        return None
    mark = Mark.read(DataFolder(place.data))
    return Path(mark.catalogue) if mark and mark.catalogue != str(place) else None


def lake_id(connection: DuckDBPyConnection) -> str | None:
    """Returns what tells the lake from all others, for life; None where the catalogue has never begun a session."""
    registered = _registration(connection)
    return registered.lake if registered else None


def refuse_lost(place: LakePlace, why: str = "is not there") -> None:
    """Refuses to take a data folder without its catalogue for a new lake.

    Raises:
        WarehouseError: The folder holds a lake; the message says what to do.
    """
    if DataFolder(place.data).holds_a_lake():
        raise WarehouseError(_lost(place, why))


def of_killed_sessions(folder: DataFolder, names: Iterable[str]) -> dict[str, datetime]:
    """Returns those file names that a killed session gave to files which it never registered, and when."""
    mark = Mark.read(folder)
    killed = mark.killed if mark else ()
    found = {}
    for name in names:
        moment = _named_at(name)
        if moment and any(begun <= moment <= ended for begun, ended in killed):
            found[name] = moment
    return found


def forget_killed_sessions(folder: DataFolder) -> None:
    """Notes that the files of killed sessions have been looked for."""
    mark = Mark.read(folder)
    if mark is not None and mark.killed:
        replace(mark, killed=()).write(folder)


def _named_at(name: str) -> datetime | None:
    """Returns when DuckLake made up a file's name, which is a UUID of version 7; None for other names.

    https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7
    """
    match = _NAME.fullmatch(name)
    return datetime.fromtimestamp(int(match[1] + match[2], 16) / 1000, UTC) if match else None


def _registration(connection: DuckDBPyConnection) -> _Registration | None:
    try:
        rows = connection.execute(f"SELECT lake, token, before FROM {_OWNER}").fetchall()
    except duckdb.CatalogException:
        return None
    return _Registration(*rows[0]) if rows else None


def _register(connection: DuckDBPyConnection, registered: _Registration) -> None:
    values: list[Any] = [registered.lake, registered.token, registered.before]
    with beside_the_lake(connection) as catalog:
        catalog.execute(f"CREATE TABLE IF NOT EXISTS {_OWNER} (lake VARCHAR, token VARCHAR, before VARCHAR)")
        catalog.execute("BEGIN")
        try:
            catalog.execute(f"DELETE FROM {_OWNER}")
            catalog.execute(f"INSERT INTO {_OWNER} VALUES (?, ?, ?)", values)
            catalog.execute("COMMIT")
        except duckdb.Error:
            # SQLite has rolled back a write to a full disk by itself. DuckDB aborts the process if it finds that out
            # while it closes the connection, so it has to be now.
            with suppress(duckdb.Error):
                catalog.execute("ROLLBACK")
            raise


def _taken(place: LakePlace, mark: Mark) -> str:
    return (
        f"{place.data} belongs to another lake, whose catalogue is {mark.catalogue}: give each lake a PAPERLAKE_DATA "
        f"of its own. If that lake is no more, delete {place.data}{MARK} and run `paperlake lake adopt`"
    )


def _lost(place: LakePlace, why: str) -> str:
    catalogue = place.catalog_file or place
    remedy = "put it back from a backup"
    if place.catalog_file is not None:
        remedy = "put it back from a backup, or run `paperlake lake restore`, which takes the copy kept beside the data"
    return (
        f"{place.data} holds a lake's data, and the catalogue {catalogue} {why}: {remedy}. To begin anew, move that "
        "folder away. No catalogue is made from Parquet files alone: they do not say which of their rows were "
        "changed or deleted since"
    )

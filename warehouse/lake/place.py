"""Where a lake is, whether it exists and can be written, and its errors in one line.

`simple_place` knows it without pydantic, whose import takes as long as a query.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tomllib
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from sources.errors import UsageError, WarehouseError
from warehouse.lake import engine
from warehouse.lake.stored_files import MADE, OWNER, DataFolder, OwnerMark, Progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sources.records import SourceName
    from warehouse.lake.postgres import PostgresCatalog


@dataclass(frozen=True, slots=True, kw_only=True)
class LakePlace:
    """Where a lake is."""

    folder: Path  # the lake's folder: lock, replies not yet committed, mirror and, by default, everything else
    # duckLake catalogue, `sqlite:PATH` or `postgres:CONNECTION`; may hold a password, and is not shown
    catalog: str = field(repr=False)
    data: str  # where the Parquet files are: a folder or `s3://bucket/prefix`, with a slash behind it

    @classmethod
    def of(cls, folder: Path, *, catalog: str | None = None, data: str | None = None) -> LakePlace:
        """Returns the place for `folder`, with a SQLite catalogue and the data inside it by default.

        Raises:
            UsageError: The catalogue or the data are of a kind that is not known.
        """
        folder = folder.absolute()
        catalog = catalog or f"sqlite:{folder / 'catalog.sqlite'}"
        if not catalog.startswith(("sqlite:", "postgres:", "postgresql:")):
            raise UsageError("PAPERLAKE_CATALOG is neither sqlite:PATH nor postgres:CONNECTION")
        data = data or str(folder / "data")
        if not data.startswith(engine.SCHEME):
            if "://" in data:
                raise UsageError(f"PAPERLAKE_DATA is neither a folder nor s3://bucket/prefix: {data}")
            data = str(Path(data).absolute())
        elif not data.removeprefix(engine.SCHEME).strip("/"):
            raise UsageError(f"PAPERLAKE_DATA names no bucket: {data}")
        return cls(folder=folder, catalog=catalog, data=f"{data.rstrip('/')}/")

    def __str__(self) -> str:
        """Returns what to call the lake in a message: its folder, or its catalogue's address without a password."""
        return str(self.server or self.folder)

    @property
    def catalog_file(self) -> Path | None:
        """Returns the catalogue's file, None where the catalogue is a server's."""
        scheme, _, rest = self.catalog.partition(":")
        return Path(rest) if scheme == "sqlite" else None

    @property
    def mirror_folder(self) -> Path:
        """Returns the folder of the local copies of services, a folder a source."""
        return self.folder / "mirror"

    @property
    def server(self) -> PostgresCatalog | None:
        """Returns the catalogue's server, None where the catalogue is a file.

        Raises:
            UsageError: The connection string is none, or the client library of PostgreSQL is not installed.
        """
        if self.catalog_file is not None:
            return None
        try:
            from warehouse.lake.postgres import PostgresCatalog  # noqa: PLC0415 - takes 0.1 s, which a file does not need
        except ModuleNotFoundError as error:
            raise UsageError(
                f"a catalogue on PostgreSQL needs {error.name}: in paperlake's checkout, pip install '.[postgres]'"
            ) from error

        return PostgresCatalog.parse(self.catalog)

    @property
    def exists(self) -> bool:
        """Returns whether a lake has been made here: its tables come into the catalogue all at once, and last.

        Where the process that made it was killed before, there is no lake, and the next writer goes on from there.

        Raises:
            WarehouseError: The catalogue is on a server, which cannot be reached; or it is lost: its data are there.
        """
        made = self.server.progress() if self.server else _progress(self.catalog_file)
        if made == "none":
            with lake_errors(self, "look for"):
                if DataFolder(self.data).holds_a_lake():
                    why = "is not there"
                    if self.catalog_file is not None and self.catalog_file.is_file():
                        why = "knows none of them" if self.catalog_file.stat().st_size else "has been emptied"
                    raise WarehouseError(self.lost_catalog(why))
        return made == "made"

    def lost_catalog(self, why: str) -> str:
        """Returns what to say where the data folder holds a lake and its catalogue does not know it."""
        mark = None
        with suppress(WarehouseError):  # a mark that cannot be read names no catalogue
            mark = OwnerMark.read(DataFolder(self.data))
        if self.catalog_file is not None and mark is not None and mark.catalogue.startswith("postgres"):
            return (
                f"{self.data} holds the data of a lake whose catalogue is at {mark.catalogue}: set"
                " PAPERLAKE_CATALOG to its connection string"
            )
        remedy = "put it back from a backup"
        if self.catalog_file is not None:
            remedy += ", or run `paperlake lake restore`, which takes the copy kept beside the data"
        return (
            f"{self.data} holds a lake's data, and the catalogue {self.catalog_file or self} {why}: {remedy}. To begin "
            "anew, move that folder away. No catalogue is made from Parquet files alone: they do not say which of "
            "their rows were changed or deleted since"
        )

    @property
    def data_on_store(self) -> bool:
        """Returns whether the data are objects of a store, not files."""
        return self.data.startswith(engine.SCHEME)

    @property
    def data_inside(self) -> bool:
        """Returns whether the data are in the folder itself: it may have been moved since the catalogue was made."""
        return self.data == f"{self.folder / 'data'}/" and Path(self.data).is_dir()


def check_writable(place: LakePlace) -> None:
    """Refuses a lake that cannot be written, before anything is done; makes nothing.

    Raises:
        UsageError: A part of the folder's path is no folder, or may not be written.
        WarehouseError: The catalogue is on a server, which cannot be reached.
    """
    if place.server is not None:
        place.server.connect().close()
    nearest = next(path for path in (place.folder, *place.folder.parents) if path.exists())
    if not nearest.is_dir():
        raise UsageError(f"cannot make a lake at {place.folder}: {nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        raise UsageError(f"cannot write to the lake folder {place.folder}: no permission in {nearest}")


def check_catalog(place: LakePlace) -> None:
    """Refuses a catalogue file that is none or may not be written, in milliseconds, before anything is started.

    Raises:
        UsageError: It may not be written.
        WarehouseError: It is lost, or no sound database.
    """
    file = place.catalog_file
    if file is None or not place.exists:
        return
    if not os.access(file, os.W_OK):
        raise UsageError(f"cannot write to the lake at {place}: no permission to write {file}")
    with lake_errors(place, "open"), closing(open_catalog(file)) as catalogue:
        catalogue.execute("SELECT count(*) FROM sqlite_master").fetchone()


def open_catalog(file: Path, *, mode: str = "rw") -> sqlite3.Connection:
    """Returns a connection to a SQLite catalogue, which waits up to 30 s for a commit under way.

    To read one takes `mode` "rw", too, so that what a writer killed in mid-commit left is undone
    (https://sqlite.org/lockingv3.html#hot_journals).
    """
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode={mode}", uri=True, timeout=30)


def _progress(catalog: Path | None) -> Progress:
    """Returns how far a SQLite catalogue has come; one that cannot be read is "made": opening it says what is wrong."""
    if catalog is None or not catalog.is_file():
        return "none"
    try:
        with closing(open_catalog(catalog)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if "ducklake_table" in tables and connection.execute(MADE).fetchone():
                return "made"
    except sqlite3.Error:
        return "made"
    return "begun" if OWNER in tables else "none"


@contextmanager
def lake_errors(place: LakePlace, verb: str) -> Iterator[None]:
    """Turns the errors of DuckDB and of SQLite into one line that names the lake."""
    try:
        yield
    except (duckdb.Error, sqlite3.Error) as error:
        line = first_line(error)
        folders = [place.folder, *([] if place.data_on_store else [Path(place.data)])]
        folders += [place.catalog_file.parent] if place.catalog_file else []
        there = [path for folder in folders for path in [folder, *folder.parents] if path.is_dir()]
        free, fullest = min(((shutil.disk_usage(path).free, str(path)) for path in there), default=(_HARDLY_ANY, ""))
        if any(words in str(error) for words in _FULL) or (_ROLLED_BACK in str(error) and free < _HARDLY_ANY):
            line = f"the disk of {fullest} is full, with {free} bytes left; nothing of this was written"
        raise WarehouseError(f"cannot {verb} the lake at {place}: {line}") from error


_FULL = ("No space left", "disk is full")
# SQLite rolls back by itself where the disk is full; DuckDB then fails to, and that hides why.
_ROLLED_BACK = "cannot rollback"
_HARDLY_ANY = 64 * 2**20  # bytes; a file that found no room may be gone by now


def first_line(error: Exception) -> str:
    """Returns the first line of DuckDB's message, and the command that helps where a data file is at fault."""
    line = str(error).strip().splitlines()[0]
    if "DATA_PATH parameter" in line:
        return f"{line} If the files were moved there, run `paperlake lake adopt`"
    return f"{line} (`paperlake lake check` names what is wrong)" if ".parquet" in line else line


SETTINGS_FILE = "paperlake.toml"  # the settings' file, in the working folder
SETTING_PREFIX = "PAPERLAKE_"  # variables that begin so are settings
# The other variables that are some.
KEY_VARIABLES: Mapping[SourceName, str] = {"s2": "SEMANTIC_SCHOLAR_API_KEY", "openalex": "OPENALEX_API_KEY"}
DEFAULT_LAKE = "lake"
_LAKE = f"{SETTING_PREFIX}LAKE"


def simple_place(lake: str | None) -> LakePlace | None:
    """Returns where the lake is; None where more than a folder says it, so that all settings have to be read."""
    of_place = {f"{SETTING_PREFIX}{name}" for name in ("LAKE", "CATALOG", "DATA")}
    if {name for name in os.environ if name.upper() in of_place} - {_LAKE}:
        return None
    in_file = {}
    if (file := Path(SETTINGS_FILE)).exists():
        try:
            in_file = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
    given = [each for each in (lake, os.environ.get(_LAKE), in_file.get("lake"), DEFAULT_LAKE) if each is not None]
    if in_file.keys() <= {"lake", "lists"} and all(isinstance(each, str) and each.strip() for each in given):
        return LakePlace.of(Path(given[0]))
    return None

"""Whether the lake's files are as they were written: there, whole, readable, and with the bytes that were sealed.

A refresh looks over the files that it wrote, and seals them; `paperlake lake check` looks over all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from sources.text import counted
from warehouse.lake.stored_files import last_sealed, seal, sha256_of, stored_files
from warehouse.tables.declarations import CITATION_COUNTS
from warehouse.tables.schema import file_literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duckdb import DuckDBPyConnection

    from warehouse.lake.stored_files import StoredFile

_RESTORE = "put the file back from a backup"
REPORT = "this is a fault of paperlake's: please report it with this line; `--as-of` still reads the time before it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        check: What was looked at, in a word or a sentence.
        table: The table that it is about; empty where it is about the catalogue.
        file: The file at fault; empty where rows are.
        what: What is wrong.
        remedy: What to do.
    """

    check: str
    table: str = ""
    file: str = ""
    what: str
    remedy: str

    def __str__(self) -> str:
        """Returns the fault as one line."""
        where = " ".join(part for part in (self.table, self.file) if part)
        return f"{where or 'lake'}: {self.what}; {self.remedy}"


def check_written(connection: DuckDBPyConnection, snapshot: int) -> list[Fault]:
    """Looks over the files that the commit `snapshot` brought, and seals those that are sound.

    What this costs grows with what was written, not with the lake.
    """
    since = last_sealed(connection)
    files = stored_files(connection, after=snapshot - 1 if since is None else since)
    sound, faults = [], []
    for file in files:
        try:
            size, digest = sha256_of(connection, file.path)
        except duckdb.Error as error:
            faults.append(_unreadable(file, error))
            continue
        wrong = [*_wrong_size(file, size), *_footer_faults(connection, file)]
        faults += wrong
        if not wrong:
            sound.append((file, digest))
    seal(connection, sound)
    return faults


def file_faults(connection: DuckDBPyConnection, file: StoredFile, size: int | None, *, deep: bool) -> Iterator[Fault]:
    """Yields what is wrong with a file that has `size` bytes, None where it is not there; `deep` reads all of it."""
    if size is None:
        yield Fault(
            check="files are present", table=file.table, file=file.path, what="the file is missing", remedy=_mend(file)
        )
        return
    wrong = [*_wrong_size(file, size)] or [*_footer_faults(connection, file)]
    yield from wrong
    if deep and not wrong:
        yield from deep_faults(connection, file)


def _wrong_size(file: StoredFile, size: int) -> Iterator[Fault]:
    if size != file.size:
        what = f"the file has {size} bytes and was written with {file.size}"
        yield Fault(check="files are whole", table=file.table, file=file.path, what=what, remedy=_mend(file))


def _footer_faults(connection: DuckDBPyConnection, file: StoredFile) -> Iterator[Fault]:
    try:
        ((rows,),) = connection.execute(
            f"SELECT num_rows FROM parquet_file_metadata({file_literal(file.path)})"
        ).fetchall()
    except (duckdb.Error, ValueError) as error:  # no row: the file went while it was opened
        yield _unreadable(file, error)
        return
    if rows != file.rows:
        what = f"the file holds {counted(rows, 'row')} and the catalogue says {file.rows}"
        yield Fault(check="rows as the catalogue says", table=file.table, file=file.path, what=what, remedy=_mend(file))


def deep_faults(connection: DuckDBPyConnection, file: StoredFile) -> Iterator[Fault]:
    """Reads all of the file: by its seal where it has one, and every value of it."""
    try:
        _, digest = sha256_of(connection, file.path)
        if file.sha256 is not None and digest != file.sha256:
            what = "the file has changed since it was written: its SHA-256 is another"
            yield Fault(check="files as written", table=file.table, file=file.path, what=what, remedy=_mend(file))
            return
        connection.execute(f"SELECT bit_xor(hash(t)) FROM read_parquet({file_literal(file.path)}) AS t").fetchall()
    except (duckdb.Error, UnicodeDecodeError) as error:
        yield _unreadable(file, error)


def _unreadable(file: StoredFile, error: Exception) -> Fault:
    what = f"the file cannot be read: {str(error).strip().splitlines()[0]}"
    return Fault(check="files are readable", table=file.table, file=file.path, what=what, remedy=_mend(file))


def _mend(file: StoredFile) -> str:
    if file.current:
        return _RESTORE
    return f"{_RESTORE}, or let `paperlake lake compact` expire the past that needs it: only `--as-of` does"


def appended_only(files: Iterable[StoredFile]) -> Iterator[Fault]:
    """Finds deletions in the table that is only ever appended to."""
    for file in files:
        if file.table == CITATION_COUNTS.name and (file.deletes or not file.current):
            yield Fault(
                check="citation_counts only grows",
                table=file.table,
                file=file.path,
                what="observations were deleted",
                remedy=REPORT,
            )

"""Looks a lake over: its catalogue, its files, its rows, and whether they agree; names every fault and what to do.

A refresh looks over the files that it wrote, and seals them. Everything else is for `paperlake lake check`, whose cost
grows with the lake.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from sources.errors import LakeVersionError, UsageError, WarehouseError
from sources.text import counted
from warehouse import without_progress
from warehouse.lake.migrations import has_table
from warehouse.lake.ownership import Session, sizes_on_disk, stored_files
from warehouse.lake.place import first_line
from warehouse.lake.session import open_damaged, open_lake
from warehouse.maintenance.faults import REPORT, Fault, appended_only, deep_faults, file_faults, row_checks
from warehouse.tables.declarations import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from duckdb import DuckDBPyConnection

    from warehouse import Stage
    from warehouse.lake.ownership import StoredFile
    from warehouse.lake.place import LakePlace
    from warehouse.maintenance.faults import RowCheck

_LOOKS = 3
"""How often a lake is looked over where each time a compaction deletes files under the look."""
_CATALOG = "put the catalogue back from a backup; the data files are untouched"
_NOT_WRITTEN = "until then the lake can be read and not written"


@dataclass(slots=True, kw_only=True)
class Findings:
    """What a look over a lake came to.

    Attributes:
        faults: What is wrong, the worst first.
        notes: What is not wrong, but worth knowing.
        files: Files looked at.
        rows: Rows looked at.
        paths: Where those files are.
    """

    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    files: int = 0
    rows: int = 0
    paths: set[str] = field(default_factory=set)


def check_lake(place: LakePlace, *, deep: bool = False, stage: Stage = without_progress) -> Findings:
    """Looks the whole lake over.

    Args:
        place: Where it is.
        deep: Also read every file from end to end and compare it with its seal.
        stage: Told how far it is.

    Raises:
        UsageError: There is no lake.
        LakeVersionError: A newer paperlake made it.
        WarehouseError: Its catalogue is lost, or cannot be reached.
    """
    try:
        if not place.exists:
            raise UsageError(f"no lake at {place}: there is nothing to check")
    except WarehouseError as error:
        if place.catalog_file is None or not place.catalog_file.is_file():
            raise
        return Findings(faults=[Fault(check="the lake can be opened", what=str(error), remedy=_CATALOG)])
    damaged = list(_catalog_faults(place))
    if damaged:
        return Findings(faults=damaged)
    for _ in range(_LOOKS):
        found = _looked(place, deep=deep, stage=stage)
        if not found.faults or not _compacted_away(place, found):
            break
    return found


def _looked(place: LakePlace, *, deep: bool, stage: Stage) -> Findings:
    found = Findings()
    unopened = _why_it_cannot_be_opened(place)
    if unopened is None:
        found.faults += _owner_faults(place)
    try:
        with closing(open_damaged(place)) as connection:
            _look_over(connection, found, deep=deep, stage=stage)
    except (WarehouseError, duckdb.Error) as error:
        unopened = unopened or first_line(error)
    if unopened and not found.faults:
        found.faults.append(Fault(check="the lake can be opened", what=unopened, remedy=_CATALOG))
    return found


def _owner_faults(place: LakePlace) -> list[Fault]:
    """Finds a catalogue that is not, or not any more, the one whose data these are; that may be an older copy.

    A writer may begin its session between the looks at the catalogue and at the mark; so a fault is looked at again.
    """
    faults: list[Fault] = []
    for _ in range(_LOOKS):
        try:
            with closing(open_damaged(place)) as connection:
                Session(connection, place).refuse_others()
        except WarehouseError as error:
            faults = [Fault(check="the data are the catalogue's own", what=str(error), remedy=_NOT_WRITTEN)]
        except duckdb.Error:
            break  # the catalogue cannot be read, which is told of elsewhere
        else:
            return []
    return faults


def _compacted_away(place: LakePlace, found: Findings) -> bool:
    """Returns whether files that were looked at are the lake's no more: a compaction deleted them meanwhile.

    What is at fault may then be no more than that.
    """
    try:
        with closing(open_damaged(place)) as connection:
            return bool(found.paths - {file.path for file in stored_files(connection)})
    except (WarehouseError, duckdb.Error):
        return False


def _why_it_cannot_be_opened(place: LakePlace) -> str | None:
    """Returns what stands in the way of every reader: a lost file may, of which the files tell more."""
    try:
        open_lake(place).close()
    except LakeVersionError:
        raise
    except WarehouseError as error:
        return str(error)
    return None


def _look_over(connection: DuckDBPyConnection, found: Findings, *, deep: bool, stage: Stage) -> None:
    files = stored_files(connection)
    found.paths = {file.path for file in files}
    sizes = sizes_on_disk(connection)
    step = stage("files", len(files), "files")
    broken: set[str] = set()
    for file in files:
        faults = list(file_faults(connection, file, sizes.get(file.path), deep=deep))
        found.faults += faults
        if faults and file.current:
            broken.add(file.table)
        found.files += 1
        step(1)
    _note_files(found, files, sizes, deep=deep)
    if not _was_reparsed(connection):
        found.faults += appended_only(files)
    checks = row_checks()
    # The lake of an earlier version gets the tables that it lacks with its next refresh.
    absent = {table.name for table in TABLES if not has_table(connection, table.name)}
    step = stage("rows", len(checks), "checks")
    for check in checks:
        # A query over a table with a broken file would only tell of the file again, in DuckDB's words.
        if not (broken | absent) & set(check.reads):
            try:
                _look_at_rows(connection, check, found)
            except duckdb.Error as error:
                found.faults += _behind(connection, check, files, error)
                broken |= set(check.reads)
        step(1)
    found.rows = sum(file.rows for file in files if file.current and not file.deletes)
    if broken:
        found.notes.append(f"rows were not looked at where they need {', '.join(sorted(broken))}")


def _catalog_faults(place: LakePlace) -> Iterator[Fault]:
    """Asks SQLite whether its file is sound; a server looks after its own."""
    if place.catalog_file is None or not place.catalog_file.is_file():
        return
    try:
        address = f"{place.catalog_file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=30)) as catalog:
            messages = [line for (line,) in catalog.execute("PRAGMA integrity_check(3)").fetchall()]
            ((page_size,),) = catalog.execute("PRAGMA page_size").fetchall()
        # SQLite reads zeros where a page is cut short, and says nothing where it does not use them
        if place.catalog_file.stat().st_size % page_size:
            messages.append("its last page is cut short")
    except sqlite3.Error as error:
        messages = [str(error)]
    for line in messages:
        if line != "ok":
            file = str(place.catalog_file)
            what = f"the catalogue is damaged: {' '.join(line.split())}"
            yield Fault(check="the catalogue is sound", file=file, what=what, remedy=_CATALOG)


def _note_files(found: Findings, files: Sequence[StoredFile], sizes: dict[str, int], *, deep: bool) -> None:
    unknown = [path for path in sizes if path not in {file.path for file in files}]
    if unknown:
        size = sum(sizes[path] for path in unknown)
        found.notes.append(
            f"in no snapshot: {counted(len(unknown), 'file')} ({size:,} bytes); `paperlake lake compact` deletes those "
            "that were this lake's when no reader can need them, and leaves others alone"
        )
    unsealed = sum(file.sha256 is None for file in files)
    if deep and unsealed:
        found.notes.append(
            f"{unsealed} of {counted(len(files), 'file')} read only, without a seal to compare with; "
            "`paperlake lake compact` seals them"
        )


def _was_reparsed(connection: DuckDBPyConnection) -> bool:
    """Returns whether observations were ever corrected, which to the files looks like a deletion."""
    try:
        return bool(connection.execute("SELECT 1 FROM runs WHERE status = 'reparsed' LIMIT 1").fetchall())
    except duckdb.Error:
        return False  # the files of `runs` are at fault, and are named


def _look_at_rows(connection: DuckDBPyConnection, check: RowCheck, found: Findings) -> None:
    count, sample = _counted(connection, check.sql)
    if not count:
        return
    what = f"not so: {check.name}; {counted(count, 'time')}, for example {', '.join(str(value) for value in sample)}"
    if check.noted:
        found.notes.append(f"{what}; {check.remedy}")
    else:
        found.faults.append(Fault(check=check.name, table=check.table, what=what, remedy=check.remedy or REPORT))


def _behind(
    connection: DuckDBPyConnection, check: RowCheck, files: Iterable[StoredFile], error: duckdb.Error
) -> list[Fault]:
    """Returns the files that keep a check from being made; where none is at fault, that it could not be."""
    read = [file for file in files if file.current and file.table in check.reads]
    spoiled = [fault for file in read for fault in deep_faults(connection, file)]
    what = f"{check.name}: cannot be told ({first_line(error)})"
    return spoiled or [Fault(check=check.name, table=check.table, what=what, remedy=REPORT)]


def _counted(connection: DuckDBPyConnection, sql: str) -> tuple[int, tuple[Any, ...]]:
    found = connection.execute(f"SELECT count(*) OVER (), * FROM ({sql}) LIMIT 1").fetchall()
    return (int(found[0][0]), tuple(found[0][1:])) if found else (0, ())

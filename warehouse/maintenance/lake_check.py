"""Checks a lake's catalogue, files and rows, and names every fault and what to do.

A refresh looks over the files that it wrote, and seals them. Everything else is for `paperlake lake check`, whose cost
grows with the lake.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace

import duckdb
from duckdb import DuckDBPyConnection

from sources.bounds import FIRST_YEAR, MOST_COUNTED
from sources.errors import LakeVersionError, UsageError, WarehouseError
from sources.text import counted
from warehouse import Stage, without_progress
from warehouse.lake.ownership import Session
from warehouse.lake.place import LakePlace, first_line, open_catalog
from warehouse.lake.session import open_damaged, open_lake
from warehouse.lake.stored_files import StoredFile, last_sealed, seal, sha256_of, sizes_on_disk, stored_files
from warehouse.loading.checks import CHECKS, Check
from warehouse.tables.declarations import CITATION_COUNTS, TABLES
from warehouse.tables.schema import file_literal

_RESTORE = "put the file back from a backup"
REPORT = "this is a fault of paperlake's: please report it with this line; `--as-of` still reads the time before it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong."""

    check: str  # what was looked at, in a word or a sentence
    table: str = ""  # the table that it is about; empty where it is about the catalogue
    file: str = ""  # the file at fault; empty where rows are
    what: str  # what is wrong
    remedy: str  # what to do

    def __str__(self) -> str:
        """Returns the fault as one line."""
        where = " ".join(part for part in (self.table, self.file) if part)
        return f"{where or 'lake'}: {self.what}; {self.remedy}"


def check_written(connection: DuckDBPyConnection, snapshot: int) -> list[Fault]:
    """Looks over the files that the commit `snapshot` brought, and seals those that are sound.

    What this costs grows with what was written, not with the lake. Of a lake in memory there is nothing to look over.
    """
    if not snapshot:
        return []
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
        yield _fault_of(file, "files are present", "the file is missing")
        return
    wrong = [*_wrong_size(file, size)] or [*_footer_faults(connection, file)]
    yield from wrong
    if deep and not wrong:
        yield from deep_faults(connection, file)


def _wrong_size(file: StoredFile, size: int) -> Iterator[Fault]:
    if size != file.size:
        what = f"the file has {size} bytes and was written with {file.size}"
        yield _fault_of(file, "files are whole", what)


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
        yield _fault_of(file, "rows as the catalogue says", what)


def deep_faults(connection: DuckDBPyConnection, file: StoredFile) -> Iterator[Fault]:
    """Reads all of the file: by its seal where it has one, and every value of it."""
    try:
        _, digest = sha256_of(connection, file.path)
        if file.sha256 is not None and digest != file.sha256:
            what = "the file has changed since it was written: its SHA-256 is another"
            yield _fault_of(file, "files as written", what)
            return
        connection.execute(f"SELECT bit_xor(hash(t)) FROM read_parquet({file_literal(file.path)}) AS t").fetchall()
    except (duckdb.Error, UnicodeDecodeError) as error:
        yield _unreadable(file, error)


def _unreadable(file: StoredFile, error: Exception) -> Fault:
    what = f"the file cannot be read: {str(error).strip().splitlines()[0]}"
    return _fault_of(file, "files are readable", what)


def _fault_of(file: StoredFile, check: str, what: str, remedy: str = "") -> Fault:
    past = (
        "" if file.current else ", or let `paperlake lake compact` expire the past that needs it: only `--as-of` does"
    )
    return Fault(check=check, table=file.table, file=file.path, what=what, remedy=remedy or f"{_RESTORE}{past}")


_AGREEMENT = (
    Check(
        name="papers are as many as the runs added",
        table="papers",
        sql="SELECT papers.n || ' papers, where the runs added ' || runs.n "
        "FROM (SELECT count(*) AS n FROM papers) AS papers, "
        "(SELECT coalesce(sum(papers_new), 0)::BIGINT AS n FROM runs) AS runs WHERE papers.n <> runs.n",
        reads=("papers", "runs"),
    ),
    Check(
        name="the last run counted the papers that are there",
        table="papers",
        sql="SELECT n || ' papers stand for themselves, where the last run told of ' || papers "
        "FROM (SELECT count(*) AS n FROM papers WHERE merged_into IS NULL), "
        "(SELECT arg_max(papers, finished_at) AS papers FROM runs WHERE finished_at <= now()) WHERE papers <> n",
        reads=("papers", "runs"),
    ),
    Check(
        name="observations are as many as the runs wrote",
        table="citation_counts",
        sql="SELECT counts.n || ' observations, where the runs wrote ' || runs.n "
        "FROM (SELECT count(*) AS n FROM citation_counts) AS counts, "
        "(SELECT coalesce(sum(counts_written), 0)::BIGINT AS n FROM runs) AS runs WHERE counts.n <> runs.n",
        reads=("citation_counts", "runs"),
    ),
    Check(
        name="a paper's count is one that was observed",
        table="papers",
        sql="SELECT p.paper_id, p.title FROM papers AS p ANTI JOIN ("
        "SELECT coalesce(q.merged_into, q.paper_id) AS paper_id, "
        "c.observed_at, c.citation_count FROM citation_counts AS c JOIN papers AS q ON q.paper_id = c.paper_id) AS o "
        "ON o.paper_id = p.paper_id AND o.observed_at = p.counted_at AND o.citation_count = p.citation_count "
        "WHERE p.merged_into IS NULL AND p.counted_at IS NOT NULL",
        reads=("papers", "citation_counts"),
    ),
    Check(
        name="coverage adds up to the mentions that stand",
        table="mentions",
        sql="SELECT told || ' in coverage, ' || n || ' standing' FROM (SELECT sum(mentions)::BIGINT AS told, "
        "sum(resolved + ambiguous + not_found + failed)::BIGINT AS kinds FROM coverage), "
        "(SELECT count(*) AS n FROM mentions WHERE removed_at IS NULL) WHERE told <> n OR kinds <> n",
        reads=("mentions", "reading_lists", "papers"),
    ),
)
_COUNTS = ("citation_count", "influential_citation_count", "reference_count")
# Instants by which a refresh decides what to request.
_DATED = (("papers", "counted_at"), ("papers", "refreshed_at"), ("harvests", "asked_at"), ("mentions", "asked_at"))
_DATED_FOR_EVER = (("citation_counts", "observed_at"), ("replies", "fetched_at"), ("runs", "finished_at"))
_ASKED_AGAIN = "the next refresh with a network asks for it again, and what it is told takes its place"
_PASSED_OVER = "it stays, as what was observed is never rewritten, and nothing that a refresh decides goes by it"


def _believable(table: str, column: str, condition: str, what: str, *, noted: bool = False) -> Check:
    shown = next(item.key[0] for item in TABLES if item.name == table)
    return Check(
        name=f"{table}.{column} is {what}",
        table=table,
        sql=f'SELECT {shown}, "{column}" FROM "{table}" WHERE NOT ({condition})',
        reads=(table,),
        remedy=_PASSED_OVER if noted else _ASKED_AGAIN,
        noted=noted,
    )


_IN_TIME = "{0} <= now() + INTERVAL 1 DAY"
_BELIEVABLE = (
    *(_believable("papers", name, f"{name} < {MOST_COUNTED}", "believable") for name in _COUNTS),
    _believable("papers", "year", f"year BETWEEN {FIRST_YEAR} AND year(now()) + 1", "believable"),
    *(_believable(table, name, _IN_TIME.format(name), "not in the future") for table, name in _DATED),
    *(_believable("citation_counts", name, f"{name} < {MOST_COUNTED}", "believable", noted=True) for name in _COUNTS),
    *(
        _believable(table, name, _IN_TIME.format(name), "not in the future", noted=True)
        for table, name in _DATED_FOR_EVER
    ),
)


def row_checks() -> tuple[Check, ...]:
    """Returns the checks that every commit passed, over all rows, and those of agreement between tables."""
    full = [replace(item, sql=item.sql.format(rows=f'"{item.table}"')) for item in CHECKS]
    passed = [
        replace(item, reads=tuple(table.name for table in TABLES if f'"{table.name}"' in item.sql)) for item in full
    ]
    return (*passed, *_AGREEMENT, *_BELIEVABLE)


_CATALOG = "put the catalogue back from a backup; the data files are untouched"
_NOT_WRITTEN = "until then the lake can be read and not written"


@dataclass(slots=True, kw_only=True)
class Findings:
    """What a look over a lake came to."""

    faults: list[Fault] = field(default_factory=list)  # what is wrong, the worst first
    notes: list[str] = field(default_factory=list)  # what is not wrong, but worth knowing
    files: int = 0  # files looked at
    rows: int = 0  # rows looked at


def check_lake(place: LakePlace, *, deep: bool = False, stage: Stage = without_progress) -> Findings:
    """Looks the whole lake over; `deep` reads every file from end to end and compares it with its seal.

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
    found = _looked(place, deep=deep, stage=stage)
    # What a writer or a compaction does meanwhile may look like a fault, once.
    return _looked(place, deep=deep, stage=stage) if found.faults else found


def _looked(place: LakePlace, *, deep: bool, stage: Stage) -> Findings:
    found, unopened = Findings(), None
    try:
        open_lake(place).close()
    except LakeVersionError:
        raise
    except WarehouseError as error:  # of a lost file, the look at the files says more
        unopened = str(error)
    try:
        with closing(open_damaged(place)) as connection:
            if unopened is None:
                found.faults += _owner_faults(connection, place)
            _look_over(connection, found, deep=deep, stage=stage)
    except (WarehouseError, duckdb.Error) as error:
        unopened = unopened or first_line(error)
    if unopened and not found.faults:
        found.faults.append(Fault(check="the lake can be opened", what=unopened, remedy=_CATALOG))
    return found


def _owner_faults(connection: DuckDBPyConnection, place: LakePlace) -> Iterator[Fault]:
    """Finds a catalogue that is not, or no longer, the one whose data these are; that may be an older copy."""
    try:
        with suppress(duckdb.Error):  # the catalogue cannot be read, which is reported elsewhere
            Session(connection, place).refuse_others()
    except WarehouseError as error:
        yield Fault(check="the data are the catalogue's own", what=str(error), remedy=_NOT_WRITTEN)


def _look_over(connection: DuckDBPyConnection, found: Findings, *, deep: bool, stage: Stage) -> None:
    files = stored_files(connection)
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
        found.faults += [
            _fault_of(file, "citation_counts only grows", "observations were deleted", REPORT)
            for file in files
            if file.table == CITATION_COUNTS.name and (file.deletes or not file.current)
        ]
    checks = row_checks()
    step = stage("rows", len(checks), "checks")
    for check in checks:
        # A query over a table with a broken file would only report the file again, in DuckDB's words.
        if not broken & set(check.reads):
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
        with closing(open_catalog(place.catalog_file, mode="ro")) as catalog:
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


def _look_at_rows(connection: DuckDBPyConnection, check: Check, found: Findings) -> None:
    rows = connection.execute(f"SELECT count(*) OVER (), * FROM ({check.sql}) LIMIT 1").fetchall()
    if not rows:
        return
    count, *sample = rows[0]
    what = f"not so: {check.name}; {counted(count, 'time')}, for example {', '.join(str(value) for value in sample)}"
    if check.noted:
        found.notes.append(f"{what}; {check.remedy}")
    else:
        found.faults.append(Fault(check=check.name, table=check.table, what=what, remedy=check.remedy or REPORT))


def _behind(
    connection: DuckDBPyConnection, check: Check, files: Iterable[StoredFile], error: duckdb.Error
) -> list[Fault]:
    """Returns the files that keep a check from being made; where none is at fault, that it could not be."""
    read = [file for file in files if file.current and file.table in check.reads]
    spoiled = [fault for file in read for fault in deep_faults(connection, file)]
    what = f"{check.name}: cannot be told ({first_line(error)})"
    return spoiled or [Fault(check=check.name, table=check.table, what=what, remedy=REPORT)]

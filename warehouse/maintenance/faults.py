"""What can be wrong with a lake: its files are not as they were written, or its rows do not agree.

A refresh looks over the files that it wrote, and seals them; `paperlake lake check` looks over all files and all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from sources.bounds import FIRST_YEAR, MOST_COUNTED
from sources.text import counted
from warehouse.lake.ownership import last_sealed, seal, sha256_of, stored_files
from warehouse.loading.checks import CHECKS
from warehouse.tables.declarations import CITATION_COUNTS, TABLES
from warehouse.tables.schema import file_literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from duckdb import DuckDBPyConnection

    from warehouse.lake.ownership import StoredFile

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """A query that gives a row for each thing that is not as it should be.

    Attributes:
        name: What should be, in words.
        table: The table that it is about.
        sql: The query.
        reads: The tables that it needs.
        remedy: What to do; empty where it can only be paperlake's own fault.
        noted: Whether it is only worth knowing: nothing mends it, and nothing goes by it.
    """

    name: str
    table: str
    sql: str
    reads: tuple[str, ...]
    remedy: str = ""
    noted: bool = False


_AGREEMENT = (
    RowCheck(
        name="papers are as many as the runs added",
        table="papers",
        sql="SELECT papers.n || ' papers, where the runs added ' || runs.n "
        "FROM (SELECT count(*) AS n FROM papers) AS papers, "
        "(SELECT coalesce(sum(papers_new), 0)::BIGINT AS n FROM runs) AS runs WHERE papers.n <> runs.n",
        reads=("papers", "runs"),
    ),
    RowCheck(
        name="the last run counted the papers that are there",
        table="papers",
        sql="SELECT n || ' papers stand for themselves, where the last run told of ' || papers "
        "FROM (SELECT count(*) AS n FROM papers WHERE merged_into IS NULL), "
        "(SELECT arg_max(papers, finished_at) AS papers FROM runs WHERE finished_at <= now()) WHERE papers <> n",
        reads=("papers", "runs"),
    ),
    RowCheck(
        name="observations are as many as the runs wrote",
        table="citation_counts",
        sql="SELECT counts.n || ' observations, where the runs wrote ' || runs.n "
        "FROM (SELECT count(*) AS n FROM citation_counts) AS counts, "
        "(SELECT coalesce(sum(counts_written), 0)::BIGINT AS n FROM runs) AS runs WHERE counts.n <> runs.n",
        reads=("citation_counts", "runs"),
    ),
    RowCheck(
        name="a paper's count is one that was observed",
        table="papers",
        sql="SELECT p.paper_id, p.title FROM papers AS p ANTI JOIN ("
        "SELECT coalesce(q.merged_into, q.paper_id) AS paper_id, "
        "c.observed_at, c.citation_count FROM citation_counts AS c JOIN papers AS q ON q.paper_id = c.paper_id) AS o "
        "ON o.paper_id = p.paper_id AND o.observed_at = p.counted_at AND o.citation_count = p.citation_count "
        "WHERE p.merged_into IS NULL AND p.counted_at IS NOT NULL",
        reads=("papers", "citation_counts"),
    ),
    RowCheck(
        name="coverage adds up to the mentions that stand",
        table="mentions",
        sql="SELECT told || ' in coverage, ' || n || ' standing' FROM (SELECT sum(mentions)::BIGINT AS told, "
        "sum(resolved + ambiguous + not_found + failed)::BIGINT AS kinds FROM coverage), "
        "(SELECT count(*) AS n FROM mentions WHERE removed_at IS NULL) WHERE told <> n OR kinds <> n",
        reads=("mentions", "reading_lists", "papers"),
    ),
)
_COUNTS = ("citation_count", "influential_citation_count", "reference_count")
_DATED = (("papers", "counted_at"), ("papers", "refreshed_at"), ("harvests", "asked_at"), ("mentions", "asked_at"))
"""Instants by which a refresh decides what to ask."""
_DATED_FOR_EVER = (("citation_counts", "observed_at"), ("replies", "fetched_at"), ("runs", "finished_at"))
_ASKED_AGAIN = "the next refresh with a network asks for it again, and what it is told takes its place"
_PASSED_OVER = "it stays, as what was observed is never rewritten, and nothing that a refresh decides goes by it"


def _believable(table: str, column: str, condition: str, what: str, *, noted: bool = False) -> RowCheck:
    shown = next(item.key[0] for item in TABLES if item.name == table)
    return RowCheck(
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


def row_checks() -> tuple[RowCheck, ...]:
    """Returns the checks that every commit passed, over all rows, and those of agreement between tables."""
    names = [table.name for table in TABLES]
    full = [(item, item.sql.format(rows=f'"{item.table}"')) for item in CHECKS]
    passed = [
        RowCheck(name=item.name, table=item.table, sql=sql, reads=tuple(name for name in names if f'"{name}"' in sql))
        for item, sql in full
    ]
    return (*passed, *_AGREEMENT, *_BELIEVABLE)

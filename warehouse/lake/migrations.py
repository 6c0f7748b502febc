"""Named, ordered steps that bring a lake to its present schema: forward only, in one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources

import duckdb
from duckdb import DuckDBPyConnection

from sources.errors import LakeVersionError
from warehouse.tables.declarations import TABLES

_VIEWS_PREFIX = "views-"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: its name for ever, and what it does inside an open transaction."""

    name: str
    apply: Callable[[DuckDBPyConnection], None]


def _make_tables(connection: DuckDBPyConnection) -> None:
    connection.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
    for table in TABLES:
        connection.execute(table.ddl())
        for comment in table.comments():
            connection.execute(comment)


def make_in_memory(connection: DuckDBPyConnection) -> None:
    """Makes the present tables and views in a temporary database that is no lake."""
    for table in TABLES:
        connection.execute(table.ddl())
    _make_views(connection)


# Every step ever taken, oldest first. Those of a release are never changed, only added to.
MIGRATIONS = (Migration("0001-first-schema", _make_tables),)


def applied(connection: DuckDBPyConnection) -> frozenset[str]:
    """Returns the names of the steps that the lake has taken; none in a new lake."""
    try:
        rows = connection.execute("SELECT name FROM schema_migrations").fetchall()
    except duckdb.CatalogException:  # asking first whether the table is there would list all that there is
        return frozenset()
    return frozenset(name for (name,) in rows)


def pending(connection: DuckDBPyConnection) -> tuple[Migration, ...]:
    """Returns the steps that the lake has still to take, oldest first."""
    done = applied(connection)
    return tuple(step for step in (*MIGRATIONS, _views()) if step.name not in done)


@cache
def _views() -> Migration:
    """Returns the step that makes this version's views; its name changes with their text."""
    text = "\n".join((*macro_files(), *(sql for _, sql in view_files())))
    return Migration(_VIEWS_PREFIX + hashlib.sha256(text.encode()).hexdigest()[:12], _make_views)


def show_own_views(connection: DuckDBPyConnection, taken: frozenset[str]) -> None:
    """Lets a connection that only reads a lake see this version's views, where the lake still has those of another.

    The next command that writes puts them into the lake. Until then they are the connection's own, and go before the
    lake's. `taken` is what `applied` returned for it.
    """
    if _views().name not in taken:
        _make_views(connection, temporary=True)


def refuse_other_versions(taken: frozenset[str]) -> None:
    """Refuses a lake whose tables this version does not know.

    `taken` is what `applied` returned for it; a lake that is being made has taken no step.

    Raises:
        LakeVersionError: A newer paperlake made or migrated it, or one from before the first schema.
    """
    steps = {name for name in taken if not name.startswith(_VIEWS_PREFIX)}
    if steps and MIGRATIONS[0].name not in steps:
        raise LakeVersionError(
            "this lake was made by a paperlake from before version 0.1, whose tables this one does not read: make a "
            "new one with `paperlake refresh --lake NEW_FOLDER LIST...`; decisions are beside the lists and apply there"
        )
    if newer := sorted(steps - {step.name for step in MIGRATIONS}):
        raise LakeVersionError(
            f"this lake was made by a newer paperlake (it has taken the step {newer[0]}): upgrade paperlake to use it"
        )


def migrate(connection: DuckDBPyConnection) -> None:
    """Takes the pending steps, all in one transaction."""
    if not (steps := pending(connection)):
        return
    connection.execute("BEGIN")
    try:
        for step in steps:
            step.apply(connection)
            connection.execute("INSERT INTO schema_migrations VALUES (?, now())", [step.name])
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def view_files() -> tuple[tuple[str, str], ...]:
    """Returns each view's name and its SELECT, in the order of the files' numbers: a view may use those before it."""
    return tuple((name.removesuffix(".sql").split("_", 1)[1], sql) for name, sql in _sql_files("views"))


def macro_files() -> tuple[str, ...]:
    """Returns the statements that make the lake's table macros, which views may use."""
    return tuple(sql for _, sql in _sql_files("macros"))


def _sql_files(folder: str) -> list[tuple[str, str]]:
    files = (file for file in (resources.files("warehouse") / folder).iterdir() if file.name.endswith(".sql"))
    return sorted((file.name, file.read_text(encoding="utf-8")) for file in files)


def _make_views(connection: DuckDBPyConnection, *, temporary: bool = False) -> None:
    kind = "TEMP " if temporary else ""
    for statement in macro_files():
        connection.execute(statement.replace("CREATE OR REPLACE MACRO", f"CREATE OR REPLACE {kind}MACRO", 1))
    for name, sql in view_files():
        connection.execute(f'CREATE OR REPLACE {kind}VIEW "{name}" AS {sql}')
        if not temporary:
            what = sql.splitlines()[0].removeprefix("-- ").replace("'", "''")
            connection.execute(f"COMMENT ON VIEW \"{name}\" IS '{what}'")

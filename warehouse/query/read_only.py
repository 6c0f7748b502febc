"""Runs SQL of users over the lake, read-only by construction.

Two walls, each enough by itself for a lake of files. The connection is sealed (`open_lake`): its files come from a file
system that cannot write, all others are out of reach, and the settings that say so are locked. And only statements that
read are taken (`reading_statements`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import duckdb

from sources.errors import UsageError, WarehouseError
from warehouse.lake import engine
from warehouse.lake.place import LakePlace, first_line
from warehouse.lake.sealing import MACROS
from warehouse.lake.session import open_lake
from warehouse.query.output import is_kept, kept_type
from warehouse.tables.schema import identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    import pyarrow as pa


# Which statements only read: a single SELECT, or the EXPLAIN of one.
#
# None is taken that calls a function which maintains a lake, reads a file, runs SQL or has effects of its own, or
# that names a file or a table of the catalogue's own database.


_LAKE_READERS = frozenset(
    "snapshots current_snapshot table_info table_changes table_insertions table_deletions".split()
)
# Functions that give tables and touch nothing but their arguments; `duckdb_*`, which describe the engine, are too.
_HARMLESS = frozenset(
    "range generate_series unnest repeat repeat_row json_each json_tree histogram histogram_values icu_calendar_names "
    "pg_timezone_names".split()
)
# Functions of rows that DuckDB says have effects, and that have none outside the query.
_EFFECTS = frozenset(
    "current_connection_id current_query current_query_id current_transaction_id error gen_random_uuid random setseed "
    "sleep_ms stats uuid uuidv4 uuidv7".split()
)
# Plans the text it is given, for which a function of that text may already run.
_RUNS_SQL = frozenset({"json_serialize_plan"})
_FUNCTIONS = (
    "SELECT DISTINCT lower(function_name), function_type IN ('table', 'table_macro') FROM duckdb_functions() "
    "WHERE function_type IN ('table', 'table_macro') OR has_side_effects"
)
# What may precede the query that EXPLAIN is about.
_EXPLAIN = frozenset("explain analyze verbose ( ) , format text json html graphviz yaml mermaid".split())
# What DuckLake calls the database of a catalogue: this, and the name of the lake behind it.
_CATALOGUE = "__ducklake_metadata"
_WORD = re.compile(rb"\w+|[^\w\s]")
_CALL = re.compile(rb'"(?:[^"]|"")*"|\w+')
# Connection -> the functions that may not be called on it; a sealed connection cannot get others.
_FORBIDDEN: WeakKeyDictionary[duckdb.DuckDBPyConnection, set[str]] = WeakKeyDictionary()


def checked_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Returns the one statement in `sql`, which only reads.

    Raises:
        UsageError: It is several, or does more than read the lake's tables and views.
        duckdb.Error: DuckDB cannot parse it.
    """
    statement, query = _single_read(connection, sql)
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query.rstrip().rstrip(";")]).fetchone()
    tree = json.loads(row[0]) if row else {"error": True}
    if tree.get("error"):  # DuckDB makes none of DESCRIBE, SHOW, SUMMARIZE, EXPLAIN and PIVOT
        tree = None
    _refuse_functions(connection, query, tree)
    if tree is None:
        names = [query]
        if any(query.encode()[start : start + 2].lower() == b"e'" for start, _ in duckdb.tokenize(query)):
            raise UsageError("a string with escapes cannot be used in this kind of statement: write it without")
    else:
        names = [name for key in ("table_name", "schema_name", "catalog_name") for name in _values(tree, key)]
    for name in names:
        if engine.SCHEME in name.lower():
            raise UsageError("a query is over the lake's tables and views, not over objects of a store")
        if _CATALOGUE in name.lower():
            raise UsageError("a query is over the lake's tables and views, not over the catalogue's")
    return statement


def _single_read(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[duckdb.Statement, str]:
    """Returns the statement to execute and the SELECT that it is or explains; DuckDB's parser says what each is."""
    statement = single_statement(connection, sql)
    if statement.type == duckdb.StatementType.EXPLAIN:
        words: list[str] = []
        for start, word in _tokens(statement.query):
            explained: list[duckdb.Statement] = []
            with suppress(duckdb.Error):
                explained = connection.extract_statements(statement.query.encode()[start:].decode())
            if words and len(explained) == 1 and explained[0].type == duckdb.StatementType.SELECT:
                query = str(explained[0].query)
                explanation = single_statement(connection, f"{' '.join(words)}\n{query}")
                if explanation.type == duckdb.StatementType.EXPLAIN:
                    return explanation, query
            words.append(word)
            if word not in _EXPLAIN:
                break
        raise UsageError("only reading is allowed here, and this EXPLAIN is not about a SELECT")
    if statement.type != duckdb.StatementType.SELECT:
        raise UsageError(f"only reading is allowed here, and this is {statement.type.name}")
    return statement, statement.query


def single_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Returns the one statement in `sql`."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.ParserException as error:
        if (meant := _meant(connection, sql)) is None:
            raise
        raise UsageError(f"{str(error).strip()}\n\nDid you mean `{meant}`?") from error
    if len(statements) != 1:
        raise UsageError(f"one query at a time, please: this text holds {len(statements)}")
    return statements[0]


def _meant(connection: duckdb.DuckDBPyConnection, sql: str) -> str | None:
    """Returns the SELECT that a text means which begins with the name of a table or view, None where it does not."""
    name, meant = next(iter(sql.split()), ""), f"from {sql.strip()}"
    try:
        if not connection.extract_statements(meant):
            return None
    except duckdb.Error:
        return None
    names = "SELECT table_name FROM duckdb_tables() UNION ALL SELECT view_name FROM duckdb_views()"  # takes long
    known = connection.execute(f"SELECT 1 FROM ({names}) AS n(name) WHERE name = lower(?)", [name]).fetchone()
    return meant if known else None


def _tokens(sql: str) -> Iterator[tuple[int, str]]:
    """Yields the tokens of `sql`: where each begins, in bytes, and its first word or mark in lower case."""
    text = sql.encode()
    for start, _ in duckdb.tokenize(sql):
        word = _WORD.match(text, start)
        yield start, word[0].decode("utf-8", "replace").lower() if word else ""


def _refuse_functions(connection: duckdb.DuckDBPyConnection, sql: str, tree: dict[str, Any] | None) -> None:
    """Refuses functions that would maintain a lake (some crash DuckDB on a read-only one), name files or run SQL.

    Of DuckDB's functions and its extensions', those are refused that give tables or have effects and are not known
    harmless. DuckLake's can be called as `ducklake_options('lake')` and as `lake.options()`.

    Without a tree, the text is searched for calls token by token. DuckDB takes long to list its functions, and is not
    asked for a query that calls none.
    """
    called = [name.lower() for name in _values(tree, "function_name")] if tree is not None else []
    if tree is None:
        text = sql.encode()
        for start, following in pairwise(start for start, _ in duckdb.tokenize(sql)):
            before = _CALL.match(text, start)
            if before and text[following : following + 1] == b"(":
                called.append(before[0].decode().strip('"').replace('""', '"').lower())
    if not called:
        return
    forbidden = _FORBIDDEN.get(connection)
    if forbidden is None:
        found = connection.execute(_FUNCTIONS).fetchall()
        tables = {name for name, gives_table in found if gives_table and not name.startswith("duckdb_")}
        of_lakes = {name.removeprefix("ducklake_") for name in tables if name.startswith("ducklake_")}
        harmless = _HARMLESS | MACROS | _LAKE_READERS | {f"ducklake_{name}" for name in _LAKE_READERS}
        effects = {name for name, gives_table in found if not gives_table} - _EFFECTS
        forbidden = _FORBIDDEN[connection] = ((tables | of_lakes) - harmless) | effects | _RUNS_SQL
    for name in called:
        if name in forbidden:
            raise UsageError(f"the function {name} is not for reading the lake and cannot be called here")


def _values(tree: Any, key: str) -> Iterator[str]:
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get(key), str):
                yield node[key]
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


_COUNTED_AT_ONCE = 10_000  # rows beyond the first that are fetched together, only to be counted


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenRows:
    """The first rows of a query, as values that people read."""

    names: list[str]  # of the columns
    rows: list[tuple[Any, ...]]  # each with a value a column; times are text such as `2026-11-21 23:27 UTC`
    total: int  # number of rows that the query gives


def run_query(place: LakePlace, sql: str, *, as_of: datetime | None = None) -> pa.Table:
    """Returns the rows that `sql` gives, as an Arrow table."""
    with closing(open_lake(place, as_of=as_of)) as connection:
        return ask(connection, sql)


def ask(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
    """Returns the rows that `sql` gives, each column under a name of its own.

    Raises:
        UsageError: The text is not one reading statement, or DuckDB refuses it; the message points at the place.
        WarehouseError: A data file is lost or spoiled.
    """
    with _query_errors():
        rows = _execute(connection, checked_statement(connection, sql)).to_arrow_table()
        return rows.rename_columns(_distinct(rows.column_names))


def ask_for_screen(connection: duckdb.DuckDBPyConnection, sql: str, *, most: int) -> ScreenRows:
    """Returns the first `most` rows that `sql` gives and how many there are, without Arrow, whose import takes long."""
    with _query_errors():
        result = _execute(connection, checked_statement(connection, sql), for_people=True)
        names = _distinct([str(name) for name, *_ in result.description or []])
        rows = result.fetchmany(most)
        total = len(rows)
        while more := result.fetchmany(_COUNTED_AT_ONCE):
            total += len(more)
        return ScreenRows(names=names, rows=rows, total=total)


@contextmanager
def _query_errors() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        if ".parquet" in str(error) and not isinstance(error, duckdb.PermissionException):
            raise WarehouseError(f"cannot read the lake: {first_line(error)}") from error
        raise UsageError(str(error).split("\nStack Trace", 1)[0].strip()) from error


def _execute(
    connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement, *, for_people: bool = False
) -> duckdb.DuckDBPyConnection:
    """Executes the statement; columns of a SELECT whose values would not arrive as they are are cast by DuckDB.

    For people an instant is written to the minute, with its zone.
    """
    result = connection.execute(statement)
    columns = [(str(name), kind) for name, kind, *_ in result.description or []]
    if statement.type != duckdb.StatementType.SELECT or all(is_kept(kind, times=not for_people) for _, kind in columns):
        return result
    casts = ", ".join(
        f"strftime(#{number}, '%Y-%m-%d %H:%M UTC') AS {identifier(name)}"
        if for_people and kind.id == "timestamp with time zone"
        else f"CAST(#{number} AS {kept_type(kind, times=not for_people)}) AS {identifier(name)}"
        for number, (name, kind) in enumerate(columns, 1)
    )
    inner = bytearray(statement.query.encode())
    for start, word in _tokens(statement.query):
        if word == ";":  # in a single statement, every semicolon outside a text ends it
            inner[start : start + 1] = b" "
    return connection.execute(single_statement(connection, f"SELECT {casts} FROM (\n{inner.decode()}\n)"))


def _distinct(given: Sequence[str]) -> list[str]:
    """Returns names with a number behind each that stood there before, so that no column hides another."""
    seen: Counter[str] = Counter()
    names = []
    for name in given:
        new = name
        while seen[new]:
            new = f"{name}_{seen[name]}"
            seen[name] += 1
        seen[new] += 1
        names.append(new)
    return names

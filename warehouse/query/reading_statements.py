"""Which statements only read: a single SELECT, or the EXPLAIN of one.

None is taken that calls a function which maintains a lake, reads a file, runs SQL or has effects of its own, or that
names a file or a table of the catalogue's own database.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import duckdb

from sources.errors import UsageError
from warehouse.lake import engine
from warehouse.lake.sealing import MACROS

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAKE_READERS = frozenset(
    "snapshots current_snapshot table_info table_changes table_insertions table_deletions".split()
)
_HARMLESS = frozenset(
    "range generate_series unnest repeat repeat_row json_each json_tree histogram histogram_values icu_calendar_names "
    "pg_timezone_names".split()
)
"""Functions that give tables and touch nothing but their arguments; `duckdb_*`, which describe the engine, are too."""
_EFFECTS = frozenset(
    "current_connection_id current_query current_query_id current_transaction_id error gen_random_uuid random setseed "
    "sleep_ms stats uuid uuidv4 uuidv7".split()
)
"""Functions of rows that DuckDB says have effects, and that have none outside the query."""
_RUNS_SQL = frozenset({"json_serialize_plan"})
"""Plans the text it is given, for which a function of that text may already run."""
_FUNCTIONS = (
    "SELECT DISTINCT lower(function_name), function_type IN ('table', 'table_macro') FROM duckdb_functions() "
    "WHERE function_type IN ('table', 'table_macro') OR has_side_effects"
)
_EXPLAIN = frozenset("explain analyze verbose ( ) , format text json html graphviz yaml mermaid".split())
"""What may stand before the query that EXPLAIN is about."""
_CATALOGUE = "__ducklake_metadata"
"""What DuckLake calls the database of a catalogue: this, and the name of the lake behind it."""
_WORD = re.compile(rb"\w+|[^\w\s]")
_CALL = re.compile(rb'"(?:[^"]|"")*"|\w+')
_FORBIDDEN: WeakKeyDictionary[duckdb.DuckDBPyConnection, set[str]] = WeakKeyDictionary()
"""Connection -> the functions that may not be called on it; a sealed connection cannot get others."""


def checked_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Returns the one statement in `sql`, which only reads.

    Raises:
        UsageError: It is several, or does more than read the lake's tables and views.
        duckdb.Error: DuckDB cannot parse it.
    """
    statement, query = _single_read(connection, sql)
    tree = _tree(connection, query)
    _refuse_functions(connection, query, tree)
    _refuse_sources(query, tree)
    return statement


def _single_read(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[duckdb.Statement, str]:
    """Returns the statement to execute and the SELECT that it is or explains; DuckDB's parser says what each is."""
    statement = single_statement(connection, sql)
    if statement.type == duckdb.StatementType.EXPLAIN:
        return _explanation(connection, statement.query)
    if statement.type != duckdb.StatementType.SELECT:
        raise UsageError(f"only reading is allowed here, and this is {statement.type.name}")
    return statement, statement.query


def single_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    """Returns the one statement in `sql`.

    Raises:
        UsageError: It is several, or none.
        duckdb.Error: DuckDB cannot parse it.
    """
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise UsageError(f"one query at a time, please: this text holds {len(statements)}")
    return statements[0]


def _explanation(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[duckdb.Statement, str]:
    """Returns an EXPLAIN put together from the words before the query in `sql` and the query, and the query.

    What EXPLAIN is about is executed with ANALYZE, and its type cannot be seen from outside: it is cut out and parsed
    by itself, and only a SELECT is put back.
    """
    words: list[str] = []
    for start, word in _tokens(sql):
        query = _if_select(connection, sql.encode()[start:].decode())
        if words and query is not None:
            explanation = single_statement(connection, f"{' '.join(words)}\n{query}")
            if explanation.type == duckdb.StatementType.EXPLAIN:
                return explanation, query
        words.append(word)
        if word not in _EXPLAIN:
            break
    raise UsageError("only reading is allowed here, and this EXPLAIN is not about a SELECT")


def _if_select(connection: duckdb.DuckDBPyConnection, sql: str) -> str | None:
    """Returns `sql` as DuckDB parses it if it is a single SELECT."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error:
        return None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        return None
    return str(statements[0].query)


def without_semicolon(sql: str) -> str:
    """Returns a statement without what ends it: in a single one, every semicolon outside a text does."""
    text = bytearray(sql.encode())
    for start, word in _tokens(sql):
        if word == ";":
            text[start : start + 1] = b" "
    return text.decode()


def _tokens(sql: str) -> Iterator[tuple[int, str]]:
    """Yields the tokens of `sql`: where each begins, in bytes, and its first word or mark in lower case."""
    text = sql.encode()
    for start, _ in duckdb.tokenize(sql):
        word = _WORD.match(text, start)
        yield start, word[0].decode("utf-8", "replace").lower() if word else ""


def _tree(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, Any] | None:
    """Returns what DuckDB makes of `sql`, None where it cannot say: of DESCRIBE, SHOW, SUMMARIZE, EXPLAIN, PIVOT."""
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql.rstrip().rstrip(";")]).fetchone()
    tree = json.loads(row[0]) if row else {"error": True}
    return None if tree.get("error") else tree


def _refuse_functions(connection: duckdb.DuckDBPyConnection, sql: str, tree: dict[str, Any] | None) -> None:
    """Refuses functions that would maintain a lake (some crash DuckDB on a read-only one), name files or run SQL.

    Without a tree, the text is searched for calls token by token. DuckDB takes long to list its functions, and is not
    asked for a query that calls none.
    """
    called = list(_calls(sql) if tree is None else (name.lower() for name in _values(tree, "function_name")))
    if not called:
        return
    forbidden = _FORBIDDEN.get(connection)
    if forbidden is None:
        forbidden = _FORBIDDEN[connection] = _forbidden(connection)
    for name in called:
        if name in forbidden:
            raise UsageError(f"the function {name} is not for reading the lake and cannot be called here")


def _refuse_sources(sql: str, tree: dict[str, Any] | None) -> None:
    """Refuses objects of a store, and tables of the database that holds the catalogue, where a table should stand.

    What directories are allowed keeps local files in: `s3://bucket/lake/../other` would lead out of the lake. The
    catalogue's database may hold other things as well. Without a tree, neither may be in the text at all.
    """
    if tree is None:
        names = [sql]
        if any(sql.encode()[start : start + 2].lower() == b"e'" for start, _ in duckdb.tokenize(sql)):
            raise UsageError("a string with escapes cannot be used in this kind of statement: write it without")
    else:
        names = [name for key in ("table_name", "schema_name", "catalog_name") for name in _values(tree, key)]
    for name in names:
        if engine.SCHEME in name.lower():
            raise UsageError("a query is over the lake's tables and views, not over objects of a store")
        if _CATALOGUE in name.lower():
            raise UsageError("a query is over the lake's tables and views, not over the catalogue's")


def _forbidden(connection: duckdb.DuckDBPyConnection) -> set[str]:
    """Returns the functions, of DuckDB and its extensions, that give tables or have effects and are not known harmless.

    DuckLake's can be called as `ducklake_options('lake')` and as `lake.options()`.
    """
    found = connection.execute(_FUNCTIONS).fetchall()
    tables = {name for name, gives_table in found if gives_table and not name.startswith("duckdb_")}
    of_lakes = {name.removeprefix("ducklake_") for name in tables if name.startswith("ducklake_")}
    harmless = _HARMLESS | MACROS | _LAKE_READERS | {f"ducklake_{name}" for name in _LAKE_READERS}
    effects = {name for name, gives_table in found if not gives_table} - _EFFECTS
    return ((tables | of_lakes) - harmless) | effects | _RUNS_SQL


def _calls(sql: str) -> Iterator[str]:
    """Yields what stands before an opening bracket, in lower case."""
    text = sql.encode()
    starts = [start for start, _ in duckdb.tokenize(sql)]
    for start, following in pairwise(starts):
        name = _CALL.match(text, start)
        if name and text[following : following + 1] == b"(":
            yield name[0].decode().strip('"').replace('""', '"').lower()


def _values(tree: Any, key: str) -> Iterator[str]:
    """Yields every text that stands under `key` anywhere in `tree`."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get(key), str):
                yield node[key]
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)

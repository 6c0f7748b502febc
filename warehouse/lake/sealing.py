"""Refuses a lake whose catalogue refers to files outside of it, before anything is read.

DuckLake does what its catalogue says: a view reads whatever file its SQL names, a path leads wherever it points, and
what is scheduled for deletion is deleted. `enable_external_access` does not keep `sqlite_scan` from a file. So what a
lake of paperlake never has is looked for in the catalogue itself.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from sources.errors import WarehouseError
from sources.text import shown
from warehouse.lake.place import LakePlace, open_catalog
from warehouse.lake.stored_files import CATALOG
from warehouse.tables.declarations import TABLES

_FOLDERS = r"(?:\w[\w.=%+-]*/)*"
_FILE = rf"{_FOLDERS}ducklake-[0-9a-f-]{{36}}(?:-delete)?\.parquet"
_INLINED = r"ducklake_inlined_data_\d+_\d+"
_NAME = re.compile(r"[a-z_]\w*", re.IGNORECASE | re.ASCII)
MACROS = frozenset({"counted_since", "rising_lately", "rising_since"})  # the lake's own, see warehouse/macros
# Functions that give tables of their arguments alone.
_TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
# Functions of rows that read the state of this machine, run SQL or have effects.
_OF_THE_ENGINE = frozenset(
    "current_setting getenv getvariable json_execute_serialized_sql json_serialize_plan query query_table sleep_ms "
    "write_log".split()
)
# A query of a catalogue -> what it reads beyond the lake, as `_source_beyond` found it.
_JUDGED: dict[str, str | None] = {}
_STRANGE = f"""
SELECT * FROM (
    SELECT 'a data file at' AS what, path FROM {CATALOG}.ducklake_data_file
    WHERE (path_is_relative::BOOLEAN AND regexp_full_match(path, '{_FILE}')) IS NOT TRUE
    UNION ALL SELECT 'deleted rows in a file at', path FROM {CATALOG}.ducklake_delete_file
    WHERE (path_is_relative::BOOLEAN AND regexp_full_match(path, '{_FILE}')) IS NOT TRUE
    UNION ALL SELECT 'a file scheduled for deletion at', path FROM {CATALOG}.ducklake_files_scheduled_for_deletion
    WHERE (path_is_relative::BOOLEAN AND regexp_full_match(path, '{_FILE}')) IS NOT TRUE
    UNION ALL SELECT 'a table in', path FROM {CATALOG}.ducklake_table
    WHERE (path_is_relative::BOOLEAN AND regexp_full_match(path, '{_FOLDERS}')) IS NOT TRUE
    UNION ALL SELECT 'a schema in', path FROM {CATALOG}.ducklake_schema
    WHERE (path_is_relative::BOOLEAN AND regexp_full_match(path, '{_FOLDERS}')) IS NOT TRUE
    UNION ALL SELECT 'rows of its own in', table_name FROM {CATALOG}.ducklake_inlined_data_tables
    WHERE regexp_full_match(table_name, '{_INLINED}') IS NOT TRUE
    UNION ALL SELECT 'a computed default of the column', column_name FROM {CATALOG}.ducklake_column
    WHERE default_value_type NOT IN ('literal', '')
    UNION ALL SELECT 'an order of rows by', expression FROM {CATALOG}.ducklake_sort_expression
) LIMIT 1
"""
_SQL = f"""
SELECT 'view', view_name, sql FROM {CATALOG}.ducklake_view
UNION SELECT 'macro', m.macro_name, i.sql FROM {CATALOG}.ducklake_macro_impl AS i
LEFT JOIN {CATALOG}.ducklake_macro AS m USING (macro_id)
"""


def refuse_strange_catalog(place: LakePlace) -> str | None:
    """Refuses a SQLite catalogue that is more than tables or leads to a server; called before DuckLake sees it.

    Returns:
        Where the catalogue says that the data are; None where it says nothing yet, or is a server's.

    Raises:
        WarehouseError: It has a view or a trigger, which could show one thing to us and another to DuckLake; or its
            data are on a server that no setting names, which DuckLake would connect to.
        sqlite3.Error: It cannot be read.
    """
    file = place.catalog_file
    if file is None or not file.is_file():
        return None
    with closing(open_catalog(file)) as catalog:
        found = catalog.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('view', 'trigger') OR sql LIKE 'CREATE VIRTUAL%'"
        ).fetchone()
        if found is not None:
            raise _refused(place, f"its catalogue is not of tables alone: it has the {found[0]} {found[1]}")
        is_lake = catalog.execute("SELECT 1 FROM sqlite_master WHERE name = 'ducklake_metadata'").fetchone()
        paths = catalog.execute("SELECT value FROM ducklake_metadata WHERE key = 'data_path'") if is_lake else ()
        said = [str(path) for (path,) in paths]
    for path in said:
        if "://" in path and path != place.data:
            raise _refused(place, f"its data are said to be in {path}, and not in {place.data}")
    return next(iter(said), None)


def refuse_strange(connection: DuckDBPyConnection, place: LakePlace) -> None:
    """Refuses a lake that has what none of paperlake's has, and that leads out of it.

    Raises:
        WarehouseError: It does; the message names the first that was found.
        duckdb.Error: The catalogue cannot be read.
    """
    for what, name in connection.execute(_STRANGE).fetchall():
        raise _refused(place, f"its catalogue has {what} {name}")
    made = connection.execute(_SQL).fetchall()
    tables = {table.name for table in TABLES}
    for kind, name, sql in made:
        if kind == "macro" and name not in MACROS:
            raise _refused(place, f"its catalogue has the macro {name}")
        if str(name).lower() in tables:
            raise _refused(place, f"its catalogue has a {kind} in the place of the table {name}")
        if source := _source_beyond(connection, str(sql)):
            raise _refused(place, f"its {kind} {name} reads {source}, which is no table of the lake")
    if not place.data_on_store and (link := next(_links(place.data), None)):
        raise _refused(place, f"{link} is a link to another place")


def _refused(place: LakePlace, why: str) -> WarehouseError:
    return WarehouseError(
        f"the lake at {place} is not as paperlake makes one: {shown(why)}; nothing of it was read. If you did not make "
        "it yourself, do not use it: `paperlake refresh LIST --lake FOLDER` makes another"
    )


def _source_beyond(connection: DuckDBPyConnection, sql: str) -> str | None:
    """Returns what a query takes its rows from, beside the tables and views of the lake and its macros, if anything.

    The answer depends on the text alone, and every opening needs it for the same texts.
    """
    if sql not in _JUDGED:
        found: list[str] = []

        def look(node: dict[str, Any]) -> dict[str, Any]:
            # A part of a query, without its own parts.
            name = str(node.get("function_name") or "").lower()
            if name in _OF_THE_ENGINE:
                found.append(f"{name}()")
            if node.get("type") == "TABLE_FUNCTION":
                called = str(node["function"].get("function_name", "")).lower()
                if called not in _TABLE_FUNCTIONS | MACROS:
                    found.append(f"{called}()")
            elif node.get("type") == "BASE_TABLE":
                place = [str(node.get(key) or "") for key in ("catalog_name", "schema_name")]
                if place not in (["", ""], ["", "main"], ["lake", "main"]) or not _NAME.fullmatch(node["table_name"]):
                    found.append(".".join(filter(None, (*place, node["table_name"]))))
            return node

        ((text,),) = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
        if json.loads(text, object_hook=look).get("error"):
            found = [f"what is no plain query: {sql[:80]}"]
        _JUDGED[sql] = next(iter(found), None)
    return _JUDGED[sql]


def _links(folder: str) -> Iterator[str]:
    if not Path(folder).is_dir():
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                yield entry.path
            elif entry.is_dir(follow_symlinks=False):
                yield from _links(entry.path)

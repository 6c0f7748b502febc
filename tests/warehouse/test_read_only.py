"""No statement that DuckDB knows changes a file, in the lake or anywhere else: by the parser, and by the connection."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from itertools import chain
from pathlib import Path

import duckdb
import pytest

from standins.trials.rows import paper_row
from tests.backends import as_argument
from tests.matrices import first_each_push, for_each
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake, writing
from warehouse.loading.load import append
from warehouse.query.read_only import run_query
from warehouse.tables import declarations as tables

pytestmark = pytest.mark.slow

EXECUTE_ALL = """
import json, sys
from tests.backends import from_argument
from warehouse.lake.session import open_lake
from warehouse.query.read_only import ask

connection = open_lake(from_argument(sys.argv[1]), sealed=True)

def execute(text):
    return ask(connection, text) if sys.argv[2] == "ask" else connection.execute(text).fetchall()

first, texts = json.load(sys.stdin)
for number, text in enumerate(texts[first:], first):
    print(number, flush=True)
    try:
        execute(text)
        said = "it ran"
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps(said), flush=True)
"""

STATEMENTS = {
    "INSERT": ["INSERT INTO papers FROM papers", "INSERT INTO main.papers(paper_id) VALUES ('x') RETURNING 1"],
    "UPDATE": ["UPDATE papers SET title = 'mine'", "UPDATE EXTENSIONS"],
    "DELETE": ["DELETE FROM papers", "TRUNCATE papers"],
    "MERGE_INTO": ["MERGE INTO papers USING papers AS n ON papers.paper_id = n.paper_id WHEN MATCHED THEN DELETE"],
    "CREATE": [
        "CREATE TABLE mine AS SELECT 1",
        "CREATE OR REPLACE VIEW catalog AS SELECT 1",
        "CREATE MACRO mine() AS 1",
        "CREATE PERSISTENT SECRET mine (TYPE s3)",
        "CREATE INDEX mine ON papers (title)",
    ],
    "ALTER": ["ALTER TABLE papers ADD COLUMN mine INTEGER", "COMMENT ON TABLE papers IS 'mine'"],
    "DROP": ["DROP TABLE papers", "DROP VIEW catalog", "DROP SCHEMA main CASCADE", "DEALLOCATE mine"],
    "COPY": [
        "COPY papers TO '{new}'",
        "COPY (SELECT 1 AS a, 2 AS b) TO '{data}main' (FORMAT parquet, PARTITION_BY (a), OVERWRITE)",
        "COPY (SELECT 1 AS a) TO '{data}main' (FORMAT parquet, PER_THREAD_OUTPUT, OVERWRITE)",
        "COPY (SELECT 1) TO '{file}' (FORMAT csv, USE_TMP_FILE false)",
        "COPY (SELECT 1) TO '{catalogue}' (FORMAT json)",
        "COPY (SELECT 1) TO '/dev/stdout' (FORMAT csv)",
        "COPY papers FROM '{file}'",
    ],
    "COPY_DATABASE": ["COPY FROM DATABASE lake TO memory", "PRAGMA copy_database('lake', 'memory')"],
    "EXPORT": ["EXPORT DATABASE '{new}'", "EXPORT DATABASE '{data}main' (FORMAT parquet)"],
    "ATTACH": ["ATTACH '{new}'", "ATTACH 'ducklake:sqlite:{catalogue}' AS mine", "ATTACH '{catalogue}' (TYPE sqlite)"],
    "DETACH": ["DETACH lake"],
    "LOAD": ["INSTALL httpfs", "LOAD httpfs", "LOAD '{new}'", "FORCE INSTALL httpfs FROM '{data}'"],
    "SET": [
        "SET enable_external_access = true",
        "SET disabled_filesystems = ''",
        "SET allowed_directories = ['/']",
        "SET lock_configuration = false",
        "SET temp_directory = '{new}'",
        "SET log_query_path = '{new}'",
        "SET VARIABLE mine = 1",
        "USE memory",
        "PRAGMA profiling_output = '{new}'",
        "PRAGMA threads = 1",
        "PRAGMA enable_profiling = 'json'",
    ],
    "PRAGMA": ["PRAGMA enable_profiling", "PRAGMA disable_optimizer"],
    "CALL": [
        "CHECKPOINT",
        "FORCE CHECKPOINT",
        "CALL lake.set_option('data_inlining_row_limit', '9')",
        "CALL enable_logging(storage => 'file', storage_config => {{'path': '{new}'}})",
        "CALL pragma_version()",
    ],
    "VACUUM": ["VACUUM", "ANALYZE papers"],
    "TRANSACTION": ["BEGIN", "COMMIT", "ROLLBACK"],
    "PREPARE": ["PREPARE mine AS COPY papers TO '{new}'", "PREPARE mine AS SELECT 1"],
    "EXECUTE": ["EXECUTE mine", "EXECUTE mine('{new}')"],
    "EXPLAIN": [],
    "SELECT": ["PRAGMA version", "SELECT write_log('mine')", "PRAGMA table_info('papers')"],
}
"""Statement type -> texts of that type, none of which may be taken."""
NOT_OF_TEXT = {"INVALID", "ANALYZE", "VARIABLE_SET", "CREATE_FUNC", "RELATION", "EXTENSION", "LOGICAL_PLAN", "MULTI"}
"""What no text is parsed as: for DuckDB's own use, or of no use to it."""
EXPLANATIONS = [
    "EXPLAIN ANALYZE {}",
    "explain (analyze) {}",
    "EXPLAIN (ANALYZE, FORMAT json) {}",
    "/* é */ EXPLAIN -- SELECT 1\n ANALYZE /* (SELECT 1) */ {}",
    "SELECT 1; EXPLAIN ANALYZE {}",
    "EXPLAIN ANALYZE {}; SELECT 1",
    "EXPLAIN EXPLAIN ANALYZE {}",
    "SELECT * FROM (EXPLAIN ANALYZE {})",
    "WITH w AS MATERIALIZED ({}) FROM w",
    "DESCRIBE {}",
    "SUMMARIZE {}",
    "{}; SELECT 1",
    "PREPARE mine AS {}",
    "CREATE MACRO mine() AS TABLE {}",
    "SELECT * FROM query('{}')",
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('{}'))",
    "SELECT json_serialize_plan('{}')",
    "SELECT 1 -- \n; -- \n {}",
]


@pytest.fixture(scope="module")
def lake(empty_lake, tmp_path_factory) -> LakePlace:
    place = empty_lake(tmp_path_factory.mktemp("read-only") / "lake")
    with writing(place) as connection:
        append(connection, tables.PAPERS, [paper_row(f"p{number}", year=2000 + number) for number in range(3)])
    return place


class Watch:
    """Executes texts in a process whose every folder is watched."""

    def __init__(self, place: LakePlace, folder: Path) -> None:
        self.place, self.folder = place, folder
        for name in ("work", "home", "temporary"):
            (folder / name).mkdir()
        file = next(Path(place.data).rglob("*.parquet"))
        self.names = {
            "new": str(folder / "work" / "new"),
            "data": place.data,
            "file": str(file),
            "catalogue": str(place.catalog_file),
        }

    def said(self, how: str, texts: list[str]) -> list[str]:
        """Returns what came of each text, "it ran" or an error; one that ends the process has crashed it."""
        said: list[str] = []
        while len(said) < len(texts):
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", EXECUTE_ALL, as_argument(self.place), how],
                input=json.dumps([len(said), texts]),
                capture_output=True,
                text=True,
                check=False,
                cwd=self.folder / "work",
                env={
                    **os.environ,
                    "HOME": str(self.folder / "home"),
                    "TMPDIR": str(self.folder / "temporary"),
                    "PYTHONPATH": str(Path.cwd()),
                },
            )
            answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('"')]
            assert done.stdout, done.stderr
            said += answers + ["crashed"] * (len(said) + len(answers) < len(texts))
        return said

    def files(self) -> dict[str, str]:
        """Returns the hash of every file of the lake and of the watched folders, and the folders.

        The reader's own copy of the catalogue, which a crash leaves, is not counted.
        """
        paths = chain(self.place.folder.rglob("*"), self.folder.rglob("*"))
        watched = (path for path in paths if not any(part.startswith("paperlake-") for part in path.parts[-2:]))
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in watched}

    def filled(self, texts: list[str], *, prefix: str = "") -> list[str]:
        """Returns `texts` with the names of files put in, `prefix` before those of data."""
        names = self.names | {name: f"{prefix}{self.names[name]}" for name in ("new", "data", "file")}
        return [text.format(**names) for text in texts]


@pytest.fixture
def watch(lake, tmp_path) -> Watch:
    return Watch(lake, tmp_path)


def every_statement() -> list[str]:
    return [text for texts in STATEMENTS.values() for text in texts]


def test_every_statement_type_that_duckdb_parses_is_among_these():
    assert set(duckdb.StatementType.__members__) == set(STATEMENTS) | NOT_OF_TEXT
    connection = duckdb.connect()
    names = dict.fromkeys(("new", "data", "file", "catalogue"), "x")
    for kind, texts in STATEMENTS.items():
        for text in texts:
            found = {statement.type.name for statement in connection.extract_statements(text.format(**names))}
            assert kind in found or "???" in found, text


def test_no_statement_but_a_query_is_taken_wherever_it_stands(watch):
    before = watch.files()
    texts = watch.filled(every_statement())
    quoted = [text.replace("'", "''") for text in texts]
    standing = [way.replace("{}", text) for way in EXPLANATIONS for text in (quoted if "'{}'" in way else texts)]
    texts += watch.filled(every_statement(), prefix="lakefiles://") + standing
    said = dict(zip(texts, watch.said("ask", texts), strict=True))
    assert {text: answer for text, answer in said.items() if not answer.startswith("UsageError")} == {}
    assert watch.files() == before


@pytest.mark.nightly
def test_the_connection_alone_writes_no_file_whatever_is_executed(watch):
    before = watch.files()
    texts = [
        way.replace("{}", text)
        for prefix in ("", "lakefiles://")
        for way in ("{}", "EXPLAIN ANALYZE {}")
        for text in watch.filled(every_statement(), prefix=prefix)
    ]
    said = watch.said("execute", texts)
    assert "it ran" in said
    assert watch.files() == before


CALLS = """
SELECT function_type, function_name, parameter_types FROM duckdb_functions()
WHERE function_type IN ({kinds}) GROUP BY ALL ORDER BY ALL
"""


def calls(lake: LakePlace, kinds: str, text: str) -> list[str]:
    """Returns a call of every function of the kinds with arguments of its types, texts being `text`."""
    connection = open_lake(lake, sealed=True)
    found = connection.execute(CALLS.format(kinds=kinds)).fetchall()
    connection.close()
    values = {"VARCHAR": f"'{text}'", "BOOLEAN": "true", "DATE": "DATE '2026-01-01'", "VARCHAR[]": f"['{text}']"}

    def argument(kind: str | None) -> str:
        return values.get(kind or "VARCHAR", "1" if kind and "INT" in kind else f"'{text}'")

    made = []
    for kind, name, types in found:
        arguments = ", ".join(map(argument, types or []))
        pragma = f"PRAGMA {name}({arguments})" if arguments else f"PRAGMA {name}"
        call = f'"{name}"({arguments})'
        made.append(pragma if kind == "pragma" else f"FROM {call}" if "table" in kind else f"SELECT {call}")
    return list(dict.fromkeys(made))


@pytest.mark.parametrize("text", first_each_push(["lake", "{new}", "lakefiles://{data}main"], count=1))
def test_no_table_function_and_no_pragma_writes_a_file(watch, lake, text):
    before = watch.files()
    (text,) = watch.filled([text])
    texts = calls(lake, "'table', 'table_macro', 'pragma'", text.replace("'", "''"))
    assert len(texts) > 150
    answers = watch.said("ask", texts)
    assert "crashed" not in answers
    assert watch.said("execute", texts)
    assert watch.files() == before


def test_no_function_of_rows_writes_a_file(watch, lake):
    before = watch.files()
    texts = calls(lake, "'scalar', 'aggregate', 'macro'", watch.names["new"])
    assert len(texts) > 900
    assert "crashed" not in watch.said("execute", texts)
    assert watch.files() == before


@for_each("text", ["EXPLAIN (SELECT 1)", "explain (analyze, format json) (SELECT 1) UNION (SELECT 2)"])
def test_a_query_in_brackets_is_explained(lake, text):
    assert run_query(lake, text).num_rows


@pytest.mark.parametrize("text", ["lakefiles:///etc/passwd", "lakefiles://{data}../catalog.sqlite", "/etc/passwd"])
def test_a_name_that_leads_out_of_the_data_cannot_be_read(lake, text):
    connection = open_lake(lake, sealed=True)
    with pytest.raises(duckdb.Error):
        connection.execute(f"SELECT * FROM read_blob('{text.format(data=lake.data)}')").fetchall()
    connection.close()

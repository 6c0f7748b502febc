"""What import-linter does not see: how imports and names are written, and what starting a command loads."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from sources import errors
from tests.matrices import for_each

REPOSITORY = Path(__file__).resolve().parents[1]
CHARTS = {"altair", "vl_convert"}
HEAVY = CHARTS | set("prefect duckdb pyarrow arxiv semanticscholar pydantic_settings fastapi sqlalchemy".split())

FOLDERS = ("flows", "sources", "warehouse", "standins", "tests", "benchmarks")
TREES = {
    path.relative_to(REPOSITORY): ast.parse(path.read_text(encoding="utf-8"))
    for folder in FOLDERS
    for path in sorted((REPOSITORY / folder).rglob("*.py"))
}
PRODUCT = {path: tree for path, tree in TREES.items() if path.parts[0] in FOLDERS[:3]}
CLOCKS = {"datetime.now", "datetime.utcnow", "date.today", "time.time", "time.monotonic", "time.perf_counter"}
NO_NAMES = {"asked", "held", "kept", "one", "told"}
"""Participles and pronouns that say nothing of what they hold."""


def names_of(tree: ast.Module) -> set[str]:
    """Returns the names that a module gives to what it defines, takes and stores."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found


def imports_of(tree: ast.Module) -> set[str]:
    """Returns the packages that a module imports from."""
    names = set()
    for node in ast.walk(tree):
        names |= {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
        names |= {node.module or ""} if isinstance(node, ast.ImportFrom) else set()
    return {name.split(".")[0] for name in names}


def calls_of(tree: ast.Module) -> set[str]:
    return {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def test_imports_are_written_so_that_the_contracts_see_them():
    relative = [
        path
        for path, tree in PRODUCT.items()
        if any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree))
    ]
    by_name = [path for path, tree in PRODUCT.items() if calls_of(tree) & {"__import__", "importlib.import_module"}]
    assert (relative, by_name) == ([], [])


def test_names_say_what_they_hold():
    found = {
        path: sorted(name for name in {path.stem, *names_of(tree)} if name.strip("_").lower() in NO_NAMES)
        for path, tree in PRODUCT.items()
    }
    assert {path: names for path, names in found.items() if names} == {}


@for_each(
    ("folders", "forbidden"),
    [
        (("flows", "sources", "warehouse"), {"standins", "tests", "benchmarks"}),
        (("standins",), {"tests", "benchmarks"}),
        (("benchmarks",), {"tests"}),
        (("tests",), {"benchmarks"}),
    ],
)
def test_tests_benchmarks_and_stand_ins_import_in_one_direction(folders, forbidden):
    assert [path for path, tree in TREES.items() if path.parts[0] in folders and imports_of(tree) & forbidden] == []


def test_the_time_comes_from_a_clock_that_is_handed_in():
    pure = {path: tree for path, tree in PRODUCT.items() if path.parts[0] != "flows" and path.name != "clock.py"}
    assert [path for path, tree in pure.items() if calls_of(tree) & CLOCKS] == []


def test_every_error_is_of_the_tree_in_sources_errors():
    """An error declared elsewhere is missing from the drawing, whether or not a test of errors happens to load it."""
    of_the_tree = {name for name, kind in vars(errors).items() if isinstance(kind, type)}
    elsewhere = [
        f"{path}: {node.name} belongs in errors.py"
        for path, tree in PRODUCT.items()
        if path != Path("sources/errors.py")
        for node in ast.walk(tree)
        if {base.id for base in getattr(node, "bases", []) if isinstance(base, ast.Name)} & of_the_tree
    ]
    assert elsewhere == []


def loaded_by(code: str, *arguments: str) -> set[str]:
    """Returns the heavy libraries that a fresh interpreter holds after `code`."""
    report = f"\nimport sys\nprint('LOADED', *sorted({HEAVY!r} & {{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", code + report, *arguments], capture_output=True, text=True, check=False, cwd=REPOSITORY
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_what_starts_fast_imports_nothing_heavy():
    fast = "flows.cli, flows.check.entries, flows.list_changes, sources.matching.judge, sources.lists.edits.additions"
    assert loaded_by(f"import {fast}, sources.lists.edits.fixes") == set()


def test_the_chart_library_is_loaded_where_charts_are_made_and_nowhere_else():
    others = "flows.prefect.flow, flows.refresh.pipeline, warehouse.query.read_only, warehouse.dashboard.page"
    assert loaded_by(f"import {others}") & CHARTS == set()
    assert loaded_by("import benchmarks.page.charts") >= CHARTS


def test_sources_work_without_prefect_and_duckdb_installed():
    code = (
        "import sys\n"
        "sys.modules['prefect'] = sys.modules['duckdb'] = None\n"
        "import sources.services.arxiv.client, sources.services.semantic_scholar.client\n"
        "import sources.matching.resolve, sources.lists.reading"
    )
    code += "\ndel sys.modules['prefect'], sys.modules['duckdb']"
    assert loaded_by(code) & {"prefect", "duckdb"} == set()

"""Imports run one way, and what is to start fast imports nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
FLOORS = {"flows": {"flows", "warehouse", "sources"}, "warehouse": {"warehouse", "sources"}, "sources": {"sources"}}
"""Folder -> our own folders that it may import."""
NEVER = {"flows": set(), "warehouse": {"prefect"}, "sources": {"prefect", "duckdb"}}
"""Folder -> libraries that it must not know."""
CHARTS = {"altair", "vl_convert"}
HEAVY = CHARTS | set("prefect duckdb pyarrow arxiv semanticscholar pydantic_settings fastapi sqlalchemy".split())
OURS = {"flows", "warehouse", "sources", "tests", "benchmarks", "examples"}

MODULES = sorted(path for folder in FLOORS for path in (REPOSITORY / folder).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Returns the top-level names that a module imports anywhere in it, inside functions and for typing too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the floor they lead to"
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("__import__", "importlib.import_module"):
            raise AssertionError(f"{path}: imports by name hide the floor they lead to")
    return found


def test_the_three_floors_are_there():
    assert {path.relative_to(REPOSITORY).parts[0] for path in MODULES} == set(FLOORS)
    assert len(MODULES) > 60


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(REPOSITORY).as_posix())
def test_imports_lead_downwards_only(path):
    floor = path.relative_to(REPOSITORY).parts[0]
    names = imported(path)
    assert names & OURS <= FLOORS[floor]
    assert not names & NEVER[floor]


def loaded_by(code: str, *arguments: str) -> set[str]:
    """Returns the heavy libraries that a fresh interpreter holds after `code`."""
    report = f"\nimport sys\nprint('LOADED', *sorted({HEAVY!r} & {{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", code + report, *arguments], capture_output=True, text=True, check=False, cwd=REPOSITORY
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_the_probe_sees_what_is_loaded():
    assert loaded_by("import duckdb") >= {"duckdb"}


@pytest.mark.parametrize(
    "module",
    ["flows.cli", "flows.commands.parse", "sources.reading_list", "sources.lists.locations", "sources.matching.judge"],
)
def test_what_starts_fast_imports_nothing_heavy(module):
    assert loaded_by(f"import {module}") == set()


@pytest.mark.parametrize("fmt", ["table", "jsonl", "csv"])
def test_parsing_a_list_loads_nothing_heavy(tmp_path, fmt):
    path = tmp_path / "list.md"
    path.write_text("# Papers\n\n- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n", encoding="utf-8")
    code = (
        "import sys\nfrom flows.cli import app\n"
        "app(['parse', sys.argv[1], '--format', sys.argv[2]], standalone_mode=False)"
    )
    assert loaded_by(code, str(path), fmt) == set()


@pytest.mark.parametrize(
    "module", ["flows.prefect.flow", "flows.commands.refresh", "flows.commands.sql", "flows.commands.dashboard"]
)
def test_the_chart_library_is_loaded_by_nothing_that_others_run(module):
    assert loaded_by(f"import {module}") & CHARTS == set()


def test_the_chart_library_is_loaded_where_charts_are_made():
    assert loaded_by("import warehouse.dashboard.charts") >= CHARTS


def test_sources_work_without_prefect_and_duckdb_installed():
    code = (
        "import sys\n"
        "sys.modules['prefect'] = sys.modules['duckdb'] = None\n"
        "import sources.arxiv.client, sources.semantic_scholar.client, sources.matching.resolve, sources.reading_list"
    )
    code += "\ndel sys.modules['prefect'], sys.modules['duckdb']"
    assert loaded_by(code) & {"prefect", "duckdb"} == set()

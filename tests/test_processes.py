"""What we start: no process of ours takes code from the folder that the user stands in, which may be a stranger's."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.progress import Silent

ROOT = Path(__file__).resolve().parents[1]
STARTERS = {
    "action/job.py": {"subprocess.run"},
    "flows/mcp/bounded_query.py": {"subprocess.Popen"},
    "flows/prefect/server.py": {"subprocess.Popen"},
    "sources/lists/git.py": set(),
    "sources/processes.py": {"subprocess.run"},
    "warehouse/mirrors/workers.py": {"ProcessPoolExecutor"},
}
"""Module that starts processes -> how. Who adds one adds a test here: it finds nothing in the working folder."""
STARTING = {"subprocess", "multiprocessing", "pty", "asyncio.subprocess", "runpy", "concurrent.futures.process"}
CALLS = {"create_subprocess_exec", "create_subprocess_shell", "popen", "posix_spawn", "posix_spawnp", "run_path",
         "startfile", "system", "ProcessPoolExecutor", "Popen", "fork", "forkpty"}  # fmt: skip
SHADOWED = """
    _bootstrap asyncio collections concurrent datetime duckdb ensurepip flows httpx json multiprocessing
    multiprocessing.spawn altair os pip prefect pyarrow resource runpy setuptools sitecustomize sources subprocess
    tempfile threading typer typing usercustomize uvicorn vl_convert venv warehouse zipfile
""".split()


def starts(path: Path) -> set[str]:
    """Returns the calls of a module that start processes; the empty set in one that only imports such a library."""
    found, imports = set(), False
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [f"{node.module}"] if isinstance(node, ast.ImportFrom) else []
        imports |= bool(STARTING & set(names))
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            last = name.rpartition(".")[2]
            is_start = last in CALLS or name.startswith(("os.exec", "os.spawn"))
            found |= {name} if is_start or name.startswith("subprocess.") else set()
    return found if found or imports else {"nothing"}


def test_processes_are_started_where_a_test_knows_it():
    found = {}
    for folder in ("flows", "sources", "warehouse", "action"):
        for path in (ROOT / folder).rglob("*.py"):
            if (calls := starts(path)) != {"nothing"}:
                found[path.relative_to(ROOT).as_posix()] = calls
    assert found == STARTERS


@pytest.fixture
def traps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A working folder whose every module leaves a mark; Python is told to look there as far as an environment can."""
    folder = tmp_path / "stranger"
    mark = tmp_path / "ran"
    for name in SHADOWED:
        file = folder / f"{name.replace('.', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        code = f"import sys\nopen({str(mark)!r}, 'a').write(__file__ + ' ' + str(sys.orig_argv) + '\\n')\n"
        file.write_text(code, encoding="utf-8")
    for package in ("flows", "sources", "warehouse", "prefect"):
        (folder / package).mkdir(exist_ok=True)
        (folder / package / "__init__.py").write_text((folder / f"{package}.py").read_text(), encoding="utf-8")
    (folder / "more.pth").write_text("import sitecustomize\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PYTHONSAFEPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", "lib/.."]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield folder
    assert not mark.exists(), mark.read_text()


def test_the_query_of_a_client_finds_nothing_in_the_working_folder(traps, tmp_path, empty_lake):
    from flows.mcp.bounded_query import bounded_rows

    lake = empty_lake(tmp_path / "lake").folder
    assert bounded_rows(str(lake), "SELECT 1 AS x", as_of=None, most=1, longest_s=60) == ([{"x": 1}], 1)


def test_the_processes_that_make_an_index_find_nothing_in_the_working_folder(traps, monkeypatch):
    from warehouse.mirrors import workers

    monkeypatch.setattr(workers, "WORKERS", 2)
    assert list(workers.in_processes(abs, [-1, -2])) == [1, 2]


@pytest.mark.nightly
def test_prefects_server_finds_nothing_in_the_working_folder(traps, tmp_path, monkeypatch):
    from flows.prefect import server

    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "prefect"))
    own = server.OwnServer()
    own._port = server._free_port(0)
    own._launch()
    try:
        own.wait(Silent())
    finally:
        own.stop()


def test_a_command_of_the_action_finds_nothing_in_the_working_folder(traps, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "action"))
    import job

    done = job.paperlake(["--version"])
    assert done.stdout.startswith("paperlake ")


@pytest.mark.slow
def test_whatever_a_command_starts_finds_nothing_in_the_working_folder(traps):
    """Python as another library starts it, below our own command: that one is started with a sound path."""
    code = (
        "import subprocess, sys\nfrom flows.cli import app, main\n@app.command()\ndef another() -> None:\n"
        "    subprocess.run([sys.executable, '-m', 'zipfile', '--help'], check=True)\n"
        "    subprocess.run([sys.executable, '-c', 'import json'], check=True)\nmain()\n"
    )
    command = [sys.executable, "-I", "-c", code, "another"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


def test_the_steps_of_the_action_let_no_variable_name_a_folder_of_modules():
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    starts = [line for line in text.splitlines() if "bin/python" in line]
    assert len(starts) == 2
    assert all('bin/python" -E "$ACTION' in line for line in starts)

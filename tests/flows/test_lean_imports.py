"""What a command does not import, and that all works without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from standins.trials.bench import Bench

_USE = """
import sys
from datetime import UTC, datetime
from flows.cli import without

with without("pandas"):
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.register("given", pa.table({"told": [datetime(2026, 11, 21, tzinfo=UTC)]}))
    found = connection.execute("SELECT told, ? AS names FROM given", [["a", "b"]]).to_arrow_table().to_pylist()
    assert found == [{"told": datetime(2026, 11, 21, tzinfo=UTC), "names": ["a", "b"]}], found
    assert "pandas" not in sys.modules
import pandas
"""


def test_duckdb_and_pyarrow_do_without_pandas_and_what_comes_after_has_it(tmp_path: Path):
    env = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", _USE], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "command", [["--version"], ["--help"], ["sql", "--help"], ["review", "--help"], ["check", "--help"]]
)
def test_help_imports_neither_pydantic_nor_a_database(tmp_path: Path, command: list[str]):
    code = (
        "import sys\nfrom flows.cli import app\napp(sys.argv[1:], standalone_mode=False)\n"
        "print('LOADED', *({'pydantic', 'duckdb', 'prefect', 'pyarrow', 'numpy'} & set(sys.modules)))"
    )
    assert _printed(tmp_path, code, *command).splitlines()[-1] == "LOADED"


@pytest.mark.slow
def test_a_table_of_rows_is_printed_without_numpy_arrow_and_the_settings(tmp_path: Path, bench: Bench):
    bench.refresh(bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"))
    code = (
        "import sys\nfrom flows.cli import app\nfrom flows.cli import without\n"
        "with without('pandas'):\n    app(sys.argv[1:], standalone_mode=False)\n"
        "print('LOADED', *({'pydantic', 'prefect', 'pyarrow', 'numpy', 'pandas', 'duckdb'} & set(sys.modules)))"
    )
    (tmp_path / "paperlake.toml").write_text(f'lists = ["a.md"]\nlake = "{bench.place.folder}"\n', encoding="utf-8")
    for command in (["sql", "from coverage"], ["status"]):
        assert _printed(tmp_path, code, *command).splitlines()[-1] == "LOADED duckdb", command


def test_an_offline_check_imports_neither_prefect_nor_a_database_nor_http(tmp_path: Path):
    (tmp_path / "list.md").write_text("- [Attention Is All You Need]()\n", encoding="utf-8")
    code = (
        "import sys\nfrom flows.cli import app\napp(sys.argv[1:], standalone_mode=False)\n"
        "print('LOADED', *({'pydantic', 'duckdb', 'prefect', 'pyarrow', 'altair', 'httpx'} & set(sys.modules)))"
    )
    assert _printed(tmp_path, code, "check", "list.md", "--offline").splitlines()[-1] == "LOADED"


def _printed(folder: Path, code: str, *arguments: str) -> str:
    """Returns what a fresh interpreter prints."""
    env = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

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


HEAVY = set("pydantic pydantic_settings duckdb prefect pyarrow numpy pandas altair httpx filelock".split())
OF_TEXT = ["--help", "review --help", "check list.md --offline", "parse list.md", "parse list.md --format csv"]


@pytest.mark.parametrize("command", OF_TEXT)
def test_what_needs_no_lake_imports_neither_a_database_nor_http(tmp_path: Path, command: str):
    (tmp_path / "list.md").write_text("- [Attention Is All You Need]()\n", encoding="utf-8")
    assert _loaded(tmp_path, *command.split()) == set()


@pytest.mark.slow
def test_a_table_of_rows_is_printed_with_the_database_alone(tmp_path: Path, bench: Bench):
    bench.refresh(bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"))
    (tmp_path / "paperlake.toml").write_text(f'lists = ["a.md"]\nlake = "{bench.place.folder}"\n', encoding="utf-8")
    for command in (["sql", "from coverage"], ["status"]):
        assert _loaded(tmp_path, *command) == {"duckdb"}, command


def _loaded(folder: Path, *arguments: str) -> set[str]:
    """Returns the heavy libraries that a fresh interpreter holds after a command."""
    code = (
        "import sys\nfrom flows.cli import app, without\n"
        "with without('pandas'):\n    app(sys.argv[1:], standalone_mode=False)\n"
        f"print('LOADED', *({HEAVY} & set(sys.modules)))"
    )
    env = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])

"""What a command does not import, and that all works without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_USE = """
import sys
from datetime import UTC, datetime
from flows.commands.startup import without

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

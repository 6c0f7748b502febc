"""What other programs rely on: the lines that attach a lake, as docs/connect.md has them, and views that stay."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from flows.cli import app
from standins.servers.postgres import PASSWORD
from standins.trials.bench import Bench
from warehouse.lake.attach import PROGRAMS, attach_lines, password_note
from warehouse.lake.engine import _wheel_path
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "connect.md").read_text(encoding="utf-8")
CONTRACT = ROOT / "tests" / "fixtures" / "contract.tsv"
LIST = "# Reading\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"


@pytest.fixture
def read(bench: Bench):
    """A lake with one paper."""
    bench.refresh(bench.write(LIST))
    return bench.place


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> dict[str, str]:
    """The environment of a user who has installed DuckDB's extensions before, so that INSTALL asks no network."""
    tmp_path = tmp_path_factory.mktemp("home")
    with duckdb.connect(config={"extension_directory": str(tmp_path / ".duckdb" / "extensions")}) as connection:
        for name in ("ducklake", "sqlite_scanner", "postgres_scanner", "httpfs", "aws"):
            if (wheel := _wheel_path(name)) is not None:
                connection.execute(f"INSTALL '{wheel}'")
    return {**os.environ, "HOME": str(tmp_path)}


def run_lines(program: str, lines: list[str], more: str, env: dict[str, str]) -> str:
    """Runs lines of `program`, and `more` behind those that only read the papers; returns what they print."""
    text = "\n".join(lines)
    script = f"import duckdb\nduckdb.sql({text!r}).show(max_width=200)" if program == "sql" else f"{text}\n{more}"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=env, cwd=env["HOME"], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def needs(program: str) -> None:
    module = {"spark": "pyspark"}.get(program, program)
    if program not in ("sql", "python") and importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    if program == "spark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")


@pytest.mark.parametrize(
    "program", ["sql", "python", "polars", "pandas", pytest.param("spark", marks=pytest.mark.nightly)]
)
def test_the_lines_read_the_lake_in_each_program(read: LakePlace, home: dict[str, str], program: str):
    needs(program)
    (Path(home["HOME"]) / "catalog.parquet").unlink(missing_ok=True)
    more = {"spark": "print(papers.select('title').first()[0])"}.get(program, "print(*papers['title'])")
    told = run_lines(program, attach_lines(read, program), "" if program == "python" else more, home)
    assert "Fast R-CNN" in told


def test_the_page_has_the_lines_that_the_command_prints():
    place = LakePlace.of(Path("/home/me/papers/lake"))
    blocks = {
        program: "\n".join(f"    {line}" for line in attach_lines(place, program)).replace(
            str(place.catalog_file), f"{place.data}paperlake-catalogue-copy.sqlite"
        )
        for program in PROGRAMS
    }
    assert [program for program, block in blocks.items() if f"\n\n{block}\n" not in PAGE] == []
    assert all(block.count("\n") <= 7 for block in blocks.values())


def test_a_program_that_reads_holds_up_no_writer(read: LakePlace, home: dict[str, str]):
    waits = "lake.execute('BEGIN; FROM papers'); print('reading', flush=True); input(); lake.execute('FROM papers')"
    lines = "\n".join([*attach_lines(read, "python")[:-1], waits])
    reader = subprocess.Popen(
        [sys.executable, "-c", lines], env=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "reading\n"
    with writing(read) as connection:
        connection.execute("DELETE FROM mentions")
    reader.communicate("\n", timeout=60)
    assert reader.returncode == 0


def test_a_name_with_a_quote_stays_a_name(tmp_path):
    place = LakePlace.of(tmp_path / """it's "mine" """)
    compile("\n".join(attach_lines(place, "python")), "lines", "exec")
    assert "it''s" in attach_lines(place, "sql")[1]


@pytest.mark.servers
def test_the_lines_reach_postgresql_and_s3_and_hold_no_secret(place, home, shared):
    lines = attach_lines(place, "sql")
    secrets = [PASSWORD, os.environ["AWS_SECRET_ACCESS_KEY"]]
    assert [secret for secret in secrets if secret in "\n".join(lines) or secret.replace("'", "''") in str(lines)] == []
    assert "PGPASSWORD" in (password_note(place) or "")
    s3 = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    told = run_lines("sql", lines, "", {**home, **s3, "PGPASSWORD": PASSWORD})
    assert "0 rows" in told


def test_the_last_refresh_s_age_is_an_exit_code(read: LakePlace, capsys):
    def ended(*arguments: str) -> int:
        done = CliRunner().invoke(app, ["status", "--lake", str(read.folder), "--within", *arguments])
        said.append(done.stdout.strip())
        return done.exit_code

    said: list[str] = []
    assert (ended("1h"), ended("0s")) == (0, 1)
    assert said[0] == "the last refresh ended just now, well"
    with writing(read) as connection:
        connection.execute("UPDATE runs SET status = 'completed_with_failures', problems = ['arXiv answered HTTP 503']")
    assert (ended("1h", "--json"), json.loads(said[-1])["status"]) == (0, "completed_with_failures")
    assert ended("1h") == 0
    assert said[-1] == "the last refresh ended just now, with failures: arXiv answered HTTP 503"
    with writing(read) as connection:
        connection.execute("DELETE FROM runs")
    assert (ended("1h"), said[-1]) == (1, "no refresh of this lake has ended yet")


def test_views_and_tables_keep_the_columns_that_others_rely_on(lake):
    columns = "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_catalog = 'lake'"
    there = {(table, column): kind for table, column, kind in lake.execute(columns).fetchall()}
    promised = [tuple(line.split("\t")) for line in CONTRACT.read_text(encoding="utf-8").splitlines()[1:]]
    assert len(promised) > 300
    broken = [(*one, there.get((one[0], one[1]))) for one in promised if there.get((one[0], one[1])) != one[2]]
    assert broken == [], "programs of others read these columns: they stay, with their types"


def test_an_extension_that_nobody_signed_is_not_loaded_into_a_lake(lake, tmp_path):
    stranger = tmp_path / "stranger.duckdb_extension"
    stranger.write_bytes(bytes(1_024))
    with pytest.raises(duckdb.Error, match=r"signed|signature|not a DuckDB extension|metadata"):
        lake.execute(f"LOAD '{stranger}'")
    assert lake.execute("SELECT current_setting('allow_unsigned_extensions')").fetchone() == (False,)

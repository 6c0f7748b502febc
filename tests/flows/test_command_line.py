"""The command line as a user meets it: in a child process, with Prefect for real where a flow runs."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from flows.cli import app, main
from flows.commands.parse import COLUMNS
from standins import StandIns
from tests.flows.conftest import CommandLine
from warehouse.lake.session import writing

LIST = "# Reading\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- [Layer Normalization](https://arxiv.org/abs/1607.06450)\n"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def a_list(paperlake: CommandLine) -> str:
    (paperlake.folder / "list.md").write_text(LIST, encoding="utf-8")
    return "list.md"


@pytest.mark.slow
def test_a_refresh_loads_the_lake_and_says_nothing_that_is_not_its_own(
    paperlake: CommandLine, standins: StandIns, a_list: str
):
    (paperlake.folder / "flows").mkdir()
    (paperlake.folder / "flows" / "__init__.py").write_text("raise ImportError('a package of the user')")
    first = paperlake("refresh", a_list, "--json")
    assert (first.returncode, first.stderr) == (0, "")
    summary = json.loads(first.stdout)
    assert (
        summary["mentions"]
        == summary["resolved"] + summary["ambiguous"] + summary["not_found"] + summary["failed"]
        == 2
    )
    assert summary["requests"] == {"arxiv": 1, "s2": 1}

    standins.clear_log()
    second = paperlake("refresh")
    assert (second.returncode, second.stderr) == (0, "")
    assert "requests: 0 to arXiv, 0 to Semantic Scholar" in second.stdout
    assert not standins.requests()

    top = paperlake("sql", "select title, citation_count from papers order by 2 desc limit 10", "--format", "json")
    assert {row["title"] for row in json.loads(top.stdout)} == {"Fast R-CNN", "Layer Normalization"}
    coverage = json.loads(paperlake("sql", "from coverage", "--format", "json").stdout)
    assert coverage[0]["mentions"] == coverage[0]["resolved"] == 2
    state = json.loads(paperlake("status", "--json").stdout)
    assert [run["status"] for run in state["runs"]] == ["completed", "completed"]


@pytest.mark.slow
def test_ctrl_c_ends_at_once_and_the_next_run_goes_on_from_there(
    paperlake: CommandLine, standins: StandIns, a_list: str
):
    standins.latency("s2", 30)
    running = subprocess.Popen(
        [sys.executable, "-m", "flows", "refresh", a_list],
        cwd=paperlake.folder,
        env={**os.environ, **paperlake.env, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not standins.requests("arxiv") or not list(paperlake.folder.glob("lake/replies/*.reply")):
        assert running.poll() is None, running.communicate()
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.startswith("paperlake: stopped")
    assert "Traceback" not in said

    standins.latency("s2", 0)
    standins.clear_log()
    done = paperlake("refresh", a_list, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["resolved"] == 2
    assert not standins.requests("arxiv"), "arXiv had answered before"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a command in this process, in a folder with a list, and returns what it prints."""
    (tmp_path / "list.md").write_text(LIST, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str, stdin: str | None = None, code: int = 0) -> str:
        done = CliRunner().invoke(app, arguments, input=stdin, env={"COLUMNS": "200"})
        assert done.exit_code == code, done.output
        return done.output if code else done.stdout

    return invoke


def test_a_list_that_cannot_be_read_does_not_stop_the_others(run):
    Path("empty.md").write_text("")
    for command in (["parse", "list.md", "empty.md"], ["refresh", "list.md", "nowhere.md", "--offline"]):
        said = run(*command, code=1)
        assert "2 mentions in 1 list" in said
        assert command[2] in said


def test_parse_reads_a_file_or_standard_input_and_prints_in_every_format(run):
    rows = [json.loads(line) for line in run("parse", "list.md", "--format", "jsonl").splitlines()]
    assert [row["arxiv_id"] for row in rows] == ["1504.08083", "1607.06450"]
    assert all(set(row) == set(COLUMNS) for row in rows)
    assert rows[0]["section"] == ["Reading"]
    assert json.loads(run("parse", "list.md", "--json")) == rows
    written = csv.DictReader(io.StringIO(run("parse", "-", "--format", "csv", "--explain", stdin=LIST)))
    assert [(row["line"], bool(json.loads(row["reasons"]))) for row in written] == [("3", True), ("4", True)]


def test_lines_that_are_no_mention_are_printed_with_what_they_were_taken_for(run):
    text = LIST + "- [code](https://github.com/a/b)\n\nI read these on a train.\n"
    rows = json.loads(run("parse", "-", "--skipped", "--json", stdin=text))
    assert {(row["line"], row["kind"]) for row in rows} == {(1, "structure"), (5, "resource"), (7, "prose")}
    assert rows[1]["text"] == "- [code](https://github.com/a/b)"
    assert "3 lines are part of no mention" in run("parse", "-", "--skipped", stdin=text)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("refresh nowhere.md", "no such file"),
        ("refresh binary.md", "binary file"),
        ("refresh shopping.md", "no paper is named"),
        ("refresh", "no list named"),
        ("refresh list.md --lake empty.md/lake", "is not a folder"),
        ("refresh list.md --lake ''", "--lake: it is empty"),
        ("refresh list.md --max-age 99999999999999w", "more than 100 years"),
        ("refresh https://127.0.0.1/x.md", "not on the public internet"),
        ("lake compact --keep -1d", "is no duration"),
        ("sql 'from papers' --as-of 99999-01-01", "is no time"),
        ("sql 'from papers' --as-of 2999-01-01", "in the future"),
        ("sql 'from papers'", "no lake at"),
        ("status --since soon", "soon"),
        ("mirror import arxiv nowhere.json", "no such file"),
        ("mirror import arxiv shopping.md", "holds no paper"),
        ("mirror status", "no mirror at"),
        ("add list.md 1504.08083", "line 3 has this paper already"),
        ("add list.md 1706.03762 --section Nowhere", "no section with entries"),
    ],
)
def test_bad_input_is_one_clear_line_and_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd, arguments: str, said: str
):
    texts = {
        "list.md": LIST.encode(),
        "empty.md": b"",
        "binary.md": b"\x89PNG\0\0",
        "shopping.md": b"- milk\n- bread\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["paperlake", *shlex.split(arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capfd.readouterr()
    assert (ended.value.code, printed.out, printed.err.count("\n")) == (2, "", 1)
    assert printed.err.startswith("paperlake: ")
    assert said in printed.err
    assert {path.name for path in tmp_path.iterdir()} == texts.keys()


@pytest.mark.slow
def test_sql_writes_a_file_and_lists_what_there_is(run):
    run("refresh", "list.md", "--offline", code=1)
    run("sql", "from mentions", "--format", "parquet", "--out", "m.parquet")
    assert pq.read_table("m.parquet").num_rows == 2
    assert {"mentions", "coverage"} <= set(run("sql").split())
    wrong = CliRunner().invoke(app, ["sql", "top_cited"])
    assert "Did you mean `from top_cited`?" in str(wrong.exception)
    assert "No reading order: the references of 0 of 0 papers are known" in run("related", "--list", "list.md")


@pytest.mark.slow
def test_status_tells_what_changed_since_when(run):
    Path("list.md").write_text("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    run("refresh", "list.md", "--offline", code=1)
    told = json.loads(run("status", "--since", "1d", "--json"))
    assert [row["mention"] for row in told["mentions_new"]] == ["Fast R-CNN"]
    shown = run("status", "--since", "2020-01-01")
    assert shown.startswith("Added: \u201cFast R-CNN\u201d.\n")
    assert "\n\nNew mentions: 1\n" in shown
    assert not shown.endswith("\n\n")
    shown = run("status", "--since", "0s")
    assert shown.startswith("Nothing new since ")
    assert shown.endswith(".\nWithout a paper yet: 1 entry.\n")


@pytest.fixture(scope="module")
def unreleased(empty_lake, tmp_path_factory) -> Path:
    """The folder of a lake as an unreleased version made it: other steps, fewer tables."""
    place = empty_lake(tmp_path_factory.mktemp("unreleased") / "lake")
    with writing(place) as connection:
        connection.execute("DELETE FROM schema_migrations")
        connection.execute("INSERT INTO schema_migrations VALUES ('0001-tables', now()), ('0002-review', now())")
        connection.execute("DROP TABLE openalex_works")
    return place.folder


@pytest.mark.parametrize(
    "command",
    ["check LIST", "fix LIST", "missing LIST", "related LIST", "export bibtex out.bib", "refresh --offline LIST",
     "dashboard", "sql 'SELECT 1'", "status", "review list", "lake check", "lake compact"],
)  # fmt: skip
def test_a_lake_from_before_the_first_schema_is_refused(unreleased, tmp_path, monkeypatch, capfd, command):
    (tmp_path / "LIST").write_text(
        "- [Attention Is All You Need](https://arxiv.org/abs/1706.03762)\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["paperlake", *shlex.split(command), "--lake", str(unreleased)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "made by a paperlake from before version 0.1" in " ".join(capfd.readouterr().err.split())

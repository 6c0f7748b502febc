"""The command line as a user meets it: in a child process, with Prefect for real where a flow runs."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from flows.commands.parse import COLUMNS
from standins import StandIns, unreachable_env
from tests.flows.conftest import CommandLine
from tests.matrices import first_each_push

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
def test_without_a_network_it_says_so_once_and_marks_the_rest_failed(paperlake: CommandLine, a_list: str):
    nowhere = CommandLine(paperlake.folder, unreachable_env() | {"PAPERLAKE_BACKOFF": "0"})
    done = nowhere("refresh", a_list, "--json")
    assert done.returncode == 1
    assert done.stderr.count("arXiv could not be reached") == 1
    assert done.stderr.count("Semantic Scholar could not be reached") == 1
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["failed"] == 2


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


def test_a_list_that_cannot_be_read_does_not_stop_the_others(paperlake: CommandLine, a_list: str):
    (paperlake.folder / "empty.md").write_text("")
    for command in (["parse", a_list, "empty.md"], ["refresh", a_list, "nowhere.md", "--offline"]):
        done = paperlake(*command)
        assert done.returncode == 1
        assert "2 mentions in 1 list" in done.stdout
        assert command[2] in done.stderr


def test_parse_reads_a_file_or_standard_input_and_prints_in_every_format(paperlake: CommandLine, a_list: str):
    rows = [json.loads(line) for line in paperlake("parse", a_list, "--format", "jsonl").stdout.splitlines()]
    assert [row["arxiv_id"] for row in rows] == ["1504.08083", "1607.06450"]
    assert all(set(row) == set(COLUMNS) for row in rows)
    assert rows[0]["section"] == ["Reading"]
    assert json.loads(paperlake("parse", a_list, "--json").stdout) == rows
    written = csv.DictReader(io.StringIO(paperlake("parse", "-", "--format", "csv", "--explain", stdin=LIST).stdout))
    assert [(row["line"], bool(json.loads(row["reasons"]))) for row in written] == [("3", True), ("4", True)]


def test_lines_that_are_no_mention_are_printed_with_what_they_were_taken_for(paperlake: CommandLine):
    text = LIST + "- [code](https://github.com/a/b)\n\nI read these on a train.\n"
    rows = json.loads(paperlake("parse", "-", "--skipped", "--json", stdin=text).stdout)
    assert {(row["line"], row["kind"]) for row in rows} == {(1, "structure"), (5, "resource"), (7, "prose")}
    assert rows[1]["text"] == "- [code](https://github.com/a/b)"
    assert "3 lines are part of no mention" in paperlake("parse", "-", "--skipped", stdin=text).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    first_each_push(
        [
            pytest.param(["refresh", "nowhere.md"], "no such file", id="missing file"),
            pytest.param(["refresh", "empty.md"], "is empty", id="empty list"),
            pytest.param(["refresh", "binary.md"], "binary file", id="binary file"),
            pytest.param(["refresh", "shopping.md"], "no paper is named", id="no papers"),
            pytest.param(["refresh"], "no list named", id="no list at all"),
            pytest.param(["refresh", "list.md", "--lake", "empty.md/lake"], "is not a folder", id="lake under a file"),
            pytest.param(["refresh", "list.md", "--max-age", "soon"], "is no duration", id="bad duration"),
            pytest.param(
                ["refresh", "list.md", "--max-age", "9" * 14 + "w"], "more than 100 years", id="endless duration"
            ),
            pytest.param(["lake", "compact", "--grace", "9" * 30 + "d"], "more than 100 years", id="endless grace"),
            pytest.param(["lake", "compact", "--keep", "-1d"], "is no duration", id="negative age"),
            pytest.param(["status", "--since", "9" * 14 + "w"], "more than 100 years", id="since before all time"),
            pytest.param(["sql", "from papers", "--as-of", "99999-01-01"], "is no time", id="no year"),
            pytest.param(["sql", "from papers", "--as-of", "2999-01-01"], "in the future", id="time to come"),
            pytest.param(
                ["mirror", "import", "arxiv", "list.md", "--as-of", "2999-01-01"], "in the future", id="release"
            ),
            pytest.param(["refresh", "list.md", "--lake", ""], "--lake: it is empty", id="empty lake"),
            pytest.param(["refresh", "https://127.0.0.1/x.md"], "not on the public internet", id="loopback address"),
            pytest.param(["parse", "nowhere.md"], "no such file", id="parse a missing file"),
            pytest.param(["sql", "from papers"], "no lake at", id="query without a lake"),
            pytest.param(["status"], "no lake at", id="status without a lake"),
            pytest.param(["review"], "no lake at", id="review without a lake"),
            pytest.param(["mirror", "import", "arxiv", "nowhere.json"], "no such file", id="missing dump"),
            pytest.param(["mirror", "import", "arxiv", "shopping.md"], "holds no paper", id="not a dump"),
            pytest.param(["mirror", "status"], "no mirror at", id="no mirror"),
            pytest.param(["add", "list.md", "1504.08083"], "line 3 has this paper already", id="listed already"),
            pytest.param(
                ["add", "list.md", "1706.03762", "--section", "Nowhere"], "no section with entries", id="no section"
            ),
        ],
        count=8,
    ),
)
def test_bad_input_is_one_clear_line_and_makes_nothing(paperlake: CommandLine, arguments: list[str], said: str):
    (paperlake.folder / "list.md").write_text(LIST)
    (paperlake.folder / "empty.md").write_text("")
    (paperlake.folder / "binary.md").write_bytes(b"\x89PNG\0\0")
    (paperlake.folder / "shopping.md").write_text("# Shopping\n\n- milk\n- bread\n")
    before = paperlake.made()

    done = paperlake(*arguments)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("paperlake: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert paperlake.made() == before


@pytest.mark.nightly
@pytest.mark.slow
def test_a_list_that_is_gone_is_named_with_exit_code_1(paperlake: CommandLine, a_list: str):
    lists = paperlake.folder / "lists"
    lists.mkdir()
    for name in ("a.md", "b.md"):
        (lists / name).write_text(LIST)
    assert paperlake("refresh", "lists", "--offline").returncode == 1, "offline, nothing is found"
    (lists / "b.md").unlink()
    done = paperlake("refresh", "lists", "--offline", "--json")
    summary = json.loads(done.stdout)
    assert (done.returncode, summary["lists"], summary["mentions"]) == (1, 1, 2)
    named = f"{lists / 'b.md'} is no longer there; its 2 mentions stay as they were"
    assert done.stderr.count(named) == 1
    (unread,) = json.loads(paperlake("status", "--json").stdout)["unread"]
    assert unread["list"] == str(lists / "b.md")
    assert unread["not_read_because"].startswith(named)


@pytest.mark.nightly
@pytest.mark.slow
def test_sql_writes_a_file_and_lists_what_there_is(paperlake: CommandLine, a_list: str):
    assert paperlake("refresh", a_list, "--offline").returncode == 1
    assert paperlake("sql", "from mentions", "--format", "parquet", "--out", "m.parquet").returncode == 0
    assert pq.read_table(paperlake.folder / "m.parquet").num_rows == 2
    listing = paperlake("sql").stdout
    assert "mentions" in listing
    assert "coverage" in listing
    wrong = paperlake("sql", "select titel from papers")
    assert wrong.returncode == 2
    assert "LINE 1: select titel" in wrong.stderr


@pytest.mark.nightly
@pytest.mark.slow
def test_status_tells_what_changed_since_when(paperlake: CommandLine):
    (paperlake.folder / "list.md").write_text("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n")
    paperlake("refresh", "list.md", "--offline")
    told = json.loads(paperlake("status", "--since", "1d", "--json").stdout)
    assert [row["mention"] for row in told["mentions_new"]] == ["Fast R-CNN"]
    shown = paperlake("status", "--since", "2020-01-01").stdout
    assert shown.startswith("Added: \u201cFast R-CNN\u201d.\n")
    assert "\n\nNew mentions: 1\n" in shown
    assert not shown.endswith("\n\n")
    shown = paperlake("status", "--since", "0s").stdout
    assert shown.startswith("Nothing new since ")
    assert shown.endswith(".\nWithout a paper yet: 1 entry.\n")
    refused = paperlake("status", "--since", "soon")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)

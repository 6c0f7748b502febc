"""Bars for whoever watches a terminal, lines for a log."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from flows.progress import LOG, log_line, watched


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("worth_s", "shown"), [(0.0, True), (60.0, False)])
def test_only_a_stage_that_takes_long_gets_a_bar_and_a_log_none(monkeypatch, capsys, worth_s, shown):
    monkeypatch.setattr("flows.progress._WORTH_A_BAR_S", worth_s)
    for stream in (terminal := Terminal(), sys.stderr):
        monkeypatch.setattr(sys, "stderr", stream)
        with watched() as reporter:
            reporter.stage("Reading the lists", 2, "lists")(2)
            reporter.say("something to know")
    assert [text in terminal.getvalue() for text in ("Reading the lists", "2/2")] == [shown] * 2
    assert "something to know" in terminal.getvalue()
    assert capsys.readouterr().err == "something to know\n"


@pytest.mark.parametrize("columns", [80, 120])
def test_bars_have_distinct_names_and_a_line_each(monkeypatch, columns):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr("flows.progress._WORTH_A_BAR_S", 0.0)
    monkeypatch.setenv("COLUMNS", str(columns))
    with watched() as reporter:
        for name in ("Semantic Scholar: best match, one by one", "arXiv: papers by title", "arXiv: papers by title"):
            reporter.stage(name, 10_000, "papers")(500)
    final = [line.split("\r")[-1] for line in terminal.getvalue().splitlines() if "papers" in line][-2:]
    assert "Semantic Scholar: best match" in final[0]
    assert "500/10000" in final[0]
    assert "arXiv: papers by title" in final[1]
    assert "1000/20000" in final[1]
    assert all(len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)) <= columns for line in final)


def test_a_log_of_json_has_an_object_a_line_with_the_facts(monkeypatch, capsys):
    monkeypatch.setenv(LOG, "json")
    log_line("1 mention\x1b in 1 list", {"failed": 0, "next_run": "2026-11-27T06:00:00+00:00"}, stamped=True)
    with watched() as reporter:
        reporter.say("something to know")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["message"], first["failed"], second["message"]) == ("1 mention\x1b in 1 list", 0, "something to know")
    assert first.keys() - second.keys() == {"failed", "next_run"}

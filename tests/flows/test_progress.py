"""Bars for whoever watches a terminal, lines for a log."""

from __future__ import annotations

import io
import sys

import pytest

from flows.progress import watched


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("worth_s", "shown"), [(0.0, True), (60.0, False)])
def test_only_a_stage_that_takes_long_gets_a_bar(monkeypatch, worth_s, shown):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr("flows.progress._WORTH_A_BAR_S", worth_s)
    with watched() as reporter:
        done = reporter.stage("Reading the lists", 2, "lists")
        done(2)
        reporter.say("something to know")
    assert ("Reading the lists" in terminal.getvalue()) == shown
    assert ("2/2" in terminal.getvalue()) == shown
    assert "something to know" in terminal.getvalue()


def test_a_log_gets_no_bars(capsys):
    with watched() as reporter:
        reporter.stage("Reading the lists", 2, "lists")(2)
        reporter.say("something to know")
    assert capsys.readouterr().err == "something to know\n"

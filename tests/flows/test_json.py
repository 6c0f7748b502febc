"""docs/json.md names the keys that the commands print, all of them and no others."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from flows.cli import main
from flows.commands.parse import COLUMNS
from flows.refresh.plan import RefreshPlan
from flows.refresh.summary import RunSummary
from standins.trials.bench import Bench
from warehouse.mirrors import Release
from warehouse.query.changes import KINDS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
LIST = "# Reading\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- What's in a Name?\n"


def documented(command: str) -> set[str]:
    """Returns the keys in the section of docs/json.md about `command`."""
    (section,) = re.findall(rf"^## `paperlake {re.escape(command)}`$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    heads = [line.split(":")[0] for line in section.splitlines() if line.startswith("- ")]
    return {key for head in heads for key in re.findall(r"`(\w+)`", head)}


@pytest.fixture
def printed(bench: Bench, monkeypatch, capsys):
    """Gives a function that runs a command over a refreshed lake and returns what it prints as JSON."""
    bench.refresh(bench.write(LIST))
    capsys.readouterr()

    def run(command: str):
        monkeypatch.chdir(bench.folder)
        monkeypatch.setenv("PAPERLAKE_LAKE", str(bench.place.folder))
        monkeypatch.setattr(sys, "argv", ["paperlake", *command.split(" ")])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code in (0, None)
        return json.loads(capsys.readouterr().out)

    return run


def test_the_keys_of_models_and_tables_are_documented():
    assert documented("parse --json") == set(COLUMNS)
    assert documented("refresh --json") == set(RunSummary.model_fields)
    assert documented("refresh --dry-run --json") == set(RefreshPlan.model_fields)
    assert documented("mirror status --json") == {field.name for field in fields(Release)}
    assert documented("status --since 7d --json") == set(KINDS)


def test_what_commands_print_has_the_documented_keys(printed):
    for command in ("status --json", "status --since 7d --json", "refresh --dry-run --json", "dashboard --json"):
        assert printed(f"{command} list.md" if "dry" in command else command).keys() == documented(command), command
    for command in ("lake check --json", "lake compact --json", "lake reparse --json"):
        assert printed(command).keys() == documented(command), command
    assert {key for row in printed("review --json") for key in row} == documented("review list --json")
    assert {key for row in printed("parse list.md --json") for key in row} == documented("parse --json")
    assert printed("sql --json from\tcoverage") == printed("sql --format json from\tcoverage") != []

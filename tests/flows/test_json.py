"""docs/json.md names the keys that the commands print, all of them and no others."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer

from flows.cli import app, main
from flows.commands.parse import COLUMNS
from flows.refresh.plan import RefreshPlan
from flows.refresh.summary import CHANGES, RunSummary
from standins.trials.bench import Bench
from warehouse.mirrors import Release

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "json.md").read_text(encoding="utf-8")
TITLE = "Measuring the Spread of Rumours in Small Towns"
LIST = f"# Reading\n\n- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- {TITLE}\n"


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
    assert documented("status --since 7d --json") == {"first", *CHANGES}


def test_what_commands_print_has_the_documented_keys(printed):
    assert printed("lake attach --json").keys() == documented("lake attach --json")
    assert printed("next --json").keys() == documented("next --json")
    assert printed("status --within 1h --json").keys() == documented("status --within 26h --json")
    for command in ("status --json", "status --since 7d --json", "refresh --dry-run --json", "dashboard --json"):
        assert printed(f"{command} list.md" if "dry" in command else command).keys() == documented(command), command
    for command in ("lake check --json", "lake compact --json", "lake reparse --json"):
        assert printed(command).keys() == documented(command), command
    decided = documented("review accept MENTION --json")
    for command in ("reject list.md:4", "set-id list.md:4 arxiv:1504.08083", "undo list.md:4"):
        (row,) = printed(f"review {command} --json")
        assert row.keys() == decided, command
    mended = printed("fix list.md --offline --json")
    assert mended.keys() | mended["lists"][0].keys() == documented("fix --json")
    assert printed("export csv papers.csv --json").keys() == documented("export csv FILE --json")
    assert printed("lake adopt --json").keys() == documented("lake adopt --json")
    assert {key for row in printed("review --json") for key in row} == documented("review list --json")
    assert {key for row in printed("parse list.md --json") for key in row} == documented("parse --json")
    assert {key for row in printed("parse list.md --skipped --json") for key in row} == documented(
        "parse --skipped --json"
    )
    assert printed("sql --json from\tcoverage") == printed("sql --format json from\tcoverage") != []
    assert printed("init list.md --json").keys() == documented("init LIST --json")


def test_a_catalogue_put_back_is_told_with_the_documented_keys(printed, bench: Bench):
    assert bench.place.catalog_file is not None
    bench.place.catalog_file.unlink()
    assert printed("lake restore --json").keys() == documented("lake restore --json")


def test_every_command_for_scripts_has_json():
    def commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
        for name, command in group.commands.items():
            yield from commands(command, f"{path}{name} ") if hasattr(command, "commands") else [(path + name, command)]

    without = {
        name
        for name, command in commands(typer.main.get_command(app))
        if "--json" not in str([p.opts for p in command.params])
    }
    assert without == {"serve", "mcp"}  # which run on

"""The README says what the code does: its dictionary is the generated one; no command, setting or view is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from flows.cli import app
from flows.settings import Settings
from warehouse.dictionary import dictionary
from warehouse.migrations import view_files

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    group = typer.main.get_command(app)
    return sorted(group.commands)  # type: ignore[attr-defined]


def test_the_data_dictionary_is_the_generated_one():
    assert dictionary().strip() in README, "run `python -m warehouse.dictionary` and put what it prints into the README"


@pytest.mark.parametrize("command", commands())
def test_every_command_is_in_the_readme(command: str):
    assert f"paperlake {command}" in README


@pytest.mark.parametrize("setting", sorted(Settings.model_fields))
def test_every_setting_is_in_the_readme(setting: str):
    name = "SEMANTIC_SCHOLAR_API_KEY" if setting == "s2_api_key" else f"PAPERLAKE_{setting.upper()}"
    assert f"`{name}`" in README


@pytest.mark.parametrize("view", [name for name, _ in view_files()])
def test_every_view_says_what_a_row_is(view: str):
    sql = dict(view_files())[view]
    assert sql.startswith("-- One row a ")


@pytest.mark.parametrize("linked", ["LICENSE", "CHANGELOG.md", "constraints.txt", "Makefile"])
def test_the_files_that_people_look_for_are_there(linked: str):
    assert (ROOT / linked).stat().st_size > 0


def test_constraints_hold_versions_and_no_address():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(line.count("==") == 1 and "/" not in line and "@" not in line for line in lines)

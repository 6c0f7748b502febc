"""The lake's place is that of the settings, however it was told, and reading it loads no more than it must."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.commands.shared import read_place
from flows.settings import read_settings
from sources.errors import UsageError
from tests.matrices import for_each

ROOT = Path(__file__).resolve().parents[2]


@for_each("lake", [None, "there", "~/x/../y"])
@pytest.mark.parametrize(
    "told",
    [
        {},
        {"PAPERLAKE_LAKE": "elsewhere"},
        {"paperlake_lake": "small"},
        {"PAPERLAKE_DATA": "/data"},
        {"PAPERLAKE_CONTACT": "me@example.org"},
        {"PAPERLAKE_CATALOG": "sqlite:/c.sqlite", "PAPERLAKE_LAKE": "elsewhere"},
    ],
    ids=str,
)
@pytest.mark.parametrize("file", [None, 'lists = ["a.md"]\nlake = "of-the-file"\n'])
def test_it_is_the_place_of_the_settings(tmp_path, monkeypatch, lake, told, file):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.upper().startswith("PAPERLAKE_")]:
        monkeypatch.delenv(name)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    if file is not None:
        (tmp_path / "paperlake.toml").write_text(file, encoding="utf-8")
    assert read_place(lake) == read_settings(lake=lake).place


@pytest.mark.parametrize(("lake", "told"), [("", {}), (None, {"PAPERLAKE_LAKE": " "}), ("x", {"PAPERLAKE_DATA": " "})])
def test_what_the_settings_refuse_is_refused(tmp_path, monkeypatch, lake, told):
    monkeypatch.chdir(tmp_path)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as here:
        read_place(lake)
    with pytest.raises(UsageError) as there:
        read_settings(lake=lake)
    assert str(here.value) == str(there.value)


def test_a_query_shown_on_the_screen_loads_neither_arrow_nor_the_settings_library(bench):
    heavy = "{'pyarrow', 'numpy', 'pydantic_settings', 'filelock', 'prefect'}"
    code = (
        "import sys\nfrom flows.cli import main\n"
        f"try:\n    main()\nfinally:\n    print('LOADED', *sorted({heavy} & set(sys.modules)))"
    )
    env = {name: value for name, value in os.environ.items() if not name.upper().startswith("PAPERLAKE_")}
    for command in (["sql", "from coverage"], ["status"]):
        call = [sys.executable, "-c", code, *command, "--lake", str(bench.place.folder)]
        done = subprocess.run(call, capture_output=True, text=True, check=True, cwd=ROOT, env=env)
        assert done.stdout.splitlines()[-1].strip() == "LOADED", command

"""The lake's place is that of the settings, however it was told."""

from __future__ import annotations

import os

import pytest

from flows.commands.shared import read_place
from flows.settings import read_settings
from sources.errors import UsageError
from tests.matrices import for_each


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.upper().startswith("PAPERLAKE_")]:
        monkeypatch.delenv(name)
    return tmp_path


@for_each("lake", [None, "there", "~/x/../y"])
@pytest.mark.parametrize(
    "told", [{}, {"paperlake_lake": "small"}, {"PAPERLAKE_CATALOG": "sqlite:/c.sqlite", "PAPERLAKE_DATA": "/data"}]
)
@pytest.mark.parametrize("file", [None, 'lists = ["a.md"]\nlake = "of-the-file"\n'])
def test_it_is_the_place_of_the_settings(folder, monkeypatch, lake, told, file):
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    if file is not None:
        (folder / "paperlake.toml").write_text(file, encoding="utf-8")
    assert read_place(lake) == read_settings(lake=lake).place


@pytest.mark.parametrize(("lake", "told"), [("", {}), (None, {"PAPERLAKE_LAKE": " "}), ("x", {"PAPERLAKE_DATA": " "})])
def test_what_the_settings_refuse_is_refused(monkeypatch, lake, told):
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError) as here:
        read_place(lake)
    with pytest.raises(UsageError) as there:
        read_settings(lake=lake)
    assert str(here.value) == str(there.value)

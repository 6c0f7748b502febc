"""Options that commands share: help and version, days and instants, JSON, and what is said of wrong settings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from flows.cli import app
from flows.settings import read_settings
from flows.times import as_of_instant, past_instant
from sources.errors import UsageError
from tests.matrices import for_each


def invoke(*arguments: str):
    return CliRunner().invoke(app, arguments)


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yields the words that name a command, of all groups and commands."""
    yield path
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*path, name))


@for_each("command", commands(typer.main.get_command(app)))
def test_every_command_explains_itself_with_an_example(command):
    shown = invoke(*command, "--help")
    assert shown.exit_code == 0
    assert command or invoke("-h").stdout == shown.stdout
    assert len(shown.stdout.splitlines()) > 8
    group = command in ((), ("mirror",), ("lake",), ("history",), ("history", "import"))
    assert group or command == ("mirror", "status") or "Example" in shown.stdout


def test_a_bare_day_is_its_end():
    assert past_instant("2020-02-28", day_ends=True) == datetime(2020, 2, 29, tzinfo=UTC)
    assert past_instant("2020-02-28") == datetime(2020, 2, 28, tzinfo=UTC)
    assert past_instant("2020-02-28T06:00Z", day_ends=True) == datetime(2020, 2, 28, 6, tzinfo=UTC)
    today = datetime.now(UTC)
    assert today <= past_instant(f"{today:%Y-%m-%d}", day_ends=True) <= datetime.now(UTC)


@pytest.mark.parametrize("ahead", [timedelta(minutes=10), timedelta(hours=5)])
def test_an_instant_to_come_is_refused(ahead):
    text = (datetime.now(UTC) + ahead).isoformat()
    with pytest.raises(UsageError, match=r"--as-of .* lies in the future"):
        as_of_instant(text, day_ends=True)
    with pytest.raises(UsageError, match="lies in the future"):
        as_of_instant(f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%d}")


def test_an_unknown_key_of_the_file_is_named_with_the_nearest_known_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paperlake.toml").write_text('max_agee = "1d"\n', encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"^paperlake\.toml: max_agee: there is no such setting; did you mean max_age\?$"
    ):
        read_settings()
    (tmp_path / "paperlake.toml").write_text("zzz = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"^paperlake\.toml: zzz: there is no such setting; it knows .*max_age"):
        read_settings()

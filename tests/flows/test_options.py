"""Options that commands share: help, durations, days and instants, JSON, and what is said of wrong settings."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from flows.cli import app
from flows.commands.status import since_when
from flows.settings import read_settings
from flows.times import as_of_instant, parse_age, past_instant
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


NO_AGES = ["", " ", "1", "d", "-1d", "１d", "1e9d", "infd", ".5d", "1,5d", "1d2h", "0x10d", "1\0d", "1d\n2"]
TOO_LONG = ["99999999999999w", "9" * 400 + ".5w", "36501d"]
NO_INSTANTS = ["", "soon", "0000-01-01", "99999-01-01", "2026-13-01", "２０２６-11-21", "2026-11-21T25:00", "-1"]


@for_each(("text", "age"), [(" 12 h ", timedelta(hours=12)), ("1.5d", timedelta(hours=36)), ("0s", timedelta(0))])
def test_a_duration_is_a_number_and_a_unit(text: str, age: timedelta):
    assert parse_age(text) == age


@for_each("text", [*NO_AGES, *TOO_LONG])
def test_a_duration_that_cannot_be_is_refused_in_one_short_line(text: str):
    with pytest.raises(ValueError, match="as in 90m, 12h, 1d or 2w") as refused:
        parse_age(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("age", [timedelta(days=-1), timedelta.max])
def test_a_duration_from_a_program_has_the_same_bounds(age: timedelta):
    with pytest.raises(ValueError, match="as in 90m"):
        parse_age(age)


@given(st.text(st.characters(), max_size=30) | st.from_regex(r"[0-9]{1,40}(\.[0-9]{1,9})?[smhdw]", fullmatch=True))
def test_any_text_is_a_duration_that_can_be_subtracted_from_now_or_refused(text: str):
    try:
        age = parse_age(text)
    except ValueError:
        return
    assert datetime.now(UTC) - age < datetime.now(UTC) + timedelta(seconds=1)


@for_each("text", [*NO_INSTANTS, "0001-01-01T00:00+14:00"])
def test_an_instant_that_cannot_be_is_refused(text: str):
    with pytest.raises(ValueError, match="is no time"):
        past_instant(text)


def test_an_instant_is_told_in_utc():
    assert past_instant("2026-11-21T01:00+02:00") == datetime(2026, 11, 20, 23, tzinfo=UTC)


@for_each("text", [*NO_INSTANTS, "2999-01-01", "9999-12-31T23:59:59"])
def test_as_of_names_a_time_that_has_been(text: str):
    with pytest.raises(UsageError, match=r"^--as-of"):
        as_of_instant(text)


@for_each("text", [*NO_AGES, *TOO_LONG, *NO_INSTANTS, "2999-01-01"])
def test_since_is_a_time_or_an_age_and_everything_else_is_refused(text: str):
    with pytest.raises(UsageError, match=r"^--since"):
        since_when(text)

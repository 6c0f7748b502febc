"""Options that commands share: help and version, days and instants, JSON, and what is said of wrong settings."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.settings import read_settings
from flows.times import as_of_instant, past_instant
from sources.errors import UsageError
from tests.matrices import for_each

LIST = "- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n"


def invoke(*arguments: str):
    return CliRunner().invoke(app, arguments)


def test_the_version_is_that_of_the_package():
    done = invoke("--version")
    assert (done.exit_code, done.stdout) == (0, f"paperlake {version('paperlake')}\n")


@for_each("command", [[], ["parse"], ["review"], ["review", "accept"], ["lake", "check"]])
def test_h_is_help_everywhere(command):
    assert invoke(*command, "-h").stdout == invoke(*command, "--help").stdout
    assert invoke(*command, "-h").exit_code == 0


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


def test_parse_prints_an_array_with_either_option_for_json(tmp_path):
    (tmp_path / "list.md").write_text(LIST, encoding="utf-8")
    both = [invoke("parse", str(tmp_path / "list.md"), *option).stdout for option in (["--json"], ["--format", "json"])]
    assert both[0] == both[1]
    assert [row["arxiv_id"] for row in json.loads(both[0])] == ["1504.08083"]


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

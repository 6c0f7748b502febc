from __future__ import annotations

import json
import logging
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.check.links import LinkFile
from sources.lists.links import LinkAnswer
from warehouse.durable_files import cache_folder

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
DEAD = LinkAnswer(kind="dead", status=404, reason="it answers 404", asked_at=NOW)
MOVED = LinkAnswer(kind="moved", status=200, location="https://b.test/", reason="it has moved for good", asked_at=NOW)


def opened(path: Path, *, after: timedelta = timedelta(0)) -> LinkFile:
    return LinkFile(path, now=lambda: NOW + after)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "paperlake" / "links.json"


def test_what_is_kept_is_there_the_next_time(path):
    with opened(path) as store:
        store.keep("https://a.test/", DEAD)
        store.keep("https://a.test/\udce4", MOVED)
    again = opened(path)
    assert (again.find("https://a.test/"), again.find("https://a.test/\udce4")) == (DEAD, MOVED)
    assert again.find("https://c.test/") is None
    assert [file.name for file in path.parent.iterdir()] == ["links.json"]


def test_an_interrupted_check_keeps_what_it_has(path):
    with suppress(KeyboardInterrupt), opened(path) as store:
        for number in range(150):
            store.keep(f"https://a.test/{number}", DEAD)
        assert len(json.loads(path.read_text())["answers"]) == 100, "they are on disk before the end"
        raise KeyboardInterrupt
    assert opened(path).find("https://a.test/149") == DEAD


def test_two_checks_at_the_same_time_keep_the_answers_of_both(path):
    with opened(path) as first, opened(path) as second:
        first.keep("https://a.test/", DEAD)
        second.keep("https://b.test/", DEAD)
        second.keep("https://a.test/", MOVED)
    later = opened(path)
    assert later.find("https://b.test/") == DEAD
    assert later.find("https://a.test/") in (DEAD, MOVED)


def test_what_holds_no_longer_leaves_the_file(path):
    with opened(path) as store:
        store.keep("https://a.test/", DEAD)
        store.keep("https://b.test/", MOVED)
    with opened(path, after=timedelta(days=2)) as store:
        store.keep("https://c.test/", DEAD)
    assert set(json.loads(path.read_text())["answers"]) == {"https://b.test/"}


@pytest.mark.parametrize(
    "content",
    [
        "{", "[]", '{"version":2,"answers":{"https://a.test/":{}}}', '{"version":1,"answers":[]}', "[" * 100_000,
        '{"version":1,"answers":{"https://a.test/":{"kind":"dead","status":404,"reason":"","asked_at":"2026-11-23"}}}',
        '{"version":1,"answers":{"https://a.test/":{"kind":"dead","status":"x","reason":"","asked_at":null}}}',
    ],
)  # fmt: skip
def test_a_file_that_is_none_of_ours_is_begun_anew(path, content):
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with opened(path) as store:
        assert store.find("https://a.test/") is None
        store.keep("https://a.test/", DEAD)
    assert opened(path).find("https://a.test/") == DEAD


def test_a_file_that_cannot_be_written_is_no_fault(tmp_path, caplog):
    (tmp_path / "cache").write_text("no folder")
    with caplog.at_level(logging.WARNING), opened(tmp_path / "cache" / "paperlake" / "links.json") as store:
        store.keep("https://a.test/", DEAD)
    assert "could not be kept for the next check" in caplog.text


def test_the_cache_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "paperlake"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder().is_relative_to(tmp_path)

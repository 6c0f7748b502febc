from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sources.records import Reply
from warehouse.loading.reply_spool import ReplySpool

NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)


def reply(request_key="{}", body=b"[]", age=0 * HOUR, source="s2", status=200):
    return Reply(source=source, request_key=request_key, fetched_at=NOW - age, status=status, body=body)


@pytest.fixture
def spool(tmp_path):
    return ReplySpool(tmp_path / "replies", 24 * HOUR)


@given(st.text(), st.binary())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_reply_comes_back_byte_for_byte(tmp_path, question, body):
    key = json.dumps(question)
    spool = ReplySpool(tmp_path, 24 * HOUR)
    spool.drop(spool.files())
    spool.keep(reply(key, body))
    assert spool.find("s2", key) == reply(key, body)
    assert list(spool.replies()) == [reply(key, body)]


def test_only_the_very_question_to_the_very_service_is_answered(spool):
    spool.keep(reply('{"ids":["a"]}'))
    assert spool.find("s2", '{"ids":["b"]}') is None
    assert spool.find("arxiv", '{"ids":["a"]}') is None


def test_the_newest_of_two_replies_answers(spool):
    spool.keep(reply(body=b"new"))
    spool.keep(reply(body=b"old", age=HOUR))
    assert spool.find("s2", "{}").body == b"new"
    assert [one.body for one in spool.replies()] == [b"old", b"new"]


def test_an_old_reply_answers_no_more_and_is_still_kept_for_the_lake(spool):
    spool.keep(reply(age=25 * HOUR))
    assert spool.find("s2", "{}") is None
    assert len(list(spool.replies())) == 1


def test_a_half_written_reply_is_none_and_is_cleared_away(spool):
    spool.keep(reply())
    (whole,) = spool.files()
    (spool.folder / "20260301T000000-s2-0.partial").write_bytes(whole.read_bytes()[:9])
    assert list(spool.replies()) == [reply()]
    spool.drop([])
    assert [path.name for path in spool.folder.iterdir()] == [whole.name]


@pytest.mark.parametrize(
    "spoil", [lambda body: body[:20], lambda body: body[:-1], lambda body: b"", lambda body: b"\xff\n" + body]
)
def test_a_reply_spoiled_on_disk_is_passed_over_and_asked_again(spool, spoil):
    spool.keep(reply('{"n":1}'))
    (whole,) = spool.files()
    whole.write_bytes(spoil(whole.read_bytes()))
    spool.keep(reply('{"n":2}'))
    assert spool.find("s2", '{"n":1}') is None
    assert list(spool.replies()) == [reply('{"n":2}')]


def test_what_was_committed_is_dropped_and_what_came_since_stays(spool):
    spool.keep(reply('{"n":1}'))
    committed = spool.files()
    spool.keep(reply('{"n":2}'))
    spool.drop(committed)
    assert [one.request_key for one in spool.replies()] == ['{"n":2}']
    spool.drop(committed)


def test_a_reply_of_a_clock_far_ahead_answers_nothing(spool):
    spool.keep(reply(body=b"of 2036", age=-3650 * 24 * HOUR))
    assert spool.find("s2", "{}") is None
    spool.keep(reply(body=b"now"))
    assert spool.find("s2", "{}").body == b"now"

"""`make live`: services that are as the stand-ins show no difference, and ways to differ are named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.settings import Settings
from sources.clock import utc_now
from sources.http.replies import Received
from standins import StandIns
from standins.live import MOST_REQUESTS, as_issue, compare_services, differences


@pytest.fixture
def services() -> Iterator[StandIns]:
    """The stand-ins that play the real services."""
    with StandIns() as running:
        yield running


def settings_for(monkeypatch: pytest.MonkeyPatch, services: StandIns, lake: Path) -> Settings:
    for name, value in services.env(openalex=True).items():
        monkeypatch.setenv(name, value)
    return Settings(lake=lake, tries=1)


def test_services_like_the_stand_ins_do_not_differ(services: StandIns, standins: StandIns, monkeypatch, tmp_path: Path):
    contact = compare_services(settings_for(monkeypatch, services, tmp_path), standins)
    assert (contact.differences, contact.refused) == ([], [])
    assert contact.requests == len(services.requests()) <= MOST_REQUESTS
    assert {line["service"] for line in services.requests()} == {"arxiv", "s2", "openalex"}
    assert services.violations() == []


def test_other_replies_are_named_by_service_and_place(
    services: StandIns, standins: StandIns, monkeypatch, tmp_path: Path
):
    services.fault("arxiv", "missing_field", field="published")
    services.fault("s2", "404", endpoint="match")
    contact = compare_services(settings_for(monkeypatch, services, tmp_path), standins)
    atom = "/{http://www.w3.org/2005/Atom}feed/{http://www.w3.org/2005/Atom}entry/{http://www.w3.org/2005/Atom}"
    assert {(each.service, each.what, each.found) for each in contact.differences} == {
        ("arXiv", f"{atom}published", "missing"),
        ("Semantic Scholar", "the status", "404"),
    }
    assert contact.requests <= MOST_REQUESTS
    assert f"{atom}published: missing, not text" in as_issue(contact)


def test_what_a_reply_cannot_show_is_no_difference():
    def reply(body: bytes, **headers: str) -> Received:
        return Received(status=200, body=body, at=utc_now(), headers=headers)

    full = reply(b'[{"a": [{"b": 1}], "c": {"d": "x"}, "e": 1}]')
    assert list(differences(full, reply(b'[{"a": [], "c": null, "e": 1.5}]'))) == []
    assert list(differences(reply(b'[{"a": [], "c": null, "e": null}]'), full)) == []
    assert list(differences(full, reply(b"oops"))) == [
        ("the body", "JSON or XML", "neither: Expecting value: line 1 column 1 (char 0)")
    ]
    assert list(differences(full, reply(b'[{"a": [{"b": "1"}], "c": {"d": "x"}, "f": 1}]'))) == [
        ("$[].a[].b", "number", "text"),
        ("$[].e", "number", "missing"),
        ("$[].f", "not there", "number"),
    ]

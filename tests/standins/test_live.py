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


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, services: StandIns, tmp_path: Path) -> Settings:
    for name, value in services.env(openalex=True).items():
        monkeypatch.setenv(name, value)
    return Settings(lake=tmp_path, tries=1)


def test_services_like_the_stand_ins_do_not_differ(services: StandIns, standins: StandIns, settings: Settings):
    contact = compare_services(settings, standins)
    assert (contact.differences, contact.refused) == ([], [])
    assert contact.requests == len(services.requests()) <= MOST_REQUESTS
    assert {line["service"] for line in services.requests()} == {"arxiv", "s2", "openalex"}
    assert services.violations() == []


def test_other_replies_are_named_by_service_and_place(services: StandIns, standins: StandIns, settings: Settings):
    services.fault("arxiv", "missing_field", field="published")
    services.fault("s2", "404", endpoint="match")
    contact = compare_services(settings, standins)
    atom = "/{http://www.w3.org/2005/Atom}feed/{http://www.w3.org/2005/Atom}entry/{http://www.w3.org/2005/Atom}"
    assert {(each.service, each.what, each.found) for each in contact.differences} == {
        ("arXiv", f"{atom}published", "missing"),
        ("Semantic Scholar", "the status", "404"),
    }
    assert contact.requests <= MOST_REQUESTS
    assert f"{atom}published: missing, not text" in as_issue(contact)


def test_what_a_reply_cannot_show_is_no_difference():
    full, empty, other = (
        Received(status=200, body=body, at=utc_now(), headers={})
        for body in (
            b'[{"a": [{"b": 1}], "c": {"d": "x"}, "e": 1}]',
            b'[{"a": [], "c": null, "e": null}]',
            b'[{"a": [{"b": "1"}], "c": {"d": "x"}, "f": 1}]',
        )
    )
    assert list(differences(full, empty)) == list(differences(empty, full)) == []
    assert list(differences(full, other)) == [
        ("$[].a[].b", "number", "text"),
        ("$[].e", "number", "missing"),
        ("$[].f", "not there", "number"),
    ]

"""`make live`: services that are as the stand-ins show no difference, and ten ways to differ are all named."""

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


ATOM = "{http://www.w3.org/2005/Atom}"
CHANGES = {
    "s2": {"citationCount": "3", "year": "2017", "tldr": "short"},
    "openalex": {"cited_by_count": "3", "is_retracted": "no", "title": 7, "note": "new"},
}


def test_a_service_that_differs_in_ten_ways_has_all_ten_named(
    services: StandIns, standins: StandIns, settings: Settings
):
    services.fault("arxiv", "content_type", times=1)
    services.fault("arxiv", "missing_field", field="published")
    services.fault("s2", "404", endpoint="match")
    for service, endpoint in (("s2", "batch"), ("openalex", "works")):
        steps = [("set", [name], value) for name, value in CHANGES[service].items()]
        services.fault(service, "lie", endpoint=endpoint, steps=steps)
    contact = compare_services(settings, standins)
    assert {(each.service, each.what, f"{each.found}, not {each.expected}") for each in contact.differences} == {
        ("arXiv", "the media type", "text/plain, not application/atom+xml"),
        ("arXiv", f"/{ATOM}feed/{ATOM}entry/{ATOM}published", "missing, not text"),
        ("Semantic Scholar", "the status", "404, not 200"),
        ("Semantic Scholar", "$[].citationCount", "text, not number"),
        ("Semantic Scholar", "$[].tldr", "text, not nothing"),
        ("Semantic Scholar", "$[].year", "text, not number"),
        ("OpenAlex", "$.results[].cited_by_count", "text, not number"),
        ("OpenAlex", "$.results[].is_retracted", "text, not true or false"),
        ("OpenAlex", "$.results[].note", "text, not nothing"),
        ("OpenAlex", "$.results[].title", "number, not text"),
    }
    assert contact.requests <= MOST_REQUESTS
    assert f"{ATOM}published: missing, not text" in as_issue(contact)


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
        ("$[].f", "nothing", "number"),
    ]

"""`make live`: services that are as the stand-ins show no difference, and ten ways to differ are all named."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from flows.settings import Settings
from sources.clock import utc_now
from sources.http.replies import Received
from standins import StandIns
from standins.live import MOST_REQUESTS, as_issue, compare_services, differences, main


@pytest.fixture
def services() -> Iterator[StandIns]:
    """The stand-ins that play the real services."""
    with StandIns() as running:
        yield running


@contextmanager
def changed(services: StandIns) -> Iterator[str]:
    """Gives the address of a server that hands requests on, and changes the replies in ten ways."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.hand_on(None)

        def do_POST(self) -> None:
            self.hand_on(self.rfile.read(int(self.headers["Content-Length"])))

        def hand_on(self, body: bytes | None) -> None:
            kind = {"Content-Type": self.headers["Content-Type"]} if body else {}
            request = urllib.request.Request(f"{services.s2_url}{self.path}", data=body, headers=kind)
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as reply:
                    status, headers, body = reply.status, dict(reply.headers), reply.read()
            except urllib.error.HTTPError as error:
                status, headers, body = error.code, dict(error.headers), error.read()
            status, headers, body = otherwise(self.path, status, headers, body)
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def otherwise(path: str, status: int, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
    if path.startswith("/api/query"):
        body = re.sub(rb"<published>.*?</published>", b"", body)  # 1
        body = body.replace(b' rel="related"', b' kind="related"')  # 2
        return status, headers | {"Content-Type": "text/html"}, body  # 3
    if path.startswith("/works"):
        answer = json.loads(body)
        for work in answer["results"]:
            work["cited_by_count"] = str(work["cited_by_count"])  # 4
        answer["meta"].pop("count")  # 5
        lasting = {name: value for name, value in headers.items() if name.lower() != "x-ratelimit-remaining"}  # 6
        return status, lasting, json.dumps(answer).encode()
    if "/paper/batch" in path:
        papers = json.loads(body)
        for paper in filter(None, papers):
            paper.pop("citationCount")  # 7
            paper["year"] = str(paper["year"])  # 8
            paper["tldr"] = {"text": "short"}  # 9
        return status, headers, json.dumps(papers).encode()
    if "/search/match" in path:
        return 404, headers, b'{"error": "Title match not found"}'  # 10
    return status, headers, body


def settings_for(monkeypatch: pytest.MonkeyPatch, services: StandIns, lake: Path, **urls: str) -> Settings:
    for name, value in (services.env(openalex=True) | urls).items():
        monkeypatch.setenv(name, value)
    return Settings(lake=lake, tries=1)


def test_services_like_the_stand_ins_do_not_differ(services: StandIns, standins: StandIns, monkeypatch, tmp_path: Path):
    contact = compare_services(settings_for(monkeypatch, services, tmp_path), standins)
    assert (contact.differences, contact.refused) == ([], [])
    assert contact.requests == len(services.requests()) <= MOST_REQUESTS
    assert {line["service"] for line in services.requests()} == {"arxiv", "s2", "openalex"}
    assert services.violations() == []


def test_ten_ways_to_differ_are_all_named(services: StandIns, standins: StandIns, monkeypatch, tmp_path: Path):
    with changed(services) as address:
        urls = {
            "PAPERLAKE_ARXIV_URL": f"{address}/api/query",
            "PAPERLAKE_S2_URL": address,
            "PAPERLAKE_OPENALEX_URL": address,
        }
        contact = compare_services(settings_for(monkeypatch, services, tmp_path, **urls), standins)
    atom = "/{http://www.w3.org/2005/Atom}feed/{http://www.w3.org/2005/Atom}entry/{http://www.w3.org/2005/Atom}"
    named = {(each.service, each.what, each.found) for each in contact.differences}
    assert named >= {
        ("arXiv", f"{atom}published", "missing"),
        ("arXiv", f"{atom}link/@kind", "text"),
        ("arXiv", "the media type", "text/html"),
        ("OpenAlex", "$.results[].cited_by_count", "text"),
        ("OpenAlex", "$.meta.count", "missing"),
        ("OpenAlex", "the header x-ratelimit-remaining", "missing"),
        ("Semantic Scholar", "$[].citationCount", "missing"),
        ("Semantic Scholar", "$[].year", "text"),
        ("Semantic Scholar", "$[].tldr", "object"),
        ("Semantic Scholar", "the status", "404"),
    }
    assert contact.requests <= MOST_REQUESTS
    assert "$.meta.count: missing, not number" in as_issue(contact)


def test_what_a_reply_cannot_show_is_no_difference():
    def reply(body: bytes, **headers: str) -> Received:
        return Received(status=200, body=body, at=utc_now(), headers=headers)

    full = reply(b'[{"a": [{"b": 1}], "c": {"d": "x"}, "e": 1}]')
    assert list(differences(full, reply(b'[{"a": [], "c": null, "e": 1.5}]'))) == []
    assert list(differences(reply(b'[{"a": [], "c": null, "e": null}]'), full)) == []
    assert list(differences(full, reply(b"oops"))) == [
        ("the body", "JSON or XML", "neither: Expecting value: line 1 column 1 (char 0)")
    ]


def test_the_command_prints_the_text_of_an_issue(services: StandIns, monkeypatch, tmp_path: Path, capsys):
    settings_for(monkeypatch, services, tmp_path)
    assert main() == 0
    assert capsys.readouterr().out.startswith("11 requests; 0 differences from the stand-ins\n")

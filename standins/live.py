"""Compares the real services with the stand-ins, reply by reply: `make live`, by hand, where there is a network.

The product's own clients ask each service a few questions, at the pace that it asks for and with at most 30 requests in
all. Each request is then put to the stand-ins, and the forms of both replies are compared: status, media type, headers
that the product reads, names and types of all fields. What differs is printed as the text of an issue, so that parsers
and stand-ins can be brought to how the service is now. Values are not compared: they are the service's.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from xml.etree import ElementTree as ET

from flows.refresh.services import connected_client, folder_pace
from flows.settings import Settings
from sources.errors import SourceError
from sources.http.replies import Received
from sources.http.transport import Limits, Transport
from sources.services.registry import SOURCES, Source
from standins.handle import StandIns

MOST_REQUESTS = 30
# Papers that the services have, and that the stand-ins serve as bundled; the third of each kind is nobody's.
_ARXIV_IDS = ("1706.03762", "1810.04805", "0704.9999")
_TITLE = "Attention Is All You Need"
_DOIS = ("10.48550/arxiv.1706.03762", "10.48550/arxiv.1810.04805", "10.48550/arxiv.0704.9999")
_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-credits-used")


@dataclass(frozen=True, slots=True)
class Difference:
    """A way in which a service's reply differs from the stand-in's."""

    service: str  # the service's name
    request: str  # method and address, without the host
    what: str  # where in the reply
    expected: str  # as the stand-in has it, on which the parsers are tested
    found: str  # as the service has it


@dataclass(slots=True)
class Contact:
    """What became of asking the services."""

    requests: int = 0  # sent to the services
    differences: list[Difference] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # why clients did not take replies, a sentence each


class _Exhausted(Exception):
    """The most requests were sent."""


def questions(source: Source, client: Any) -> Iterator[Callable[[], Any]]:
    """Yields what a service is asked: known and unknown identifiers, a title, and the best match where it gives one."""
    ids: Sequence[str] = _DOIS if source.name == "openalex" else _ARXIV_IDS
    yield partial(client.fetch_papers, [f"arXiv:{value}" for value in ids] if source.name == "s2" else list(ids))
    yield partial(client.search_titles, [_TITLE])
    if source.matches_titles:
        yield partial(client.match_title, _TITLE)


def compare_services(settings: Settings, standins: StandIns) -> Contact:
    """Returns how the services at the addresses of the settings differ from the stand-ins."""
    contact = Contact()
    own = {"arxiv": standins.arxiv_url, "s2": standins.s2_url, "openalex": standins.openalex_url}
    for source in SOURCES.values():
        client = connected_client(source, settings, _NoReplies(), folder_pace)
        recorder = _Recorder(client._transport, source, settings.url_of(source.name), own[source.name], contact)
        client._transport = recorder
        try:
            for ask in questions(source, client):
                _ask(source, ask, contact)
        except _Exhausted:
            contact.refused.append(f"{source.label}: {MOST_REQUESTS} requests are the most; the rest was not asked")
        finally:
            client.close()
            recorder.close()
    return contact


def _ask(source: Source, ask: Callable[[], Any], contact: Contact) -> None:
    try:
        answer = ask()
    except SourceError as error:
        contact.refused.append(f"{source.label}: {error}")
        return
    failed = getattr(answer, "failed", {})
    contact.refused += dict.fromkeys(f"{source.label}: {error}" for error in failed.values())


class _NoReplies:
    """A reply store that has none, so that every question is sent."""

    def find(self, source: str, request_key: str) -> None:
        return None

    def keep(self, reply: Any) -> None:
        pass


class _Recorder:
    """Sends each request to the service and to the stand-in, and notes how the replies differ."""

    def __init__(self, transport: Transport, source: Source, url: str, own_url: str, contact: Contact) -> None:
        self._transport, self._source, self._url, self._own_url = transport, source, url, own_url
        self._standin = Transport(source.name, url=own_url, limits=Limits())
        self._contact = contact

    def send(self, method: str, url: str, *, params: Mapping[str, str] | None = None, json: Any = None) -> Received:
        if self._contact.requests >= MOST_REQUESTS:
            raise _Exhausted
        self._contact.requests += 1
        found = self._transport.send(method, url, params=params, json=json)
        if found.status == 429:  # it says nothing of the form of answers
            return found
        own = self._standin.send(method, self._own_url + url.removeprefix(self._url), params=params, json=json)
        parts = urlsplit(url)
        request = f"{method} {urlunsplit(('', '', parts.path, parts.query, ''))}"
        if params:
            request += f" {dict(params)}"
        for what, expected, seen in differences(own, found):
            difference = Difference(self._source.label, request, what, expected, seen)
            if all(other.what != what or other.service != difference.service for other in self._contact.differences):
                self._contact.differences.append(difference)
        return found

    def close(self) -> None:
        self._standin.close()
        self._transport.close()


def differences(own: Received, found: Received) -> Iterator[tuple[str, str, str]]:
    """Yields where the reply `found` has another form than `own`, with both forms in words."""
    if own.status != found.status:
        yield "the status", str(own.status), str(found.status)
        return
    kinds = tuple(_media_type(reply) for reply in (own, found))
    if kinds[0] != kinds[1]:
        yield "the media type", *kinds
    for name in _HEADERS:
        if name in own.headers and name not in found.headers:
            yield f"the header {name}", "there", "missing"
    try:
        yield from _differing_fields(form_of(own.body), form_of(found.body))
    except ValueError as error:
        yield "the body", "JSON or XML", f"neither: {error}"


def _differing_fields(expected: Mapping[str, set[str]], seen: Mapping[str, set[str]]) -> Iterator[tuple[str, str, str]]:
    for path in sorted(expected.keys() | seen.keys()):
        if path not in seen:
            if not _is_below_nothing(path, seen) and expected[path] != {"null"}:
                yield path, _words(expected[path]), "missing"
        elif path not in expected:
            if not _is_below_nothing(path, expected):
                yield path, "nothing", _words(seen[path])
        elif "null" not in expected[path] | seen[path] and not expected[path] & seen[path]:
            yield path, _words(expected[path]), _words(seen[path])


def _is_below_nothing(path: str, form: Mapping[str, set[str]]) -> bool:
    """Returns whether a reply could not show the path: what it is part of is null, or a list without items."""
    above = [path[:end] for end in range(len(path)) if path[end] in ".["]
    return any(form.get(part) == {"null"} or (form.get(part) == {"list"} and f"{part}[]" not in form) for part in above)


def form_of(body: bytes) -> dict[str, set[str]]:
    """Returns path of each field in JSON or XML -> the types that its values have; lists are one path, `[]`.

    Raises:
        ValueError: It is neither.
    """
    form: dict[str, set[str]] = {}
    if body.lstrip()[:1] == b"<":
        try:
            found = _in_xml(ET.fromstring(body), "")
        except ET.ParseError as error:
            raise ValueError(str(error)) from error
    else:
        found = _in_json(json.loads(body), "$")
    for path, kind in found:
        form.setdefault(path, set()).add(kind)
    return form


_NAMES = {bool: "true or false", int: "number", float: "number", str: "text", type(None): "null", dict: "object"}


def _in_json(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        yield path, "list"
        yield from chain.from_iterable(_in_json(item, f"{path}[]") for item in value)
        return
    yield path, _NAMES[type(value)]
    if isinstance(value, dict) and not path.endswith("abstract_inverted_index"):  # whose keys are words
        yield from chain.from_iterable(_in_json(item, f"{path}.{name}") for name, item in value.items())


def _in_xml(element: ET.Element, path: str) -> Iterator[tuple[str, str]]:
    path = f"{path}/{element.tag}"
    yield path, "text" if (element.text or "").strip() else "element"
    yield from ((f"{path}/@{name}", "text") for name in element.attrib)
    yield from chain.from_iterable(_in_xml(child, path) for child in element)


def _media_type(reply: Received) -> str:
    return reply.headers.get("content-type", "none").partition(";")[0].strip()


def _words(types: set[str]) -> str:
    return " or ".join(sorted(types))


def as_issue(contact: Contact) -> str:
    """Returns the text of an issue: what differs, and what the clients made of it."""
    lines = [f"{contact.requests} requests; {len(contact.differences)} differences from the stand-ins", ""]
    lines += [
        f"- {each.service}, `{each.request}`: {each.what}: {each.found}, not {each.expected}"
        for each in contact.differences
    ]
    if contact.refused:
        lines += ["", "What the clients did not take:", "", *(f"- {sentence}" for sentence in contact.refused)]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Prints what differs; returns 1 if anything does."""
    with TemporaryDirectory() as name, StandIns() as standins:
        settings = Settings(lake=Path(name), tries=1)
        contact = compare_services(settings, standins)
    sys.stdout.write(as_issue(contact))
    return int(bool(contact.differences or contact.refused))


if __name__ == "__main__":
    sys.exit(main())

"""Reads changes since a day from arXiv over OAI-PMH, as rows of its metadata dump.

The protocol is https://www.openarchives.org/OAI/openarchivesprotocol.html, arXiv's use of it
https://info.arxiv.org/help/oa/index.html : records are selected by the day on which they were last changed, come in
pages, and each page names the next by a token that is good for a day. A page takes 29 to 90 seconds. Of arXiv's formats
`arXivRaw` is asked for: it has the days of all versions, where `arXiv` has that of the current one alone. It has the
authors in one text.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from xml.etree import ElementTree as ET

from pylatexenc.latex2text import LatexNodes2Text

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.names import without_others
from sources.bounds import LONGEST_NAME, cut
from sources.errors import IdentifierError, PayloadError, PermanentSourceError, TokenExpired
from sources.http.rate_limit import Pace
from sources.http.replies import UnsoundBody, status_error, unsound
from sources.http.retry import Attempts, RetryPolicy
from sources.http.transport import Limits, Transport
from sources.http.xml_replies import parse_xml
from sources.text import one_line

_TEX = LatexNodes2Text()
# What is beside a name and no part of it: a footnote's number or text.
_MARK = re.compile(r"\$[^$]*\$|\\(?:inst|thanks|footnote\w*|affil\w*|altaffil\w*|email)\b\s*(?:\{[^{}]*\})?")
_GROUP = r"(?:[Cc]ollaborations?|[Cc]onsortium|[Tt]eams?|[Gg]roups?|[Pp]roject|[Nn]etwork)\b"
_BEHALF = re.compile(rf"\b(?:on behalf of|representing|for)\s+(?=(?:the\s+)?[^,;:]*{_GROUP})", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\s*(?:[,;:]\s*(?:and|&)\s|[,;:]|\s(?:and|&)\s|\bwith (?:an? )?(?:appendix|appendices) by\s)\s*", re.IGNORECASE
)
_SUFFIX = re.compile(r"(?:[JS]r\.?|I{1,3}|I?V)")
_AROUND = " *+†‡§¶∗"  # marks of footnotes around a name


def parse_authors(text: str) -> tuple[str, ...]:
    """Returns the names of people and groups in their order, without affiliations and "et al."."""
    depth = 0
    outside = []
    for character in _decoded(" ".join(text.split())):
        depth += character == "("
        outside.append(character if depth == 0 else "")
        depth -= character == ")" and depth > 0
    plain = "".join(outside).replace(")", " ")
    names: list[str] = []
    for piece in _BETWEEN.split(_BEHALF.sub(", ", plain)):
        if names and _SUFFIX.fullmatch(piece.strip()):
            names[-1] += f" {piece.strip()}"
            continue
        name = " ".join(without_others(piece).removeprefix("and ").strip(_AROUND).split())
        if any(map(str.isalpha, name)):
            names.append(cut(name, LONGEST_NAME) or name)
    return tuple(names)


def _decoded(text: str) -> str:
    """Returns the text with letters in the place of TeX's commands for them."""
    if not any(mark in text for mark in "\\{$~"):
        return text
    bare = _MARK.sub(" ", text).replace("%", r"\%")
    return " ".join(str(_TEX.latex_to_text(bare)).split())


_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_RAW = "{http://arxiv.org/OAI/arXivRaw/}"
FORMAT = "arXivRaw"  # the format that is asked for, https://info.arxiv.org/help/oa/index.html#metadata-formats
_PREFIX = re.compile(r"oai:arXiv\.org:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class OaiPage:
    """One page of changes."""

    responded_at: datetime  # the server's own time of answering; the next update starts from that day
    rows: tuple[Mapping[str, Any], ...]  # papers new or changed, as rows of the metadata dump
    deleted: tuple[str, ...]  # base identifiers of papers taken away
    faults: tuple[PayloadError, ...]  # records that could not be read
    token: str | None  # asks for the next page; None on the last


def parse_page(body: bytes) -> OaiPage:
    """Returns what one reply to `ListRecords` says.

    Raises:
        TokenExpired: The server does not know the token any more.
        PermanentSourceError: The server refused the question otherwise.
        PayloadError: Not a whole OAI-PMH reply: cut off, HTML, or without its date.
    """
    root = _root(body)
    responded_at = _instant(root.findtext(f"{_OAI}responseDate"))
    error = root.find(f"{_OAI}error")
    if error is not None:
        code, said = error.get("code"), one_line(error.text) or "no reason given"
        if code == "noRecordsMatch":
            return OaiPage(responded_at=responded_at, rows=(), deleted=(), faults=(), token=None)
        kind = TokenExpired if code == "badResumptionToken" else PermanentSourceError
        raise kind(f'arXiv refused the update: "{said}" ({code})', source="arxiv")
    listed = root.find(f"{_OAI}ListRecords")
    if listed is None:
        raise unsound("arxiv", "an update without records", field="ListRecords")
    rows: list[Mapping[str, Any]] = []
    deleted: list[str] = []
    faults: list[PayloadError] = []
    for record in listed.findall(f"{_OAI}record"):
        try:
            _read(record, rows, deleted)
        except PayloadError as fault:
            faults.append(fault)
    token = one_line(listed.findtext(f"{_OAI}resumptionToken"))
    return OaiPage(
        responded_at=responded_at, rows=tuple(rows), deleted=tuple(deleted), faults=tuple(faults), token=token
    )


class OaiClient:
    """Asks for pages of changes, one request at a time.

    arXiv's one limit, which `pace` keeps, holds for all its services together. The server's own Retry-After is waited
    out within `retry`.
    """

    def __init__(
        self,
        url: str,
        *,
        pace: Pace,
        retry: RetryPolicy,
        contact: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.requests_sent = 0
        self._url = url
        self._pace = pace
        self._retry = retry
        self._sleep = sleep
        limits = Limits(read_s=180.0, whole_s=600.0, most_bytes=64 * 2**20)
        self._transport = Transport("arxiv", url=url, limits=limits, redirects="any", contact=contact)

    def close(self) -> None:
        """Closes the connection."""
        self._transport.close()
        self._pace.close()

    def pages(self, since: date, *, token: str | None = None) -> Iterator[OaiPage]:
        """Yields the pages of what has changed on `since` or later, from the one that `token` asks for.

        Raises:
            SourceError: A page could not be had in the end.
        """
        first = {"verb": "ListRecords", "metadataPrefix": FORMAT, "from": since.isoformat()}
        while True:
            query_parameters = {"verb": "ListRecords", "resumptionToken": token} if token else first
            page = self._page(query_parameters)
            yield page
            token = page.token
            if token is None:
                return

    def _page(self, parameters: Mapping[str, str]) -> OaiPage:
        attempts = Attempts(self._retry, sleep=self._sleep)
        while True:
            with attempts:
                with self._pace.turn(patience_s=self._retry.max_wait_s):
                    self.requests_sent += 1
                    received = self._transport.send("GET", self._url, params=parameters)
                    if received.status != 200:
                        raise status_error(received, source="arxiv", url=self._url)
                return parse_page(received.body)


def _root(body: bytes) -> ET.Element:
    try:
        root = parse_xml(body)
    except UnsoundBody as error:
        raise unsound("arxiv", f"no update, but {error}", field="body") from error
    if root.tag != f"{_OAI}OAI-PMH":
        raise unsound("arxiv", "no OAI-PMH reply", field="body")
    return root


def _read(record: ET.Element, rows: list[Mapping[str, Any]], deleted: list[str]) -> None:
    header = record.find(f"{_OAI}header")
    if header is None:
        raise PayloadError("a record without header", source="arxiv", field="header")
    arxiv_id = _arxiv_id(one_line(header.findtext(f"{_OAI}identifier")) or "")
    if header.get("status") == "deleted":
        deleted.append(arxiv_id)
        return
    element = record.find(f"{_OAI}metadata/{_RAW}arXivRaw")
    if element is None:
        raise PayloadError(f"{arxiv_id} without metadata", source="arxiv", record=arxiv_id, field="metadata")
    own = one_line(element.findtext(f"{_RAW}id"))
    if own is not None and _arxiv_id(own) != arxiv_id:
        raise PayloadError(f"{arxiv_id} with the metadata of {own}", source="arxiv", record=arxiv_id, field="id")
    rows.append(_row(element, arxiv_id, changed_on=one_line(header.findtext(f"{_OAI}datestamp"))))


def _arxiv_id(text: str) -> str:
    """Returns the base of an identifier written as `oai:arXiv.org:ID`, or as arXiv's own."""
    try:
        return ArxivId.parse(_PREFIX.sub("", text)).base
    except IdentifierError as error:
        raise PayloadError(f"a record without identifier: {text!r:.80}", source="arxiv", field="identifier") from error


def _row(element: ET.Element, arxiv_id: str, *, changed_on: str | None) -> dict[str, Any]:
    """Returns the record as a row of the dump; `changed_on` is the day on which arXiv last changed it."""
    names = ("title", "abstract", "comments", "journal-ref", "doi", "categories")
    return {name: element.findtext(f"{_RAW}{name}") for name in names} | {
        "id": arxiv_id,
        "versions": [
            {"version": version.get("version"), "created": one_line(version.findtext(f"{_RAW}date"))}
            for version in element.findall(f"{_RAW}version")
        ],
        "update_date": changed_on,
        "authors_parsed": [[name] for name in parse_authors(element.findtext(f"{_RAW}authors") or "")],
    }


def _instant(text: str | None) -> datetime:
    try:
        instant = datetime.fromisoformat((text or "").strip())
    except ValueError as error:
        raise unsound("arxiv", "an update without its date", field="responseDate") from error
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)

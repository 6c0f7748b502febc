"""arXiv's Atom feed -> records. Pure, strict, and light to import.

The form is that of https://info.arxiv.org/help/api/user-manual.html#_details_of_atom_results_returned . Two things
there look like answers and are not: an entry called "Error", and a feed that ends too soon.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

from sources.errors import IdentifierError, PayloadError, PermanentSourceError
from sources.identifiers import ArxivId, Doi
from sources.records import ArxivPaper, Reply
from sources.text import one_line

PARSER_VERSION = 1
"""Raised whenever the same reply would yield other records."""

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_ERRORS = "/api/errors"
_THING = r"(?:paper|article|submission|manuscript|preprint|e-?print|work|note|report|letter|version)"
_WITHDRAWN_COMMENT = re.compile(
    rf"^\W*(?:temporarily\s+)?withdrawn\b|\bwithdrawn\s+(?:by|from\s+arxiv)\b"
    rf"|\b{_THING}\s+(?:is|was|has\s+been|had\s+to\s+be|have\s+been)(?:\s+\w+)?\s+withdrawn\b|\b{_THING}\s+withdrawn\b",
    re.IGNORECASE,
)
_WITHDRAWN_ABSTRACT = re.compile(
    rf"^\W*(?:withdrawn\b|(?:this|the)\s+(?:\w+\s+)?{_THING}\s+(?:is|was|has\s+been|had\s+to\s+be)(?:\s+\w+)?\s+withdrawn\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """One page of an answer.

    Attributes:
        total: How many papers arXiv says the whole answer has.
        papers: The papers on this page, in feed order.
        faults: Entries that could not be read; `record` names them where they name themselves.
    """

    total: int
    papers: tuple[ArxivPaper, ...]
    faults: tuple[PayloadError, ...] = ()


def parse_feed(body: bytes) -> Feed:
    """Returns what a feed says.

    Raises:
        PayloadError: Not a whole Atom feed: cut off, HTML, empty, or without its totals.
        PermanentSourceError: The feed holds arXiv's word on an error instead of papers.
    """
    root = _root(body)
    entries = root.findall(f"{_ATOM}entry")
    for entry in entries:
        if _ERRORS in (_text(entry, f"{_ATOM}id") or ""):
            said = _text(entry, f"{_ATOM}summary") or "no reason given"
            raise PermanentSourceError(f'arXiv answered with an error entry: "{said}"', source="arxiv", status=400)
    papers: list[ArxivPaper] = []
    faults: list[PayloadError] = []
    for entry in entries:
        try:
            papers.append(_paper(entry))
        except PayloadError as fault:
            faults.append(fault)
    return Feed(total=_total(root), papers=tuple(papers), faults=tuple(faults))


def parse_reply(reply: Reply) -> tuple[ArxivPaper, ...]:
    """Returns the papers in a kept reply, read anew.

    Raises:
        SourceError: The reply holds no whole feed.
    """
    return parse_feed(reply.body).papers


def error_said(body: bytes) -> str:
    """Returns arXiv's own words in the body of a refusal, cut to what a log line bears; empty where it says nothing."""
    try:
        summary = _text(_root(body), f"{_ATOM}entry/{_ATOM}summary")
    except PayloadError:
        summary = one_line(re.sub(r"<[^>]*>", " ", body[:2_000].decode("utf-8", "replace")))
    return (summary or "")[:200]


def _root(body: bytes) -> ET.Element:
    # A document type is where entity bombs live; Atom has none, and HTML pages begin with one.
    if b"<!doctype" in body[:4_000].lower() or b"<!ENTITY" in body:
        raise _unsound("a page with a document type, HTML perhaps, instead of a feed")
    try:
        root = ET.fromstring(body)  # noqa: S314  (no document type, hence no entity to expand)
    except (ET.ParseError, ValueError, LookupError) as error:
        raise _unsound(f"no whole XML document ({error}; {len(body)} bytes)") from error
    if root.tag != f"{_ATOM}feed":
        raise _unsound(f"an XML document that is no Atom feed: {root.tag[:60]}")
    return root


def _total(root: ET.Element) -> int:
    text = _text(root, f"{_SEARCH}totalResults") or ""
    if not (text.isascii() and text.isdigit()):
        raise _unsound("a feed without totalResults", field="totalResults")
    return int(text[:18])


def _paper(entry: ET.Element) -> ArxivPaper:
    arxiv_id = _arxiv_id(entry)
    name = str(arxiv_id)
    title = _text(entry, f"{_ATOM}title")
    if title is None:
        raise _unsound(f"entry {name} without a <title>", record=arxiv_id.base, field="title")
    abstract, comment = _text(entry, f"{_ATOM}summary"), _text(entry, f"{_ARXIV}comment")
    primary = entry.find(f"{_ARXIV}primary_category")
    return ArxivPaper(
        arxiv_id=arxiv_id.base,
        version=arxiv_id.version,
        title=title,
        abstract=abstract,
        authors=_authors(entry),
        published_at=_instant(entry, "published", arxiv_id.base),
        updated_at=_instant(entry, "updated", arxiv_id.base),
        primary_category=None if primary is None else one_line(primary.get("term")),
        categories=_categories(entry),
        doi=_doi(_text(entry, f"{_ARXIV}doi")),
        journal_ref=_text(entry, f"{_ARXIV}journal_ref"),
        comment=comment,
        withdrawn=says_withdrawn(comment=comment, abstract=abstract),
    )


def says_withdrawn(*, comment: str | None, abstract: str | None) -> bool:
    """Returns whether a paper's comment, or the opening of its abstract, says that it was withdrawn.

    A withdrawn paper's page stays; only these words tell (https://info.arxiv.org/help/withdraw.html).
    """
    return bool(_WITHDRAWN_COMMENT.search(comment or "") or _WITHDRAWN_ABSTRACT.search((abstract or "")[:300]))


def _arxiv_id(entry: ET.Element) -> ArxivId:
    address = _text(entry, f"{_ATOM}id")
    if address is None:
        raise _unsound("an entry without an <id>", field="id")
    try:
        return ArxivId.parse(address.split("/abs/")[-1])
    except IdentifierError as error:
        raise _unsound(f"an entry whose <id> is no arXiv identifier: {address[:100]}", field="id") from error


def _authors(entry: ET.Element) -> tuple[str, ...]:
    names = [one_line(name.text) for name in entry.findall(f"{_ATOM}author/{_ATOM}name")]
    return tuple(name for name in names if name)


def _categories(entry: ET.Element) -> tuple[str, ...]:
    terms = [one_line(category.get("term")) for category in entry.findall(f"{_ATOM}category")]
    return tuple(dict.fromkeys(term for term in terms if term))


def _instant(entry: ET.Element, name: str, record: str) -> datetime | None:
    text = _text(entry, f"{_ATOM}{name}")
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _unsound(
            f"entry {record} with a <{name}> that is no date: {text[:40]}", record=record, field=name
        ) from error


def _doi(text: str | None) -> str | None:
    """Returns the first sound DOI of what the authors wrote: some wrote two, some wrote none."""
    for word in (text or "").replace(",", " ").split():
        try:
            return Doi.parse(word).value
        except IdentifierError:
            continue
    return None


def _text(element: ET.Element, path: str) -> str | None:
    found = element.find(path)
    return None if found is None else one_line(found.text)


def _unsound(what: str, *, record: str = "", field: str = "") -> PayloadError:
    return PayloadError(f"arXiv sent {what}", source="arxiv", record=record, field=field)

"""Parses arXiv's Atom feed into records. Pure, strict, and light to import.

The form is that of https://info.arxiv.org/help/api/user-manual.html#_details_of_atom_results_returned . Two things
there look like answers and are not: an entry called "Error", and a feed that ends too soon.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import partial
from xml.etree import ElementTree as ET

from sources.bibliography.identifiers import ArxivId, Doi
from sources.bounds import LONGEST_ABSTRACT, LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS, cut, is_past
from sources.clock import utc_today
from sources.errors import IdentifierError, PayloadError, PermanentSourceError
from sources.http.queries import Page, plain_words
from sources.http.replies import UnsoundBody, unsound
from sources.http.xml_replies import parse_xml
from sources.records import ArxivPaper, Reply
from sources.text import counted, one_line

PARSER_VERSION = 3  # raised whenever the same reply would yield other records

_unsound = partial(unsound, "arxiv")
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_ERRORS = "/api/errors"
_LONGEST_HELD_UP = 36  # months
_DAYS_APART = timedelta(days=31)  # between first days of one paper; less may be due to time zones and rounding
_LAST_OF_OLD_STYLE = date(2007, 4, 1)  # in UTC; from that month on identifiers are of the new style
_FIRST_DAY = date(1985, 1, 1)  # some papers were taken over into arXiv from older archives, and bear the dates of those
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


def parse_feed(body: bytes, *, today: date | None = None) -> Page[ArxivPaper]:
    """Returns what a feed says.

    `today` is the day on which it came, by which dates are held plausible; None is the present day.

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
            papers.append(_paper(entry, today or utc_today()))
        except PayloadError as fault:
            fault.text = _text(entry, f"{_ATOM}title") or ""
            faults.append(fault)
    # Of a paper the feed may say two things: two titles of one version, or two first days.
    titles: dict[tuple[str, int | None], str] = {}
    firsts: dict[str, datetime] = {}
    clashing: set[str] = set()
    for paper in papers:
        title = plain_words(paper.title)
        if titles.setdefault((paper.arxiv_id, paper.version), title) != title:
            clashing.add(paper.arxiv_id)
        first = paper.published_at
        if first and abs(firsts.setdefault(paper.arxiv_id, first) - first) > _DAYS_APART:
            clashing.add(paper.arxiv_id)
    faults += [
        _unsound(f"two records that are both {paper.arxiv_id}", record=paper.arxiv_id, field="id", text=paper.title)
        for paper in papers
        if paper.arxiv_id in clashing
    ]
    sound = tuple(paper for paper in papers if paper.arxiv_id not in clashing)
    return Page(total=_total(root), papers=sound, faults=tuple(faults))


def parse_reply(reply: Reply) -> tuple[ArxivPaper, ...]:
    """Returns the papers in a stored reply, read anew.

    Raises:
        SourceError: The reply holds no whole feed.
    """
    return parse_feed(reply.body, today=reply.fetched_at.date()).papers


def error_said(body: bytes) -> str:
    """Returns arXiv's own words in the body of a refusal, cut to what a log line bears; empty where it says nothing."""
    try:
        summary = _text(_root(body), f"{_ATOM}entry/{_ATOM}summary")
    except PayloadError:
        summary = one_line(re.sub(r"<[^>]*>", " ", body[:2_000].decode("utf-8", "replace")))
    return (summary or "")[:200]


def _root(body: bytes) -> ET.Element:
    try:
        root = parse_xml(body)
    except UnsoundBody as error:
        raise _unsound(f"no feed, but {error}") from error
    if root.tag != f"{_ATOM}feed":
        raise _unsound(f"an XML document that is no Atom feed: {root.tag[:60]}")
    return root


def _total(root: ET.Element) -> int:
    text = _text(root, f"{_SEARCH}totalResults") or ""
    if not (text.isascii() and text.isdigit()):
        raise _unsound("a feed without totalResults", field="totalResults")
    return int(text[:18])


def _paper(entry: ET.Element, today: date) -> ArxivPaper:
    arxiv_id = _arxiv_id(entry)
    name = str(arxiv_id)
    title = _text(entry, f"{_ATOM}title")
    if title is None:
        raise _unsound(f"entry {name} without a <title>", record=arxiv_id.base, field="title")
    if len(title) > LONGEST_TITLE:
        raise _unsound(f"entry {name} with a title of {len(title)} characters", record=arxiv_id.base, field="title")
    abstract, comment = _text(entry, f"{_ATOM}summary"), _text(entry, f"{_ARXIV}comment")
    primary = entry.find(f"{_ARXIV}primary_category")
    published = _instant(entry, "published", arxiv_id.base, today)
    _refuse_other_month(arxiv_id, published)
    terms = [one_line(category.get("term")) for category in entry.findall(f"{_ATOM}category")]
    return ArxivPaper(
        arxiv_id=arxiv_id.base,
        version=arxiv_id.version,
        title=title,
        abstract=cut(abstract, LONGEST_ABSTRACT),
        authors=_authors(entry, arxiv_id.base),
        published_at=published,
        updated_at=_instant(entry, "updated", arxiv_id.base, today),
        primary_category=None if primary is None else one_line(primary.get("term")),
        categories=tuple(dict.fromkeys(term for term in terms if term)),
        doi=Doi.first_in(_text(entry, f"{_ARXIV}doi") or ""),
        journal_ref=_text(entry, f"{_ARXIV}journal_ref"),
        comment=comment,
        withdrawn=says_withdrawn(comment=comment, abstract=abstract),
    )


def _refuse_other_month(arxiv_id: ArxivId, published: datetime | None) -> None:
    """Refuses an entry whose first version came out in another time than its identifier was given.

    Identifiers since April 2007 tell the month in which they were given: that of submission, or a later one where a
    paper was held up. Of 276,000 none was given more than 21 months later, or more than one before. Older ones were
    given until then; some tell of a year long before, as papers were taken over from elsewhere.
    """
    if published is None:
        return
    if arxiv_id.month is None:
        is_another = published.date() > _LAST_OF_OLD_STYLE
    else:
        held_up = 12 * arxiv_id.year + arxiv_id.month - (12 * published.year + published.month)
        is_another = not -1 <= held_up <= _LONGEST_HELD_UP
    if is_another:
        what = f"entry {arxiv_id} that was published on {published:%Y-%m-%d}"
        raise _unsound(what, record=arxiv_id.base, field="published")


def says_withdrawn(*, comment: str | None, abstract: str | None) -> bool | None:
    """Returns whether a paper's comment, or the opening of its abstract, says that it was withdrawn.

    None where the comment does not say so and the abstract, which might, is not there.
    A withdrawn paper's page stays; only these words tell (https://info.arxiv.org/help/withdraw.html).
    """
    if _WITHDRAWN_COMMENT.search(comment or ""):
        return True
    return None if abstract is None else _WITHDRAWN_ABSTRACT.search(abstract[:300]) is not None


def _arxiv_id(entry: ET.Element) -> ArxivId:
    address = _text(entry, f"{_ATOM}id")
    if address is None:
        raise _unsound("an entry without an <id>", field="id")
    try:
        return ArxivId.parse(address.split("/abs/")[-1])
    except IdentifierError as error:
        raise _unsound(f"an entry whose <id> is no arXiv identifier: {address[:100]}", field="id") from error


def _authors(entry: ET.Element, record: str) -> tuple[str, ...]:
    elements = entry.findall(f"{_ATOM}author/{_ATOM}name")
    if len(elements) > MOST_AUTHORS:
        raise _unsound(f"entry {record} with {counted(len(elements), 'author')}", record=record, field="author")
    names = [cut(one_line(name.text), LONGEST_NAME) for name in elements]
    return tuple(name for name in names if name)


def _instant(entry: ET.Element, name: str, record: str, today: date) -> datetime | None:
    text = _text(entry, f"{_ATOM}{name}")
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
        instant = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise _unsound(
            f"entry {record} with a <{name}> that is no date: {text[:40]}", record=record, field=name
        ) from error
    if not (instant.date() >= _FIRST_DAY and is_past(instant.date(), today=today)):
        raise _unsound(f"entry {record} with a <{name}> of {text[:40]}", record=record, field=name)
    return instant


def _text(element: ET.Element, path: str) -> str | None:
    found = element.find(path)
    return None if found is None else one_line(found.text)

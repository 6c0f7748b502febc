"""What Semantic Scholar sends -> records. Pure, strict, and light to import.

The form is that of https://api.semanticscholar.org/api-docs/graph . None means "not told": a count that is absent or
null never becomes zero, and a null entry is told apart from an entry that cannot be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sources.errors import PayloadError
from sources.http.replies import read_json, read_object, refusal_words
from sources.http.transport import read_request_key
from sources.records import Reply, S2Paper
from sources.semantic_scholar.record import parse_entry, unsound

PARSER_VERSION = 4
"""Raised whenever the same reply would yield other records."""

FIELDS = (
    "paperId", "corpusId", "externalIds", "title", "abstract", "authors", "year", "publicationDate", "venue",
    "fieldsOfStudy", "s2FieldsOfStudy", "openAccessPdf", "citationCount", "influentialCitationCount", "referenceCount",
)  # fmt: skip
"""What is asked for; every endpoint used here serves all of them."""

BATCH, BULK, MATCH = "paper/batch", "paper/search/bulk", "paper/search/match"
"""The endpoints, as request keys name them."""

Entry = S2Paper | PayloadError | None
"""One entry of a batch: a paper, one that could not be read, or the service's null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """One page of a bulk search.

    Attributes:
        total: How many papers the service says the whole answer has.
        token: Asks for the next page; None on the last.
        papers: The papers on this page.
        faults: Entries that could not be read.
    """

    total: int
    token: str | None
    papers: tuple[S2Paper, ...]
    faults: tuple[PayloadError, ...] = ()


def parse_batch(body: bytes, *, today: date | None = None) -> tuple[Entry, ...]:
    """Returns the entries of a batch reply, in the reply's order.

    Args:
        body: The reply's body.
        today: The day on which it came, by which years and dates are held plausible; None is the present day.

    Raises:
        PayloadError: Not a JSON list.
    """
    entries = read_json(body, source="s2")
    if not isinstance(entries, list):
        raise unsound("a batch reply that is no list")
    return tuple(None if entry is None else parse_entry(entry, today) for entry in entries)


def parse_search(body: bytes, *, today: date | None = None) -> SearchPage:
    """Returns one page of a bulk search; a search without hits may lack `data`; `today` as in `parse_batch`.

    Raises:
        PayloadError: Not a JSON object with `total` and, where there are hits, `data`.
    """
    page = read_object(body, source="s2")
    total = page.whole_number("total")
    if total is None:
        raise unsound("a search reply without a total", field="total")
    entries, token = page.values.get("data", [] if total == 0 else None), page.values.get("token")
    if not isinstance(entries, list):
        raise unsound("a search reply without data", field="data")
    if token is not None and not isinstance(token, str):
        raise unsound("a search reply whose token is no text", field="token")
    read = [parse_entry(entry, today) for entry in entries]
    return SearchPage(
        total=total,
        token=token or None,
        papers=tuple(paper for paper in read if isinstance(paper, S2Paper)),
        faults=tuple(fault for fault in read if isinstance(fault, PayloadError)),
    )


def parse_match(body: bytes, *, today: date | None = None) -> S2Paper | None:
    """Returns the paper of a title match; `today` as in `parse_batch`.

    No match is a 404 or, as https://github.com/Future-House/paper-qa has met it, an empty list: then it is None.

    Raises:
        PayloadError: Not a JSON object with one readable paper, or an empty list, in `data`.
    """
    entries = read_object(body, source="s2").values.get("data")
    if not isinstance(entries, list):
        raise unsound("a title match without data", field="data")
    if not entries:
        return None
    paper = parse_entry(entries[0], today)
    if isinstance(paper, PayloadError):
        raise paper
    return paper


def parse_reply(reply: Reply) -> tuple[S2Paper, ...]:
    """Returns the papers in a kept reply, read anew; a kept refusal holds none.

    Raises:
        PayloadError: The reply is not what its question asked for.
    """
    endpoint = read_request_key(reply)["endpoint"]
    if reply.status != 200:
        return ()
    today = reply.fetched_at.date()
    if endpoint == BATCH:
        return tuple(entry for entry in parse_batch(reply.body, today=today) if isinstance(entry, S2Paper))
    if endpoint == MATCH:
        paper = parse_match(reply.body, today=today)
        return (paper,) if paper else ()
    return parse_search(reply.body, today=today).papers


def error_said(body: bytes) -> str:
    """Returns the service's own words in the body of a refusal, cut to what a log line bears."""
    return next(iter(refusal_words(body)), "")

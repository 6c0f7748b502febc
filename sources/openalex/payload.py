"""Pages of works that OpenAlex sends -> records. Pure, strict, and light to import.

The envelope is that of https://help.openalex.org/api/introduction : `meta.count` and `results`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sources.clock import utc_today
from sources.errors import PayloadError
from sources.http.replies import read_object, refusal_words
from sources.http.transport import read_request_key
from sources.openalex.record import OpenAlexWork, parse_entry, title_of, unsound
from sources.records import Reply

PARSER_VERSION = 1
"""Raised whenever the same reply would yield other records."""

FIELDS = (
    "id", "doi", "title", "publication_year", "publication_date", "type", "cited_by_count", "counts_by_year",
    "referenced_works", "referenced_works_count", "authorships", "topics", "is_retracted", "open_access",
    "primary_location", "locations",
)  # fmt: skip
"""What is asked for; `select` takes fields of the first level: https://help.openalex.org/api/selecting-fields ."""

OUTSIDE_FIELDS = (
    "id", "doi", "title", "publication_year", "type", "cited_by_count", "referenced_works", "referenced_works_count",
    "authorships", "is_retracted", "primary_location", "locations",
)  # fmt: skip
"""What is asked for of works that no list names."""

WORKS = "works"
"""The endpoint, as request keys name it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksPage:
    """One page of works.

    Attributes:
        total: How many works the service says the whole answer has.
        works: Those on this page.
        faults: Entries that could not be read; `record` is their DOI, else their identifier, where they tell one.
        fault_titles: The title of each of those entries, empty where it tells none.
        is_partial: Whether the service's time was up, so that works may be missing that it has: after five seconds it
            sends with status 200 what it has found, and counts that.
    """

    total: int
    works: tuple[OpenAlexWork, ...]
    faults: tuple[PayloadError, ...] = ()
    fault_titles: tuple[str, ...] = ()
    is_partial: bool = False


def parse_works(body: bytes, *, today: date | None = None, by_id: bool = False) -> WorksPage:
    """Returns a page of works.

    Args:
        body: The reply's body.
        today: The day on which it came, by which years and dates are held plausible; None is the present day.
        by_id: Whether faults name entries by their identifiers, instead of by their DOIs.

    Raises:
        PayloadError: Not a JSON object with `meta.count` and `results`, or with fewer or more results than it counts.
    """
    page = read_object(body, source="openalex")
    meta, entries = page.object("meta"), page.values.get("results")
    total = meta.whole_number("count")
    if total is None or not isinstance(entries, list):
        raise unsound("a reply without meta.count or results", field="results")
    read = [parse_entry(entry, today or utc_today(), by_id=by_id) for entry in entries]
    return WorksPage(
        total=total,
        works=tuple(item for item in read if isinstance(item, OpenAlexWork)),
        faults=tuple(item for item in read if isinstance(item, PayloadError)),
        fault_titles=tuple(
            title_of(entry) for entry, item in zip(entries, read, strict=True) if isinstance(item, PayloadError)
        ),
        is_partial=meta.flag("timed_out") or False,
    )


def parse_reply(reply: Reply) -> tuple[OpenAlexWork, ...]:
    """Returns the works in a kept reply, read anew; a kept refusal holds none, nor a page of links between works.

    Raises:
        PayloadError: The reply is not what its question asked for.
    """
    has_works = reply.status == 200 and "cites" not in read_request_key(reply)
    return parse_works(reply.body, today=reply.fetched_at.date()).works if has_works else ()


def error_said(body: bytes) -> str:
    """Returns the service's own words in the body of a refusal, cut to what a log line bears."""
    return ": ".join(refusal_words(body))[:200]

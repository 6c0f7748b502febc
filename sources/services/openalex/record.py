"""Parses works of OpenAlex into `OpenAlexWork`. Pure and strict: None means "not told".

The form is that of https://help.openalex.org/data/works/attributes, /data/authorships and /data/locations , and of a
page https://help.openalex.org/api/introduction . Works may lack references
(https://github.com/ourresearch/OpenAlex/issues/7), and citations by year may differ from the citations
(https://github.com/ropensci/openalexR/issues/115): neither is a fault of a record.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any

from sources.bibliography.identifiers import identifier_in
from sources.bounds import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS
from sources.clock import utc_today
from sources.errors import PayloadError
from sources.http import replies
from sources.http.replies import JsonObject, read_object, read_request_key
from sources.records import Reply
from sources.text import one_line

PARSER_VERSION = 1  # raised whenever the same reply would yield other records

# What is asked for; `select` takes fields of the first level: https://help.openalex.org/api/selecting-fields .
FIELDS = (
    "id", "doi", "title", "publication_year", "publication_date", "type", "cited_by_count", "counts_by_year",
    "referenced_works", "referenced_works_count", "authorships", "topics", "is_retracted", "open_access",
    "primary_location", "locations",
)  # fmt: skip

# What is asked for of works that no list names.
OUTSIDE_FIELDS = (
    "id", "doi", "title", "publication_year", "type", "cited_by_count", "referenced_works", "referenced_works_count",
    "authorships", "is_retracted", "primary_location", "locations",
)  # fmt: skip

WORKS = "works"  # the endpoint, as request keys name it


@dataclass(frozen=True, slots=True, kw_only=True)
class WorksPage:
    """One page of works."""

    total: int  # how many works the service says the whole answer has
    works: tuple[OpenAlexWork, ...]  # those on this page
    # entries that could not be read; `record` is their DOI, else their identifier, where they tell one
    faults: tuple[PayloadError, ...] = ()
    fault_titles: tuple[str, ...] = ()  # the title of each of those entries, empty where it has none
    # whether the service's time was up, so that works may be missing that it has: after five seconds it sends with
    # status 200 what it has found, and counts that
    is_partial: bool = False


def parse_works(body: bytes, *, today: date | None = None, by_id: bool = False) -> WorksPage:
    """Returns a page of works.

    `today` is the day on which it came, by which years and dates are held plausible; None is the present day. Faults
    name entries by their DOIs, or `by_id`.

    Raises:
        PayloadError: Not a JSON object with `meta.count` and `results`, or with fewer or more results than it counts.
    """
    page = read_object(body, source="openalex")
    meta, entries = page.object("meta"), page.values.get("results")
    total = meta.whole_number("count")
    if total is None or not isinstance(entries, list):
        raise unsound("a reply without meta.count or results", field="results")
    read = [parse_entry(entry, today or utc_today(), by_id=by_id) for entry in entries]
    unread = [entry for entry, item in zip(entries, read, strict=True) if isinstance(item, PayloadError)]
    titles = [_title(entry.get("title")) if isinstance(entry, dict) else None for entry in unread]
    return WorksPage(
        total=total,
        works=tuple(item for item in read if isinstance(item, OpenAlexWork)),
        faults=tuple(item for item in read if isinstance(item, PayloadError)),
        fault_titles=tuple((title or "")[:LONGEST_TITLE] for title in titles),
        is_partial=meta.flag("timed_out") or False,
    )


def parse_reply(reply: Reply) -> tuple[OpenAlexWork, ...]:
    """Returns the works in a stored reply, read anew; a stored refusal holds none, nor a page of links between works.

    Raises:
        PayloadError: The reply is not what its question asked for.
    """
    has_works = reply.status == 200 and "cites" not in read_request_key(reply)
    return parse_works(reply.body, today=reply.fetched_at.date()).works if has_works else ()


_MOST_LISTED = 10_000  # references, locations or years of one work, beyond which it is none
_ID = re.compile(r"(?:https?://openalex\.org/)?(?P<id>[A-Z][1-9]\d{0,17})", re.IGNORECASE)
_ARXIV_PAGE = re.compile(r"https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/(?P<id>[^?#]+?)(?:v\d+)?(?:\.pdf)?", re.IGNORECASE)
_MARKUP = re.compile(
    r"</?(?:i|b|u|em|strong|su[bp]|inf|scp|tt|span|italic|bold|(?:mml|jats):[a-z-]+)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_ARXIV_DOI = "10.48550/arxiv."
# What means something in a filter, even where it is encoded: https://github.com/ropensci/openalexR/issues/254 .
_UNASKABLE = frozenset('|,+"!*\\ ')

unsound = partial(replies.unsound, "openalex")  # returns the error of a reply that is not what OpenAlex promises


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkAuthor:
    """One author of a work (an `authorship`)."""

    name: str  # as the work prints it, else as OpenAlex writes it
    author_id: str | None = None  # openAlex's identifier of the person, such as `A5023888391`
    orcid: str | None = None  # the person's ORCID, without the address
    institutions: tuple[str, ...] = ()  # names of the institutions that the work gives for this author


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLocation:
    """One place where a work can be found."""

    url: str | None = None  # its page
    version: str | None = None  # `publishedVersion`, `acceptedVersion` or `submittedVersion`
    venue: str | None = None  # the journal, conference or repository
    venue_kind: str | None = None  # `journal`, `conference`, `book series`, `repository` or the like
    is_open: bool | None = None  # whether it can be read there for nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAlexWork:
    """A work as OpenAlex describes it: a paper with its preprint and other versions, as far as it knows them as one."""

    work_id: str  # such as `W2741809807`; may change when works are merged
    doi: str | None = None  # the published version's, else the only one
    # all by which the record answers: its own, and those of its locations, arXiv's among them
    dois: frozenset[str] = frozenset()
    title: str
    year: int | None = None
    published_on: date | None = None
    kind: str | None = None  # `article`, `preprint`, `book-chapter`,
    citation_count: int | None = None  # inbound citations when asked
    # year -> citations in it, of the last ten years; a year without any is left out
    citations_by_year: Mapping[int, int] = field(default_factory=dict)
    references: tuple[str, ...] = ()  # identifiers of the works that it cites
    reference_count: int | None = None  # how many those are
    authors: tuple[WorkAuthor, ...] = ()  # the first hundred
    topics: tuple[str, ...] = ()  # names, the likeliest first
    retracted: bool | None = None  # whether OpenAlex knows it as retracted
    open_access: str | None = None  # `diamond`, `gold`, `green`, `hybrid`, `bronze` or `closed`
    open_url: str | None = None  # where it can be read for nothing
    primary: WorkLocation | None = None  # the location nearest to the version of record
    locations: tuple[WorkLocation, ...] = ()  # all of them


def parse_entry(entry: Any, today: date, *, by_id: bool = False) -> OpenAlexWork | PayloadError:
    """Returns the work that an entry of a page describes, or why it is not believed.

    The fault's `record` is the entry's DOI, else its identifier, where it has one; the latter alone if `by_id`.
    """
    if not isinstance(entry, dict):
        return unsound("an entry that is no object")
    doi = _doi(entry.get("doi"))
    try:
        work_id, title = _openalex_id(entry.get("id"), "W"), _title(entry.get("title"))
        if work_id is None:
            raise unsound("an entry without an identifier of a work", field="id")
        if title is None or len(title) > LONGEST_TITLE:
            raise unsound(
                f"work {work_id} without a title, or with one beyond all measure", record=work_id, field="title"
            )
        fields = JsonObject(values=entry, source="openalex", name=f"work {work_id}", record=work_id)
        locations = tuple(map(_location, fields.objects("locations", most=_MOST_LISTED)))
        access, primary = fields.object("open_access"), fields.object("primary_location")
        names = {doi, *(location_doi(item) for item in (*locations, _location(primary)))}
        references = parse_references(fields)
        return OpenAlexWork(
            work_id=work_id,
            doi=doi,
            dois=frozenset(name for name in names if name),
            title=title,
            year=fields.year("publication_year", today=today),
            published_on=fields.day("publication_date", today=today),
            kind=fields.text("type", most=LONGEST_NAME),
            citation_count=fields.count("cited_by_count"),
            citations_by_year=_by_year(fields, today),
            references=references,
            # A zero is not told: lists of references are known to be lost.
            reference_count=fields.count("referenced_works_count") or len(references) or None,
            authors=tuple(_authors(fields)),
            topics=tuple(filter(None, map(_name, fields.objects("topics", most=_MOST_LISTED)))),
            retracted=fields.flag("is_retracted"),
            open_access=access.text("oa_status", most=LONGEST_NAME),
            open_url=_address(access.values.get("oa_url")),
            primary=_location(primary) if primary.values else None,
            locations=locations,
        )
    except PayloadError as fault:
        fault.record = (None if by_id else doi) or fault.record
        return fault


def arxiv_doi(arxiv_id: str) -> str:
    """Returns the DOI that arXiv gives to a paper: https://info.arxiv.org/help/doi.html ."""
    return f"{_ARXIV_DOI}{arxiv_id.lower()}"


def is_askable(doi: str) -> bool:
    """Returns whether a DOI can be written into a filter."""
    return bool(doi) and _UNASKABLE.isdisjoint(doi) and doi.isascii() and doi.isprintable()


def _title(value: Any) -> str | None:
    """Returns a title without the mark-up of its publisher."""
    return one_line(html.unescape(_MARKUP.sub("", value))) if isinstance(value, str) else None


def _authors(fields: JsonObject) -> Sequence[WorkAuthor]:
    found = []
    for item in fields.objects("authorships", most=MOST_AUTHORS):
        person = item.object("author")
        name = item.text("raw_author_name", most=LONGEST_NAME) or _name(person)
        if name is None:
            continue
        institutions = map(_name, item.objects("institutions", most=_MOST_LISTED))
        orcid = one_line(person.values.get("orcid"))
        found.append(
            WorkAuthor(
                name=name,
                author_id=_openalex_id(person.values.get("id"), "A"),
                orcid=orcid and orcid.rpartition("/")[2][:40],
                institutions=tuple(dict.fromkeys(place for place in institutions if place)),
            )
        )
    return found


def _by_year(fields: JsonObject, today: date) -> dict[int, int]:
    counts: dict[int, int] = {}
    for item in fields.objects("counts_by_year", most=_MOST_LISTED):
        year, count = item.year("year", today=today), item.count("cited_by_count")
        if year is None or count is None or year in counts:
            raise fields.unsound("with counts of no year, or twice of one", field="counts_by_year")
        counts[year] = count
    return counts


def parse_references(fields: JsonObject) -> tuple[str, ...]:
    """Returns the identifiers of the works that a work cites, itself left out.

    Raises:
        PayloadError: They are none.
    """
    listed = fields.values.get("referenced_works") or []
    found = [_openalex_id(item, "W") for item in listed] if isinstance(listed, list) else [None]
    if len(found) > _MOST_LISTED or None in found:
        raise fields.unsound("whose references are none", field="referenced_works")
    return tuple(dict.fromkeys(item for item in found if item and item != fields.record))


def work_id_of(value: Any) -> str | None:
    """Returns the identifier of a work that an address or a text is, None where it is none."""
    return _openalex_id(value, "W")


def _location(item: JsonObject) -> WorkLocation:
    venue = item.object("source")
    return WorkLocation(
        url=_address(item.values.get("landing_page_url")),
        version=item.text("version", most=LONGEST_NAME),
        venue=_name(venue),
        venue_kind=venue.text("type", most=LONGEST_NAME),
        is_open=item.flag("is_oa"),
    )


def location_doi(location: WorkLocation) -> str | None:
    """Returns the DOI of a location whose page is that of a DOI or arXiv's."""
    match = _ARXIV_PAGE.fullmatch(location.url or "")
    return arxiv_doi(match["id"]) if match else _doi(location.url) if "doi.org/" in (location.url or "") else None


def _doi(value: Any) -> str | None:
    found = identifier_in("doi", one_line(value) or "")
    return found.value if found else None


def _openalex_id(value: Any, letter: str) -> str | None:
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    found = match["id"].upper() if match else None
    return found if found and found.startswith(letter) else None


def _address(value: Any) -> str | None:
    text = one_line(value)
    return text if text and text.lower().startswith(("http://", "https://")) and len(text) <= LONGEST_TITLE else None


def _name(item: JsonObject) -> str | None:
    return item.text("display_name", most=LONGEST_NAME)

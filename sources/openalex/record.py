"""One work of OpenAlex, decoded JSON -> `OpenAlexWork`. Pure and strict: None means "not told".

The form is that of https://help.openalex.org/data/works/attributes, /data/authorships and /data/locations . Works may
lack references (https://github.com/ourresearch/OpenAlex/issues/7), and citations by year may differ from the citations
(https://github.com/ropensci/openalexR/issues/115): neither is a fault of a record.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sources.bibliography.identifiers import Doi
from sources.bounds import LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS, cut, is_count, is_past, is_year
from sources.errors import IdentifierError, PayloadError
from sources.text import one_line

_MOST_LISTED = 10_000
"""References, locations or years of one work, beyond which it is none."""
_ID = re.compile(r"(?:https?://openalex\.org/)?(?P<id>[A-Z][1-9]\d{0,17})", re.IGNORECASE)
_ARXIV_PAGE = re.compile(r"https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/(?P<id>[^?#]+?)(?:v\d+)?(?:\.pdf)?", re.IGNORECASE)
_MARKUP = re.compile(
    r"</?(?:i|b|u|em|strong|su[bp]|inf|scp|tt|span|italic|bold|(?:mml|jats):[a-z-]+)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_ARXIV_DOI = "10.48550/arxiv."


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkAuthor:
    """One author of a work (an `authorship`).

    Attributes:
        name: As the work prints it, else as OpenAlex writes it.
        author_id: OpenAlex's identifier of the person, such as `A5023888391`.
        orcid: The person's ORCID, without the address.
        institutions: Names of the institutions that the work gives for this author.
    """

    name: str
    author_id: str | None = None
    orcid: str | None = None
    institutions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLocation:
    """One place where a work can be found.

    Attributes:
        url: Its page.
        version: `publishedVersion`, `acceptedVersion` or `submittedVersion`.
        venue: The journal, conference or repository.
        is_open: Whether it can be read there for nothing.
    """

    url: str | None = None
    version: str | None = None
    venue: str | None = None
    is_open: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAlexWork:
    """A work as OpenAlex describes it: a paper with its preprint and other versions, as far as it knows them as one.

    Attributes:
        work_id: Such as `W2741809807`; may change when works are merged.
        doi: The published version's, else the only one.
        dois: All by which the record answers: its own, and those of its locations, arXiv's among them.
        kind: `article`, `preprint`, `book-chapter`, ...
        citation_count: Inbound citations when asked.
        citations_by_year: Year -> citations in it, of the last ten years; a year without any is left out.
        references: Identifiers of the works that it cites.
        reference_count: How many those are.
        authors: The first hundred.
        topics: Names, the likeliest first.
        retracted: Whether OpenAlex knows it as retracted.
        open_access: `diamond`, `gold`, `green`, `hybrid`, `bronze` or `closed`.
        open_url: Where it can be read for nothing.
        primary: The location nearest to the version of record.
        locations: All of them.
    """

    work_id: str
    doi: str | None = None
    dois: frozenset[str] = frozenset()
    title: str
    year: int | None = None
    published_on: date | None = None
    kind: str | None = None
    citation_count: int | None = None
    citations_by_year: Mapping[int, int] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    reference_count: int | None = None
    authors: tuple[WorkAuthor, ...] = ()
    topics: tuple[str, ...] = ()
    retracted: bool | None = None
    open_access: str | None = None
    open_url: str | None = None
    primary: WorkLocation | None = None
    locations: tuple[WorkLocation, ...] = ()


def parse_entry(entry: Any, today: date) -> OpenAlexWork | PayloadError:
    """Returns the work that an entry of a page describes, or why it is not believed.

    The fault's `record` is the entry's DOI, else its identifier, where it tells one.
    """
    if not isinstance(entry, dict):
        return unsound("an entry that is no object")
    doi = _doi(entry.get("doi"))
    try:
        return _work(entry, doi, today)
    except PayloadError as fault:
        fault.record = doi or fault.record
        return fault


def arxiv_doi(arxiv_id: str) -> str:
    """Returns the DOI that arXiv gives to a paper: https://info.arxiv.org/help/doi.html ."""
    return f"{_ARXIV_DOI}{arxiv_id.lower()}"


def unsound(what: str, *, record: str = "", field: str = "") -> PayloadError:
    """Returns the error of a reply that is not what OpenAlex promises."""
    return PayloadError(f"OpenAlex sent {what}", source="openalex", record=record, field=field)


def _work(entry: Mapping[str, Any], doi: str | None, today: date) -> OpenAlexWork:
    work_id, title = _openalex_id(entry.get("id"), "W"), _title(entry.get("title"))
    if work_id is None:
        raise unsound("an entry without an identifier of a work", field="id")
    if title is None or len(title) > LONGEST_TITLE:
        raise unsound(f"work {work_id} without a title, or with one beyond all measure", record=work_id, field="title")
    locations = tuple(_location(item, work_id) for item in _objects(entry, "locations", work_id))
    access = mapping(entry, "open_access", work_id)
    primary = mapping(entry, "primary_location", work_id)
    names = {doi, *(_location_doi(item) for item in (*locations, _location(primary, work_id)))}
    references = _references(entry, work_id)
    return OpenAlexWork(
        work_id=work_id,
        doi=doi,
        dois=frozenset(name for name in names if name),
        title=title,
        year=_year(entry, "publication_year", work_id, today),
        published_on=_day(entry, work_id, today),
        kind=cut(one_line(entry.get("type")), LONGEST_NAME),
        citation_count=_count(entry, "cited_by_count", work_id),
        citations_by_year=_by_year(entry, work_id, today),
        references=references,
        # A zero is not told: lists of references are known to be lost.
        reference_count=_count(entry, "referenced_works_count", work_id) or len(references) or None,
        authors=tuple(_authors(entry, work_id)),
        topics=tuple(filter(None, (_name(item) for item in _objects(entry, "topics", work_id)))),
        retracted=_flag(entry, "is_retracted", work_id),
        open_access=cut(one_line(access.get("oa_status")), LONGEST_NAME),
        open_url=_address(access.get("oa_url")),
        primary=_location(primary, work_id) if primary else None,
        locations=locations,
    )


def _title(value: Any) -> str | None:
    """Returns a title without the mark-up of its publisher."""
    return one_line(html.unescape(_MARKUP.sub("", value))) if isinstance(value, str) else None


def _authors(entry: Mapping[str, Any], work_id: str) -> Sequence[WorkAuthor]:
    found = []
    for item in _objects(entry, "authorships", work_id, most=MOST_AUTHORS):
        person = mapping(item, "author", work_id)
        name = cut(one_line(item.get("raw_author_name")), LONGEST_NAME) or _name(person)
        if name is None:
            continue
        institutions = (_name(place) for place in _objects(item, "institutions", work_id))
        orcid = one_line(person.get("orcid"))
        found.append(
            WorkAuthor(
                name=name,
                author_id=_openalex_id(person.get("id"), "A"),
                orcid=orcid and orcid.rpartition("/")[2][:40],
                institutions=tuple(dict.fromkeys(place for place in institutions if place)),
            )
        )
    return found


def _by_year(entry: Mapping[str, Any], work_id: str, today: date) -> dict[int, int]:
    counts: dict[int, int] = {}
    for item in _objects(entry, "counts_by_year", work_id):
        year, count = _year(item, "year", work_id, today), _count(item, "cited_by_count", work_id)
        if year is None or count is None or year in counts:
            raise unsound(
                f"work {work_id} with counts of no year, or twice of one", record=work_id, field="counts_by_year"
            )
        counts[year] = count
    return counts


def _references(entry: Mapping[str, Any], work_id: str) -> tuple[str, ...]:
    listed = entry.get("referenced_works") or []
    found = [_openalex_id(item, "W") for item in listed] if isinstance(listed, list) else [None]
    if len(found) > _MOST_LISTED or None in found:
        raise unsound(f"work {work_id} whose references are none", record=work_id, field="referenced_works")
    return tuple(dict.fromkeys(item for item in found if item and item != work_id))


def _location(item: Mapping[str, Any], work_id: str) -> WorkLocation:
    return WorkLocation(
        url=_address(item.get("landing_page_url")),
        version=cut(one_line(item.get("version")), LONGEST_NAME),
        venue=_name(mapping(item, "source", work_id)),
        is_open=_flag(item, "is_oa", work_id),
    )


def _location_doi(location: WorkLocation) -> str | None:
    """Returns the DOI of a location whose page is that of a DOI or arXiv's."""
    match = _ARXIV_PAGE.fullmatch(location.url or "")
    return arxiv_doi(match["id"]) if match else _doi(location.url) if "doi.org/" in (location.url or "") else None


def _doi(value: Any) -> str | None:
    try:
        return Doi.parse(one_line(value) or "").value
    except IdentifierError:
        return None


def _openalex_id(value: Any, letter: str) -> str | None:
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    found = match["id"].upper() if match else None
    return found if found and found.startswith(letter) else None


def _address(value: Any) -> str | None:
    text = one_line(value)
    return text if text and text.lower().startswith(("http://", "https://")) and len(text) <= LONGEST_TITLE else None


def _name(item: Mapping[str, Any]) -> str | None:
    return cut(one_line(item.get("display_name")), LONGEST_NAME)


def _objects(entry: Mapping[str, Any], name: str, record: str, *, most: int = _MOST_LISTED) -> list[dict[str, Any]]:
    listed = entry.get(name) or []
    if not isinstance(listed, list) or len(listed) > most or not all(isinstance(item, dict) for item in listed):
        raise unsound(f"{record} whose {name} is no list of objects", record=record, field=name)
    return listed


def mapping(entry: Mapping[str, Any], name: str, record: str) -> Mapping[str, Any]:
    """Returns an object of an entry, an empty one where it is null; raises `PayloadError` for anything else."""
    value = entry.get(name)
    if value is not None and not isinstance(value, dict):
        raise unsound(f"{record} whose {name} is no object", record=record, field=name)
    return value or {}


def _flag(entry: Mapping[str, Any], name: str, record: str) -> bool | None:
    if (value := entry.get(name)) is not None and not isinstance(value, bool):
        raise unsound(f"{record} whose {name} is neither true nor false", record=record, field=name)
    return value


def whole_number(entry: Mapping[str, Any], name: str, record: str) -> int | None:
    """Returns a whole number, None where it is not told; raises `PayloadError` for anything else."""
    value = entry.get(name)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise unsound(f"{record} whose {name} is no number: {value!r:.40}", record=record, field=name)
    return value


def _count(entry: Mapping[str, Any], name: str, record: str) -> int | None:
    if (number := whole_number(entry, name, record)) is not None and not is_count(number):
        raise unsound(f"{record} whose {name} is beyond belief: {number!r:.40}", record=record, field=name)
    return number


def _year(entry: Mapping[str, Any], name: str, record: str, today: date) -> int | None:
    if (number := whole_number(entry, name, record)) is not None and not is_year(number, today=today):
        raise unsound(f"{record} of the year {number!r:.40}", record=record, field=name)
    return number


def _day(entry: Mapping[str, Any], record: str, today: date) -> date | None:
    value = entry.get("publication_date")
    if value is None:
        return None
    try:
        day = date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        what = f"{record} whose publication_date is no date: {value!r:.40}"
        raise unsound(what, record=record, field="publication_date") from error
    return day if is_past(day, today=today) else None

"""What Semantic Scholar sends -> records. Pure, strict, and light to import.

The form is that of https://api.semanticscholar.org/api-docs/graph . None means "not told": a count that is absent or
null never becomes zero, and a null entry is told apart from an entry that cannot be read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from sources.errors import IdentifierError, PayloadError
from sources.identifiers import ArxivId, Doi, Identifier, Scheme
from sources.records import Reply, S2Paper
from sources.replies import read_request_key
from sources.text import one_line

PARSER_VERSION = 1
"""Raised whenever the same reply would yield other records."""

FIELDS = (
    "paperId", "corpusId", "externalIds", "title", "abstract", "authors", "year", "publicationDate", "venue",
    "fieldsOfStudy", "s2FieldsOfStudy", "openAccessPdf", "citationCount", "influentialCitationCount", "referenceCount",
)  # fmt: skip
"""What is asked for; every endpoint used here serves all of them."""

BATCH, BULK, MATCH = "paper/batch", "paper/search/bulk", "paper/search/match"
"""The endpoints, as request keys name them."""

_LARGEST_INT = 2**63 - 1
_EXTERNAL: dict[str, tuple[Scheme, Callable[[str], str]]] = {
    "ArXiv": ("arxiv", lambda text: ArxivId.parse(text).base),
    "DOI": ("doi", lambda text: Doi.parse(text).value),
    "CorpusId": ("corpus", str),
    "ACL": ("acl", str),
    "PubMed": ("pmid", str),
    "PubMedCentral": ("pmcid", lambda text: text.upper().removeprefix("PMC")),
    "MAG": ("mag", str),
    "DBLP": ("dblp", str),
}

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


def parse_batch(body: bytes) -> tuple[Entry, ...]:
    """Returns the entries of a batch reply, in the reply's order.

    Raises:
        PayloadError: Not a JSON list.
    """
    entries = _json(body)
    if not isinstance(entries, list):
        raise _unsound("a batch reply that is no list")
    return tuple(None if entry is None else _entry(entry) for entry in entries)


def parse_search(body: bytes) -> SearchPage:
    """Returns one page of a bulk search; a search without hits may lack `data`.

    Raises:
        PayloadError: Not a JSON object with `total` and, where there are hits, `data`.
    """
    page = _object(body)
    total = _count(page, "total", record="")
    if total is None:
        raise _unsound("a search reply without a total", field="total")
    entries, token = page.get("data", [] if total == 0 else None), page.get("token")
    if not isinstance(entries, list):
        raise _unsound("a search reply without data", field="data")
    if token is not None and not isinstance(token, str):
        raise _unsound("a search reply whose token is no text", field="token")
    read = [_entry(entry) for entry in entries]
    return SearchPage(
        total=total,
        token=token or None,
        papers=tuple(paper for paper in read if isinstance(paper, S2Paper)),
        faults=tuple(fault for fault in read if isinstance(fault, PayloadError)),
    )


def parse_match(body: bytes) -> S2Paper:
    """Returns the paper of a title match.

    Raises:
        PayloadError: Not a JSON object with one readable paper in `data`; no match is a 404, never an empty list.
    """
    entries = _object(body).get("data")
    if not isinstance(entries, list) or not entries:
        raise _unsound("a title match without data", field="data")
    paper = _entry(entries[0])
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
    if endpoint == BATCH:
        return tuple(entry for entry in parse_batch(reply.body) if isinstance(entry, S2Paper))
    if endpoint == MATCH:
        return (parse_match(reply.body),)
    return parse_search(reply.body).papers


def error_said(body: bytes) -> str:
    """Returns the service's own words in the body of a refusal, cut to what a log line bears."""
    try:
        told = _object(body)
    except PayloadError:
        return (one_line(body[:200].decode("utf-8", "replace")) or "")[:200]
    words = [one_line(told.get(name)) for name in ("error", "message")]
    return next((word for word in words if word), "")[:200]


def _entry(entry: Any) -> S2Paper | PayloadError:
    try:
        if not isinstance(entry, dict):
            raise _unsound("an entry that is no object")
        return parse_paper(entry)
    except PayloadError as fault:
        return fault


def parse_paper(entry: Mapping[str, Any]) -> S2Paper:
    """Returns the paper that one decoded entry describes.

    Raises:
        PayloadError: The entry lacks an identifier or a title, or holds something impossible; `field` says where.
    """
    sha = one_line(entry.get("paperId"))
    if sha is None:
        raise _unsound("an entry without paperId", field="paperId")
    title = one_line(entry.get("title"))
    if title is None:
        raise _unsound(f"paper {sha} without a title", record=sha, field="title")
    external = _identifiers(_mapping(entry, "externalIds", sha))
    corpus_id = _corpus_id(entry, external, sha)
    doi = next((one.value for one in external if one.scheme == "doi"), None)
    own = [Identifier("s2", sha), *([] if corpus_id is None else [Identifier("corpus", str(corpus_id))])]
    return S2Paper(
        s2_paper_id=sha,
        corpus_id=corpus_id,
        title=title,
        abstract=one_line(entry.get("abstract")),
        authors=_names(entry, "authors", "name", sha),
        year=_count(entry, "year", record=sha),
        published_on=_day(entry.get("publicationDate"), sha),
        venue=one_line(entry.get("venue")),
        arxiv_id=_arxiv_id(external),
        doi=None if doi is None or Doi(doi).arxiv_id else doi,
        identifiers=tuple(dict.fromkeys([*own, *external])),
        fields_of_study=_fields_of_study(entry, sha),
        open_access_pdf_url=one_line(_mapping(entry, "openAccessPdf", sha).get("url")),
        citation_count=_count(entry, "citationCount", record=sha),
        influential_citation_count=_count(entry, "influentialCitationCount", record=sha),
        reference_count=_count(entry, "referenceCount", record=sha),
    )


def _identifiers(external: Mapping[str, Any]) -> list[Identifier]:
    """Returns external identifiers in our schemes and normal forms; what is not in a scheme's form is left out."""
    known: list[Identifier] = []
    for name, value in external.items():
        scheme_and_form = _EXTERNAL.get(name)
        text = one_line(str(value)) if isinstance(value, str | int) else None
        if scheme_and_form is None or text is None:
            continue
        scheme, normal = scheme_and_form
        try:
            known.append(Identifier(scheme, normal(text)))
        except IdentifierError:
            continue
    return known


def _corpus_id(entry: Mapping[str, Any], external: list[Identifier], record: str) -> int | None:
    told = _count(entry, "corpusId", record=record)
    if told is not None:
        return told
    return next((int(one.value) for one in external if one.scheme == "corpus" and one.value.isdecimal()), None)


def _arxiv_id(external: list[Identifier]) -> str | None:
    told = next((one.value for one in external if one.scheme == "arxiv"), None)
    named = [Doi(one.value).arxiv_id for one in external if one.scheme == "doi"]
    return told or next((arxiv_id.base for arxiv_id in named if arxiv_id), None)


def _fields_of_study(entry: Mapping[str, Any], record: str) -> tuple[str, ...]:
    plain = entry.get("fieldsOfStudy") or []
    if not isinstance(plain, list):
        raise _unsound(f"paper {record} whose fieldsOfStudy is no list", record=record, field="fieldsOfStudy")
    fields = [field for field in map(one_line, plain) if field]
    return tuple(dict.fromkeys([*fields, *_names(entry, "s2FieldsOfStudy", "category", record)]))


def _names(entry: Mapping[str, Any], field: str, name: str, record: str) -> tuple[str, ...]:
    """Returns the texts under `name` in a list of objects; null means not told, as an empty list does."""
    objects = entry.get(field) or []
    if not isinstance(objects, list) or not all(isinstance(one, dict) for one in objects):
        raise _unsound(f"paper {record} whose {field} is no list of objects", record=record, field=field)
    return tuple(text for text in (one_line(one.get(name)) for one in objects) if text)


def _mapping(entry: Mapping[str, Any], field: str, record: str) -> Mapping[str, Any]:
    told = entry.get(field)
    if told is not None and not isinstance(told, dict):
        raise _unsound(f"paper {record} whose {field} is no object", record=record, field=field)
    return told or {}


def _count(entry: Mapping[str, Any], field: str, *, record: str) -> int | None:
    told = entry.get(field)
    if told is None:
        return None
    if not isinstance(told, int) or isinstance(told, bool) or not 0 <= told <= _LARGEST_INT:
        raise _unsound(f"{record or 'a reply'} whose {field} is no count: {told!r:.40}", record=record, field=field)
    return told


def _day(told: Any, record: str) -> date | None:
    if told is None or told == "":
        return None
    try:
        return date.fromisoformat(told)
    except (TypeError, ValueError) as error:
        what = f"paper {record} whose publicationDate is no date: {told!r:.40}"
        raise _unsound(what, record=record, field="publicationDate") from error


def _object(body: bytes) -> dict[str, Any]:
    told = _json(body)
    if not isinstance(told, dict):
        raise _unsound("a reply that is no object")
    return told


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise _unsound(f"no whole JSON document ({type(error).__name__}; {len(body)} bytes)") from error


def _unsound(what: str, *, record: str = "", field: str = "") -> PayloadError:
    return PayloadError(f"Semantic Scholar sent {what}", source="s2", record=record, field=field)

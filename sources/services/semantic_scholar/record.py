"""Parses records of Semantic Scholar into `S2Paper`. Pure and strict.

The form is that of https://api.semanticscholar.org/api-docs/graph . None means "not told": a count that is absent or
null never becomes zero. A record that holds something impossible, or that contradicts itself, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from sources.bibliography.identifiers import SCHEMES, Doi, Identifier, identifier_in, normal_identifier
from sources.bounds import LONGEST_ABSTRACT, LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS
from sources.clock import utc_today
from sources.errors import PayloadError
from sources.http import replies
from sources.http.queries import Page
from sources.http.replies import JsonObject, read_json, read_object, read_request_key
from sources.records import Reply, S2Paper
from sources.text import one_line

PARSER_VERSION = 4  # raised whenever the same reply would yield other records

# What is asked for; every endpoint used here serves all of them.
FIELDS = (
    "paperId", "corpusId", "externalIds", "title", "abstract", "authors", "year", "publicationDate", "venue",
    "fieldsOfStudy", "s2FieldsOfStudy", "openAccessPdf", "citationCount", "influentialCitationCount", "referenceCount",
)  # fmt: skip

# The endpoints, as request keys name them.
BATCH, BULK, MATCH = "paper/batch", "paper/search/bulk", "paper/search/match"

# One entry of a batch: a paper, one that could not be read, or the service's null.
Entry = S2Paper | PayloadError | None


def parse_batch(body: bytes, *, today: date | None = None) -> tuple[Entry, ...]:
    """Returns the entries of a batch reply, in the reply's order.

    `today` is the day on which it came, by which years and dates are held plausible; None is the present day.

    Raises:
        PayloadError: Not a JSON list.
    """
    entries = read_json(body, source="s2")
    if not isinstance(entries, list):
        raise unsound("a batch reply that is no list")
    return tuple(None if entry is None else parse_entry(entry, today) for entry in entries)


def parse_search(body: bytes, *, today: date | None = None) -> Page[S2Paper]:
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
    return Page(
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
    """Returns the papers in a stored reply, read anew; a stored refusal holds none.

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


unsound = partial(replies.unsound, "s2")  # returns the error of a reply that is not what Semantic Scholar promises
_SHA = re.compile(r"[0-9a-f]{40}")
_EXTERNAL = {rule.s2_key: scheme for scheme, rule in SCHEMES.items() if rule.s2_key}


def parse_entry(entry: Any, today: date | None) -> S2Paper | PayloadError:
    """Returns the paper that an entry of a reply describes, or why it is not believed; `today` as in `parse_paper`."""
    try:
        if not isinstance(entry, dict):
            raise unsound("an entry that is no object")
        paper = parse_paper(entry, today=today)
        sha = paper.s2_paper_id
        if "externalIds" in entry and not any((entry["externalIds"] or {}).values()):
            raise unsound(f"paper {sha} without external identifiers", record=sha, field="externalIds")
        if len(paper.title) > LONGEST_TITLE:
            raise unsound(f"paper {sha} with a title of {len(paper.title)} characters", record=sha, field="title")
        for scheme in ("corpus", "arxiv"):
            values = {item.value for item in map(normal_identifier, paper.identifiers) if item.scheme == scheme}
            if len(values) > 1:
                two = " and ".join(sorted(values))
                raise unsound(f"paper {sha} with two {scheme} identifiers, {two}", record=sha, field="externalIds")
        if paper.citation_count is not None and (paper.influential_citation_count or 0) > paper.citation_count:
            what = f"paper {sha} with more influential citations than citations"
            raise unsound(what, record=sha, field="influentialCitationCount")
    except PayloadError as fault:
        if isinstance(entry, dict):
            fault.text = " ".join(text for name in ("title", "abstract") if (text := one_line(entry.get(name))))
        return fault
    return paper


def parse_paper(entry: Mapping[str, Any], *, today: date | None = None) -> S2Paper:
    """Returns the paper that one decoded entry describes; `today` is the day on which it came, None the present one.

    Raises:
        PayloadError: The entry lacks an identifier or a title, holds something impossible; `field` says where.
    """
    sha, title = one_line(entry.get("paperId")), one_line(entry.get("title"))
    if sha is None:
        raise unsound("an entry without paperId", field="paperId")
    if not _SHA.fullmatch(sha):
        raise unsound(f"an entry whose paperId is none: {sha:.50}", field="paperId")
    if title is None:
        raise unsound(f"paper {sha} without a title", record=sha, field="title")
    fields = JsonObject(values=entry, source="s2", name=f"paper {sha}", record=sha)
    external, unread = _identifiers(fields.object("externalIds").values)
    corpus_id = fields.whole_number("corpusId")
    if corpus_id is None:
        own_numbers = (item.value for item in external if item.scheme == "corpus" and item.value.isdecimal())
        corpus_id = next(map(int, own_numbers), None)
    doi = next((item.value for item in external if item.scheme == "doi"), None)
    own = [Identifier("s2", sha), *([] if corpus_id is None else [Identifier("corpus", str(corpus_id))])]
    day = today or utc_today()
    year, published_on = fields.year("year", today=day), fields.day("publicationDate", today=day)
    misdated = bool(year and published_on and abs(year - published_on.year) > _YEARS_APART)
    return S2Paper(
        s2_paper_id=sha,
        corpus_id=corpus_id,
        title=title,
        abstract=fields.text("abstract", most=LONGEST_ABSTRACT),
        authors=_names(fields, "authors", "name"),
        year=None if misdated else year,
        published_on=None if misdated else published_on,
        misdated=misdated,
        venue=fields.text("venue", most=LONGEST_TITLE),
        arxiv_id=_arxiv_id(external),
        doi=None if doi is None or Doi(doi).arxiv_id else doi,
        identifiers=tuple(dict.fromkeys([*own, *external])),
        unread=tuple(unread),
        fields_of_study=_fields_of_study(fields),
        open_access_pdf_url=one_line(fields.object("openAccessPdf").values.get("url")),
        citation_count=fields.count("citationCount"),
        influential_citation_count=fields.count("influentialCitationCount"),
        reference_count=fields.count("referenceCount"),
    )


# Years between a record's year and its day beyond which neither is believed; a preprint may be years older.
_YEARS_APART = 5


def _identifiers(external: Mapping[str, Any]) -> tuple[list[Identifier], list[Identifier]]:
    """Returns external identifiers in our schemes: those in normal form, and as sent those in no form known here."""
    known: list[Identifier] = []
    unread: list[Identifier] = []
    for name, value in external.items():
        scheme = _EXTERNAL.get(name)
        text = one_line(str(value)) if isinstance(value, str | int) else None
        if scheme is None or text is None:
            continue
        if (found := identifier_in(scheme, text)) is not None:
            known.append(found)
        else:
            unread.append(Identifier(scheme, text[:LONGEST_NAME]))
    return known, unread


def _arxiv_id(external: list[Identifier]) -> str | None:
    found = next((item.value for item in external if item.scheme == "arxiv"), None)
    named = [Doi(item.value).arxiv_id for item in external if item.scheme == "doi"]
    return found or next((arxiv_id.base for arxiv_id in named if arxiv_id), None)


def _names(fields: JsonObject, field: str, name: str) -> tuple[str, ...]:
    """Returns the texts under `name` in a list of objects; null means not told, as an empty list does."""
    texts = (item.text(name, most=LONGEST_NAME) for item in fields.objects(field, most=MOST_AUTHORS))
    return tuple(text for text in texts if text)


def _fields_of_study(fields: JsonObject) -> tuple[str, ...]:
    plain = fields.values.get("fieldsOfStudy") or []
    if not isinstance(plain, list):
        raise fields.unsound("whose fieldsOfStudy is no list", field="fieldsOfStudy")
    named = [name for name in map(one_line, plain) if name]
    return tuple(dict.fromkeys([*named, *_names(fields, "s2FieldsOfStudy", "category")]))

"""One record of Semantic Scholar, decoded JSON -> `S2Paper`. Pure and strict.

None means "not told": a count that is absent or null never becomes zero. A record that holds something impossible, or
that contradicts itself, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Any

from sources.bibliography.identifiers import SCHEMES, Doi, Identifier, normal_identifier, parse_identifier
from sources.bounds import LONGEST_ABSTRACT, LONGEST_NAME, LONGEST_TITLE, MOST_AUTHORS
from sources.clock import utc_today
from sources.errors import IdentifierError, PayloadError
from sources.http import replies
from sources.http.replies import JsonObject
from sources.records import S2Paper
from sources.text import one_line

unsound = partial(replies.unsound, "s2")
"""Returns the error of a reply that is not what Semantic Scholar promises."""
_SHA = re.compile(r"[0-9a-f]{40}")
_EXTERNAL = {rule.s2_key: scheme for scheme, rule in SCHEMES.items() if rule.s2_key}


def parse_entry(entry: Any, today: date | None) -> S2Paper | PayloadError:
    """Returns the paper that an entry of a reply describes, or why it is not believed; `today` as in `parse_paper`."""
    try:
        if not isinstance(entry, dict):
            raise unsound("an entry that is no object")
        paper = parse_paper(entry, today=today)
        _refuse_nameless(entry, paper)
        _refuse_contradictions(paper)
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
    corpus_id = _corpus_id(fields, external)
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


_YEARS_APART = 5
"""Years between a record's year and its day beyond which neither is believed; a preprint may be years older."""


def _refuse_nameless(entry: Mapping[str, Any], paper: S2Paper) -> None:
    """Refuses a record that sends its external identifiers empty: every paper has a corpus id among them.

    Without them nothing ties the record to the paper's identifiers elsewhere, and one paper would become two.
    """
    if "externalIds" in entry and not any((entry["externalIds"] or {}).values()):
        sha = paper.s2_paper_id
        raise unsound(f"paper {sha} without external identifiers", record=sha, field="externalIds")


def _refuse_contradictions(paper: S2Paper) -> None:
    """Refuses a record whose own fields cannot all be true, or whose title is none."""
    sha = paper.s2_paper_id
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


def _identifiers(external: Mapping[str, Any]) -> tuple[list[Identifier], list[Identifier]]:
    """Returns external identifiers in our schemes: those in normal form, and as sent those in no form known here."""
    known: list[Identifier] = []
    unread: list[Identifier] = []
    for name, value in external.items():
        scheme = _EXTERNAL.get(name)
        text = one_line(str(value)) if isinstance(value, str | int) else None
        if scheme is None or text is None:
            continue
        try:
            known.append(parse_identifier(scheme, text))
        except IdentifierError:
            unread.append(Identifier(scheme, text[:LONGEST_NAME]))
    return known, unread


def _corpus_id(fields: JsonObject, external: list[Identifier]) -> int | None:
    number = fields.whole_number("corpusId")
    if number is not None:
        return number
    return next((int(item.value) for item in external if item.scheme == "corpus" and item.value.isdecimal()), None)


def _arxiv_id(external: list[Identifier]) -> str | None:
    found = next((item.value for item in external if item.scheme == "arxiv"), None)
    named = [Doi(item.value).arxiv_id for item in external if item.scheme == "doi"]
    return found or next((arxiv_id.base for arxiv_id in named if arxiv_id), None)


def _fields_of_study(fields: JsonObject) -> tuple[str, ...]:
    plain = fields.values.get("fieldsOfStudy") or []
    if not isinstance(plain, list):
        raise fields.unsound("whose fieldsOfStudy is no list", field="fieldsOfStudy")
    named = [name for name in map(one_line, plain) if name]
    return tuple(dict.fromkeys([*named, *_names(fields, "s2FieldsOfStudy", "category")]))


def _names(fields: JsonObject, field: str, name: str) -> tuple[str, ...]:
    """Returns the texts under `name` in a list of objects; null means not told, as an empty list does."""
    texts = (item.text(name, most=LONGEST_NAME) for item in fields.objects(field, most=MOST_AUTHORS))
    return tuple(text for text in texts if text)

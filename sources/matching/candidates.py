"""Candidates: what may be the paper behind a mention, whichever source it comes from. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from sources.identifiers import Identifier, normal_identifier
from sources.records import ArxivPaper, S2Paper, SourceName


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One source's record, as far as it is evidence.

    Attributes:
        source: Where the record comes from.
        title: The paper's title as the source has it.
        authors: Names in order; empty where the source names nobody.
        year: First publication: of arXiv's version 1, or as S2 tells it.
        published_on: The day of that publication, where the source tells it.
        venue: Where it was published, as the source's free text; for arXiv its authors' journal reference and comment.
        identifiers: Every identifier in our schemes, the three named ones among them; arXiv's own DOIs as `arxiv`.
        paper_id: The lake's own identifier, where the lake knows the paper.
        record: The record itself; None for a paper that only the lake told of.
    """

    source: SourceName
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    venue: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    s2_paper_id: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    paper_id: str | None = None
    record: ArxivPaper | S2Paper | None = None


def candidate_of(record: ArxivPaper | S2Paper, source: SourceName) -> Candidate:
    """Returns the candidate that a source's record is."""
    if isinstance(record, ArxivPaper):
        return _of_arxiv(record, source)
    return _of_s2(record, source)


def all_identifiers(candidate: Candidate) -> frozenset[Identifier]:
    """Returns every identifier of a candidate in one form: an arXiv DOI is an arXiv identifier."""
    named = [("arxiv", candidate.arxiv_id), ("doi", candidate.doi), ("s2", candidate.s2_paper_id)]
    told = [Identifier(scheme, value) for scheme, value in named if value]  # type: ignore[arg-type]
    return frozenset(normal_identifier(identifier) for identifier in (*candidate.identifiers, *told))


def _of_arxiv(record: ArxivPaper, source: SourceName) -> Candidate:
    published = [text for text in (record.journal_ref, record.comment) if text]
    doi = [Identifier("doi", record.doi)] if record.doi else []
    return Candidate(
        source=source,
        title=record.title,
        authors=record.authors,
        year=record.published_at.year if record.published_at else None,
        published_on=record.published_at.date() if record.published_at else None,
        venue="; ".join(published) or None,
        arxiv_id=record.arxiv_id,
        doi=record.doi,
        identifiers=(Identifier("arxiv", record.arxiv_id), *doi),
        record=record,
    )


def _of_s2(record: S2Paper, source: SourceName) -> Candidate:
    return Candidate(
        source=source,
        title=record.title,
        authors=record.authors,
        year=record.year,
        published_on=record.published_on,
        venue=record.venue,
        arxiv_id=record.arxiv_id,
        doi=record.doi,
        s2_paper_id=record.s2_paper_id,
        identifiers=record.identifiers,
        record=record,
    )

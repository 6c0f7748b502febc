"""The rows of each table as types, so that mypy knows their columns.

Generated: change warehouse/tables/declarations.py, then run `python -m warehouse.dictionary rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from datetime import date, datetime


class ReadingListRow(TypedDict):
    """A row of `reading_lists`."""

    list_id: str
    location: str
    title: str | None
    revision: str
    first_seen_at: datetime
    parsed_at: datetime
    fault: str | None
    lines_not_read: int | None


class MentionRow(TypedDict):
    """A row of `mentions`."""

    mention_id: str
    list_id: str
    line: int
    section: list[str]
    text: str
    title: str | None
    authors: list[str]
    year: int | None
    venue: str | None
    url: str | None
    arxiv_id: str | None
    doi: str | None
    struck: bool
    notes_urls: list[str]
    first_seen_at: datetime
    last_seen_at: datetime
    removed_at: datetime | None
    status: str
    paper_id: str | None
    method: str | None
    score: float | None
    reason: str | None
    asked_at: datetime | None
    tries: int
    decision: str | None
    confidence: float | None


class CandidateRow(TypedDict):
    """A row of `candidates`."""

    mention_id: str
    rank: int
    source: str
    title: str
    year: int | None
    arxiv_id: str | None
    doi: str | None
    s2_paper_id: str | None
    score: float
    reasons: list[str]
    authors: list[str] | None


class FindingRow(TypedDict):
    """A row of `findings`."""

    mention_id: str
    ordinal: int
    code: str
    message: str
    value: str | None


class PaperRow(TypedDict):
    """A row of `papers`."""

    paper_id: str
    title: str
    title_keys: list[str]
    abstract: str | None
    authors: list[str]
    year: int | None
    published_on: date | None
    venue: str | None
    arxiv_id: str | None
    arxiv_version: int | None
    doi: str | None
    s2_paper_id: str | None
    s2_corpus_id: int | None
    primary_category: str | None
    categories: list[str]
    fields_of_study: list[str]
    open_access_pdf_url: str | None
    withdrawn: bool | None
    citation_count: int | None
    influential_citation_count: int | None
    reference_count: int | None
    counted_at: datetime | None
    first_seen_at: datetime
    refreshed_at: datetime
    merged_into: str | None
    citation_key: str | None
    retracted: bool | None
    pages: str | None
    publication_type: str | None
    s2_doi: str | None
    s2_venue: str | None
    arxiv_doi: str | None
    arxiv_venue: str | None
    dblp_doi: str | None
    dblp_venue: str | None
    openalex_doi: str | None
    openalex_venue: str | None


class PaperIdentifierRow(TypedDict):
    """A row of `paper_identifiers`."""

    paper_id: str
    scheme: str
    value: str


class CitationCountRow(TypedDict):
    """A row of `citation_counts`."""

    paper_id: str
    source: str
    observed_at: datetime
    citation_count: int | None
    influential_citation_count: int | None
    reference_count: int | None
    reply_sha256: str | None


class HarvestRow(TypedDict):
    """A row of `harvests`."""

    paper_id: str
    source: str
    asked_at: datetime
    status: str
    tries: int
    error: str | None
    reply_sha256: str | None


class OpenalexWorkRow(TypedDict):
    """A row of `openalex_works`."""

    paper_id: str
    openalex_id: str
    title: str
    doi: str | None
    type: str | None
    year: int | None
    published_on: date | None
    venue: str | None
    version: str | None
    retracted: bool | None
    topics: list[str]
    open_access: str | None
    open_access_url: str | None
    location_urls: list[str]
    location_versions: list[str]
    citation_count: int | None
    refreshed_at: datetime
    reply_sha256: str | None


class CitationsByYearRow(TypedDict):
    """A row of `citations_by_year`."""

    paper_id: str
    source: str
    year: int
    citation_count: int
    observed_at: datetime


class PaperReferenceRow(TypedDict):
    """A row of `paper_references`."""

    paper_id: str
    source: str
    cited_openalex_id: str
    cited_paper_id: str | None
    observed_at: datetime


class PaperAuthorRow(TypedDict):
    """A row of `paper_authors`."""

    paper_id: str
    position: int
    name: str
    source: str
    author_id: str | None
    orcid: str | None
    institutions: list[str]
    observed_at: datetime


class ReplyRow(TypedDict):
    """A row of `replies`."""

    source: str
    request_key: str
    fetched_at: datetime
    status: int
    body: bytes
    sha256: str
    parser_version: int


class RunRow(TypedDict):
    """A row of `runs`."""

    run_id: str
    started_at: datetime
    finished_at: datetime
    status: str
    lists: int
    mentions: int
    resolved: int
    ambiguous: int
    not_found: int
    failed: int
    papers: int
    papers_new: int
    counts_written: int
    seconds_total: float
    problems: list[str]
    offline: bool
    requests_arxiv: int
    requests_s2: int
    requests_openalex: int | None


class SchemaMigrationRow(TypedDict):
    """A row of `schema_migrations`."""

    name: str
    applied_at: datetime


class RetractionRow(TypedDict):
    """A row of `retractions`."""

    paper_id: str
    source: str
    retracted: bool
    retracted_on: date | None
    reasons: list[str]
    notice_doi: str | None
    record: str | None
    matched_by: str
    first_seen_at: datetime


class PublishedVersionRow(TypedDict):
    """A row of `published_versions`."""

    paper_id: str
    source: str
    record: str
    kind: str | None
    venue: str | None
    year: int | None
    doi: str | None
    first_seen_at: datetime
    gone_at: datetime | None


class PaperCitationRow(TypedDict):
    """A row of `paper_citations`."""

    paper_id: str
    source: str
    citing_openalex_id: str
    citing_paper_id: str | None
    observed_at: datetime


class CitingHarvestRow(TypedDict):
    """A row of `citing_harvests`."""

    paper_id: str
    source: str
    asked_at: datetime
    status: str
    citation_count: int
    citing_count: int | None
    found_at: datetime | None
    tries: int
    error: str | None


class OutsideWorkRow(TypedDict):
    """A row of `outside_works`."""

    openalex_id: str
    status: str
    title: str | None
    title_key: str | None
    authors: list[str]
    year: int | None
    doi: str | None
    arxiv_id: str | None
    venue: str | None
    type: str | None
    citation_count: int | None
    reference_count: int | None
    retracted: bool | None
    version_of: str | None
    refreshed_at: datetime
    tries: int
    error: str | None


class MissingSinceRow(TypedDict):
    """A row of `missing_since`."""

    list_id: str
    work: str
    first_missing_at: datetime


class MentionColumns(TypedDict, total=False):
    """Some columns of a row of `mentions`."""

    mention_id: str
    list_id: str
    line: int
    section: list[str]
    text: str
    title: str | None
    authors: list[str]
    year: int | None
    venue: str | None
    url: str | None
    arxiv_id: str | None
    doi: str | None
    struck: bool
    notes_urls: list[str]
    first_seen_at: datetime
    last_seen_at: datetime
    removed_at: datetime | None
    status: str
    paper_id: str | None
    method: str | None
    score: float | None
    reason: str | None
    asked_at: datetime | None
    tries: int
    decision: str | None
    confidence: float | None


class PaperColumns(TypedDict, total=False):
    """Some columns of a row of `papers`."""

    paper_id: str
    title: str
    title_keys: list[str]
    abstract: str | None
    authors: list[str]
    year: int | None
    published_on: date | None
    venue: str | None
    arxiv_id: str | None
    arxiv_version: int | None
    doi: str | None
    s2_paper_id: str | None
    s2_corpus_id: int | None
    primary_category: str | None
    categories: list[str]
    fields_of_study: list[str]
    open_access_pdf_url: str | None
    withdrawn: bool | None
    citation_count: int | None
    influential_citation_count: int | None
    reference_count: int | None
    counted_at: datetime | None
    first_seen_at: datetime
    refreshed_at: datetime
    merged_into: str | None
    citation_key: str | None
    retracted: bool | None
    pages: str | None
    publication_type: str | None
    s2_doi: str | None
    s2_venue: str | None
    arxiv_doi: str | None
    arxiv_venue: str | None
    dblp_doi: str | None
    dblp_venue: str | None
    openalex_doi: str | None
    openalex_venue: str | None

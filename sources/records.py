"""The frozen records of paperlake, without behaviour. None means "not told", never zero or empty.

Names follow the field: a *mention* is one occurrence of a paper in a list; a *paper* is one source's record of it;
a *candidate* is a record that may be the paper behind a mention; a *reply* is what a service sent, as received.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import ClassVar, Generic, Literal, NamedTuple, TypeVar

from sources.bibliography.identifiers import Identifier
from sources.errors import SourceError

SourceName = Literal["arxiv", "s2", "openalex", "dblp", "mirror", "lake"]
# What people call the services, and the bibliography that is only read from files.
SERVICE_NAMES: Mapping[str, str] = {
    "arxiv": "arXiv",
    "s2": "Semantic Scholar",
    "openalex": "OpenAlex",
    "dblp": "DBLP",
}
Status = Literal["resolved", "ambiguous", "not_found", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about a mention that its list's owner would want to know; never passed on as data.

    Attributes:
        code: A fixed word for the kind, such as `malformed-arxiv-id` or `link-title-disagree`.
        message: One sentence for the owner.
        value: The text at fault, as written.
    """

    code: str
    message: str
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One occurrence of a paper in a reading list. Every field stands in the text; nothing is invented.

    Attributes:
        line: 1-based line where the title stands or, lacking one, the link.
        last_line: 1-based last line of the entry.
        title: Title as written, without mark-up; None where the list gives only a link.
        name: System name or nickname written beside the title ("GPipe"), None where there is none.
        authors: Names as written, in order; empty where the list names nobody.
        year: The year that the list states.
        venue: The venue as the list states it, without the year.
        url: The link to the paper itself, as written.
        arxiv_id: Base of the arXiv identifier read from the text.
        arxiv_version: Version read beside it.
        doi: Normalised DOI read from the text.
        identifiers: Every sound identifier read from the text, the two above among them.
        section: Headings above, outermost first, as plain text.
        struck: Whether the title is struck out.
        notes: Links to the list owner's own notes on this paper.
        text: The entry's own lines, as written.
        findings: What is broken or doubtful in the entry.
        confidence: How sure it is that this is a mention of a paper, 0 to 1; None where it was not judged.
        reasons: Why this is a mention, for `parse --explain`.
    """

    line: int
    last_line: int
    title: str | None = None
    name: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    url: str | None = None
    arxiv_id: str | None = None
    arxiv_version: int | None = None
    doi: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    section: tuple[str, ...] = ()
    struck: bool = False
    notes: tuple[str, ...] = ()
    text: str = ""
    findings: tuple[Finding, ...] = ()
    confidence: float | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivPaper:
    """A paper as arXiv describes it (https://info.arxiv.org/help/api/user-manual.html, or its metadata dump).

    Attributes:
        arxiv_id: Base identifier.
        version: The version described.
        published_at: When version 1 was submitted, UTC.
        updated_at: When this version was submitted, UTC.
        doi: The published version's DOI, as its authors gave it to arXiv.
        journal_ref: The authors' own reference to the published version.
        comment: The authors' comment; a withdrawal stands here.
        withdrawn: Whether the comment or the abstract says that the paper was withdrawn; None where that is not told.
    """

    SOURCE: ClassVar[SourceName] = "arxiv"

    arxiv_id: str
    version: int | None = None
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    published_at: datetime | None = None
    updated_at: datetime | None = None
    primary_category: str | None = None
    categories: tuple[str, ...] = ()
    doi: str | None = None
    journal_ref: str | None = None
    comment: str | None = None
    withdrawn: bool | None = False


@dataclass(frozen=True, slots=True, kw_only=True)
class S2Paper:
    """A paper as Semantic Scholar describes it (https://api.semanticscholar.org/api-docs/graph).

    Attributes:
        s2_paper_id: 40 hexadecimal digits; may change when records are merged.
        corpus_id: Integer identifier; may change likewise.
        identifiers: `externalIds` in our schemes.
        unread: Those of them that are in no form known here, as sent: named in the run's summary, never looked up.
        misdated: Whether its year and its day were too far apart to be of one paper; then neither is told here.
        shared_doi: The DOI with which it and another paper were sent in one answer; whose it is, they do not tell.
        citation_count: Inbound citations when asked; None where not told.
        influential_citation_count: The subset that S2's model marks as influential.
        reference_count: Outbound references; None where the publisher withholds them.
    """

    SOURCE: ClassVar[SourceName] = "s2"

    s2_paper_id: str
    corpus_id: int | None = None
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    misdated: bool = False
    venue: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    shared_doi: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    unread: tuple[Identifier, ...] = ()
    fields_of_study: tuple[str, ...] = ()
    open_access_pdf_url: str | None = None
    citation_count: int | None = None
    influential_citation_count: int | None = None
    reference_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DblpPaper:
    """A paper as DBLP describes it (https://dblp.org/xml/docu/dblpxml.pdf): a record, or several of one work.

    Attributes:
        key: The record that tells the rest, such as `conf/nips/VaswaniSPUJGKP17`.
        kind: `article`, `inproceedings`, `incollection`, `book`, `phdthesis`, `mastersthesis` or `preprint`.
        authors: Names without the numbers by which DBLP tells namesakes apart.
        year: When it was published.
        first_year: When the first of its own records is from, where the preprint's is earlier.
        venue: The conference, journal, book, school or publisher; None of a preprint in CoRR.
        doi: The published record's own.
        arxiv_id: The preprint's.
        identifiers: Keys of DBLP, the two above and others, of this record and its preprint.
        others: Other publications of the same title by the same people, such as a journal's; theirs is not said here.
    """

    SOURCE: ClassVar[SourceName] = "dblp"

    key: str
    kind: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    first_year: int | None = None
    venue: str | None = None
    pages: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    others: tuple[DblpPaper, ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        """Returns the keys of all records of the work."""
        own = {item.value for item in self.identifiers if item.scheme == "dblp"}
        return frozenset({self.key, *own, *(record.key for record in self.others)})


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAlexPaper:
    """A work of OpenAlex that a search for its title has found; among the identifiers is OpenAlex's own."""

    SOURCE: ClassVar[SourceName] = "openalex"

    work_id: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    identifiers: tuple[Identifier, ...] = ()


# What a source tells of one paper; `SOURCE` names the source.
PaperRecord = ArxivPaper | S2Paper | DblpPaper | OpenAlexPaper


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a service sent, byte for byte, with what it was asked.

    Attributes:
        source: Who answered.
        request_key: The question in canonical JSON: endpoint, identifiers or titles, fields. Holds no secret, and is
            enough for a later parser version to know what was asked.
        fetched_at: When the reply came, UTC.
        status: HTTP status.
        body: The body as received.
    """

    source: SourceName
    request_key: str
    fetched_at: datetime
    status: int
    body: bytes

    @property
    def sha256(self) -> str:
        """Returns the hexadecimal SHA-256 of the body."""
        return hashlib.sha256(self.body).hexdigest()


class Credits(NamedTuple):
    """What requests have cost of a service's allowance.

    Attributes:
        used: Credits used.
        limit: Credits of a day; 0 where the service counts none, or has not said.
    """

    used: int = 0
    limit: int = 0


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Generic[K, T]):
    """What became of every item of one batch: requested = found + not found + failed, always.

    Attributes:
        requested: The items asked for, each once.
        found: Item -> what the source has for it.
        not_found: Items that the source answered it does not have.
        failed: Item -> why it could not be asked.
        left_out: Why entries are not believed that answer none of the items.

    Raises:
        AssertionError: The three parts are not exactly the items requested.
    """

    requested: tuple[K, ...]
    found: Mapping[K, T] = field(default_factory=dict)
    not_found: frozenset[K] = frozenset()
    failed: Mapping[K, SourceError] = field(default_factory=dict)
    left_out: tuple[SourceError, ...] = ()

    def __post_init__(self) -> None:
        parts = [*self.found, *self.not_found, *self.failed]
        if len(parts) != len(set(parts)) or set(parts) != set(self.requested):
            lost = sorted(map(str, set(self.requested) ^ set(parts)))
            raise AssertionError(f"requested is not found + not found + failed; at odds: {lost[:5]}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleAnswer(Generic[T]):
    """What a search for many titles at once brought; which paper belongs to which title is the caller's to judge.

    Attributes:
        requested: The titles asked for, each once.
        papers: Every paper found, by any of the titles, each once.
        answered: Titles for which `papers` holds all that the source has.
        failed: Title -> why it could not be asked to the end.
        left_out: Why entries are not believed that may have answered no title in particular.

    Raises:
        AssertionError: `answered` and `failed` are not exactly the titles requested.
    """

    requested: tuple[str, ...]
    papers: tuple[T, ...] = ()
    answered: frozenset[str] = frozenset()
    failed: Mapping[str, SourceError] = field(default_factory=dict)
    left_out: tuple[SourceError, ...] = ()

    def __post_init__(self) -> None:
        if self.answered & set(self.failed) or self.answered | set(self.failed) != set(self.requested):
            lost = sorted(set(self.requested) ^ (self.answered | set(self.failed)))
            raise AssertionError(f"requested is not answered + failed; at odds: {lost[:5]}")

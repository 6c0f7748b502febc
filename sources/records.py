"""The frozen records of paperlake, without behaviour. None means "not told", never zero or empty.

Names follow the field: a *mention* is one occurrence of a paper in a list; a *paper* is one source's record of it;
a *candidate* is a record that may be the paper behind a mention; a *reply* is what a service sent, as received.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import ClassVar, Generic, Literal, TypeVar

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
    """Something about a mention that its list's owner would want to know; never passed on as data."""

    code: str  # a fixed word for the kind, such as `malformed-arxiv-id` or `link-title-disagree`
    message: str  # one sentence for the owner
    value: str | None = None  # the text at fault, as written


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One occurrence of a paper in a reading list. Every field is from the text; nothing is invented."""

    line: int  # 1-based line of the title or, lacking one, of the link
    last_line: int  # 1-based last line of the entry
    title: str | None = None  # title as written, without mark-up; None where the list gives only a link
    name: str | None = None  # system name or nickname written beside the title ("GPipe"), None where there is none
    authors: tuple[str, ...] = ()  # names as written, in order; empty where the list names nobody
    year: int | None = None  # the year that the list states
    venue: str | None = None  # the venue as the list states it, without the year
    url: str | None = None  # the link to the paper itself, as written
    arxiv_id: str | None = None  # base of the arXiv identifier read from the text
    arxiv_version: int | None = None  # version read beside it
    doi: str | None = None  # normalised DOI read from the text
    identifiers: tuple[Identifier, ...] = ()  # every sound identifier read from the text, the two above among them
    section: tuple[str, ...] = ()  # headings above, outermost first, as plain text
    struck: bool = False  # whether the title is struck out
    notes: tuple[str, ...] = ()  # links to the list owner's own notes on this paper
    text: str = ""  # the entry's own lines, as written
    findings: tuple[Finding, ...] = ()  # what is broken or doubtful in the entry
    # how sure it is that this is a mention of a paper, 0 to 1; None where it was not judged
    confidence: float | None = None
    reasons: tuple[str, ...] = ()  # why this is a mention, for `parse --explain`


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivPaper:
    """A paper as arXiv describes it (https://info.arxiv.org/help/api/user-manual.html, or its metadata dump)."""

    SOURCE: ClassVar[SourceName] = "arxiv"

    arxiv_id: str  # base identifier
    version: int | None = None  # the version described
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    published_at: datetime | None = None  # when version 1 was submitted, UTC
    updated_at: datetime | None = None  # when this version was submitted, UTC
    primary_category: str | None = None
    categories: tuple[str, ...] = ()
    doi: str | None = None  # the published version's DOI, as its authors gave it to arXiv
    journal_ref: str | None = None  # the authors' own reference to the published version
    comment: str | None = None  # the authors' comment; a withdrawal is announced here
    # whether the comment or the abstract says that the paper was withdrawn; None where unknown
    withdrawn: bool | None = False


@dataclass(frozen=True, slots=True, kw_only=True)
class S2Paper:
    """A paper as Semantic Scholar describes it (https://api.semanticscholar.org/api-docs/graph)."""

    SOURCE: ClassVar[SourceName] = "s2"

    s2_paper_id: str  # 40 hexadecimal digits; may change when records are merged
    corpus_id: int | None = None  # integer identifier; may change likewise
    title: str
    abstract: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    # whether its year and its day were too far apart to be of one paper; then neither is given here
    misdated: bool = False
    venue: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    # the DOI with which it and another paper were sent in one answer; whose it is, they do not tell
    shared_doi: str | None = None
    identifiers: tuple[Identifier, ...] = ()  # `externalIds` in our schemes
    # those of them that are in no form known here, as sent: named in the run's summary, never looked up
    unread: tuple[Identifier, ...] = ()
    fields_of_study: tuple[str, ...] = ()
    open_access_pdf_url: str | None = None
    citation_count: int | None = None  # inbound citations when asked; None where not told
    influential_citation_count: int | None = None  # the subset that S2's model marks as influential
    reference_count: int | None = None  # outbound references; None where the publisher withholds them

    def without_doi(self) -> S2Paper:
        """Returns the record without its DOI, which becomes the one that it shares with another paper."""
        others = tuple(item for item in self.identifiers if item.scheme != "doi")
        return replace(self, doi=None, shared_doi=self.doi, identifiers=others)


@dataclass(frozen=True, slots=True, kw_only=True)
class DblpPaper:
    """A paper as DBLP describes it (https://dblp.org/xml/docu/dblpxml.pdf): a record, or several of one work."""

    SOURCE: ClassVar[SourceName] = "dblp"

    key: str  # the record that the rest is from, such as `conf/nips/VaswaniSPUJGKP17`
    kind: str  # `article`, `inproceedings`, `incollection`, `book`, `phdthesis`, `mastersthesis` or `preprint`
    title: str
    authors: tuple[str, ...] = ()  # names without the numbers that DBLP gives namesakes
    year: int | None = None  # when it was published
    first_year: int | None = None  # when the first of its own records is from, where the preprint's is earlier
    venue: str | None = None  # the conference, journal, book, school or publisher; None of a preprint in CoRR
    pages: str | None = None
    doi: str | None = None  # the published record's own
    arxiv_id: str | None = None  # the preprint's
    identifiers: tuple[Identifier, ...] = ()  # keys of DBLP, the two above and others, of this record and its preprint
    # other publications of the same title by the same people, such as a journal's; theirs is not said here
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


# A source's record of one paper; `SOURCE` names the source.
PaperRecord = ArxivPaper | S2Paper | DblpPaper | OpenAlexPaper


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a service sent, byte for byte, with what it was asked."""

    source: SourceName  # who answered
    # the question in canonical JSON: endpoint, identifiers or titles, fields. Holds no secret, and is enough for a
    # later parser version to know what was asked.
    request_key: str
    fetched_at: datetime  # when the reply came, UTC
    status: int  # HTTP status
    body: bytes  # the body as received

    @property
    def sha256(self) -> str:
        """Returns the hexadecimal SHA-256 of the body."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class Credits:
    """What requests have cost of a service's allowance."""

    used: int = 0  # credits used
    limit: int = 0  # credits of a day; 0 where the service counts none, or has not said


K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAnswer(Generic[K, T]):
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

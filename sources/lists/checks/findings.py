"""Records of checks: the codes, findings, and what is known of the papers of a list.

Positions are offsets into the list's text as decoded, its line ends as they are. Lines count from 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal, NamedTuple

from sources.bibliography.identifiers import Identifier
from sources.records import Mention

# error: certain, and a fault. warning: very likely a fault. note: no fault, but worth knowing.
Level = Literal["error", "warning", "note"]


# The fields of an entry that mending another one may not alter.
FIELDS = frozenset(("title", "name", "authors", "year", "venue", "url", "identifiers", "notes", "struck"))
_LINK, _PUBLICATION, _ADDRESS = (
    frozenset(each) for each in (("url", "identifiers"), ("venue", "year"), ("url", "notes"))
)


class Code(NamedTuple):
    """A kind of finding."""

    level: Level  # how sure and how grave it is; a single finding may have a lower one
    summary: str  # what is found, a few words
    meaning: str  # when it is found, and what to do
    alters: frozenset[str] | None = None  # the fields of its entry that a fix may alter; None of what is not mended


# The codes in the order in which they are documented.
CODES: Mapping[str, Code] = {
    "link-title-disagree": Code(
        "error",
        "the link leads to another paper than the title names",
        "The identifier in the link is one paper's, the title another's. One of the two is wrong. A note only where no "
        "other paper of the title is known, or both are by the same people: then it may be a title of another version.",
    ),
    "link-repeated-under-another-title": Code(
        "error",
        "two entries with different titles have the same link",
        "An entry close above has the same link under a title with nothing in common: a line copied and not finished.",
    ),
    "malformed-arxiv-id": Code(
        "error",
        "an arXiv address or number that arXiv cannot have",
        "It has a month that does not exist or a number of the wrong length, or the address holds no identifier.",
    ),
    "malformed-doi": Code(
        "error", "an address of doi.org without a DOI", "What stands behind doi.org does not have the form of a DOI."
    ),
    "unregistered-doi": Code(
        "warning",
        "a DOI under 10.5555, which is not registered",
        "ACM uses such numbers as names of pages; doi.org does not know them, so the link should lead to dl.acm.org.",
    ),
    "identifier-unknown": Code(
        "error",
        "an identifier that its own service does not have",
        "The service that gives such identifiers answered that there is no such paper.",
    ),
    "second-arxiv-id": Code(
        "note",
        "the entry names a second arXiv paper as its own",
        "The identifier in its words, or behind its link called arXiv, is another paper's than that of its first link.",
    ),
    "duplicate": Code(
        "error",
        "the same paper twice in one section",
        "Two entries of a section are the same paper, by identifier or by all their words. A warning only where the "
        "titles are the same and no more. Nothing is said where one may stand there on purpose: something divides the "
        "section between them, they have two names or years, one has words that say what it is, such as a talk or a "
        "longer version, or the list repeats many papers.",
    ),
    "duplicate-section": Code(
        "note",
        "the same paper in two sections",
        "Two entries under different headings are the same paper, which may be on purpose. Nothing is said where the "
        "list files many papers so.",
    ),
    "duplicate-version": Code(
        "warning",
        "a preprint beside its published version",
        "Two entries of a section are versions of one paper: one names or links the preprint, the other the published "
        "version. A note only where something divides the section, or where one says which it is.",
    ),
    "retracted-paper": Code(
        "error", "the paper was retracted", "Retraction Watch or OpenAlex says so, and does not say that it was undone."
    ),
    "withdrawn-paper": Code("warning", "the paper was withdrawn from arXiv", "Its authors or arXiv say so."),
    "title-misspelt": Code(
        "warning",
        "a typing error in the title",
        "The title is that of the paper but for a word that is no word, or one that is twice there.",
        alters=frozenset(("title", "name")),
    ),
    "title-changed": Code(
        "note",
        "the paper has another title now",
        "The link leads to the paper, and its authors have changed the title since the entry was written.",
    ),
    "authors-at-odds": Code(
        "warning",
        "a misspelt author, or the authors of another paper",
        "A name is that of the author in the same place but for one letter of the family name. A note only where no "
        "given name in full agrees, or where several people are named of whom none wrote the paper.",
    ),
    "year-at-odds": Code(
        "warning",
        "the year is that of no version of the paper",
        "Neither the preprint nor any published version that is known is of this year, nor of the one before or after, "
        "nor may it be that of a preprint which is not known.",
    ),
    "future-year": Code(
        "warning",
        "a year that is still to come",
        "The year of the entry is after the next one, so that no paper can be of it.",
    ),
    "venue-at-odds": Code(
        "warning",
        "the paper came out in another venue",
        "The entry names a conference or journal, and all versions that are known came out in others. A note only "
        "where another may have come out: before them, or where the entry names ICLR or IJCAI, which have papers of "
        "others, too.",
    ),
    "published-version": Code(
        "note",
        "the preprint has been published",
        "The entry links the preprint and names no venue, as others of the list do, and a published version is known.",
        alters=_PUBLICATION,
    ),
    "missing-link": Code(
        "warning",
        "an entry without a link among entries with links",
        "Nearly all other entries of the list have a link to the paper, and the paper behind this one is known.",
        alters=_LINK | _PUBLICATION,
    ),
    "dead-link": Code(
        "error",
        "a link that leads nowhere",
        "The server answered 404 or 410, or there is no such host; it was asked twice. Servers that refuse to answer "
        "programs, and those that do not answer in time, are never called dead.",
        alters=_LINK,
    ),
    "moved-link": Code(
        "note",
        "a link whose page has moved for good",
        "The server leads to another address, and says that it is lasting.",
        alters=_LINK,
    ),
    "paywalled-link": Code(
        "note",
        "a link to a paywall where a free copy is known",
        "The link leads to a publisher that asks for money, and the paper can be read elsewhere for nothing.",
    ),
    "empty-link": Code(
        "warning",
        "a link without an address",
        "The entry has brackets for a link with nothing in them, as in `[PDF]()`. A badge, or what is "
        "to come, is none.",
        alters=_LINK,
    ),
    "broken-markup": Code(
        "error",
        "mark-up that is shown as text",
        "A link is not closed, has a blank between its brackets or full-width ones, so that readers see an address.",
        alters=FIELDS,
    ),
    "dead-anchor": Code(
        "warning",
        "a link to a heading that the list does not have",
        "The list has no heading of this name, by GitHub's rule: small letters, hyphens for blanks, no other signs.",
        alters=FIELDS,
    ),
    "odd-row": Code(
        "warning",
        "a row of a table with a cell too few or too many",
        "A row that lacks a cell has words under the wrong head; what stands in one too many GitHub does not show.",
    ),
    "joined-entries": Code(
        "warning",
        "two entries on one line",
        "Behind the mark of an item within a line stands an entry of its own: a line end was lost.",
    ),
    "copied-code": Code(
        "warning",
        "a link to the code of a neighbour",
        "Two entries close by, by other people, link one repository, and its name fits one of them alone. A note only "
        "where it fits neither or both, or where it is that of other entries by one's people.",
    ),
    "name-at-odds": Code(
        "warning",
        "the name of another entry's paper",
        "The name beside the title, or in its place, begins the title of another entry's paper, and the entry's own "
        "paper has another name, by its title or abstract. A note only where both are by the same people.",
    ),
    "out-of-order": Code(
        "warning",
        "an entry out of the list's own order",
        "The entries of the section are in order of title or year but for this one, or nearly all entries stand under "
        "the heading of their year. In the order of years, it is only a note.",
    ),
}
# What `paperlake fix` mends and no check reports, with the fields that it may alter; comments and settings switch them
# off as well.
MENDED_ONLY: Mapping[str, frozenset[str]] = {
    "missing-year": frozenset(("year",)),
    "missing-venue": _PUBLICATION,
    "doi-address": _ADDRESS,
    "http-address": _ADDRESS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A replacement of a stretch of the list's text."""

    start: int  # offset of the first character that is replaced
    end: int  # offset behind the last one; `start` where only something is inserted
    replacement: str  # what is there afterwards

    def moved(self, by: int) -> Edit:
        """Returns the edit so many characters further on."""
        return replace(self, start=self.start + by, end=self.end + by)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFinding:
    """Something about an entry of a list that its owner would want to know."""

    code: str  # one of `CODES`
    level: Level  # that of its code, or a lower one
    line: int  # the line at fault
    last_line: int  # the last line at fault
    message: str  # one sentence for the owner
    evidence: tuple[str, ...] = ()  # who says so, a short phrase each
    edits: tuple[Edit, ...] = ()  # small edits that mend it, where there is one certain way
    # lines of other entries that it is about as well, such as the first of two that name one paper
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A published version of a paper."""

    source: str  # the service that has it: `dblp`, `openalex`, `arxiv`, `s2`
    kind: str | None = None  # `conference`, `journal` or `collection`; None where that is not clear
    venue: str | None = None  # where it came out; None where only a DOI is known
    year: int | None = None  # when it came out; None where that is not known
    doi: str | None = None  # its DOI


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFacts:
    """What is known of one paper. None means "not known"."""

    paper_id: str  # its identifier in the lake
    title: str  # its title as it is now
    other_titles: tuple[str, ...] = ()  # what other sources call it
    authors: tuple[str, ...] = ()  # names in order
    year: int | None = None  # of its first publication, as preprint or in its venue
    venue: str | None = None  # where it came out
    published_on: date | None = None  # the day of its first publication
    arxiv_id: str | None = None  # base of its arXiv identifier
    doi: str | None = None  # the publisher's DOI
    identifiers: tuple[Identifier, ...] = ()  # every identifier, the two above among them
    withdrawn: bool | None = None  # whether arXiv says that it was withdrawn
    retraction: str | None = None  # who says that it was retracted, and why, in words; None of others
    publications: tuple[Publication, ...] = ()  # published versions that are known
    free_copy: str | None = None  # address of a copy that can be read for nothing
    citation_count: int | None = None  # inbound citations
    open_citation_count: int | None = None  # the same as OpenAlex has them, which anyone may show to others (CC0)
    citation_key: str | None = None  # the lake's key of it in bibliographies, which never changes
    primary_category: str | None = None  # arXiv's
    pages: str | None = None  # in its venue, as DBLP has them
    publication_type: str | None = None  # as DBLP has it, such as `inproceedings`
    names: tuple[str, ...] = ()  # what its abstract calls what it brings, such as a system
    code_url: str | None = None  # the repository that its authors name in the abstract, where that is one
    sources: tuple[str, ...] = ()  # the sources that have it, as `SERVICE_NAMES` has them


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedEntry:
    """A mention of a list with what is known of its paper."""

    mention: Mention  # the mention as parsed
    paper: PaperFacts | None = None  # the paper behind it; None where it is not known for sure
    linked: PaperFacts | None = None  # the paper that its link leads to, where its title is another's; else None
    titled: PaperFacts | None = None  # the paper that its title names, where its link leads to another; else None
    # identifiers in it of which their own service said that there are no such papers
    unknown: tuple[Identifier, ...] = ()
    # whether nobody could be asked about it, or not everybody: then what is not known says nothing
    unasked: bool = True


def finding(
    code: str,
    mention: Mention,
    message: str,
    *evidence: str,
    edits: tuple[Edit, ...] = (),
    level: Level | None = None,
    others: tuple[int, ...] = (),
) -> ListFinding:
    """Returns a finding about the lines of a mention, of its code's own level unless another is given."""
    return ListFinding(
        code=code,
        level=level or CODES[code].level,
        line=mention.line,
        last_line=mention.last_line,
        message=message,
        evidence=evidence,
        edits=edits,
        others=others,
    )


def finding_on(
    line: int, code: str, message: str, *evidence: str, edits: tuple[Edit, ...] = (), others: tuple[int, ...] = ()
) -> ListFinding:
    """Returns a finding about a line, of its code's own level."""
    return finding(code, Mention(line=line, last_line=line), message, *evidence, edits=edits, others=others)

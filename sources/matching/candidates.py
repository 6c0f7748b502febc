"""Candidates, each the record of one source, and groups of candidates that are the same work. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from rapidfuzz.fuzz import ratio

from sources.bibliography.identifiers import IDENTIFYING, Identifier, named_identifiers, normal_identifier
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key, title_words
from sources.matching.relation import compare_titles
from sources.records import ArxivPaper, DblpPaper, OpenAlexPaper, PaperRecord, SourceName


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One source's record, as far as it is evidence."""

    source: SourceName  # where the record comes from
    title: str  # the paper's title as the source has it
    authors: tuple[str, ...] = ()  # names in order; empty where the source names nobody
    year: int | None = None  # first publication: of arXiv's version 1, or as Semantic Scholar has it
    published_on: date | None = None  # the day of that publication, where the source has it
    # where it was published, as the source writes it; for arXiv, journal reference and comment of its authors
    venue: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    s2_paper_id: str | None = None
    # every identifier in our schemes, the three named ones among them; arXiv's own DOIs as `arxiv`
    identifiers: tuple[Identifier, ...] = ()
    paper_id: str | None = None  # the lake's own identifier, where the lake knows the paper
    record: PaperRecord | None = None  # the record itself; None for a paper from the lake
    # identifiers of other publications of the work, which it has in common with records of those
    versions: tuple[Identifier, ...] = ()
    cited_by: int = 0  # papers of the mention's list that cite it, as far as that was looked up


def candidate_of(record: PaperRecord, source: SourceName) -> Candidate:
    """Returns the candidate that a source's record is."""
    candidate = Candidate(
        source=source,
        title=record.title,
        authors=record.authors,
        arxiv_id=record.arxiv_id,
        doi=record.doi,
        record=record,
    )
    if isinstance(record, ArxivPaper):
        published = [text for text in (record.journal_ref, record.comment) if text]
        doi = [Identifier("doi", record.doi)] if record.doi else []
        return replace(
            candidate,
            year=record.published_at.year if record.published_at else None,
            published_on=record.published_at.date() if record.published_at else None,
            venue="; ".join(published) or None,
            identifiers=(Identifier("arxiv", record.arxiv_id), *doi),
        )
    if isinstance(record, DblpPaper):
        venues = [f"{item.venue} {item.year or ''}".strip() for item in (record, *record.others) if item.venue]
        return replace(
            candidate,
            year=record.first_year or record.year,
            venue="; ".join(dict.fromkeys(venues)) or None,
            identifiers=record.identifiers,
            versions=tuple(item for other in record.others for item in other.identifiers),
        )
    candidate = replace(candidate, year=record.year, venue=record.venue, identifiers=record.identifiers)
    if isinstance(record, OpenAlexPaper):
        return candidate
    return replace(candidate, published_on=record.published_on, s2_paper_id=record.s2_paper_id)


def all_identifiers(candidate: Candidate) -> frozenset[Identifier]:
    """Returns every identifier of a candidate in one form: an arXiv DOI is an arXiv identifier."""
    named = named_identifiers(candidate.arxiv_id, candidate.doi, candidate.s2_paper_id)
    return frozenset(map(normal_identifier, (*candidate.identifiers, *named)))


_SURE_WITHOUT_AUTHORS = 30
_NEARLY_EQUAL = 94
_YEARS_APART = 2
# Years between two records of one title: as a preprint and its journal can be; and where three authors are the same, as
# an upload made long after the conference can be.
_YEARS_APART_SIGNED = 5
_ORDER = {"mirror": 0, "arxiv": 1, "lake": 2, "s2": 3, "openalex": 4}


@dataclass(frozen=True, slots=True)
class _Comparable:
    """A candidate with the values that it is compared by."""

    candidate: Candidate
    identifiers: frozenset[Identifier]
    key: str


def same_work(candidate: Candidate, other: Candidate) -> bool:
    """Returns whether two candidates are one paper.

    Every scheme that both have must agree; an identifier in common then settles it. Only where none is shared are
    title, authors and year (within two) compared. A DOI that authors gave arXiv settles nothing, as it may be wrong.
    """
    return _same(_comparable(candidate), _comparable(other))


def group_works(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Returns one candidate a work, with the identifiers of all its records; the order of `candidates` does not matter.

    A record joins a group only if it agrees with every member, so that no chain of similar records joins two papers.
    """
    groups: list[list[_Comparable]] = []
    richest_first = sorted(
        candidates,
        key=lambda each: (
            each.arxiv_id is None,
            _ORDER[each.source],
            -len(each.identifiers),
            each.title,
            repr((each.arxiv_id, each.doi, each.s2_paper_id, each.year, each.authors)),
        ),
    )
    for item in map(_comparable, richest_first):
        home = next((group for group in groups if all(_same(item, member) for member in group)), None)
        if home is None:
            groups.append([item])
        else:
            home.append(item)
    return [_merged([item.candidate for item in group]) for group in groups]


def _comparable(candidate: Candidate) -> _Comparable:
    identifiers = all_identifiers(candidate) | {*map(normal_identifier, candidate.versions)}
    return _Comparable(candidate, identifiers, title_key(candidate.title))


def _same(item: _Comparable, other: _Comparable) -> bool:
    is_arxivs = any(isinstance(each.candidate.record, ArxivPaper) for each in (item, other))
    common = any(each.scheme != "doi" or not is_arxivs for each in item.identifiers & other.identifiers)
    if not common and not _one_title(item, other):
        return False
    for scheme in IDENTIFYING - {"doi"} if is_arxivs and common else IDENTIFYING:
        mine, theirs = (
            {identifier.value for identifier in each.identifiers if identifier.scheme == scheme}
            for each in (item, other)
        )
        if mine and theirs and mine.isdisjoint(theirs):
            return False
    return common or _alike(item.candidate, other.candidate, len(item.key))


def _one_title(item: _Comparable, other: _Comparable) -> bool:
    """Returns whether two records have the same title, but for a plural, a spelling or a typing error in one of them.

    Typing errors are allowed only where the authors are the same; else the titles must be equal.
    """
    if item.key == other.key:
        return bool(item.key)
    if ratio(item.key, other.key, score_cutoff=_NEARLY_EQUAL) < _NEARLY_EQUAL:
        return False
    if compare_authors(item.candidate.authors, other.candidate.authors).agreement != "agree":
        return False
    titles = compare_titles(title_words(item.candidate.title), title_words(other.candidate.title))
    return titles.relation == "same" and not (titles.loose or titles.misread or titles.misnamed or titles.rivals)


def _alike(candidate: Candidate, other: Candidate, length: int) -> bool:
    """Returns whether two candidates of one title, `length` characters long, have its authors and time in common."""
    authors = compare_authors(candidate.authors, other.authors)
    signed = length >= _SURE_WITHOUT_AUTHORS and authors.matched == authors.named >= 3
    most = _YEARS_APART_SIGNED if signed else _YEARS_APART
    if candidate.year and other.year and abs(candidate.year - other.year) > most:
        return False
    return authors.agreement == "agree" or (authors.agreement == "unknown" and length >= _SURE_WITHOUT_AUTHORS)


def _merged(group: Sequence[Candidate]) -> Candidate:
    first = group[0]
    if len(group) == 1:
        return first
    years = [member.year for member in group if member.year]
    return replace(
        first,
        authors=max((member.authors for member in group), key=len),
        year=min(years, default=None),
        venue="; ".join(dict.fromkeys(member.venue for member in group if member.venue)) or None,
        arxiv_id=next((member.arxiv_id for member in group if member.arxiv_id), None),
        doi=next((member.doi for member in group if member.doi), None),
        s2_paper_id=next((member.s2_paper_id for member in group if member.s2_paper_id), None),
        paper_id=next((member.paper_id for member in group if member.paper_id), None),
        identifiers=tuple(sorted(set().union(*map(all_identifiers, group)))),
        versions=tuple(dict.fromkeys(item for member in group for item in member.versions)),
        cited_by=max(member.cited_by for member in group),
    )

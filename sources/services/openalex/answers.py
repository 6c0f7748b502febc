"""Reads answers from pages of works: the work under each DOI, citing works, and hits of a title search. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sources.bibliography.identifiers import Identifier
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key
from sources.errors import BatchRefused, DisputedRecord, PayloadError, SourceError, TooManyHits, TransientSourceError
from sources.http.queries import holds_any, phrases, plain_words
from sources.http.replies import JsonObject, read_object
from sources.records import OpenAlexPaper
from sources.services.agreement import Description, compare, is_surely_one
from sources.services.openalex.record import OpenAlexWork, WorksPage, arxiv_doi, parse_references, unsound, work_id_of

# Whether a work of OpenAlex is the paper that it was asked for. Pure.
#
# OpenAlex is known to have works under the DOIs and authors of others
# (https://github.com/rpatrik96/bibtexupdater/pull/71), and has flagged papers as retracted that were only corrected
# (https://arxiv.org/abs/2403.13339). So a work must have the paper's title, and its people and year as far as they
# are known.


# Years between a paper and its work beyond which they are two; a preprint may be years older than its publication.
_YEARS_APART = 5
MOST_AUTHORS = 100  # so many authors of a work OpenAlex names: https://help.openalex.org/data/authorships


def dispute(
    paper_id: str, known: Description, work: OpenAlexWork, *, arxiv_id: str | None = None
) -> DisputedRecord | None:
    """Returns the fault of a work that is not surely the paper as it is known; None of one that is.

    A work that answers to the paper's `arxiv_id` may have a similar title; one that has only its DOI may not.
    """
    names = tuple(author.name for author in work.authors)
    if len(names) >= MOST_AUTHORS:
        known = Description(title=known.title, authors=known.authors[:MOST_AUTHORS], year=known.year)
    other = Description(title=work.title, authors=names, year=work.year)
    has_preprint = arxiv_id is not None and arxiv_doi(arxiv_id) in work.dois
    if not (compare(known, other) == "agree" if has_preprint else is_surely_one(known, other)):
        same = title_key(known.title or "") == title_key(work.title)
        what = f"by {names[0]!r:.90} and perhaps others" if same and names else "another paper"
        return disputed_work(paper_id, work, f"which is {what}, for {known.title or ''!r:.90}", field="title")
    people = compare_authors(known.authors, names)
    if 0 < 2 * people.matched < min(people.named, len(names)):
        return disputed_work(
            paper_id, work, f"by {names[0]!r:.90} and others, few of whom it is known by", field="title"
        )
    if known.year and work.year and abs(known.year - work.year) > _YEARS_APART:
        return disputed_work(paper_id, work, f"of {work.year}, which is known as of {known.year}")
    if work.published_on and work.year and abs(work.published_on.year - work.year) > 1:
        return disputed_work(paper_id, work, f"of {work.year}, which came out on {work.published_on}")
    return None


def disputed_work(paper_id: str, work: OpenAlexWork, what: str, *, field: str = "figures") -> DisputedRecord:
    """Returns the fault of a work, in words that follow its title."""
    text = f"OpenAlex answered with {work.work_id}, {work.title[:90]!r}, {what}"
    return DisputedRecord(text, source="openalex", record=paper_id, field=field)


# The works that cite others, as pages of a list tell them: what may be believed of them, and when all came. Pure.
#
# A work says what it cites, so every link is read from the citing work itself. The filter and the pages are those
# of https://developers.openalex.org/api-reference/works (`cites`) and /guides/page-through-results . A cursor
# reaches every work, and goes on after the last one read, so that works that come meanwhile move nothing; without a
# key it is refused (https://apify.com/bepolabs/openalex-works/changelog.md). Page numbers need no key and reach
# 10,000 works, more than is ever asked for. Either way the order is made whole by the identifier (`core/sort.py` of
# https://github.com/ourresearch/openalex-elastic-api). OpenAlex's counts of citations differ a little from the
# works it lists (https://github.com/ropensci/openalexR/issues/115).


# What is asked for; all else is asked of the few works that are worth it.
CITING_FIELDS = ("id", "referenced_works", "referenced_works_count")
SHIFTED = "pages"  # the field of the error of pages that do not fit together
MOST_PAGES = 100  # pages that can be reached by their numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingQuestion:
    """A question for the works that cite some."""

    work_ids: tuple[str, ...]  # those that are cited, a hundred at the most
    most: int  # so many citing works there may be; more are no answer
    since: date | None = None  # only citing works that came out from this day on; None for all

    @property
    def filter(self) -> str:
        """Returns the filter of the list."""
        since = f",from_publication_date:{self.since}" if self.since else ""
        return f"cites:{'|'.join(self.work_ids)}{since}"

    @property
    def facts(self) -> dict[str, Any]:
        """Returns what its request keys name."""
        since = self.since.isoformat() if self.since else None
        return {"cites": list(self.work_ids), "since": since, "fields": list(CITING_FIELDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingPage:
    """One page."""

    total: int  # how many works the whole answer has
    works: Mapping[str, tuple[str, ...]]  # citing work -> the works that it cites
    next_cursor: str | None = None  # where the next page begins; None on the last one, and where pages have numbers


@dataclass(slots=True, kw_only=True)
class CitingAnswer:
    """The citing works that came."""

    question: CitingQuestion  # what was asked
    works: dict[str, tuple[str, ...]] = field(default_factory=dict)  # citing work -> all that it cites
    error: SourceError | None = None  # why not all of them came; None where they did


def parse_citing(body: bytes, question: CitingQuestion, number: int | None) -> CitingPage:
    """Returns a page of citing works. A work that cites itself is no citing work, and no fault.

    `number` is the page's, from 1; None of a page that begins at a cursor.

    Raises:
        TransientSourceError: The service's time was up, so that works may be missing.
        PayloadError: There are more works than there may be, or than pages reach.
            The page lacks works that it should have, has one twice, or one that cites nothing asked for.
    """
    page = read_object(body, source="openalex")
    meta, entries = page.object("meta"), page.values.get("results")
    total, cursor = meta.whole_number("count"), meta.values.get("next_cursor")
    if total is None or not isinstance(entries, list) or total < len(entries) or not isinstance(cursor, str | None):
        raise unsound("a reply without results, or with more than it counts", field="results")
    if meta.flag("timed_out"):
        raise TransientSourceError("OpenAlex sent a part of the citing works: its time was up", source="openalex")
    if total > min(question.most, MAX_IDS * MOST_PAGES):
        raise unsound(f"a count of {total} citing works, where {question.most} can be", field="meta")
    if number is None:
        is_whole = len(entries) == MAX_IDS or (cursor is None and len(entries) < MAX_IDS)
    else:
        is_whole = len(entries) == max(0, min(MAX_IDS, total - MAX_IDS * (number - 1)))
    if not is_whole:
        raise unsound(f"{len(entries)} citing works on page {number or '?'}, and {total} in all", field="meta")
    works = dict(map(_entry, entries))
    if len(works) != len(entries):
        raise unsound("several citing works under one identifier", field="id")
    wanted = frozenset(question.work_ids)
    strangers = [work_id for work_id, cited in works.items() if wanted.isdisjoint((work_id, *cited))]
    if strangers:
        raise unsound(f"{strangers[0]}, which cites none of the works asked for", record=strangers[0], field="id")
    return CitingPage(total=total, works=works, next_cursor=cursor)


def _entry(entry: Any) -> tuple[str, tuple[str, ...]]:
    work_id = work_id_of(entry.get("id")) if isinstance(entry, dict) else None
    if work_id is None:
        raise unsound("an entry without an identifier of a work", field="id")
    return work_id, parse_references(
        JsonObject(values=entry, source="openalex", name=f"work {work_id}", record=work_id)
    )


def gather(pages: Sequence[CitingPage], *, by_cursor: bool = False) -> dict[str, tuple[str, ...]]:
    """Returns the works of all pages of one answer.

    Pages read `by_cursor` began each where the one before ended, so that works may have come or gone meanwhile.

    Raises:
        PayloadError: The pages count differently, or hold fewer works than they count: one came twice, another never.
    """
    works = {work_id: cited for page in pages for work_id, cited in page.works.items()}
    totals = sorted({page.total for page in pages})
    if not totals[0] <= len(works) <= totals[-1] or (len(totals) > 1 and not by_cursor):
        raise unsound(f"{len(works)} citing works on all pages, which count {totals}", field=SHIFTED)
    return works


def is_plausible(citing: Collection[str], citation_count: int) -> bool:
    """Returns whether these can be all works that cite one with so many citations: at least half of them are there."""
    return 2 * len(citing) >= citation_count


MAX_IDS = 100  # the most values of a filter, and the most works of a page: https://help.openalex.org/api/filtering
# Types of works that are no papers: https://developers.openalex.org/api-reference/work-types .
NO_PAPERS = frozenset(
    {"book-review", "dataset", "erratum", "grant", "libguides", "other", "paratext", "peer-review", "reference-entry",
     "retraction", "software", "supplementary-materials"}
)  # fmt: skip


@dataclass(slots=True)
class WorksByRequest:
    """The works of a reply under the DOIs, or identifiers, that asked for them."""

    found: dict[str, OpenAlexWork] = field(default_factory=dict)
    faults: dict[str, PayloadError] = field(default_factory=dict)
    # works that bear none of them, and entries of which it is not known which one they are
    strangers: list[str] = field(default_factory=list)
    is_partial: bool = False  # whether works may be missing that the service has

    @property
    def is_sound(self) -> bool:
        """Returns whether every entry is a work that was asked for, and none may be missing."""
        return not (self.faults or self.strangers or self.is_partial)


def join(wanted: Collection[str], page: WorksPage, *, by_id: bool = False) -> WorksByRequest:
    """Returns the works of a page under the DOIs that asked for them, or `by_id`, by what they say of themselves.

    Two works of one title may bear a DOI: that with more citations is taken, which others call by it. No two works have
    one identifier.

    Raises:
        BatchRefused: The answer has more works than a page holds.
        PayloadError: The page has fewer or more works than it counts, though one that it has twice is one.
    """
    count = len(page.works) + len(page.faults)
    works_once = _once(page.works)
    if page.total > count == MAX_IDS:
        raise BatchRefused(f"OpenAlex has {page.total} works for the {len(wanted)} asked for", source="openalex")
    if page.total not in (count, len(works_once) + len(page.faults)):
        raise unsound(f"{count} works, and counts {page.total}", field="meta")
    joined = WorksByRequest(is_partial=page.is_partial)
    for fault in page.faults:
        if fault.record in wanted:
            joined.faults[fault.record] = fault
        else:
            joined.strangers.append(fault.message)
    bearers: dict[str, list[OpenAlexWork]] = {}
    for work in works_once:
        named = ({work.work_id} if by_id else work.dois) & set(wanted)
        if not named:
            joined.strangers.append(f"{work.work_id} ({work.title[:90]!r})")
        for name in named:
            bearers.setdefault(name, []).append(work)
    numbers = Counter(work.work_id for work in works_once)
    for name, works in bearers.items():
        try:
            joined.found[name] = _work_under(name, works, numbers)
        except PayloadError as fault:
            joined.faults[name] = fault
    return joined


def _work_under(name: str, works: Sequence[OpenAlexWork], numbers: Mapping[str, int]) -> OpenAlexWork:
    """Returns the work under a DOI or identifier; `numbers` has how many works of the page have each identifier.

    Raises:
        PayloadError: Its works have several titles, or one has another work's identifier.
    """
    own = [work for work in works if work.doi == name] or works
    if len({title_key(work.title) for work in own}) > 1:
        raise unsound(f"several works under {name}", record=name, field="doi")
    if any(numbers[work.work_id] > 1 for work in own):
        raise unsound(f"several works as {own[0].work_id}", record=name, field="id")
    return max(own, key=lambda work: (work.citation_count or 0, work.work_id))


@dataclass(slots=True, kw_only=True)
class Hits:
    """What a search has found."""

    works: tuple[OpenAlexWork, ...]  # the works, each once
    # titles that an entry may be of which cannot be believed
    faults: dict[str, PayloadError] = field(default_factory=dict)
    is_partial: bool = False  # whether works may be missing that the service has


def hits(page: WorksPage, titles: Sequence[str], controls: Sequence[str]) -> Hits:
    """Returns the works that a search has found, where all of them came.

    `controls` are titles of works that the search surely finds.

    Raises:
        TooManyHits: There are more hits than a page holds.
        BatchRefused: Of one of the hits it is not known of which title it is.
        PayloadError: Hits are missing, or none of the works that are surely there came.
    """
    count = len(page.works) + len(page.faults)
    works = _once(page.works)
    if page.total > count == MAX_IDS:
        text = f"OpenAlex has {page.total} works that hold these words in their titles; not all were read"
        raise TooManyHits(text, source="openalex")
    if page.total not in (count, len(works) + len(page.faults)):
        raise unsound(f"{count} works, and counts {page.total}", field="meta")
    titles_there = (*(work.title for work in works), *page.fault_titles)
    if not page.is_partial and not any(holds_any(title, controls) for title in titles_there):
        raise unsound("an answer to a search without works that it has", field="results")
    numbers = Counter(work.work_id for work in works)
    doubled = [
        (work.title, unsound(f"several works under one identifier, {work.work_id}", record=work.work_id, field="id"))
        for work in works
        if numbers[work.work_id] > 1
    ]
    found = Hits(works=tuple(work for work in works if numbers[work.work_id] == 1), is_partial=page.is_partial)
    for title, fault in (*doubled, *zip(page.fault_titles, page.faults, strict=True)):
        concerned = titles_held(title, titles)
        if not concerned and not holds_any(title, controls):
            raise BatchRefused(fault.message, source="openalex") from fault
        found.faults |= dict.fromkeys(concerned, fault)
    return found


def titles_held(text: str, titles: Sequence[str]) -> list[str]:
    """Returns the titles whose phrases a work's title holds, so that a search for them finds it."""
    words = plain_words(text)
    return [title for title in titles if all(plain_words(part) in words for part in phrases(title))]


def contradicted(found: Sequence[OpenAlexWork], page: WorksPage) -> dict[str, tuple[str, str]]:
    """Returns the works of which two replies do not say the same: identifier -> the title in each, empty without one.

    What is compared is what a paper is known by: titles, people, years and identifiers. `page` is the reply in which
    they were looked up by their identifiers.
    """
    again: dict[str, list[OpenAlexWork]] = {}
    for work in _once(page.works):
        again.setdefault(work.work_id, []).append(work)
    others = [(work, again.get(work.work_id, [])) for work in found]
    return {
        work.work_id: (work.title, other[0].title if other else "")
        for work, other in others
        if [_known_by(work)] != [_known_by(each) for each in other]
    }


def _once(works: Sequence[OpenAlexWork]) -> tuple[OpenAlexWork, ...]:
    """Returns the works without those that the page has had before."""
    return tuple(work for number, work in enumerate(works) if work not in works[:number])


def _known_by(work: OpenAlexWork) -> tuple[object, ...]:
    return title_key(work.title), [author.name for author in work.authors], work.year, work.kind, work.dois


def paper_of(work: OpenAlexWork) -> OpenAlexPaper | None:
    """Returns the paper that a work is; None of what is none, or names neither people nor a year.

    OpenAlex has many works under the titles of others: front pages, slides, translations of an index entry. A title
    alone is no evidence.
    """
    if work.kind in NO_PAPERS or not work.authors or work.year is None:
        return None
    arxiv_ids = sorted(doi.removeprefix(arxiv_doi("")) for doi in work.dois if doi.startswith(arxiv_doi("")))
    arxiv_id = arxiv_ids[0] if len(arxiv_ids) == 1 else None
    doi = None if work.doi is None or work.doi.startswith(arxiv_doi("")) else work.doi
    identifiers = [Identifier("openalex", work.work_id)]
    identifiers += [Identifier("doi", doi)] if doi else []
    identifiers += [Identifier("arxiv", arxiv_id)] if arxiv_id else []
    return OpenAlexPaper(
        work_id=work.work_id,
        title=work.title,
        authors=tuple(author.name for author in work.authors),
        year=work.year,
        venue=work.primary.venue if work.primary and work.primary.venue_kind != "repository" else None,
        doi=doi,
        arxiv_id=arxiv_id,
        identifiers=tuple(identifiers),
    )

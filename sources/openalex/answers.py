"""What pages of works answer: the work under each DOI, and the papers that a title search found. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.errors import BatchRefused, PayloadError, TooManyHits
from sources.http.queries import phrases, plain_words
from sources.openalex.payload import WorksPage
from sources.openalex.record import OpenAlexWork, arxiv_doi, unsound
from sources.records import OpenAlexPaper
from sources.service_client import holds_any

MAX_IDS = 100
"""The most values of a filter, and the most works of a page: https://help.openalex.org/api/filtering ."""
_FEW = 2
"""So many works of a page may all lack what hardly a work lacks."""
NO_PAPERS = frozenset(
    {"book-review", "dataset", "erratum", "grant", "libguides", "other", "paratext", "peer-review", "reference-entry",
     "retraction", "software", "supplementary-materials"}
)  # fmt: skip
"""Types of works that are no papers: https://developers.openalex.org/api-reference/work-types ."""


@dataclass(slots=True)
class Joined:
    """The works of a reply under the DOIs that asked for them.

    Attributes:
        strangers: Works that bear none of the DOIs, and entries of which it is not known which one they are.
        is_partial: Whether works may be missing that the service has.
    """

    found: dict[str, OpenAlexWork] = field(default_factory=dict)
    faults: dict[str, PayloadError] = field(default_factory=dict)
    strangers: list[str] = field(default_factory=list)
    is_partial: bool = False

    @property
    def is_sound(self) -> bool:
        """Returns whether every entry is a work that was asked for, and none may be missing."""
        return not (self.faults or self.strangers or self.is_partial)


def join(wanted: Collection[str], page: WorksPage, *, most: int = MAX_IDS) -> Joined:
    """Returns the works of a page under the DOIs that asked for them, by what they say of themselves.

    Two works of one title may bear a DOI: that with more citations is taken, which others call by it. No two works have
    one identifier. Where most entries are unsound, or all lack what hardly a work lacks, none is believed.

    Args:
        wanted: The DOIs asked for.
        page: The page.
        most: How many works a page holds.

    Raises:
        BatchRefused: The answer has more works than a page holds.
        PayloadError: The page has fewer or more works than it counts, though one that it has twice is one.
    """
    count = len(page.works) + len(page.faults)
    works_once = _once(page.works)
    if page.total > count == most:
        raise BatchRefused(f"OpenAlex has {page.total} works for {len(wanted)} DOIs", source="openalex")
    if page.total not in (count, len(works_once) + len(page.faults)):
        raise unsound(f"{count} works, and counts {page.total}", field="meta")
    joined = Joined(is_partial=page.is_partial)
    for fault in page.faults:
        place = joined.faults if fault.record in wanted else None
        joined.strangers.append(fault.message) if place is None else place.update({fault.record: fault})
    bearers: dict[str, list[OpenAlexWork]] = {}
    for work in works_once:
        named = work.dois & set(wanted)
        if not named:
            joined.strangers.append(f"{work.work_id} ({work.title[:90]!r})")
        for doi in named:
            bearers.setdefault(doi, []).append(work)
    numbers = Counter(work.work_id for work in works_once)
    for doi, works in bearers.items():
        try:
            joined.found[doi] = _work_under(doi, works, numbers)
        except PayloadError as fault:
            joined.faults[doi] = fault
    text = "a work among entries that are mostly unsound" if 2 * len(page.faults) > count else _lacking(works_once)
    if text:
        joined.faults |= {doi: unsound(text, record=doi) for doi in joined.found}
        joined.found = {}
    return joined


def join_by_id(wanted: Collection[str], page: WorksPage, *, most: int = MAX_IDS) -> Joined:
    """Returns the works of a page under the identifiers that asked for them.

    Raises:
        PayloadError: The page has fewer or more works than it counts, or most of its works are unsound.
    """
    count = len(page.works) + len(page.faults)
    if page.total != count or count > most:
        raise unsound(f"{count} works, and counts {page.total}", field="meta")
    if 2 * len(page.faults) > count > _FEW or _lacking(page.works):
        raise unsound("works of which many cannot be read", field="results")
    joined = Joined(is_partial=page.is_partial)
    numbers = Counter(work.work_id for work in page.works)
    for work in page.works:
        if work.work_id not in wanted:
            joined.strangers.append(f"{work.work_id} ({work.title[:90]!r})")
        elif numbers[work.work_id] > 1:
            joined.faults[work.work_id] = unsound(f"several works as {work.work_id}", record=work.work_id, field="id")
        else:
            joined.found[work.work_id] = work
    for fault in page.faults:
        if fault.record in wanted:
            joined.faults[fault.record] = fault
        else:
            joined.strangers.append(fault.message)
    return joined


def _work_under(doi: str, works: Sequence[OpenAlexWork], numbers: Mapping[str, int]) -> OpenAlexWork:
    """Returns the work under a DOI; `numbers` has how many works of the page have each identifier.

    Raises:
        PayloadError: Its works have several titles, or one has another work's identifier.
    """
    own = [work for work in works if work.doi == doi] or works
    if len({title_key(work.title) for work in own}) > 1:
        raise unsound(f"several works under {doi}", record=doi, field="doi")
    if any(numbers[work.work_id] > 1 for work in own):
        raise unsound(f"several works as {own[0].work_id}", record=doi, field="id")
    return max(own, key=lambda work: (work.citation_count or 0, work.work_id))


def _lacking(works: Collection[OpenAlexWork]) -> str:
    """Returns what none of several works of a page has, though hardly a work lacks it; empty where there is none."""
    has = {
        "authors": any(work.authors for work in works),
        "a year": any(work.year for work in works),
        "a count": any(work.citation_count is not None for work in works),
    }
    missing = [name for name, is_there in has.items() if not is_there]
    return f"works all without {missing[0]}" if missing and len(works) > _FEW else ""


@dataclass(slots=True, kw_only=True)
class Hits:
    """What a search has found.

    Attributes:
        works: The works, each once.
        faults: Titles that an entry may be of which cannot be believed.
        is_partial: Whether works may be missing that the service has.
    """

    works: tuple[OpenAlexWork, ...]
    faults: dict[str, PayloadError] = field(default_factory=dict)
    is_partial: bool = False


def hits(page: WorksPage, titles: Sequence[str], controls: Sequence[str], *, most: int = MAX_IDS) -> Hits:
    """Returns the works that a search has found, where all of them came.

    Args:
        page: The page that answered the search.
        titles: The titles searched for.
        controls: Titles of works that the search surely finds.
        most: How many works a page holds.

    Raises:
        TooManyHits: There are more hits than a page holds.
        BatchRefused: Of one of the hits it is not known of which title it is.
        PayloadError: Hits are missing, or none of the works that are surely there came.
    """
    count = len(page.works) + len(page.faults)
    works = _once(page.works)
    if page.total > count == most:
        text = f"OpenAlex has {page.total} works that hold these words in their titles; not all were read"
        raise TooManyHits(text, source="openalex")
    if page.total not in (count, len(works) + len(page.faults)):
        raise unsound(f"{count} works, and counts {page.total}", field="meta")
    titles_there = (*(work.title for work in works), *page.fault_titles)
    if not page.is_partial and not any(holds_any(title, controls) for title in titles_there):
        raise unsound("an answer to a search without works that it has", field="results")
    numbers = Counter(work.work_id for work in works)
    doubled = [(work.title, _doubled(work)) for work in works if numbers[work.work_id] > 1]
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


def _doubled(work: OpenAlexWork) -> PayloadError:
    return unsound(f"several works under one identifier, {work.work_id}", record=work.work_id, field="id")


def contradicted(found: Sequence[OpenAlexWork], page: WorksPage) -> dict[str, tuple[str, str]]:
    """Returns the works of which two replies do not say the same: identifier -> the title in each, empty without one.

    What is compared is what a paper is known by: titles, people, years and identifiers.

    Args:
        found: The works as a search has them.
        page: The reply that the same works were looked up in, by their identifiers.
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

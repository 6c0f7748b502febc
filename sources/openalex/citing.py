"""The works that cite others, as pages of a list tell them: what may be believed of them, and when all came. Pure.

A work tells what it cites, so every link is read from the citing work itself. The filter and the pages are those of
https://developers.openalex.org/api-reference/works (`cites`) and /guides/page-through-results . A cursor reaches every
work, and goes on after the last one read, so that works that come meanwhile move nothing; without a key it is refused
(https://apify.com/bepolabs/openalex-works/changelog.md). Page numbers need no key and reach 10,000 works, more than is
ever asked for. Either way the order is made whole by the identifier
(`core/sort.py` of https://github.com/ourresearch/openalex-elastic-api).
OpenAlex's counts of citations differ a little from the works it lists (https://github.com/ropensci/openalexR/issues/115).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sources.errors import SourceError, TransientSourceError
from sources.http.replies import JsonObject, read_object
from sources.openalex.answers import MAX_IDS
from sources.openalex.record import parse_references, unsound, work_id_of

CITING_FIELDS = ("id", "referenced_works", "referenced_works_count")
"""What is asked for; all else is asked of the few works that are worth it."""
SHIFTED = "pages"
"""The field of the error of pages that do not fit together."""
MOST_PAGES = 100
"""Pages that can be reached by their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingQuestion:
    """A question for the works that cite some.

    Attributes:
        work_ids: Those that are cited, a hundred at the most.
        since: Only citing works that came out from this day on; None for all.
        most: So many citing works there may be; more are no answer.
    """

    work_ids: tuple[str, ...]
    most: int
    since: date | None = None

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
    """One page.

    Attributes:
        total: How many works the whole answer has.
        works: Citing work -> the works that it cites.
        next_cursor: Where the next page begins; None on the last one, and where pages have numbers.
    """

    total: int
    works: Mapping[str, tuple[str, ...]]
    next_cursor: str | None = None


@dataclass(slots=True, kw_only=True)
class CitingAnswer:
    """The citing works that came.

    Attributes:
        question: What was asked.
        works: Citing work -> all that it cites.
        error: Why not all of them came; None where they did.
    """

    question: CitingQuestion
    works: dict[str, tuple[str, ...]] = field(default_factory=dict)
    error: SourceError | None = None


def parse_citing(body: bytes, question: CitingQuestion, number: int | None) -> CitingPage:
    """Returns a page of citing works. A work that cites itself is no citing work, and no fault.

    Args:
        body: The reply's body.
        question: What was asked.
        number: The page's number, from 1; None for a page of which a cursor told where it begins.

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

    Args:
        pages: All of them.
        by_cursor: Whether each began where the one before ended, so that works may have come or gone meanwhile.

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

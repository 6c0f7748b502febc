"""Whether a work of OpenAlex is the paper that it was asked for, and figures that it hardly has. Pure.

OpenAlex is known to have works under the DOIs and authors of others
(https://github.com/rpatrik96/bibtexupdater/pull/71), and has flagged papers as retracted that were only corrected
(https://arxiv.org/abs/2403.13339). So a work must have the paper's title, and its people and year as far as they are
told. What a paper hardly comes to have is told twice before it is believed, and so is what many works of one reply have
in common.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sources.agreement import Description, compare, is_surely_one, moved_counts
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key
from sources.bounds import SURELY_CITED
from sources.errors import DisputedRecord
from sources.openalex.record import arxiv_doi

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sources.openalex.record import OpenAlexWork

_YEARS_APART = 5
"""Years between a paper and its work beyond which they are two; a preprint may be years older than its publication."""
MOST_AUTHORS = 100
"""So many authors of a work OpenAlex tells: https://help.openalex.org/data/authorships ."""
_FEW = 2
"""So many papers may have all their figures in common; that half of a reply's have one count is no chance either."""
_MUCH_CITED = 100
_TIMES = 10


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


def implausible(
    found: Mapping[str, OpenAlexWork], counts: Mapping[str, int | None], retracted: Collection[str]
) -> dict[str, DisputedRecord]:
    """Returns the faults of works that tell figures which a paper hardly comes to have, or share theirs with others.

    Args:
        found: Paper -> its work, all of one reply.
        counts: Paper -> its citations as OpenAlex last counted them.
        retracted: Those that OpenAlex has flagged as retracted before.
    """
    moved = moved_counts({item: (counts.get(item), work.citation_count) for item, work in found.items()})
    what = {item: f"with {found[item].citation_count} citations, which had {count}" for item, count in moved.items()}
    for item, work in found.items():
        most = max(work.citations_by_year.values(), default=0)
        if most >= _MUCH_CITED and work.citation_count is not None and most >= _TIMES * work.citation_count:
            what[item] = f"with {most} citations in a year, and {work.citation_count} in all"
    what |= dict.fromkeys(_sharing(found), "with the figures of other papers")
    flagged = {item for item, work in found.items() if work.retracted and item not in retracted}
    if len(flagged) > max(_FEW, len(found) // 2):
        what |= dict.fromkeys(flagged, "as retracted, like most papers of the reply")
    return {item: disputed_work(item, found[item], text) for item, text in what.items()}


def _sharing(found: Mapping[str, OpenAlexWork]) -> set[str]:
    """Returns the papers whose works share their count with most of the reply, or more with several."""
    alike: defaultdict[Any, set[str]] = defaultdict(set)
    for item, work in found.items():
        if (work.citation_count or 0) >= SURELY_CITED:
            alike[work.citation_count].add(item)
            alike[work.citation_count, *sorted(work.citations_by_year.items()), work.references].add(item)
        if len(work.references) > _FEW:
            alike["references", work.references].add(item)
    sharing: set[str] = set()
    for figures, items in alike.items():
        works = len({found[item].work_id for item in items})
        if works > (_FEW if isinstance(figures, tuple) else max(_FEW, len(found) // 2)):
            sharing |= items
    return sharing


def disputed_work(paper_id: str, work: OpenAlexWork, what: str, *, field: str = "figures") -> DisputedRecord:
    """Returns the fault of a work, in words that follow its title."""
    text = f"OpenAlex answered with {work.work_id}, {work.title[:90]!r}, {what}"
    return DisputedRecord(text, source="openalex", record=paper_id, field=field)

"""Years and venues of entries against those of the paper's versions, and preprints that have been published. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from sources.bibliography.identifiers import ArxivId
from sources.bibliography.titles import title_words
from sources.bibliography.venues import Kind, kind_of, known_venues, same_venue
from sources.bibliography.years import years_in
from sources.list_checks.findings import Entry, ListFinding, PaperFacts, Publication, finding
from sources.list_checks.list_text import ADDRESS
from sources.matching.relation import compare_titles
from sources.records import SERVICE_NAMES

_NEAR_YEARS = 1
"""So far apart may be the years of a meeting and of its proceedings, or of a preprint and its first version."""
_LATE_YEARS = 3
"""So many years after all versions that are known another may come out, such as a journal's."""
_ODD_SHARE = 0.2
"""Of a list of which so many years are those of no version, the years mean something else, such as when it was read."""
_LONGEST_ENTRY, _PIECE = 6_000, 200
"""Characters of an entry in which a venue is looked for, and of them those that are looked at together."""
_SPECIAL = ("workshop", "findings", "tutorial", "demo", "poster", "abstract", "companion", "extended", "track")


def check_publication(entries: Sequence[Entry]) -> Iterator[ListFinding]:
    """Yields findings about years and venues that no version of the paper has, and about preprints now published."""
    dated = [entry for entry in entries if entry.paper is not None and entry.mention.year is not None]
    odd = {id(entry): years for entry in dated if (years := _years_against(entry))}
    if len(odd) <= max(2, _ODD_SHARE * len(dated)):
        for entry in dated:
            if id(entry) in odd:
                yield _year_finding(entry, odd[id(entry)])
    for entry in entries:
        if entry.paper is not None:
            yield from _venue_finding(entry, entry.paper)
            yield from _published(entry, entry.paper)


def known_years(paper: PaperFacts) -> frozenset[int]:
    """Returns the years of all versions that are known of a paper."""
    years: list[int | None] = [paper.year, *(version.year for version in paper.publications)]
    if paper.arxiv_id:
        years.append(ArxivId(paper.arxiv_id).year)
    named = (years_in(venue) for venue in (paper.venue, *(version.venue for version in paper.publications)))
    return frozenset(year for year in years if year).union(*named)


def _years_against(entry: Entry) -> frozenset[int]:
    """Returns the years of the paper's versions, where the entry's year is that of none; else none.

    Where only arXiv tells of a paper, it may have come out years before it was brought there.
    """
    paper, year = entry.paper, entry.mention.year
    if paper is None or year is None or not _is_title_of(entry, paper):
        return frozenset()
    years = known_years(paper)
    if not years or min(abs(year - known) for known in years) <= _NEAR_YEARS:
        return frozenset()
    if min(years) < year < max(years):
        return frozenset()
    if year < min(years):
        return years if paper.publications or set(paper.sources) - {"arxiv"} else frozenset()
    return years if year > max(years) + _LATE_YEARS else frozenset()


def _year_finding(entry: Entry, years: frozenset[int]) -> ListFinding:
    words = " and ".join(map(str, sorted(years)))
    message = f"The year is {entry.mention.year}; the paper is of {words}."
    return finding("year-at-odds", entry.mention, message, *_versions(entry.paper))


def _versions(paper: PaperFacts | None) -> Iterator[str]:
    """Yields a phrase for each version of a paper."""
    if paper is None:
        return
    if paper.arxiv_id:
        yield f"arXiv:{paper.arxiv_id} of {ArxivId(paper.arxiv_id).year}"
    yield from map(_described, paper.publications)
    if not paper.publications and (paper.venue or paper.year):
        yield " ".join(filter(None, (paper.venue, str(paper.year or ""))))


def _described(version: Publication) -> str:
    """Returns where and when a version came out, its DOI, and who says so."""
    venue = version.venue or ""
    year = str(version.year) if version.year and str(version.year) not in venue else ""
    doi = f"doi:{version.doi}" if version.doi else ""
    place = " ".join(filter(None, (venue, year)))
    return f"{', '.join(filter(None, (place, doi)))} ({SERVICE_NAMES.get(version.source, version.source)})"


def _is_title_of(entry: Entry, paper: PaperFacts) -> bool:
    """Returns whether an entry has the paper's whole title, so that it is about no other paper of its authors."""
    written = title_words(entry.mention.title or "")
    evidence = compare_titles(written, title_words(paper.title))
    return evidence.relation in ("same", "named") and not evidence.rivals and evidence.words >= 3


def _venue_finding(entry: Entry, paper: PaperFacts) -> Iterator[ListFinding]:
    """Yields a finding where the entry names a conference, and the paper came out at another, or so of a journal.

    A journal beside a conference is nothing: many papers come out in both, and not all versions are known.
    """
    written = entry.mention.venue
    if not written or not _is_title_of(entry, paper) or any(word in written.lower() for word in _SPECIAL):
        return
    venues = [version.venue for version in paper.publications] or [paper.venue]
    published = [venue for venue in venues if venue and kind_of(venue) is not Kind.PREPRINT]
    kind, mine = kind_of(written), known_venues(written)
    if not mine or not published or kind not in (Kind.CONFERENCE, Kind.JOURNAL):
        return
    theirs = [known_venues(venue) for venue in published]
    if not all(theirs) or any(kind_of(venue) is not kind for venue in published):
        return
    if any(mine & names for names in theirs) or any(same_venue(written, venue) for venue in published):
        return
    if any(word in venue.lower() for venue in published for word in _SPECIAL):
        return
    message = f"The venue is “{written}”; the paper came out in {published[0]}."
    yield finding("venue-at-odds", entry.mention, message, *_versions(paper))


def _published(entry: Entry, paper: PaperFacts) -> Iterator[ListFinding]:
    """Yields a finding where the entry gives the preprint alone, and a published version is known."""
    mention = entry.mention
    if not mention.arxiv_id or mention.arxiv_id != paper.arxiv_id or not paper.publications:
        return
    own = [item for item in mention.identifiers if item.scheme != "arxiv" and not item.value.startswith("10.48550/")]
    if own or (mention.venue and kind_of(mention.venue) is not Kind.PREPRINT):
        return
    named = _venues_in(mention.text)
    if any(known_venues(version.venue or "") & named for version in paper.publications):
        return
    first = paper.publications[0]
    place = " ".join(filter(None, (first.venue or f"doi:{first.doi}", str(first.year or ""))))
    message = f"The preprint has been published: {place}."
    yield finding("published-version", mention, message, *map(_described, paper.publications))


def _venues_in(text: str) -> frozenset[str]:
    """Returns the conferences and journals that an entry names anywhere but in its addresses."""
    words = ADDRESS.sub(" ", text)[:_LONGEST_ENTRY]
    return frozenset[str]().union(*map(known_venues, wrap(words, _PIECE)))

"""Published versions of preprints, from arXiv, DBLP and OpenAlex, and their rows.

A false version is worse than none. What authors told arXiv counts as they wrote it, unless they only hope to publish.
Records of DBLP and OpenAlex count where title and all people are the preprint's and the year is not before the
preprint's: works are presented, written up and posted again under one title. Each publication is a version of its own:
a conference's and the journal's that extends it are never one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

from sources import bounds
from sources.bibliography.identifiers import ArxivId
from sources.bibliography.names import same_people
from sources.bibliography.titles import title_key
from sources.bibliography.venues import Kind, kind_of
from sources.records import ArxivPaper, DblpPaper
from sources.services.openalex.answers import MOST_AUTHORS
from sources.services.openalex.record import OpenAlexWork, arxiv_doi, location_doi
from warehouse.papers.lake_papers import KnownPapers
from warehouse.papers.paper_merge import RunPapers
from warehouse.tables.declarations import PublishedVersionColumns, PublishedVersionRow

# DBLP's kinds of records that are published versions; a thesis or a book of that title is another work.
_KINDS = {"article": "journal", "inproceedings": "conference", "incollection": "collection"}
# OpenAlex's kinds of places where published versions are: https://help.openalex.org/data/sources .
_VENUES = {"journal": "journal", "conference": "conference", "book series": None}
_HOPED_FOR = re.compile(
    r"\b(submit\w*|submission|under (?:review|revision|consideration)|in (?:review|preparation|revision)|preprint|"
    r"draft|unpublished|rejected|withdrawn|not (?:yet )?(?:published|accepted)|arxiv|technical report|tech\.? rep)\b",
    re.IGNORECASE,
)
# Registrants of preprints, data and slides: arXiv, bioRxiv, SSRN, Zenodo, figshare, OSF, TechRxiv and the like.
_PREPRINT_DOI = re.compile(
    r"10\.(?:48550|1101|2139|5281|6084|31219|31222|31224|31234|36227|20944|21203|22541|26434|2172|33774|14293)/"
)
_IN_BRACKETS = re.compile(r"\((?:[^()]*\D)?((?:19|20)\d\d)\)")
_YEAR = re.compile(r"(?<![\d./:-])((?:19|20)\d\d)(?![\d/:-]|\.\d)")
_LONGEST = 300  # characters of a reference that are stored


def versions_told(record: ArxivPaper | DblpPaper, arxiv_id: str, *, today: date) -> list[PublishedVersionColumns]:
    """Returns what a record about the preprint `arxiv_id` says of its published versions."""
    if isinstance(record, ArxivPaper):
        doi = None if record.doi is None or _PREPRINT_DOI.match(record.doi) else record.doi
        venue = " ".join((record.journal_ref or "").split())[:_LONGEST] or None
        if venue is not None and (_HOPED_FOR.search(venue) or not re.search(r"[^\W\d_]{2}", venue)):
            venue = None
        if venue is None and doi is None:
            return []
        kind = {Kind.JOURNAL: "journal", Kind.CONFERENCE: "conference"}.get(kind_of(venue)) if venue else None
        year = _year_of(venue, today) if venue else None
        return [{"source": "arxiv", "record": record.arxiv_id, "kind": kind, "venue": venue, "year": year, "doi": doi}]
    first_year = ArxivId(arxiv_id).year
    return [
        {
            "source": "dblp",
            "record": each.key,
            "kind": _KINDS[each.kind],
            "venue": each.venue,
            "year": each.year,
            "doi": each.doi,
        }
        for each in (record, *record.others)
        if each.kind in _KINDS and each.year is not None and each.year >= first_year
    ]


def version_of_work(
    work: OpenAlexWork, title: str, authors: Sequence[str], arxiv_id: str
) -> PublishedVersionColumns | None:
    """Returns the published version of the preprint that OpenAlex's work of it is; None where it is not surely one.

    That is the copy nearest to the version of record, where it is in a journal or in proceedings, as the work's
    year and DOI are those of this copy. A work that has another preprint is another one; that of one person alone must
    name the preprint.
    """
    place, preprints = work.primary, {doi for doi in work.dois if doi.startswith(arxiv_doi(""))}
    if place is None or work.doi is None or place.version != "publishedVersion" or place.venue_kind not in _VENUES:
        return None
    if _PREPRINT_DOI.match(work.doi) or location_doi(place) not in (None, work.doi):
        return None
    if preprints - {arxiv_doi(arxiv_id)} or work.year is None or work.year < ArxivId(arxiv_id).year:
        return None
    names = [author.name for author in work.authors]
    known = authors[:MOST_AUTHORS] if len(names) >= MOST_AUTHORS else authors  # OpenAlex names no more
    if title_key(work.title) != title_key(title) or not same_people(names, known):
        return None
    if len(names) == 1 and not preprints:
        return None
    return {
        "source": "openalex",
        "record": work.doi,  # as OpenAlex's own numbers change when it merges works
        "kind": _VENUES[place.venue_kind],
        "venue": place.venue,
        "year": work.year,
        "doi": work.doi,
    }


def _year_of(reference: str, today: date) -> int | None:
    """Returns the year of a reference: that in brackets, else the only one; volumes and pages may look like years."""
    for found in (_IN_BRACKETS.findall(reference), _YEAR.findall(reference)):
        years = {int(year) for year in found if bounds.is_year(int(year), today=today)}
        if years:
            return years.pop() if len(years) == 1 else None
    return None


def work_titled_alike(
    works: Iterable[DblpPaper], title: str, authors: Sequence[str], arxiv_id: str
) -> DblpPaper | None:
    """Returns the only work with the preprint's whole title by all of its people; None where there is none, or two.

    A work that has another preprint is another one. One person alone may have a namesake: DBLP must then name the
    preprint itself, which it is found by.
    """
    alike = [work for work in works if title_key(work.title) == title_key(title) and work.arxiv_id in (None, arxiv_id)]
    own = [work for work in alike if same_people(work.authors, authors)]
    return own[0] if len(own) == 1 and (len(authors) > 1 or own[0].arxiv_id == arxiv_id) else None


def version_rows(
    run_papers: RunPapers,
    *,
    known: KnownPapers,
    now: datetime,
    absent: Iterable[tuple[str, str]] = (),
    works: Mapping[str, OpenAlexWork] | None = None,
) -> list[PublishedVersionRow]:
    """Returns the rows that are new or differ from those in the lake.

    A version that a source no longer names in this run is marked as gone; of a source without an answer in this run,
    what the lake knows stays.

    To be called after all merges. `absent` are papers and the sources that answered in this run, and have no record of
    them; `works` is paper -> OpenAlex's work of it, as received in this run.
    """
    versions: defaultdict[tuple[str, str], list[PublishedVersionColumns]] = defaultdict(list)
    versions |= {(run_papers.current(paper_id), source): [] for paper_id, source in absent}
    for (named, source), record in run_papers.records.items():
        paper_id = run_papers.current(named)
        arxiv_id = run_papers.rows[paper_id]["arxiv_id"]
        if arxiv_id is not None and isinstance(record, ArxivPaper | DblpPaper):
            versions[paper_id, source] += versions_told(record, arxiv_id, today=now.date())
    for paper_id, work in (works or {}).items():
        paper = run_papers.rows[run_papers.current(paper_id)]
        if paper["arxiv_id"] is not None:
            version = version_of_work(work, paper["title"], paper["authors"], paper["arxiv_id"])
            versions[paper["paper_id"], "openalex"] += [version] if version else []
    stored = {
        (row["paper_id"], row["source"], row["record"]): row
        for row in known.published_versions(paper_id for paper_id, _ in versions)
    }
    rows: dict[tuple[str, str, str], PublishedVersionRow] = {}
    for (paper_id, source), own in versions.items():
        for version in own:
            key = (paper_id, source, version["record"])
            since = stored[key]["first_seen_at"] if key in stored else now
            rows[key] = {**version, "paper_id": paper_id, "first_seen_at": since, "gone_at": None}
    gone = [
        row | {"gone_at": row["gone_at"] or now}
        for key, row in stored.items()
        if key not in rows and (row["paper_id"], row["source"]) in versions
    ]
    return [
        row for row in (*rows.values(), *gone) if stored.get((row["paper_id"], row["source"], row["record"])) != row
    ]

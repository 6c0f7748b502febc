"""Answers titles and identifiers from the local mirrors, so that services are asked less.

A complete mirror has everything that its source had at the mirror's date, so what it lacks did not exist then. Mentions
with a year before the mirror's are answered by the mirror alone. Mentions with a later year, or none, may be newer:
they are searched for, but only with batched requests, never with one request for each title.

Possible titles are too doubtful for a mention, and for a request. They are looked up in the lake, in the mirrors, and
among the papers of the run. One that is the whole title of exactly one paper becomes a mention; of the others nothing
is stored, so every refresh looks them up again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from flows.refresh.revisions import MentionState
from flows.refresh.run_rows import RunParts
from flows.refresh.services import Service
from sources.bibliography.identifiers import Identifier
from sources.bibliography.titles import title_key
from sources.errors import DisputedRecord
from sources.matching.candidates import Candidate, candidate_of
from sources.matching.lookup import Known, Resolution, open_mentions
from sources.matching.mention_queries import is_telling, search_titles_for
from sources.matching.resolve import by_whole_title
from sources.records import DblpPaper, Mention, SourceName, TitleAnswer
from warehouse.loading.reply_spool import is_ahead
from warehouse.mirrors import DblpMirror, Mirrors, Release
from warehouse.papers.paper_facts import is_of
from warehouse.papers.paper_merge import RunPapers
from warehouse.papers.published_versions import work_titled_alike

_SOURCES: tuple[SourceName, ...] = ("arxiv", "s2", "dblp")


class PossibleTitles:
    """The possible titles of one run that no paper was found for yet.

    Those without a distinctive word are skipped.
    """

    def __init__(self, entries: Iterable[MentionState]) -> None:
        self.entries = [entry for entry in entries if is_telling(entry.mention.title or "")]
        self._titles = {title_key(entry.mention.title or ""): entry.mention.title or "" for entry in self.entries}
        self._found: defaultdict[str, list[Candidate]] = defaultdict(list)

    def look_up(self, known: Known, mirrors: Mirrors) -> None:
        """Looks the titles up in the lake and in the mirrors."""
        if not self._titles:
            return
        for candidates in known.by_title_keys(self._titles).values():
            self.note(candidates)
        self.note(candidate_of(paper, "mirror") for paper in mirrors.by_whole_titles(self._titles.values()))

    def note(self, candidates: Iterable[Candidate]) -> None:
        """Notes papers that may have one of the titles."""
        for candidate in candidates:
            key = title_key(candidate.title)
            if key in self._titles and candidate not in self._found[key]:
                self._found[key].append(candidate)

    def settled(self, barred: Mapping[int, Collection[Identifier]]) -> Sequence[Resolution]:
        """Returns the resolutions of those that are the title of exactly one paper, by position in `entries`."""
        items = open_mentions((entry.mention for entry in self.entries), barred)
        return by_whole_title(items, self._found).resolved


def barred(entries: Sequence[MentionState]) -> dict[int, tuple[Identifier, ...]]:
    """Returns position of an entry -> papers that a person rejected for it."""
    return {
        position: entry.decision.refused
        for position, entry in enumerate(entries)
        if entry.decision and entry.decision.refused
    }


@dataclass(frozen=True, slots=True)
class MirrorFirstSearch:
    """A title search that sends no request for titles which a mirror has answered.

    `in_mirror` are the keys of those titles.
    """

    service: Service
    in_mirror: frozenset[str] = field(default_factory=frozenset)

    @property
    def name(self) -> SourceName:
        """Returns the service's name."""
        return self.service.name

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[Any]:
        """Returns the service's answer for `titles`; those answered by a mirror count as answered, without papers."""
        in_mirror = frozenset(title for title in titles if title_key(title) in self.in_mirror)
        wanted = [title for title in titles if title not in in_mirror]
        if not wanted:
            return TitleAnswer(requested=tuple(titles), answered=in_mirror)
        answer = self.service.search_titles(wanted)
        return replace(answer, requested=tuple(titles), answered=answer.answered | in_mirror)


def questions(
    mentions: Iterable[Mention], mirrors: Mirrors, *, arxiv: Service, s2: Service
) -> tuple[tuple[MirrorFirstSearch, ...], Service | None]:
    """Returns which services to ask for the titles of `mentions`, after the `mirrors` were searched.

    These are the batched searches in their order, and the service that is asked with one request for each title. The
    mirror of Semantic Scholar has arXiv's papers too, so with a complete one arXiv is not searched.
    """
    whole_arxiv, whole_s2 = mirrors.arxiv.whole_release, mirrors.s2.whole_release
    if whole_s2 is not None:
        return (MirrorFirstSearch(s2, _answered(mentions, whole_s2)),), None
    return (MirrorFirstSearch(s2), *([] if whole_arxiv else [MirrorFirstSearch(arxiv)])), s2


def _answered(mentions: Iterable[Mention], release: Release) -> frozenset[str]:
    """Returns the keys of titles that only mentions older than the mirror have."""
    old: set[str] = set()
    newer: set[str] = set()
    for mention in mentions:
        is_old = mention.year is not None and mention.year < release.as_of.year
        (old if is_old else newer).update(map(title_key, search_titles_for(mention)))
    return frozenset(old - newer)


def harvest_mirrors(paper_ids: Collection[str], run: RunParts) -> None:
    """Enters the mirrors' records of papers that their sources have not described, or not since.

    It is dated as the mirror is, so that the services are asked again for what is older than it may be. That a source
    without a service does not have a paper only its whole release tells; in a part the paper is looked for each time.
    """
    mirrors, run_papers, now = run.mirrors, run.papers, run.now
    dated = {source: told_at for source in _SOURCES if (told_at := mirrors.told_at(source)) is not None}
    harvests = {(row["paper_id"], row["source"]): row for row in run.known.harvests(paper_ids)} if dated else {}
    current = sorted({run_papers.current(item) for item in paper_ids})
    for source, told_at in dated.items():
        wanted = [  # those whose source answered before the mirror
            item
            for item in current
            if (last := harvests.get((item, source))) is None
            or last["asked_at"] < told_at
            or is_ahead(last["asked_at"], now)
        ]
        run_papers.read(paper_ids=wanted)
        owners = {identifier: item for item in wanted for identifier in run_papers.identifiers(item)}
        claimed = run_papers.claimed(wanted)
        found = dict(mirrors.tell(source, {*owners, *claimed}))
        for identifier in claimed.keys() & found.keys():
            if not is_of(found[identifier], run_papers.rows[claimed[identifier]], [identifier]):
                del found[identifier]
        run_papers.read(records=found.values())
        for identifier, record in found.items():
            with suppress(DisputedRecord):  # the service itself is asked then
                run_papers.add(record, fetched_at=told_at, also=[identifier])
        release = mirrors.dblp.release if source == mirrors.dblp.source else None  # DBLP is known by its files alone
        if release is not None:
            _find_by_title(wanted, mirrors.dblp, run_papers)
        for paper_id in wanted:
            if run_papers.received_at(paper_id, source):
                run.notes.note_found(paper_id, source, told_at)
            elif release is not None and release.whole:
                run.notes.note_absent(paper_id, source)


def _find_by_title(paper_ids: Collection[str], mirror: DblpMirror, run_papers: RunPapers) -> None:
    """Notes DBLP's works with title and people of preprints that it has no record of, for their published versions.

    Nothing else of the paper changes by them: no identifier leads to them.
    """
    rows = {item: run_papers.rows[item] for item in paper_ids if not run_papers.received_at(item, "dblp")}
    titles = {item: row["title"] for item, row in rows.items() if row["arxiv_id"] and len(row["authors"]) > 1}
    works: defaultdict[str, list[DblpPaper]] = defaultdict(list)
    for work in mirror.by_whole_titles(titles.values()) if titles else ():
        works[title_key(work.title)].append(work)
    for item, title in titles.items():
        own = work_titled_alike(works[title_key(title)], title, rows[item]["authors"], rows[item]["arxiv_id"] or "")
        if own is not None:
            run_papers.records[item, "dblp"] = own

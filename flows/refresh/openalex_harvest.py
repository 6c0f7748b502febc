"""Asks OpenAlex about the papers of a run and their citation graph, and makes rows of the works that agree.

Nothing is written of a work that is not surely the paper (`sources.services.openalex.answers`). A paper is asked for by
its DOI and, where that brings nothing, by the one that arXiv gave it: of a work with both OpenAlex has the published
one alone.

Counts of OpenAlex stand beside those of Semantic Scholar and are compared with earlier ones of its own only.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil

from flows.refresh.run_rows import RunParts
from flows.refresh.services import Service
from sources.bibliography.identifiers import Identifier
from sources.errors import (
    AllowanceSpent,
    DisputedRecord,
    PayloadError,
    SourceError,
    SourceUnreachable,
)
from sources.http.queries import batches
from sources.records import BatchAnswer, SourceName
from sources.services.agreement import described_by_row
from sources.services.openalex.answers import MAX_IDS, CitingQuestion, dispute, disputed_work
from sources.services.openalex.record import OpenAlexWork, arxiv_doi, is_askable
from sources.text import counted
from warehouse.loading.reply_spool import due, due_again, is_ahead
from warehouse.papers.citation_graph import CitationGraph, CitedPaper, WorkRows
from warehouse.tables.declarations import HarvestRow

_MOST_CITING = 1_000  # citing works of a batch: so many are lost at the most where a page does not come
_MOST_WORKS = 2_000  # works outside about which a run asks
_ENDING = (AllowanceSpent, SourceUnreachable)  # errors after which no more is asked in the run


@dataclass(frozen=True, slots=True)
class GraphHarvester:
    """Asks OpenAlex for the works that cite the papers of lists, and about those that lists may miss.

    Each request costs a credit of the free allowance, half of which is left to the papers themselves. What does not fit
    into a run waits for the next one.
    """

    graph: CitationGraph  # what is known, and what is worth asking
    most_requests: int  # requests that may be sent; tries after a fault come on top

    def plan(self) -> int:
        """Returns the fewest requests that it takes to ask for all that is due as far as it is known now."""
        works = ceil(len(self.graph.due_works(_MOST_WORKS)) / MAX_IDS)
        citing = sum(max(1, ceil(_expected(batch) / MAX_IDS)) for batch in _batches(self.graph.due_papers()))
        return min(citing + works, self.most_requests)

    def harvest(self, service: Service) -> None:
        """Asks for citing works, then for the facts of works outside, for which a quarter of the requests is left.

        What those do not need goes to further citing works.
        """
        stop_at = service.requests_sent + self.most_requests
        with suppress(SourceError):  # the service is down, or its allowance spent
            self._ask(service, stop_at - min(self.most_requests // 4, _MOST_WORKS // MAX_IDS), stop_at)
            self._ask(service, stop_at, stop_at)

    def _ask(self, service: Service, citing_until: int, stop_at: int) -> None:
        for batch in _batches(self.graph.due_papers(), room=lambda: MAX_IDS * (citing_until - service.requests_sent)):
            self._ask_citing(service, batch, citing_until - service.requests_sent)
        for works in batches(self.graph.due_works(_MOST_WORKS), most=MAX_IDS):
            if (left := stop_at - service.requests_sent) < 1:
                return
            self._ask_works(service, works, left)

    def _ask_citing(self, service: Service, batch: Sequence[CitedPaper], left: int) -> None:
        days = [paper.since for paper in batch]
        question = CitingQuestion(
            work_ids=tuple(paper.openalex_id for paper in batch),
            since=min((day for day in days if day), default=None) if all(days) else None,
            most=2 * _expected(batch) + MAX_IDS,
        )
        answer, at = service.ask(
            f"works that cite {counted(len(batch), 'paper')}",
            lambda client: client.fetch_citing(question, most_requests=left),
        )
        if isinstance(answer.error, _ENDING):
            raise answer.error
        if answer.error is not None:
            service.note_failures({batch[0].openalex_id: answer.error})
        self.graph.note_citing(batch, answer, at)

    def _ask_works(self, service: Service, works: Sequence[str], left: int) -> None:
        answer, at = service.ask(
            counted(len(works), "work") + " outside of the lists",
            lambda client: client.fetch_works(works, most_requests=left),
        )
        failed = {work: error for work, error in answer.failed.items() if not isinstance(error, _ENDING)}
        if failed:
            service.note_failures(failed)
        texts = {work: str(error) for work, error in failed.items()}
        self.graph.note_works(answer.found, answer.not_found, texts, at)
        for error in answer.failed.values():
            if isinstance(error, _ENDING):
                raise error


def _batches(
    papers: Iterable[CitedPaper], room: Callable[[], int] = lambda: _MOST_CITING
) -> Iterator[list[CitedPaper]]:
    """Yields papers together whose citing works are asked for at once.

    Those that are new to it go apart from the others, and those that failed in batches that get smaller with each try,
    down to the one that is to blame.

    `room` returns for how many citing works there is still room; papers for which it is too small are left out.
    """
    groups: defaultdict[tuple[bool, int], deque[CitedPaper]] = defaultdict(deque)
    for paper in papers:
        groups[paper.since is not None, paper.last["tries"] if paper.last else 0].append(paper)
    for (_, tries), group in sorted(groups.items()):
        while group:
            most = min(room(), _MOST_CITING)
            batch: list[CitedPaper] = []
            while group and len(batch) < max(1, MAX_IDS >> 2 * tries) and _expected([*batch, group[0]]) <= most:
                batch.append(group.popleft())
            if not batch:
                break
            yield batch


def _expected(papers: Iterable[CitedPaper]) -> int:
    return sum(paper.citation_count for paper in papers)


SOURCE: SourceName = "openalex"


class WorkHarvester:
    """Updates what OpenAlex says of papers."""

    def __init__(self, run: RunParts) -> None:
        self._known, self._papers, self._notes, self._now = run.known, run.papers, run.notes, run.now
        self._max_age, self._service = run.settings.max_age, run.services.openalex
        self.rows = WorkRows()
        self.works: dict[str, OpenAlexWork] = {}

    def harvest(self, paper_ids: Collection[str]) -> None:
        """Requests the works of the papers that are due, in two rounds at most, and makes rows of them.

        A preprint that was published may be two works, each with citations of its own. The published work is then
        without the place at arXiv, so that arXiv's DOI is asked for, too, and the work with more citations is taken.
        A paper without a DOI that a search at OpenAlex has found is asked for by OpenAlex's own identifier.
        """
        named = self._known.identified_by(("doi", "arxiv", SOURCE)) | self._papers.rows.keys()
        current = sorted(named.intersection(map(self._papers.current, paper_ids)))
        self._notes.before |= {(row["paper_id"], row["source"]): row for row in self._known.harvests(current)}
        stale = [item for item in current if self._is_due(item)]
        quiet = self._known.unmoved(stale, now=self._now, source=SOURCE) if stale else set()
        self._papers.read(paper_ids=stale)
        dois: dict[str, list[str]] = {}  # by which a paper is asked for, the published one first
        for item in stale:
            if self._is_due(item, quiet):
                row = self._papers.rows[item]
                own = (row["doi"] or "", arxiv_doi(row["arxiv_id"]) if row["arxiv_id"] else "")
                dois[item] = list(dict.fromkeys(filter(is_askable, own)))
        works: dict[str, OpenAlexWork] = {}
        errors: dict[str, SourceError] = {}
        for turn in range(max(map(len, dois.values()), default=0)):
            wanted: defaultdict[str, list[str]] = defaultdict(list)
            for paper_id, own_dois in dois.items():
                work = works.get(paper_id)
                is_open = isinstance(errors.get(paper_id), DisputedRecord | None)
                is_open = is_open if work is None else turn > 0 and own_dois[-1] not in work.dois
                if turn < len(own_dois) and is_open:
                    wanted[own_dois[turn]].append(paper_id)
            answer = self._service.fetch_papers([Identifier("doi", doi) for doi in wanted])
            self._weigh(answer, {Identifier("doi", doi): items for doi, items in wanted.items()}, works, errors)
        numbered = {item: [each for each in self._papers.identifiers(item) if each.scheme == SOURCE] for item in dois}
        numbers = {ids[0]: [item] for item, ids in numbered.items() if ids and not dois[item]}
        self._weigh(self._service.fetch_papers(list(numbers), "fetch_works"), numbers, works, errors)
        paper_ids = {item for item, own_dois in dois.items() if own_dois}.union(*numbers.values())
        self._note(paper_ids, works, errors)

    def _weigh(
        self,
        answer: BatchAnswer[Identifier, OpenAlexWork],
        wanted: Mapping[Identifier, Collection[str]],
        works: dict[str, OpenAlexWork],
        errors: dict[str, SourceError],
    ) -> None:
        """Adds to `works` and `errors` what an answer says of the papers for which identifiers were requested."""
        found = {item: work for identifier, work in answer.found.items() for item in wanted[identifier]}
        disputes = {item: fault for item, work in found.items() if (fault := self._dispute(item, item, work))}
        agreeing = {item: work for item, work in found.items() if item not in disputes}
        before = self._known.openalex_works(agreeing) if agreeing else {}
        own_ids = {item: _identifiers(work.work_id, work.doi) for item, work in agreeing.items()}
        known = {item: _identifiers(row["openalex_id"], row["doi"]) for item, row in before.items()}
        self._papers.read(identifiers=[identifier for own in own_ids.values() for identifier in own])
        faults: dict[str, DisputedRecord] = {}  # of works with an identifier that is a paper's of another title
        for item, identifier in [(item, own) for item, each in own_ids.items() for own in each]:
            owner = self._papers.owners.owner(identifier)
            if owner is None or identifier in known.get(item, ()):
                continue
            row, work = self._papers.rows[self._papers.current(owner)], agreeing[item]
            if row["paper_id"] != item and self._dispute(item, row["paper_id"], work):
                faults[item] = disputed_work(item, work, f"with {identifier}, which is {row['title']!r:.90}")
        believed = {item for item, fault in faults.items() if self._notes.believe_if_repeated(item, SOURCE, fault)}
        disputes |= {item: fault for item, fault in faults.items() if item not in believed}
        for item, work in agreeing.items():
            other = works.get(item)
            if item not in disputes and (other is None or (work.citation_count or 0) > (other.citation_count or 0)):
                works[item] = work
        errors.update(disputes)
        for identifier, error in answer.failed.items():
            errors.update(dict.fromkeys(wanted[identifier], error))

    def _dispute(self, item: str, paper_id: str, work: OpenAlexWork) -> DisputedRecord | None:
        """Returns the fault of a work sent for the paper `item` that is not surely the paper `paper_id`."""
        row = self._papers.rows[paper_id]
        return dispute(item, described_by_row(row), work, arxiv_id=row["arxiv_id"])

    def _is_due(self, paper_id: str, quiet: Collection[str] = ()) -> bool:
        """Returns whether a paper is due; one of the `quiet`, whose count has long been the same, less often."""
        last = self._last(paper_id)
        told_at = self._service.told_at
        if last is not None and last["status"] == "found" and told_at is not None:
            return last["asked_at"] < told_at or is_ahead(last["asked_at"], self._now)
        if last is not None and last["status"] == "failed" and last["tries"]:
            return due_again(last["asked_at"], last["tries"], max_age=self._max_age, now=self._now)
        return bool(due([paper_id], [last] if last else [], SOURCE, max_age=self._max_age, now=self._now, quiet=quiet))

    def _last(self, paper_id: str) -> HarvestRow | None:
        return self._notes.before.get((paper_id, SOURCE))

    def _note(
        self, paper_ids: Collection[str], works: Mapping[str, OpenAlexWork], errors: Mapping[str, SourceError]
    ) -> None:
        own_ids = {item: Identifier("openalex", work.work_id) for item, work in works.items()}
        self._papers.read(identifiers=own_ids.values())
        owners = self._papers.owners
        # From all papers before any is given its own number: they may have been exchanged by mistake.
        for paper_id, own_id in own_ids.items():
            owners.retire(paper_id, {item for item in owners.of(paper_id) if item.scheme == SOURCE} - {own_id})
        for paper_id in sorted(paper_ids):
            if (work := works.get(paper_id)) is not None:
                at = self._service.fetched_at(work)
                origin = self._service.origin(work.work_id, at)
                self._papers.give(paper_id, [own_ids[paper_id]])
                self.rows.add(paper_id, work, at, origin)
                self.works[paper_id] = work
                self._notes.note_found(paper_id, SOURCE, at, asked_about=paper_id, reply=origin)
            elif (error := errors.get(paper_id)) is None:
                self._notes.note_absent(paper_id, SOURCE)
            elif not isinstance(error, AllowanceSpent):  # else nothing is known of it yet, and it stays due
                self._fail(paper_id, error)

    def _fail(self, paper_id: str, error: SourceError) -> None:
        """Notes a failure; one that is the service's own and comes again is asked about ever less often."""
        last = self._last(paper_id)
        again = last is not None and (last["status"], last["error"]) == ("failed", str(error))
        tries = last["tries"] + 1 if last is not None and again else 0
        if isinstance(error, DisputedRecord) and not again:
            self._service.blame(error)
        self._notes.note_failed(paper_id, SOURCE, error, tries=tries if isinstance(error, PayloadError) else 0)


def _identifiers(work_id: str, doi: str | None) -> tuple[Identifier, ...]:
    return (Identifier("openalex", work_id), *([Identifier("doi", doi)] if doi else []))

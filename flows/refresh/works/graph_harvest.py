"""Asks OpenAlex for the citation graph: the works that cite the papers of lists, and the works that lists may miss."""

from __future__ import annotations

from collections import defaultdict, deque
from math import ceil
from typing import TYPE_CHECKING, Any

from sources.errors import AllowanceSpent, SourceError, SourceUnreachable
from sources.http.queries import batches
from sources.openalex.answers import MAX_IDS
from sources.openalex.citing import CitingQuestion
from sources.text import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from flows.refresh.services import Service
    from warehouse.papers.citation_graph import CitationGraph
    from warehouse.papers.graph_rows import CitedPaper

_MOST_CITING = 1_000
"""Citing works of a batch: so many are lost at the most where a page does not come."""
_MOST_WORKS = 2_000
"""Works outside about which a run asks."""


class GraphHarvester:
    """Asks OpenAlex for the works that cite the papers of lists, and about those that lists may miss.

    Each request costs a credit of the free allowance, half of which is left to the papers themselves. What does not fit
    into a run waits for the next one.

    Args:
        graph: What is known, and what is worth asking.
        most_requests: Requests that may be sent; tries after a fault come on top.
    """

    def __init__(self, graph: CitationGraph, *, most_requests: int) -> None:
        self._graph = graph
        self._most_requests = most_requests

    def plan(self) -> int:
        """Returns the fewest requests that it takes to ask for all that is due as far as it is known now."""
        works = ceil(len(self._graph.due_works(_MOST_WORKS)) / MAX_IDS)
        citing = sum(max(1, ceil(_expected(batch) / MAX_IDS)) for batch in _batches(self._graph.due_papers()))
        return min(citing + works, self._most_requests)

    def harvest(self, service: Service[Any]) -> None:
        """Asks for citing works, then for the facts of works outside, for which a quarter of the requests is left.

        What those do not need goes to further citing works.
        """
        stop_at = service.requests_sent + self._most_requests
        for reserve in (min(self._most_requests // 4, _MOST_WORKS // MAX_IDS), 0):
            if not self._ask_all_citing(service, stop_at - reserve) or not self._ask_all_works(service, stop_at):
                return

    def _ask_all_citing(self, service: Service[Any], stop_at: int) -> bool:
        """Asks for citing works until so many requests are sent, and returns whether to go on."""
        for batch in _batches(self._graph.due_papers(), room=lambda: MAX_IDS * (stop_at - service.requests_sent)):
            if not self._ask_citing(service, batch, stop_at - service.requests_sent):
                return False
        return True

    def _ask_all_works(self, service: Service[Any], stop_at: int) -> bool:
        """Asks for the facts of works outside until so many requests are sent, and returns whether to go on."""
        for works in batches(self._graph.due_works(_MOST_WORKS), most=MAX_IDS):
            left = stop_at - service.requests_sent
            if left < 1 or not self._ask_works(service, works, left):
                return False
        return True

    def _ask_citing(self, service: Service[Any], batch: Sequence[CitedPaper], left: int) -> bool:
        """Asks for the works that cite the papers of a batch, and returns whether to go on."""
        days = [paper.since for paper in batch]
        question = CitingQuestion(
            work_ids=tuple(paper.openalex_id for paper in batch),
            since=min((day for day in days if day), default=None) if all(days) else None,
            most=2 * _expected(batch) + MAX_IDS,
        )
        try:
            answer, at = service.ask(
                f"works that cite {counted(len(batch), 'paper')}",
                lambda client: client.fetch_citing(question, most_requests=left),
            )
        except SourceError:
            return False
        if isinstance(answer.error, AllowanceSpent | SourceUnreachable):
            return False
        if answer.error is not None:
            service.note_failures({batch[0].openalex_id: answer.error})
        self._graph.note_citing(batch, answer, at)
        return True

    def _ask_works(self, service: Service[Any], works: Sequence[str], left: int) -> bool:
        """Asks about works outside, and returns whether to go on."""
        try:
            answer, at = service.ask(
                counted(len(works), "work") + " outside of the lists",
                lambda client: client.fetch_works(works, most_requests=left),
            )
        except SourceError:
            return False
        asked_again = (AllowanceSpent, SourceUnreachable)
        failed = {work: error for work, error in answer.failed.items() if not isinstance(error, asked_again)}
        if failed:
            service.note_failures(failed)
        texts = {work: str(error) for work, error in failed.items()}
        self._graph.note_works(answer.found, answer.not_found, texts, at)
        return len(failed) == len(answer.failed)


def _batches(
    papers: Iterable[CitedPaper], room: Callable[[], int] = lambda: _MOST_CITING
) -> Iterator[list[CitedPaper]]:
    """Yields papers together whose citing works are asked for at once.

    Those that are new to it go apart from the others, and those that failed in batches that get smaller with each try,
    down to the one that is to blame.

    Args:
        papers: The papers, those with the fewest citations first.
        room: Returns for how many citing works there is still room; papers for which it is too small are left out.
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
    """Returns how many citing works an answer may have."""
    return sum(paper.citation_count for paper in papers)

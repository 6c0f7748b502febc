"""Counts the requests that a refresh would send: the code of a refresh, with services that only count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from math import ceil
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from flows.progress import Silent
from flows.refresh.openalex_harvest import GraphHarvester
from flows.refresh.pipeline import Run
from flows.refresh.reading import Reading
from flows.refresh.revisions import compare
from flows.refresh.summary import always_asked
from flows.settings import Settings
from sources.records import BatchAnswer, Credits, S2Paper, SourceName, TitleAnswer
from sources.services.openalex.answers import MAX_IDS
from sources.services.openalex.client import CREDITS, KEYED_CREDITS, MOST_SEARCHES, SEARCH_COST
from sources.services.registry import SOURCES
from sources.text import counted, inflected
from warehouse.lake.session import lake_in_memory, open_lake
from warehouse.loading.reply_spool import ReplySpool


class Span(BaseModel):
    """The fewest and the most: where each first request is answered, and where every stage has to be tried."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    least: int
    most: int


class RefreshPlan(BaseModel):
    """What a refresh would do."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lists: int  # lists read
    mentions: int  # mentions standing in them
    open: int  # mentions for which requests are needed
    stale: dict[str, int]  # source -> number of papers of the lake for which it has to be asked again
    requests: dict[SourceName, Span]  # source -> how many requests
    searches: int = 0  # how many of those to OpenAlex may be title searches, each of ten credits
    graph: Span = Span(least=0, most=0)  # how many of those to OpenAlex are for the citation graph
    credits: Span = Span(least=0, most=0)  # what those to OpenAlex cost of its allowance of a day
    credits_a_day: int = 0  # that allowance: more with a key than without
    seconds: Span  # the sum of the intervals between the requests
    problems: tuple[str, ...] = ()  # one sentence for each list that could not be read properly


@dataclass(slots=True)
class Counter:
    """A client that sends nothing, finds nothing, and notes the size of each batch."""

    ids: list[int] = field(default_factory=list)
    titles: list[int] = field(default_factory=list)
    matches: int = 0
    problems: Mapping[str, int] = field(default_factory=dict)
    credits: Credits = field(default_factory=Credits)

    @property
    def requests_sent(self) -> int:
        """Returns how many requests would have been sent."""
        return len(self.ids) + len(self.titles) + self.matches

    def fetch_papers(self, ids: Sequence[str]) -> BatchAnswer[str, Any]:
        """Returns that none was found."""
        self.ids.append(len(ids))
        return BatchAnswer(requested=tuple(ids), not_found=frozenset(ids))

    fetch_works = fetch_papers

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[Any]:
        """Returns that there is no such title."""
        self.titles.append(len(titles))
        return TitleAnswer(requested=tuple(titles), papers=(), answered=frozenset(titles))

    def match_title(self, title: str) -> S2Paper | None:  # noqa: ARG002 - as the real one is called
        """Returns that there is no match."""
        self.matches += 1
        return None

    def close(self) -> None:
        """Does nothing."""


def plan_refresh(reading: Reading, settings: Settings) -> RefreshPlan:
    """Returns which requests a refresh would send now. Sends none, and writes nothing to the lake.

    Raises:
        WarehouseError: The lake cannot be read.
    """
    now, place = datetime.now(UTC), settings.place
    counters = {name: Counter() for name in SOURCES}
    arxiv, s2, openalex = counters.values()
    with (
        closing(open_lake(place)) if place.exists else lake_in_memory() as connection,
        closing(
            Run(
                connection,
                settings,
                ReplySpool(Path(), timedelta(0)),
                now=now,
                make_client=lambda source, _: counters[source.name],
                run_batch=lambda _, call: call(),
                report=Silent(),
            )
        ) as run,
    ):
        revisions = compare(reading, run.parts.known, now=now)
        run.resolver.settle(revisions.entries, revisions.possible)
        named = revisions.settled(now=now)
        resolving = deepcopy((arxiv, s2))
        run.harvest(named)
        asks_openalex, due_works, graph = run.parts.services.openalex.sends, 0, Span(least=0, most=0)
        if asks_openalex:
            run.works.harvest(named.paper_ids)
            due_works = sum(source == "openalex" for _, source in run.parts.notes.rows)
            # At least the requests due now; at most the whole budget, because new papers may need more.
            least, budget = GraphHarvester(run.graph(named), most_requests=settings.graph_requests).plan(), 0
            if least or due_works or any(entry.row["asked_at"] == now for entry in named.entries):
                budget = settings.graph_requests
            graph = Span(least=least, most=budget)
    searches, cost = 0, Span(least=0, most=0)
    stale = {"arxiv": sum(arxiv.ids[len(resolving[0].ids) :]), "s2": sum(s2.ids[len(resolving[1].ids) :])}
    asked_for = sum(entry.row["paper_id"] is None and entry.row["asked_at"] == now for entry in named.entries)
    requests: dict[SourceName, Span] = {
        "arxiv": _arxiv_span(resolving[0], stale["arxiv"], per_request=SOURCES["arxiv"].rules.most_ids),
        "s2": _s2_span(*resolving, stale["s2"], per_request=SOURCES["s2"].rules.most_ids),
    }
    if asks_openalex:
        stale["openalex"] = due_works
        searches = min(MOST_SEARCHES, len(openalex.titles))
        span = _openalex_span(openalex, due_works, asked_for, searches)
        requests["openalex"] = span = Span(least=span.least + graph.least, most=span.most + graph.most)
        cost = Span(least=span.least, most=span.most + (SEARCH_COST - 1) * searches)
    return RefreshPlan(
        lists=len(reading.lists),
        mentions=len(named.entries),
        open=asked_for,
        stale=stale,
        requests=requests,
        searches=searches,
        graph=graph,
        credits=cost,
        credits_a_day=0 if not asks_openalex else KEYED_CREDITS if settings.openalex_api_key else CREDITS,
        seconds=_seconds(requests, settings),
        problems=revisions.problems,
    )


def _arxiv_span(resolving: Counter, stale: int, *, per_request: int) -> Span:
    """Where arXiv answers that it has nothing, a second request asks for a paper that it must have."""
    titles = sum(resolving.titles)
    return Span(
        least=len(resolving.ids) + ceil(stale / per_request),
        most=2 * resolving.requests_sent + ceil((stale + titles) / per_request),
    )


def _s2_span(arxiv: Counter, resolving: Counter, stale: int, *, per_request: int) -> Span:
    """Semantic Scholar is asked for the counts of all papers found; for an arXiv identifier only then."""
    own_ids = max(0, sum(resolving.ids) - sum(arxiv.ids))
    found = sum(arxiv.ids) + sum(resolving.titles)
    return Span(
        least=ceil(own_ids / per_request) + len(resolving.titles) + ceil((stale + sum(arxiv.ids)) / per_request),
        most=resolving.requests_sent + ceil((stale + found) / per_request),
    )


def _openalex_span(openalex: Counter, stale: int, open_mentions: int, searches: int) -> Span:
    """OpenAlex is asked by one DOI of each paper found, then by the other, and each time once more for what is left.

    Titles that no other service has are searched for, and what is found is looked up.
    """
    known = sum(openalex.ids)
    return Span(
        least=ceil(stale / MAX_IDS),
        most=2 * ceil((known + 2 * open_mentions) / (MAX_IDS - 2)) + 2 * bool(known + open_mentions) + 2 * searches,
    )


def _seconds(requests: Mapping[SourceName, Span], settings: Settings) -> Span:
    """Returns how long the intervals take; the first request to a service does not wait."""
    least = sum(max(0, span.least - 1) * settings.interval_s(name) for name, span in requests.items())
    most = sum(max(0, span.most - 1) * settings.interval_s(name) for name, span in requests.items())
    return Span(least=ceil(least), most=ceil(most))


def plan_lines(plan: RefreshPlan) -> list[str]:
    """Returns the plan as lines to read before a run."""
    stale = plan.stale
    requests = ", ".join(f"{_span(plan.requests[source.name])} to {source.label}" for source in always_asked())
    own = []
    if (openalex := plan.requests.get("openalex")) is not None:
        text = f"OpenAlex: {_span(openalex)} {inflected(openalex.most, 'request')}, "
        text += f"{_span(plan.credits)} of {plan.credits_a_day:,} credits a day"
        text += f"; up to {counted(plan.searches, 'title search')} at ten credits" if plan.searches else ""
        own = [text + (f"; {_span(plan.graph)} for the citation graph" if plan.graph.most else "")]
    return [
        f"{counted(plan.mentions, 'mention')} in {counted(plan.lists, 'list')}: {plan.open} to be asked for",
        f"papers to be asked about again: {stale['s2']} for their counts, {stale['arxiv']} for their metadata",
        f"requests: {requests}",
        *own,
        f"the intervals between them take {_span(plan.seconds)} s; nothing was sent, nothing was written",
    ]


def _span(span: Span) -> str:
    return str(span.least) if span.least == span.most else f"{span.least} to {span.most}"

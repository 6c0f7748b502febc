"""Puts the two adapters together from the settings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flows.services import Dialect, MatchingService, RunBatch, Service, written_for_arxiv
from sources.arxiv import queries as arxiv_queries
from sources.politeness import FilePace
from sources.semantic_scholar import asked
from sources.semantic_scholar import queries as s2_queries

if TYPE_CHECKING:
    from flows.progress import Reporter
    from flows.services import TimedReplies
    from flows.settings import Settings
    from sources.arxiv import ArxivClient
    from sources.semantic_scholar import S2Client

_ARXIV = Dialect(
    name="arxiv",
    schemes=frozenset({"arxiv"}),
    written=written_for_arxiv,
    batch_ids=arxiv_queries.MAX_IDS,
    batch_titles=arxiv_queries.MAX_TITLES,
)
_S2 = Dialect(
    name="s2",
    schemes=asked.SCHEMES,
    written=asked.written,
    batch_ids=s2_queries.MAX_IDS,
    batch_titles=s2_queries.MAX_TITLES,
)


def arxiv_service(settings: Settings, *, replies: TimedReplies, run_batch: RunBatch, report: Reporter) -> Service[Any]:
    """Returns arXiv for one run; out of reach where the settings say offline."""
    make = None if settings.offline else partial(_arxiv_client, settings, replies)
    return Service(_ARXIV, make_client=make, replies=replies, run_batch=run_batch, report=report)


def s2_service(settings: Settings, *, replies: TimedReplies, run_batch: RunBatch, report: Reporter) -> MatchingService:
    """Returns Semantic Scholar for one run; out of reach where the settings say offline."""
    make = None if settings.offline else partial(_s2_client, settings, replies)
    return MatchingService(_S2, make_client=make, replies=replies, run_batch=run_batch, report=report)


def _arxiv_client(settings: Settings, replies: TimedReplies) -> ArxivClient:
    from sources.arxiv import ArxivClient, ArxivSettings  # noqa: PLC0415 - a run that asks nothing does without

    own = ArxivSettings(
        url=settings.arxiv_url,
        interval_s=settings.arxiv_interval,
        max_tries=settings.tries,
        backoff_s=settings.backoff,
        max_wait_s=settings.give_up,
    )
    return ArxivClient(own, replies=replies, pace=_pace(settings, "arxiv", settings.arxiv_interval))


def _s2_client(settings: Settings, replies: TimedReplies) -> S2Client:
    from sources.semantic_scholar import S2Client, S2Settings  # noqa: PLC0415 - a run that asks nothing does without

    own = S2Settings(
        url=settings.s2_url,
        interval_s=settings.s2_interval_s,
        api_key=settings.s2_api_key,
        max_tries=settings.tries,
        backoff_s=settings.backoff,
        max_wait_s=settings.give_up,
    )
    return S2Client(own, replies=replies, pace=_pace(settings, "s2", settings.s2_interval_s))


def _pace(settings: Settings, service: str, interval_s: float) -> FilePace:
    return FilePace(settings.place.folder / "locks", service=service, interval_s=interval_s)

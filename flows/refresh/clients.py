"""Makes both services of a run from the settings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.progress import Silent
from flows.refresh.services import Dialect, MatchingService, RunBatch, Service, TimedReplies, written_for_arxiv
from sources import queries
from sources.bibliography.identifiers import S2_SCHEMES
from sources.http.pace import FilePace, Pace, Patience
from sources.http.request import ServiceSettings
from sources.semantic_scholar import id_batches
from warehouse.loading.freshness import ReplySpool

if TYPE_CHECKING:
    from flows.progress import Reporter
    from flows.refresh.services import MatchingClient
    from flows.settings import Settings
    from sources.arxiv.client import ArxivClient
    from sources.semantic_scholar.client import S2Client

MakePace = Callable[[Path, str, float], Pace]
"""Lake's folder, service and interval in seconds -> the pace of its requests."""

_ARXIV = Dialect(
    name="arxiv",
    schemes=frozenset({"arxiv"}),
    written=written_for_arxiv,
    rules=queries.ARXIV,
)
_S2 = Dialect(
    name="s2",
    schemes=S2_SCHEMES,
    written=id_batches.written,
    rules=queries.S2,
)


def arxiv_service(
    settings: Settings, *, replies: TimedReplies, run_batch: RunBatch, report: Reporter, make_pace: MakePace
) -> Service[Any]:
    """Returns arXiv for one run; it cannot be reached where the settings say offline."""
    make = None if settings.offline else partial(_arxiv_client, settings, replies, make_pace)
    return Service(_ARXIV, make_client=make, replies=replies, run_batch=run_batch, report=report)


def s2_service(
    settings: Settings, *, replies: TimedReplies, run_batch: RunBatch, report: Reporter, make_pace: MakePace
) -> MatchingService:
    """Returns Semantic Scholar for one run; it cannot be reached where the settings say offline."""
    make = None if settings.offline else partial(_s2_client, settings, replies, make_pace)
    return MatchingService(_S2, make_client=make, replies=replies, run_batch=run_batch, report=report)


def counting_services(
    arxiv: MatchingClient, s2: MatchingClient, *, offline: bool
) -> tuple[Service[Any], MatchingService]:
    """Returns both services with clients that only count; they cannot be reached where the settings say offline."""
    nothing: dict[str, Any] = {
        "replies": TimedReplies(ReplySpool(Path(), timedelta(0))),
        "run_batch": lambda _, call: call(),
        "report": Silent(),
    }
    return (
        Service(_ARXIV, make_client=None if offline else lambda: arxiv, **nothing),
        MatchingService(_S2, make_client=None if offline else lambda: s2, **nothing),
    )


def folder_pace(folder: Path, service: str, interval_s: float) -> FilePace:
    """Returns the pace that all processes on the lake's folder share."""
    return FilePace(folder / "locks", service=service, interval_s=interval_s)


def _arxiv_client(settings: Settings, replies: TimedReplies, make_pace: MakePace) -> ArxivClient:
    from sources.arxiv.client import ArxivClient  # noqa: PLC0415 - a run that asks nothing does without

    own = ServiceSettings(url=settings.arxiv_url, patience=_patience(settings))
    return ArxivClient(own, replies=replies, pace=make_pace(settings.place.folder, "arxiv", settings.arxiv_interval))


def _s2_client(settings: Settings, replies: TimedReplies, make_pace: MakePace) -> S2Client:
    from sources.semantic_scholar.client import S2Client  # noqa: PLC0415 - a run that asks nothing does without

    own = ServiceSettings(url=settings.s2_url, api_key=settings.s2_api_key, patience=_patience(settings))
    return S2Client(own, replies=replies, pace=make_pace(settings.place.folder, "s2", settings.s2_interval_s))


def _patience(settings: Settings) -> Patience:
    return Patience(max_tries=settings.tries, backoff_s=settings.backoff, max_wait_s=settings.give_up)

"""Publishes the dashboard after a refresh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sources.errors import PaperlakeError
from warehouse.dashboard.page import publish

if TYPE_CHECKING:
    from pathlib import Path

    from flows.progress import Stopwatch
    from flows.refresh.summary import RunSummary
    from warehouse.lake.session import LakePlace


def publish_after(summary: RunSummary, place: LakePlace, folder: Path, *, clock: Stopwatch) -> RunSummary:
    """Publishes the dashboard after a refresh, and returns the summary with the page in it.

    What the refresh committed stands either way: where the page cannot be written, that is one more thing that failed.
    """
    try:
        with clock.stage("publish"):
            page = publish(place, folder).page
    except PaperlakeError as error:
        changed = {"status": "completed_with_failures", "problems": (*summary.problems, str(error))}
    else:
        changed = {"dashboard": str(page)}
    return summary.model_copy(update={**changed, "seconds": dict(clock.seconds)})

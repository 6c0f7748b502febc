"""Heartbeats of a flow run that somebody waits for, which end when it does.

Prefect's own do not: its thread looks but once a second whether the run has ended, and the run waits for it
(`prefect.flow_engine._send_heartbeats`), which is a third of what a refresh with nothing to do took.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING

from prefect.context import FlowRunContext
from prefect.events.utilities import emit_event
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

_FIRST_S = 10.0
"""Seconds before the first: a shorter run ends before anybody could miss it."""


@contextmanager
def without_prefects() -> Iterator[int | None]:
    """Keeps Prefect from sending heartbeats, and gives how often it would: every so many seconds, None for never."""
    every_s: int | None = PREFECT_FLOWS_HEARTBEAT_FREQUENCY.value()
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        yield every_s


@contextmanager
def heartbeats(every_s: float | None) -> Iterator[None]:
    """Sends heartbeats of the flow run at hand, as Prefect's automations know them, until the block ends.

    Automations that find dead runs expect them: https://docs.prefect.io/v3/advanced/detect-zombie-flows .

    Args:
        every_s: Seconds between two; None sends none.
    """
    context = FlowRunContext.get()
    if every_s is None or context is None or context.flow_run is None:
        yield
        return
    run, over = context.flow_run, threading.Event()

    def beat() -> None:
        wait_s = min(_FIRST_S, every_s)
        while not over.wait(wait_s):
            emit_event(
                "prefect.flow-run.heartbeat",
                resource={"prefect.resource.id": f"prefect.flow-run.{run.id}", "prefect.resource.name": run.name},
            )
            wait_s = every_s

    # The thread needs the run's context: it holds the address of the server, and what else the event relates to.
    threading.Thread(target=copy_context().run, args=(beat,), daemon=True).start()
    try:
        yield
    finally:
        over.set()

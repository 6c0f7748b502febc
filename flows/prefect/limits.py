"""Limits the rate of requests of all machines of a user, with a Prefect global concurrency limit.

Each service has a limit with one slot. A request holds the slot from before it is sent until the interval after it is
over, so the next request, on any machine, neither comes too soon nor opens a second connection. Prefect's slot decay
cannot replace this: it frees the slot during a long request, and each refused attempt restarts the decay, so two busy
machines would block each other.

If the holder is killed, its lease is not renewed, and the server frees the slot about a minute later. If the server is
killed, it loses its leases, which are in memory by default; then a decay slower than any request frees the slot. https://docs.prefect.io/v3/how-to-guides/workflows/global-concurrency-limits
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from threading import Timer

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.concurrency.sync import concurrency
from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound

from sources.errors import SourceError, SourceUnreachable, TransientSourceError
from sources.http.rate_limit import LONGEST_QUEUE_S, Pace, counted_s, rest_after

_log = logging.getLogger(__name__)

_LEASE_S = 60.0  # the shortest lease that Prefect gives; renewed while the holder lives
_FORGOTTEN_AFTER_S = 300.0  # after this time a slot is free, whatever happened to its lease
_POLL_S = 0.1
# Turns after which a process waits, so that others get the slot: the last holder is usually the fastest.
_MOST_IN_A_ROW = 5
_TOLD_AFTER_S = 10.0


class ServerPace:
    """A `Pace` shared through a Prefect server, for all machines that use it.

    A turn of `folder_pace` is taken as well, for processes on the same folder that use no server or another one; it is
    taken second, because it counts from the moment of the request. The limit, `paperlake-SERVICE`, is made where it
    does not exist. `interval_s` is as in `counted_s`; `on_wait` is called with a sentence when a turn takes long, and a
    slot whose lease the server has lost is free again after `forgotten_after_s`.
    """

    def __init__(
        self,
        folder_pace: Pace,
        *,
        service: str,
        interval_s: float,
        on_wait: Callable[[str], None] = lambda _: None,
        forgotten_after_s: float = _FORGOTTEN_AFTER_S,
    ) -> None:
        self.limit = f"paperlake-{service}"
        self._folder_pace = folder_pace
        self._service = service
        self._interval_s = interval_s
        self._on_wait = on_wait
        self._decay_per_s = 1.0 / forgotten_after_s
        self._client: SyncPrefectClient | None = None
        self._open = ExitStack()
        self._release: Timer | None = None  # frees the slot of the last turn
        self._in_a_row = 0

    @contextmanager
    def turn(self, *, patience_s: float = math.inf) -> Iterator[None]:
        """Returns a context in which one request may be made; see `Pace.turn`.

        Raises:
            SourceUnreachable: Prefect's server has not answered for `patience_s` seconds.
            TransientSourceError: The limit has been removed or switched off, or others keep the slot to themselves.
        """
        if self._release is not None:
            self._release.join()
        # In one context, of the caller's server and flow run, which `_free` enters in another thread.
        slot, context, hold_s = ExitStack(), copy_context(), 0.0
        context.run(self._take, slot, patience_s)
        began = time.monotonic()
        try:
            with self._folder_pace.turn(patience_s=patience_s):
                began = time.monotonic()
                yield
        except TransientSourceError as error:
            hold_s = rest_after(error, self._interval_s)
            raise
        finally:
            rest_s = self._interval_s - counted_s(time.monotonic() - began, self._interval_s)
            rest_s = min(max(rest_s, hold_s, 0.0), 1.0 / self._decay_per_s)
            self._release = Timer(rest_s, context.run, [self._free, slot])
            self._release.start()

    def close(self) -> None:
        """Waits until the last turn's interval is over and its slot is free."""
        if self._release is not None:
            self._release.join()
        self._open.close()
        self._folder_pace.close()

    def _free(self, slot: ExitStack) -> None:
        try:
            slot.close()
        except Exception as error:  # noqa: BLE001 - the request is answered; the slot becomes free in time
            _log.warning("Prefect's limit %s could not be freed: %s", self.limit, error)

    def _take(self, slot: ExitStack, patience_s: float) -> None:
        """Takes the slot, and gives it to `slot` to free."""
        if self._in_a_row >= _MOST_IN_A_ROW:
            self._in_a_row = 0
            time.sleep(2 * _POLL_S)
        began = answered = time.monotonic()
        announced = False
        while True:
            try:
                if self._is_free() and self._entered(slot):
                    self._in_a_row += 1
                    return
                answered = time.monotonic()
            except httpx.TransportError as error:
                if time.monotonic() - answered > patience_s:
                    text = f"the Prefect server that grants turns does not answer ({error})"
                    raise SourceUnreachable(f"{self._service} was not asked: {text}", source=self._service) from error
            except httpx.HTTPStatusError as error:
                raise self._refused(f"Prefect's server answered {error.response.status_code}") from error
            waited_s = time.monotonic() - began
            if waited_s > patience_s + LONGEST_QUEUE_S:
                raise self._refused(f"others have kept Prefect's limit {self.limit} for {waited_s:.0f} s")
            if waited_s > _TOLD_AFTER_S and not announced:
                announced = True
                self._on_wait(f"waiting for a turn at {self._service}: Prefect's limit {self.limit} is taken")
            # At random, so that machines do not keep trying at the same moment.
            time.sleep(random.uniform(0.5, 1.5) * _POLL_S)  # noqa: S311 - no secret

    def _is_free(self) -> bool:
        """Returns whether the slot looks free. Reading does not restart the decay; a refused attempt does."""
        if self._client is None:
            self._client = self._open.enter_context(get_client(sync_client=True))
            with suppress(ObjectAlreadyExists):  # another process was faster
                self._client.upsert_global_concurrency_limit_by_name(
                    self.limit, limit=1, slot_decay_per_second=self._decay_per_s
                )
        client = self._client
        try:
            limit = client.read_global_concurrency_limit_by_name(self.limit)
        except ObjectNotFound as error:
            raise self._refused(f"Prefect's limit {self.limit} was deleted during the run") from error
        if not limit.active:
            raise self._refused(f"Prefect's limit {self.limit} is switched off; `prefect gcl enable {self.limit}`")
        return limit.active_slots < 1

    def _entered(self, slot: ExitStack) -> bool:
        """Returns whether the slot is ours now; False where another process was faster."""
        ours = concurrency(
            self.limit,
            strict=True,
            max_retries=0,
            lease_duration=_LEASE_S,
            # A running request is not interrupted because the server is away; its lease lasts long enough.
            raise_on_lease_renewal_failure=False,
        )
        try:
            slot.enter_context(ours)
        except ConcurrencySlotAcquisitionError as error:
            cause = error.__cause__
            if isinstance(cause, httpx.HTTPStatusError) and cause.response.status_code == httpx.codes.LOCKED:
                return False
            if isinstance(cause, httpx.TransportError):
                raise cause from None
            raise self._refused(str(error)) from error
        return True

    def _refused(self, why: str) -> SourceError:
        return TransientSourceError(f"{self._service} was not asked: {why}", source=self._service)

"""When which host is asked: several hosts at the same time, one request at a time and a pause at each of them.

A redirect to another host waits for its turn there. Threads take the request that may be sent next; a host with much
left goes first, as it decides how long all takes.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count

from sources.http.replies import NoReply, Received, retry_after_s
from sources.link_checks.answers import LinkAnswer, LinkLimits
from sources.link_checks.inquiry import HostPages, Inquiry, NameFault, NextRequest, Outcome, next_step
from sources.text import counted

_LONGEST_WAIT_S = 0.5
"""So that Ctrl-C ends a wait soon."""
_OUT_OF_TIME = "no time was left to ask"


@dataclass(slots=True)
class _Host:
    """The requests that wait for one host.

    Attributes:
        waiting: Inquiries that may be asked as soon as the host is free.
        later: Those that may not yet: when, a number that keeps their order, the inquiry; a heap.
        free_at: When the next request may be sent.
        is_busy: Whether one is on its way.
        faults: Addresses in a row that brought no reply.
        pages: What its pages show.
    """

    waiting: deque[Inquiry] = field(default_factory=deque)
    later: list[tuple[float, int, Inquiry]] = field(default_factory=list)
    free_at: float = 0.0
    is_busy: bool = False
    faults: int = 0
    pages: HostPages = field(default_factory=HostPages)

    def ready_at(self) -> float:
        """Returns when the next request may be sent."""
        return self.free_at if self.waiting else max(self.free_at, self.later[0][0])

    def take(self) -> Inquiry:
        """Takes out the inquiry to ask next."""
        return self.waiting.popleft() if self.waiting else heappop(self.later)[2]

    def clear(self) -> list[Inquiry]:
        """Takes out all inquiries."""
        taken = [*self.waiting, *(inquiry for _, _, inquiry in self.later)]
        self.waiting.clear()
        self.later.clear()
        return taken

    def __len__(self) -> int:
        return len(self.waiting) + len(self.later)


class Rounds:
    """Asks many addresses.

    Args:
        ask: Sends one request; several threads call it, never two for one host.
        report: Called with each address's start and answer, one at a time.
        limits: What asking may take.
        clock: Counts the seconds.
    """

    def __init__(
        self,
        ask: Callable[[Inquiry], Outcome],
        report: Callable[[str, LinkAnswer], None],
        *,
        limits: LinkLimits,
        clock: Callable[[], float],
    ) -> None:
        self._ask = ask
        self._report = report
        self._limits = limits
        self._clock = clock
        self._hosts: dict[str, _Host] = {}
        self._numbers = count()
        self._open = 0
        self._end = 0.0
        self._fault: BaseException | None = None
        self._changed = threading.Condition()

    def run(self, inquiries: Iterable[Inquiry]) -> None:
        """Returns when each inquiry has its answer, or the time is over.

        Raises:
            BaseException: What `ask` or `report` raised; nothing more is asked then.
        """
        for inquiry in inquiries:
            self._hosts.setdefault(inquiry.place.host, _Host()).waiting.append(inquiry)
            self._open += 1
        self._end = self._clock() + self._limits.whole_s
        number = min(self._limits.parallel, len(self._hosts))
        threads = [threading.Thread(target=self._work, daemon=True, name="paperlake-links") for _ in range(number)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(_LONGEST_WAIT_S)
        except BaseException as interrupt:
            self._stop(interrupt)
            raise
        if self._fault is not None:
            raise self._fault
        self._give_up(list(self._hosts.values()), _OUT_OF_TIME)

    def _work(self) -> None:
        try:
            while (turn := self._turn()) is not None:
                host, inquiry = turn
                outcome = self._ask(inquiry)
                with self._changed:
                    self._settle(host, inquiry, outcome)
                    self._changed.notify_all() if not self._open else self._changed.notify()
        except BaseException as fault:  # noqa: BLE001 - raised again by `run`
            self._stop(fault)

    def _turn(self) -> tuple[_Host, Inquiry] | None:
        """Returns the next request when its time has come; None where there is none any more."""
        with self._changed:
            while self._open and self._fault is None and (now := self._clock()) < self._end:
                free = [host for host in self._hosts.values() if len(host) and not host.is_busy]
                ready = [host for host in free if host.ready_at() <= now]
                if ready:
                    host = max(ready, key=len)
                    host.is_busy = True
                    return host, host.take()
                next_s = min((host.ready_at() - now for host in free), default=_LONGEST_WAIT_S)
                self._changed.wait(min(next_s, _LONGEST_WAIT_S, self._end - now))
            return None

    def _settle(self, host: _Host, inquiry: Inquiry, outcome: Outcome) -> None:
        """Takes in the outcome of a request, and frees the host after its pause."""
        now, limits = self._clock(), self._limits
        host.is_busy = False
        if not isinstance(outcome, NameFault):
            host.free_at = now + limits.spacing_s
        step = next_step(inquiry, outcome, host.pages, limits)
        if isinstance(outcome, Received):
            host.faults = 0
        elif isinstance(outcome, NoReply) and not isinstance(step, NextRequest):
            host.faults += 1
        if isinstance(step, NextRequest):
            host.free_at = max(host.free_at, now + step.hold_s)
            self._put(step, now)
        else:
            self._end_inquiry(inquiry, step)
        if host.faults >= limits.most_faults:
            self._give_up([host], f"its host gave no answer {counted(host.faults, 'time')} in a row")
        elif isinstance(outcome, Received) and outcome.status == 429 and not isinstance(step, NextRequest):
            self._leave_alone(host, outcome)

    def _put(self, step: NextRequest, now: float) -> None:
        host = self._hosts.setdefault(step.inquiry.place.host, _Host())
        if step.after_s:
            heappush(host.later, (now + step.after_s, next(self._numbers), step.inquiry))
        else:
            host.waiting.appendleft(step.inquiry)

    def _leave_alone(self, host: _Host, refusal: Received) -> None:
        """Gives up a host that wants fewer requests, and does not say that it would soon take more."""
        wait_s = retry_after_s(refusal.headers.get("retry-after"), now=refusal.at)
        pause = "" if wait_s is None else f", and asks to be left alone for {wait_s:.0f} s"
        self._give_up([host], f"its host answers 429{pause}")

    def _give_up(self, hosts: list[_Host], reason: str) -> None:
        for host in hosts:
            for inquiry in host.clear():
                if inquiry.first is None:
                    answer = LinkAnswer(kind="unasked", reason=reason)
                else:
                    text = f"once: {inquiry.first.reason}; it could not be asked again, as {reason}"
                    answer = replace(inquiry.first, kind="blocked", reason=text)
                self._end_inquiry(inquiry, answer)

    def _end_inquiry(self, inquiry: Inquiry, answer: LinkAnswer) -> None:
        self._open -= 1
        self._report(inquiry.start.url, answer)

    def _stop(self, fault: BaseException) -> None:
        with self._changed:
            self._fault = self._fault or fault
            self._changed.notify_all()

"""Asks the addresses of a list, each host in its turn, and returns an answer for each."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urlsplit

from sources.clock import Clock, utc_now
from sources.http.public_addresses import (
    RequestForm,
    Resolve,
    in_time,
    is_loopback,
    is_public,
    resolve,
    send_to,
)
from sources.http.replies import NoReply, Received, retry_after_s
from sources.lists.links.addresses import NotAsked, Place, place_of
from sources.lists.links.inquiry import (
    HostPages,
    Inquiry,
    LinkAnswer,
    LinkLimits,
    LinkStore,
    NameFault,
    NextRequest,
    Outcome,
    next_step,
)
from sources.text import counted

if TYPE_CHECKING:
    from datetime import datetime

    import httpx

    from sources.http.transport import Limits


# When which host is asked: several hosts at the same time, one request at a time and a pause at each of them.
#
# A redirect to another host waits for its turn there. Threads take the request that may be sent next; a host with
# much left goes first, as it decides how long all takes.


_LONGEST_WAIT_S = 0.5  # so that Ctrl-C ends a wait soon
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


# Hosts that exist. Where the resolver knows none of them, it is at fault when it knows another one no more.
_KNOWN_NAMES = ("doi.org", "arxiv.org", "github.com", "wikipedia.org")
_KNOWN_FOR_S = 10.0
_HEADERS = {
    "User-Agent": "paperlake (link check)",
    "Accept": "text/html, application/pdf, */*;q=0.8",
    "Accept-Encoding": "identity",
}


def check_links(
    addresses: Iterable[str],
    *,
    limits: LinkLimits | None = None,
    store: LinkStore | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    resolve: Resolve = resolve,
    allow_loopback: bool = False,
    now: Clock = utc_now,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, LinkAnswer]:
    """Returns what is known of each of `addresses`, in their order, each once.

    Args:
        addresses: As they stand in a list; relative ones and other schemes are `unasked`.
        limits: What asking may take.
        store: Where answers are kept; one that still holds is not asked for again.
        on_progress: Called with the addresses that have an answer, and with all.
        resolve: Host and port -> addresses.
        allow_loopback: Lets tests ask a server on this machine. Nothing that a user can set reaches it.
        now: The clock that dates answers.
        clock: Counts the seconds.

    Raises:
        UsageError: The certificates that the environment names cannot be read.
    """
    limits = limits or LinkLimits()
    wanted = list(dict.fromkeys(addresses))
    places, answers = _sorted_out(wanted)
    found = {url: stored for url in {place.url for place in places.values()} if (stored := _stored(store, url, now()))}
    missing = {place.url: place for place in places.values() if place.url not in found}
    known = len(wanted) - len(missing) - len(found)
    on_progress = on_progress or (lambda _done, _all: None)

    def report(url: str, answer: LinkAnswer) -> None:
        found[url] = answer if answer.kind == "unasked" else replace(answer, asked_at=now())
        if store is not None and answer.kind != "unasked":
            store.keep(url, found[url])
        on_progress(known + len(found), len(wanted))

    on_progress(known + len(found), len(wanted))
    if missing:
        questions = Questions(limits, resolve=resolve, allow_loopback=allow_loopback, now=now, clock=clock)
        rounds = Rounds(questions.ask, report, limits=limits, clock=clock)
        rounds.run(Inquiry(start=place, place=place) for place in missing.values())
    clean = without_collecting_pages(found)
    answers |= {address: _with_fragment(clean[place.url], address) for address, place in places.items()}
    return {address: answers[address] for address in wanted}


def _sorted_out(wanted: Sequence[str]) -> tuple[dict[str, Place], dict[str, LinkAnswer]]:
    """Returns where each address is asked, and why the others are not."""
    places: dict[str, Place] = {}
    unasked: dict[str, LinkAnswer] = {}
    for address in wanted:
        try:
            places[address] = place_of(address)
        except NotAsked as reason:
            unasked[address] = LinkAnswer(kind="unasked", reason=str(reason))
    return places, unasked


def without_collecting_pages(answers: Mapping[str, LinkAnswer]) -> dict[str, LinkAnswer]:
    """Returns the answers, `blocked` where several pages of a site have moved to the same one.

    Such a page takes in whatever is asked for, and is none of them.
    """
    pages = {(_page_of(url), answer.location) for url, answer in answers.items() if answer.kind == "moved"}
    targets = Counter(location for _, location in pages)
    return {
        url: replace(answer, kind="blocked", reason="it leads to a page that other addresses lead to as well")
        if answer.kind == "moved" and targets[answer.location] > 1
        else answer
        for url, answer in answers.items()
    }


def _page_of(url: str) -> tuple[str, str, str]:
    """Returns what two spellings of one page have in common: neither scheme, `www.` nor a last slash."""
    parts = urlsplit(url)
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/"), parts.query


def _stored(store: LinkStore | None, url: str, now: datetime) -> LinkAnswer | None:
    answer = None if store is None else store.find(url)
    return answer if answer is not None and answer.holds(now) else None


def _with_fragment(answer: LinkAnswer, address: str) -> LinkAnswer:
    fragment = urldefrag(address).fragment
    if answer.kind != "moved" or answer.location is None or not fragment or "#" in answer.location:
        return answer
    return replace(answer, location=f"{answer.location}#{fragment}")


class Questions:
    """Sends the requests of inquiries, to public addresses only. Safe to use from several threads.

    Raises:
        UsageError: The certificates that the environment names cannot be read.
    """

    def __init__(
        self, limits: LinkLimits, *, resolve: Resolve, allow_loopback: bool, now: Clock, clock: Callable[[], float]
    ) -> None:
        from sources.http.transport import certificates  # noqa: PLC0415 - only where there is something to ask

        certificates()
        self._limits = limits
        self._resolve = resolve
        self._allow_loopback = allow_loopback
        self._clock = clock
        read = partial(_read, now=now)
        self._forms = {
            method: RequestForm(headers=_HEADERS, read=read, most_bytes=limits.most_bytes, method=method)
            for method in ("HEAD", "GET")
        }
        self._lock = threading.Lock()
        self._known_at: tuple[float, bool] | None = None

    def ask(self, inquiry: Inquiry) -> Outcome:
        """Returns what one request came to."""
        try:
            return in_time(partial(self._send, inquiry), self._limits.request_s)
        except TimeoutError:
            return NoReply("slow", "no whole reply in time")
        except NoReply as fault:
            return fault

    def _send(self, inquiry: Inquiry) -> Outcome:
        place = inquiry.place
        end = self._clock() + self._limits.request_s
        try:
            addresses = self._resolve(place.host, place.port)
        except (OSError, UnicodeError) as error:
            return self._name_fault(error)
        if not addresses:
            return NameFault("failed look-up")
        if not all(is_public(a) or (self._allow_loopback and is_loopback(a)) for a in addresses):
            return NameFault("private host")
        form = self._forms[inquiry.method]
        return send_to(addresses, place.url, host=place.host, form=form, deadline=end, clock=self._clock)

    def _name_fault(self, error: OSError | UnicodeError) -> NameFault:
        """Returns what a failed look-up means: that there is no such host only where other names are found."""
        is_unknown = isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME
        return NameFault("unknown host" if is_unknown and self._finds_names() else "failed look-up")

    def _finds_names(self) -> bool:
        """Returns whether names are looked up at all at present: without a network, some systems know no host."""
        with self._lock:
            time_now = self._clock()
            if self._known_at is None or time_now - self._known_at[0] > _KNOWN_FOR_S:
                self._known_at = time_now, any(map(self._finds, _KNOWN_NAMES))
            return self._known_at[1]

    def _finds(self, host: str) -> bool:
        try:
            return bool(self._resolve(host, 443))
        except (OSError, UnicodeError):
            return False


def _read(response: httpx.Response, limits: Limits, *, now: Clock) -> Received:
    """Returns the reply with the first bytes of its body; one that breaks off later has been answered all the same."""
    import httpx  # noqa: PLC0415 - only where there is something to ask

    headers = {name.lower(): value for name, value in response.headers.items()}
    body = bytearray()
    try:
        for part in response.iter_raw():
            body += part
            if len(body) >= limits.most_bytes:
                break
    except httpx.HTTPError:
        pass
    return Received(status=response.status_code, headers=headers, body=bytes(body[: limits.most_bytes]), at=now())

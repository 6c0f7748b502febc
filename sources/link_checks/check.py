"""Asks the addresses of a list, and says of each what is known."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urlsplit

from sources.clock import Clock, utc_now
from sources.http.public_addresses import RequestForm, Resolve, in_time, is_loopback, is_public, resolve, send_to
from sources.http.replies import NoReply, Received
from sources.link_checks.addresses import NotAsked, Place, place_of
from sources.link_checks.answers import LinkAnswer, LinkLimits, LinkStore
from sources.link_checks.inquiry import Inquiry, NameFault, Outcome
from sources.link_checks.rounds import Rounds

if TYPE_CHECKING:
    from datetime import datetime

    import httpx

    from sources.http.transport import Limits

_KNOWN_NAMES = ("doi.org", "arxiv.org", "github.com", "wikipedia.org")
"""Hosts that exist. Where the resolver knows none of them, it is at fault when it knows another one no more."""
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

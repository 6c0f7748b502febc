"""Checks whether the addresses in a list are alive, politely and with few requests.

An address is requested with HEAD first. What HEAD refuses is requested with GET, as servers answer HEAD with 403, 404,
405 or 501 for pages that they have. Only what GET answers can be dead, and only when a second try, some time later and
with GET from its start, comes to the same end. Some hosts answer 404 to every program: where no page of a host has
answered otherwise, its front page must, or nothing is dead there. A host's first page is read with GET even where HEAD
says 200: a bot wall may answer 200 to everything.

A soft 404, a page that says "not found" with status 200, is not guessed at. Neither is a redirect to the front page, to
an error page, to a log-in or to somebody else's site: the page may be there or not (`addresses.py`).
"""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urldefrag, urljoin, urlsplit

from sources.clock import Clock, utc_now
from sources.http.public_addresses import (
    REDIRECTS,
    RequestForm,
    Resolve,
    in_thread,
    is_loopback,
    is_public,
    resolve,
    send_to,
)
from sources.http.replies import NoReply, Received, retry_after_s
from sources.lists.links.addresses import NotAsked, Place, SettledElsewhere, doubt_about, is_known_again, place_of
from sources.lists.list_urls import without_secrets
from sources.text import counted

if TYPE_CHECKING:
    import httpx

    from sources.http.transport import Limits

# What is known of an address:
#
#     alive     it answers
#     moved     it leads for good (301, 308) to another address of its site, or to its name on another; that answers
#     dead      404 or 410, or no such host, twice, with time between
#     blocked   it could not be looked at: 401, 403, 429, 5xx, a bot wall, a time-out, no trusted certificate,
#               a redirect to the site's front page or to somebody else's site
#     unasked   not asked: a paper's service knows better, not an address of the public web, no time was left
#
# `blocked` says nothing about the page, and is never called dead.
LinkKind = Literal["alive", "moved", "dead", "blocked", "unasked"]

# A page that was put back must not be called dead for long.
_VALID: dict[LinkKind, timedelta] = {
    "alive": timedelta(days=7),
    "moved": timedelta(days=7),
    "dead": timedelta(days=1),
    "blocked": timedelta(days=1),
    "unasked": timedelta(0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAnswer:
    """What is known of one address."""

    kind: LinkKind  # see above
    status: int | None = None  # the last HTTP status; None where no reply came
    # where it leads in the end; None where it does not lead elsewhere. Only that of `moved` may take the address's
    # place.
    location: str | None = None
    reason: str = ""  # why, in some words for the list's owner; empty for `alive`
    asked_at: datetime | None = None  # when the last reply came, or was given up, UTC; None for `unasked`

    def holds(self, now: datetime) -> bool:
        """Returns whether it need not be requested again at `now`."""
        return self.asked_at is not None and timedelta(0) <= now - self.asked_at < _VALID[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLimits:
    """What asking may take."""

    spacing_s: float = 1.0  # seconds between the end of a request to a host and the next one to it
    again_s: float = 5.0  # least seconds before a dead address is requested again
    request_s: float = 20.0  # seconds for one request, look-up of the name included
    whole_s: float = 900.0  # seconds for all; what is left then is `unasked`
    longest_hold_s: float = 60.0  # the longest Retry-After that is waited out; for a longer one, the host is left alone
    most_redirects: int = 5  # redirects that are followed from one address
    most_bytes: int = 16 * 1024  # bytes of a body that are read, to tell a bot wall from a page
    parallel: int = 16  # requests at the same time, each to another host
    most_faults: int = 3  # time-outs or failed connections in a row after which a host is left alone


class LinkStore(Protocol):
    """Where answers are stored between runs."""

    def find(self, address: str) -> LinkAnswer | None:
        """Returns the last answer for an address, None where there is none."""
        ...

    def keep(self, address: str, answer: LinkAnswer) -> None:
        """Stores an answer; never called for `unasked`."""
        ...


_PERMANENT = frozenset({301, 308})
_GONE = frozenset({404, 410})
_BUSY = frozenset({429, 503})
_UNTOLD_WAIT_S = 10.0  # after a 429 that does not say for how long

# https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/ and
# https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-how-it-works.html .
_WALL_HEADERS = (("cf-mitigated", "challenge"), ("x-amzn-waf-action", "challenge"), ("x-amzn-waf-action", "captcha"))
_WALL_TEXT = re.compile(
    rb"<title>\s*(?:just a moment|attention required! \| cloudflare|access denied|ddos-guard|robot check|"
    rb"making sure you(?:'|&#39;|\xe2\x80\x99)re not a bot|are you a robot|security check|human verification)|"
    rb"_cf_chl_opt|_Incapsula_Resource|anubis_challenge|px-captcha|captcha-delivery\.com|awsWafCookieDomainList|"
    rb"checking your browser before access|verify(?:ing)? (?:that )?you are (?:a )?human|"
    rb"enable javascript and cookies to continue",
    re.IGNORECASE,
)
_NO_REPLY = {
    "unreachable": "no connection could be made",
    "untrusted": "its certificate was not accepted",
    "unusable": "it cannot be asked for",
    "slow": "no answer came in time",
    "endless": "its answer has no end",
    "broken": "the connection broke off",
}
# No request was sent, for what the look-up of the host's name gave.
_NameFault = Literal["no such host", "its host's name could not be looked up", "its host is not on the public internet"]
# Hosts that exist. Where the resolver knows none of them, it is at fault when it knows another one no more.
_KNOWN_NAMES = ("doi.org", "arxiv.org", "github.com", "wikipedia.org")
_HEADERS = {
    "User-Agent": "paperlake (link check)",
    "Accept": "text/html, application/pdf, */*;q=0.8",
    "Accept-Encoding": "identity",
}
Method = Literal["HEAD", "GET"]


def check_links(
    addresses: Iterable[str],
    *,
    limits: LinkLimits | None = None,
    store: LinkStore | None = None,
    on_progress: Callable[[int], None] = lambda _more: None,
    resolve: Resolve = resolve,
    allow_loopback: bool = False,
    now: Clock = utc_now,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, LinkAnswer]:
    """Returns what is known of each of `addresses`, in their order, each once.

    Relative addresses and other schemes are `unasked`. An answer in `store` that still holds is not requested again.
    `on_progress` is called with how many more addresses have an answer. `allow_loopback` lets tests request from a
    server on this machine; nothing that a user can set reaches it.

    Raises:
        UsageError: The certificates that the environment names cannot be read.
    """
    answers: dict[str, LinkAnswer | None] = dict.fromkeys(addresses)
    places: dict[str, Place] = {}
    for address in answers:
        try:
            places[address] = place_of(address)
        except NotAsked as reason:
            answers[address] = LinkAnswer(kind="unasked", reason=str(reason))
    found: dict[str, LinkAnswer] = {}
    missing = {place.url: place for place in places.values()}
    for url in [*missing]:
        stored = store.find(url) if store is not None else None
        if stored is not None and stored.holds(now()):
            found[url] = stored
            del missing[url]

    def report(url: str, answer: LinkAnswer) -> None:
        found[url] = answer if answer.kind == "unasked" else replace(answer, asked_at=now())
        if store is not None and answer.kind != "unasked":
            store.keep(url, found[url])
        on_progress(1)

    on_progress(len(answers) - len(missing))
    if missing:
        network = _Network(limits or LinkLimits(), resolve, allow_loopback=allow_loopback, now=now, clock=clock)
        asyncio.run(network.ask_all(missing.values(), report))
    clean = _without_collecting_pages(found)
    for address, place in places.items():
        answer, fragment = clean[place.url], urldefrag(address).fragment
        if answer.kind == "moved" and answer.location and fragment and "#" not in answer.location:
            answer = replace(answer, location=f"{answer.location}#{fragment}")
        answers[address] = answer
    return {address: answer for address, answer in answers.items() if answer is not None}


def _without_collecting_pages(answers: Mapping[str, LinkAnswer]) -> dict[str, LinkAnswer]:
    """Returns the answers, `blocked` where several pages of a site have moved to the same one.

    Such a page takes in whatever is requested, and is none of them. Two spellings of one page, with another scheme,
    `www.` or a last slash, count as one.
    """
    moved = {url: answer.location for url, answer in answers.items() if answer.kind == "moved"}
    parts = {url: urlsplit(url) for url in moved}
    pages = {
        (parts[url].netloc.lower().removeprefix("www."), parts[url].path.rstrip("/"), parts[url].query, location)
        for url, location in moved.items()
    }
    targets = Counter(location for *_, location in pages)
    reason = "it leads to a page that other addresses lead to as well"
    return {
        url: replace(answer, kind="blocked", reason=reason) if url in moved and targets[moved[url]] > 1 else answer
        for url, answer in answers.items()
    }


class _LeftAlone(Exception):
    """No further request may be sent; the message says why."""


@dataclass(slots=True)
class _Host:
    """A host that is sent one request at a time, with a pause behind each."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # held by the inquiry whose requests are sent
    free_at: float = 0.0  # when the next request may be sent
    faults: int = 0  # addresses in a row that brought no reply
    left_alone: str = ""  # why it is sent no more requests
    is_wall: bool | None = None  # whether the first of its pages that was read is a bot wall; None before it
    # whether a page was there, or led elsewhere; None before one was requested, and False where not even the front page
    # was
    is_open: bool | None = None


class _Network:
    """Sends the requests of all inquiries, to public addresses only, and to several hosts at the same time."""

    def __init__(
        self, limits: LinkLimits, resolve: Resolve, *, allow_loopback: bool, now: Clock, clock: Callable[[], float]
    ) -> None:
        self.limits = limits
        self.hosts: defaultdict[str, _Host] = defaultdict(_Host)
        self._resolve = resolve
        self._allow_loopback = allow_loopback
        self._read = partial(_read, now=now)
        self.clock = clock
        self._end = clock() + limits.whole_s
        self._parallel = asyncio.Semaphore(limits.parallel)

    async def ask_all(self, places: Iterable[Place], report: Callable[[str, LinkAnswer], None]) -> None:
        """Returns when each place has its answer, or the time is over; what `report` raises ends it."""

        async def ask(place: Place) -> None:
            report(place.url, await _Inquiry(self, place).answer())

        await asyncio.gather(*map(ask, places))

    async def wait(self, seconds: float) -> None:
        """Returns after some seconds, or as soon as the time for all is over."""
        await asyncio.sleep(max(min(seconds, self._end - self.clock()), 0))

    async def send(self, host: _Host, place: Place, method: Method) -> Received | NoReply | _NameFault:
        """Returns what one request came to, sent when the host may be sent one.

        Raises:
            _LeftAlone: The host is sent no more requests, or no time is left.
        """
        await self.wait(host.free_at - self.clock())
        async with self._parallel:
            if host.left_alone or self.clock() >= self._end:
                raise _LeftAlone(host.left_alone or "no time was left to ask")
            try:
                outcome = await asyncio.wait_for(
                    asyncio.wrap_future(in_thread(partial(self._outcome, place, method))), self.limits.request_s
                )
            except TimeoutError:
                outcome = NoReply("slow", "no whole reply in time")
        if not isinstance(outcome, str):
            host.free_at = self.clock() + self.limits.spacing_s
        if isinstance(outcome, Received):
            host.faults = 0
        elif isinstance(outcome, NoReply) and not (method == "HEAD" and outcome.reason == "broken"):
            host.faults += 1
            if host.faults >= self.limits.most_faults:
                host.left_alone = f"its host gave no answer {counted(host.faults, 'time')} in a row"
        return outcome

    def _outcome(self, place: Place, method: Method) -> Received | NoReply | _NameFault:
        end = self.clock() + self.limits.request_s
        try:
            addresses = self._resolve(place.host, place.port)
        except (OSError, UnicodeError) as error:
            is_unknown = isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME
            # Without a network, some systems know no host at all.
            if is_unknown and any(map(self._finds, _KNOWN_NAMES)):
                return "no such host"
            return "its host's name could not be looked up"
        if not addresses:
            return "its host's name could not be looked up"
        if not all(is_public(a) or (self._allow_loopback and is_loopback(a)) for a in addresses):
            return "its host is not on the public internet"
        form = RequestForm(headers=_HEADERS, read=self._read, most_bytes=self.limits.most_bytes, method=method)
        try:
            return send_to(addresses, place.url, host=place.host, form=form, deadline=end, clock=self.clock)
        except NoReply as fault:
            return fault

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


class _Inquiry:
    """An address on the way to its answer. It keeps its turn at a host until it leaves that host."""

    def __init__(self, network: _Network, start: Place) -> None:
        self._network = network
        self._start = start
        self._place = start
        self._hops: list[tuple[int, str]] = []  # the status of each redirect so far, and where it led
        self._has_waited = False
        self._turn_at: _Host | None = None

    async def answer(self) -> LinkAnswer:
        """Returns the answer, without its date."""
        first: LinkAnswer | None = None
        try:
            first = await self._try("HEAD")
            if first.kind != "dead":
                return first
            self._leave()
            await self._network.wait(self._network.limits.again_s)
            second = await self._try("GET")
            return second if second.kind != "dead" or second.status is None else await self._confirmed(second)
        except _LeftAlone as reason:
            if first is None:
                return LinkAnswer(kind="unasked", reason=str(reason))
            text = f"once: {first.reason}; it could not be asked again, as {reason}"
            return replace(first, kind="blocked", reason=text)
        finally:
            self._leave()

    async def _try(self, method: Method) -> LinkAnswer:
        self._place, self._hops, self._has_waited = self._start, [], False
        step: Method | LinkAnswer = method
        while not isinstance(step, LinkAnswer):
            host = await self._host()
            outcome = await self._network.send(host, self._place, step)
            if isinstance(outcome, Received):
                step = self._after(outcome, step, host)
            elif isinstance(outcome, str):
                is_private = outcome == "its host is not on the public internet" and not self._hops
                kind: LinkKind = "dead" if outcome == "no such host" else "unasked" if is_private else "blocked"
                step = self._answer(kind, outcome)
            elif step == "HEAD" and outcome.reason == "broken":
                step = "GET"
            else:
                step = self._answer("blocked", _NO_REPLY[outcome.reason])
        return step

    async def _confirmed(self, dead: LinkAnswer) -> LinkAnswer:
        """Returns an answer that a host gave twice, `blocked` where none of its pages is there, not even the front."""
        host = await self._host()
        if host.is_open is None:
            outcome = await self._network.send(host, place_of(urljoin(self._place.url, "/")), "GET")
            if isinstance(outcome, Received):
                host.is_open = 200 <= outcome.status < 400 and not _is_bot_wall(outcome)
                self._leave_alone_if_busy(host, outcome)
        if host.is_open:
            return dead
        return replace(dead, kind="blocked", reason=f"{dead.reason}, but its host shows no front page either")

    async def _host(self) -> _Host:
        """Returns the host to ask next, when it is this inquiry's turn there."""
        host = self._network.hosts[self._place.host]
        if host is not self._turn_at:
            self._leave()
            await host.turn.acquire()
            self._turn_at = host
        return host

    def _leave(self) -> None:
        if self._turn_at is not None:
            self._turn_at.turn.release()
            self._turn_at = None

    def _after(self, reply: Received, method: Method, host: _Host) -> Method | LinkAnswer:
        """Returns the answer that a reply gives, or the method of the next request."""
        status = reply.status
        if _is_bot_wall(reply):
            host.is_wall = host.is_wall or 200 <= status < 300
            self._leave_alone_if_busy(host, reply)
            return self._answer("blocked", "a bot wall stands before it", status)
        if 200 <= status < 400:
            host.is_open = True
        if status in REDIRECTS and reply.headers.get("location"):
            return self._followed(reply) or method
        if 200 <= status < 300:
            return self._after_success(reply, method, host)
        wait_s = retry_after_s(reply.headers.get("retry-after"), now=reply.at) if status in _BUSY else None
        wait_s = _UNTOLD_WAIT_S if wait_s is None and status == 429 else wait_s
        if wait_s is not None and wait_s <= self._network.limits.longest_hold_s and not self._has_waited:
            self._has_waited = True
            host.free_at = max(host.free_at, self._network.clock() + wait_s)
            return method
        if method == "HEAD" and status != 429:
            return "GET"
        self._leave_alone_if_busy(host, reply)
        return self._answer("dead" if status in _GONE else "blocked", f"it answers {status}", status)

    def _leave_alone_if_busy(self, host: _Host, reply: Received) -> None:
        """Gives up a host that wants fewer requests, and does not say that it would soon take more."""
        if reply.status == 429:
            wait_s = retry_after_s(reply.headers.get("retry-after"), now=reply.at)
            pause = "" if wait_s is None else f", and asks to be left alone for {wait_s:.0f} s"
            host.left_alone = f"its host answers 429{pause}"

    def _after_success(self, reply: Received, method: Method, host: _Host) -> Method | LinkAnswer:
        if method == "HEAD":
            if host.is_wall:
                return self._answer("blocked", "its host shows a bot wall", reply.status)
            has_moved = any(status in _PERMANENT for status, _ in self._hops)
            if has_moved or (host.is_wall is None and _is_html(reply)):
                return "GET"
        elif _is_html(reply):
            host.is_wall = False
        start, status = self._start.url, reply.status
        if self._hops and (doubt := doubt_about(start, self._place.url)) is not None:
            return self._answer("blocked", doubt, status)
        # Where the redirects lead as long as they are for good.
        permanent = [url for _, url in takewhile(lambda hop: hop[0] in _PERMANENT, self._hops)]
        if not permanent or without_secrets(permanent[-1]) != permanent[-1]:
            return self._answer("alive", "", status)
        if not is_known_again(start, permanent[-1]):
            return self._answer("blocked", "it leads to another site, to a page of another name", status)
        return replace(self._answer("moved", "it has moved for good", status), location=permanent[-1])

    def _followed(self, reply: Received) -> LinkAnswer | None:
        """Goes on to where a redirect leads; returns the answer where it is not followed."""
        target, most = reply.headers["location"].strip(), self._network.limits.most_redirects
        try:
            target = urljoin(self._place.url, target)
            place = place_of(target)
        except ValueError as reason:
            kind: LinkKind = "unasked" if isinstance(reason, SettledElsewhere) else "blocked"
            why = reason if isinstance(reason, NotAsked) else "not a valid address"
            return replace(self._answer(kind, f"it leads to another address: {why}", reply.status), location=target)
        if len(self._hops) >= most:
            return self._answer("blocked", f"it redirects more than {counted(most, 'time')}", reply.status)
        if place.url in (self._start.url, *(url for _, url in self._hops)):
            return self._answer("blocked", "it redirects in a circle", reply.status)
        self._place = place
        self._hops.append((reply.status, place.url))
        return None

    def _answer(self, kind: LinkKind, reason: str, status: int | None = None) -> LinkAnswer:
        location = self._place.url if self._hops else None
        if reason and location and not reason.startswith("it leads"):
            reason = f"it leads to {location}: {reason}"
        return LinkAnswer(kind=kind, status=status, location=location, reason=reason)


def _is_bot_wall(reply: Received) -> bool:
    if any(reply.headers.get(name, "") == mark for name, mark in _WALL_HEADERS):
        return True
    return _is_html(reply) and _WALL_TEXT.search(reply.body) is not None


def _is_html(reply: Received) -> bool:
    return "html" in reply.headers.get("content-type", "html").lower()

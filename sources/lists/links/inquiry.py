"""Decides from the replies to an address on the next request or the answer. Pure.

An inquiry begins with HEAD. What HEAD refuses is asked with GET, as servers answer HEAD with 403, 404, 405 or 501 for
pages that they have. Only what GET answers can be dead, and only when the second inquiry, some time later and with GET
from its start, comes to the same end. Some hosts answer 404 to every program: where no page of a host has answered
otherwise, its front page must, or nothing is dead there. A host's first page is read with GET even where HEAD says 200:
a bot wall may answer 200 to everything.

A soft 404, a page that says "not found" with status 200, is not guessed at. Neither is a redirect to the front page, to
an error page, to a log-in or to somebody else's site: the page may be there or not (`addresses.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, Protocol
from urllib.parse import urljoin

from sources.http.public_addresses import REDIRECTS
from sources.http.replies import NoReply, Received, retry_after_s
from sources.lists.links.addresses import NotAsked, Place, SettledElsewhere, doubt_about, is_known_again, place_of
from sources.lists.remote import without_secrets
from sources.text import counted

# What is known of an address, for how long that holds, and what asking may take. Pure.
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
    """What is known of one address.

    Attributes:
        kind: See above.
        status: The last HTTP status; None where no reply came.
        location: Where it leads in the end; None where it does not lead elsewhere. Only that of `moved` may take the
            address's place.
        reason: Why, in some words for the list's owner; empty for `alive`.
        asked_at: When the last reply came, or was given up, UTC; None for `unasked`.
    """

    kind: LinkKind
    status: int | None = None
    location: str | None = None
    reason: str = ""
    asked_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Returns whether it need not be asked again at `now`."""
        return self.asked_at is not None and timedelta(0) <= now - self.asked_at < _VALID[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkLimits:
    """What asking may take.

    Attributes:
        spacing_s: Seconds between the end of a request to a host and the next one to it.
        again_s: Least seconds before a dead address is asked again.
        request_s: Seconds for one request, look-up of the name included.
        whole_s: Seconds for all; what is left then is `unasked`.
        longest_hold_s: The longest Retry-After that is waited out; for a longer one, the host is left alone.
        most_redirects: Redirects that are followed from one address.
        most_bytes: Bytes of a body that are read, to tell a bot wall from a page.
        parallel: Requests at the same time, each to another host.
        most_faults: Time-outs or failed connections in a row after which a host is left alone.
    """

    spacing_s: float = 1.0
    again_s: float = 5.0
    request_s: float = 20.0
    whole_s: float = 900.0
    longest_hold_s: float = 60.0
    most_redirects: int = 5
    most_bytes: int = 16 * 1024
    parallel: int = 16
    most_faults: int = 3


class LinkStore(Protocol):
    """Where answers are kept between runs."""

    def find(self, address: str) -> LinkAnswer | None:
        """Returns the last answer for an address, None where there is none."""
        ...

    def keep(self, address: str, answer: LinkAnswer) -> None:
        """Keeps an answer; called from several threads, never for `unasked`."""
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
_NAME_FAULTS: dict[str, str] = {
    "unknown host": "no such host",
    "failed look-up": "its host's name could not be looked up",
    "private host": "its host is not on the public internet",
}


@dataclass(frozen=True, slots=True)
class NameFault:
    """No request was sent, for what the look-up of the host's name gave.

    Attributes:
        kind: `unknown host`, the resolver works and says that there is none; `failed look-up`, it does not say;
            `private host`, an address that is not public.
    """

    kind: Literal["unknown host", "failed look-up", "private host"]


Outcome = Received | NoReply | NameFault  # what one request came to


@dataclass(frozen=True, slots=True)
class Hop:
    """A redirect that was followed: its status, and where it led."""

    status: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """An address on the way to its answer.

    Attributes:
        start: Where it was asked first.
        place: Where it is asked next.
        method: How.
        hops: The redirects so far.
        waits: How often a Retry-After was waited out.
        first: What the first inquiry found, in the second one.
        verdict: What both found, while the host's front page is asked whether its answers mean anything.
    """

    start: Place
    place: Place
    method: Literal["HEAD", "GET"] = "HEAD"
    hops: tuple[Hop, ...] = ()
    waits: int = 0
    first: LinkAnswer | None = None
    verdict: LinkAnswer | None = None

    @property
    def again(self) -> Inquiry:
        """Returns the inquiry from its start, with GET."""
        return Inquiry(start=self.start, place=self.start, method="GET", first=self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRequest:
    """The inquiry goes on.

    Attributes:
        inquiry: What to ask next.
        after_s: Seconds to leave this address alone before.
        hold_s: Seconds to leave the whole host alone before.
    """

    inquiry: Inquiry
    after_s: float = 0.0
    hold_s: float = 0.0


@dataclass(slots=True)
class HostPages:
    """What the pages of a host have shown in this run.

    Attributes:
        is_wall: Whether the first that was read is a bot wall; None before it.
        is_open: Whether one was there, or led elsewhere; None before one was asked for, and False where not even the
            front page was.
    """

    is_wall: bool | None = None
    is_open: bool | None = None


def next_step(inquiry: Inquiry, outcome: Outcome, pages: HostPages, limits: LinkLimits) -> NextRequest | LinkAnswer:
    """Returns what follows from the outcome of an inquiry's request. `pages` is brought up to date.

    The answer has no date; whoever asks gives it one.
    """
    if inquiry.verdict is not None:
        if isinstance(outcome, Received):
            pages.is_open = 200 <= outcome.status < 400 and not is_wall(outcome)
        return _confirmed(inquiry.verdict, pages)
    if isinstance(outcome, NameFault):
        return _without_request(inquiry, outcome, limits)
    if isinstance(outcome, NoReply):
        if inquiry.method == "HEAD" and outcome.reason == "broken":
            return NextRequest(inquiry=replace(inquiry, method="GET"))
        return _answer(inquiry, "blocked", _NO_REPLY[outcome.reason])
    return _after_reply(inquiry, outcome, pages, limits)


def _without_request(inquiry: Inquiry, fault: NameFault, limits: LinkLimits) -> NextRequest | LinkAnswer:
    reason = _NAME_FAULTS[fault.kind]
    if fault.kind == "unknown host":
        return _gone(inquiry, _answer(inquiry, "dead", reason), limits)
    is_own = fault.kind == "private host" and not inquiry.hops
    return _answer(inquiry, "unasked" if is_own else "blocked", reason)


def _after_reply(inquiry: Inquiry, reply: Received, pages: HostPages, limits: LinkLimits) -> NextRequest | LinkAnswer:
    status = reply.status
    if is_wall(reply):
        pages.is_wall = pages.is_wall or 200 <= status < 300
        return _answer(inquiry, "blocked", "a bot wall stands before it", status)
    if 200 <= status < 400:
        pages.is_open = True
    if status in REDIRECTS and reply.headers.get("location"):
        return _follow(inquiry, reply, limits)
    if 200 <= status < 300:
        return _after_success(inquiry, reply, pages)
    return _after_refusal(inquiry, reply, pages, limits)


def _after_refusal(inquiry: Inquiry, reply: Received, pages: HostPages, limits: LinkLimits) -> NextRequest | LinkAnswer:
    status = reply.status
    wait_s = _wait_s(reply)
    if wait_s is not None and wait_s <= limits.longest_hold_s and not inquiry.waits:
        return NextRequest(inquiry=replace(inquiry, waits=1), hold_s=wait_s)
    if inquiry.method == "HEAD" and status != 429:
        return NextRequest(inquiry=replace(inquiry, method="GET"))
    if status in _GONE:
        step = _gone(inquiry, _answer(inquiry, "dead", f"it answers {status}", status), limits)
        return step if isinstance(step, NextRequest) else _held_against_front_page(inquiry, step, pages)
    return _answer(inquiry, "blocked", f"it answers {status}", status)


def _wait_s(reply: Received) -> float | None:
    """Returns the seconds for which the host wants to be left alone; None where it does not."""
    if reply.status not in _BUSY:
        return None
    pause_s = retry_after_s(reply.headers.get("retry-after"), now=reply.at)
    return _UNTOLD_WAIT_S if pause_s is None and reply.status == 429 else pause_s


def is_wall(reply: Received) -> bool:
    """Returns whether a reply is a page that keeps programs out, in the place of the one asked for."""
    if any(reply.headers.get(name, "") == mark for name, mark in _WALL_HEADERS):
        return True
    return _is_html(reply) and _WALL_TEXT.search(reply.body) is not None


def _is_html(reply: Received) -> bool:
    return "html" in reply.headers.get("content-type", "html").lower()


def _after_success(inquiry: Inquiry, reply: Received, pages: HostPages) -> NextRequest | LinkAnswer:
    if inquiry.method == "HEAD":
        if pages.is_wall:
            return _answer(inquiry, "blocked", "its host shows a bot wall", reply.status)
        led = any(hop.status in _PERMANENT for hop in inquiry.hops)
        if led or (pages.is_wall is None and _is_html(reply)):
            return NextRequest(inquiry=replace(inquiry, method="GET"))
    elif _is_html(reply):
        pages.is_wall = False
    return _arrival(inquiry, reply.status)


def _arrival(inquiry: Inquiry, status: int) -> LinkAnswer:
    """Returns the answer for an address that came to a page in the end."""
    if not inquiry.hops:
        return _answer(inquiry, "alive", "", status)
    start = inquiry.start.url
    if (doubt := doubt_about(start, inquiry.place.url)) is not None:
        return _answer(inquiry, "blocked", doubt, status)
    target = _permanent_target(inquiry)
    if target is None or without_secrets(target) != target:
        return _answer(inquiry, "alive", "", status)
    if not is_known_again(start, target):
        return _answer(inquiry, "blocked", "it leads to another site, to a page of another name", status)
    return replace(_answer(inquiry, "moved", "it has moved for good", status), location=target)


def _permanent_target(inquiry: Inquiry) -> str | None:
    """Returns where the redirects lead as long as they are for good; None where the first one is not."""
    target = None
    for hop in inquiry.hops:
        if hop.status not in _PERMANENT:
            break
        target = hop.url
    return target


def _follow(inquiry: Inquiry, reply: Received, limits: LinkLimits) -> NextRequest | LinkAnswer:
    target = reply.headers["location"].strip()
    try:
        target = urljoin(inquiry.place.url, target)
        place = place_of(target)
    except ValueError as reason:
        kind: LinkKind = "unasked" if isinstance(reason, SettledElsewhere) else "blocked"
        why = reason if isinstance(reason, NotAsked) else "not a valid address"
        return replace(_answer(inquiry, kind, f"it leads to another address: {why}", reply.status), location=target)
    hops = (*inquiry.hops, Hop(reply.status, place.url))
    if len(hops) > limits.most_redirects:
        return _answer(
            inquiry, "blocked", f"it redirects more than {counted(limits.most_redirects, 'time')}", reply.status
        )
    if place.url in (inquiry.start.url, *(hop.url for hop in inquiry.hops)):
        return _answer(inquiry, "blocked", "it redirects in a circle", reply.status)
    return NextRequest(inquiry=replace(inquiry, place=place, hops=hops))


def _gone(inquiry: Inquiry, answer: LinkAnswer, limits: LinkLimits) -> NextRequest | LinkAnswer:
    """Returns the answer `dead`, where this is the second inquiry that comes to it; else the second inquiry."""
    if inquiry.first is not None:
        return answer
    return NextRequest(inquiry=replace(inquiry, first=answer).again, after_s=limits.again_s)


def _held_against_front_page(inquiry: Inquiry, answer: LinkAnswer, pages: HostPages) -> NextRequest | LinkAnswer:
    """Returns an answer that a host gave twice; where none of its pages was there, asks for its front page first."""
    if pages.is_open is not None:
        return _confirmed(answer, pages)
    front = place_of(urljoin(inquiry.place.url, "/"))
    return NextRequest(inquiry=replace(inquiry, place=front, method="GET", verdict=answer))


def _confirmed(answer: LinkAnswer, pages: HostPages) -> LinkAnswer:
    if pages.is_open:
        return answer
    return replace(answer, kind="blocked", reason=f"{answer.reason}, but its host shows no front page either")


def _answer(inquiry: Inquiry, kind: LinkKind, reason: str, status: int | None = None) -> LinkAnswer:
    location = inquiry.place.url if inquiry.hops else None
    if reason and location and not reason.startswith("it leads"):
        reason = f"it leads to {location}: {reason}"
    return LinkAnswer(kind=kind, status=status, location=location, reason=reason)

"""What is left of OpenAlex's allowance of a day, and what a run has used of it, as its replies say. Pure.

A list costs one credit, a search ten. Without a key there are fewer credits than with a free one, and their number has
changed before, so that only the replies are believed: https://developers.openalex.org/guides/authentication . Credit
that was paid for is used after the day's own. Errors are charged as answers are; a 504 alone is refunded. What may wait
leaves half of a day's allowance to the look-ups.
"""

from __future__ import annotations

from dataclasses import dataclass

from sources.errors import AllowanceSpent, SearchesPaused, SourceError
from sources.http.replies import Received, retry_after_s

CREDITS, KEYED_CREDITS = 1_000, 10_000
"""What a day gave in 2026, without a key and with a free one: for plans; what is left, the replies say."""
SEARCH_COST = 10
"""Credits of a search; a list costs one."""
_DAY_S = 86_400.0
_MOMENT_S = 120.0
"""Who is refused for longer has used up the day's allowance; too many requests in a second are refused for one."""
_PAUSE_S = 10.0
"""A search is not repeated after a longer wait than this: searches alone are paused for minutes up to hours."""


@dataclass(slots=True)
class Allowance:
    """A day's allowance.

    Attributes:
        url: Whose it is.
        spent: The error of a request that it no longer bears; None while there is some left.
        used: Credits that the replies so far have cost.
        limit: Credits of a day, as the last reply says; 0 before.
    """

    url: str
    spent: AllowanceSpent | None = None
    used: int = 0
    limit: int = 0
    _left: int | None = None

    def note(self, received: Received, cost: int) -> None:
        """Notes what a reply has cost, by itself or else by the price of the question, and what it says is left."""
        charged = _whole(received.headers.get("x-ratelimit-credits-used"))
        self.used += charged if charged is not None else 0 if received.status in (429, 504) else cost
        self.limit = _whole(received.headers.get("x-ratelimit-limit")) or self.limit
        if received.status == 200 and (left := _left(received)) is not None:
            self._left = left
            self.spent = self._spent(received) if left < 1 else None

    def refusal(self, received: Received, cost: int) -> SourceError | None:
        """Returns what a refusal means to the day's allowance or to searches; None where it is about this request."""
        wait = retry_after_s(received.headers.get("retry-after"), now=received.at)
        until = _whole(received.headers.get("x-ratelimit-reset")) if wait is None else wait
        if received.status == 429 and (until or 0) > _MOMENT_S:
            self._left = _left(received) or 0
            if self._left < 1 or cost < SEARCH_COST:
                self.spent = self._spent(received)
                return self.spent
        if received.status in (429, 503) and cost == SEARCH_COST and (until or 0) > _PAUSE_S:
            why = f"HTTP {received.status}, asked to wait {until:.0f} s"
            return searches_paused(f"OpenAlex answers no searches for now ({why})", url=self.url)
        return None

    def refuse_waiting(self, cost: int, what: str) -> None:
        """Refuses a request that may wait where less than half of the allowance would be left.

        Args:
            cost: Its credits.
            what: What waits, as in "titles wait".

        Raises:
            AllowanceSpent: Such is the case.
        """
        if self._left is not None and self._left - cost < self.limit / 2:
            text = f"what is left of OpenAlex's free allowance of today is for papers already found; {what}"
            raise AllowanceSpent(text, source="openalex", url=self.url)

    def _spent(self, received: Received) -> AllowanceSpent:
        wait = retry_after_s(received.headers.get("retry-after"), now=received.at)
        reset = _whole(received.headers.get("x-ratelimit-reset"))
        midnight = _DAY_S - (received.at.timestamp() % _DAY_S)
        text = "OpenAlex's free allowance of today is spent; the papers left are asked about after midnight UTC"
        return AllowanceSpent(
            text,
            source="openalex",
            url=self.url,
            status=received.status,
            retry_after_s=min(wait or reset or midnight, _DAY_S),
        )


def searches_paused(why: str, *, url: str) -> SearchesPaused:
    """Returns the error of searches that this run makes no more."""
    return SearchesPaused(f"{why}; titles wait for a later run, look-ups go on", source="openalex", url=url)


def _left(received: Received) -> int | None:
    """Returns the credits left: those of the day, and those that were paid for."""
    left = _whole(received.headers.get("x-ratelimit-remaining"))
    return None if left is None else left + (_whole(received.headers.get("x-ratelimit-onetime-remaining")) or 0)


def _whole(text: str | None) -> int | None:
    """Returns the whole number in a header, None where it has none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None

"""What is left of OpenAlex's free allowance of a day, as its replies say. Pure.

A list costs one credit, a search ten. Without a key there are fewer credits than with a free one, and their number has
changed before, so that only the replies are believed: https://developers.openalex.org/guides/authentication . What may
wait leaves half of a day's allowance to the look-ups.
"""

from __future__ import annotations

from dataclasses import dataclass

from sources.errors import AllowanceSpent
from sources.http.replies import Received, retry_after_s

SEARCH_COST = 10
"""Credits of a search; a list costs one."""
_DAY_S = 86_400.0


@dataclass(slots=True)
class Allowance:
    """A day's allowance.

    Attributes:
        url: Whose it is.
        spent: The error of a request that it no longer bears; None while there is some left.
    """

    url: str
    spent: AllowanceSpent | None = None
    _left: int | None = None
    _limit: int = 0

    def note(self, received: Received) -> None:
        """Notes what a reply says is left."""
        left = _whole(received.headers.get("x-ratelimit-remaining"))
        if left is not None and received.status in (200, 429):
            self._left, self._limit = left, _whole(received.headers.get("x-ratelimit-limit")) or 0
            is_spent = left < (1 if received.status == 200 else SEARCH_COST)  # a search is refused before a list is
            self.spent = _allowance_spent(received, url=self.url) if is_spent else None

    def refuse_waiting(self, cost: int, what: str) -> None:
        """Refuses a request that may wait where less than half of the allowance would be left.

        Args:
            cost: Its credits.
            what: What waits, as in "titles wait".

        Raises:
            AllowanceSpent: Such is the case.
        """
        if self._left is not None and self._left - cost < self._limit / 2:
            text = f"what is left of OpenAlex's free allowance of today is for papers already found; {what}"
            raise AllowanceSpent(text, source="openalex", url=self.url)


def _allowance_spent(received: Received, *, url: str) -> AllowanceSpent:
    wait = retry_after_s(received.headers.get("retry-after"), now=received.at)
    reset = _whole(received.headers.get("x-ratelimit-reset"))
    midnight = _DAY_S - (received.at.timestamp() % _DAY_S)
    text = "OpenAlex's free allowance of today is spent; the papers left are asked about after midnight UTC"
    return AllowanceSpent(
        text,
        source="openalex",
        url=url,
        status=received.status,
        retry_after_s=min(wait or reset or midnight, _DAY_S),
    )


def _whole(text: str | None) -> int | None:
    """Returns the whole number in a header, None where it has none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None

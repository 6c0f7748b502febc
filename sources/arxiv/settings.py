"""Where arXiv is, and how patiently to ask it."""

from __future__ import annotations

from dataclasses import dataclass

from sources.http.retry import Patience

DEFAULT_URL = "https://export.arxiv.org/api/query"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivSettings:
    """How to ask arXiv.

    Attributes:
        url: The query endpoint; https, as http costs a redirect each time.
        interval_s: Seconds between requests (https://info.arxiv.org/help/api/tou.html); the pace keeps to them.
        timeout_s: Seconds to wait for a connection, and for each part of a reply. arXiv has been seen to stall two
            minutes before it says 429 (https://github.com/ultimatile/arxiv-skills/issues/25).
        max_tries: Requests for one question in all.
        backoff_s: The longest first wait after a fault; it doubles with each.
        max_wait_s: What may be waited for one question in all.
    """

    url: str = DEFAULT_URL
    interval_s: float = 3.0
    timeout_s: tuple[float, float] = (10.0, 60.0)
    max_tries: int = 4
    backoff_s: float = 2.0
    max_wait_s: float = 120.0

    @property
    def patience(self) -> Patience:
        """Returns when to give up one question."""
        return Patience(max_tries=self.max_tries, backoff_s=self.backoff_s, max_wait_s=self.max_wait_s)

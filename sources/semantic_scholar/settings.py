"""Where Semantic Scholar is, with which key, and how patiently to ask it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import SecretStr

from sources.http.retry import Patience

DEFAULT_URL = "https://api.semanticscholar.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class S2Settings:
    """How to ask Semantic Scholar.

    Attributes:
        url: The API's address without a path.
        api_key: Sent as a header and shown nowhere.
        interval_s: Seconds between requests; None means one with a key (https://www.semanticscholar.org/product/api)
            and three without, where the limit is shared by everybody.
        timeout_s: Seconds to wait for a connection, and for each part of a reply.
        max_tries: Requests for one question in all.
        backoff_s: The longest first wait after a fault; it doubles with each, as the terms of a key require.
        max_wait_s: What may be waited for one question in all.
    """

    url: str = DEFAULT_URL
    api_key: SecretStr | None = None
    interval_s: float | None = None
    timeout_s: tuple[float, float] = (10.0, 60.0)
    max_tries: int = 4
    backoff_s: float = 2.0
    max_wait_s: float = 120.0

    @property
    def spacing_s(self) -> float:
        """Returns the seconds between requests that hold for these settings."""
        if self.interval_s is not None:
            return self.interval_s
        return 1.0 if self.api_key else 3.0

    @property
    def patience(self) -> Patience:
        """Returns when to give up one question."""
        return Patience(max_tries=self.max_tries, backoff_s=self.backoff_s, max_wait_s=self.max_wait_s)

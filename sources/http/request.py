"""How a service is reached, where its replies are stored, and under which keys.

Replies are stored as received, so that a crash, a second run or a new parser requests nothing twice. A question is
written as canonical JSON (sorted keys, no blanks): the same question is the same text in every process.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sources.errors import PayloadError
from sources.http.retry import RetryPolicy
from sources.records import Reply, SourceName

if TYPE_CHECKING:
    from pydantic import SecretStr


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Where a service is, with which key, and how patiently to ask it."""

    # its address: the query endpoint of arXiv (https, as http costs a redirect each time), Semantic Scholar's without a
    # path
    url: str
    api_key: SecretStr | None = None  # sent as a header and shown nowhere; None where there is none
    # seconds to wait for a connection, and for each part of a reply. arXiv has been seen to stall two minutes before it
    # says 429 (https://github.com/ultimatile/arxiv-skills/issues/25).
    timeout_s: tuple[float, float] = (10.0, 60.0)
    retry: RetryPolicy = field(default_factory=RetryPolicy)  # when to give up one question
    contact: str | None = None  # where whoever runs this can be reached, for the service


class ReplyStore(Protocol):
    """The store of replies; the warehouse has the real one."""

    def find(self, source: SourceName, request_key: str) -> Reply | None:
        """Returns a stored reply to this very question that is still fresh; None if the service must be asked."""
        ...

    def keep(self, reply: Reply) -> None:
        """Stores a reply for good. Called at once, and only for replies that may be believed."""
        ...


def request_key(endpoint: str, **facts: Any) -> str:
    """Returns the canonical text of a question: an endpoint with what it was asked. It must hold no secret."""
    return json.dumps({"endpoint": endpoint, **facts}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def read_request_key(reply: Reply) -> dict[str, Any]:
    """Returns the question behind a reply, as `request_key` wrote it.

    Raises:
        PayloadError: The text is not such a question.
    """
    try:
        question = json.loads(reply.request_key)
    except ValueError:
        question = None
    if not isinstance(question, dict) or not isinstance(question.get("endpoint"), str):
        raise PayloadError("a stored reply does not say what was asked", source=reply.source, field="request_key")
    return question

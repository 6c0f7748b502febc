"""Asks one question of a service: from stored replies first, else with rate limit and retries.

Replies are kept as received, so that a crash, a second run or a new parser asks nothing twice. A question is written as
canonical JSON (sorted keys, no blanks): the same question is the same text in every process.
"""

from __future__ import annotations

import json
import logging
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from sources.errors import PayloadError, SourceError, SourceUnreachable
from sources.http.replies import Received
from sources.http.retry import Attempts, RetryPolicy
from sources.records import Reply, SourceName

if TYPE_CHECKING:
    from pydantic import SecretStr

    from sources.http.rate_limit import Pace

T = TypeVar("T")
_log = logging.getLogger(__name__)


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
    """Where replies are kept; the warehouse has the real one."""

    def find(self, source: SourceName, request_key: str) -> Reply | None:
        """Returns a kept reply to this very question that is still fresh, or None: then the service is asked."""
        ...

    def keep(self, reply: Reply) -> None:
        """Keeps a reply for good. Called at once, and only for replies that may be believed."""
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
        raise PayloadError("a kept reply does not tell what was asked", source=reply.source, field="request_key")
    return question


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[T]):
    """One request, and what to make of its reply."""

    key: str  # the question in canonical JSON
    send: Callable[[], Received]  # makes the request once; raises only where no whole reply came
    # returns the error that a reply means by its status, None where it is an answer
    refusal: Callable[[Received], SourceError | None]
    # returns what the reply says; raises `PayloadError` where it is not what the service promises
    read: Callable[[Reply], T]
    # whether an answer may be kept at once. One that is not is the asker's to look into, and to keep.
    believed: Callable[[T], bool] = lambda _: True


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWithReply(Generic[T]):
    """An answer with the reply it was read from; `from_store` tells one that was kept before."""

    answer: T
    reply: Reply
    from_store: bool


class Asker:
    """Puts questions to one service. Safe to use from several threads."""

    def __init__(
        self,
        source: SourceName,
        *,
        replies: ReplyStore,
        pace: Pace,
        retry: RetryPolicy,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.source = source
        self.requests_sent = 0
        self._replies = replies
        self._pace = pace
        self._retry = retry
        self._sleep = sleep
        self._draw = draw
        self._lock = threading.Lock()

    def ask(self, question: Question[T]) -> AnswerWithReply[T]:
        """Returns the answer to `question`, from a kept reply where there is one.

        Raises:
            SourceError: The service could not be asked, or gave no usable answer in the end.
        """
        stored = self._replies.find(self.source, question.key)
        if stored is not None:
            try:
                return AnswerWithReply(answer=question.read(stored), reply=stored, from_store=True)
            except SourceError as error:
                _log.warning("a kept reply can no longer be read, asking again: %s", error)
        attempts = Attempts(self._retry, sleep=self._sleep, draw=self._draw)
        while True:
            with attempts:
                with self._pace.turn(patience_s=self._retry.max_wait_s):
                    with self._counting():
                        received = question.send()
                    if (refusal := question.refusal(received)) is not None:
                        raise refusal
                return self._read(question, received)

    def keep(self, reply: Reply) -> None:
        """Keeps a reply that was found to be true after all."""
        self._replies.keep(reply)

    def close(self) -> None:
        """Ends the turns; nothing is asked afterwards."""
        self._pace.close()

    def _read(self, question: Question[T], received: Received) -> AnswerWithReply[T]:
        reply = Reply(
            source=self.source,
            request_key=question.key,
            fetched_at=received.at,
            status=received.status,
            body=received.body,
        )
        answer = question.read(reply)
        if question.believed(answer):
            self._replies.keep(reply)
        return AnswerWithReply(answer=answer, reply=reply, from_store=False)

    @contextmanager
    def _counting(self) -> Iterator[None]:
        """Counts the request inside, unless no connection was made and so nothing sent."""
        is_sent = True
        try:
            yield
        except SourceUnreachable:
            is_sent = False
            raise
        finally:
            with self._lock:
                self.requests_sent += is_sent

"""One question to a service: kept reply first, else politely, with patience, and the reply kept at once."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from sources.errors import SourceError, SourceUnreachable
from sources.http.outcome import Received
from sources.http.pace import Pace
from sources.http.replies import ReplyStore
from sources.http.retry import Patience, retrying
from sources.records import Reply, SourceName

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[T]):
    """One request, and what to make of its reply.

    Attributes:
        key: The question in canonical JSON.
        send: Makes the request once; raises only where no whole reply came.
        refusal: Returns the error that a reply means by its status, None where it is an answer.
        read: Returns what the reply says; raises `PayloadError` where it is not what the service promises.
        believed: Whether an answer may be kept at once. One that is not is the asker's to look into, and to keep.
    """

    key: str
    send: Callable[[], Received]
    refusal: Callable[[Received], SourceError | None]
    read: Callable[[Reply], T]
    believed: Callable[[T], bool] = lambda _: True


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWithReply(Generic[T]):
    """An answer with the reply it was read from; `kept` tells one that came from the store."""

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
        patience: Patience,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.source = source
        self.requests_sent = 0
        self._replies = replies
        self._pace = pace
        self._patience = patience
        self._sleep = sleep
        self._draw = draw
        self._counting = threading.Lock()

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
        return retrying(lambda: self._once(question), patience=self._patience, sleep=self._sleep, draw=self._draw)

    def keep(self, reply: Reply) -> None:
        """Keeps a reply that was found to be true after all."""
        self._replies.keep(reply)

    def close(self) -> None:
        """Ends the turns; nothing is asked afterwards."""
        self._pace.close()

    def _once(self, question: Question[T]) -> AnswerWithReply[T]:
        with self._pace.turn(patience_s=self._patience.max_wait_s):
            received = self._sent(question)
            if (error := question.refusal(received)) is not None:
                raise error
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

    def _sent(self, question: Question[T]) -> Received:
        try:
            received = question.send()
        except SourceUnreachable:
            raise  # nothing was sent
        except BaseException:
            self._count()
            raise
        self._count()
        return received

    def _count(self) -> None:
        with self._counting:
            self.requests_sent += 1

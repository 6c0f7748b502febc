"""Requests for a page of OpenAlex's works, and what its refusals and the allowance of a day mean to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from sources.errors import AllowanceSpent, BatchRefused, SourceError, TransientSourceError
from sources.http.replies import Received, status_error
from sources.http.request import Question
from sources.openalex.allowance import Allowance
from sources.openalex.answers import MAX_IDS
from sources.openalex.payload import FIELDS, WORKS, WorksPage, error_said, parse_works
from sources.records import Reply
from sources.service_client import BatchClient

T = TypeVar("T")

_REFUSED_FILTER = "invalid query parameter"


class WorksClient(BatchClient):
    """What every request for works does.

    A key is sent as `Authorization: Bearer`, which the service takes as well as `api_key` in the address
    (https://github.com/J535D165/pyalex/pull/77): addresses are logged on the way.
    """

    SOURCE = "openalex"
    FAMOUS = ("10.7717/peerj.4375", "10.1371/journal.pone.0266781", "10.1371/journal.pone.0267149")
    KEY_HEADER = "Authorization"
    KEY_PREFIX = "Bearer "

    def _prepare(self, url: str) -> None:
        self._allowance = Allowance(url)
        self._works_url = f"{url.rstrip('/')}/{WORKS}"

    def _ask(
        self,
        wanted: str,
        read: Callable[[Reply], T],
        *,
        key: str,
        believed: Callable[[T], bool] = lambda _: True,
        select: Sequence[str] = FIELDS,
        page: Mapping[str, str] = MappingProxyType({}),
    ) -> T:
        """Returns what `read` makes of the works that a filter lets through; a reply that is `believed` is kept."""
        if self._allowance.spent is not None and self._replies.find(self.SOURCE, key) is None:
            raise self._allowance.spent
        params = {"filter": wanted, "select": ",".join(select), "per_page": str(MAX_IDS), **page}
        question = Question(
            key=key,
            send=partial(self._transport.send, "GET", self._works_url, params=params),
            refusal=self._refusal_of,
            read=read,
            believed=believed,
        )
        try:
            return self._asker.ask(question).answer
        except TransientSourceError as error:
            if error.status is None and error.retry_after_s is not None:  # the pace that all processes share says so
                self._allowance.spent = AllowanceSpent(str(error), source=self.SOURCE, url=self._url)
                raise self._allowance.spent from error
            raise

    def _refusal_of(self, received: Received) -> SourceError | None:
        """Returns the error that a reply means, None for status 200; notes when the allowance is spent."""
        self._allowance.note(received)
        if received.status == 200:
            return None
        if received.status == 429 and self._allowance.spent is not None:
            return self._allowance.spent
        words = error_said(received.body)
        if received.status == 403 and _REFUSED_FILTER in words.lower():
            return BatchRefused(f"OpenAlex answered HTTP 403: {words!r}", source=self.SOURCE, url=self._url, status=403)
        return status_error(received, source=self.SOURCE, url=self._url, said=words)


def works_page(reply: Reply, *, by_id: bool = False) -> WorksPage:
    """Returns the works of a reply; `by_id` as for `parse_works`."""
    return parse_works(reply.body, today=reply.fetched_at.date(), by_id=by_id)

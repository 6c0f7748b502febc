"""OpenAlex, asked for works by DOI, a hundred at a time, and by title, as long as its free allowance lasts.

A list costs one credit of the day's allowance, 1,000 without a key and 10,000 with a free one, and a search ten, so
that few are made: https://help.openalex.org/api/authentication . Every reply says how much is left; once nothing is, no
request is sent until it is renewed. Error messages are free. Half of a day's allowance is left to the look-ups.

Of the DOIs asked for, those that OpenAlex does not have are left out without a word
(https://github.com/ropensci/openalexR/issues/310). So they are asked for once more, beside DOIs that it surely has.

What a search has found is looked up by its identifiers before it is believed: one credit more, and two replies that
must say the same. A search also asks for a work that OpenAlex surely has, so that an empty answer is one.

The known client, pyalex, is not used: it has no time-out, drops the headers that tell of the allowance and tries again
when that is spent (https://github.com/J535D165/pyalex/issues/100), and does not bound the length of an address
(https://github.com/J535D165/pyalex/issues/85). sources/http does all of it; what is left is one address to write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypeVar
from urllib.parse import quote_plus

from sources.errors import (
    AllowanceSpent,
    BatchRefused,
    PermanentSourceError,
    SourceError,
    TransientSourceError,
)
from sources.http.queries import OPENALEX, Halving, Tally, TitleTally, batches
from sources.http.replies import Received, retry_after_s, status_error
from sources.http.request import Question, request_key
from sources.openalex.answers import MAX_IDS, Joined, contradicted, hits, join, paper_of
from sources.openalex.payload import FIELDS, WORKS, WorksPage, error_said, parse_works
from sources.openalex.record import OpenAlexWork, unsound
from sources.records import Answer, OpenAlexPaper, Reply, TitleAnswer
from sources.service_client import BatchClient, TitleSearch, holds_any

T = TypeVar("T")

SEARCH_COST = 10
"""Credits of a search; a list costs one."""
MOST_SEARCHES = 30
"""Searches of a run. The titles left wait for the next one."""
_CONTROL_TITLES = ("The state of OA: a large-scale analysis of the prevalence and impact of Open Access articles",)
"""What OpenAlex surely has, and hardly under another work: the title of 10.7717/peerj.4375."""
_ROOM = 3_400
"""Characters that DOIs may take of an address, which may have 4,094 (pyalex's issue 85)."""
_UNASKABLE = frozenset('|,+"!*\\ ')
"""What means something in a filter, even where it is encoded: https://github.com/ropensci/openalexR/issues/254 ."""
_REFUSED_FILTER = "invalid query parameter"
_DAY_S = 86_400.0


class OpenAlexClient(BatchClient):
    """Fetches works from OpenAlex's API.

    A key is sent as `Authorization: Bearer`, which the service takes as well as `api_key` in the address
    (https://github.com/J535D165/pyalex/pull/77): addresses are logged on the way.
    """

    SOURCE = "openalex"
    FAMOUS = ("10.7717/peerj.4375", "10.1371/journal.pone.0266781", "10.1371/journal.pone.0267149")
    KEY_HEADER = "Authorization"
    KEY_PREFIX = "Bearer "

    _spent: AllowanceSpent | None = None
    _left: int | None = None
    _allowance: int = 0
    _searches: int = 0

    def _prepare(self, url: str) -> None:
        self._works_url = f"{url.rstrip('/')}/{WORKS}"

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, OpenAlexWork]:
        """Returns the work behind each DOI, keyed as asked: lower case, without an address.

        One that cannot be written into a filter is not sent; it ends in `failed`.
        """
        tally: Tally[OpenAlexWork] = Tally(ids)
        unaskable = [doi for doi in tally.requested if not is_askable(doi)]
        tally.fail(unaskable, PermanentSourceError("OpenAlex cannot be asked for such a DOI", source=self.SOURCE))
        halving = Halving(_batches(tally.open(tally.requested), most=MAX_IDS), give_up=tally.fail)
        for batch in halving:
            with halving.attempt():
                self._note(tally, batch)
        proofs = Halving(_batches(tally.open(tally.requested), most=MAX_IDS - 2), give_up=tally.fail)
        for batch in proofs:
            with proofs.attempt():
                self._note_absent(tally, batch)
        return tally.answer()

    def search_titles(self, titles: Sequence[str], along: Sequence[str] = ()) -> TitleAnswer[OpenAlexPaper]:
        """Returns every paper that OpenAlex has with one of `titles` as a phrase in its title.

        A title is `failed` where it could not be asked, where it has more hits than a page holds, and where OpenAlex
        told two things of a hit of it. Those `along` are asked for in the same request.
        """
        search: TitleSearch[OpenAlexPaper] = TitleSearch(
            titles, source=self.SOURCE, rules=OPENALEX, most=OPENALEX.most_titles, along=along
        )
        for batch in search:
            with search.attempt():
                self._note_titles(search.tally, batch)
        return search.tally.answer()

    def _note_titles(self, tally: TitleTally[OpenAlexPaper], batch: Sequence[str]) -> None:
        """Searches for one batch of titles, looks up what was found, and notes of which both replies say the same."""
        found = self._search(batch)
        doubtful = self._look_up(found)
        sound = [work for work in found if work.work_id not in doubtful]
        tally.note({work.work_id: paper for work in sound if (paper := paper_of(work)) is not None})
        failed: set[str] = set()
        for work_id, both in doubtful.items():
            concerned = [title for title in batch if any(holds_any(text, [title]) for text in both)]
            named = " and ".join(f"{text!r:.90}" for text in dict.fromkeys(filter(None, both)))
            error = unsound(f"{work_id} ({named}) in a search, and another one by its identifier", record=work_id)
            tally.fail(concerned or batch, error)
            failed.update(concerned or batch)
        tally.note_answered([title for title in batch if title not in failed])

    def _search(self, titles: Sequence[str]) -> tuple[OpenAlexWork, ...]:
        """Returns the works that a search finds for one of the titles, those that are surely there among them."""
        self._refuse_costly_search()
        query = OPENALEX.titles_query([*titles, *_CONTROL_TITLES])
        self._searches += 1
        return self._ask(
            f"title.search:{query}",
            lambda reply: hits(_page(reply), _CONTROL_TITLES, most=MAX_IDS),
            key=request_key(WORKS, titles=list(titles), fields=list(FIELDS)),
            believed=lambda _: False,  # what is found by it is kept as it is looked up
        )

    def _look_up(self, found: Sequence[OpenAlexWork]) -> dict[str, tuple[str, str]]:
        """Returns the works of which OpenAlex says something else when it is asked for them by identifier."""
        ids = sorted({work.work_id for work in found})
        return self._ask(
            f"ids.openalex:{'|'.join(ids)}",
            lambda reply: contradicted(found, _page(reply)),
            key=request_key(WORKS, ids=ids, fields=list(FIELDS)),
            believed=lambda doubtful: not doubtful,
        )

    def _refuse_costly_search(self) -> None:
        """Raises an error where no search may be made any more: in this run, or of today's allowance.

        Raises:
            TransientSourceError: Such is the case.
        """
        if self._searches >= MOST_SEARCHES:
            text = "OpenAlex was searched as often as a run may; the titles left are for the next one"
            raise TransientSourceError(text, source=self.SOURCE, url=self._url)
        if self._left is not None and self._left - SEARCH_COST < self._allowance / 2:
            text = "what is left of OpenAlex's free allowance of today is for papers already found; titles wait"
            raise AllowanceSpent(text, source=self.SOURCE, url=self._url)

    def _note(self, tally: Tally[OpenAlexWork], batch: Sequence[str]) -> None:
        """Asks for one batch, once more where entries are unsound, and notes what was found."""
        for _ in range(2):
            joined = self._works(batch)
            tally.note(joined.found)
            self._control_queries.saw(joined.found)
            if not joined.faults:
                return
        for doi, fault in joined.faults.items():
            tally.fail([doi], fault)

    def _note_absent(self, tally: Tally[OpenAlexWork], batch: Sequence[str]) -> None:
        """Asks for DOIs without an answer once more, beside two that OpenAlex surely has.

        Raises:
            BatchRefused: The answer has works that nobody asked for: one of the DOIs may bring them.
            PayloadError: The same for a single DOI, or the answer lacks what OpenAlex surely has.
        """
        controls = self._control_queries.ids(besides=batch)
        if controls is None:
            raise self._left_out()
        joined = self._works([controls[0], *batch, controls[1]], controls=controls)
        tally.note({doi: work for doi, work in joined.found.items() if doi in batch})
        for doi in joined.faults.keys() & set(batch):
            tally.fail([doi], joined.faults[doi])
        if joined.strangers:
            fault = unsound(
                f"{joined.strangers[0]}, which bears none of the DOIs asked for", record=batch[0], field="doi"
            )
            raise fault if len(batch) == 1 else BatchRefused(fault.message, source=self.SOURCE, url=self._url)
        if not joined.found.keys() >= set(controls):
            raise self._left_out()
        tally.note_absent(batch)

    def _works(self, dois: Sequence[str], *, controls: Collection[str] = ()) -> Joined:
        return self._ask(
            f"doi:{'|'.join(dois)}",
            lambda reply: join(dois, _page(reply), most=MAX_IDS),
            key=request_key(WORKS, dois=list(dois), fields=list(FIELDS)),
            believed=lambda joined: joined.is_sound and joined.found.keys() >= set(controls),
        )

    def _ask(self, wanted: str, read: Callable[[Reply], T], *, key: str, believed: Callable[[T], bool]) -> T:
        """Returns what `read` makes of the works that a filter lets through; a reply that is `believed` is kept."""
        if self._spent is not None and self._replies.find(self.SOURCE, key) is None:
            raise self._spent
        params = {"filter": wanted, "select": ",".join(FIELDS), "per_page": str(MAX_IDS)}
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
                self._spent = AllowanceSpent(str(error), source=self.SOURCE, url=self._url)
                raise self._spent from error
            raise

    def _refusal_of(self, received: Received) -> SourceError | None:
        """Returns the error that a reply means, None for status 200; notes when the allowance is spent."""
        left = _whole(received.headers.get("x-ratelimit-remaining"))
        if left is not None and received.status in (200, 429):
            self._left, self._allowance = left, _whole(received.headers.get("x-ratelimit-limit")) or 0
            is_spent = left < (1 if received.status == 200 else SEARCH_COST)  # a search is refused before a list is
            self._spent = _allowance_spent(received, url=self._url) if is_spent else None
        if received.status == 200:
            return None
        if received.status == 429 and self._spent is not None:
            return self._spent
        words = error_said(received.body)
        if received.status == 403 and _REFUSED_FILTER in words.lower():
            return BatchRefused(f"OpenAlex answered HTTP 403: {words!r}", source=self.SOURCE, url=self._url, status=403)
        return status_error(received, source=self.SOURCE, url=self._url, said=words)


def is_askable(doi: str) -> bool:
    """Returns whether a DOI can be written into a filter."""
    return bool(doi) and _UNASKABLE.isdisjoint(doi) and doi.isascii() and doi.isprintable()


def _page(reply: Reply) -> WorksPage:
    return parse_works(reply.body, today=reply.fetched_at.date())


def _batches(dois: Sequence[str], *, most: int) -> list[list[str]]:
    return list(batches(dois, most=most, room=_ROOM, size=lambda doi: len(quote_plus(f"{doi}|"))))


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

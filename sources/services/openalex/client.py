"""The client of OpenAlex: works by DOI, a hundred at a time, and by title, within the daily allowance.

A list costs one credit of the day's allowance, 1,000 without a key and 10,000 with a free one, and a search ten, so
that few are made: https://help.openalex.org/api/authentication . These numbers have changed before, so only the replies
are believed, which say how much is left; once nothing is, no request is sent until it is renewed. Credit that was paid
for is used after the day's own. Errors are charged as well, but for a 504. Half of a day's allowance is left to the
look-ups.

A list that takes longer than five seconds is answered with the part that was found, marked as `meta.timed_out`: what it
has is used, nothing is absent from it, and the rest is asked for again in smaller parts. Lists leave out the works of
DataCite (theses, data, reports) unless `include_xpac=true` asks for them, which costs nothing.

Of the DOIs asked for, those that OpenAlex does not have are left out without a word
(https://github.com/ropensci/openalexR/issues/310). So they are asked for once more, beside DOIs that it surely has.

What a search has found is looked up by its identifiers before it is believed: one credit more, and two replies that
must say the same. A search also asks for a work that OpenAlex surely has, so that an empty answer is one.

The known client, pyalex, is not used: it has no time-out, drops the headers that tell of the allowance
(https://github.com/J535D165/pyalex/issues/100) and does not bound addresses (issue 85); sources/http does all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import quote_plus

from sources.errors import (
    AllowanceSpent,
    BatchRefused,
    PayloadError,
    PermanentSourceError,
    SearchesPaused,
    SourceError,
    SourceUnreachable,
    TransientSourceError,
)
from sources.http.queries import OPENALEX, Halving, Tally, TitleTally, batches, holds_any
from sources.http.rate_limit import Pace
from sources.http.replies import Received, request_key, retry_after_s, status_error
from sources.records import BatchAnswer, Credits, OpenAlexPaper, Reply, TitleAnswer
from sources.services.openalex.answers import (
    CITING_FIELDS,
    MAX_IDS,
    MOST_PAGES,
    SHIFTED,
    CitingAnswer,
    CitingPage,
    CitingQuestion,
    Hits,
    WorksByRequest,
    contradicted,
    gather,
    hits,
    join,
    paper_of,
    parse_citing,
    titles_held,
)
from sources.services.openalex.record import (
    FIELDS,
    OUTSIDE_FIELDS,
    WORKS,
    OpenAlexWork,
    WorksPage,
    is_askable,
    parse_works,
    unsound,
)
from sources.services.service_client import BatchClient, ControlQueries, ServiceSettings, TitleSearch

# What a day gave in 2026, without a key and with a free one: for plans; what is left, the replies say.
CREDITS, KEYED_CREDITS = 1_000, 10_000
SEARCH_COST = 10  # credits of a search; a list costs one
_DAY_S = 86_400.0
# Who is refused for longer has used up the day's allowance; too many requests in a second are refused for one.
_MOMENT_S = 120.0
# A search is not repeated after a longer wait than this: searches alone are paused for minutes up to hours.
_PAUSE_S = 10.0


@dataclass(slots=True)
class Allowance:
    """A day's allowance."""

    url: str  # whose it is
    spent: AllowanceSpent | None = None  # the error of a request that it no longer bears; None while there is some left
    used: int = 0  # credits that the replies so far have cost
    limit: int = 0  # credits of a day, as the last reply says; 0 before
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

        `what` waits, as in "titles wait".

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


T = TypeVar("T")

MOST_SEARCHES = 30  # searches of a run. The titles left wait for the next one.
# What OpenAlex surely has, and hardly under another work: the title of 10.7717/peerj.4375.
_CONTROL_TITLES = ("The state of OA: a large-scale analysis of the prevalence and impact of Open Access articles",)
_BAD_QUERY, _FILTER = (400, 403), "title.search"
_REFUSED_FILTER = "invalid query parameter"
# Searches of a run that may be refused or answered in part: as many as it takes to find one bad title of a batch.
_MOST_REFUSED = 8
# `search.title`, the successor of the filter, takes 1,500 characters and three quoted phrases of more than 80.
_SUCCESSOR_ROOM, _LONG_PHRASE, _LONG_PHRASE_ROOM = 1_300, 80, 600
_ROOM = 7_000  # characters that DOIs may take of an address, which may have 8,190


class OpenAlexClient(BatchClient):
    """Fetches works from OpenAlex's API: by DOI, by title, by its own identifiers, and by what they cite.

    A key is sent as `Authorization: Bearer`, which the service takes as well as `api_key` in the address
    (https://github.com/J535D165/pyalex/pull/77): addresses are logged on the way.
    """

    SOURCE = "openalex"
    FAMOUS = ("10.7717/peerj.4375", "10.1371/journal.pone.0266781", "10.1371/journal.pone.0267149")
    KEY_HEADER = "Authorization"
    KEY_PREFIX = "Bearer "
    _searches: int = 0
    _refused_searches: int = 0
    _pause: SearchesPaused | None = None
    _uses_successor: bool = False

    def __init__(
        self, settings: ServiceSettings, *, pace: Pace, search_pace: Pace | None = None, **others: Any
    ) -> None:
        super().__init__(settings, pace=pace, **others)
        self._search_pace = search_pace
        self._allowance = Allowance(self._url)
        self._known_works = ControlQueries(())
        self._works_url = f"{self._url.rstrip('/')}/{WORKS}"

    @property
    def credits(self) -> Credits:
        """Returns what the requests have cost, as the replies say."""
        return Credits(used=self._allowance.used, limit=self._allowance.limit)

    def close(self) -> None:
        """Closes the connection."""
        super().close()
        if self._search_pace is not None:
            self._search_pace.close()

    def fetch_papers(self, ids: Sequence[str]) -> BatchAnswer[str, OpenAlexWork]:
        """Returns the work behind each DOI, keyed as asked: lower case, without an address.

        One that cannot be written into a filter is not sent; it ends in `failed`.
        """
        tally: Tally[OpenAlexWork] = Tally(ids)
        unaskable = [doi for doi in tally.requested if not is_askable(doi)]
        tally.fail(unaskable, PermanentSourceError("OpenAlex cannot be asked for such a DOI", source=self.SOURCE))
        self._settle(tally, self._works, self._control_queries, tries=2)
        return tally.answer()

    def _settle(
        self,
        tally: Tally[OpenAlexWork],
        ask: Callable[[Sequence[str], Sequence[str]], WorksByRequest],
        known: ControlQueries,
        *,
        tries: int,
    ) -> None:
        """Asks for all that is open, and for what is left once more beside works that OpenAlex surely has.

        Only what is missing then, too, is absent.

        `ask` asks for a batch, in which the works of its second argument surely are; `known` has such works. A
        batch with unsound entries is asked for `tries` times.
        """

        def note(batch: Sequence[str]) -> None:
            for _ in range(tries):
                joined = ask(batch, ())
                tally.note(joined.found)
                if not joined.faults:
                    break
            for item, fault in joined.faults.items():
                tally.fail([item], fault)

        Halving(_id_batches(tally.open(tally.requested), most=MAX_IDS), give_up=tally.fail).put(note)
        prove = partial(self._prove_absent, tally, ask, known)
        Halving(_id_batches(tally.open(tally.requested), most=MAX_IDS - 2), give_up=tally.fail).put(prove)

    def _prove_absent(
        self,
        tally: Tally[OpenAlexWork],
        ask: Callable[[Sequence[str], Sequence[str]], WorksByRequest],
        known: ControlQueries,
        batch: Sequence[str],
    ) -> None:
        controls = known.ids(besides=batch)
        if not controls:
            raise self._left_out()
        joined = ask([*controls[:1], *batch, *controls[1:]], controls)
        tally.note({item: work for item, work in joined.found.items() if item in batch})
        for item in joined.faults.keys() & set(batch):
            tally.fail([item], joined.faults[item])
        if joined.strangers:
            fault = unsound(f"{joined.strangers[0]}, which was not asked for", record=batch[0])
            raise fault if len(batch) == 1 else BatchRefused(fault.message, source=self.SOURCE, url=self._url)
        if joined.is_partial:
            raise self._in_part()
        if not joined.found.keys() >= set(controls):
            raise self._left_out()
        tally.note_absent(batch)

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[OpenAlexPaper]:
        """Returns every paper that OpenAlex has with one of `titles` as a phrase in its title.

        A title is `failed` where it could not be asked, where it has more hits than a page holds, and where OpenAlex
        said two things of a hit of it.
        """
        search: TitleSearch[OpenAlexPaper] = TitleSearch(
            titles, source=self.SOURCE, rules=OPENALEX, most=OPENALEX.most_titles
        )
        for batch in search:
            with search.attempt():
                self._note_titles(search.tally, batch)
        return search.tally.answer()

    def _note_titles(self, tally: TitleTally[OpenAlexPaper], batch: Sequence[str]) -> None:
        """Searches for one batch of titles, looks up what was found, and notes of which both replies say the same.

        Raises:
            BatchRefused: A reply was a part only: halves of the batch may be answered to the end.
        """
        parts = self._searched(batch)
        found = [work for part in parts for work in part.works]
        doubtful = self._look_up(found)
        sound = [work for work in found if work.work_id not in doubtful]
        tally.note({work.work_id: paper for work in sound if (paper := paper_of(work)) is not None})
        failed = {title: fault for part in parts for title, fault in part.faults.items()}
        for work_id, both in doubtful.items():
            concerned = [title for text in both for title in titles_held(text, batch)]
            if not concerned and any(holds_any(text, _CONTROL_TITLES) for text in both):
                continue  # a work that no title asked for
            named = " and ".join(f"{text!r:.90}" for text in dict.fromkeys(filter(None, both)))
            error = unsound(f"{work_id} ({named}) in a search, and another one by its identifier", record=work_id)
            failed |= dict.fromkeys(concerned or batch, error)
        for title, fault in failed.items():
            tally.fail([title], fault)
        if any(part.is_partial for part in parts):
            self._refused_searches += 1
            raise self._in_part()
        tally.note_answered([title for title in batch if title not in failed])

    def _searched(self, titles: Sequence[str]) -> list[Hits]:
        """Returns what searches find for titles: one search, or several where one cannot hold as many."""
        while True:
            is_successor = self._uses_successor
            parts = batches(titles, most=MAX_IDS, room=_SUCCESSOR_ROOM, size=_successor_room)
            try:
                return [self._search(part) for part in (parts if is_successor else [titles])]
            except BatchRefused:
                if self._uses_successor == is_successor:
                    raise

    def _search(self, titles: Sequence[str]) -> Hits:
        """Returns the works that a search finds for one of the titles, those that are surely there among them.

        A search with more than five operators may be made once a second without a key, five times with one; so searches
        have a pace of their own.

        Raises:
            SearchesPaused: None may be made in this run any more.
        """
        if self._pause is not None:
            raise self._pause
        if self._refused_searches >= _MOST_REFUSED:
            raise searches_paused("OpenAlex refused as many searches as a run may repeat", url=self._url)
        if self._searches >= MOST_SEARCHES:
            raise searches_paused("OpenAlex was searched as often as a run may", url=self._url)
        self._allowance.refuse_waiting(SEARCH_COST, "titles wait")
        query = OPENALEX.titles_query([*titles, *_CONTROL_TITLES])
        own = self._search_pace
        try:
            with own.turn(patience_s=self._settings.retry.max_wait_s) if own else nullcontext():
                return self._list(
                    {"search.title": query} if self._uses_successor else {"filter": f"title.search:{query}"},
                    lambda reply: hits(_works_page(reply), titles, _CONTROL_TITLES),
                    key=request_key(WORKS, titles=list(titles), fields=list(FIELDS)),
                    believed=lambda _: False,  # what is found by it is stored as it is looked up
                    cost=SEARCH_COST,
                )
        except (AllowanceSpent, SourceUnreachable):
            raise
        except (SearchesPaused, TransientSourceError) as error:
            self._pause = searches_paused(
                f"searches are left alone in this run after one failed: {error}", url=self._url
            )
            raise
        except (BatchRefused, PayloadError):
            self._refused_searches += 1
            raise

    def _look_up(self, found: Sequence[OpenAlexWork]) -> dict[str, tuple[str, str]]:
        """Returns the works of which OpenAlex says something else, or nothing, when asked for them by identifier."""

        def give_up(_: Sequence[str], error: SourceError) -> None:
            if not isinstance(error, BatchRefused):
                raise error

        works = {work.work_id: work for work in found}
        doubtful = {work_id: (work.title, "") for work_id, work in works.items()}
        halving = Halving(batches(sorted(works), most=MAX_IDS), give_up=give_up)
        for batch in halving:
            with halving.attempt():
                hits = [works[work_id] for work_id in batch]
                page = self._list(
                    {"filter": f"ids.openalex:{'|'.join(batch)}"},
                    _works_page,
                    key=request_key(WORKS, ids=list(batch), fields=list(FIELDS)),
                    believed=lambda page, hits=hits: not page.is_partial and not contradicted(hits, page),  # type: ignore[misc]
                )
                doubtful = {item: both for item, both in doubtful.items() if item not in batch}
                doubtful |= contradicted(hits, page)
                if page.is_partial:
                    raise self._in_part()
        return doubtful

    def _in_part(self) -> BatchRefused:
        """Returns the error of a reply that lacks what the service had no time to find."""
        return BatchRefused("OpenAlex answered in part only: its time was up", source=self.SOURCE, url=self._url)

    def _works(self, ids: Sequence[str], controls: Sequence[str], *, by_id: bool = False) -> WorksByRequest:
        """Returns the works under DOIs, or under OpenAlex's identifiers, in a form for works that no list names."""
        name, field, fields = ("ids", "ids.openalex", OUTSIDE_FIELDS) if by_id else ("dois", "doi", FIELDS)
        joined = self._list(
            {"filter": f"{field}:{'|'.join(ids)}"},
            lambda reply: join(ids, _works_page(reply, by_id=by_id), by_id=by_id),
            key=request_key(WORKS, **{name: list(ids)}, fields=list(fields)),
            select=fields,
            believed=lambda joined: joined.is_sound and joined.found.keys() >= set(controls),
        )
        if not controls and not by_id:
            self._control_queries.saw(joined.found)
        self._known_works.saw(work.work_id for work in joined.found.values())
        return joined

    def fetch_citing(self, question: CitingQuestion, *, most_requests: int = MOST_PAGES) -> CitingAnswer:
        """Returns the works that cite others, page after page; an answer that is not whole has an error.

        Of one that contradicts itself nothing is believed; of one that broke off, the pages that came are. Pages that
        shifted while they were read are read once more. Tries after a fault come on top of `most_requests`.
        """
        budget = self._budget(most_requests)
        answer = self._read_citing(question, budget)
        if isinstance(answer.error, PayloadError) and answer.error.field == SHIFTED:
            answer = self._read_citing(question, budget, again=True)
        return answer

    def _read_citing(
        self, question: CitingQuestion, budget: Callable[[int, str], None], *, again: bool = False
    ) -> CitingAnswer:
        """Returns all pages of an answer; `again` where those that came, or were stored, did not fit together."""
        answer, pages = CitingAnswer(question=question), list[CitingPage]()
        by_cursor, cursor = self._has_key, "*"
        try:
            while not pages or (cursor and MAX_IDS * len(pages) < max(page.total for page in pages)):
                budget(1, "citing works wait")
                place: dict[str, str | int] = {"cursor": cursor} if by_cursor else {"page": len(pages) + 1}
                pages.append(self._citing_page(question, place, again=again))
                answer.works |= pages[-1].works
                cursor = (pages[-1].next_cursor or "") if by_cursor else cursor
            gather(pages, by_cursor=by_cursor)
        except SourceError as error:
            answer.error = error
            answer.works = {} if isinstance(error, PayloadError) else answer.works
        return answer

    def _budget(self, most_requests: int) -> Callable[[int, str], None]:
        """Returns what refuses a request that may wait, once so many are sent or half of the allowance is used.

        It raises `AllowanceSpent`.
        """
        stop_at = self.requests_sent + most_requests

        def refuse(cost: int, what: str) -> None:
            self._allowance.refuse_waiting(cost, what)
            if self.requests_sent >= stop_at:
                text = f"a run sends so many requests for citations and no more; {what}"
                raise AllowanceSpent(text, source=self.SOURCE, url=self._url)

        return refuse

    def _citing_page(self, question: CitingQuestion, place: Mapping[str, str | int], *, again: bool) -> CitingPage:
        number = place.get("page")
        return self._list(
            {"filter": question.filter},
            lambda reply: parse_citing(reply.body, question, number if isinstance(number, int) else None),
            key=request_key(WORKS, **question.facts, **place, **({"again": True} if again else {})),
            select=CITING_FIELDS,
            page={"sort": "publication_date", **{name: str(value) for name, value in place.items()}},  # new works last
            every_work=False,
        )

    def fetch_works(
        self, work_ids: Sequence[str], *, most_requests: int = MOST_PAGES
    ) -> BatchAnswer[str, OpenAlexWork]:
        """Returns the work under each of OpenAlex's identifiers; not found is what two replies beside others lack.

        Tries after a fault come on top of `most_requests`.
        """
        tally: Tally[OpenAlexWork] = Tally(work_ids)
        budget = self._budget(most_requests)

        def ask(ids: Sequence[str], controls: Sequence[str]) -> WorksByRequest:
            budget(1, "works outside of the lists wait")
            return self._works(ids, controls, by_id=True)

        self._settle(tally, ask, self._known_works, tries=1)
        return tally.answer()

    def _list(
        self,
        wanted: Mapping[str, str],
        read: Callable[[Reply], T],
        *,
        key: str,
        believed: Callable[[T], bool] = lambda _: True,
        select: Sequence[str] = FIELDS,
        page: Mapping[str, str] = MappingProxyType({}),
        every_work: bool = True,
        cost: int = 1,
    ) -> T:
        """Returns what `read` makes of the works that are `wanted`; a reply that is `believed` is stored.

        Unless `every_work` is meant, lists leave some out. The key is that of `request_key`.
        """
        if self._allowance.spent is not None and self._replies.find(self.SOURCE, key) is None:
            raise self._allowance.spent
        params = {**wanted, "select": ",".join(select), "per_page": str(MAX_IDS), **page}
        params |= {"include_xpac": "true"} if every_work else {}

        def send() -> Received:
            self._searches += cost == SEARCH_COST
            return self._transport.send("GET", self._works_url, params=params)

        ask = partial(
            self._ask, key, send=send, read=read, believed=believed, refusal=partial(self._refusal_of, cost=cost)
        )
        try:
            return ask().answer
        except TransientSourceError as error:
            if error.status is None and error.retry_after_s is not None:  # the pace that all processes share says so
                self._allowance.spent = AllowanceSpent(str(error), source=self.SOURCE, url=self._url)
                raise self._allowance.spent from error
            raise
        except PermanentSourceError as error:
            if error.status != 401 or not self._has_key:
                raise
            text = f"{error}: the key in OPENALEX_API_KEY is wrong; OpenAlex is asked without a key"
            self.problems[text] = 1
            self._transport.close()
            self._connect(with_key=False)
            return ask().answer

    def _refusal_of(self, received: Received, *, cost: int) -> SourceError | None:
        """Returns the error that a reply means, None for status 200; notes what it cost and what is left."""
        self._allowance.note(received, cost)
        if received.status == 200:
            return None
        if (refused := self._allowance.refusal(received, cost)) is not None:
            return refused
        words = self._words(received.body)
        if cost == SEARCH_COST and received.status in _BAD_QUERY and _FILTER in words and not self._uses_successor:
            self._uses_successor = True
            text = f"OpenAlex takes the filter title.search no more ({words!r}); it is asked by search.title instead"
            self.problems[text] = 1
        if received.status in _BAD_QUERY and (_REFUSED_FILTER in words.lower() or self._uses_successor):
            text = f"OpenAlex answered HTTP {received.status}: {words!r}"
            return BatchRefused(text, source=self.SOURCE, url=self._url, status=received.status)
        return status_error(received, source=self.SOURCE, url=self._url, said=words)


def _works_page(reply: Reply, *, by_id: bool = False) -> WorksPage:
    return parse_works(reply.body, today=reply.fetched_at.date(), by_id=by_id)


def _id_batches(ids: Sequence[str], *, most: int) -> list[list[str]]:
    """Returns DOIs or identifiers in batches of `most` at the most, each of which an address bears."""
    return list(batches(ids, most=most, room=_ROOM, size=lambda text: len(quote_plus(f"{text}|"))))


def _successor_room(title: str) -> int:
    """Returns how much of a search by `search.title` a title takes."""
    query = OPENALEX.titles_query([title])
    return max(len(query) + 4, _LONG_PHRASE_ROOM if len(query) > _LONG_PHRASE else 0)

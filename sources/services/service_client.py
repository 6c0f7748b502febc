"""The base of the clients: batches, title searches, control queries, and the outcome of each item."""

from __future__ import annotations

import logging
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from sources.bibliography.titles import title_key
from sources.errors import (
    BatchRefused,
    IdentifierError,
    PayloadError,
    PermanentSourceError,
    SourceError,
    SourceUnreachable,
    TooManyHits,
)
from sources.http.queries import (
    Halving,
    Page,
    QueryRules,
    Tally,
    TitleTally,
    batches,
    holds_any,
    phrase,
    plain_words,
)
from sources.http.rate_limit import Pace
from sources.http.replies import Received, ReplyStore, refusal_words, status_error
from sources.http.retry import Attempts, RetryPolicy
from sources.http.transport import Key, Limits, Redirects, Transport
from sources.records import SERVICE_NAMES, ArxivPaper, Credits, OpenAlexPaper, Reply, S2Paper, SourceName, TitleAnswer
from sources.services.agreement import compare, described
from sources.text import counted

if TYPE_CHECKING:
    from pydantic import SecretStr

_log = logging.getLogger(__name__)

T = TypeVar("T")
Q = TypeVar("Q")
P = TypeVar("P", bound=ArxivPaper | S2Paper)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleMatches(Generic[P]):
    """All that a search for titles has found."""

    papers: Mapping[str, P]  # the papers by identifier
    faults: Sequence[PayloadError]  # why entries are not believed
    too_many: str = ""  # says that there are more papers than were read; empty where all were


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply(Generic[T]):
    """A reply with what it says."""

    answer: T
    reply: Reply
    from_store: bool  # whether it was stored before


class BatchClient:
    """The part of a client that depends neither on the service nor on what it is asked for.

    Attributes:
        problems: Sentence on what is wrong although the service answers -> how many times.
        requests_sent: How many requests this client has made.

    A reply that `replies` has is not requested again.
    """

    SOURCE: ClassVar[SourceName]
    FAMOUS: ClassVar[tuple[str, ...]]
    """Identifiers of papers that the service certainly has, in its own notation."""
    KEY_HEADER: ClassVar[str] = ""
    """The header in which a key is sent."""
    KEY_PREFIX: ClassVar[str] = ""
    """What precedes the key in that header."""
    REDIRECTS: ClassVar[Redirects] = "none"

    def __init__(
        self,
        settings: ServiceSettings,
        *,
        replies: ReplyStore,
        pace: Pace,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self.problems: dict[str, int] = {}
        self.requests_sent = 0
        self._settings = settings
        self._url = settings.url
        self._replies = replies
        self._pace = pace
        self._sleep = sleep
        self._draw = draw
        self._connect(with_key=True)
        self._control_queries = ControlQueries(self.FAMOUS)

    def _connect(self, *, with_key: bool) -> None:
        """Makes the transport, with the key of the settings if there is one and it is to be sent."""
        key = self._settings.api_key if with_key else None
        self._has_key = key is not None
        connect_s, read_s = self._settings.timeout_s
        self._transport = Transport(
            self.SOURCE,
            url=self._url,
            limits=Limits(connect_s=connect_s, read_s=read_s),
            redirects=self.REDIRECTS,
            key=Key(self.KEY_HEADER, key, prefix=self.KEY_PREFIX) if key else None,
            contact=self._settings.contact,
        )

    @property
    def credits(self) -> Credits:
        """Returns what the requests have cost."""
        return Credits()

    def close(self) -> None:
        """Closes the connection."""
        self._transport.close()
        self._pace.close()

    def _ask(
        self,
        key: str,
        *,
        send: Callable[[], Received],
        read: Callable[[Reply], T],
        believed: Callable[[T], bool] = lambda _: True,
        refusal: Callable[[Received], SourceError | None] | None = None,
    ) -> ReadReply[T]:
        """Returns the answer to the question `key`, from a stored reply where there is one.

        `send` sends the request once, and `read` says what a reply answers, or raises `PayloadError`. An answer
        that is not `believed` is the caller's to look into and store. `refusal` returns the error that a reply
        means by its status, None where it is an answer.

        Raises:
            SourceError: The service could not be asked, or gave no usable answer in the end.
        """
        stored = self._replies.find(self.SOURCE, key)
        if stored is not None:
            try:
                return ReadReply(answer=read(stored), reply=stored, from_store=True)
            except SourceError as error:
                _log.warning("a stored reply can no longer be read, asking again: %s", error)

        attempts = Attempts(self._settings.retry, sleep=self._sleep, draw=self._draw)
        while True:
            with attempts:
                with self._pace.turn(patience_s=self._settings.retry.max_wait_s):
                    self.requests_sent += 1
                    try:
                        received = send()
                    except SourceUnreachable:  # no connection, so nothing was sent
                        self.requests_sent -= 1
                        raise
                    if (fault := (refusal or self._refusal)(received)) is not None:
                        raise fault
                status, body = received.status, received.body
                reply = Reply(source=self.SOURCE, request_key=key, fetched_at=received.at, status=status, body=body)
                answer = read(reply)
                if believed(answer):
                    self._replies.keep(reply)
                return ReadReply(answer=answer, reply=reply, from_store=False)

    def _refusal(self, received: Received, *, answer: tuple[int, str] | None = None) -> SourceError | None:
        """Returns the error that a reply means; None for status 200, and for the refusal that is an `answer`."""
        if received.status == 200:
            return None
        words = self._words(received.body)
        if (received.status, words) == answer:
            return None
        return status_error(received, source=self.SOURCE, url=self._url, said=words)

    def _words(self, body: bytes) -> str:
        return ": ".join(refusal_words(body))[:200]

    def _left_out(self) -> PayloadError:
        text = f"{SERVICE_NAMES[self.SOURCE]} answered twice without papers that it has"
        return PayloadError(text, source=self.SOURCE, url=self._url)


@dataclass(slots=True, kw_only=True)
class Batch(Generic[P]):
    """What a reply says of the identifiers asked for."""

    found: Mapping[str, P]
    missing: Sequence[str]  # those of which it says nothing, or that the service has none
    # entries that are not believed, each with the identifiers that it may have answered
    faults: Sequence[tuple[Sequence[str], PayloadError]]
    is_whole: bool = True  # whether it has all that it counts, and nothing that was not asked for


class ServiceClient(BatchClient, ABC, Generic[P]):
    """The part of a client that does not depend on the service, where that can search for titles."""

    RULES: ClassVar[QueryRules]
    MAX_IDS: int
    MAX_TITLES: int

    def _settle(self, tally: Tally[P], ids: Sequence[str]) -> None:
        """Asks for papers by identifier, and notes what becomes of each."""
        Halving(batches(ids, most=self.MAX_IDS), give_up=tally.fail).put(partial(self._note_ids, tally))

    def _note_ids(self, tally: Tally[P], batch: Sequence[str]) -> None:
        """Asks for one batch, once more where entries are not believed or what is missing is not surely absent."""
        for again in (False, True):
            reply = self._ids(batch)
            tally.note(reply.answer.found)
            self._control_queries.saw(reply.answer.found)
            if reply.answer.faults and not again:
                continue
            for concerned, fault in reply.answer.faults:
                tally.doubt(concerned, fault)
            missing = tally.open(reply.answer.missing)
            absent = missing if reply.from_store else self._surely_absent(missing)
            tally.note_absent(absent)
            if len(absent) == len(missing):
                if missing and not reply.from_store and not reply.answer.faults:
                    self._replies.keep(reply.reply)
                return
        raise self._left_out()

    @abstractmethod
    def _ids(self, ids: Sequence[str], *, is_control: bool = False) -> ReadReply[Batch[P]]:
        """Returns what the service has under identifiers; the reply to a control query is never stored."""

    def _surely_absent(self, ids: Sequence[str]) -> list[str]:
        """Returns those of `ids` that the service does not have, asked once more beside papers that it surely has.

        Those are at both ends, so that nothing asked for has the place that it had, and a fault that harms every other
        entry, or the first or last, shows. Only a reply that has those two, and nothing beside, is believed.
        """
        controls = self._control_queries.ids(besides=ids)
        if len(controls) < 2:
            return []
        absent: list[str] = []
        for batch in batches(ids, most=self.MAX_IDS - 2):
            answer = self._ids([controls[0], *batch, controls[1]], is_control=True).answer
            if answer.is_whole and not answer.faults and answer.found.keys() == set(controls):
                absent += batch
        return absent

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[P]:
        """Returns every paper that the service finds for one of `titles` as a phrase.

        arXiv looks for it in titles, Semantic Scholar in abstracts too. A title is `failed` where it could not be
        asked, and where it has more hits than can be read; those that were read are in `papers` all the same.
        """
        search: TitleSearch[P] = TitleSearch(titles, source=self.SOURCE, rules=self.RULES, most=self.MAX_TITLES)
        for batch in search:
            with search.attempt():
                found = self._found(batch)
                if found.faults:
                    with suppress(SourceError):
                        found = self._found(batch)
                search.tally.note(found.papers)
                if found.too_many:
                    raise TooManyHits(found.too_many, source=self.SOURCE, url=self._url)
                search.tally.note_answered(batch, found.faults, list(map(searched_text, found.papers.values())))
        return search.tally.answer()

    @abstractmethod
    def _found(self, titles: Sequence[str]) -> TitleMatches[P]:
        """Returns what the service finds for `titles`, on as many pages as that takes."""

    @abstractmethod
    def _hits(self, titles: Sequence[str], *, is_control: bool = False) -> ReadReply[Page[P]]:
        """Returns the first page of hits; that of a control query is never stored."""

    def _first_hits(self, batch: Sequence[str]) -> ReadReply[Page[P]]:
        """Returns the first page of hits; that there are none is believed only beside a control query."""
        for _ in range(2):
            reply = self._hits(batch)
            if reply.from_store or reply.answer.total > 0:
                return reply
            # Asked along with titles that are surely there, only an answer that holds one of those is one.
            page = self._hits([*batch, *_CONTROL_TITLES], is_control=True).answer
            others = [paper for paper in page.papers if not holds_any(searched_text(paper), _CONTROL_TITLES)]
            if page.papers and not others and not page.faults:
                return reply
        raise self._left_out()


def sorted_out(
    ids: Iterable[str], read: Callable[[str], Q], *, source: SourceName
) -> tuple[dict[str, Q], dict[str, SourceError]]:
    """Returns what each text asks for, and what asks for nothing with the error that says so."""
    sound: dict[str, Q] = {}
    unsound: dict[str, SourceError] = {}
    for text in ids:
        try:
            sound[text] = read(text)
        except IdentifierError as error:
            unsound[text] = PermanentSourceError(error.message, source=source)
    return sound, unsound


class TitleSearch(Halving, Generic[T]):
    """A search for titles: `for batch in search: with search.attempt(): ask(batch)`, and then `search.tally.answer()`.

    The longest go first: the shortest have the most hits, and are better asked together than among the rest.
    """

    def __init__(self, titles: Sequence[str], *, source: SourceName, rules: QueryRules, most: int) -> None:
        self.tally: TitleTally[T] = TitleTally(titles)
        self.tally.fail([title for title in self.tally.requested if not phrase(title)], wordless(source))
        sayable = filter(phrase, self.tally.requested)
        longest = sorted(sayable, key=lambda title: len(plain_words(title).split()), reverse=True)
        super().__init__(batches(longest, most=most, room=rules.room, size=rules.room_taken), give_up=self.tally.fail)


def wordless(source: SourceName) -> PermanentSourceError:
    """Returns the error of a title that holds nothing to search for."""
    return PermanentSourceError("the title has no word to search for", source=source)


def refuse_one_title(papers: Sequence[ArxivPaper | S2Paper], titles: Sequence[str], *, source: SourceName) -> None:
    """Refuses a page on which different papers all bear one title, though several titles were asked for.

    Namesakes do so at times, and a service that mixes its records up. A request for each title alone decides.

    Raises:
        BatchRefused: The page is such a one.
    """
    if len(titles) < 2 or len({title_key(paper.title) for paper in papers}) != 1:
        return
    first, *others = papers
    if any(_are_two(first, other) for other in others):
        text = f"{counted(len(papers), 'paper')} under one title, {first.title!r:.90}"
        raise BatchRefused(f"{text}, in an answer to {counted(len(titles), 'title')}", source=source)


def _are_two(paper: ArxivPaper | S2Paper, other: ArxivPaper | S2Paper) -> bool:
    """Returns whether two records of one title are of two papers: of other people, or with arXiv identifiers apart."""
    if paper.arxiv_id and other.arxiv_id:
        return paper.arxiv_id != other.arxiv_id
    return compare(described(paper), described(other)) == "disagree"


def searched_text(paper: ArxivPaper | S2Paper | OpenAlexPaper) -> str:
    """Returns what its service looks through for titles: Semantic Scholar also searches abstracts."""
    return f"{paper.title} {paper.abstract or ''}" if isinstance(paper, S2Paper) else paper.title


FAMOUS_IDS = ("1706.03762", "1810.04805", "1512.03385", "1412.6980")  # arXiv identifiers
# Titles that services surely have, and that few other papers have in theirs or in their abstracts.
_CONTROL_TITLES = (
    "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    "Deep Residual Learning for Image Recognition",
)


class ControlQueries:
    """Identifiers that the service surely has: what was found last, then those of famous papers."""

    def __init__(self, famous: Sequence[str]) -> None:
        self._famous = famous
        self._found: list[str] = []

    def saw(self, found: Iterable[str]) -> None:
        """Notes identifiers that the service has just answered: they are the best control queries."""
        self._found = [*islice(found, 2), *self._found][:4]

    def ids(self, *, besides: Collection[str]) -> list[str]:
        """Returns two identifiers, fewer where no more are known beside those of `besides`."""
        return [item for item in dict.fromkeys([*self._found, *self._famous]) if item not in besides][:2]

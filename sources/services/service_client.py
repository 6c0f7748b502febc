"""The base of the clients: batches, title searches, control queries, and the outcome of each item."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Generic, Protocol, TypeVar

from sources.bibliography.titles import title_key
from sources.errors import (
    BatchRefused,
    IdentifierError,
    PayloadError,
    PermanentSourceError,
    SourceError,
    TooManyHits,
)
from sources.http.queries import Halving, QueryRules, TitleTally, batches, phrase, plain_words
from sources.http.rate_limit import Pace
from sources.http.replies import Received, status_error
from sources.http.request import AnswerWithReply, Asker, ReplyStore, ServiceSettings
from sources.http.transport import Key, Limits, Redirects, Transport
from sources.records import SERVICE_NAMES, ArxivPaper, Credits, OpenAlexPaper, S2Paper, SourceName, TitleAnswer
from sources.services.agreement import compare, described
from sources.text import counted

T = TypeVar("T")
Q = TypeVar("Q")
P = TypeVar("P", bound=ArxivPaper | S2Paper)
P_co = TypeVar("P_co", covariant=True)
H = TypeVar("H", bound="Hits[ArxivPaper | S2Paper]")


class Hits(Protocol[P_co]):
    """One page of a title search."""

    @property
    def total(self) -> int:
        """Returns how many papers the service says the whole answer has."""

    @property
    def papers(self) -> Sequence[P_co]:
        """Returns the papers on this page."""

    @property
    def faults(self) -> Sequence[PayloadError]:
        """Returns why entries could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[P]):
    """All that a search for titles has found."""

    papers: Mapping[str, P]  # the papers by identifier
    faults: Sequence[PayloadError]  # why entries are not believed
    too_many: str = ""  # says that there are more papers than were read; empty where all were


class BatchClient:
    """The part of a client that depends neither on the service nor on what it is asked for.

    Attributes:
        problems: Sentence on what is wrong although the service answers -> how many times.

    A reply that `replies` has is not asked for again.
    """

    SOURCE: ClassVar[SourceName]
    FAMOUS: ClassVar[tuple[str, ...]]
    """Identifiers of papers that the service certainly has, in its own notation."""
    KEY_HEADER: ClassVar[str] = ""
    """The header in which a key is sent."""
    KEY_PREFIX: ClassVar[str] = ""
    """What stands before the key in that header."""
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
        self._settings = settings
        self._url = settings.url
        self._replies = replies
        self.problems: dict[str, int] = {}
        self._connect(with_key=True)
        self._control_queries = ControlQueries(self.FAMOUS)
        self._asker = Asker(self.SOURCE, replies=replies, pace=pace, retry=settings.retry, sleep=sleep, draw=draw)
        self._prepare(settings.url)

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

    def _prepare(self, url: str) -> None:
        """Makes what the client of the service at `url` needs beside."""

    @property
    def requests_sent(self) -> int:
        """Returns how many requests this client has made."""
        return self._asker.requests_sent

    @property
    def credits(self) -> Credits:
        """Returns what the requests have cost."""
        return Credits()

    def close(self) -> None:
        """Closes the connection."""
        self._transport.close()
        self._asker.close()

    def _refusal(
        self, received: Received, *, said: Callable[[bytes], str], answer: tuple[int, str] | None = None
    ) -> SourceError | None:
        """Returns the error that a reply means; None for status 200, and for the refusal that is an `answer`."""
        if received.status == 200:
            return None
        words = said(received.body)
        if (received.status, words) == answer:
            return None
        return status_error(received, source=self.SOURCE, url=self._url, said=words)

    def _left_out(self) -> PayloadError:
        text = f"{SERVICE_NAMES[self.SOURCE]} answered twice without papers that it has"
        return PayloadError(text, source=self.SOURCE, url=self._url)


class ServiceClient(BatchClient, ABC, Generic[P, H]):
    """The part of a client that does not depend on the service, where that can search for titles."""

    RULES: ClassVar[QueryRules]
    MAX_TITLES: int

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[P]:
        """Returns every paper that the service finds for one of `titles` as a phrase.

        arXiv looks for it in titles, Semantic Scholar in abstracts too. A title is `failed` where it could not be
        asked, and where it has more hits than can be read; those that were read are in `papers` all the same.
        """
        search: TitleSearch[P] = TitleSearch(titles, source=self.SOURCE, rules=self.RULES, most=self.MAX_TITLES)
        for batch in search:
            with search.attempt():
                self._note_titles(search.tally, batch)
        return search.tally.answer()

    def _note_titles(self, tally: TitleTally[P], batch: Sequence[str]) -> None:
        """Asks for one batch of titles, once more where entries are not believed, and notes what was found."""
        found = self._found(batch)
        if found.faults:
            with suppress(SourceError):
                found = self._found(batch)
        tally.note(found.papers)
        if found.too_many:
            raise TooManyHits(found.too_many, source=self.SOURCE, url=self._url)
        tally.note_answered(batch, found.faults, list(map(searched_text, found.papers.values())))

    @abstractmethod
    def _found(self, titles: Sequence[str]) -> Found[P]:
        """Returns what the service finds for `titles`, on as many pages as that takes."""

    @abstractmethod
    def _hits(self, titles: Sequence[str], *, is_control: bool = False) -> AnswerWithReply[H]:
        """Returns the first page of hits; that of a control query is never kept."""

    def _first_hits(self, batch: Sequence[str]) -> AnswerWithReply[H]:
        """Returns the first page of hits; that there are none is believed only beside a control query."""
        for _ in range(2):
            reply = self._hits(batch)
            if reply.from_store or reply.answer.total > 0 or self._surely_no_hits(batch):
                return reply
        raise self._left_out()

    def _surely_no_hits(self, titles: Sequence[str]) -> bool:
        """Asks once more, along with titles that are surely there: only an answer that holds one of those is one."""
        control_titles = self._control_queries.titles
        page = self._hits([*titles, *control_titles], is_control=True).answer
        others = [paper for paper in page.papers if not holds_any(searched_text(paper), control_titles)]
        return bool(page.papers) and not others and not page.faults


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

    Namesakes do so at times, and a service that mixes its records up. What is asked for one by one tells.

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


def holds_any(text: str, titles: Sequence[str]) -> bool:
    """Returns whether `text` holds the words of one of `titles`, in their order."""
    return any(plain_words(title) in plain_words(text) for title in titles)


FAMOUS_IDS = ("1706.03762", "1810.04805", "1512.03385", "1412.6980")  # arXiv identifiers
# Titles that few other papers have in theirs or in their abstracts.
_TITLES = (
    "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    "Deep Residual Learning for Image Recognition",
)


class ControlQueries:
    """Famous papers, and whatever was found last."""

    def __init__(self, famous: Sequence[str]) -> None:
        self._famous = famous
        self._found: list[str] = []

    def saw(self, found: Collection[str]) -> None:
        """Notes identifiers that the service has just answered: they are the best control queries."""
        self._found = [*list(found)[:2], *self._found][:2]

    def ids(self, *, besides: Collection[str]) -> tuple[str, str] | None:
        """Returns two identifiers that the service surely has; None where they are themselves among `besides`."""
        fit = [paper for paper in dict.fromkeys([*self._found, *self._famous]) if paper not in besides]
        return (fit[0], fit[1]) if len(fit) > 1 else None

    @property
    def titles(self) -> tuple[str, ...]:
        """Returns titles that the service surely has."""
        return _TITLES

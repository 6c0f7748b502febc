"""arXiv, asked politely and in batches; every answer is joined by identifier, never by order."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import arxiv

from sources.arxiv import queries
from sources.arxiv.feed import Feed, error_said, parse_feed
from sources.arxiv.library import ArxivLibrary
from sources.arxiv.settings import ArxivSettings
from sources.bibliography.identifiers import ArxivId
from sources.errors import BatchRefused, IdentifierError, PayloadError, PermanentSourceError, SourceError, TooManyHits
from sources.http.batches import Tally, TitleTally, ask_halving, batches
from sources.http.outcome import Received, status_error
from sources.http.pace import Pace
from sources.http.replies import ReplyStore
from sources.http.request import AnswerWithReply, Asker, Question
from sources.records import Answer, ArxivPaper, Reply, TitleAnswer
from sources.text import counted
from sources.title_search import ControlQueries, holds_any, refuse_one_title, search_in_batches

_PAGE = 300
_MOST_HITS = 2_000
"""The largest slice that arXiv serves: https://info.arxiv.org/help/api/user-manual.html#_paging ."""


class ArxivClient:
    """Fetches papers from arXiv's query API.

    Args:
        settings: Where arXiv is, and how patiently to ask it.
        replies: Where replies are kept; a kept one is not asked for again.
        pace: What keeps this and every other process polite.
        sleep: Waits that many seconds before a further try.
        draw: A number from 0 to 1, for the jitter of those waits.
    """

    MAX_IDS = queries.MAX_IDS
    MAX_TITLES = queries.MAX_TITLES

    def __init__(
        self,
        settings: ArxivSettings,
        *,
        replies: ReplyStore,
        pace: Pace,
        sleep: Callable[[float], None] = time.sleep,
        draw: Callable[[], float] = random.random,
    ) -> None:
        self._url = settings.url
        self._library = ArxivLibrary(url=settings.url, timeout_s=settings.timeout_s)
        self._control_queries = ControlQueries()
        self._asker = Asker("arxiv", replies=replies, pace=pace, patience=settings.patience, sleep=sleep, draw=draw)

    @property
    def requests_sent(self) -> int:
        """Returns how many requests this client has made."""
        return self._asker.requests_sent

    def close(self) -> None:
        """Closes the connection."""
        self._library.close()
        self._asker.close()

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, ArxivPaper]:
        """Returns the newest version of each paper, keyed by base identifier.

        Text that is no arXiv identifier is not sent; it ends in `failed` under itself.
        """
        bases, unsound = _sorted_out(ids)
        tally: Tally[ArxivPaper] = Tally([*bases, *unsound])
        tally.failed.update(unsound)
        ask_halving(batches(bases, most=self.MAX_IDS), partial(self._note_ids, tally), give_up=tally.fail)
        return tally.answer()

    def search_titles(self, titles: Sequence[str], along: Sequence[str] = ()) -> TitleAnswer[ArxivPaper]:
        """Returns every paper whose title holds one of `titles` as a phrase.

        A title is `failed` where it could not be asked, and where it has more hits than can be read; those that were
        read are in `papers` all the same. Those `along` are asked for in the same request.
        """
        return search_in_batches(
            titles,
            self._note_titles,
            source="arxiv",
            most=self.MAX_TITLES,
            room=queries.QUERY_ROOM,
            size=queries.room_taken,
            along=along,
        )

    def _note_ids(self, tally: Tally[ArxivPaper], batch: Sequence[str]) -> None:
        for again in (False, True):
            reply = self._ids(batch, believed=lambda feed: not feed.faults and not _missing(feed, batch))
            papers = _newest(reply.answer, batch)
            tally.note(papers)
            self._control_queries.saw(papers)
            missing = _missing(reply.answer, batch)
            if reply.answer.faults and not again:
                continue
            for fault in reply.answer.faults:
                tally.fail([fault.record] if fault.record in missing else batch, fault)
            missing = tally.open(missing)
            if not missing or reply.from_store or self._surely_absent(missing):
                if missing and not reply.from_store and not reply.answer.faults:
                    self._asker.keep(reply.reply)
                tally.note_absent(missing)
                return
        raise self._left_out()

    def _ids(self, ids: Sequence[str], *, believed: Callable[[Feed], bool]) -> AnswerWithReply[Feed]:
        search = arxiv.Search(id_list=list(ids), max_results=None)
        send = partial(self._library.page, search, start=0, size=len(ids))
        return self._ask(queries.ids_key(ids), send, read=_feed, believed=believed)

    def _surely_absent(self, ids: Sequence[str]) -> bool:
        """Asks once more, along with papers that arXiv surely has: only an answer that holds those is one."""
        control_queries = self._control_queries.ids(besides=ids)
        if control_queries is None:
            return False
        feed = self._ids([*ids, *control_queries], believed=lambda _: False).answer
        there = {paper.arxiv_id for paper in feed.papers}
        return there == set(control_queries) and feed.total == len(control_queries) and not feed.faults

    def _note_titles(self, tally: TitleTally[ArxivPaper], batch: Sequence[str]) -> None:
        first = self._first_hits(batch)
        feeds = [first]
        if _PAGE < first.total <= _MOST_HITS:
            feeds.append(self._hits(batch, start=_PAGE, size=first.total - _PAGE).answer)
        for feed in feeds:
            tally.note({paper.arxiv_id: paper for paper in feed.papers})
        if first.total > _MOST_HITS:
            text = f"titles that hold these words: {first.total} at arXiv; only the nearest {_PAGE} were read"
            raise TooManyHits(text, source="arxiv", url=self._url)
        for fault in [fault for feed in feeds for fault in feed.faults]:
            raise BatchRefused(fault.message, source="arxiv", url=self._url) from fault
        tally.note_answered(batch)

    def _first_hits(self, batch: Sequence[str]) -> Feed:
        """Returns the first page of hits; that there are none is believed only beside a control_query."""
        for _ in range(2):
            reply = self._hits(batch, start=0, size=_PAGE, believed=lambda feed: feed.total > 0 and not feed.faults)
            if reply.from_store or reply.answer.total > 0:
                return reply.answer
            if self._surely_no_hits(batch):
                self._asker.keep(reply.reply)
                return reply.answer
        raise self._left_out()

    def _hits(
        self,
        titles: Sequence[str],
        *,
        start: int,
        size: int,
        believed: Callable[[Feed], bool] = lambda feed: not feed.faults,
    ) -> AnswerWithReply[Feed]:
        search = arxiv.Search(query=queries.titles_query(titles), max_results=None)
        send = partial(self._library.page, search, start=start, size=size)
        key = queries.titles_key(titles, start=start, size=size)
        return self._ask(key, send, read=partial(_whole_page, titles=titles, start=start, size=size), believed=believed)

    def _surely_no_hits(self, titles: Sequence[str]) -> bool:
        control_queries = self._control_queries.titles
        feed = self._hits([*titles, *control_queries], start=0, size=_PAGE, believed=lambda _: False).answer
        others = [paper for paper in feed.papers if not holds_any(paper.title, control_queries)]
        return bool(feed.papers) and not others and not feed.faults

    def _ask(
        self,
        key: str,
        send: Callable[[], Received],
        *,
        read: Callable[[Reply], Feed],
        believed: Callable[[Feed], bool],
    ) -> AnswerWithReply[Feed]:
        question = Question(key=key, send=send, refusal=self._refusal, read=read, believed=believed)
        return self._asker.ask(question)

    def _refusal(self, received: Received) -> SourceError | None:
        if received.status == 200:
            return None
        return status_error(received, source="arxiv", url=self._url, said=error_said(received.body))

    def _left_out(self) -> PayloadError:
        return PayloadError("arXiv answered twice without papers that it has", source="arxiv", url=self._url)


def _sorted_out(ids: Iterable[str]) -> tuple[list[str], dict[str, SourceError]]:
    """Returns base identifiers, each once, and what is none with the error that says so."""
    bases: dict[str, None] = {}
    unsound: dict[str, SourceError] = {}
    for text in ids:
        try:
            bases[ArxivId.parse(text).base] = None
        except IdentifierError as error:
            unsound[text] = PermanentSourceError(error.message, source="arxiv")
    return list(bases), unsound


def _newest(feed: Feed, batch: Sequence[str]) -> dict[str, ArxivPaper]:
    """Returns the papers asked for by base identifier; of two versions the later."""
    wanted = set(batch)
    oldest_first = sorted(feed.papers, key=lambda paper: paper.version or 0)
    return {paper.arxiv_id: paper for paper in oldest_first if paper.arxiv_id in wanted}


def _missing(feed: Feed, batch: Sequence[str]) -> list[str]:
    """Returns the identifiers of which a feed says nothing."""
    there = {paper.arxiv_id for paper in feed.papers}
    return [base for base in batch if base not in there]


def _feed(reply: Reply) -> Feed:
    return parse_feed(reply.body, today=reply.fetched_at.date())


def _whole_page(reply: Reply, *, titles: Sequence[str], start: int, size: int) -> Feed:
    feed = _feed(reply)
    due = min(size, max(0, feed.total - start))
    if len(feed.papers) + len(feed.faults) != due:
        text = f"arXiv sent {len(feed.papers)} of the {counted(due, 'entry')} due on a page"
        raise PayloadError(text, source="arxiv", field="entry")
    if due == feed.total:
        refuse_one_title(feed.papers, titles, source="arxiv")
    return feed

"""The client of arXiv's query API. Answers are joined by identifier, never by order.

The `arxiv` package says what to ask for; sources/http sends it and takes the reply as it comes. Only the package's
address builder is used, `Client._format_url`: its one public way, `Client.results`, has no time-out, waits a flat three
seconds after a 429, turns a cut-off feed into a short one (`recover=True`) and an error entry into a paper, and has no
seam where a reply could be taken before that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import arxiv

from sources.bibliography.identifiers import ArxivId
from sources.errors import PayloadError
from sources.http import queries
from sources.http.queries import Halving, Tally, batches
from sources.http.request import AnswerWithReply, Question, request_key
from sources.records import Answer, ArxivPaper, Reply
from sources.services.arxiv.feed import Feed, error_said, parse_feed
from sources.services.service_client import FAMOUS_IDS, Found, ServiceClient, refuse_one_title, sorted_out
from sources.text import counted

_PAGE = 300
_MOST_HITS = 2_000  # the largest slice that arXiv serves: https://info.arxiv.org/help/api/user-manual.html#_paging


class ArxivClient(ServiceClient[ArxivPaper, Feed]):
    """Fetches papers from arXiv's query API."""

    SOURCE = "arxiv"
    RULES = queries.ARXIV
    FAMOUS = FAMOUS_IDS
    REDIRECTS = "same host"
    MAX_IDS = queries.ARXIV.most_ids
    MAX_TITLES = queries.ARXIV.most_titles

    def _prepare(self, url: str) -> None:
        self._api = arxiv.Client()
        sound = url.replace("{", "{{").replace("}", "}}")
        self._api.query_url_format = f"{sound}&{{}}" if "?" in url else f"{sound}?{{}}"

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, ArxivPaper]:
        """Returns the newest version of each paper, keyed by base identifier.

        Text that is no arXiv identifier is not sent; it ends in `failed` under itself.
        """
        sound, unsound = sorted_out(ids, lambda text: ArxivId.parse(text).base, source="arxiv")
        bases = list(dict.fromkeys(sound.values()))
        tally: Tally[ArxivPaper] = Tally([*bases, *unsound])
        tally.failed.update(unsound)
        Halving(batches(bases, most=self.MAX_IDS), give_up=tally.fail).put(partial(self._note_ids, tally))
        return tally.answer()

    def _note_ids(self, tally: Tally[ArxivPaper], batch: Sequence[str]) -> None:
        for again in (False, True):
            reply = self._ids(batch, believed=lambda feed: not feed.faults and not _missing(feed, batch))
            wanted = set(batch)
            oldest_first = sorted(reply.answer.papers, key=lambda paper: paper.version or 0)
            papers = {paper.arxiv_id: paper for paper in oldest_first if paper.arxiv_id in wanted}
            tally.note(papers)
            self._control_queries.saw(papers)
            missing = _missing(reply.answer, batch)
            if reply.answer.faults and not again:
                continue
            for fault in reply.answer.faults:
                tally.doubt([fault.record] if fault.record in batch else missing, fault)
            missing = tally.open(missing)
            absent = missing if reply.from_store or not missing else self._surely_absent(missing)
            tally.note_absent(absent)
            if len(absent) == len(missing):
                if missing and not reply.from_store and not reply.answer.faults:
                    self._asker.keep(reply.reply)
                return
        raise self._left_out()

    def _ids(self, ids: Sequence[str], *, believed: Callable[[Feed], bool]) -> AnswerWithReply[Feed]:
        address = self._api._format_url(arxiv.Search(id_list=list(ids)), 0, len(ids))
        return self._asker.ask(
            self._question(request_key("query", ids=list(ids)), address, read=_feed, believed=believed)
        )

    def _surely_absent(self, ids: Sequence[str]) -> Sequence[str]:
        """Returns those of `ids` that arXiv lacks, asked once more along with papers that it surely has.

        Only an answer that holds those, and all that it counts, is one.
        """
        control_queries = self._control_queries.ids(besides=ids)
        if control_queries is None:
            return ()
        feed = self._ids([*ids, *control_queries], believed=lambda _: False).answer
        there = {paper.arxiv_id for paper in feed.papers}
        unread = {fault.record for fault in feed.faults}
        is_whole = feed.total == len(feed.papers) + len(feed.faults)
        if not (is_whole and set(control_queries) <= there <= {*ids, *control_queries} and unread <= set(ids)):
            return ()
        return [base for base in ids if base not in there | unread]

    def _found(self, titles: Sequence[str]) -> Found[ArxivPaper]:
        reply = self._first_hits(titles)
        first = reply.answer
        if first.total == 0 and not reply.from_store:
            self._asker.keep(reply.reply)
        feeds = [first]
        if _PAGE < first.total <= _MOST_HITS:
            feeds.append(self._hits(titles, start=_PAGE, size=first.total - _PAGE).answer)
        text = f"titles that hold these words: {first.total} at arXiv; only the nearest {_PAGE} were read"
        return Found(
            papers={paper.arxiv_id: paper for feed in feeds for paper in feed.papers},
            faults=[fault for feed in feeds for fault in feed.faults],
            too_many=text if first.total > _MOST_HITS else "",
        )

    def _hits(
        self, titles: Sequence[str], *, is_control: bool = False, start: int = 0, size: int = _PAGE
    ) -> AnswerWithReply[Feed]:
        address = self._api._format_url(arxiv.Search(query=queries.ARXIV.titles_query(titles)), start, size)
        key = request_key("query", titles=list(titles), start=start, size=size)
        read = partial(_whole_page, titles=titles, start=start, size=size)
        question = self._question(
            key, address, read=read, believed=lambda feed: not is_control and feed.total > 0 and not feed.faults
        )
        return self._asker.ask(question)

    def _question(
        self, key: str, address: str, *, read: Callable[[Reply], Feed], believed: Callable[[Feed], bool]
    ) -> Question[Feed]:
        send = partial(self._transport.send, "GET", address)
        return Question(
            key=key, send=send, refusal=partial(self._refusal, said=error_said), read=read, believed=believed
        )


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

"""The client of arXiv's query API. Answers are joined by identifier, never by order.

The `arxiv` package says what to ask for; sources/http sends it and takes the reply as it comes. Only the package's
address builder is used, `Client._format_url`: its one public way, `Client.results`, has no time-out, waits a flat three
seconds after a 429, turns a cut-off feed into a short one (`recover=True`) and an error entry into a paper, and has no
seam where a reply could be taken before that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import arxiv

from sources.bibliography.identifiers import ArxivId
from sources.errors import PayloadError
from sources.http import queries
from sources.http.queries import Page, Tally
from sources.http.replies import Received, request_key
from sources.records import ArxivPaper, BatchAnswer, Reply
from sources.services.arxiv.feed import error_said, parse_feed
from sources.services.service_client import (
    FAMOUS_IDS,
    Batch,
    ReadReply,
    ServiceClient,
    ServiceSettings,
    TitleMatches,
    refuse_one_title,
    sorted_out,
)
from sources.text import counted

_PAGE = 300
_MOST_HITS = 2_000  # the largest slice that arXiv serves: https://info.arxiv.org/help/api/user-manual.html#_paging


class ArxivClient(ServiceClient[ArxivPaper]):
    """Fetches papers from arXiv's query API."""

    SOURCE = "arxiv"
    RULES = queries.ARXIV
    FAMOUS = FAMOUS_IDS
    REDIRECTS = "same host"
    MAX_IDS = queries.ARXIV.most_ids
    MAX_TITLES = queries.ARXIV.most_titles

    def __init__(self, settings: ServiceSettings, **others: Any) -> None:
        super().__init__(settings, **others)
        self._api = arxiv.Client()
        sound = self._url.replace("{", "{{").replace("}", "}}")
        self._api.query_url_format = f"{sound}&{{}}" if "?" in self._url else f"{sound}?{{}}"

    def fetch_papers(self, ids: Sequence[str]) -> BatchAnswer[str, ArxivPaper]:
        """Returns the newest version of each paper, keyed by base identifier.

        Text that is no arXiv identifier is not sent; it ends in `failed` under itself.
        """
        sound, unsound = sorted_out(ids, lambda text: ArxivId.parse(text).base, source="arxiv")
        bases = list(dict.fromkeys(sound.values()))
        tally: Tally[ArxivPaper] = Tally([*bases, *unsound])
        tally.failed.update(unsound)
        self._settle(tally, bases)
        return tally.answer()

    def _ids(self, ids: Sequence[str], *, is_control: bool = False) -> ReadReply[Batch[ArxivPaper]]:
        return self._ask(
            request_key("query", ids=list(ids)),
            send=self._sending(arxiv.Search(id_list=list(ids)), 0, len(ids)),
            read=partial(_batch, ids),
            believed=lambda batch: not is_control and not batch.faults and not batch.missing,
        )

    def _found(self, titles: Sequence[str]) -> TitleMatches[ArxivPaper]:
        reply = self._first_hits(titles)
        first = reply.answer
        if first.total == 0 and not reply.from_store:
            self._replies.keep(reply.reply)
        feeds = [first]
        if _PAGE < first.total <= _MOST_HITS:
            feeds.append(self._hits(titles, start=_PAGE, size=first.total - _PAGE).answer)
        text = f"titles that hold these words: {first.total} at arXiv; only the nearest {_PAGE} were read"
        return TitleMatches(
            papers={paper.arxiv_id: paper for feed in feeds for paper in feed.papers},
            faults=[fault for feed in feeds for fault in feed.faults],
            too_many=text if first.total > _MOST_HITS else "",
        )

    def _hits(
        self, titles: Sequence[str], *, is_control: bool = False, start: int = 0, size: int = _PAGE
    ) -> ReadReply[Page[ArxivPaper]]:
        return self._ask(
            request_key("query", titles=list(titles), start=start, size=size),
            send=self._sending(arxiv.Search(query=queries.ARXIV.titles_query(titles)), start, size),
            read=partial(_whole_page, titles=titles, start=start, size=size),
            believed=lambda feed: not is_control and feed.total > 0 and not feed.faults,
        )

    def _sending(self, search: arxiv.Search, start: int, size: int) -> Callable[[], Received]:
        return partial(self._transport.send, "GET", self._api._format_url(search, start, size))

    _words = staticmethod(error_said)


def _batch(ids: Sequence[str], reply: Reply) -> Batch[ArxivPaper]:
    """Returns what a feed says of the papers asked for; of several versions of one, the newest counts."""
    feed = _feed(reply)
    there = {paper.arxiv_id: paper for paper in sorted(feed.papers, key=lambda paper: paper.version or 0)}
    missing = [base for base in ids if base not in there]
    return Batch(
        found={base: paper for base, paper in there.items() if base in ids},
        missing=missing,
        faults=[([fault.record] if fault.record in ids else missing, fault) for fault in feed.faults],
        is_whole=there.keys() <= set(ids) and feed.total == len(feed.papers) + len(feed.faults),
    )


def _feed(reply: Reply) -> Page[ArxivPaper]:
    return parse_feed(reply.body, today=reply.fetched_at.date())


def _whole_page(reply: Reply, *, titles: Sequence[str], start: int, size: int) -> Page[ArxivPaper]:
    feed = _feed(reply)
    due = min(size, max(0, feed.total - start))
    if len(feed.papers) + len(feed.faults) != due:
        text = f"arXiv sent {len(feed.papers)} of the {counted(due, 'entry')} due on a page"
        raise PayloadError(text, source="arxiv", field="entry")
    if due == feed.total:
        refuse_one_title(feed.papers, titles, source="arxiv")
    return feed

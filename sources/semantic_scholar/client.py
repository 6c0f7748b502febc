"""Semantic Scholar, asked politely and in batches; every answer is checked against what its records say they are.

The `semanticscholar` package says what to ask for; sources/http sends it and takes the reply as it comes. The seam is
the package's requester, which its calls await: ours hands what it is to send to whoever runs the call, who then closes
it, so that the package's records are never built. Its own requester turns any status that it does not list (401, 502,
503 ...) into an empty answer, logs the key at DEBUG, waits without asking Retry-After, and builds its query by
concatenation, so that & + # % in a title change the question.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote_plus

from semanticscholar import AsyncSemanticScholar

from sources.errors import BatchRefused
from sources.http import queries
from sources.http.queries import Halving, Tally, batches, phrase
from sources.http.replies import Received
from sources.http.transport import AnswerWithReply, Question, request_key
from sources.records import Answer, Reply, S2Paper
from sources.semantic_scholar.id_batches import (
    Joined,
    believable,
    join,
    read_asked,
    written,
)
from sources.semantic_scholar.payload import (
    BATCH,
    BULK,
    FIELDS,
    MATCH,
    Entry,
    SearchPage,
    error_said,
    parse_batch,
    parse_match,
    parse_search,
)
from sources.semantic_scholar.record import unsound
from sources.service_client import FAMOUS_IDS, Found, ServiceClient, refuse_one_title, sorted_out, wordless

_NONE_KNOWN = (400, "No valid paper ids given")
_NO_MATCH = (404, "Title match not found")
"""Refusals that are answers: the status, and the words that make it one."""
_FIELDS = list(FIELDS)
_MOST_HITS = 2_000
_MOST_PAGES = 3


class S2Client(ServiceClient[S2Paper, SearchPage]):
    """Fetches papers from Semantic Scholar's graph API."""

    SOURCE = "s2"
    RULES = queries.S2
    FAMOUS = tuple(f"ARXIV:{base}" for base in FAMOUS_IDS)
    KEY_HEADER = "x-api-key"
    MAX_IDS = queries.S2.most_ids
    MAX_TITLES = queries.S2.most_titles

    def _prepare(self, url: str) -> None:
        self._api = _Api(api_url=url.rstrip("/"))
        self._api._requester = _Requester()

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, S2Paper]:
        """Returns the paper behind each identifier, keyed exactly as asked ("ARXIV:1706.03762", "DOI:10....", a sha).

        Text in no form that the service takes is not sent; it ends in `failed`.
        """
        sound, unsound = sorted_out(ids, read_asked, source="s2")
        tally: Tally[S2Paper] = Tally(map(written, sound.values()))
        halving = Halving(batches(tally.requested, most=self.MAX_IDS), give_up=tally.fail)
        for batch in halving:
            with halving.attempt():
                self._note_ids(tally, batch)
        names = {text: written(identifier) for text, identifier in sound.items()}
        return Answer(
            requested=tuple(dict.fromkeys(ids)),
            found={text: tally.found[name] for text, name in names.items() if name in tally.found},
            not_found=frozenset(text for text, name in names.items() if name in tally.not_found),
            failed={**unsound, **{text: tally.failed[name] for text, name in names.items() if name in tally.failed}},
        )

    def match_title(self, title: str) -> S2Paper | None:
        """Returns the paper that the service holds nearest to `title`, None where it says that none is near.

        Nearest is not same: the caller compares titles (https://github.com/Future-House/paper-qa/pull/1078).

        Raises:
            SourceError: The service could not be asked.
        """
        if not phrase(title):
            raise wordless("s2")
        words = " ".join(title.split())
        question = Question(
            key=request_key(MATCH, title=words, fields=_FIELDS),
            send=self._sending(self._api.search_paper(quote_plus(words), fields=_FIELDS, match_title=True)),
            refusal=partial(self._refusal, said=error_said, answer=_NO_MATCH),
            read=lambda reply: parse_match(reply.body, today=reply.fetched_at.date()) if reply.status == 200 else None,
        )
        return self._asker.ask(question).answer

    def _note_ids(self, tally: Tally[S2Paper], batch: Sequence[str]) -> None:
        for again in (False, True):
            reply = self._ids(batch, believed=lambda joined: not joined.missing and not joined.faults)
            joined = reply.answer
            tally.note({written(item): paper for item, paper in joined.found.items()})
            self._control_queries.saw([written(item) for item in joined.found])
            if joined.faults and not again:
                continue
            for identifier, fault in joined.faults.items():
                tally.fail([written(identifier)], fault)
            missing = tally.open([written(item) for item in joined.missing])
            absent = missing if reply.from_store else self._surely_absent(missing)
            tally.note_absent(absent)
            if len(absent) == len(missing):
                if missing and not reply.from_store and not joined.faults:
                    self._asker.keep(reply.reply)
                return
        raise self._left_out()

    def _ids(self, ids: Sequence[str], *, believed: Callable[[Joined], bool]) -> AnswerWithReply[Joined]:
        wanted = [read_asked(text) for text in ids]
        question = Question(
            key=request_key(BATCH, ids=list(ids), fields=_FIELDS),
            send=self._sending(self._api.get_papers(list(ids), fields=_FIELDS)),
            refusal=partial(self._refusal, said=error_said, answer=_NONE_KNOWN),
            read=lambda reply: join(wanted, _entries(reply, len(wanted))),
            believed=believed,
        )
        return self._asker.ask(question)

    def _surely_absent(self, ids: Sequence[str]) -> list[str]:
        """Returns those of `ids` that the service does not have, of a further answer that holds papers it surely has.

        Every one of `ids` is asked for beside such papers, in as many requests as that takes.

        They stand at both ends, so that nothing asked for stands where it stood, and a fault that harms every other
        entry, or the first or last, shows.

        Raises:
            BatchRefused: Even so the service knows none: one of the identifiers may be what it cannot read.
        """
        control_queries = self._control_queries.ids(besides=ids)
        if control_queries is None:
            return []
        first, last = control_queries
        absent: list[str] = []
        for batch in batches(ids, most=self.MAX_IDS - 2):
            reply = self._ids([first, *batch, last], believed=lambda _: False)
            if reply.reply.status != 200:
                raise BatchRefused(_NONE_KNOWN[1], source="s2", url=self._url, status=reply.reply.status)
            if {written(item) for item in reply.answer.found} == {first, last} and not reply.answer.faults:
                absent += batch
        return absent

    def _found(self, titles: Sequence[str]) -> Found[S2Paper]:
        replies = [self._first_hits(titles)]
        total = replies[0].answer.total
        while (token := replies[-1].answer.token) and total <= _MOST_HITS and len(replies) < _MOST_PAGES:
            replies.append(self._hits(titles, token=token))
        papers, faults = believable([paper for item in replies for paper in item.answer.papers])
        faults += [fault for item in replies for fault in item.answer.faults]
        came = sum(len(item.answer.papers) + len(item.answer.faults) for item in replies)
        if not token and came < total:  # Its total is an estimate: the last page is the one without a token.
            faults.append(unsound("fewer hits than it counts", field="data"))
        if not faults:  # Only now is it known that no page was short: one that was must not be kept.
            for reply in replies:
                if not reply.from_store:
                    self._asker.keep(reply.reply)
        text = f"Semantic Scholar has {total} papers that hold these words; not all were read"
        by_id = {paper.s2_paper_id: paper for paper in papers}
        return Found(papers=by_id, faults=faults, too_many=text if token else "")

    def _hits(
        self, titles: Sequence[str], *, is_control: bool = False, token: str | None = None
    ) -> AnswerWithReply[SearchPage]:
        del is_control  # no page is kept before all are here
        # The package glues options to the query as text: what it is handed must be encoded already.
        query = quote_plus(queries.S2.titles_query(titles)) + (f"&token={quote_plus(token)}" if token else "")
        question = Question(
            key=request_key(BULK, titles=list(titles), token=token, fields=_FIELDS),
            send=self._sending(self._api.search_paper(query, fields=_FIELDS, bulk=True)),
            refusal=partial(self._refusal, said=error_said),
            read=partial(_page, titles=titles, token=token),
            believed=lambda _: False,
        )
        return self._asker.ask(question)

    def _sending(self, call: Coroutine[_Request, Any, Any]) -> Callable[[], Received]:
        """Returns what sends the request that a call of the package wants sent. No event loop is run for it.

        One would hold up Ctrl-C.
        """
        try:
            request = call.send(None)
        finally:
            call.close()
        method = "GET" if request.payload is None else "POST"
        return partial(self._transport.send, method, request.url, params=request.parameters, json=request.payload)


class _Api(AsyncSemanticScholar):  # type: ignore[misc]
    """The package's client without its `debug` property, which sets up the root logger."""

    debug = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What a call of the package would send."""

    url: str
    parameters: Mapping[str, str]
    payload: Mapping[str, Any] | None

    def __await__(self) -> Generator[_Request, Any, Any]:
        """Hands itself to whoever runs the call."""
        return (yield self)


class _Requester:
    """Stands in for the package's ApiRequester: it sends nothing, and never returns."""

    async def get_data_async(
        self, url: str, parameters: str, headers: Mapping[str, str], payload: Mapping[str, Any] | None = None
    ) -> Any:
        """Hands the request to whoever runs the call; `headers` are what the package would add for a key: none."""
        del headers
        options = dict(parse_qsl(parameters.lstrip("&"), keep_blank_values=True))
        return await _Request(url=url, parameters=options, payload=payload)


def _entries(reply: Reply, count: int) -> Sequence[Entry]:
    """Returns a batch's entries; "none known" is the service's way to say null for each."""
    return parse_batch(reply.body, today=reply.fetched_at.date()) if reply.status == 200 else (None,) * count


def _page(reply: Reply, *, titles: Sequence[str], token: str | None) -> SearchPage:
    """Returns one page; one that is the whole answer must not give one title to all its papers."""
    page = parse_search(reply.body, today=reply.fetched_at.date())
    if token is None and page.token is None:
        refuse_one_title(believable(page.papers)[0], titles, source="s2")
    return page

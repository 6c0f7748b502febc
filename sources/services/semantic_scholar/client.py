"""The client of Semantic Scholar: batches by identifier and by title; every answer is checked.

The `semanticscholar` package says what to ask for; sources/http sends it and takes the reply as it comes. The seam is
the package's requester, which its calls await: ours hands what it is to send to whoever runs the call, who then closes
it, so that the package's records are never built. Its own requester turns any status that it does not list (401, 502,
503 ...) into an empty answer, logs the key at DEBUG, waits without asking Retry-After, and builds its query by
concatenation, so that & + # % in a title change the question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import coroutine
from typing import Any
from urllib.parse import parse_qsl, quote_plus

from semanticscholar import AsyncSemanticScholar

from sources.bibliography.identifiers import S2_SCHEMES, Identifier, parse_identifier, written_for_s2
from sources.errors import BatchRefused, IdentifierError, PayloadError
from sources.http import queries
from sources.http.queries import Page, Tally, phrase
from sources.http.replies import Received, request_key
from sources.records import BatchAnswer, Reply, S2Paper
from sources.services.agreement import compare, described
from sources.services.semantic_scholar.record import (
    BATCH,
    BULK,
    FIELDS,
    MATCH,
    Entry,
    parse_batch,
    parse_match,
    parse_search,
    unsound,
)
from sources.services.service_client import (
    FAMOUS_IDS,
    Batch,
    ReadReply,
    ServiceClient,
    ServiceSettings,
    TitleMatches,
    refuse_one_title,
    sorted_out,
    wordless,
)
from sources.text import counted

# Schemes in which two papers never have one value. The service may have two records of a paper, though.
_UNSHARED = frozenset({"s2", "corpus", "arxiv", "doi"})
_MERGEABLE = frozenset({"s2", "corpus"})
_unsound = partial(unsound, field="externalIds")


def read_asked(text: str) -> Identifier:
    """Returns the identifier that `text` asks for; an arXiv version is dropped, as the service knows none.

    Raises:
        IdentifierError: Not a form that the service takes.
    """
    bare = text.strip()
    scheme, colon, value = bare.partition(":")
    if bare.startswith("10.") or not colon:
        scheme, value = ("doi" if bare.startswith("10.") else "s2"), bare
    identifier = parse_identifier(scheme, value)
    if identifier.scheme in S2_SCHEMES:
        return identifier
    raise IdentifierError(f"not an identifier that Semantic Scholar takes: {text!r}", scheme="s2", value=text)


@dataclass(slots=True, kw_only=True)
class PapersByRequest:
    """A batch's entries, each under the identifier that asked for it."""

    found: dict[Identifier, S2Paper] = field(default_factory=dict)
    missing: list[Identifier] = field(default_factory=list)
    faults: dict[Identifier, PayloadError] = field(default_factory=dict)


def join(wanted: Sequence[Identifier], entries: Sequence[Entry]) -> PapersByRequest:
    """Returns the entries under the identifiers that asked for them.

    By position (https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data/operation/post_graph_get_papers), unless
    records say that the order is another: then by what they say of themselves. A record with another paper id or corpus
    id than asked for was merged (https://github.com/allenai/s2-folks/issues/157): it is taken, and bears both. A record
    that contradicts the arXiv id, DOI or such that asked for it is a fault.

    Raises:
        PayloadError: More or fewer entries than asked for.
    """
    if len(entries) != len(wanted):
        raise _unsound(f"{counted(len(entries), 'entry')} for {counted(len(wanted), 'identifier')}")
    joined = PapersByRequest()
    names = [_names(entry) if isinstance(entry, S2Paper) else frozenset[Identifier]() for entry in entries]
    pairs = [(_folded(identifier), own) for identifier, own in zip(wanted, names, strict=True)]
    lacking = {identifier for identifier, own in pairs if identifier not in own}
    # Some record answers to an identifier of another position, whose own record does not answer to it.
    if any(own & lacking for identifier, own in pairs if identifier in lacking):
        joined = _by_identifier(wanted, entries)
    else:
        for identifier, entry in zip(wanted, entries, strict=True):
            _place(joined, identifier, entry)
    # A DOI that several records bear is left to the one that was asked for by it, if any; all of them note it.
    shared = shared_identifiers(joined.found.values())
    for identifier, paper in joined.found.items():
        if _has_shared_doi(paper, shared):
            is_asked = _folded(identifier) == Identifier("doi", (paper.doi or "").casefold())
            joined.found[identifier] = replace(paper, shared_doi=paper.doi) if is_asked else paper.without_doi()
    # Of two records that still bear one identifier, one cannot be true.
    shared = shared_identifiers(joined.found.values())
    for identifier, paper in [*joined.found.items()] if shared else ():
        if both := _names(paper) & shared:
            name = written_for_s2(identifier)
            joined.faults[identifier] = _unsound(f"{min(both)} for {name} and for another paper", record=name)
            del joined.found[identifier]
    return joined


def shared_identifiers(papers: Iterable[S2Paper]) -> frozenset[Identifier]:
    """Returns the identifiers that several of `papers` bear, though they are not one paper; there should be none."""
    first: dict[Identifier, S2Paper] = {}
    shared: set[Identifier] = set()
    for paper in papers:
        for name in _names(paper):
            other = first.setdefault(name, paper)
            if other is not paper and name.scheme in _UNSHARED and name not in shared and _are_two(name, paper, other):
                shared.add(name)
    return frozenset(shared)


def _are_two(name: Identifier, paper: S2Paper, other: S2Paper) -> bool:
    """Returns whether two records that bear `name` are of two papers; one record's copies must tell the same."""
    if name.scheme == "s2":
        return replace(paper, identifiers=()) != replace(other, identifiers=())
    return paper.s2_paper_id != other.s2_paper_id and compare(described(paper), described(other)) in (
        "disagree",
        "renamed",
    )


def believable(papers: Sequence[S2Paper]) -> tuple[tuple[S2Paper, ...], list[PayloadError]]:
    """Returns those of `papers` that share no identifier with another paper, and why the others are not believed.

    Those that have their DOI in common lack it and note it. Authors give arXiv the DOI of a paper for its discussions,
    its sequel and its longer version too. So two papers of one DOI may both be sound, and only whose it is remains
    unknown.
    """
    dois = shared_identifiers(papers)
    parted = [paper.without_doi() if _has_shared_doi(paper, dois) else paper for paper in papers]
    shared = shared_identifiers(parted)
    faults = [
        unsound(
            f"two papers that are both {min(both)}",
            record=str(min(both)),
            field="externalIds",
            text=f"{paper.title} {paper.abstract or ''}",
        )
        for paper in parted
        if (both := _names(paper) & shared)
    ]
    return tuple(paper for paper in parted if not _names(paper) & shared), faults


def _has_shared_doi(paper: S2Paper, shared: Collection[Identifier]) -> bool:
    return paper.doi is not None and Identifier("doi", paper.doi.casefold()) in shared


def _place(joined: PapersByRequest, identifier: Identifier, entry: Entry) -> None:
    if entry is None:
        joined.missing.append(identifier)
    elif isinstance(entry, PayloadError):
        joined.faults[identifier] = entry
    elif _folded(identifier) in _names(entry) or all(own.scheme != identifier.scheme for own in entry.identifiers):
        joined.found[identifier] = entry
    elif identifier.scheme in _MERGEABLE:
        joined.found[identifier] = replace(entry, identifiers=(*entry.identifiers, identifier))
    else:
        name = written_for_s2(identifier)
        joined.faults[identifier] = _unsound(f"{entry.s2_paper_id} for {name}, which it is not", record=name)


def _by_identifier(wanted_ids: Sequence[Identifier], entries: Sequence[Entry]) -> PapersByRequest:
    """Returns reordered entries; one that answers to no identifier may belong to any that has none."""
    wanted = {_folded(identifier): identifier for identifier in wanted_ids}
    joined = PapersByRequest()
    stray: PayloadError | None = None
    for entry in entries:
        if isinstance(entry, S2Paper) and (answers_to := _names(entry) & wanted.keys()):
            joined.found.update({wanted[name]: entry for name in answers_to})
        elif entry is not None:
            stray = _unsound("a reordered batch with an entry that answers to none of its identifiers")
    left = [identifier for identifier in wanted_ids if identifier not in joined.found]
    joined.missing, joined.faults = ([], dict.fromkeys(left, stray)) if stray else (left, {})
    return joined


def _names(paper: S2Paper) -> frozenset[Identifier]:
    """Returns every identifier that a record answers to; arXiv's own DOI and the arXiv id stand for each other."""
    names = set(map(_folded, paper.identifiers))
    if paper.arxiv_id:
        names |= {Identifier("arxiv", paper.arxiv_id), Identifier("doi", f"10.48550/arxiv.{paper.arxiv_id}")}
    return frozenset(names)


def _folded(identifier: Identifier) -> Identifier:
    return Identifier(identifier.scheme, identifier.value.casefold())


_NONE_KNOWN = (400, "No valid paper ids given")
_NO_MATCH = (404, "Title match not found")  # refusals that are answers: the status, and the words that make it one
_FIELDS = list(FIELDS)
_MOST_HITS = 2_000
_MOST_PAGES = 3


class S2Client(ServiceClient[S2Paper]):
    """Fetches papers from Semantic Scholar's graph API."""

    SOURCE = "s2"
    RULES = queries.S2
    FAMOUS = tuple(f"ARXIV:{base}" for base in FAMOUS_IDS)
    KEY_HEADER = "x-api-key"
    MAX_IDS = queries.S2.most_ids
    MAX_TITLES = queries.S2.most_titles

    def __init__(self, settings: ServiceSettings, **others: Any) -> None:
        super().__init__(settings, **others)
        self._api = _Api(api_url=self._url.rstrip("/"))
        self._api._requester = _Requester()

    def fetch_papers(self, ids: Sequence[str]) -> BatchAnswer[str, S2Paper]:
        """Returns the paper behind each identifier, keyed exactly as asked ("ARXIV:1706.03762", "DOI:10....", a sha).

        Text in no form that the service takes is not sent; it ends in `failed`.
        """
        sound, unsound = sorted_out(ids, read_asked, source="s2")
        tally: Tally[S2Paper] = Tally(map(written_for_s2, sound.values()))
        self._settle(tally, tally.requested)
        names = {text: written_for_s2(identifier) for text, identifier in sound.items()}
        return BatchAnswer(
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
        return self._ask(
            request_key(MATCH, title=words, fields=_FIELDS),
            send=self._sending(self._api.search_paper(quote_plus(words), fields=_FIELDS, match_title=True)),
            read=lambda reply: parse_match(reply.body, today=reply.fetched_at.date()) if reply.status == 200 else None,
            refusal=partial(self._refusal, answer=_NO_MATCH),
        ).answer

    def _ids(self, ids: Sequence[str], *, is_control: bool = False) -> ReadReply[Batch[S2Paper]]:
        wanted = [read_asked(text) for text in ids]
        reply = self._ask(
            request_key(BATCH, ids=list(ids), fields=_FIELDS),
            send=self._sending(self._api.get_papers(list(ids), fields=_FIELDS)),
            read=lambda reply: _batch(wanted, reply),
            believed=lambda batch: not is_control and not batch.missing and not batch.faults,
            refusal=partial(self._refusal, answer=_NONE_KNOWN),
        )
        if is_control and reply.reply.status != 200:  # one of the identifiers may be what it cannot read
            raise BatchRefused(_NONE_KNOWN[1], source="s2", url=self._url, status=reply.reply.status)
        return reply

    def _found(self, titles: Sequence[str]) -> TitleMatches[S2Paper]:
        replies = [self._first_hits(titles)]
        total = replies[0].answer.total
        while (token := replies[-1].answer.token) and total <= _MOST_HITS and len(replies) < _MOST_PAGES:
            replies.append(self._hits(titles, token=token))
        papers, faults = believable([paper for item in replies for paper in item.answer.papers])
        faults += [fault for item in replies for fault in item.answer.faults]
        came = sum(len(item.answer.papers) + len(item.answer.faults) for item in replies)
        if not token and came < total:  # Its total is an estimate: the last page is the one without a token.
            faults.append(unsound("fewer hits than it counts", field="data"))
        if not faults:  # Only now is it known that no page was short: one that was must not be stored.
            for reply in replies:
                if not reply.from_store:
                    self._replies.keep(reply.reply)
        text = f"Semantic Scholar has {total} papers that hold these words; not all were read"
        by_id = {paper.s2_paper_id: paper for paper in papers}
        return TitleMatches(papers=by_id, faults=faults, too_many=text if token else "")

    def _hits(
        self, titles: Sequence[str], *, is_control: bool = False, token: str | None = None
    ) -> ReadReply[Page[S2Paper]]:
        del is_control  # no page is stored before all are here
        # The package glues options to the query as text: what it is handed must be encoded already.
        query = quote_plus(queries.S2.titles_query(titles)) + (f"&token={quote_plus(token)}" if token else "")
        return self._ask(
            request_key(BULK, titles=list(titles), token=token, fields=_FIELDS),
            send=self._sending(self._api.search_paper(query, fields=_FIELDS, bulk=True)),
            read=partial(_page, titles=titles, token=token),
            believed=lambda _: False,
        )

    def _sending(self, call: Coroutine[_Request, Any, Any]) -> Callable[[], Received]:
        """Returns what sends the request that a call of the package wants sent. No event loop is run for it.

        One would hold up Ctrl-C.
        """
        try:
            url, parameters, payload = call.send(None)
        finally:
            call.close()
        method = "GET" if payload is None else "POST"
        return partial(self._transport.send, method, url, params=parameters, json=payload)


class _Api(AsyncSemanticScholar):  # type: ignore[misc]
    """The package's client without its `debug` property, which sets up the root logger."""

    debug = False


# The address, the parameters and the body of a request that a call of the package would send.
_Request = tuple[str, Mapping[str, str], Mapping[str, Any] | None]


class _Requester:
    """Stands in for the package's ApiRequester: it sends nothing, and never returns."""

    @coroutine
    def get_data_async(
        self, url: str, parameters: str, _headers: Mapping[str, str], payload: Mapping[str, Any] | None = None
    ) -> Generator[_Request, Any, Any]:
        """Hands the request to whoever runs the call; of headers, the package would add none but a key's."""
        return (yield url, dict(parse_qsl(parameters.lstrip("&"), keep_blank_values=True)), payload)


def _batch(wanted: Sequence[Identifier], reply: Reply) -> Batch[S2Paper]:
    """Returns what a batch reply says; "none known" is the service's way to say null for each."""
    is_refusal = reply.status != 200
    entries = (None,) * len(wanted) if is_refusal else parse_batch(reply.body, today=reply.fetched_at.date())
    joined = join(wanted, entries)
    return Batch(
        found={written_for_s2(identifier): paper for identifier, paper in joined.found.items()},
        missing=list(map(written_for_s2, joined.missing)),
        faults=[([written_for_s2(identifier)], fault) for identifier, fault in joined.faults.items()],
    )


def _page(reply: Reply, *, titles: Sequence[str], token: str | None) -> Page[S2Paper]:
    """Returns one page; one that is the whole answer must not give one title to all its papers."""
    page = parse_search(reply.body, today=reply.fetched_at.date())
    if token is None and page.token is None:
        refuse_one_title(believable(page.papers)[0], titles, source="s2")
    return page

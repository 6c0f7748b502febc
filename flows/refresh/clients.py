"""The clients of the services, how their requests are written, and what each has sent in a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sources.agreement import compare, described
from sources.bibliography.identifiers import S2_SCHEMES, Identifier, Scheme
from sources.errors import DisputedRecord, PermanentSourceError, SourceError
from sources.http import queries
from sources.http.pace import FilePace, Pace, Patience
from sources.http.queries import QueryRules
from sources.http.request import ServiceSettings
from sources.openalex.answers import paper_of
from sources.openalex.record import OpenAlexWork, arxiv_doi
from sources.records import (
    SERVICE_NAMES,
    Answer,
    ArxivPaper,
    Credits,
    OpenAlexPaper,
    Reply,
    S2Paper,
    SourceName,
    TitleAnswer,
)
from sources.reply_parsers import ServiceRecord, parse_reply
from sources.semantic_scholar import id_batches

if TYPE_CHECKING:
    from flows.refresh.services import Service
    from flows.settings import Settings
    from sources.arxiv.client import ArxivClient
    from sources.openalex.client import OpenAlexClient
    from sources.semantic_scholar.client import S2Client
    from warehouse.loading.reply_spool import ReplySpool

Record = ArxivPaper | S2Paper | OpenAlexPaper
MakePace = Callable[[Path, str, float], Pace]
"""Lake's folder, service and interval in seconds -> the pace of its requests."""


@dataclass(slots=True)
class TimedReplies:
    """A reply store that remembers the times of the current batch's replies.

    An observation has the date of the oldest of them: a count must not look newer than it is.
    """

    spool: ReplySpool
    _batch: list[Reply] = field(default_factory=list)

    def find(self, source: SourceName, request_key: str) -> Reply | None:
        """Returns a stored reply, see `ReplySpool.find`."""
        reply = self.spool.find(source, request_key)
        if reply is not None:
            self._batch.append(reply)
        return reply

    def keep(self, reply: Reply) -> None:
        """Stores a reply, see `ReplySpool.keep`."""
        self.spool.keep(reply)
        self._batch.append(reply)

    def batch(self) -> tuple[datetime, list[Reply]]:
        """Returns the replies since the last call, and the time of the oldest of them."""
        replies, self._batch = self._batch, []
        return min((reply.fetched_at for reply in replies), default=datetime.now(UTC)), replies


class ReceivedRecords:
    """What one service has sent in a run: when each record came, with which reply, and what was wrong.

    Attributes:
        name: The service.
        problems: Sentence -> how many items it affects.
    """

    def __init__(self, name: SourceName) -> None:
        self.name = name
        self.problems: dict[str, int] = {}
        self._label = SERVICE_NAMES[name]
        self._received_at: dict[str, datetime] = {}
        self._origins: dict[str, str] = {}
        self._unread: dict[str, str] = {}
        self._misdated: set[str] = set()
        self._blamed = ""

    def fetched_at(self, record: ServiceRecord | OpenAlexPaper) -> datetime:
        """Returns when the reply with `record` came."""
        return self._received_at[record_key(record)]

    def origin(self, identifier: str, received_at: datetime) -> str | None:
        """Returns the SHA-256 of the reply of that time in which the record of the identifier stands.

        None where the record comes from elsewhere, such as a mirror.
        """
        key = f"{self.name}:{identifier}"
        return self._origins.get(key) if self._received_at.get(key) == received_at else None

    def has_sent(self, record: Record) -> bool:
        """Returns whether `record` came from this service in this run."""
        return record_key(record) in self._received_at

    @property
    def blamed(self) -> bool:
        """Returns whether records of the service were refused."""
        return bool(self._blamed)

    def blame(self, error: SourceError) -> None:
        """Notes a refused record; the first one represents all of them."""
        self._blamed = self._blamed or f"{self._label} sent records that are not believed, the first: {error}"
        self._count(self._blamed)

    def _contradicted(self, answers: Sequence[TitleAnswer[Any]]) -> dict[int, SourceError]:
        """Returns the answers that contradict another one about the same paper, so that one of them is false."""
        first: dict[str, tuple[int, Record]] = {}
        contradicted: dict[int, SourceError] = {}
        for number, answer in enumerate(answers):
            for paper in answer.papers:
                key = record_key(paper)
                before, other = first.setdefault(key, (number, paper))
                if other == paper or compare(described(other), described(paper)) not in ("disagree", "renamed"):
                    continue
                both_titles = f"{other.title!r:.90} and {paper.title!r:.90}"
                text = f"{self._label} told two things of {key}, that is {both_titles}, or named other people"
                error = DisputedRecord(text, source=self.name, record=key)
                self.blame(error)
                contradicted |= {before: error, number: error}
        return contradicted

    def _count(self, sentence: str) -> None:
        self.problems[sentence] = self.problems.get(sentence, 0) + 1

    def _note_records(self, records: Collection[Record], received_at: datetime, replies: Iterable[Reply]) -> None:
        """Notes the records of a batch; its replies are parsed again, as a batch may have several."""
        for record in records:
            self._received_at.setdefault(record_key(record), received_at)
            self._note_unread(record)
        self._note_misdated(records)
        found: dict[str, str] = {}
        for reply in replies if records else ():
            with suppress(SourceError):  # a reply without papers, such as an error message
                found |= {record_key(record): reply.sha256 for record in parse_reply(reply)}
        self._origins = found | self._origins

    def _note_unread(self, record: Record) -> None:
        """Counts identifiers in unknown forms among the problems."""
        for item in record.unread if isinstance(record, S2Paper) else ():
            sentence = f"{self._label} sent {item.scheme} identifiers in no form known here, such as {item.value!r}"
            sentence = self._unread.setdefault(item.scheme, sentence)
            self._count(sentence)

    def _note_misdated(self, records: Collection[Record]) -> None:
        """Reports years far from their records' days, if there are several; one alone may be an old paper's."""
        for record in records:
            if isinstance(record, S2Paper) and record.misdated:
                self._misdated.add(record.s2_paper_id)
        if len(self._misdated) > 1:
            sentence = f"{self._label} sent years that are far from the day of publication; neither is used"
            self.problems[sentence] = len(self._misdated)


def record_key(record: ServiceRecord | OpenAlexPaper) -> str:
    """Returns the source and the identifier of a record, as in `arxiv:1706.03762`."""
    if isinstance(record, ArxivPaper):
        return f"arxiv:{record.arxiv_id}"
    if isinstance(record, OpenAlexWork | OpenAlexPaper):
        return f"openalex:{record.work_id}"
    return f"s2:{record.s2_paper_id}"


class Client(Protocol):
    """A client of a service."""

    @property
    def requests_sent(self) -> int:
        """Returns how many requests were sent."""

    @property
    def problems(self) -> Mapping[str, int]:
        """Returns what is wrong although the service answers: sentence -> how many times."""

    @property
    def credits(self) -> Credits:
        """Returns what the requests have cost of the service's allowance."""

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, Any]:
        """Returns the result for every identifier."""

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[Any]:
        """Returns the result of a search for the titles."""

    def close(self) -> None:
        """Closes the connections."""


class MatchingClient(Client, Protocol):
    """A client that can also search for the best match, such as Semantic Scholar's."""

    def match_title(self, title: str) -> S2Paper | None:
        """Returns the single best match for a title."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How requests to a service are written.

    Attributes:
        name: The source.
        schemes: Schemes of identifiers that it accepts.
        written: Writes an identifier as it expects it.
        rules: Limits of one request, and so of one task.
    """

    name: SourceName
    schemes: frozenset[Scheme]
    written: Callable[[Identifier], str]
    rules: QueryRules


ARXIV_DIALECT = Dialect(
    name="arxiv",
    schemes=frozenset({"arxiv"}),
    written=attrgetter("value"),
    rules=queries.ARXIV,
)
S2_DIALECT = Dialect(
    name="s2",
    schemes=S2_SCHEMES,
    written=id_batches.written,
    rules=queries.S2,
)


_SEARCH_INTERVAL, _KEYED_SEARCH_INTERVAL = 11.0, 2.1
"""OpenAlex's intervals between searches, as multiples of that between look-ups: it takes one search with more than five
operators a second, and five with a key."""
OPENALEX_DIALECT = Dialect(
    name="openalex",
    schemes=frozenset({"doi"}),
    written=attrgetter("value"),
    rules=queries.OPENALEX,
)


class WorksAsPapers:
    """OpenAlex as a source of papers by DOI or arXiv identifier, where no other service has one or can be asked.

    Args:
        service: OpenAlex.
    """

    name: SourceName = "openalex"

    def __init__(self, service: Service[Any]) -> None:
        self.schemes: frozenset[Scheme] = service.schemes | {"arxiv"}
        self._service = service

    def fetch_papers(self, identifiers: Sequence[Identifier]) -> Answer[Identifier, Any]:
        """Returns the paper behind each identifier; a work that is none, or lacks people or year, is a failure.

        A paper of arXiv is asked for by the DOI that arXiv gives it.
        """
        dois = {
            item: Identifier("doi", arxiv_doi(item.value)) if item.scheme == "arxiv" else item for item in identifiers
        }
        by_doi = self._service.fetch_papers(tuple(dois.values()))
        answer: Answer[Identifier, Any] = Answer(
            requested=tuple(dois),
            found={item: by_doi.found[doi] for item, doi in dois.items() if doi in by_doi.found},
            not_found=frozenset(item for item, doi in dois.items() if doi in by_doi.not_found),
            failed={item: by_doi.failed[doi] for item, doi in dois.items() if doi in by_doi.failed},
        )
        papers = {item: paper_of(work) for item, work in answer.found.items()}
        no_papers = {
            item: PermanentSourceError(f"OpenAlex has no paper under {item}, but something else", source=self.name)
            for item, paper in papers.items()
            if paper is None
        }
        found = {item: paper for item, paper in papers.items() if paper is not None}
        return replace(answer, found=found, failed={**answer.failed, **no_papers})


def folder_pace(folder: Path, service: str, interval_s: float) -> FilePace:
    """Returns the pace that all processes on the lake's folder share."""
    return FilePace(folder / "locks", service=service, interval_s=interval_s)


def arxiv_client(settings: Settings, replies: TimedReplies, make_pace: MakePace) -> ArxivClient:
    """Returns arXiv's client, as the settings say."""
    from sources.arxiv.client import ArxivClient  # noqa: PLC0415 - a run that asks nothing does without

    own = ServiceSettings(url=settings.arxiv_url, patience=_patience(settings), contact=settings.contact)
    return ArxivClient(own, replies=replies, pace=make_pace(settings.place.folder, "arxiv", settings.arxiv_interval))


def s2_client(settings: Settings, replies: TimedReplies, make_pace: MakePace) -> S2Client:
    """Returns Semantic Scholar's client, as the settings say."""
    from sources.semantic_scholar.client import S2Client  # noqa: PLC0415 - a run that asks nothing does without

    own = ServiceSettings(
        url=settings.s2_url, api_key=settings.s2_api_key, patience=_patience(settings), contact=settings.contact
    )
    return S2Client(own, replies=replies, pace=make_pace(settings.place.folder, "s2", settings.s2_interval_s))


def openalex_client(settings: Settings, replies: TimedReplies, make_pace: MakePace) -> OpenAlexClient:
    """Returns OpenAlex's client, as the settings say; its searches have a longer interval than its look-ups."""
    from sources.openalex.client import OpenAlexClient  # noqa: PLC0415 - a run that asks nothing does without

    own = ServiceSettings(
        url=settings.openalex_url,
        api_key=settings.openalex_api_key,
        patience=_patience(settings),
        contact=settings.contact,
    )
    interval_s, folder = settings.openalex_interval, settings.place.folder
    times = _SEARCH_INTERVAL if settings.openalex_api_key is None else _KEYED_SEARCH_INTERVAL
    pace, search_pace = (
        make_pace(folder, "openalex", interval_s),
        make_pace(folder, "openalex-search", times * interval_s),
    )
    return OpenAlexClient(own, replies=replies, pace=pace, search_pace=search_pace)


def _patience(settings: Settings) -> Patience:
    return Patience(max_tries=settings.tries, backoff_s=settings.backoff, max_wait_s=settings.give_up)

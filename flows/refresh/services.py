"""The clients of the services for one run: requests in batches, each batch a task.

A service that cannot be reached, or that fails several batches in a row, is not asked again in the same run. The user
is told once, and all further requests for it count as failed, never as not found. In an offline run all services are
down from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from operator import methodcaller
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from flows.progress import Reporter
from flows.settings import Settings
from sources.bibliography.identifiers import Identifier, Scheme
from sources.errors import (
    AllowanceSpent,
    DisputedRecord,
    PermanentSourceError,
    SearchesPaused,
    SourceError,
    SourceUnreachable,
)
from sources.http.queries import batches
from sources.records import (
    ArxivPaper,
    BatchAnswer,
    Credits,
    OpenAlexPaper,
    Reply,
    S2Paper,
    SourceName,
    TitleAnswer,
)
from sources.services.agreement import compare, described
from sources.services.openalex.answers import paper_of
from sources.services.openalex.record import OpenAlexWork, arxiv_doi
from sources.services.registry import SOURCES, Source, parse_reply
from sources.text import counted
from warehouse.loading.reply_spool import ReplySpool
from warehouse.mirrors import Mirrors
from warehouse.mirrors.local import OpenAlexFromMirror

if TYPE_CHECKING:
    from sources.http.rate_limit import FilePace, Pace
    from sources.http.replies import ReplyStore

Record = ArxivPaper | S2Paper | OpenAlexPaper
# Lake's folder, service and interval in seconds -> the pace of its requests.
MakePace = Callable[[Path, str, float], "Pace"]
# Record of a service and store of its replies -> its client.
MakeClient = Callable[[Source, ReplySpool], Any]


def record_key(record: Record | OpenAlexWork) -> str:
    """Returns the source and the identifier of a record, as in `arxiv:1706.03762`."""
    if isinstance(record, ArxivPaper):
        return f"arxiv:{record.arxiv_id}"
    if isinstance(record, OpenAlexWork | OpenAlexPaper):
        return f"openalex:{record.work_id}"
    return f"s2:{record.s2_paper_id}"


class WorksAsPapers:
    """OpenAlex as a source of papers by DOI or arXiv identifier, where no other service has one or can be asked."""

    name: SourceName = "openalex"

    def __init__(self, service: Service) -> None:
        self.schemes: frozenset[Scheme] = service.schemes | {"arxiv"}
        self._service = service

    def fetch_papers(self, identifiers: Sequence[Identifier]) -> BatchAnswer[Identifier, Any]:
        """Returns the paper behind each identifier; a work that is none, or lacks people or year, is a failure.

        A paper of arXiv is asked for by the DOI that arXiv gives it.
        """
        dois = {
            item: Identifier("doi", arxiv_doi(item.value)) if item.scheme == "arxiv" else item for item in identifiers
        }
        by_doi = self._service.fetch_papers(tuple(dois.values()))
        papers = {item: paper_of(by_doi.found[doi]) for item, doi in dois.items() if doi in by_doi.found}
        failed = {item: by_doi.failed[doi] for item, doi in dois.items() if doi in by_doi.failed}
        failed |= {
            item: PermanentSourceError(f"OpenAlex has no paper under {item}, but something else", source=self.name)
            for item, paper in papers.items()
            if paper is None
        }
        return BatchAnswer(
            requested=tuple(dois),
            found={item: paper for item, paper in papers.items() if paper is not None},
            not_found=frozenset(item for item, doi in dois.items() if doi in by_doi.not_found),
            failed=failed,
        )


def folder_pace(folder: Path, service: str, interval_s: float) -> FilePace:
    """Returns the pace that all processes on the lake's folder share."""
    from sources.http.rate_limit import FilePace  # noqa: PLC0415 - only a run with requests needs it

    return FilePace(folder / "locks", service=service, interval_s=interval_s)


def connected_client(source: Source, settings: Settings, replies: ReplyStore, make_pace: MakePace) -> Any:
    """Returns the client of a service, as the settings say."""
    from sources.services.service_client import ServiceSettings  # noqa: PLC0415 - only a run with requests needs it

    folder, interval_s, api_key = settings.place.folder, settings.interval_s(source.name), settings.key_of(source.name)
    own = ServiceSettings(
        url=settings.url_of(source.name),
        api_key=api_key,
        retry=settings.retry,
        contact=settings.contact,
    )
    paces = {"pace": make_pace(folder, source.name, interval_s)}
    if source.search_interval is not None:
        times = source.search_interval[api_key is not None]
        paces["search_pace"] = make_pace(folder, f"{source.name}-search", times * interval_s)
    return resolve_name(source.client)(own, replies=replies, **paces)


RunBatch = Callable[[str, Callable[[], Any]], Any]


NO_NETWORK = (
    "if this machine cannot reach the network: behind a proxy set HTTPS_PROXY, and SSL_CERT_FILE where that has a"
    " certificate of its own; or import a mirror: docs/mirrors.md"
)


@dataclass(slots=True)
class Network:
    """What a run has learnt about its connection, from all services together."""

    is_there: bool = False  # whether any service has answered
    unreachable: set[str] = field(default_factory=set)  # services to which no connection could be made


class Service:
    """One service for one run: asks it, and notes when each record came, with which reply, and what was wrong.

    `make_client` makes its client for the first request; it is None where the service is not asked. Where the client is
    a mirror, `told_at` is as of when it tells. `network` is what the run's services together know of the connection.
    """

    MOST_FAILURES = 3  # batches that may fail in a row before the service is not asked again in the run

    def __init__(
        self,
        source: Source,
        *,
        make_client: Callable[[], Any] | None,
        replies: ReplySpool,
        run_batch: RunBatch,
        report: Reporter,
        network: Network | None = None,
        told_at: datetime | None = None,
    ) -> None:
        self.source, self.told_at = source, told_at
        self.name, self.schemes, self._label = source.name, source.schemes, source.label
        self.problems: dict[str, int] = {}  # sentence -> how many items it affects
        self.blamed = ""  # that records of the service were refused, the first of them; empty where none was
        self._received_at: dict[str, datetime] = {}
        self._origins: dict[str, str] = {}
        self._unread: dict[str, str] = {}
        self._misdated: set[str] = set()
        self._network = network or Network()
        self._make_client = make_client
        self._client: Any = None
        self._replies = replies
        self._run_batch = run_batch
        self._report = report
        self._failures = 0
        self._down: SourceError | None = None
        self._matched: Callable[[int], None] | None = None
        if make_client is None:
            self._down = SourceUnreachable(f"{self._label} was not asked: the run is offline", source=self.name)

    @property
    def answers(self) -> bool:
        """Returns whether the service, or its mirror, is asked in this run."""
        return self._make_client is not None

    @property
    def sends(self) -> bool:
        """Returns whether the service itself is asked in this run, with requests."""
        return self.answers and self.told_at is None

    @property
    def requests_sent(self) -> int:
        """Returns how many requests this run has sent to the service."""
        return self._client.requests_sent if self._client else 0

    @property
    def credits(self) -> Credits:
        """Returns what this run's requests have cost of the service's allowance."""
        return self._client.credits if self._client else Credits()

    def fetch_papers(
        self, identifiers: Sequence[Identifier], call: str = "fetch_papers"
    ) -> BatchAnswer[Identifier, Any]:
        """Returns the result for every identifier; errors are in the answer, not raised.

        With the `call` "fetch_works" these are OpenAlex's works under its own identifiers.
        """
        wanted = tuple(dict.fromkeys(identifiers))
        done = self._stage("papers by identifier", len(wanted))
        found: dict[Identifier, Record] = {}
        failed: dict[Identifier, SourceError] = {}
        missing: set[Identifier] = set()
        for batch in batches(wanted, most=self.source.rules.most_ids):
            written = {self.source.written(item): item for item in batch}
            answer = self._ask(BatchAnswer, call, tuple(written), "identifier")
            found |= {written[text]: paper for text, paper in answer.found.items()}
            failed |= {written[text]: error for text, error in answer.failed.items()}
            missing |= {written[text] for text in answer.not_found}
            done(len(batch))
        return BatchAnswer(requested=wanted, found=found, not_found=frozenset(missing), failed=failed)

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[Any]:
        """Returns the papers found for all titles together; errors are in the answer, not raised."""
        wanted = tuple(dict.fromkeys(titles))
        done = self._stage("papers by title", len(wanted))
        answers: list[TitleAnswer[Any]] = []
        papers: dict[str, Record] = {}
        answered: set[str] = set()
        failed: dict[str, SourceError] = {}
        for batch in batches(wanted, most=self.source.rules.most_titles):
            answers.append(self._ask(TitleAnswer, "search_titles", tuple(batch), "title"))
            done(len(batch))
        contradicted = self._contradicted(answers)
        for number, answer in enumerate(answers):
            if number in contradicted:
                failed |= dict.fromkeys(answer.requested, contradicted[number])
                continue
            papers |= {record_key(paper): paper for paper in answer.papers}
            answered |= answer.answered
            failed |= answer.failed
        return TitleAnswer(requested=wanted, papers=tuple(papers.values()), answered=frozenset(answered), failed=failed)

    def match_title(self, title: str) -> S2Paper | None:
        """Returns the best match, None where the service says that it has none; Semantic Scholar alone has it.

        Raises:
            SourceError: The service could not be asked.
        """
        if (refusal := self._refusal()) is not None:
            raise refusal
        self._matched = self._matched or self._stage("best match, one by one", None)
        try:
            call = partial(methodcaller("match_title", title), self._client)
            paper: S2Paper | None = self._run_batch(f"{self._label}: best match", call)
        except SourceError as error:
            self._note([], {title: error})
            raise
        self._note([paper] if paper else [], {})
        self._matched(1)
        return paper

    def close(self) -> None:
        """Closes the connections to the service."""
        if self._client is not None:
            self._client.close()

    def ask(self, label: str, call: Callable[[Any], Any]) -> tuple[Any, datetime]:
        """Returns the result of a call of the client as a task, with the time of the oldest reply to it.

        Raises:
            SourceError: The service is down, or must not be asked.
        """
        if (refusal := self._refusal()) is not None:
            raise refusal
        return self._run_batch(f"{self._label}: {label}", partial(call, self._client)), self._batch()[0]

    def _batch(self) -> tuple[datetime, list[Reply]]:
        """Returns the date of the last call's answer, and its replies; a mirror has none."""
        at, replies = self._replies.batch()
        return self.told_at or at, replies

    def note_failures(self, errors: Mapping[str, SourceError]) -> None:
        """Notes what a call of the client failed with, among the run's problems."""
        self._note([], errors)

    def _stage(self, what: str, total: int | None) -> Callable[[int], None]:
        """Returns the function for progress; there is no bar for nothing, or for a service that is down."""
        if total == 0 or self._down is not None:
            return lambda _: None
        return self._report.stage(f"{self._label}: {what}", total)

    def _refusal(self) -> SourceError | None:
        """Returns why the service is not asked; None where it can be, and then it has a client."""
        if self._down is None and self._client is None and self._make_client is not None:
            is_lost = not self._network.is_there and len(self._network.unreachable) > 1
            if is_lost and self.told_at is None:
                text = f"{self._label} was not asked: no other service could be reached"
                self._down = SourceUnreachable(text, source=self.name)
                self._count(str(self._down))
            else:
                self._client = self._make_client()
        return self._down

    def _ask(
        self, kind: type[BatchAnswer[Any, Any] | TitleAnswer[Any]], call: str, items: tuple[str, ...], noun: str
    ) -> Any:
        """Returns the answer of that kind to a batch; errors are in it, not raised."""
        if (refusal := self._refusal()) is not None:
            return kind(requested=items, failed=dict.fromkeys(items, refusal))
        label = f"{self._label}: {counted(len(items), noun)}"
        answer = self._run_batch(label, partial(methodcaller(call, items), self._client))
        records = answer.papers if kind is TitleAnswer else answer.found.values()
        self._note(records, answer.failed, answer.left_out)
        return answer

    def _note(
        self, records: Collection[Record], failed: Mapping[str, SourceError], left_out: Iterable[SourceError] = ()
    ) -> None:
        """Notes the times of `records`, the errors, and whether the service is down."""
        self._note_records(records, *self._batch())
        for error in (*failed.values(), *left_out):
            self._count(str(error))
        self.problems |= self._client.problems if self._client else {}
        # A service that bears no more for today, or no more searches, is well.
        errors = [error for error in failed.values() if not isinstance(error, AllowanceSpent | SearchesPaused)]
        if errors or records or not failed:
            self._failures = self._failures + 1 if errors and not records else 0
        unreachable = next((error for error in errors if isinstance(error, SourceUnreachable)), None)
        if unreachable is not None:
            is_first = not self._network.is_there and not self._network.unreachable
            self._network.unreachable.add(self.name)
            self._give_up(unreachable, f"{unreachable}; continuing with local data")
            if is_first:
                self._report.say(NO_NETWORK)
            return
        if self.told_at is None:
            self._network.is_there = True
        if self._failures >= self.MOST_FAILURES:
            refused = f"{self._label} failed {self._failures} times in a row; leaving it alone for this run"
            self._give_up(errors[-1], f"{refused}: {errors[-1]}")

    def _give_up(self, error: SourceError, sentence: str) -> None:
        if self._down is None:
            self._down = error
            self._report.say(sentence)

    def fetched_at(self, record: Record | OpenAlexWork) -> datetime:
        """Returns when the reply with `record` came."""
        return self._received_at[record_key(record)]

    def origin(self, identifier: str, received_at: datetime) -> str | None:
        """Returns the SHA-256 of the reply of that time that has the record of the identifier.

        None where the record comes from elsewhere, such as a mirror.
        """
        key = f"{self.name}:{identifier}"
        return self._origins.get(key) if self._received_at.get(key) == received_at else None

    def has_sent(self, record: Record) -> bool:
        """Returns whether `record` came from this service in this run."""
        return record_key(record) in self._received_at

    def blame(self, error: SourceError) -> None:
        """Notes a refused record; the first one represents all of them."""
        self.blamed = self.blamed or f"{self._label} sent records that are not believed, the first: {error}"
        self._count(self.blamed)

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
            for item in record.unread if isinstance(record, S2Paper) else ():
                sentence = f"{self._label} sent {item.scheme} identifiers in no form known here, such as {item.value!r}"
                sentence = self._unread.setdefault(item.scheme, sentence)
                self._count(sentence)
            if isinstance(record, S2Paper) and record.misdated:
                self._misdated.add(record.s2_paper_id)
        if len(self._misdated) > 1:  # one alone may be an old paper's
            sentence = f"{self._label} sent years that are far from the day of publication; neither is used"
            self.problems[sentence] = len(self._misdated)
        found: dict[str, str] = {}
        for reply in replies if records else ():
            with suppress(SourceError):  # a reply without papers, such as an error message
                found |= {record_key(record): reply.sha256 for record in parse_reply(reply)}
        self._origins = found | self._origins


class Services(NamedTuple):
    """The services of one run; a tuple of all of them, in the order of `SOURCES`."""

    arxiv: Service
    s2: Service
    openalex: Service


def services_of(
    settings: Settings,
    make_client: MakeClient,
    mirrors: Mirrors,
    *,
    replies: ReplySpool,
    run_batch: RunBatch,
    report: Reporter,
) -> Services:
    """Returns the services for one run; those cannot be reached that the settings say are not asked.

    A mirror with all that OpenAlex has answers in its place, offline too.
    """
    own: dict[str, Any] = {"replies": replies, "run_batch": run_batch, "report": report, "network": Network()}
    made: dict[str, Any] = {
        name: Service(source, make_client=partial(make_client, source, replies) if settings.asks(name) else None, **own)
        for name, source in SOURCES.items()
    }
    works = mirrors.openalex.whole_release
    if works is not None:
        client = OpenAlexFromMirror(mirrors.openalex)
        made["openalex"] = Service(SOURCES["openalex"], make_client=lambda: client, told_at=works.as_of, **own)
    return Services(**made)

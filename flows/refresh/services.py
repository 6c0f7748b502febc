"""The services for one run: requests in batches, each batch a task, with the times of the replies.

A service that cannot be reached, or that fails several batches in a row, is not asked again in the same run. The user
is told once, and all further requests for it count as failed, never as not found. In an offline run all services are
down from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from flows.refresh.clients import (
    ARXIV_DIALECT,
    OPENALEX_DIALECT,
    S2_DIALECT,
    Client,
    Dialect,
    MakePace,
    MatchingClient,
    ReceivedRecords,
    Record,
    TimedReplies,
    arxiv_client,
    openalex_client,
    record_key,
    s2_client,
)
from sources.bibliography.identifiers import Identifier
from sources.errors import AllowanceSpent, SearchesPaused, SourceError, SourceUnreachable
from sources.http.queries import batches
from sources.records import Answer, Credits, S2Paper, TitleAnswer
from sources.text import counted

if TYPE_CHECKING:
    from datetime import datetime

    from flows.progress import Reporter
    from flows.settings import Settings

RunBatch = Callable[[str, Callable[[], Any]], Any]


C = TypeVar("C", bound=Client)
T = TypeVar("T")


class Service(ReceivedRecords, Generic[C]):
    """One service for one run.

    Args:
        dialect: How requests to it are written.
        make_client: Makes its client for the first request; None in an offline run.
        replies: The store of the client's replies.
        run_batch: Runs a batch as a task with a name.
        report: Shows progress.
    """

    MOST_FAILURES = 3
    """Batches that may fail in a row before the service is not asked again in the run."""

    def __init__(
        self,
        dialect: Dialect,
        *,
        make_client: Callable[[], C] | None,
        replies: TimedReplies,
        run_batch: RunBatch,
        report: Reporter,
    ) -> None:
        super().__init__(dialect.name)
        self.schemes = dialect.schemes
        self._dialect = dialect
        self._make_client = make_client
        self._client: C | None = None
        self._replies = replies
        self._run_batch = run_batch
        self._report = report
        self._ahead: dict[Identifier, Record] = {}
        self._failures = 0
        self._down: SourceError | None = None
        if make_client is None:
            self._down = SourceUnreachable(f"{self._label} was not asked: the run is offline", source=self.name)

    @property
    def batch_ids(self) -> int:
        """Returns how many identifiers go into one request."""
        return self._dialect.rules.most_ids

    @property
    def requests_sent(self) -> int:
        """Returns how many requests this run has sent to the service."""
        return self._client.requests_sent if self._client else 0

    @property
    def credits(self) -> Credits:
        """Returns what this run's requests have cost of the service's allowance."""
        return self._client.credits if self._client else Credits()

    def fetch_papers(
        self, identifiers: Sequence[Identifier], ahead: Iterable[Identifier] = ()
    ) -> Answer[Identifier, Any]:
        """Returns the result for every identifier; errors are in the answer, not raised.

        Args:
            identifiers: What to ask for.
            ahead: What is to be asked for later in the run. It is added as far as the last request has room, and what
                is found is the answer when it is asked for.
        """
        wanted = tuple(dict.fromkeys(identifiers))
        found: dict[Identifier, Record] = {item: self._ahead.pop(item) for item in wanted if item in self._ahead}
        open_ids = [item for item in wanted if item not in found]
        later = dict.fromkeys(ahead)
        beside = [item for item in later if item not in wanted and item not in self._ahead]
        beside = beside[: -len(open_ids) % self._dialect.rules.most_ids]
        done = self._stage("papers by identifier", len(open_ids))
        failed: dict[Identifier, SourceError] = {}
        missing: set[Identifier] = set()
        for batch in batches((*open_ids, *beside), most=self._dialect.rules.most_ids):
            written = {self._dialect.written(item): item for item in batch}
            answer = self._ask_papers(tuple(written))
            found |= {written[text]: paper for text, paper in answer.found.items()}
            failed |= {written[text]: error for text, error in answer.failed.items()}
            missing |= {written[text] for text in answer.not_found}
            done(len(set(batch) - set(beside)))
        self._ahead |= {item: found[item] for item in later if item in found}
        return Answer(
            requested=wanted,
            found={item: record for item, record in found.items() if item not in beside},
            not_found=frozenset(missing.difference(beside)),
            failed={item: error for item, error in failed.items() if item not in beside},
        )

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[Any]:
        """Returns the papers found for all titles together; errors are in the answer, not raised."""
        wanted = tuple(dict.fromkeys(titles))
        done = self._stage("papers by title", len(wanted))
        papers: dict[str, Record] = {}
        answered: set[str] = set()
        failed: dict[str, SourceError] = {}
        answers: list[TitleAnswer[Any]] = []
        for batch in batches(wanted, most=self._dialect.rules.most_titles):
            answers.append(self._ask_titles(tuple(batch)))
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

    def close(self) -> None:
        """Closes the connections to the service."""
        if self._client is not None:
            self._client.close()

    def ask(self, label: str, call: Callable[[C], T]) -> tuple[T, datetime]:
        """Returns the result of a call of the client as a task, with the time of the oldest reply to it.

        Raises:
            SourceError: The service is down, or must not be asked.
        """
        client = self._asked_client()
        if client is None:
            raise self._refusal()
        result: T = self._run_batch(f"{self._label}: {label}", partial(call, client))
        return result, self._replies.batch()[0]

    def note_failures(self, errors: Mapping[str, SourceError]) -> None:
        """Notes what a call of the client failed with, among the run's problems."""
        self._note([], errors)

    def _stage(self, what: str, total: int | None) -> Callable[[int], None]:
        """Returns the function for progress; there is no bar for nothing, or for a service that is down."""
        if total == 0 or self._down is not None:
            return lambda _: None
        return self._report.stage(f"{self._label}: {what}", total)

    def _asked_client(self) -> C | None:
        """Returns the client, None where the service is down or must not be asked."""
        if self._down is None and self._client is None and self._make_client is not None:
            self._client = self._make_client()
        return self._client if self._down is None else None

    def _ask_papers(self, written: tuple[str, ...]) -> Answer[str, Any]:
        client = self._asked_client()
        if client is None:
            return Answer(requested=written, failed=dict.fromkeys(written, self._refusal()))
        label = f"{self._label}: {counted(len(written), 'identifier')}"
        answer: Answer[str, Any] = self._run_batch(label, partial(client.fetch_papers, written))
        self._note(answer.found.values(), answer.failed, answer.left_out)
        return answer

    def _ask_titles(self, titles: tuple[str, ...]) -> TitleAnswer[Any]:
        client = self._asked_client()
        if client is None:
            return TitleAnswer(requested=titles, failed=dict.fromkeys(titles, self._refusal()))
        label = f"{self._label}: {counted(len(titles), 'title')}"
        answer: TitleAnswer[Any] = self._run_batch(label, partial(client.search_titles, titles))
        self._note(answer.papers, answer.failed, answer.left_out)
        return answer

    def _note(
        self, records: Collection[Record], failed: Mapping[str, SourceError], left_out: Iterable[SourceError] = ()
    ) -> None:
        """Notes the times of `records`, the errors, and whether the service is down."""
        self._note_records(records, *self._replies.batch())
        for error in (*failed.values(), *left_out):
            self._count(str(error))
        self.problems |= self._client.problems if self._client else {}
        # A service that bears no more for today, or no more searches, is well.
        errors = [error for error in failed.values() if not isinstance(error, AllowanceSpent | SearchesPaused)]
        if errors or records or not failed:
            self._failures = self._failures + 1 if errors and not records else 0
        unreachable = next((error for error in errors if isinstance(error, SourceUnreachable)), None)
        if unreachable is not None:
            self._give_up(unreachable, f"{unreachable}; going on with what is here")
        elif self._failures >= self.MOST_FAILURES:
            refused = f"{self._label} failed {self._failures} times in a row; leaving it alone for this run"
            self._give_up(errors[-1], f"{refused}: {errors[-1]}")

    def _give_up(self, error: SourceError, sentence: str) -> None:
        if self._down is None:
            self._down = error
            self._report.say(sentence)

    def _refusal(self) -> SourceError:
        return self._down or SourceUnreachable(f"{self._label} is not asked in this run", source=self.name)


class MatchingService(Service[MatchingClient]):
    """Semantic Scholar, which can also return its best match for one title."""

    _matched: Callable[[int], None] | None = None

    def match_title(self, title: str) -> S2Paper | None:
        """Returns the best match, None where the service says that it has none.

        Raises:
            SourceError: The service could not be asked.
        """
        client = self._asked_client()
        if client is None:
            raise self._refusal()
        self._matched = self._matched or self._stage("best match, one by one", None)
        try:
            label = f"{self._label}: best match"
            paper: S2Paper | None = self._run_batch(label, partial(client.match_title, title))
        except SourceError as error:
            self._note([], {title: error})
            raise
        self._note([paper] if paper else [], {})
        self._matched(1)
        return paper


def arxiv_service(
    settings: Settings, *, replies: TimedReplies, run_batch: RunBatch, report: Reporter, make_pace: MakePace
) -> Service[Any]:
    """Returns arXiv for one run; it cannot be reached where the settings say offline."""
    make = None if settings.offline else partial(arxiv_client, settings, replies, make_pace)
    return Service(ARXIV_DIALECT, make_client=make, replies=replies, run_batch=run_batch, report=report)


def s2_service(
    settings: Settings, *, replies: TimedReplies, run_batch: RunBatch, report: Reporter, make_pace: MakePace
) -> MatchingService:
    """Returns Semantic Scholar for one run; it cannot be reached where the settings say offline."""
    make = None if settings.offline else partial(s2_client, settings, replies, make_pace)
    return MatchingService(S2_DIALECT, make_client=make, replies=replies, run_batch=run_batch, report=report)


def openalex_service(
    settings: Settings, *, replies: TimedReplies, run_batch: RunBatch, report: Reporter, make_pace: MakePace
) -> Service[Any]:
    """Returns OpenAlex for one run; it cannot be reached where the settings say that it is not asked."""
    make = partial(openalex_client, settings, replies, make_pace) if settings.asks_openalex else None
    return Service(OPENALEX_DIALECT, make_client=make, replies=replies, run_batch=run_batch, report=report)

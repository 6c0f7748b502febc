"""OpenAlex, asked for works by DOI, a hundred at a time, as long as its free allowance lasts.

A list costs one credit of the day's allowance, 1,000 without a key and 10,000 with a free one; a search would cost ten,
so that none is made: https://help.openalex.org/api/authentication . Every reply says how much is left; once nothing is,
no request is sent until it is renewed. Error messages are free.

Of the DOIs asked for, those that OpenAlex does not have are left out without a word
(https://github.com/ropensci/openalexR/issues/310). So they are asked for once more, beside DOIs that it surely has.

The known client, pyalex, is not used: it has no time-out, drops the headers that tell of the allowance and tries again
when that is spent (https://github.com/J535D165/pyalex/issues/100), and does not bound the length of an address
(https://github.com/J535D165/pyalex/issues/85). sources/http does all of it; what is left is one address to write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import quote_plus

from sources.bibliography.titles import title_key
from sources.errors import (
    AllowanceSpent,
    BatchRefused,
    PayloadError,
    PermanentSourceError,
    SourceError,
    TransientSourceError,
)
from sources.http.queries import Halving, Tally, batches
from sources.http.replies import Received, retry_after_s, status_error
from sources.http.request import AnswerWithReply, Question, request_key
from sources.openalex.payload import FIELDS, WORKS, WorksPage, error_said, parse_works
from sources.openalex.record import OpenAlexWork, unsound
from sources.records import Answer, Reply
from sources.service_client import BatchClient

MAX_IDS = 100
"""The most values of a filter, and the most works of a page: https://help.openalex.org/api/filtering ."""
_ROOM = 3_400
"""Characters that DOIs may take of an address, which may have 4,094 (pyalex's issue 85)."""
_UNASKABLE = frozenset('|,+"!*\\ ')
"""What means something in a filter, even where it is encoded: https://github.com/ropensci/openalexR/issues/254 ."""
_REFUSED_FILTER = "invalid query parameter"
_DAY_S = 86_400.0
_FEW = 2
"""So many works of a page may all lack what hardly a work lacks."""


@dataclass(slots=True)
class Joined:
    """The works of a reply under the DOIs that asked for them.

    Attributes:
        strangers: Works that bear none of the DOIs, and entries of which it is not known which one they are.
    """

    found: dict[str, OpenAlexWork] = field(default_factory=dict)
    faults: dict[str, PayloadError] = field(default_factory=dict)
    strangers: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Returns whether every entry is a work that was asked for."""
        return not self.faults and not self.strangers


class OpenAlexClient(BatchClient):
    """Fetches works from OpenAlex's API.

    A key is sent as `Authorization: Bearer`, which the service takes as well as `api_key` in the address
    (https://github.com/J535D165/pyalex/pull/77): addresses are logged on the way.
    """

    SOURCE = "openalex"
    FAMOUS = ("10.7717/peerj.4375", "10.1371/journal.pone.0266781", "10.1371/journal.pone.0267149")
    KEY_HEADER = "Authorization"
    KEY_PREFIX = "Bearer "

    _spent: AllowanceSpent | None = None

    def _prepare(self, url: str) -> None:
        self._works_url = f"{url.rstrip('/')}/{WORKS}"

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, OpenAlexWork]:
        """Returns the work behind each DOI, keyed as asked: lower case, without an address.

        One that cannot be written into a filter is not sent; it ends in `failed`.
        """
        tally: Tally[OpenAlexWork] = Tally(ids)
        unaskable = [doi for doi in tally.requested if not is_askable(doi)]
        tally.fail(unaskable, PermanentSourceError("OpenAlex cannot be asked for such a DOI", source=self.SOURCE))
        halving = Halving(_batches(tally.open(tally.requested), most=MAX_IDS), give_up=tally.fail)
        for batch in halving:
            with halving.attempt():
                self._note(tally, batch)
        proofs = Halving(_batches(tally.open(tally.requested), most=MAX_IDS - 2), give_up=tally.fail)
        for batch in proofs:
            with proofs.attempt():
                self._note_absent(tally, batch)
        return tally.answer()

    def _note(self, tally: Tally[OpenAlexWork], batch: Sequence[str]) -> None:
        """Asks for one batch, once more where entries are unsound, and notes what was found."""
        for _ in range(2):
            joined = self._works(batch).answer
            tally.note(joined.found)
            self._control_queries.saw(joined.found)
            if not joined.faults:
                return
        for doi, fault in joined.faults.items():
            tally.fail([doi], fault)

    def _note_absent(self, tally: Tally[OpenAlexWork], batch: Sequence[str]) -> None:
        """Asks for DOIs without an answer once more, beside two that OpenAlex surely has.

        Raises:
            BatchRefused: The answer has works that nobody asked for: one of the DOIs may bring them.
            PayloadError: The same for a single DOI, or the answer lacks what OpenAlex surely has.
        """
        controls = self._control_queries.ids(besides=batch)
        if controls is None:
            raise self._left_out()
        joined = self._works([controls[0], *batch, controls[1]], controls=controls).answer
        tally.note({doi: work for doi, work in joined.found.items() if doi in batch})
        for doi in joined.faults.keys() & set(batch):
            tally.fail([doi], joined.faults[doi])
        if joined.strangers:
            fault = unsound(
                f"{joined.strangers[0]}, which bears none of the DOIs asked for", record=batch[0], field="doi"
            )
            raise fault if len(batch) == 1 else BatchRefused(fault.message, source=self.SOURCE, url=self._url)
        if not joined.found.keys() >= set(controls):
            raise self._left_out()
        tally.note_absent(batch)

    def _works(self, dois: Sequence[str], *, controls: Collection[str] = ()) -> AnswerWithReply[Joined]:
        key = request_key(WORKS, dois=list(dois), fields=list(FIELDS))
        if self._spent is not None and self._replies.find(self.SOURCE, key) is None:
            raise self._spent
        params = {"filter": f"doi:{'|'.join(dois)}", "select": ",".join(FIELDS), "per_page": str(MAX_IDS)}
        question = Question(
            key=key,
            send=partial(self._transport.send, "GET", self._works_url, params=params),
            refusal=self._refusal_of,
            read=lambda reply: join(dois, _page(reply)),
            believed=lambda joined: joined.is_sound and joined.found.keys() >= set(controls),
        )
        try:
            return self._asker.ask(question)
        except TransientSourceError as error:
            if error.status is None and error.retry_after_s is not None:  # the pace that all processes share says so
                self._spent = AllowanceSpent(str(error), source=self.SOURCE, url=self._url)
                raise self._spent from error
            raise

    def _refusal_of(self, received: Received) -> SourceError | None:
        """Returns the error that a reply means, None for status 200; notes when the allowance is spent."""
        left = _whole(received.headers.get("x-ratelimit-remaining"))
        if left is not None and received.status in (200, 429):
            self._spent = None if left else _allowance_spent(received, url=self._url)
        if received.status == 200:
            return None
        if received.status == 429 and self._spent is not None:
            return self._spent
        words = error_said(received.body)
        if received.status == 403 and _REFUSED_FILTER in words.lower():
            return BatchRefused(f"OpenAlex answered HTTP 403: {words!r}", source=self.SOURCE, url=self._url, status=403)
        return status_error(received, source=self.SOURCE, url=self._url, said=words)


def is_askable(doi: str) -> bool:
    """Returns whether a DOI can be written into a filter."""
    return bool(doi) and _UNASKABLE.isdisjoint(doi) and doi.isascii() and doi.isprintable()


def join(wanted: Collection[str], page: WorksPage) -> Joined:
    """Returns the works of a page under the DOIs that asked for them, by what they say of themselves.

    Two works of one title may bear a DOI: that with more citations is taken, which others call by it. No two works have
    one identifier. Where most entries are unsound, or all lack what hardly a work lacks, none is believed.

    Raises:
        BatchRefused: The answer has more works than a page holds.
        PayloadError: The page has fewer or more works than it counts, though one that it has twice is one.
    """
    count = len(page.works) + len(page.faults)
    works_once = [work for number, work in enumerate(page.works) if work not in page.works[:number]]
    if page.total > count == MAX_IDS:
        raise BatchRefused(f"OpenAlex has {page.total} works for {len(wanted)} DOIs", source="openalex")
    if page.total not in (count, len(works_once) + len(page.faults)):
        raise unsound(f"{count} works, and counts {page.total}", field="meta")
    joined = Joined()
    for fault in page.faults:
        place = joined.faults if fault.record in wanted else None
        joined.strangers.append(fault.message) if place is None else place.update({fault.record: fault})
    bearers: dict[str, list[OpenAlexWork]] = {}
    for work in works_once:
        named = work.dois & set(wanted)
        if not named:
            joined.strangers.append(f"{work.work_id} ({work.title[:90]!r})")
        for doi in named:
            bearers.setdefault(doi, []).append(work)
    numbers = Counter(work.work_id for work in works_once)
    for doi, works in bearers.items():
        try:
            joined.found[doi] = _work_under(doi, works, numbers)
        except PayloadError as fault:
            joined.faults[doi] = fault
    text = "a work among entries that are mostly unsound" if 2 * len(page.faults) > count else _lacking(works_once)
    if text:
        joined.faults |= {doi: unsound(text, record=doi) for doi in joined.found}
        joined.found = {}
    return joined


def _work_under(doi: str, works: Sequence[OpenAlexWork], numbers: Mapping[str, int]) -> OpenAlexWork:
    """Returns the work under a DOI; `numbers` has how many works of the page have each identifier.

    Raises:
        PayloadError: Its works have several titles, or one has another work's identifier.
    """
    own = [work for work in works if work.doi == doi] or works
    if len({title_key(work.title) for work in own}) > 1:
        raise unsound(f"several works under {doi}", record=doi, field="doi")
    if any(numbers[work.work_id] > 1 for work in own):
        raise unsound(f"several works as {own[0].work_id}", record=doi, field="id")
    return max(own, key=lambda work: (work.citation_count or 0, work.work_id))


def _lacking(works: Collection[OpenAlexWork]) -> str:
    """Returns what none of several works of a page has, though hardly a work lacks it; empty where there is none."""
    has = {
        "authors": any(work.authors for work in works),
        "a year": any(work.year for work in works),
        "a count": any(work.citation_count is not None for work in works),
    }
    missing = [name for name, is_there in has.items() if not is_there]
    return f"works all without {missing[0]}" if missing and len(works) > _FEW else ""


def _page(reply: Reply) -> WorksPage:
    return parse_works(reply.body, today=reply.fetched_at.date())


def _batches(dois: Sequence[str], *, most: int) -> list[list[str]]:
    return list(batches(dois, most=most, room=_ROOM, size=lambda doi: len(quote_plus(f"{doi}|"))))


def _allowance_spent(received: Received, *, url: str) -> AllowanceSpent:
    wait = retry_after_s(received.headers.get("retry-after"), now=received.at)
    reset = _whole(received.headers.get("x-ratelimit-reset"))
    midnight = _DAY_S - (received.at.timestamp() % _DAY_S)
    text = "OpenAlex's free allowance of today is spent; the papers left are asked about after midnight UTC"
    return AllowanceSpent(
        text,
        source="openalex",
        url=url,
        status=received.status,
        retry_after_s=min(wait or reset or midnight, _DAY_S),
    )


def _whole(text: str | None) -> int | None:
    """Returns the whole number in a header, None where it has none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None

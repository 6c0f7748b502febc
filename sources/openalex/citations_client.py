"""OpenAlex, asked for the works that cite others, and for works by its own identifiers: what may wait."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice

from sources.errors import AllowanceSpent, PayloadError, SourceError
from sources.http.queries import Halving, Tally, batches
from sources.http.request import request_key
from sources.openalex.answers import MAX_IDS, join_by_id
from sources.openalex.citing import (
    CITING_FIELDS,
    MOST_PAGES,
    SHIFTED,
    CitingAnswer,
    CitingPage,
    CitingQuestion,
    gather,
    parse_citing,
)
from sources.openalex.payload import OUTSIDE_FIELDS, WORKS
from sources.openalex.record import OpenAlexWork
from sources.openalex.works_client import WorksClient, works_page
from sources.records import Answer


class CitationsClient(WorksClient):
    """Fetches what the citation graph needs."""

    _seen_works: Sequence[str] = ()

    def fetch_citing(self, question: CitingQuestion, *, most_requests: int = MOST_PAGES) -> CitingAnswer:
        """Returns the works that cite others, page after page; an answer that is not whole has an error.

        Of one that contradicts itself nothing is believed; of one that broke off, the pages that came are. Pages that
        shifted while they were read are read once more.

        Args:
            question: What is asked.
            most_requests: Requests that may be sent; tries after a fault come on top.
        """
        budget = self._budget(most_requests)
        answer = self._read_citing(question, budget)
        if isinstance(answer.error, PayloadError) and answer.error.field == SHIFTED:
            answer = self._read_citing(question, budget, again=True)
        return answer

    def _read_citing(
        self, question: CitingQuestion, budget: Callable[[int, str], None], *, again: bool = False
    ) -> CitingAnswer:
        """Returns all pages of an answer; `again` where those that came, or were kept, did not fit together."""
        answer, pages = CitingAnswer(question=question), list[CitingPage]()
        by_cursor, cursor = self._has_key, "*"
        try:
            while not pages or (cursor and MAX_IDS * len(pages) < max(page.total for page in pages)):
                budget(1, "citing works wait")
                place: dict[str, str | int] = {"cursor": cursor} if by_cursor else {"page": len(pages) + 1}
                pages.append(self._citing_page(question, place, again=again))
                answer.works |= pages[-1].works
                cursor = (pages[-1].next_cursor or "") if by_cursor else cursor
            gather(pages, by_cursor=by_cursor)
        except SourceError as error:
            answer.error = error
            answer.works = {} if isinstance(error, PayloadError) else answer.works
        return answer

    def _budget(self, most_requests: int) -> Callable[[int, str], None]:
        """Returns what refuses a request that may wait, once so many are sent or half of the allowance is used.

        It raises `AllowanceSpent`.
        """
        stop_at = self.requests_sent + most_requests

        def refuse(cost: int, what: str) -> None:
            self._allowance.refuse_waiting(cost, what)
            if self.requests_sent >= stop_at:
                text = f"a run sends so many requests for citations and no more; {what}"
                raise AllowanceSpent(text, source=self.SOURCE, url=self._url)

        return refuse

    def _citing_page(self, question: CitingQuestion, place: Mapping[str, str | int], *, again: bool) -> CitingPage:
        number = place.get("page")
        return self._ask(
            question.filter,
            lambda reply: parse_citing(reply.body, question, number if isinstance(number, int) else None),
            key=request_key(WORKS, **question.facts, **place, **({"again": True} if again else {})),
            select=CITING_FIELDS,
            page={"sort": "publication_date", **{name: str(value) for name, value in place.items()}},  # new works last
        )

    def fetch_works(self, work_ids: Sequence[str], *, most_requests: int = MOST_PAGES) -> Answer[str, OpenAlexWork]:
        """Returns the work under each of OpenAlex's identifiers; not found is what two replies beside others lack.

        Args:
            work_ids: The identifiers.
            most_requests: Requests that may be sent; tries after a fault come on top.
        """
        tally: Tally[OpenAlexWork] = Tally(work_ids)
        ask = partial(self._note_by_id, tally, budget=self._budget(most_requests))
        halving = Halving(batches(tally.requested, most=MAX_IDS), give_up=tally.fail)
        for batch in halving:
            with halving.attempt():
                ask(batch, ())
        proofs = Halving(batches(tally.open(tally.requested), most=MAX_IDS - 2), give_up=tally.fail)
        for batch in proofs:
            with proofs.attempt():
                controls = [item for item in self._seen_works if item not in batch][:2]
                if not controls:
                    raise self._left_out()
                found = ask(batch, controls)
                tally.note_absent([work_id for work_id in batch if work_id not in found])
        return tally.answer()

    def _note_by_id(
        self,
        tally: Tally[OpenAlexWork],
        batch: Sequence[str],
        controls: Sequence[str],
        *,
        budget: Callable[[int, str], None],
    ) -> Collection[str]:
        """Asks for one batch and returns the identifiers of which something was told."""
        budget(1, "works outside of the lists wait")
        ids = [*batch, *controls]
        joined = self._ask(
            f"ids.openalex:{'|'.join(ids)}",
            lambda reply: join_by_id(ids, works_page(reply, by_id=True)),
            key=request_key(WORKS, ids=ids, fields=list(OUTSIDE_FIELDS)),
            select=OUTSIDE_FIELDS,
            believed=lambda joined: not joined.faults and joined.found.keys() >= set(controls),
        )
        if not joined.found.keys() >= set(controls):
            raise self._left_out()
        self._saw(joined.found.values())
        tally.note({work_id: joined.found[work_id] for work_id in batch if work_id in joined.found})
        for work_id in joined.faults:
            tally.fail([work_id], joined.faults[work_id])
        return joined.found.keys() | joined.faults.keys()

    def _saw(self, works: Iterable[OpenAlexWork]) -> None:
        """Notes works that OpenAlex has, to be asked for beside those that it may not have."""
        self._seen_works = list(dict.fromkeys([*(work.work_id for work in islice(works, 2)), *self._seen_works]))[:4]

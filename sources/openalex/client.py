"""OpenAlex, asked for works by DOI, a hundred at a time, and by title, as long as its free allowance lasts.

A list costs one credit of the day's allowance, 1,000 without a key and 10,000 with a free one, and a search ten, so
that few are made: https://help.openalex.org/api/authentication . Every reply says how much is left; once nothing is, no
request is sent until it is renewed. Error messages are free. Half of a day's allowance is left to the look-ups.

Of the DOIs asked for, those that OpenAlex does not have are left out without a word
(https://github.com/ropensci/openalexR/issues/310). So they are asked for once more, beside DOIs that it surely has.

What a search has found is looked up by its identifiers before it is believed: one credit more, and two replies that
must say the same. A search also asks for a work that OpenAlex surely has, so that an empty answer is one.

The known client, pyalex, is not used: it has no time-out, drops the headers that tell of the allowance
(https://github.com/J535D165/pyalex/issues/100) and does not bound addresses (issue 85); sources/http does all of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sources.errors import (
    BatchRefused,
    PermanentSourceError,
    TransientSourceError,
)
from sources.http.queries import OPENALEX, Halving, Tally, TitleTally
from sources.http.request import request_key
from sources.openalex.allowance import SEARCH_COST
from sources.openalex.answers import MAX_IDS, Joined, contradicted, hits, join, paper_of
from sources.openalex.citations_client import CitationsClient
from sources.openalex.filters import doi_batches, is_askable
from sources.openalex.payload import FIELDS, WORKS
from sources.openalex.record import OpenAlexWork, unsound
from sources.openalex.works_client import works_page
from sources.records import Answer, OpenAlexPaper, TitleAnswer
from sources.service_client import TitleSearch, holds_any

MOST_SEARCHES = 30
"""Searches of a run. The titles left wait for the next one."""
_CONTROL_TITLES = ("The state of OA: a large-scale analysis of the prevalence and impact of Open Access articles",)
"""What OpenAlex surely has, and hardly under another work: the title of 10.7717/peerj.4375."""


class OpenAlexClient(CitationsClient):
    """Fetches works from OpenAlex's API, by DOI and by title; by its own identifiers and by what they cite, as well."""

    _searches: int = 0

    def fetch_papers(self, ids: Sequence[str]) -> Answer[str, OpenAlexWork]:
        """Returns the work behind each DOI, keyed as asked: lower case, without an address.

        One that cannot be written into a filter is not sent; it ends in `failed`.
        """
        tally: Tally[OpenAlexWork] = Tally(ids)
        unaskable = [doi for doi in tally.requested if not is_askable(doi)]
        tally.fail(unaskable, PermanentSourceError("OpenAlex cannot be asked for such a DOI", source=self.SOURCE))
        halving = Halving(doi_batches(tally.open(tally.requested), most=MAX_IDS), give_up=tally.fail)
        for batch in halving:
            with halving.attempt():
                self._note(tally, batch)
        proofs = Halving(doi_batches(tally.open(tally.requested), most=MAX_IDS - 2), give_up=tally.fail)
        for batch in proofs:
            with proofs.attempt():
                self._note_absent(tally, batch)
        return tally.answer()

    def search_titles(self, titles: Sequence[str], along: Sequence[str] = ()) -> TitleAnswer[OpenAlexPaper]:
        """Returns every paper that OpenAlex has with one of `titles` as a phrase in its title.

        A title is `failed` where it could not be asked, where it has more hits than a page holds, and where OpenAlex
        told two things of a hit of it. Those `along` are asked for in the same request.
        """
        search: TitleSearch[OpenAlexPaper] = TitleSearch(
            titles, source=self.SOURCE, rules=OPENALEX, most=OPENALEX.most_titles, along=along
        )
        for batch in search:
            with search.attempt():
                self._note_titles(search.tally, batch)
        return search.tally.answer()

    def _note_titles(self, tally: TitleTally[OpenAlexPaper], batch: Sequence[str]) -> None:
        """Searches for one batch of titles, looks up what was found, and notes of which both replies say the same."""
        found = self._search(batch)
        doubtful = self._look_up(found)
        sound = [work for work in found if work.work_id not in doubtful]
        tally.note({work.work_id: paper for work in sound if (paper := paper_of(work)) is not None})
        failed: set[str] = set()
        for work_id, both in doubtful.items():
            concerned = [title for title in batch if any(holds_any(text, [title]) for text in both)]
            named = " and ".join(f"{text!r:.90}" for text in dict.fromkeys(filter(None, both)))
            error = unsound(f"{work_id} ({named}) in a search, and another one by its identifier", record=work_id)
            tally.fail(concerned or batch, error)
            failed.update(concerned or batch)
        tally.note_answered([title for title in batch if title not in failed])

    def _search(self, titles: Sequence[str]) -> tuple[OpenAlexWork, ...]:
        """Returns the works that a search finds for one of the titles, those that are surely there among them."""
        self._refuse_costly_search()
        query = OPENALEX.titles_query([*titles, *_CONTROL_TITLES])
        self._searches += 1
        return self._ask(
            f"title.search:{query}",
            lambda reply: hits(works_page(reply), _CONTROL_TITLES, most=MAX_IDS),
            key=request_key(WORKS, titles=list(titles), fields=list(FIELDS)),
            believed=lambda _: False,  # what is found by it is kept as it is looked up
        )

    def _look_up(self, found: Sequence[OpenAlexWork]) -> dict[str, tuple[str, str]]:
        """Returns the works of which OpenAlex says something else when it is asked for them by identifier."""
        ids = sorted({work.work_id for work in found})
        return self._ask(
            f"ids.openalex:{'|'.join(ids)}",
            lambda reply: contradicted(found, works_page(reply)),
            key=request_key(WORKS, ids=ids, fields=list(FIELDS)),
            believed=lambda doubtful: not doubtful,
        )

    def _refuse_costly_search(self) -> None:
        """Raises an error where no search may be made any more: in this run, or of today's allowance.

        Raises:
            TransientSourceError: Such is the case.
        """
        if self._searches >= MOST_SEARCHES:
            text = "OpenAlex was searched as often as a run may; the titles left are for the next one"
            raise TransientSourceError(text, source=self.SOURCE, url=self._url)
        self._allowance.refuse_waiting(SEARCH_COST, "titles wait")

    def _note(self, tally: Tally[OpenAlexWork], batch: Sequence[str]) -> None:
        """Asks for one batch, once more where entries are unsound, and notes what was found."""
        for _ in range(2):
            joined = self._works(batch)
            tally.note(joined.found)
            self._control_queries.saw(joined.found)
            self._saw(joined.found.values())
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
        joined = self._works([controls[0], *batch, controls[1]], controls=controls)
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

    def _works(self, dois: Sequence[str], *, controls: Collection[str] = ()) -> Joined:
        return self._ask(
            f"doi:{'|'.join(dois)}",
            lambda reply: join(dois, works_page(reply), most=MAX_IDS),
            key=request_key(WORKS, dois=list(dois), fields=list(FIELDS)),
            believed=lambda joined: joined.is_sound and joined.found.keys() >= set(controls),
        )

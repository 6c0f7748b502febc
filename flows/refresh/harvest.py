"""Asks the services for metadata and counts of the papers of a run, and checks what they send.

A record is compared with what is known of its paper. A paper that is new in the run is known from one service only. If
the other service has a different paper under the same identifier, nobody can tell which service is wrong, and the new
paper is withdrawn, unless a list that gives the identifier supports it. The list's title is enough for that only where
the titles differ; where two papers have the same title, the list must name the authors. A disputed record that comes
again in the next run is believed then.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flows.refresh.cross_checks import fetch_checked, refuse, refuse_arxiv_ids
from flows.refresh.run_rows import HarvestRows
from sources.bibliography.identifiers import Identifier
from sources.bibliography.names import compare_authors
from sources.errors import DisputedRecord
from sources.records import SERVICE_NAMES, S2Paper
from sources.services.agreement import (
    bears,
    compare,
    described,
    described_by_mention,
    described_by_row,
    shared_doi,
)
from sources.services.semantic_scholar.client import without_doi
from warehouse.loading.reply_spool import Freshness, due

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from flows.refresh.services import Record, Service
    from sources.errors import SourceError
    from sources.records import Answer, Mention, SourceName
    from warehouse.papers.lake_papers import KnownPapers
    from warehouse.papers.paper_merge import RunPapers
    from warehouse.tables.declarations import HarvestRow


class Harvester:
    """Brings papers up to date.

    Args:
        known: The lake as it was before the run.
        run_papers: The papers of the run.
        now: The run's instant.
        freshness: How old things may get.
    """

    def __init__(self, *, known: KnownPapers, run_papers: RunPapers, now: datetime, freshness: Freshness) -> None:
        self._known = known
        self._papers = run_papers
        self._now = now
        self._max_age = {"arxiv": freshness.metadata, "s2": freshness.counts}
        self.notes = HarvestRows(now)
        self.withdrawn: dict[str, SourceError] = {}
        self._failed_before: Mapping[str, Collection[str]] = {}

    def harvest(
        self,
        paper_ids: Collection[str],
        services: tuple[Service[Any], Service[Any]],
        mentions: Mapping[str, Sequence[Mention]] | None = None,
        failed_before: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        """Asks each service about the papers that are due, and notes the results in `notes`.

        Args:
            paper_ids: The papers.
            services: Both services, in the order in which they are asked.
            mentions: Paper -> the mentions that were resolved to it.
            failed_before: Paper -> why mentions of it failed in the last run.
        """
        self._failed_before = failed_before or {}
        self.notes.before = {(row["paper_id"], row["source"]): row for row in self._known.harvests(paper_ids)}
        for service, second in (services, services[::-1]):
            self._note_already_received(service, [item for item in paper_ids if item not in self.withdrawn])
            last = {**self.notes.before, **self.notes.rows}
            current = self._askable(service, [item for item in paper_ids if item not in self.withdrawn])
            wanted = self._due(current, last.values(), service.name)
            written = {
                item: [i for i in self._papers.identifiers(item) if i.scheme in service.schemes] for item in wanted
            }
            wanted_ids = {own[0]: paper_id for paper_id, own in written.items() if own}
            answer = self._fetch_papers(service, second, wanted_ids, mentions or {})
            self._enter(service, second, wanted_ids, self._without_misnamed(second, wanted_ids, answer, mentions or {}))
            self._withdraw(service, wanted_ids, mentions or {})

    def _fetch_papers(
        self,
        service: Service[Any],
        second: Service[Any],
        wanted: Mapping[Identifier, str],
        mentions: Mapping[str, Sequence[Mention]],
    ) -> Answer[Identifier, Any]:
        """Returns the service's answer, with failures in place of records that disagree with what is known.

        Both services together overrule the lake. A service that repeats a disputed record in the next run is believed
        too, if no list has the known title, or if only the title or the figures are disputed.
        """

        def is_believed(identifier: Identifier, record: Any, error: DisputedRecord) -> bool:
            paper_id = wanted[identifier]
            row = described_by_row(self._papers.rows[paper_id])
            listed = any(compare(described_by_mention(item), row) == "agree" for item in mentions.get(paper_id, ()))
            if identifier not in old or not bears(record, identifier):
                return False
            may_be_wrong = error.field in ("title", "figures") or not listed
            return may_be_wrong and self.notes.believe_if_repeated(paper_id, service.name, error)

        known = {item: (described_by_row(self._papers.rows[paper_id]),) for item, paper_id in wanted.items()}
        old = {item for item, paper_id in wanted.items() if paper_id not in self._papers.new}
        titled = {item for item, paper_id in wanted.items() if self._gives_title(service, paper_id)}
        answer = fetch_checked(
            service, list(wanted), known, second=second, overrule=old, titled=titled, believed=is_believed
        )
        shared = {item: error for item, record in answer.found.items() if (error := shared_doi(record))}
        disputes = {item: error for item, error in shared.items() if not is_believed(item, answer.found[item], error)}
        return refuse(service, answer, disputes)

    def _gives_title(self, service: Service[Any], paper_id: str) -> bool:
        """Returns whether the paper's title is this service's: arXiv's title replaces Semantic Scholar's."""
        return service.name == "arxiv" or not self._papers.rows[paper_id]["categories"]

    def _without_misnamed(
        self,
        second: Service[Any],
        wanted: Mapping[Identifier, str],
        answer: Answer[Identifier, Any],
        mentions: Mapping[str, Sequence[Mention]],
    ) -> Answer[Identifier, Any]:
        """Returns the answer without new papers that have different titles at the two services.

        The authors are the same, but the title is not the one that `second` gave, and no list has that one. The same
        answer in the next run is believed: papers get new titles.
        """
        renamed: dict[Identifier, DisputedRecord] = {}
        for identifier, record in answer.found.items():
            paper_id = wanted[identifier]
            row, description = described_by_row(self._papers.rows[paper_id]), described(record)
            listed = [described_by_mention(item) for item in mentions.get(paper_id, ())]
            if paper_id not in self._papers.new or compare(row, description) != "renamed":
                continue
            if all(compare(item, row) != "agree" for item in listed):
                names = f"{row.title or '':.90}", f"{description.title or '':.90}"
                text = f"{SERVICE_NAMES[second.name]} called {identifier} {names[0]!r}, which others call {names[1]!r}"
                if text in self._failed_before.get(paper_id, ()):
                    continue
                renamed[identifier] = DisputedRecord(text, source=second.name, record=str(identifier))
        return refuse(second, answer, renamed)

    def _withdraw(
        self, service: Service[Any], wanted: Mapping[Identifier, str], mentions: Mapping[str, Sequence[Mention]]
    ) -> None:
        """Takes back the new papers of which the two services say different things."""
        for identifier, paper_id in wanted.items():
            error = self.notes.disputes.get((paper_id, service.name))
            if error is None or self._is_supported(paper_id, identifier, error, mentions.get(paper_id, ())):
                continue
            if self._papers.withdraw(paper_id):
                self.withdrawn[paper_id] = error
                self.notes.drop(paper_id)

    def _is_supported(
        self, paper_id: str, identifier: Identifier, error: DisputedRecord, mentions: Sequence[Mention]
    ) -> bool:
        """Returns whether a list supports the paper as it is known, in what `error` disputes.

        It must give the identifier and name disputed authors. Where only title or authors are disputed, its title is
        enough if the last run had the same dispute.
        """
        row = self._papers.rows[paper_id]
        agreeing = [
            mention for mention in mentions if compare(described_by_mention(mention), described_by_row(row)) == "agree"
        ]
        own = [item for item in agreeing if identifier in item.identifiers]
        if error.field and str(error) in self._failed_before.get(paper_id, ()):
            return bool(agreeing)
        if error.field == "authors":
            return any(compare_authors(item.authors, tuple(row["authors"])).agreement == "agree" for item in own)
        return bool(own)

    def _askable(self, service: Service[Any], paper_ids: Iterable[str]) -> list[str]:
        """Returns the papers without those that the run has not read and that have no identifier for the service."""
        known = self._known.identified_by(service.schemes) | self._papers.rows.keys()
        return sorted(known.intersection(map(self._papers.current, paper_ids)))

    def _due(self, paper_ids: Collection[str], last: Collection[HarvestRow], source: SourceName) -> list[str]:
        """Returns the papers that are due; withdrawn ones and those whose count stays the same are due less often."""
        stale = due(paper_ids, last, source, max_age=self._max_age[source], now=self._now)
        self._papers.read(paper_ids=stale)
        if not stale:
            return stale
        withdrawn = {paper_id for paper_id in stale if self._papers.rows[paper_id]["withdrawn"]}
        quiet = withdrawn | (self._known.unmoved(stale, now=self._now) if source == "s2" else set())
        return due(stale, last, source, max_age=self._max_age[source], now=self._now, quiet=quiet)

    def _note_already_received(self, service: Service[Any], paper_ids: Collection[str]) -> None:
        """Notes what resolution received in this run as harvested, so that nothing is requested twice."""
        for paper_id in {self._papers.current(item) for item in paper_ids}:
            if (received_at := self._papers.received_at(paper_id, service.name)) is not None:
                self.notes.note_found(paper_id, service.name, received_at)

    def _enter(
        self,
        service: Service[Any],
        second: Service[Any],
        wanted: Mapping[Identifier, str],
        answer: Answer[Identifier, Any],
    ) -> None:
        found = dict(answer.found)
        rows = {identifier: self._papers.rows[self._papers.current(wanted[identifier])] for identifier in found}
        false = refuse_arxiv_ids(second, found, rows) if service.name == "s2" else {}
        for fault in false.values():
            service.blame(fault)
        self._papers.read(records=found.values())
        former = {
            identifier: self._papers.release(self._papers.current(wanted[identifier]), record)
            for identifier, record in found.items()
            if isinstance(record, S2Paper)
        }
        refused: set[Identifier] = set()
        for identifier, record in found.items():
            received_at = service.fetched_at(answer.found[identifier])
            try:
                paper_id = self._add(service, wanted[identifier], identifier, record, received_at)
            except DisputedRecord as dispute:
                service.blame(dispute)
                self.notes.note_failed(wanted[identifier], service.name, dispute)
                refused.add(identifier)
                continue
            self.notes.note_found(paper_id, service.name, received_at, asked_about=wanted[identifier])
            if self._papers.current(wanted[identifier]) != paper_id:
                # The record is of another paper, which was not merged with the one that was asked about.
                self.notes.note_absent(wanted[identifier], service.name)
        for identifier in refused & former.keys():
            self._papers.give(self._papers.current(wanted[identifier]), former[identifier])
        for identifier in answer.not_found:
            self.notes.note_absent(wanted[identifier], service.name)
        for identifier, error in {**answer.failed, **false}.items():
            self.notes.note_failed(wanted[identifier], service.name, error)

    def _add(
        self, service: Service[Any], wanted: str, identifier: Identifier, record: Record, received_at: datetime
    ) -> str:
        """Returns the paper that the record describes, after adding the record.

        A record that disagrees with the paper that has its DOI is added without the DOI if it comes in two runs.

        Raises:
            DisputedRecord: The record disagrees with a paper that has one of its identifiers.
        """
        add = partial(
            self._papers.add, fetched_at=received_at, also=[identifier], overruled=self._papers.current(wanted)
        )
        try:
            return add(record)
        except DisputedRecord as dispute:
            is_told_again = str(dispute) in self._failed_before.get(wanted, ()) or self.notes.believe_if_repeated(
                wanted, service.name, dispute
            )
            if not isinstance(record, S2Paper) or not is_told_again:
                raise
            return add(without_doi(record))

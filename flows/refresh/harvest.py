"""Asks the services for metadata and counts of the papers of a run, and checks what they send before it is used.

A record is compared with what is known of its paper. One that disagrees is a fault of the service, unless the other
service has the same record, or the service repeats it in the next run: then the list or the lake is wrong. Only
`sources.matching.judge` decides what happens to a mention whose link leads to another paper than its title names. A
record that would give a known paper a new title is checked in the same way. Where nothing is known, a record must at
least bear the identifier that was asked for, and must not have the title of another paper in the same answer.

A paper that is new in the run is known from one service only. If the other service has a different paper under the same
identifier, nobody can tell which service is wrong, and the new paper is withdrawn, unless a list that gives the
identifier supports it. The list's title is enough for that only where the titles differ; where two papers have the same
title, the list must name the authors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from flows.refresh.run_rows import RunParts
from flows.refresh.services import Record, Service
from sources.bibliography.identifiers import Identifier, Scheme
from sources.bibliography.names import compare_authors
from sources.bibliography.titles import title_key
from sources.errors import DisputedRecord, SourceError
from sources.records import SERVICE_NAMES, BatchAnswer, Mention, S2Paper, SourceName
from sources.services.agreement import (
    Description,
    bears,
    compare,
    described,
    described_by_mention,
    described_by_row,
    disputed_record,
    same_title,
    shared_doi,
)
from warehouse.loading.reply_spool import due
from warehouse.tables.declarations import HarvestRow, PaperRow

Known = Mapping[Identifier, Sequence[Description]]

_SHOWN = 90


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """A service whose records are compared with what lists say of the same papers."""

    service: Service
    second: Service  # the other service, which is asked about records that disagree
    known: Known  # identifier -> what is known of its paper
    # why mentions failed in the last run; a record disputed for the same reason is believed
    earlier_faults: Collection[str] = ()

    @property
    def name(self) -> SourceName:
        """Returns the service's name."""
        return self.service.name

    @property
    def schemes(self) -> frozenset[Scheme]:
        """Returns the schemes in which the service can be asked."""
        return self.service.schemes

    def fetch_papers(self, identifiers: Sequence[Identifier]) -> BatchAnswer[Identifier, Any]:
        """Returns the service's answer, with failures in place of records that are not believed."""
        return fetch_checked(
            self.service,
            identifiers,
            self.known,
            second=self.second,
            overrule=identifiers,
            believed=lambda item, record, error: str(error) in self.earlier_faults and bears(record, item),
        )


def fetch_checked(
    service: Service,
    identifiers: Sequence[Identifier],
    known: Known,
    *,
    second: Service,
    overrule: Collection[Identifier] = (),
    titled: Collection[Identifier] = (),
    believed: Callable[[Identifier, Record, DisputedRecord], bool] = lambda *_: False,
) -> BatchAnswer[Identifier, Any]:
    """Returns the service's answer, with failures in place of records that disagree with what is known.

    The `second` service is asked only where something disagrees; both together may contradict what is `known` of the
    identifiers to `overrule`. The record would replace the known title of the papers with the `titled` ones. `believed`
    returns whether a disputed record that the second service does not confirm is believed nevertheless.
    """
    answer = service.fetch_papers(identifiers)
    titles = {title_key(item.title): identifier for identifier, each in known.items() for item in each if item.title}
    doubtful = {
        identifier: record
        for identifier, record in answer.found.items()
        if _is_doubtful(identifier, record, known.get(identifier, ()), titles, renames=identifier in titled)
    }
    doubtful_titles = {title_key(record.title) for record in doubtful.values()}
    doubtful |= {
        identifier: record
        for identifier, record in answer.found.items()
        if title_key(record.title) in doubtful_titles  # and it is not known to be its paper's title
        and all(compare(item, described(record)) != "agree" for item in known.get(identifier, ()))
    }
    confirmed = _confirmed({item: record for item, record in doubtful.items() if item in overrule}, second)
    disputes = {
        identifier: _dispute(service.name, identifier, record, known.get(identifier, ()))
        for identifier, record in doubtful.items()
        if identifier not in confirmed
    }
    for item, record in answer.found.items():
        if item not in disputes and (shared := shared_doi(record)) is not None:
            disputes[item] = shared
    refused = {item: error for item, error in disputes.items() if not believed(item, answer.found[item], error)}
    for error in refused.values():
        service.blame(error)
    found = {item: record for item, record in answer.found.items() if item not in refused}
    return replace(answer, found=found, failed={**answer.failed, **refused})


def _is_doubtful(
    identifier: Identifier,
    record: Record,
    known: Sequence[Description],
    titles: Mapping[str, Identifier],
    *,
    renames: bool,
) -> bool:
    description = described(record)
    comparisons = {compare(item, description) for item in known}
    if "agree" in comparisons:
        return False
    is_of_another = titles.get(title_key(description.title or ""), identifier) != identifier
    if renames and any(item.title for item in known) and comparisons <= {"renamed", "unknown"}:
        return True
    return "disagree" in comparisons or is_of_another or not bears(record, identifier)


def _confirmed(doubtful: Mapping[Identifier, Record], second: Service) -> set[Identifier]:
    """Returns the identifiers under which the second service has the same paper."""
    identifiers = [identifier for identifier in doubtful if identifier.scheme in second.schemes]
    found = second.fetch_papers(identifiers).found if identifiers else {}
    return {
        identifier
        for identifier, record in found.items()
        if bears(record, identifier) and compare(described(record), described(doubtful[identifier])) == "agree"
    }


def _dispute(
    source: SourceName, identifier: Identifier, record: Record, known: Sequence[Description]
) -> DisputedRecord:
    """Returns the fault of a record; its `field` is `title` or `authors` where nothing else is disputed."""
    description = described(record)
    other = next((item for item in known if item.title), None)
    if other is None:
        instead, field = "which it does not name, nor does anything else", ""
    elif same_title(other, description) and compare(other, description) == "disagree":
        instead, field = f"by {_people(description)}, which is known to be by {_people(other)}", "authors"
    else:
        instead = f"which is known as {(other.title or '')[:_SHOWN]!r}"
        field = "title" if compare(other, description) == "renamed" else ""
    return disputed_record(source, identifier, record, instead, field=field)


def _people(description: Description) -> str:
    more = " and others" if len(description.authors) > 1 else ""
    return f"{description.authors[0][:_SHOWN]}{more}" if description.authors else "nobody named"


def refuse_arxiv_ids(
    arxiv: Service, found: dict[Identifier, Any], rows: Mapping[Identifier, PaperRow]
) -> dict[Identifier, DisputedRecord]:
    """Asks arXiv about identifiers that Semantic Scholar gives to papers without one, and returns the false ones.

    False records are taken out of `found`. An identifier that arXiv could not be asked about, or does not have, is left
    out of the record for now. `rows` are the papers that were requested by the keys of `found`.
    """
    gained = {
        own_id: Identifier("arxiv", record.arxiv_id)
        for own_id, record in found.items()
        if record.arxiv_id and rows[own_id]["arxiv_id"] is None
    }
    found_by_arxiv = arxiv.fetch_papers(list(gained.values())).found if gained else {}
    false: dict[Identifier, DisputedRecord] = {}
    for item, arxiv_id in gained.items():
        if arxiv_id not in found_by_arxiv:
            own = tuple(each for each in found[item].identifiers if each.scheme != "arxiv")
            found[item] = replace(found[item], arxiv_id=None, identifiers=own)
        elif compare(described(found_by_arxiv[arxiv_id]), described(found[item])) == "disagree":
            title, other = found.pop(item).title[:_SHOWN], found_by_arxiv[arxiv_id].title[:_SHOWN]
            text = f"{SERVICE_NAMES['s2']} called {title!r} {arxiv_id}, which is {other!r} at arXiv"
            false[item] = DisputedRecord(text, source="s2", record=str(arxiv_id))
    return false


class Harvester:
    """Brings papers up to date with what arXiv and Semantic Scholar say."""

    def __init__(self, run: RunParts) -> None:
        self._known, self._papers, self._notes, self._now = run.known, run.papers, run.notes, run.now
        self._services = run.services[:2]
        self._max_age = {"arxiv": run.settings.metadata_max_age, "s2": run.settings.max_age}
        self.withdrawn: dict[str, SourceError] = {}
        self._mentions: Mapping[str, Sequence[Mention]] = {}
        self._failed_before: Mapping[str, Collection[str]] = {}

    def harvest(
        self,
        paper_ids: Collection[str],
        mentions: Mapping[str, Sequence[Mention]],
        failed_before: Mapping[str, Collection[str]],
    ) -> None:
        """Asks each service about the papers that are due, and notes the results.

        `mentions` are those resolved to each paper; `failed_before` says why mentions of it failed in the last run.
        """
        self._mentions, self._failed_before = mentions, failed_before
        self._notes.before = {(row["paper_id"], row["source"]): row for row in self._known.harvests(paper_ids)}
        for service, second in (self._services, self._services[::-1]):
            current = {self._papers.current(item) for item in paper_ids if item not in self.withdrawn}
            for paper_id in current:  # what resolution received in this run is not requested twice
                if (received_at := self._papers.received_at(paper_id, service.name)) is not None:
                    self._notes.note_found(paper_id, service.name, received_at)
            last = {**self._notes.before, **self._notes.rows}
            askable = sorted(current & (self._known.identified_by(service.schemes) | self._papers.rows.keys()))
            written = {
                item: [i for i in self._papers.identifiers(item) if i.scheme in service.schemes]
                for item in self._due(askable, last.values(), service.name)
            }
            wanted = {own[0]: paper_id for paper_id, own in written.items() if own}
            self._enter(service, second, wanted, self._fetch_papers(service, second, wanted))
            for identifier, paper_id in wanted.items():  # new papers of which the two services say different things
                error = self._notes.disputes.get((paper_id, service.name))
                if error is None or self._is_supported(paper_id, identifier, error):
                    continue
                if self._papers.withdraw(paper_id):
                    self.withdrawn[paper_id] = error
                    self._notes.drop(paper_id)

    def _fetch_papers(
        self, service: Service, second: Service, wanted: Mapping[Identifier, str]
    ) -> BatchAnswer[Identifier, Any]:
        """Returns the service's answer, with failures in place of records that disagree with what is known.

        Both services together overrule the lake. A service that repeats a disputed record in the next run is believed
        too, if no list has the known title, or if only the title or the figures are disputed.
        """

        def is_believed(identifier: Identifier, record: Any, error: DisputedRecord) -> bool:
            paper_id = wanted[identifier]
            row = described_by_row(self._papers.rows[paper_id])
            mentions = map(described_by_mention, self._mentions.get(paper_id, ()))
            listed = any(compare(item, row) == "agree" for item in mentions)
            if identifier not in old or not bears(record, identifier):
                return False
            may_be_wrong = error.field in ("title", "figures") or not listed
            return may_be_wrong and self._notes.believe_if_repeated(paper_id, service.name, error)

        known = {item: (described_by_row(self._papers.rows[paper_id]),) for item, paper_id in wanted.items()}
        old = {item for item, paper_id in wanted.items() if paper_id not in self._papers.new}
        # The service whose title the paper has: arXiv's title replaces Semantic Scholar's.
        rows = {item: self._papers.rows[paper_id] for item, paper_id in wanted.items()}
        titled = {item for item, row in rows.items() if service.name == "arxiv" or not row["categories"]}
        return fetch_checked(
            service, list(wanted), known, second=second, overrule=old, titled=titled, believed=is_believed
        )

    def _is_supported(self, paper_id: str, identifier: Identifier, error: DisputedRecord) -> bool:
        """Returns whether a list supports the paper as it is known, in what `error` disputes.

        It must give the identifier and name disputed authors. Where only title or authors are disputed, its title is
        enough if the last run had the same dispute.
        """
        row = self._papers.rows[paper_id]
        agreeing = [
            mention
            for mention in self._mentions.get(paper_id, ())
            if compare(described_by_mention(mention), described_by_row(row)) == "agree"
        ]
        own = [item for item in agreeing if identifier in item.identifiers]
        if error.field and str(error) in self._failed_before.get(paper_id, ()):
            return bool(agreeing)
        if error.field == "authors":
            return any(compare_authors(item.authors, tuple(row["authors"])).agreement == "agree" for item in own)
        return bool(own)

    def _due(self, paper_ids: Collection[str], last: Collection[HarvestRow], source: SourceName) -> list[str]:
        """Returns the papers that are due; withdrawn ones and those whose count stays the same are due less often."""
        stale = due(paper_ids, last, source, max_age=self._max_age[source], now=self._now)
        self._papers.read(paper_ids=stale)
        if not stale:
            return stale
        withdrawn = {paper_id for paper_id in stale if self._papers.rows[paper_id]["withdrawn"]}
        quiet = withdrawn | (self._known.unmoved(stale, now=self._now) if source == "s2" else set())
        return due(stale, last, source, max_age=self._max_age[source], now=self._now, quiet=quiet)

    def _enter(
        self,
        service: Service,
        second: Service,
        wanted: Mapping[Identifier, str],
        answer: BatchAnswer[Identifier, Any],
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
                self._notes.note_failed(wanted[identifier], service.name, dispute)
                refused.add(identifier)
                continue
            self._notes.note_found(paper_id, service.name, received_at, asked_about=wanted[identifier])
            if self._papers.current(wanted[identifier]) != paper_id:
                # The record is of another paper, which was not merged with the one that was asked about.
                self._notes.note_absent(wanted[identifier], service.name)
        for identifier in refused & former.keys():
            self._papers.give(self._papers.current(wanted[identifier]), former[identifier])
        for identifier in answer.not_found:
            self._notes.note_absent(wanted[identifier], service.name)
        for identifier, error in {**answer.failed, **false}.items():
            self._notes.note_failed(wanted[identifier], service.name, error)

    def _add(self, service: Service, wanted: str, identifier: Identifier, record: Record, received_at: datetime) -> str:
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
            is_told_again = str(dispute) in self._failed_before.get(wanted, ()) or self._notes.believe_if_repeated(
                wanted, service.name, dispute
            )
            if not isinstance(record, S2Paper) or not is_told_again:
                raise
            return add(record.without_doi())

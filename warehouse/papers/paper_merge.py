"""The papers of one run: rows of the lake, records received since, and merges of rows that are the same paper.

A record belongs to the paper that owns one of its identifiers. If its identifiers lead to two papers, they are merged:
the one with the record's arXiv identifier stays, else the older one. The other keeps its row, with `merged_into`, and
what only it knew is copied. Two papers with different arXiv identifiers are never merged: a source that links them is
wrong more often than arXiv is.

An identifier alone proves nothing. A record is compared with every paper that has one of its identifiers. It changes no
paper with whose title and authors it disagrees, and merges only papers that it agrees with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sources.agreement import compare, described, described_by_row
from sources.bibliography.identifiers import Identifier, rank
from sources.bibliography.titles import title_keys
from sources.records import ArxivPaper, S2Paper
from warehouse.loading.freshness import is_newer
from warehouse.papers.paper_facts import (
    IdentifierOwners,
    blank_row,
    counts_of,
    differ_in_arxiv_id,
    disputed_owner,
    facts_of,
    gained_from,
    identifiers_of,
    identifiers_with,
    is_former,
    is_of,
    may_share,
    observation,
    owner_to_keep,
    paper_ids_for,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sources.bibliography.identifiers import Scheme
    from sources.records import PaperRecord
    from warehouse.papers.lake_papers import KnownPapers
    from warehouse.tables.rows import CitationCountRow, PaperColumns, PaperIdentifierRow, PaperRow


class RunPapers:
    """The papers of a run: those of the lake, read when needed, and new ones; `owners` has them by identifier.

    `retired` are identifiers taken from a paper and given to no other; `records` has a source's last record of a paper.

    Args:
        lake: Looks up the rows of the lake.
        now: The run's instant, for papers that are new.
    """

    def __init__(self, lake: KnownPapers, *, now: datetime) -> None:
        self._lake = lake
        self._now = now
        self.rows: dict[str, PaperRow] = {}
        self.owners = IdentifierOwners()
        self.retired = self.owners.retired
        self._looked_up: set[Identifier] = set()
        self._looked_up_ids: set[str] = set()
        self.counts: list[CitationCountRow] = []
        self.records: dict[tuple[str, str], PaperRecord] = {}
        self.new: set[str] = set()
        self.misdated: set[str] = set()
        self._changed: set[str] = set()
        self._received_at: dict[tuple[str, str], datetime] = {}

    def read(
        self,
        *,
        paper_ids: Iterable[str] = (),
        records: Iterable[PaperRecord] = (),
        identifiers: Iterable[Identifier] = (),
    ) -> None:
        """Reads from the lake, in few queries, the papers with `paper_ids`, and those behind records or identifiers."""
        wanted_ids = {*identifiers, *(item for record in records for item in identifiers_of(record))} - self._looked_up
        self._looked_up |= wanted_ids
        owners = self._lake.owners(wanted_ids) if wanted_ids else {}
        wanted = {*paper_ids, *owners.values(), *(next(paper_ids_for(item)) for item in wanted_ids)} - self.rows.keys()
        self._looked_up_ids |= wanted
        if not wanted:
            return
        fresh = {row["paper_id"]: row.copy() for row in self._lake.papers(wanted) if row["paper_id"] not in self.rows}
        self.rows |= fresh
        for row in self._lake.identifiers(fresh):
            identifier = Identifier(cast("Scheme", row["scheme"]), row["value"])
            self._looked_up.add(identifier)
            self.owners.give(identifier, row["paper_id"])

    def current(self, paper_id: str) -> str:
        """Returns the paper that `paper_id` is now, after merges."""
        while (into := self.rows[paper_id]["merged_into"]) is not None:
            paper_id = into
        return paper_id

    def add(
        self,
        record: PaperRecord,
        *,
        fetched_at: datetime,
        also: Iterable[Identifier] = (),
        overruled: str | None = None,
        by_title: bool = False,
    ) -> str:
        """Returns the paper that `record` describes, made or brought up to date.

        Args:
            record: What a source sent.
            fetched_at: When its reply came.
            also: Further identifiers of the same paper: the requested one (a merged record has another one), and those
                of other records of the same work. An arXiv identifier that differs from the record's own is not used:
                the record is of the paper that it names.
            overruled: A paper that the record may contradict, because the record was found to be right.
            by_title: Whether nothing but its title led to the record: then a paper with its identifiers, but with a
                title that has nothing in common with it, is disputed even if the people are the same.

        Raises:
            DisputedRecord: The record disagrees with a paper that has one of its identifiers; nothing is changed.
        """
        identifiers = identifiers_with(record, also)
        self.read(identifiers=identifiers)
        own = self._undisputed(record, identifiers, also, overruled=overruled, by_title=by_title)
        record = replace(record, doi=None) if Identifier("doi", record.doi or "") in identifiers - own else record
        paper_id = self._paper_for(record, own)
        if isinstance(record, S2Paper):
            self.release(paper_id, record, asked_by=also)
        self.records[paper_id, record.SOURCE] = record
        self._describe(paper_id, facts_of(record, self.rows[paper_id]), fetched_at)
        if isinstance(record, S2Paper):
            self._count(paper_id, record, fetched_at)
            (self.misdated.add if record.misdated else self.misdated.discard)(paper_id)
        if not isinstance(record, ArxivPaper) or record.abstract is not None:
            self._received_at[paper_id, record.SOURCE] = fetched_at
        return paper_id

    def release(self, paper_id: str, record: S2Paper, *, asked_by: Iterable[Identifier] = ()) -> set[Identifier]:
        """Takes from the paper, and returns, the numbers that Semantic Scholar gave it before `record`.

        To be called for all records of an answer before they are added: numbers of two papers that were exchanged by
        mistake, and are corrected now, would block each other. Where the record is refused, `give` gives them back.
        """
        row = self.rows[paper_id]
        if row["s2_paper_id"] in (None, record.s2_paper_id):
            return set()
        former = {Identifier("s2", row["s2_paper_id"]), Identifier("corpus", str(row["s2_corpus_id"]))}
        former = (former & self.owners.of(paper_id)) - {*asked_by} - {*identifiers_of(record)}
        self._take_from(paper_id, former)
        return former

    def give(self, paper_id: str, identifiers: Iterable[Identifier]) -> None:
        """Gives the paper identifiers that were read before, but for those that another paper has."""
        for identifier in identifiers:
            self.owners.give(identifier, paper_id)
        self._changed.add(paper_id)

    def update(self, paper_id: str, columns: PaperColumns) -> None:
        """Puts into the paper's row what several sources tell together."""
        self.rows[paper_id] |= columns
        self._changed.add(paper_id)

    def received_at(self, paper_id: str, source: str) -> datetime | None:
        """Returns when `source` sent its whole record of the paper in this run; None where it did not.

        A record from a dump without abstracts is not whole.
        """
        return self._received_at.get((paper_id, source))

    def identifiers(self, paper_id: str) -> list[Identifier]:
        """Returns the paper's identifiers, the most reliable schemes first."""
        return sorted(self.owners.of(paper_id), key=rank)

    def merged(self) -> dict[str, str]:
        """Returns the papers that this run merged: paper_id -> the paper it is now."""
        return {item: self.current(item) for item in self._changed if self.rows[item]["merged_into"] is not None}

    def identifier_rows(self) -> list[PaperIdentifierRow]:
        """Returns the rows of `paper_identifiers` for every paper that this run made or changed."""
        return self.owners.rows(self._changed)

    def paper_rows(self) -> list[PaperRow]:
        """Returns the rows of `papers` that this run made or changed."""
        return [self.rows[paper_id] for paper_id in sorted(self._changed)]

    def _undisputed(
        self,
        record: PaperRecord,
        identifiers: set[Identifier],
        asked_by: Iterable[Identifier],
        *,
        overruled: str | None,
        by_title: bool,
    ) -> set[Identifier]:
        """Returns those of `identifiers` that may be the record's, without those that another paper has rightly.

        Raises:
            DisputedRecord: One of them belongs to another paper, so that one of both is wrong; nothing is changed.
        """
        disputed = ("disagree", "renamed") if by_title else ("disagree",)
        description = described(record)
        owned: dict[str, set[Identifier]] = {}
        given_up = {} if by_title else self._misplaced_doi(record, asked_by)
        for identifier in identifiers.difference(*given_up.values()):
            if (owner := self.owners.owner(identifier)) is not None:
                owned.setdefault(self.current(owner), set()).add(identifier)
        for other in owned.keys() - {overruled}:
            if compare(described_by_row(self.rows[other]), description) not in disputed:
                continue
            if is_former(self.rows[other], owned[other]):
                given_up.setdefault(other, set()).update(owned[other])
            elif identifiers <= owned[other] or not may_share(self.rows[other], record, owned[other]):
                raise disputed_owner(record, owned[other], self.rows[other])
            else:
                identifiers = identifiers - owned[other]
        for other, former in given_up.items():
            self._take_from(other, former)
        return identifiers

    def _misplaced_doi(self, record: PaperRecord, asked_by: Iterable[Identifier]) -> dict[str, set[Identifier]]:
        """Returns the DOI that the record was requested by, under the paper of another title that has it from arXiv."""
        owner = self.owners.owner(doi := Identifier("doi", record.doi or ""))
        if not isinstance(record, S2Paper) or owner is None or doi not in asked_by:
            return {}
        row = self.rows[self.current(owner)]
        is_others = row["s2_paper_id"] is None and compare(described_by_row(row), described(record)) == "disagree"
        return {row["paper_id"]: {doi}} if is_others else {}

    def _paper_for(self, record: PaperRecord, identifiers: set[Identifier]) -> str:
        known = {owner for item in identifiers if (owner := self.owners.owner(item)) is not None}
        owners = sorted({*map(self.current, known)}, key=lambda own: (self.rows[own]["first_seen_at"], own))
        arxiv_id = next((item.value for item in identifiers if item.scheme == "arxiv"), None)
        paper_id = owner_to_keep([self.rows[own] for own in owners], arxiv_id) or self._create(identifiers)
        row = self.rows[paper_id]
        row["arxiv_id"] = row["arxiv_id"] or arxiv_id
        for other in owners:
            if other != paper_id and not differ_in_arxiv_id(row, self.rows[other]) and is_of(record, self.rows[other]):
                self._merge(other, into=paper_id)
        for identifier in identifiers:
            self.owners.give(identifier, paper_id)
        self._changed.add(paper_id)
        return paper_id

    def _take_from(self, paper_id: str, identifiers: set[Identifier]) -> None:
        row = self.rows[paper_id]
        row["doi"] = None if Identifier("doi", row["doi"] or "") in identifiers else row["doi"]
        self.owners.retire(paper_id, identifiers)
        self._changed.add(paper_id)

    def withdraw(self, paper_id: str) -> bool:
        """Takes back a paper that is new in this run, and returns whether it did; not after a merge."""
        if paper_id not in self.new or any(row["merged_into"] == paper_id for row in self.rows.values()):
            return False
        self.owners.forget(paper_id)
        self.counts = [row for row in self.counts if row["paper_id"] != paper_id]
        self.new.discard(paper_id)
        self._changed.discard(paper_id)
        self._received_at = {key: at for key, at in self._received_at.items() if key[0] != paper_id}
        self.records = {key: record for key, record in self.records.items() if key[0] != paper_id}
        del self.rows[paper_id]
        return True

    def _merge(self, loser: str, *, into: str) -> None:
        self.rows[into] |= gained_from(self.rows[loser], self.rows[into])
        self.rows[loser]["merged_into"] = into
        self._changed.add(loser)
        self.owners.move(loser, into=into)

    def _create(self, identifiers: set[Identifier]) -> str:
        first = min(identifiers, key=rank)
        paper_id = next(name for name in paper_ids_for(first) if not self._is_given(name))
        self.rows[paper_id] = blank_row(paper_id, self._now)
        self.new.add(paper_id)
        return paper_id

    def _is_given(self, paper_id: str) -> bool:
        """Returns whether a paper of this run or of the lake has this `paper_id`."""
        if paper_id not in self._looked_up_ids:
            self.read(paper_ids=[paper_id])
        return paper_id in self.rows

    def _describe(self, paper_id: str, facts: PaperColumns, fetched_at: datetime) -> None:
        row = self.rows[paper_id]
        row |= facts
        row["title_keys"] = list(title_keys(row["title"]))
        if is_newer(fetched_at, row["refreshed_at"], now=self._now):
            row["refreshed_at"] = fetched_at

    def _count(self, paper_id: str, record: S2Paper, fetched_at: datetime) -> None:
        row = self.rows[paper_id]
        if record.citation_count is None or not is_newer(fetched_at, row["counted_at"], now=self._now):
            return
        observed = observation(paper_id, record, fetched_at)
        row |= counts_of(observed) | {"counted_at": fetched_at}
        self.counts.append(observed)

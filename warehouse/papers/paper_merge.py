"""The papers of one run: what the lake knew, what the sources told since, and which records are the same paper.

A record belongs to the paper that owns one of its identifiers. Where a record ties two papers together, they are
merged: the one with the record's arXiv identifier stays, else the older one; the other keeps its row with
`merged_into`, and what only it knew is taken over. Two papers with different arXiv identifiers
are never merged: a source that says so is mistaken more often than arXiv is.

An identifier alone proves nothing. A record is held against what is known of every paper whose identifiers it bears: it
changes none with whose title and people it disagrees, and merges only what it agrees with.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from sources.agreement import compare, described, described_by_row
from sources.bibliography.identifiers import Identifier, rank
from sources.bibliography.titles import title_keys
from sources.errors import DisputedRecord
from sources.records import ArxivPaper, S2Paper
from warehouse.loading.harvest_plan import is_ahead
from warehouse.papers.paper_facts import from_arxiv, from_s2, taken_over
from warehouse.tables.declarations import PAPERS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sources.bibliography.identifiers import Scheme
    from warehouse.tables.rows import CitationCountRow, PaperColumns, PaperIdentifierRow, PaperRow


class LakePapers(Protocol):
    """What the book asks of the lake."""

    def owners(self, identifiers: Iterable[Identifier]) -> Mapping[Identifier, str]:
        """Returns identifier -> paper_id, for those that the lake knows."""

    def papers(self, paper_ids: Iterable[str]) -> Iterable[PaperRow]:
        """Returns the rows of `paper_ids` and of the papers that they were merged into."""

    def identifiers(self, paper_ids: Iterable[str]) -> Iterable[PaperIdentifierRow]:
        """Returns the rows of `paper_identifiers` of `paper_ids`."""


_NUMBERED = frozenset({"s2", "corpus"})


class PaperBook:
    """Papers by identifier: those of the lake, read as they are needed, and those that arrive.

    Args:
        lake: Where the lake's own rows are looked up.
        now: The run's instant, for papers that are new.
    """

    def __init__(self, lake: LakePapers, *, now: datetime) -> None:
        self._lake = lake
        self._now = now
        self.papers: dict[str, PaperRow] = {}
        self._owner: dict[Identifier, str] = {}
        self._owned: defaultdict[str, set[Identifier]] = defaultdict(set)
        self._looked_up: set[Identifier] = set()
        self.counts: list[CitationCountRow] = []
        self.new: set[str] = set()
        self._touched: set[str] = set()
        self._received_at: dict[tuple[str, str], datetime] = {}
        self.retired: set[Identifier] = set()

    def read(
        self,
        *,
        paper_ids: Iterable[str] = (),
        records: Iterable[ArxivPaper | S2Paper] = (),
        identifiers: Iterable[Identifier] = (),
    ) -> None:
        """Reads from the lake, in few queries, the papers with `paper_ids`, and those behind records or identifiers."""
        wanted_ids = {*identifiers, *(item for record in records for item in identifiers_of(record))} - self._looked_up
        self._looked_up |= wanted_ids
        owners = self._lake.owners(wanted_ids) if wanted_ids else {}
        wanted = {*paper_ids, *owners.values()} - self.papers.keys()
        if not wanted:
            return
        fresh = {row["paper_id"]: row.copy() for row in self._lake.papers(wanted) if row["paper_id"] not in self.papers}
        self.papers |= fresh
        for row in self._lake.identifiers(fresh):
            identifier = Identifier(cast("Scheme", row["scheme"]), row["value"])
            self._looked_up.add(identifier)
            self._own(identifier, row["paper_id"])

    def current(self, paper_id: str) -> str:
        """Returns the paper that `paper_id` is now, after merges."""
        while (into := self.papers[paper_id]["merged_into"]) is not None:
            paper_id = into
        return paper_id

    def add(
        self,
        record: ArxivPaper | S2Paper,
        *,
        fetched_at: datetime,
        also: Iterable[Identifier] = (),
        overruled: str | None = None,
        by_title: bool = False,
    ) -> str:
        """Returns the paper that `record` describes, made or brought up to date.

        Args:
            record: What a source told.
            fetched_at: When its reply came.
            also: Further identifiers of the same paper: the one it was asked by (a merged record answers under another
                one), and those of other records known to be the same work. An arXiv identifier at odds with the
                record's own is not taken: the record is of the paper that it names.
            overruled: A paper of which the record was found to tell the truth, whatever is known of it.
            by_title: Whether nothing but its title led to the record: then a paper with its identifiers, but with a
                title that has nothing in common with it, is disputed even if the people are the same.

        Raises:
            DisputedRecord: The record disagrees with a paper that has one of its identifiers; nothing is changed.
        """
        identifiers = _one_arxiv_id((*identifiers_of(record), *_known(*also)))
        self.read(identifiers=identifiers)
        disputed = ("disagree", "renamed") if by_title else ("disagree",)
        if isinstance(record, S2Paper) and not by_title:
            self._take_doi(record, also)
        own = self._undisputed(record, identifiers, overruled, disputed)
        if record.doi is not None and Identifier("doi", record.doi) in identifiers - own:
            record = replace(record, doi=None)
        paper_id = self._paper_for(record, own)
        if isinstance(record, ArxivPaper):
            self._describe(paper_id, from_arxiv(record, self.papers[paper_id]), fetched_at)
            if record.abstract is not None:
                self._received_at[paper_id, "arxiv"] = fetched_at
        else:
            self._received_at[paper_id, "s2"] = fetched_at
            self.release(paper_id, record, asked_by=also)
            self._describe(paper_id, from_s2(record, self.papers[paper_id]), fetched_at)
            self._count(paper_id, record, fetched_at)
        return paper_id

    def release(self, paper_id: str, record: S2Paper, *, asked_by: Iterable[Identifier] = ()) -> None:
        """Takes back the numbers that Semantic Scholar gave the paper before `record`, unless it answers to them still.

        To be called for all records of an answer before they are added: numbers that were mixed up before, and are put
        right now, would be in each other's way.
        """
        row = self.papers[paper_id]
        if row["s2_paper_id"] in (None, record.s2_paper_id):
            return
        former = {Identifier("s2", row["s2_paper_id"]), Identifier("corpus", str(row["s2_corpus_id"]))}
        self._give_up(paper_id, (former & self._owned[paper_id]) - {*asked_by} - {*identifiers_of(record)})

    def told_at(self, paper_id: str, source: str) -> datetime | None:
        """Returns when `source` told all it has of the paper in this run; None where it did not.

        A mirror made from a dump without abstracts does not tell all.
        """
        return self._received_at.get((paper_id, source))

    def identifiers(self, paper_id: str) -> list[Identifier]:
        """Returns the paper's identifiers, the most telling schemes first."""
        return sorted(self._owned[paper_id], key=rank)

    def merged(self) -> dict[str, str]:
        """Returns the papers that this run merged: paper_id -> the paper it is now."""
        return {item: self.current(item) for item in self._touched if self.papers[item]["merged_into"] is not None}

    def identifier_rows(self) -> list[PaperIdentifierRow]:
        """Returns the rows of `paper_identifiers` for every paper that this run touched."""
        return [
            {"paper_id": paper_id, "scheme": identifier.scheme, "value": identifier.value}
            for paper_id in sorted(self._touched)
            for identifier in self.identifiers(paper_id)
        ]

    def paper_rows(self) -> list[PaperRow]:
        """Returns the rows of `papers` that this run made or changed."""
        return [self.papers[paper_id] for paper_id in sorted(self._touched)]

    def _undisputed(
        self,
        record: ArxivPaper | S2Paper,
        identifiers: set[Identifier],
        overruled: str | None,
        disputed: Collection[str],
    ) -> set[Identifier]:
        """Returns those of `identifiers` that may lead to a paper: without those that another one has rightly.

        Raises:
            DisputedRecord: One of them belongs to a paper that is not the record's, and one of both must be mistaken.
        """
        description = described(record)
        owned: dict[str, set[Identifier]] = {}
        for identifier in identifiers & self._owner.keys():
            owned.setdefault(self.current(self._owner[identifier]), set()).add(identifier)
        others = {
            each
            for each in owned.keys() - {overruled}
            if compare(described_by_row(self.papers[each]), description) in disputed
        }
        for other in others:
            if self._is_former(other, owned[other]):
                self._give_up(other, owned[other])
            elif identifiers <= owned[other] or not self._is_lent(other, record, owned[other]):
                title = self.papers[other]["title"]
                text = f"{min(owned[other], key=rank)} was told of {record.title[:90]!r}, and is that of {title[:90]!r}"
                raise DisputedRecord(text, source=_source(record), record=str(min(owned[other], key=rank)))
            else:
                identifiers = identifiers - owned[other]
        return identifiers

    def _take_doi(self, record: S2Paper, asked_by: Iterable[Identifier]) -> None:
        """Takes the DOI that Semantic Scholar answered to from a paper of another title that only arXiv gave it to.

        Authors give arXiv another paper's DOI at times.
        """
        doi = Identifier("doi", record.doi or "")
        owner = self._owner.get(doi)
        if owner is None or doi not in asked_by:
            return
        row = self.papers[self.current(owner)]
        if row["s2_paper_id"] is None and compare(described_by_row(row), described(record)) == "disagree":
            self._give_up(row["paper_id"], {doi})
            row["doi"] = None if row["doi"] == record.doi else row["doi"]

    def _is_former(self, paper_id: str, identifiers: set[Identifier]) -> bool:
        """Returns whether these are numbers of Semantic Scholar's that the paper does not bear there any more."""
        row = self.papers[paper_id]
        present = {Identifier("s2", row["s2_paper_id"] or ""), Identifier("corpus", str(row["s2_corpus_id"]))}
        return all(identifier.scheme in _NUMBERED and identifier not in present for identifier in identifiers)

    def _is_lent(self, paper_id: str, record: ArxivPaper | S2Paper, identifiers: set[Identifier]) -> bool:
        """Returns whether two papers may both be said to have these: authors give arXiv another paper's DOI at times.

        Semantic Scholar gives none twice.
        """
        twice = isinstance(record, S2Paper) and self.papers[paper_id]["s2_paper_id"] is not None
        return not twice and all(identifier.scheme == "doi" for identifier in identifiers)

    def _paper_for(self, record: ArxivPaper | S2Paper, identifiers: set[Identifier]) -> str:
        owners = sorted({self.current(self._owner[item]) for item in identifiers if item in self._owner}, key=self._age)
        arxiv_id = next((item.value for item in identifiers if item.scheme == "arxiv"), None)
        paper_id = self._choose(owners, arxiv_id) or self._create(identifiers)
        self.papers[paper_id]["arxiv_id"] = self.papers[paper_id]["arxiv_id"] or arxiv_id
        for other in owners:
            if other != paper_id and not self._at_odds(paper_id, other) and self._is_of(record, other):
                self._merge(other, into=paper_id)
        for identifier in identifiers:
            self._own(identifier, paper_id)
        self._touched.add(paper_id)
        return paper_id

    def _is_of(self, record: ArxivPaper | S2Paper, paper_id: str) -> bool:
        """Returns whether what is known of the paper is what the record tells; a paper without a title is any."""
        row = self.papers[paper_id]
        return not row["title"] or compare(described_by_row(row), described(record)) in ("agree", "renamed")

    def _give_up(self, paper_id: str, identifiers: set[Identifier]) -> None:
        for identifier in identifiers:
            if self._owner.get(identifier) == paper_id:
                del self._owner[identifier]
                self.retired.add(identifier)
        self._owned[paper_id] -= identifiers
        self._touched.add(paper_id)

    def withdraw(self, paper_id: str) -> bool:
        """Takes back a paper that is new in this run, and returns whether it did: not where older ones are in it."""
        if paper_id not in self.new or any(row["merged_into"] == paper_id for row in self.papers.values()):
            return False
        for item in self._owned.pop(paper_id, set()):
            del self._owner[item]
        self.counts = [row for row in self.counts if row["paper_id"] != paper_id]
        self.new.discard(paper_id)
        self._touched.discard(paper_id)
        self._received_at = {key: at for key, at in self._received_at.items() if key[0] != paper_id}
        del self.papers[paper_id]
        return True

    def _own(self, identifier: Identifier, paper_id: str) -> None:
        """Gives `identifier` to the paper, unless another has it already."""
        if self._owner.setdefault(identifier, paper_id) == paper_id:
            self._owned[paper_id].add(identifier)
            self.retired.discard(identifier)

    def _merge(self, loser: str, *, into: str) -> None:
        self.papers[into] |= taken_over(self.papers[loser], self.papers[into])
        self.papers[loser]["merged_into"] = into
        self._touched.add(loser)
        for identifier in self._owned.pop(loser, set()):
            self._owner[identifier] = into
            self._owned[into].add(identifier)

    def _choose(self, owners: list[str], arxiv_id: str | None) -> str | None:
        """Returns the owner by arXiv identifier where there is one, else the oldest that does not contradict it."""
        if arxiv_id is None:
            return owners[0] if owners else None
        same = [owner for owner in owners if self.papers[owner]["arxiv_id"] == arxiv_id]
        unsaid = [owner for owner in owners if self.papers[owner]["arxiv_id"] is None]
        return next(iter([*same, *unsaid]), None)

    def _at_odds(self, a: str, b: str) -> bool:
        first, second = self.papers[a]["arxiv_id"], self.papers[b]["arxiv_id"]
        return first is not None and second is not None and first != second

    def _age(self, paper_id: str) -> tuple[datetime, str]:
        return self.papers[paper_id]["first_seen_at"], paper_id

    def _create(self, identifiers: set[Identifier]) -> str:
        first = min(identifiers, key=rank)
        paper_id = "p" + hashlib.sha256(str(first).encode()).hexdigest()[:16]
        self.papers[paper_id] = _blank(paper_id, self._now)
        self.new.add(paper_id)
        return paper_id

    def _describe(self, paper_id: str, facts: PaperColumns, fetched_at: datetime) -> None:
        row = self.papers[paper_id]
        row |= facts
        row["title_keys"] = list(title_keys(row["title"]))
        row["refreshed_at"] = fetched_at if self._is_newer(fetched_at, row["refreshed_at"]) else row["refreshed_at"]

    def _count(self, paper_id: str, record: S2Paper, fetched_at: datetime) -> None:
        row = self.papers[paper_id]
        if record.citation_count is None or not self._is_newer(fetched_at, row["counted_at"]):
            return
        row |= {
            "citation_count": record.citation_count,
            "influential_citation_count": record.influential_citation_count,
            "reference_count": record.reference_count,
            "counted_at": fetched_at,
        }
        self.counts.append(
            {
                "paper_id": paper_id,
                "source": "s2",
                "observed_at": fetched_at,
                "citation_count": record.citation_count,
                "influential_citation_count": record.influential_citation_count,
                "reference_count": record.reference_count,
                "reply_sha256": None,
            }
        )

    def _is_newer(self, fetched_at: datetime, stored_at: datetime | None) -> bool:
        """Returns whether a reply is newer than what is held; a date that a clock far ahead gave holds up nothing."""
        return stored_at is None or fetched_at > stored_at or is_ahead(stored_at, max(self._now, fetched_at))


def _source(record: ArxivPaper | S2Paper) -> str:
    return "arxiv" if isinstance(record, ArxivPaper) else "s2"


def identifiers_of(record: ArxivPaper | S2Paper) -> tuple[Identifier, ...]:
    """Returns every identifier that `record` carries; arXiv's own DOIs are not publishers' and stay out."""
    if isinstance(record, ArxivPaper):
        return _known(Identifier("arxiv", record.arxiv_id), record.doi and Identifier("doi", record.doi))
    return _known(
        Identifier("s2", record.s2_paper_id),
        record.corpus_id is not None and Identifier("corpus", str(record.corpus_id)),
        record.arxiv_id and Identifier("arxiv", record.arxiv_id),
        record.doi and Identifier("doi", record.doi),
        *record.identifiers,
    )


def _known(*identifiers: Identifier | str | bool | None) -> tuple[Identifier, ...]:
    sound = [identifier for identifier in identifiers if isinstance(identifier, Identifier)]
    return tuple(dict.fromkeys(item for item in sound if not item.value.startswith("10.48550/")))


def _one_arxiv_id(identifiers: Sequence[Identifier]) -> set[Identifier]:
    """Returns `identifiers` without any arXiv identifier after the first."""
    first = next((identifier for identifier in identifiers if identifier.scheme == "arxiv"), None)
    return {item for item in identifiers if item.scheme != "arxiv" or item == first}


def _blank(paper_id: str, now: datetime) -> PaperRow:
    """Returns the row of a paper of which nothing is known yet, to be described at once."""
    row = cast("PaperRow", dict.fromkeys(PAPERS.names))
    row |= {"paper_id": paper_id, "title": "", "title_keys": [], "authors": [], "first_seen_at": now}
    return row | {"categories": [], "fields_of_study": []}

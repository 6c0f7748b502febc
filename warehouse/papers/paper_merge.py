"""The papers of one run: rows of the lake, new records, and merges of rows that are the same paper.

A record belongs to the paper that owns one of its identifiers. If its identifiers lead to two papers, they are merged:
the one with the record's arXiv identifier stays, else the older one. The other keeps its row, with `merged_into`, and
what only it knew is copied. Two papers with different arXiv identifiers are never merged: a source that links them is
wrong more often than arXiv is.

A DOI that arXiv alone gives is none of the paper's identifiers, as authors type it: it leads to no paper, and only
merges two that agree in title and people.

An identifier alone proves nothing. A record is compared with every paper that has one of its identifiers. It changes no
paper with whose title and authors it disagrees, and merges only papers that it agrees with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from sources.bibliography.identifiers import Identifier, Scheme, rank
from sources.bibliography.titles import title_keys
from sources.errors import DisputedRecord
from sources.matching.candidates import Candidate
from sources.records import ArxivPaper, PaperRecord, S2Paper
from warehouse.loading.reply_spool import is_newer
from warehouse.papers.lake_papers import KnownPapers, candidate_of_row
from warehouse.papers.paper_facts import (
    IdentifierOwners,
    as_told,
    claimed_doi,
    count_row,
    counts_of,
    facts_of,
    gained_from,
    identifiers_of,
    identifiers_with,
    is_disputed,
    is_former,
    is_of,
    may_share,
    of_two,
    owner_to_keep,
    paper_ids_for,
    proven_dois,
)
from warehouse.tables.declarations import (
    PAPERS,
    CitationCountRow,
    MentionRow,
    PaperColumns,
    PaperIdentifierRow,
    PaperRow,
)


class RunPapers:
    """The papers of a run: those of the lake, read when needed, and new ones; `owners` has them by identifier.

    `retired` are identifiers taken from a paper and given to no other; `records` has a source's last record of a paper;
    `parted` names the identifiers that a record came with, or a paper had, and that are another paper's.
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
        self.parted: list[str] = []
        self._changed: set[str] = set()
        self._claims: defaultdict[str, set[str]] = defaultdict(set)
        self._received_at: dict[tuple[str, str], datetime] = {}

    def read(
        self,
        *,
        paper_ids: Iterable[str] = (),
        records: Iterable[PaperRecord] = (),
        identifiers: Iterable[Identifier] = (),
    ) -> None:
        """Reads from the lake, in few queries, the papers with `paper_ids`, and those behind records or identifiers."""
        named = {item for record in records for item in (*identifiers_of(record), *claimed_doi(record))}
        wanted_ids = {*identifiers, *named} - self._looked_up
        self._looked_up |= wanted_ids
        owners = {*self._lake.owners(wanted_ids).values()} if wanted_ids else set()
        owners |= self._lake.claimants(wanted_ids)
        wanted = {*paper_ids, *owners, *(next(paper_ids_for(item)) for item in wanted_ids)} - self.rows.keys()
        self._looked_up_ids |= wanted
        if not wanted:
            return
        fresh = {row["paper_id"]: row.copy() for row in self._lake.papers(wanted) if row["paper_id"] not in self.rows}
        self.rows |= fresh
        for paper_id in fresh:
            self._note_claim(paper_id)
        for row in self._lake.identifiers(fresh):
            identifier = Identifier(cast("Scheme", row["scheme"]), row["value"])
            if identifier.scheme != "doi":  # others may claim it
                self._looked_up.add(identifier)
            self.owners.give(identifier, row["paper_id"])
        self.read(identifiers=[Identifier("doi", doi) for row in fresh.values() if (doi := row.get("arxiv_doi"))])

    def current(self, paper_id: str) -> str:
        """Returns the paper that `paper_id` is now, after merges; one that the run did not read has had none."""
        while (row := self.rows.get(paper_id)) is not None and row["merged_into"] is not None:
            paper_id = row["merged_into"]
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
        self.read(records=[record], identifiers=identifiers)
        own = self._undisputed(record, identifiers, overruled=overruled, by_title=by_title)
        record = replace(record, doi=None) if Identifier("doi", record.doi or "") in identifiers - own else record
        unowned = {item for item in own if self.owners.owner(item) is None}
        paper_id = self._paper_for(record, own)
        if isinstance(record, S2Paper):
            self.release(paper_id, record)
        row = self.rows[paper_id]
        before = row.copy()
        row |= facts_of(record, before)
        self._note_claim(paper_id)
        self._tell(paper_id, before)
        row["title_keys"] = list(title_keys(row["title"]))
        if is_newer(fetched_at, row["refreshed_at"], now=self._now):
            row["refreshed_at"] = fetched_at
        former = {Identifier("doi", doi) for doi in proven_dois(before) - proven_dois(row) if doi} - {*own}
        self.read(identifiers=former)
        self.owners.retire(paper_id, former)
        claims = {before.get("arxiv_doi"), row.get("arxiv_doi")}
        claims = set() if len(claims) == 1 else claims
        self._tell_claimants({*former, *unowned, *(Identifier("doi", doi) for doi in claims if doi)})
        is_parted = any(self._others_with(item, paper_id) for item in claimed_doi(record))
        self.records[paper_id, record.SOURCE] = replace(record, doi=None) if is_parted else record
        if isinstance(record, S2Paper):
            self._count(paper_id, record, fetched_at)
        if not isinstance(record, ArxivPaper) or record.abstract is not None:
            self._received_at[paper_id, record.SOURCE] = fetched_at
        return paper_id

    def release(self, paper_id: str, record: S2Paper) -> set[Identifier]:
        """Takes from the paper, and returns, the numbers that Semantic Scholar gave it before `record`.

        To be called for all records of an answer before they are added: numbers of two papers that were exchanged by
        mistake, and are corrected now, would block each other. Where the record is refused, `give` gives them back.
        """
        row = self.rows[paper_id]
        if row["s2_paper_id"] in (None, record.s2_paper_id):
            return set()
        former = {Identifier("s2", row["s2_paper_id"]), Identifier("corpus", str(row["s2_corpus_id"]))}
        former = (former & self.owners.of(paper_id)) - {*identifiers_of(record)}
        self._take_from(paper_id, former)
        return former

    def give(self, paper_id: str, identifiers: Iterable[Identifier]) -> None:
        """Gives the paper identifiers that were read before, but for those that another paper has."""
        for identifier in identifiers:
            self.owners.give(identifier, paper_id)
        self._changed.add(paper_id)

    def update(self, paper_id: str, columns: PaperColumns) -> None:
        """Updates columns of the paper's row that several sources together decide."""
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

    def claimed(self, paper_ids: Iterable[str]) -> dict[Identifier, str]:
        """Returns DOI -> paper, for the DOIs that arXiv alone gives these papers: they may be those of others."""
        claims = {Identifier("doi", doi): item for item in paper_ids if (doi := self.rows[item].get("arxiv_doi"))}
        return {doi: item for doi, item in claims.items() if self.owners.owner(doi) is None}

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
        *,
        overruled: str | None,
        by_title: bool,
    ) -> set[Identifier]:
        """Returns those of `identifiers` that may be the record's, without those that another paper has rightly."""
        owned: dict[str, set[Identifier]] = {}
        given_up: dict[str, set[Identifier]] = {}
        for identifier in identifiers:
            if (owner := self.owners.owner(identifier)) is not None:
                owned.setdefault(self.current(owner), set()).add(identifier)
        for other in owned.keys() - {overruled}:
            if not is_disputed(record, self.rows[other], owned[other], by_title=by_title):
                continue
            if is_former(self.rows[other], owned[other]):
                given_up.setdefault(other, set()).update(owned[other])
            elif identifiers <= owned[other] or not may_share(
                self.rows[other], record, owned[other], is_new=other in self.new
            ):
                text = of_two(owned[other], record.title, self.rows[other]["title"])
                raise DisputedRecord(text, source=record.SOURCE, record=str(min(owned[other], key=rank)))
            else:
                identifiers = identifiers - owned[other]
                self._note_parted(owned[other], record.title, self.rows[other]["title"])
        for other, former in given_up.items():
            self._take_from(other, former)
        return identifiers

    def _note_parted(self, identifiers: set[Identifier], title: str, other_title: str) -> None:
        sentence = of_two(identifiers, title, other_title)
        if sentence not in self.parted:
            self.parted.append(sentence)

    def _note_claim(self, paper_id: str) -> None:
        if doi := self.rows[paper_id].get("arxiv_doi"):
            self._claims[doi].add(paper_id)

    def _claimants(self, identifiers: Iterable[Identifier]) -> set[str]:
        """Returns the papers to which arXiv gives one of the DOIs among `identifiers`."""
        dois = {item.value for item in identifiers if item.scheme == "doi"}
        papers = {self.current(item) for doi in dois for item in self._claims.get(doi, ()) if item in self.rows}
        return {item for item in papers if self.rows[item].get("arxiv_doi") in dois}

    def _others_with(self, doi: Identifier, paper_id: str) -> set[str]:
        """Returns the other paper that has the DOI; where none has it, those to which arXiv gives it, too."""
        owner = self.owners.owner(doi)
        return ({self.current(owner)} if owner else self._claimants([doi])) - {paper_id}

    def _paper_for(self, record: PaperRecord, identifiers: set[Identifier]) -> str:
        known = {owner for item in identifiers if (owner := self.owners.owner(item)) is not None}
        linked = {owner for item in claimed_doi(record) if (owner := self.owners.owner(item)) is not None}
        linked |= self._claimants(identifiers)
        known |= {item for item in linked if is_of(record, self.rows[self.current(item)], claimed_doi(record))}
        owners = sorted({*map(self.current, known)}, key=lambda own: (self.rows[own]["first_seen_at"], own))
        arxiv_id = next((item.value for item in identifiers if item.scheme == "arxiv"), None)
        paper_id = owner_to_keep([self.rows[own] for own in owners], arxiv_id) or self._create(identifiers)
        row = self.rows[paper_id]
        row["arxiv_id"] = row["arxiv_id"] or arxiv_id
        for other in owners:
            shared = identifiers & self.owners.of(other)
            has_another_arxiv_id = len({row["arxiv_id"], self.rows[other]["arxiv_id"]} - {None}) > 1
            if other != paper_id and not has_another_arxiv_id and is_of(record, self.rows[other], shared):
                self._merge(other, into=paper_id)
        self.give(paper_id, identifiers)
        return paper_id

    def _take_from(self, paper_id: str, identifiers: set[Identifier]) -> None:
        self.owners.retire(paper_id, identifiers)
        self._changed.add(paper_id)

    def withdraw(self, paper_id: str) -> bool:
        """Takes back a paper that is new in this run, and returns whether it did; not after a merge."""
        if paper_id not in self.new or any(row["merged_into"] == paper_id for row in self.rows.values()):
            return False
        given_up = self.owners.of(paper_id)
        self.owners.retire(paper_id, given_up)
        self.counts = [row for row in self.counts if row["paper_id"] != paper_id]
        self.new.discard(paper_id)
        self._changed.discard(paper_id)
        self._received_at = {key: at for key, at in self._received_at.items() if key[0] != paper_id}
        self.records = {key: record for key, record in self.records.items() if key[0] != paper_id}
        del self.rows[paper_id]
        self._tell_claimants(given_up)
        return True

    def _merge(self, loser: str, *, into: str) -> None:
        row, other = self.rows[into], self.rows[loser]
        if row["citation_key"] is None or (other["citation_key"] and other["first_seen_at"] < row["first_seen_at"]):
            row["citation_key"], other["citation_key"] = other["citation_key"], row["citation_key"]
        row |= gained_from(other, row)
        self.rows[loser]["merged_into"] = into
        self._changed.add(loser)
        self.owners.move(loser, into=into)
        self._note_claim(into)
        self._tell(into, row)

    def _create(self, identifiers: set[Identifier]) -> str:
        first = min(identifiers, key=rank)
        for paper_id in paper_ids_for(first):
            if paper_id not in self._looked_up_ids:
                self.read(paper_ids=[paper_id])
            if paper_id not in self.rows:
                break
        row = cast("PaperRow", dict.fromkeys(PAPERS.names))
        row |= {"paper_id": paper_id, "title": "", "title_keys": [], "authors": [], "first_seen_at": self._now}
        self.rows[paper_id] = row | {"categories": [], "fields_of_study": []}
        self.new.add(paper_id)
        return paper_id

    def _tell(self, paper_id: str, before: PaperRow) -> None:
        """Updates DOI and venue of the row from what the sources give now."""
        row = self.rows[paper_id]
        row |= as_told(before, row, lambda doi: bool(self._others_with(Identifier("doi", doi), paper_id)))

    def _tell_claimants(self, identifiers: Collection[Identifier]) -> None:
        """Updates the papers to which arXiv gives a DOI that a paper was given, or gave up."""
        for claimant in sorted(self._claimants(identifiers)):
            row = self.rows[claimant]
            doi, before = Identifier("doi", row["arxiv_doi"] or ""), row["doi"]
            self._tell(claimant, row)
            if row["doi"] != before:
                self._changed.add(claimant)
            for other in sorted(self._others_with(doi, claimant)):
                self._note_parted({doi}, row["title"], self.rows[other]["title"])

    def _count(self, paper_id: str, record: S2Paper, fetched_at: datetime) -> None:
        row = self.rows[paper_id]
        if record.citation_count is None or not is_newer(fetched_at, row["counted_at"], now=self._now):
            return
        observed = count_row(paper_id, record, fetched_at, None)
        row |= counts_of(observed) | {"counted_at": fetched_at}
        self.counts.append(observed)


class KnownByNow:
    """The papers that the lake knows as the run at hand leaves them, so that this run decides what the next one would.

    `named` is paper_id -> each paper that the run's mentions name; what a person decided makes no paper known by its
    title.
    """

    def __init__(self, lake: KnownPapers, papers: RunPapers, mentions: Iterable[MentionRow]) -> None:
        self._lake = lake
        self._papers = papers
        named = {row["paper_id"] for row in mentions if row["paper_id"] and row["method"] != "review"}
        current = sorted({papers.current(paper_id) for paper_id in named if paper_id in papers.rows})
        self.named = {paper_id: candidate_of_row(papers.rows[paper_id]) for paper_id in current}

    def by_identifiers(self, identifiers: Collection[Identifier]) -> Mapping[Identifier, Candidate]:
        """Returns the known paper behind each of `identifiers` that is known."""
        stored = self._lake.by_identifiers(identifiers)
        found = {item: paper for item, paper in stored.items() if paper.paper_id not in self._papers.rows}
        for item in identifiers:
            if (owner := self._papers.owners.owner(item)) is not None:
                found[item] = candidate_of_row(self._papers.rows[self._papers.current(owner)])
        return found

    def by_title_keys(self, keys: Collection[str]) -> Mapping[str, Sequence[Candidate]]:
        """Returns the known papers under each of `keys`; a paper is found by each of its title keys."""
        stored, rows = self._lake.by_title_keys(keys), self._papers.rows
        changed = rows.keys() & {paper.paper_id for papers in stored.values() for paper in papers}
        found = {key: [paper for paper in papers if paper.paper_id not in rows] for key, papers in stored.items()}
        for paper_id in sorted({*self.named, *map(self._papers.current, changed)}):
            for key in set(keys).intersection(rows[paper_id]["title_keys"]):
                found.setdefault(key, []).append(candidate_of_row(rows[paper_id]))
        return found

"""The papers of one run: what the lake knew, what the sources told since, and which records are the same paper.

A record belongs to the paper that owns one of its identifiers. Where a record ties two papers together, they are
merged: the older one stays, and the other keeps its row with `merged_into`. Two papers with different arXiv identifiers
are never merged: a source that says so is mistaken more often than arXiv is.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sources.identifiers import ArxivId, Identifier
from sources.matching.titles import title_key
from sources.records import ArxivPaper, S2Paper

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

Row = dict[str, Any]

_ORDER = ("arxiv", "doi", "s2", "corpus", "acl", "openreview", "pmid", "pmcid", "mag", "dblp")


class PaperBook:
    """Papers by identifier, growing as records arrive.

    Args:
        papers: Rows of `papers` that the run may touch.
        identifiers: Their rows of `paper_identifiers`.
        now: The run's instant, for papers that are new.
    """

    def __init__(
        self, papers: Iterable[Mapping[str, Any]], identifiers: Iterable[Mapping[str, Any]], *, now: datetime
    ) -> None:
        self._now = now
        self.papers: dict[str, Row] = {row["paper_id"]: dict(row) for row in papers}
        self._owner = {Identifier(row["scheme"], row["value"]): row["paper_id"] for row in identifiers}
        self.counts: list[Row] = []
        self.new: set[str] = set()
        self._touched: set[str] = set()

    def find(self, identifiers: Iterable[Identifier]) -> str | None:
        """Returns the paper that owns the first of `identifiers` that any paper owns."""
        for identifier in sorted(identifiers, key=_rank):
            if (owner := self._owner.get(identifier)) is not None:
                return self.current(owner)
        return None

    def current(self, paper_id: str) -> str:
        """Returns the paper that `paper_id` is now, after merges."""
        while (into := self.papers[paper_id]["merged_into"]) is not None:
            paper_id = into
        return paper_id

    def add(self, record: ArxivPaper | S2Paper, *, fetched_at: datetime, asked_as: Identifier | None = None) -> str:
        """Returns the paper that `record` describes, made or brought up to date.

        Args:
            record: What a source told.
            fetched_at: When its reply came.
            asked_as: The identifier it was asked by; a merged record answers under another one.
        """
        identifiers = {*identifiers_of(record)} | ({asked_as} if asked_as else set())
        paper_id = self._paper_for(identifiers)
        if isinstance(record, ArxivPaper):
            self._describe(paper_id, _from_arxiv(record, self.papers[paper_id]), fetched_at)
        else:
            self._describe(paper_id, _from_s2(record, self.papers[paper_id]), fetched_at)
            self._count(paper_id, record, fetched_at)
        return paper_id

    def identifier_rows(self) -> list[Row]:
        """Returns the rows of `paper_identifiers` for every paper that this run touched."""
        rows = [
            {"paper_id": self.current(owner), "scheme": identifier.scheme, "value": identifier.value}
            for identifier, owner in self._owner.items()
        ]
        return [row for row in rows if row["paper_id"] in self._touched]

    def paper_rows(self) -> list[Row]:
        """Returns the rows of `papers` that this run made or changed."""
        return [self.papers[paper_id] for paper_id in sorted(self._touched)]

    def _paper_for(self, identifiers: set[Identifier]) -> str:
        owners = sorted({self.current(self._owner[one]) for one in identifiers if one in self._owner}, key=self._age)
        paper_id = self._choose(owners, identifiers) or self._create(identifiers)
        for other in owners:
            if other != paper_id and not self._at_odds(paper_id, other):
                self.papers[other]["merged_into"] = paper_id
                self._touched.add(other)
        for identifier in identifiers:
            self._owner.setdefault(identifier, paper_id)
        self._touched.add(paper_id)
        return paper_id

    def _choose(self, owners: list[str], identifiers: set[Identifier]) -> str | None:
        """Returns the owner by arXiv identifier where there is one, else the oldest that does not contradict it."""
        arxiv_id = next((one.value for one in identifiers if one.scheme == "arxiv"), None)
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
        first = min(identifiers, key=_rank)
        paper_id = "p" + hashlib.sha256(str(first).encode()).hexdigest()[:16]
        self.papers[paper_id] = dict.fromkeys(_EMPTY) | _EMPTY | {"paper_id": paper_id, "first_seen_at": self._now}
        self.new.add(paper_id)
        return paper_id

    def _describe(self, paper_id: str, facts: Row, fetched_at: datetime) -> None:
        row = self.papers[paper_id]
        row |= facts
        row["title_key"] = title_key(row["title"])
        row["refreshed_at"] = max(filter(None, (row["refreshed_at"], fetched_at)))

    def _count(self, paper_id: str, record: S2Paper, fetched_at: datetime) -> None:
        counts = {
            "citation_count": record.citation_count,
            "influential_citation_count": record.influential_citation_count,
            "reference_count": record.reference_count,
        }
        row = self.papers[paper_id]
        if record.citation_count is None or (row["counted_at"] is not None and row["counted_at"] >= fetched_at):
            return
        row |= counts | {"counted_at": fetched_at}
        self.counts.append({"paper_id": paper_id, "source": "s2", "observed_at": fetched_at, **counts})


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
    sound = [one for one in identifiers if isinstance(one, Identifier)]
    return tuple(dict.fromkeys(one for one in sound if not one.value.startswith("10.48550/")))


def _rank(identifier: Identifier) -> tuple[int, str]:
    return _ORDER.index(identifier.scheme), identifier.value


_EMPTY: Row = {
    "paper_id": None, "title": "", "title_key": "", "abstract": None, "authors": [], "year": None, "published_on": None,
    "venue": None, "arxiv_id": None, "arxiv_version": None, "doi": None, "s2_paper_id": None, "s2_corpus_id": None,
    "primary_category": None, "categories": [], "fields_of_study": [], "open_access_pdf_url": None, "withdrawn": None,
    "citation_count": None, "influential_citation_count": None, "reference_count": None, "counted_at": None,
    "first_seen_at": None, "refreshed_at": None, "merged_into": None,
}  # fmt: skip


def _from_arxiv(record: ArxivPaper, row: Row) -> Row:
    published = record.published_at.date() if record.published_at else None
    return {
        "title": record.title,
        "abstract": record.abstract or row["abstract"],
        "authors": list(record.authors) or row["authors"],
        "year": _earliest(row["year"], ArxivId(record.arxiv_id).year),
        "published_on": published or row["published_on"],
        "venue": row["venue"] or record.journal_ref,
        "arxiv_id": record.arxiv_id,
        "arxiv_version": record.version or row["arxiv_version"],
        "doi": row["doi"] or record.doi,
        "primary_category": record.primary_category or row["primary_category"],
        "categories": list(record.categories) or row["categories"],
        "withdrawn": record.withdrawn,
    }


def _from_s2(record: S2Paper, row: Row) -> Row:
    told_by_arxiv = bool(row["categories"])
    return {
        "title": row["title"] if told_by_arxiv else record.title,
        "abstract": row["abstract"] or record.abstract,
        "authors": row["authors"] if told_by_arxiv and row["authors"] else list(record.authors),
        "year": _earliest(row["year"], record.year),
        "published_on": row["published_on"] or record.published_on,
        "venue": record.venue or row["venue"],
        "arxiv_id": row["arxiv_id"] or record.arxiv_id,
        "doi": row["doi"] or record.doi,
        "s2_paper_id": record.s2_paper_id,
        "s2_corpus_id": record.corpus_id if record.corpus_id is not None else row["s2_corpus_id"],
        "fields_of_study": list(record.fields_of_study) or row["fields_of_study"],
        "open_access_pdf_url": record.open_access_pdf_url or row["open_access_pdf_url"],
    }


def _earliest(*years: int | None) -> int | None:
    return min((year for year in years if year is not None), default=None)

"""What records say of a paper: identifiers, agreement with it, and the columns of its row."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Literal, cast

from sources.bibliography.identifiers import ArxivId, Identifier, rank
from sources.records import ArxivPaper, DblpPaper, OpenAlexPaper, PaperRecord, S2Paper
from sources.services.agreement import compare, described, described_by_row, is_surely_one
from sources.services.openalex.record import OpenAlexWork
from warehouse.tables.declarations import TELLERS, CitationCountRow, PaperColumns, PaperIdentifierRow, PaperRow

_NUMBERED = frozenset({"s2", "corpus"})
_TOLD_BY_SEVERAL: tuple[Literal["doi", "venue"], ...] = ("doi", "venue")


@dataclass(slots=True)
class IdentifierOwners:
    """Papers by identifier; an identifier is one paper's, and a paper has several."""

    retired: set[Identifier] = field(default_factory=set)  # those that their paper gave up, and no other one has got
    _owner: dict[Identifier, str] = field(default_factory=dict)
    _owned: defaultdict[str, set[Identifier]] = field(default_factory=lambda: defaultdict(set))

    def owner(self, identifier: Identifier) -> str | None:
        """Returns the paper that has the identifier, None where none has."""
        return self._owner.get(identifier)

    def of(self, paper_id: str) -> frozenset[Identifier]:
        """Returns the paper's identifiers."""
        return frozenset(self._owned.get(paper_id, ()))

    def give(self, identifier: Identifier, paper_id: str) -> None:
        """Gives the identifier to the paper, unless another has it already."""
        if self._owner.setdefault(identifier, paper_id) == paper_id:
            self._owned[paper_id].add(identifier)
            self.retired.discard(identifier)

    def retire(self, paper_id: str, identifiers: Iterable[Identifier]) -> None:
        """Takes from the paper those of `identifiers` that it has."""
        for identifier in identifiers:
            if self._owner.get(identifier) == paper_id:
                del self._owner[identifier]
                self._owned[paper_id].discard(identifier)
                self.retired.add(identifier)

    def move(self, paper_id: str, *, into: str) -> None:
        """Gives all that the paper has to the one that it was merged into."""
        for identifier in self._owned.pop(paper_id, set()):
            self._owner[identifier] = into
            self._owned[into].add(identifier)

    def rows(self, paper_ids: Iterable[str]) -> list[PaperIdentifierRow]:
        """Returns the rows of `paper_identifiers` of these papers, the most reliable schemes first."""
        return [
            {"paper_id": paper_id, "scheme": identifier.scheme, "value": identifier.value}
            for paper_id in sorted(paper_ids)
            for identifier in sorted(self.of(paper_id), key=rank)
        ]


def paper_ids_for(identifier: Identifier) -> Iterator[str]:
    """Yields the possible values of `paper_id` for a paper that is first known by `identifier`, in order of preference.

    A paper that lost the identifier later keeps its `paper_id`; the next paper with the identifier gets the next value.
    """
    for number in count():
        text = f"{identifier} {number}" if number else str(identifier)
        yield "p" + hashlib.sha256(text.encode()).hexdigest()[:16]


def identifiers_of(record: PaperRecord) -> tuple[Identifier, ...]:
    """Returns every identifier of `record`, without the DOIs that arXiv gives, and those that authors gave arXiv."""
    if isinstance(record, ArxivPaper):
        return (Identifier("arxiv", record.arxiv_id),)
    if isinstance(record, DblpPaper | OpenAlexPaper):
        return _known(*record.identifiers)
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


def claimed_doi(record: PaperRecord) -> set[Identifier]:
    """Returns the DOI in a record of arXiv, as it may be that of another paper; of others none."""
    return {*_known(Identifier("doi", record.doi))} if isinstance(record, ArxivPaper) and record.doi else set()


def identifiers_with(record: PaperRecord, also: Iterable[Identifier]) -> set[Identifier]:
    """Returns the record's identifiers and those `also` known to be its, of arXiv's only the first."""
    identifiers = (*identifiers_of(record), *(item for item in _known(*also) if item not in claimed_doi(record)))
    first = next((identifier for identifier in identifiers if identifier.scheme == "arxiv"), None)
    return {item for item in identifiers if item.scheme != "arxiv" or item == first}


def is_of(record: PaperRecord, row: PaperRow, shared: Iterable[Identifier]) -> bool:
    """Returns whether the record is of the paper with which it shares identifiers; of one without a title, any is.

    A DOI alone is no proof: authors give arXiv that of another paper. Any other identifier allows for a new title.
    """
    if not row["title"]:
        return True
    if all(identifier.scheme == "doi" for identifier in shared):
        return is_surely_one(described_by_row(row), described(record))
    return compare(described_by_row(row), described(record)) in ("agree", "renamed")


def is_disputed(record: PaperRecord, row: PaperRow, shared: Iterable[Identifier], *, by_title: bool) -> bool:
    """Returns whether the record cannot be of the paper with which it shares identifiers.

    Where nothing but its title led to the record, the paper cannot have an entirely different one.
    """
    if not row["title"] or all(identifier.scheme == "doi" for identifier in shared):
        return not is_of(record, row, shared)
    return compare(described_by_row(row), described(record)) in ("disagree", *(("renamed",) if by_title else ()))


def is_former(row: PaperRow, identifiers: set[Identifier]) -> bool:
    """Returns whether these are numbers of Semantic Scholar's that the paper no longer has there."""
    present = {Identifier("s2", row["s2_paper_id"] or ""), Identifier("corpus", str(row["s2_corpus_id"]))}
    return all(identifier.scheme in _NUMBERED and identifier not in present for identifier in identifiers)


def may_share(row: PaperRow, record: PaperRecord, identifiers: set[Identifier], *, is_new: bool) -> bool:
    """Returns whether another paper may have these too: a source sometimes gives a paper the DOI of another one.

    Semantic Scholar gives no DOI to two papers, but where both are new it is not known whose it is.
    """
    twice = isinstance(record, S2Paper) and row["s2_paper_id"] is not None and not is_new
    return not twice and all(identifier.scheme == "doi" for identifier in identifiers)


def of_two(identifiers: set[Identifier], title: str, other_title: str) -> str:
    """Returns the sentence on `identifiers` that a source gave the paper `title`, and that are another one's."""
    return f"{min(identifiers, key=rank)} was told of {title[:90]!r}, and is that of {other_title[:90]!r}"


def owner_to_keep(owners: Sequence[PaperRow], arxiv_id: str | None) -> str | None:
    """Returns the owner with this arXiv identifier, else the oldest without one; None where all have another.

    `owners` begin with the oldest, which a record without an arXiv identifier goes to.
    """
    if arxiv_id is None:
        return owners[0]["paper_id"] if owners else None
    same = [row["paper_id"] for row in owners if row["arxiv_id"] == arxiv_id]
    without = [row["paper_id"] for row in owners if row["arxiv_id"] is None]
    return next(iter([*same, *without]), None)


_OWN = frozenset({"merged_into", "citation_key"})


def gained_from(loser: PaperRow, winner: PaperRow) -> PaperColumns:
    """Returns what a paper gets from one merged into it: what it lacks, newer counts, arXiv's title and authors."""
    lacking = {name for name, value in winner.items() if value in (None, [])} - _OWN
    gained = cast("PaperColumns", {name: value for name, value in loser.items() if name in lacking})
    if loser["counted_at"] and (winner["counted_at"] is None or loser["counted_at"] > winner["counted_at"]):
        gained |= counts_of(loser) | {"counted_at": loser["counted_at"]}
    if loser["categories"] and not winner["categories"]:
        gained |= {
            "title": loser["title"] or winner["title"],
            "title_keys": loser["title_keys"] or winner["title_keys"],
            "authors": loser["authors"] or winner["authors"],
        }
    first_seen = min(loser["first_seen_at"], winner["first_seen_at"])
    return gained | {"year": _earliest(loser["year"], winner["year"]), "first_seen_at": first_seen}


def facts_of(record: PaperRecord, row: PaperRow) -> PaperColumns:
    """Returns what a source's record makes of the row, but for DOI and venue, which several sources give."""
    venue = record.journal_ref if isinstance(record, ArxivPaper) else record.venue
    known = row.get("s2_doi")
    is_unsure = isinstance(record, S2Paper) and record.doi is None and record.shared_doi == known
    doi = known if is_unsure else record.doi
    by_source = cast("PaperColumns", {f"{record.SOURCE}_doi": doi, f"{record.SOURCE}_venue": venue})
    return _own_facts(record, row) | by_source


def as_told(before: PaperRow, now: PaperRow, is_others: Callable[[str], bool]) -> PaperColumns:
    """Returns DOI and venue as the first of the sources gives them now.

    A value that none of them is known to have given stays until one of them gives another.
    """
    dois, venues = (
        [*_of_each_source(name, now), before[name] if before[name] not in _of_each_source(name, before) else None]
        for name in _TOLD_BY_SEVERAL
    )
    own = [doi for doi in dois if doi and not is_others(doi)]
    return {"doi": next(iter(own), None), "venue": next(filter(None, venues), None)}


def _of_each_source(name: Literal["doi", "venue"], row: PaperRow) -> list[str | None]:
    return [cast("str | None", row.get(f"{source}_{name}")) for source in TELLERS]


def proven_dois(row: PaperRow) -> set[str | None]:
    """Returns the DOIs of a paper that not arXiv alone gives: authors type that of another paper at times."""
    dois = {cast("str | None", row.get(f"{source}_doi")) for source in TELLERS if source != ArxivPaper.SOURCE}
    return dois if row["doi"] == row.get("arxiv_doi") else {*dois, row["doi"]}


def _own_facts(record: PaperRecord, row: PaperRow) -> PaperColumns:
    if isinstance(record, ArxivPaper):
        published = record.published_at.date() if record.published_at else None
        return {
            "title": record.title,
            "abstract": record.abstract or row["abstract"],
            "authors": list(record.authors) or row["authors"],
            "year": _earliest(row["year"], ArxivId(record.arxiv_id).year),
            "published_on": published or row["published_on"],
            "arxiv_id": record.arxiv_id,
            "arxiv_version": record.version or row["arxiv_version"],
            "primary_category": record.primary_category or row["primary_category"],
            "categories": list(record.categories) or row["categories"],
            "withdrawn": row["withdrawn"] if record.withdrawn is None else record.withdrawn,
        }
    if isinstance(record, DblpPaper):
        filled = _filled_by(record, row)
        by_dblp: PaperColumns = {"pages": record.pages, "publication_type": record.kind}
        if not row["categories"] and row["s2_paper_id"] is None:
            by_dblp |= {"title": record.title, "authors": list(record.authors) or row["authors"]}
            by_dblp |= {"year": filled["year"] if record.year is None else _year_of(record)}
        else:  # a preprint may be posted after the paper came out
            by_dblp["year"] = _earliest(filled["year"], record.year)
        return filled | by_dblp
    if not isinstance(record, S2Paper):
        return _filled_by(record, row)
    is_of_arxiv = bool(row["categories"])  # where arXiv described the paper, its text stays
    arxiv_id = row["arxiv_id"] or record.arxiv_id
    return {
        "title": row["title"] if is_of_arxiv else record.title,
        "abstract": (row["abstract"] if is_of_arxiv else None) or record.abstract or row["abstract"],
        "authors": row["authors"] if is_of_arxiv and row["authors"] else list(record.authors) or row["authors"],
        "year": row["year"] if record.year is None else _earliest(record.year, arxiv_id and ArxivId(arxiv_id).year),
        "published_on": (row["published_on"] if is_of_arxiv else None) or record.published_on or row["published_on"],
        "arxiv_id": arxiv_id,
        "s2_paper_id": record.s2_paper_id,
        "s2_corpus_id": record.corpus_id if record.corpus_id is not None else row["s2_corpus_id"],
        "fields_of_study": list(record.fields_of_study) or row["fields_of_study"],
        "open_access_pdf_url": record.open_access_pdf_url or row["open_access_pdf_url"],
    }


def _year_of(record: DblpPaper | OpenAlexPaper) -> int | None:
    return _earliest(record.year, record.arxiv_id and ArxivId(record.arxiv_id).year)


def _filled_by(record: DblpPaper | OpenAlexPaper, row: PaperRow) -> PaperColumns:
    """Returns what a record makes of the row where that fills what is unknown, and replaces nothing."""
    facts: PaperColumns = {
        "title": record.title,
        "authors": list(record.authors),
        "year": _year_of(record),
        "arxiv_id": record.arxiv_id,
    }
    return cast("PaperColumns", {name: row.get(name) or value for name, value in facts.items()})


def counts_of(row: PaperRow | CitationCountRow) -> PaperColumns:
    """Returns the counts of a row, for the row of their paper."""
    return {
        "citation_count": row["citation_count"],
        "influential_citation_count": row["influential_citation_count"],
        "reference_count": row["reference_count"],
    }


def count_row(paper_id: str, record: S2Paper | OpenAlexWork, at: datetime, reply: str | None) -> CitationCountRow:
    """Returns the observation that a record makes, which came at `at` with the reply of that SHA-256."""
    return {
        "paper_id": paper_id,
        "source": "s2" if isinstance(record, S2Paper) else "openalex",
        "observed_at": at,
        "citation_count": record.citation_count,
        "influential_citation_count": record.influential_citation_count if isinstance(record, S2Paper) else None,
        "reference_count": record.reference_count,
        "reply_sha256": reply,
    }


def _earliest(*years: int | str | None) -> int | None:
    return min((year for year in years if isinstance(year, int)), default=None)

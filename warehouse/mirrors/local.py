"""Looks up records in the mirrors by identifier and title, for resolution and harvest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sources.bibliography.identifiers import Identifier, Scheme, named_identifiers
from sources.bibliography.titles import title_key
from sources.errors import PayloadError
from sources.records import (
    ArxivPaper,
    BatchAnswer,
    Credits,
    DblpPaper,
    OpenAlexPaper,
    PaperRecord,
    S2Paper,
    SourceName,
    TitleAnswer,
)
from sources.services.openalex.answers import CitingAnswer, CitingQuestion, paper_of
from sources.services.openalex.record import OpenAlexWork, arxiv_doi, work_id_of
from sources.services.retraction_watch import Notice
from warehouse.mirrors.release import MirrorFolder, Reader, Release
from warehouse.mirrors.workers import in_processes

if TYPE_CHECKING:
    from warehouse.mirrors.lookup import Lookup

TITLES_AT_ONCE = 20_000  # titles of one look-up, over which the papers' files are read once
_WORKS = "https://openalex.org/"

T = TypeVar("T")
R = TypeVar("R")
P = TypeVar("P")
Found = Mapping[str, Any]  # a row of a mirror


class Mirror(Generic[P]):
    """One mirror in a lake's folder, there or not; `P` is a record of it.

    All answers are of one release, that in use at the first one; no import removes it before `close`.
    """

    source: str  # as `paperlake mirror import` calls it
    rows: str  # module that reads its rows, imported by the first question: `FIELDS` and `parse_row`
    scheme: Scheme | None = None  # the only one that it knows; None where it knows several

    def __init__(self, path: Path) -> None:
        self.folder = MirrorFolder(path)
        self._reading: tuple[Release | None, Reader] | None = None

    @property
    def release(self) -> Release | None:
        """Returns the release that is read, None where nothing has been imported."""
        if self._reading is None:
            self._reading = self.folder.begin_reading()
        return self._reading[0]

    @property
    def whole_release(self) -> Release | None:
        """Returns the release that is read where it is all that its source had; None where it is a part, or none."""
        return self.release if self.release and self.release.whole else None

    def close(self) -> None:
        """Ends the reading; the next question is about the release in use then."""
        if self._reading is not None:
            self._reading[1].end()
            self._reading = None

    def by_titles(self, titles: Iterable[str]) -> dict[str, tuple[P, ...]]:
        """Returns title -> papers that may bear it, likeliest first and without abstracts; see `Lookup.by_titles`."""
        return {title: tuple(self._read(rows)) for title, rows in self._titled(titles).items()}

    def by_whole_titles(self, titles: Iterable[str]) -> list[P]:
        """Returns the papers with one of `titles`, and maybe others, as terms are hashed."""
        rows = self._rows_titled(titles)
        return self._read(rows) if rows else []

    def _read(self, rows: Sequence[Found]) -> list[P]:
        return self._records(rows)

    def _records(self, rows: Sequence[Found]) -> list[P]:
        return list(map(import_module(self.rows).parse_row, rows)) if rows else []

    def _papers(self, identifiers: Iterable[Identifier]) -> dict[Identifier, Sequence[Found]]:
        wanted = sorted(item for item in set(identifiers) if self.scheme in (None, item.scheme))
        found = self._by_terms([f"i:{identifier}" for identifier in wanted])
        return {item: rows for item in wanted if (rows := found.get(f"i:{item}"))}

    def _bearers(
        self, identifiers: Iterable[Identifier], bears: Callable[[P, Identifier], bool]
    ) -> dict[Identifier, P]:
        read = {item: self._read(rows) for item, rows in self._papers(identifiers).items()}
        return {item: paper for item, papers in read.items() for paper in papers if bears(paper, item)}

    def _titled(self, titles: Iterable[str]) -> Mapping[str, Sequence[Found]]:
        return lookup.by_titles(titles) if (lookup := self._lookup(without="abstract")) else {}

    def _rows_titled(self, titles: Iterable[str]) -> list[Found]:
        terms = sorted({f"k:{key}" for title in titles if (key := title_key(title))})
        return list(chain.from_iterable(self._by_terms(terms, without="abstract").values()))

    def words_in_titles(self, words: Iterable[str]) -> set[str]:
        """Returns those of the folded `words` that titles have; see `Lookup.words_in_titles`."""
        wanted = list(words)
        return lookup.words_in_titles(wanted) if wanted and (lookup := self._lookup()) else set()

    def _by_terms(
        self, terms: Sequence[str], *, only: Sequence[str] = (), without: str = ""
    ) -> Mapping[str, Sequence[Found]]:
        return lookup.by_terms(terms) if terms and (lookup := self._lookup(only=only, without=without)) else {}

    def _lookup(self, *, only: Sequence[str] = (), without: str = "") -> Lookup | None:
        """Returns what looks up these fields of rows, or all fields without one; None where there is no release."""
        if self.release is None:
            return None
        from warehouse.mirrors.lookup import Lookup  # noqa: PLC0415 - only a lake with mirrors needs it

        fields = only or [field for field in import_module(self.rows).FIELDS if field != without]
        return Lookup(self.folder, self.release, fields)


class ArxivMirror(Mirror[ArxivPaper]):
    """The mirror of arXiv's metadata."""

    source = "arxiv"
    rows = "sources.services.arxiv.dump"
    scheme = "arxiv"

    def by_identifiers(self, identifiers: Iterable[Identifier]) -> dict[Identifier, ArxivPaper]:
        """Returns identifier -> paper, for those of `identifiers` that the mirror holds."""
        return self._bearers(identifiers, lambda paper, item: paper.arxiv_id == item.value)


class S2Mirror(Mirror[S2Paper]):
    """The mirror of Semantic Scholar's "papers" data set."""

    source = "s2-papers"
    rows = "sources.services.semantic_scholar.dump"

    def by_identifiers(self, identifiers: Iterable[Identifier]) -> dict[Identifier, S2Paper]:
        """Returns identifier -> paper, for those of `identifiers` that the mirror holds."""
        return self._bearers(
            identifiers,
            lambda paper, item: item in (*paper.identifiers, *named_identifiers(paper.arxiv_id, paper.doi)),
        )


class DblpMirror(Mirror[DblpPaper]):
    """The mirror of DBLP."""

    source = "dblp"
    rows = "sources.services.dblp.works"

    def by_identifiers(self, identifiers: Iterable[Identifier]) -> dict[Identifier, DblpPaper]:
        """Returns identifier -> the work that it names, for those that the mirror holds for one work alone."""
        found = {item: self._records(rows) for item, rows in self._papers(identifiers).items()}
        bearers = {
            item: [record for record in records if item in record.identifiers] for item, records in found.items()
        }
        titled = self._records_titled({record.title for records in bearers.values() for record in records})
        works: dict[Identifier, DblpPaper] = {}
        for item, records in bearers.items():
            keys = {record.key for record in records}
            alike = [other for record in records for other in titled.get(title_key(record.title), ())]
            named = [work for work in _dblp_works([*records, *alike], [item]) if keys & work.keys]
            if len(named) == 1:
                works[item] = named[0]
        return works

    def by_titles(self, titles: Iterable[str]) -> dict[str, tuple[DblpPaper, ...]]:
        """Returns title -> works that may bear it, likeliest first; see `Lookup.by_titles`."""
        found = {title: self._records(rows) for title, rows in self._titled(titles).items()}
        near = {record.title for records in found.values() for record in records} - found.keys()
        titled = self._records_titled(near)
        works = {}
        for title, records in found.items():
            alike = [other for record in records for other in titled.get(title_key(record.title), ())]
            works[title] = tuple(_dblp_works([*records, *alike]))
        return works

    def _read(self, rows: Sequence[Found]) -> list[DblpPaper]:
        return _dblp_works(self._records(rows))

    def _records_titled(self, titles: Iterable[str]) -> dict[str, list[DblpPaper]]:
        """Returns title key -> the records with one of `titles`: the other publications of a work are among them."""
        records: dict[str, list[DblpPaper]] = {}
        for record in self._records(self._rows_titled(titles)):
            records.setdefault(title_key(record.title), []).append(record)
        return records


def _dblp_works(records: Iterable[DblpPaper], wanted: Collection[Identifier] = ()) -> list[DblpPaper]:
    """Returns the works that the records are of; of those that `wanted` names, see `works_of`."""
    from sources.services.dblp.works import works_of  # noqa: PLC0415 - only a lake with DBLP's mirror needs it

    return works_of(records, wanted=wanted)


class OpenAlexMirror(Mirror[OpenAlexPaper]):
    """The mirror of OpenAlex's works."""

    source = "openalex"
    rows = "sources.services.openalex.snapshot"

    @classmethod
    def of_release(cls, folder: MirrorFolder, release: Release) -> OpenAlexMirror:
        """Returns a mirror that reads a release which is not in use yet."""
        mirror = cls(folder.path)
        mirror._reading = release, Reader(None)
        return mirror

    def works_by_doi(self, dois: Iterable[str]) -> dict[str, OpenAlexWork]:
        """Returns DOI -> the work that has it, as its own or of one of its places; of several, the most cited one."""
        found = self._papers(Identifier("doi", doi) for doi in dois)
        bearers = {
            item.value: [work for work in _works(rows) if item.value in work.dois] for item, rows in found.items()
        }
        return {
            doi: max(works, key=lambda work: (work.doi == doi, work.citation_count or 0, work.work_id))
            for doi, works in bearers.items()
            if works
        }

    def works_by_id(self, work_ids: Iterable[str]) -> dict[str, OpenAlexWork]:
        """Returns identifier -> the work that bears it."""
        found = self._papers(Identifier("openalex", work_id) for work_id in work_ids)
        return {
            work.work_id: work for item, rows in found.items() for work in _works(rows) if work.work_id == item.value
        }

    def citing(self, work_ids: Collection[str]) -> list[Found]:
        """Returns the rows of the works that cite one of `work_ids`."""
        fields = ("id", "publication_date", "referenced_works")
        rows = self._by_terms([f"i:cites:{work_id}" for work_id in work_ids], only=fields).values()
        cited = {f"{_WORKS}{work_id}" for work_id in work_ids}
        citing = {row["id"]: row for row in chain.from_iterable(rows)}
        return [row for row in citing.values() if not cited.isdisjoint(row["referenced_works"] or ())]

    def by_identifiers(self, identifiers: Iterable[Identifier]) -> dict[Identifier, OpenAlexPaper]:
        """Returns identifier -> paper, for those of `identifiers` that the mirror holds."""
        dois = {item: arxiv_doi(item.value) if item.scheme == "arxiv" else item.value for item in identifiers}
        by_doi = self.works_by_doi(doi for item, doi in dois.items() if item.scheme in ("arxiv", "doi"))
        by_id = self.works_by_id(item.value for item in dois if item.scheme == "openalex")
        works = {item: by_id.get(doi) if item.scheme == "openalex" else by_doi.get(doi) for item, doi in dois.items()}
        return {item: paper for item, work in works.items() if work and (paper := paper_of(work))}

    def _read(self, rows: Sequence[Found]) -> list[OpenAlexPaper]:
        return [paper for work in _works(rows) if (paper := paper_of(work))]


def _works(rows: Iterable[Found]) -> Iterator[OpenAlexWork]:
    from sources.services.openalex.snapshot import parse_row  # noqa: PLC0415 - only a lake with its mirror needs it

    return (work for row in rows if (work := parse_row(row)))


class OpenAlexFromMirror:
    """The client of a mirror that holds every work: it sends nothing, and what it does not have, OpenAlex had not.

    Args:
        mirror: The mirror; it must be whole.
    """

    requests_sent = 0
    problems: Mapping[str, int] = {}
    credits = Credits()

    def __init__(self, mirror: OpenAlexMirror) -> None:
        self._mirror = mirror

    def fetch_papers(self, ids: Sequence[str]) -> BatchAnswer[str, OpenAlexWork]:
        """Returns the work under each DOI."""
        return _answer(ids, self._mirror.works_by_doi(ids))

    def fetch_works(self, work_ids: Sequence[str], *, most_requests: int = 0) -> BatchAnswer[str, OpenAlexWork]:  # noqa: ARG002 - as the service's client is called
        """Returns the work under each of OpenAlex's identifiers."""
        return _answer(work_ids, self._mirror.works_by_id(work_ids))

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[OpenAlexPaper]:
        """Returns the papers found for the titles."""
        found = self._mirror.by_titles(titles)
        papers = {paper.work_id: paper for each in found.values() for paper in each}
        return TitleAnswer(requested=tuple(titles), papers=tuple(papers.values()), answered=frozenset(titles))

    def fetch_citing(self, question: CitingQuestion, *, most_requests: int = 0) -> CitingAnswer:  # noqa: ARG002
        """Returns the works that cite others; more than there may be are an error, as of the service."""
        answer = CitingAnswer(question=question)
        since = question.since.isoformat() if question.since else ""
        for row in self._mirror.citing(question.work_ids):
            if (row["publication_date"] or "9999") >= since:
                cited = (work_id_of(work) or "" for work in row["referenced_works"])
                answer.works[work_id_of(row["id"]) or ""] = tuple(dict.fromkeys(cited))
        if len(answer.works) > question.most:
            text = f"{len(answer.works)} citing works in the mirror, where {question.most} can be"
            answer.error, answer.works = PayloadError(text, source="openalex", field="meta"), {}
        return answer

    def close(self) -> None:
        """Does nothing: the mirror is closed with the others."""


def _answer(wanted: Sequence[str], found: Mapping[str, OpenAlexWork]) -> BatchAnswer[str, OpenAlexWork]:
    return BatchAnswer(requested=tuple(wanted), found=found, not_found=frozenset(wanted) - found.keys())


class RetractionMirror(Mirror[Notice]):
    """The mirror of Retraction Watch's notices, which describe no papers: they only say what became of them."""

    source = "retractions"
    rows = "sources.services.retraction_watch"
    scheme = "doi"

    def by_doi(self, identifiers: Iterable[Identifier]) -> list[Notice]:
        """Returns the notices about papers with one of the DOIs among `identifiers`."""
        found = self._papers(identifiers).items()
        return [notice for item, rows in found for notice in self._read(rows) if notice.doi == item.value]


class Mirrors:
    """All mirrors of a lake that describe papers, looked up as one, and that of retractions."""

    def __init__(
        self,
        folder: Path,
        *,
        progress: Callable[[int], Callable[[int], None]] = lambda _: lambda _: None,
    ) -> None:
        self.folder = folder
        self.arxiv = ArxivMirror(folder / ArxivMirror.source)
        self.s2 = S2Mirror(folder / S2Mirror.source)
        self.dblp = DblpMirror(folder / DblpMirror.source)
        self.openalex = OpenAlexMirror(folder / OpenAlexMirror.source)
        self._of_papers: dict[SourceName, ArxivMirror | S2Mirror | DblpMirror | OpenAlexMirror] = {
            "arxiv": self.arxiv,
            "s2": self.s2,
            "dblp": self.dblp,
            "openalex": self.openalex,
        }
        self.retractions = RetractionMirror(folder / RetractionMirror.source)
        self._progress = progress
        self._tell_done: Callable[[int], None] = lambda _: None

    @property
    def releases(self) -> list[Release]:
        """Returns the releases in use, one for each mirror that there is."""
        return [release for mirror in self._of_papers.values() if (release := mirror.release)]

    def partitioned(self, function: Callable[[Sequence[T], Mirrors], R], items: Sequence[T]) -> Iterator[R]:
        """Yields what `function` makes of each partition of `items`, one after the other."""
        if items and self.releases:
            self._tell_done = self._progress(len(items))
        for first in range(0, len(items), TITLES_AT_ONCE):
            yield function(items[first : first + TITLES_AT_ONCE], self)

    def spread(self, function: Callable[[Sequence[T]], R], shares: Iterable[Sequence[T]]) -> Iterator[R]:
        """Yields what `function` makes of each of `shares`, in their order."""
        shares = list(shares)
        for share, made in zip(shares, in_processes(function, shares), strict=True):
            self._tell_done(len(share))
            yield made

    def close(self) -> None:
        """Ends the reading of all, see `Mirror.close`."""
        for mirror in (*self._of_papers.values(), self.retractions):
            mirror.close()

    def told_at(self, source: SourceName) -> datetime | None:
        """Returns the date of the mirror of `source`, None where there is none."""
        release = self._of_papers[source].release
        return release.as_of if release else None

    def tell(self, source: SourceName, identifiers: Iterable[Identifier]) -> Mapping[Identifier, PaperRecord]:
        """Returns what the mirror of `source` holds on `identifiers`."""
        return self._of_papers[source].by_identifiers(identifiers)

    def by_identifiers(self, identifiers: Collection[Identifier]) -> dict[Identifier, PaperRecord]:
        """Returns identifier -> paper, of arXiv where it has it, else of Semantic Scholar, DBLP or OpenAlex."""
        found: dict[Identifier, PaperRecord] = {}
        for mirror in self._of_papers.values():
            found |= mirror.by_identifiers([identifier for identifier in identifiers if identifier not in found])
        return found

    def by_titles(self, titles: Collection[str]) -> Mapping[str, Sequence[PaperRecord]]:
        """Returns title -> papers that may bear it, of all mirrors; those of arXiv without abstracts."""
        found: dict[str, tuple[PaperRecord, ...]] = {}
        for mirror in self._of_papers.values():
            for title, papers in mirror.by_titles(titles).items():
                found[title] = (*found.get(title, ()), *papers)
        return found

    def by_whole_titles(self, titles: Collection[str]) -> list[PaperRecord]:
        """Returns the papers of all mirrors that have one of `titles`, and maybe others, as terms are hashed."""
        return [paper for mirror in self._of_papers.values() for paper in mirror.by_whole_titles(titles)]

    def words_in_titles(self, words: Collection[str]) -> set[str]:
        """Returns those of the folded `words` that a title of any mirror has."""
        found: set[str] = set()
        for mirror in self._of_papers.values():
            found |= mirror.words_in_titles(set(words) - found)
        return found

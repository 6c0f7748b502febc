"""Candidates, where they are asked for, and the pool of those at hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from sources.bibliography.identifiers import Identifier, Scheme, normal_identifier
from sources.bibliography.titles import title_key, title_words
from sources.matching.word_match import weight
from sources.records import Answer, ArxivPaper, Mention, S2Paper, SourceName, TitleAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One source's record, as far as it is evidence.

    Attributes:
        source: Where the record comes from.
        title: The paper's title as the source has it.
        authors: Names in order; empty where the source names nobody.
        year: First publication: of arXiv's version 1, or as S2 tells it.
        published_on: The day of that publication, where the source tells it.
        venue: Where it was published, as the source's free text; for arXiv its authors' journal reference and comment.
        identifiers: Every identifier in our schemes, the three named ones among them; arXiv's own DOIs as `arxiv`.
        paper_id: The lake's own identifier, where the lake knows the paper.
        record: The record itself; None for a paper that only the lake told of.
    """

    source: SourceName
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    venue: str | None = None
    arxiv_id: str | None = None
    doi: str | None = None
    s2_paper_id: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    paper_id: str | None = None
    record: ArxivPaper | S2Paper | None = None


def candidate_of(record: ArxivPaper | S2Paper, source: SourceName) -> Candidate:
    """Returns the candidate that a source's record is."""
    if isinstance(record, ArxivPaper):
        return _of_arxiv(record, source)
    return _of_s2(record, source)


def all_identifiers(candidate: Candidate) -> frozenset[Identifier]:
    """Returns every identifier of a candidate in one form: an arXiv DOI is an arXiv identifier."""
    named = [("arxiv", candidate.arxiv_id), ("doi", candidate.doi), ("s2", candidate.s2_paper_id)]
    identifiers = [Identifier(scheme, value) for scheme, value in named if value]  # type: ignore[arg-type]
    return frozenset(normal_identifier(identifier) for identifier in (*candidate.identifiers, *identifiers))


def _of_arxiv(record: ArxivPaper, source: SourceName) -> Candidate:
    published = [text for text in (record.journal_ref, record.comment) if text]
    doi = [Identifier("doi", record.doi)] if record.doi else []
    return Candidate(
        source=source,
        title=record.title,
        authors=record.authors,
        year=record.published_at.year if record.published_at else None,
        published_on=record.published_at.date() if record.published_at else None,
        venue="; ".join(published) or None,
        arxiv_id=record.arxiv_id,
        doi=record.doi,
        identifiers=(Identifier("arxiv", record.arxiv_id), *doi),
        record=record,
    )


def _of_s2(record: S2Paper, source: SourceName) -> Candidate:
    return Candidate(
        source=source,
        title=record.title,
        authors=record.authors,
        year=record.year,
        published_on=record.published_on,
        venue=record.venue,
        arxiv_id=record.arxiv_id,
        doi=record.doi,
        s2_paper_id=record.s2_paper_id,
        identifiers=record.identifiers,
        record=record,
    )


T = TypeVar("T")
R = TypeVar("R")


class Known(Protocol):
    """The papers that the lake knows. Candidates from here have `paper_id` set."""

    def by_identifiers(self, identifiers: Collection[Identifier]) -> Mapping[Identifier, Candidate]:
        """Returns the known paper behind each identifier that is known."""

    def by_title_keys(self, keys: Collection[str]) -> Mapping[str, Sequence[Candidate]]:
        """Returns the known papers under each key; a paper stands under every one of its `title_keys`."""


class Mirror(Protocol):
    """What the disk holds of the sources' bulk snapshots."""

    def by_identifiers(self, identifiers: Collection[Identifier]) -> Mapping[Identifier, ArxivPaper | S2Paper]:
        """Returns the paper behind each identifier that the mirror has."""

    def by_titles(self, titles: Collection[str]) -> Mapping[str, Sequence[ArxivPaper | S2Paper]]:
        """Returns the papers that may bear each title, damaged ones too; which does is for the judge to say."""

    def words_in_titles(self, words: Collection[str]) -> AbstractSet[str]:
        """Returns those of the folded `words` that stand in a title; of frequent and short ones it need not know."""

    def partitioned(self, function: Callable[[Sequence[T], Mirror], R], items: Sequence[T]) -> Iterable[R]:
        """Returns what `function` makes of each partition of `items`, with a mirror to ask where that is worked out."""

    def spread(self, function: Callable[[Sequence[T]], R], shares: Iterable[Sequence[T]]) -> Iterable[R]:
        """Returns what `function` makes of each of `shares`, several at a time where that is done sooner."""


class PaperSource(Protocol):
    """A service that gives papers by identifier, many in one request."""

    @property
    def name(self) -> SourceName:
        """Returns the source's name; it owns the scheme of that name, and its "not found" is final there."""

    @property
    def schemes(self) -> AbstractSet[Scheme]:
        """Returns the schemes that it can be asked in."""

    def fetch_papers(
        self, identifiers: Sequence[Identifier]
    ) -> Answer[Identifier, ArxivPaper] | Answer[Identifier, S2Paper]:
        """Returns what became of every identifier; errors are in the answer, not raised."""


class TitleSource(Protocol):
    """A service that searches many titles in one request."""

    @property
    def name(self) -> SourceName:
        """Returns the source's name."""

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[ArxivPaper] | TitleAnswer[S2Paper]:
        """Returns what was found for the titles together; errors are in the answer, not raised."""


class BestMatchSource(Protocol):
    """A service that gives its single best match for one title: one request a title."""

    @property
    def name(self) -> SourceName:
        """Returns the source's name."""

    def match_title(self, title: str) -> ArxivPaper | S2Paper | None:
        """Returns the best match, None where the service says that it has none.

        Raises:
            SourceError: The service could not be asked.
        """


_MOST = 40
_LEAST_SHARE = 0.3
"""Of a title's weight; of four pieces of a title, of which two are intact, the two lighter ones hold about as much."""


class CandidatePool:
    """Candidates by their words and keys; what `near` costs grows with what is like the mention, not with the pool."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._candidates = list(dict.fromkeys(candidates))
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        self._by_key: defaultdict[str, list[int]] = defaultdict(list)
        for number, candidate in enumerate(self._candidates):
            self._by_key[title_key(candidate.title)].append(number)
            for word in {*title_words(candidate.title).words}:
                if weight(word):
                    self._by_word[word].append(number)

    def words_of(self, mention: Mention) -> frozenset[str]:
        """Returns the words of the mention's title that stand in a candidate's."""
        return frozenset(word for word in title_words(mention.title or "").words if word in self._by_word)

    def near(self, mention: Mention) -> list[Candidate]:
        """Returns the candidates that share the mention's title or enough of its telling words, at most forty."""
        text = mention.title or mention.name or ""
        words = {word for word in title_words(text).words if weight(word)}
        shared: Counter[int] = Counter()
        for word in words:
            for number in self._by_word.get(word, ()):
                shared[number] += weight(word)
        least = _LEAST_SHARE * sum(map(weight, words))
        close = [number for number, common in shared.most_common(_MOST) if common >= least]
        same = self._by_key.get(title_key(text), [])
        return [self._candidates[number] for number in dict.fromkeys([*same, *close])]

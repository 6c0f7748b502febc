"""What resolution asks of the world: the lake, the mirror, and the services, as protocols.

Nothing here talks to anything; `flows` binds the lake, the local mirror and the two adapters to these.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol, TypeVar

from sources.identifiers import Identifier, Scheme
from sources.matching.candidates import Candidate
from sources.records import Answer, ArxivPaper, S2Paper, SourceName, TitleAnswer

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

"""Avoids title searches that a complete mirror has answered already.

A complete mirror has everything that its source had at the mirror's date, so what it lacks did not exist then. Mentions
with a year before the mirror's are answered by the mirror alone. Mentions with a later year, or none, may be newer:
they are searched for, but only with batched requests, never with one request for each title.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sources.bibliography.titles import title_key
from sources.matching.mention_queries import search_titles_for
from sources.records import Mention, SourceName, TitleAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flows.refresh.possible_titles import PossibleTitles
    from flows.refresh.services import MatchingService, Service
    from warehouse.mirrors import Mirrors, Release


@dataclass(frozen=True, slots=True)
class MirrorFirstSearch:
    """A title search that sends no request for titles which a mirror has answered.

    Args:
        service: The service.
        in_mirror: Keys of titles that need no request.
        possible: Possible titles, which are added to requests that are sent anyway.
    """

    service: Service[Any]
    in_mirror: frozenset[str] = field(default_factory=frozenset)
    possible: PossibleTitles | None = None

    @property
    def name(self) -> SourceName:
        """Returns the service's name."""
        return self.service.name

    def search_titles(self, titles: Sequence[str]) -> TitleAnswer[Any]:
        """Returns the service's answer for `titles`; those answered by a mirror count as answered, without papers."""
        in_mirror = frozenset(title for title in titles if title_key(title) in self.in_mirror)
        wanted = [title for title in titles if title not in in_mirror]
        if not wanted:
            return TitleAnswer(requested=tuple(titles), answered=in_mirror)
        answer = self.service.search_titles(wanted, self.possible.unknown() if self.possible else ())
        papers = answer.papers
        if self.possible:
            self.possible.note_answer(answer, self.name)
            beside = set(map(title_key, answer.requested)) - set(map(title_key, wanted))
            papers = tuple(paper for paper in papers if title_key(paper.title) not in beside)
        answered = answer.answered.intersection(wanted) | in_mirror
        failed = {title: error for title, error in answer.failed.items() if title in wanted}
        return TitleAnswer(requested=tuple(titles), papers=papers, answered=answered, failed=failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """Which services are still asked for titles.

    Attributes:
        searches: Batched title searches, in their order.
        best_match: The service that is asked with one request for each title; None for none.
    """

    searches: tuple[MirrorFirstSearch, ...]
    best_match: MatchingService | None


def questions(
    mentions: Iterable[Mention],
    mirrors: Mirrors,
    *,
    arxiv: Service[Any],
    s2: MatchingService,
    possible: PossibleTitles | None = None,
) -> Questions:
    """Returns which services to ask for the titles of `mentions`, after the `mirrors` were searched.

    Semantic Scholar has arXiv's papers too, so with a complete mirror of it arXiv is not searched.
    """
    whole_arxiv, whole_s2 = _whole(mirrors.arxiv.release), _whole(mirrors.s2.release)
    if whole_s2 is not None:
        return Questions(searches=(MirrorFirstSearch(s2, _answered(mentions, whole_s2), possible),), best_match=None)
    if whole_arxiv is not None:
        return Questions(searches=(MirrorFirstSearch(s2, possible=possible),), best_match=s2)
    searches = (MirrorFirstSearch(s2, possible=possible), MirrorFirstSearch(arxiv, possible=possible))
    return Questions(searches=searches, best_match=s2)


def _whole(release: Release | None) -> Release | None:
    return release if release is not None and release.whole else None


def _answered(mentions: Iterable[Mention], release: Release) -> frozenset[str]:
    """Returns the keys of titles that only mentions older than the mirror have."""
    old: set[str] = set()
    newer: set[str] = set()
    for mention in mentions:
        is_old = mention.year is not None and mention.year < release.as_of.year
        (old if is_old else newer).update(map(title_key, search_titles_for(mention)))
    return frozenset(old - newer)

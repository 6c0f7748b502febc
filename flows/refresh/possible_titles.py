"""Possible titles: looked up in the lake, in the mirrors, and in requests that are sent anyway.

They are too doubtful for a mention. One that is the whole title of exactly one paper becomes a mention; of the others
nothing is stored, so every refresh looks them up again.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sources.bibliography.titles import title_key
from sources.matching.candidates import candidate_of
from sources.matching.mention_queries import is_telling
from sources.matching.resolution import Resolution, open_mentions
from sources.matching.resolve import by_whole_title

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from flows.refresh.revisions import Entry
    from sources.bibliography.identifiers import Identifier
    from sources.matching.candidates import Candidate
    from sources.matching.lookup import Known
    from sources.records import SourceName, TitleAnswer
    from warehouse.mirrors import Mirrors


class PossibleTitles:
    """The possible titles of one run that no paper was found for yet.

    Args:
        entries: The possible titles in the lists; those without a distinctive word are skipped.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = [entry for entry in entries if is_telling(entry.mention.title or "")]
        self._titles = {title_key(entry.mention.title or ""): entry.mention.title or "" for entry in self.entries}
        self._found: defaultdict[str, list[Candidate]] = defaultdict(list)

    def look_up(self, known: Known, mirrors: Mirrors) -> None:
        """Looks the titles up in the lake and in the mirrors."""
        if not self._titles:
            return
        for candidates in known.by_title_keys(self._titles).values():
            self.note(candidates)
        self.note(candidate_of(paper, "mirror") for paper in mirrors.by_whole_titles(self._titles.values()))

    def note(self, candidates: Iterable[Candidate]) -> None:
        """Notes papers that may have one of the titles."""
        for candidate in candidates:
            key = title_key(candidate.title)
            if key in self._titles and candidate not in self._found[key]:
                self._found[key].append(candidate)

    def note_answer(self, answer: TitleAnswer[Any], source: SourceName) -> None:
        """Notes a service's answer, but for titles without a complete answer: other papers may have the same title."""
        answered = {title_key(title) for title in answer.answered}
        papers = (paper for paper in answer.papers if title_key(paper.title) in answered)
        self.note(candidate_of(paper, source) for paper in papers)

    def unknown(self) -> list[str]:
        """Returns the titles for which no paper was found yet, each once."""
        return [title for key, title in self._titles.items() if key not in self._found]

    def settled(self, barred: Mapping[int, Collection[Identifier]]) -> Sequence[Resolution]:
        """Returns the resolutions of those that are the title of exactly one paper, by position in `entries`."""
        items = open_mentions((entry.mention for entry in self.entries), barred)
        return by_whole_title(items, self._found).resolved

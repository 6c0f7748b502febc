"""A pool of candidates, from which those that could be meant by a mention are picked without comparing all. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from sources.bibliography.titles import title_key, title_words
from sources.matching.candidates import Candidate
from sources.matching.wording import weight
from sources.records import Mention

_MOST = 40
_LEAST_SHARE = 0.3
"""Of a title's weight; of four pieces of a title, of which two are intact, the two lighter ones hold about as much."""


class Shelf:
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

"""Batches of questions to services: their limits, how they are split, and the outcome of each item. Pure.

Quotes, brackets and operators would change a query; a hyphen excludes in arXiv's language
(https://github.com/arXiv/arxiv-search/issues/322) and parts words in both; TeX is indexed in ways nobody documents.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar
from urllib.parse import quote_plus

from sources.errors import BatchRefused, PayloadError, PermanentSourceError, SourceError, SourceUnreachable
from sources.http.replies import SPLIT_STATUSES
from sources.records import BatchAnswer, TitleAnswer

T = TypeVar("T")

_TEX = re.compile(r"\$[^$]{0,200}\$|\\[A-Za-z]+\s*|\\.")
_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u00b4": "'", "`": "'"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+|(?<=\d)\.(?=\d)\d+)*")
_PLURAL = re.compile(r"(?<=ss)es$|(?<=i)es$|(?<!s)s$")
_LONGEST_UNSTEMMED = 2
_LONGEST_PHRASE_WORDS = 24
GAP = "\u2026"  # in a title, in the place of words left out; the parts around it must all be there, in whatever order
_SURE_WORDS = 4


def phrase(title: str) -> str | None:
    r"""Returns the longest run of plain words in `title`, None where there is none.

    A run ends at TeX. Words with letters beyond ASCII end it too where four or more plain words stand together, as
    arXiv has `Poincar\'e` where a list has `Poincaré`.
    """
    text = _plain(title)
    runs = [_WORD.findall(run.replace("{", "").replace("}", "")) for run in _TEX.split(text)]
    plain = [list(run) for words in runs for is_ascii, run in groupby(words, str.isascii) if is_ascii]
    best = max(plain, key=_weight, default=[])
    if len(best) < _SURE_WORDS:
        best = max(runs, key=_weight, default=[])
    return " ".join(best[:_LONGEST_PHRASE_WORDS]) or None


def phrases(title: str) -> tuple[str, ...]:
    """Returns the phrase of each part of `title` between gaps: one for a title without gaps, none without words."""
    return tuple(words for part in title.split(GAP) if (words := phrase(part)))


def _has_words(spaced: str, title: str) -> bool:
    return all(_spaced(part) in spaced for part in phrases(title))


def _spaced(text: str) -> str:
    return f" {plain_words(text)} "


def plain_words(text: str) -> str:
    """Returns every word of `text` in lower case, one blank apart."""
    return " ".join(_WORD.findall(_plain(text))).casefold()


def holds_any(text: str, titles: Sequence[str]) -> bool:
    """Returns whether `text` holds the words of one of `titles`, in their order."""
    return any(plain_words(title) in plain_words(text) for title in titles)


def question_of(title: str) -> tuple[str, ...]:
    """Returns what a search for `title` looks for: equal for titles that make the same question."""
    return tuple(map(found_form, phrases(title)))


def found_form(text: str) -> str:
    """Returns the words of `text` in the form in which every service finds them: without accents, case and plurals.

    The plurals are those of the first step of Porter's stemmer, https://tartarus.org/martin/PorterStemmer/def.txt , so
    that what is equal here is equal to every service that stems English words.
    """
    parts = unicodedata.normalize("NFD", plain_words(text))
    words = "".join(character for character in parts if not unicodedata.combining(character)).split()
    return " ".join(_PLURAL.sub("", word) if len(word) > _LONGEST_UNSTEMMED else word for word in words)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


def _weight(words: list[str]) -> tuple[int, int]:
    return len(words), sum(map(len, words))


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRules:
    """What one request to a service may hold."""

    most_ids: int  # identifiers
    most_titles: int = 40  # titles: alternatives few enough for one page to hold every hit
    room: int = 6_000  # characters of a title search in the address
    term: str  # a phrase in the query language
    both: str  # between terms that must all be there
    either: str  # between terms of which one is enough

    def titles_query(self, titles: Sequence[str]) -> str:
        """Returns `titles` in the query language: quoted phrases, any of which will do."""
        terms = ([self.term.format(words) for words in phrases(title)] for title in titles)
        return self.either.join(
            f"({self.both.join(parts)})" if len(parts) > 1 else parts[0] for parts in terms if parts
        )

    def room_taken(self, title: str) -> int:
        """Returns how many characters of the address a title takes."""
        return len(quote_plus(self.titles_query([title]) + self.either))


# arXiv states no limit of identifiers, and 642 in one address were too many (HTTP 414). Servers of this kind take 8,000
# characters of address. The language: https://info.arxiv.org/help/api/user-manual.html#query_details .
ARXIV = QueryRules(most_ids=100, term='ti:"{}"', both=" AND ", either=" OR ")

# Semantic Scholar's batches: https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data . Its gateway takes about
# 8,000 characters of address, so that 80 titles mostly fill it; a page of its bulk search has 1,000 hits, of arXiv's
# search here 300. The language: https://api.semanticscholar.org/api-docs/graph#tag/Paper-
# Data/operation/get_graph_paper_bulk_search .
S2 = QueryRules(most_ids=500, most_titles=80, term='"{}"', both=" + ", either=" | ")

# A task asks for a thousand works, in requests of a hundred: what is left out is asked for again together. Few titles
# go into a search, as a page has a hundred hits; an address may have 8,190 bytes. The language:
# https://developers.openalex.org/guides/searching .
OPENALEX = QueryRules(most_ids=1_000, most_titles=25, room=6_000, term='"{}"', both=" AND ", either=" OR ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """One page of an answer."""

    total: int  # how many papers the service says the whole answer has
    papers: tuple[T, ...]  # the papers on this page, in its order
    faults: tuple[PayloadError, ...] = ()  # entries that could not be read; `record` names them where they say it
    token: str | None = None  # asks for the next page; None on the last, and of a service that has none


_HOPELESS = 24  # so many refusals with nothing accepted between them are not due to single items

GiveUp = Callable[[Sequence[str], SourceError], None]


def batches(
    items: Sequence[T], *, most: int, room: int = 0, size: Callable[[T], int] = lambda _: 0
) -> Iterator[list[T]]:
    """Returns `items` in order, in batches of at most `most` items and, but for single items, of `room` by `size`."""
    batch: list[T] = []
    used = 0
    for item in items:
        if batch and (len(batch) == most or used + size(item) > room):
            yield batch
            batch, used = [], 0
        batch.append(item)
        used += size(item)
    if batch:
        yield batch


class Halving:
    """Batch after batch to ask for: `for batch in halving: with halving.attempt(): ask(batch)`.

    One that the service refuses is halved, down to the item at fault. The search asks for half of the suspects at a
    time, and for everybody else together once the culprit is found: log2(n) + 3 requests for one bad item among n, and
    as many for each further one. A refusal is blamed only on an item that was refused alone, unless nothing at all is
    accepted any more. Any other fault costs its own batch; once the service cannot be reached, nothing more is asked.
    `give_up` ignores what it gets twice, and what was answered meanwhile.
    """

    def __init__(self, todo: Iterable[Sequence[str]], *, give_up: GiveUp) -> None:
        self._todo = todo
        self._give_up = give_up
        self._error: SourceError | None = None
        self._refused_in_a_row = 0

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Returns a context in which the batch at hand is asked for; a fault of the service ends in it."""
        self._error = None
        try:
            yield
        except SourceError as error:
            self._error = error

    def put(self, ask: Callable[[Sequence[str]], object]) -> None:
        """Asks for batch after batch; what `ask` raises is a fault of the service."""
        for batch in self:
            with self.attempt():
                ask(batch)

    def __iter__(self) -> Iterator[Sequence[str]]:
        waiting = deque(self._todo)
        while waiting:
            batch = waiting.popleft()
            try:
                left = [*batch]
                while left:
                    suspects: Sequence[str] = left
                    left = []
                    refusal = yield from self._refusal(suspects)
                    while refusal is not None and len(suspects) > 1 and self._refused_in_a_row < _HOPELESS:
                        half, rest = _halves(suspects, swap=self._refused_in_a_row % 2 == 1)
                        if (worse := (yield from self._refusal(half))) is not None:
                            suspects, refusal = half, worse
                            left += rest
                        elif len(rest) > 1:
                            suspects = rest
                        else:
                            suspects, refusal = rest, (yield from self._refusal(rest))
                    if refusal is not None:
                        self._give_up(suspects, refusal)
            except SourceUnreachable as error:
                for lost in (batch, *waiting):
                    self._give_up(lost, error)
                return

    def _refusal(self, items: Sequence[str]) -> Generator[Sequence[str], None, PermanentSourceError | None]:
        """Yields `items` to be asked for; returns a refusal that may be due to some of them."""
        yield items
        error = self._error
        if isinstance(error, SourceUnreachable):
            raise error
        if error is None:
            self._refused_in_a_row = 0
        elif isinstance(error, BatchRefused) or (
            isinstance(error, PermanentSourceError) and error.status in SPLIT_STATUSES
        ):
            self._refused_in_a_row += 1
            return error
        else:
            self._give_up(items, error)
        return None


def _halves(items: Sequence[str], *, swap: bool) -> tuple[Sequence[str], Sequence[str]]:
    """Returns two halves; which comes first alternates, as bad items often stand together."""
    middle = len(items) // 2
    first, second = items[:middle], items[middle:]
    return (second, first) if swap else (first, second)


class Tally(Generic[T]):
    """What became of each item so far; what is found stays found, and a fault touches only what is still open."""

    def __init__(self, requested: Iterable[str]) -> None:
        self.requested = tuple(dict.fromkeys(requested))
        self.found: dict[str, T] = {}
        self.not_found: set[str] = set()
        self.failed: dict[str, SourceError] = {}
        self.left_out: list[SourceError] = []

    def open(self, items: Sequence[str]) -> list[str]:
        """Returns those of `items` of which nothing is known yet, in order."""
        return [i for i in items if i not in self.found and i not in self.not_found and i not in self.failed]

    def note(self, papers: Mapping[str, T]) -> None:
        """Notes what was found; that outweighs a fault met earlier."""
        for item, paper in papers.items():
            self.failed.pop(item, None)
            self.found[item] = paper

    def note_absent(self, items: Sequence[str]) -> None:
        """Notes that the source has none of the open ones among `items`."""
        self.not_found.update(self.open(items))

    def fail(self, items: Sequence[str], error: SourceError) -> None:
        """Notes that the open ones among `items` could not be asked."""
        self.failed.update(dict.fromkeys(self.open(items), error))

    def doubt(self, items: Sequence[str], fault: PayloadError) -> None:
        """Notes an entry that is not believed, which may have answered one of `items`."""
        if self.open(items):
            self.fail(items, fault)
        else:
            self.left_out.append(fault)

    def answer(self) -> BatchAnswer[str, T]:
        """Returns the answer; its sum is checked there."""
        return BatchAnswer(
            requested=self.requested,
            found=self.found,
            not_found=frozenset(self.not_found),
            failed=self.failed,
            left_out=tuple(self.left_out),
        )


class TitleTally(Generic[T]):
    """What a search for titles has brought so far."""

    def __init__(self, requested: Iterable[str]) -> None:
        self.requested = tuple(dict.fromkeys(requested))
        self.papers: dict[str, T] = {}
        self.answered: set[str] = set()
        self.failed: dict[str, SourceError] = {}
        self.left_out: list[SourceError] = []

    def note(self, papers: Mapping[str, T]) -> None:
        """Notes papers found, by their identifier, each once."""
        self.papers.update(papers)

    def note_answered(
        self, titles: Sequence[str], faults: Iterable[PayloadError] = (), sound: Collection[str] = ()
    ) -> None:
        """Notes that `titles` have been answered to the end, but for those that an entry at fault may have answered.

        An answer outweighs a fault met earlier. `faults` are entries that are not believed, `sound` the texts of all
        others.
        """
        doubted: dict[str, SourceError] = {}
        for fault in faults:
            # Those whose words the entry has; where it has those of none, those that no other entry answers.
            text = _spaced(fault.text)
            concerned = [title for title in titles if _has_words(text, title)]
            if not concerned:
                others = [_spaced(text) for text in sound]
                concerned = [title for title in titles if not any(_has_words(text, title) for text in others)]
            doubted |= dict.fromkeys(concerned, fault)
            if not concerned:
                self.left_out.append(fault)
        answered = [title for title in titles if title not in doubted]
        self.answered.update(answered)
        for title in answered:
            self.failed.pop(title, None)
        self.failed.update({title: fault for title, fault in doubted.items() if title not in self.answered})

    def fail(self, titles: Sequence[str], error: SourceError) -> None:
        """Notes that the titles not yet answered among `titles` could not be asked to the end."""
        self.failed.update({title: error for title in titles if title not in self.answered})

    def answer(self) -> TitleAnswer[T]:
        """Returns the answer; its sum is checked there."""
        return TitleAnswer(
            requested=self.requested,
            papers=tuple(self.papers.values()),
            answered=frozenset(self.answered),
            failed=self.failed,
            left_out=tuple(self.left_out),
        )

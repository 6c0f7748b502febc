"""The alignment of two titles, word by word: what is common, and what only one of them has. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from sources.bibliography.lexicon import is_word, opposed
from sources.bibliography.titles import TitleWords
from sources.matching.word_match import compare_words, slipped_apart
from sources.matching.word_meaning import (
    DIRECTIONS,
    LINKING,
    NEGATIONS,
    QUESTIONS,
    SEQUELS,
    are_numerals,
    number_in,
    weight,
)

_MOST_WORDS = 80
_GAP = 10
_SHORTEST_JOINED = 8
_COST = {"same": 0, "variant": 1, "inflected": 2, "typo": 3, "misread": 5, "rival": 8}


@dataclass(frozen=True, slots=True)
class Alignment:
    """What two titles share.

    Attributes:
        extra: Indices of the words that only the mention has.
        missing: Indices of the words that only the candidate has.
        shared: Summed weight of the candidate's words that the mention has; of those mistyped or misread only longer
            ones count, and less.
        typos: How many words match but for a typing error.
        misread: Pairs of indices, the mention's and the candidate's, of words that differ by a letter or two and may be
            different words.
        inflected: How many have another form, such as the plural.
        rivals: The same of words that are different ones, though they look alike.
        variants: How many words match but for spelling or spacing, or state the same number.
        swaps: How many neighbouring words are in the other order.
    """

    extra: tuple[int, ...]
    missing: tuple[int, ...]
    shared: int
    typos: int = 0
    misread: tuple[tuple[int, int], ...] = ()
    inflected: int = 0
    rivals: tuple[tuple[int, int], ...] = ()
    variants: int = 0
    swaps: int = 0


@dataclass(frozen=True, slots=True)
class _Step:
    """One move of the alignment: how many words of each side it takes, and as what."""

    mine: int
    theirs: int
    kind: str


_SKIP_MINE = _Step(1, 0, "extra")
_SKIP_THEIRS = _Step(0, 1, "missing")
_MATCHES = {kind: _Step(1, 1, kind) for kind in _COST}
_SAME = _MATCHES["same"]
_JOINS = tuple(_Step(mine, theirs, "joined") for mine, theirs in ((2, 1), (1, 2), (3, 1), (1, 3), (2, 2)))
_MISTYPED_JOINS = _JOINS[:2]
_SWAP = _Step(2, 2, "swapped")


def align(mine: Sequence[str], theirs: Sequence[str], *, own: frozenset[int] = frozenset()) -> Alignment:
    """Returns the cheapest way to read the mention's words as the candidate's.

    Words match as they are, as variants, mistyped, run together or apart, or with a neighbour in the other order.

    Args:
        mine: The mention's words.
        theirs: The candidate's words.
        own: Indices of the mention's words that are known to be no typing errors: coined, or found in other titles.
    """
    mine, theirs = mine[:_MOST_WORDS], theirs[:_MOST_WORDS]
    return _contained(mine, theirs) or _cheapest(mine, theirs, own)


def _contained(mine: Sequence[str], theirs: Sequence[str]) -> Alignment | None:
    """Returns the alignment of titles of which one begins or ends with the other, None for others.

    Where a word comes twice, the cheapest reading is not the only one; this one is meant.
    """
    short, long = sorted((mine, theirs), key=len)
    if long[: len(short)] == short:
        rest = tuple(range(len(short), len(long)))
    elif long[len(long) - len(short) :] == short:
        rest = tuple(range(len(long) - len(short)))
    else:
        return None
    shared = sum(map(weight, short))
    return Alignment(extra=rest if long is mine else (), missing=rest if long is theirs else (), shared=shared)


@dataclass(frozen=True, slots=True)
class _Titles:
    """Two titles to be aligned, with what it costs to pass over each of their words."""

    mine: Sequence[str]
    theirs: Sequence[str]
    own: frozenset[int]
    my_gaps: Sequence[int]
    their_gaps: Sequence[int]

    def steps(self, i: int, j: int) -> list[tuple[_Step, int]]:
        """Returns every way on from the words `i` and `j`, with its cost."""
        mine, theirs = self.mine, self.theirs
        if i == len(mine):
            return [(_SKIP_THEIRS, self.their_gaps[j])] if j < len(theirs) else []
        if j == len(theirs):
            return [(_SKIP_MINE, self.my_gaps[i])]
        if mine[i] == theirs[j]:
            return [(_SAME, 0), (_SKIP_MINE, self.my_gaps[i]), (_SKIP_THEIRS, self.their_gaps[j])]
        found = [(_SKIP_MINE, self.my_gaps[i]), (_SKIP_THEIRS, self.their_gaps[j])]
        if kind := compare_words(mine[i], theirs[j], own=i in self.own):
            found.append((_MATCHES[kind], _COST[kind]))
        # Equal words begin with the same letter, and so do an acronym and its words; mistyped ones need not.
        joins = _JOINS if mine[i][0] == theirs[j][0] else _MISTYPED_JOINS
        found.extend([(step, 1) for step in joins if _joined(mine, theirs, i, j, step)])
        if mine[i : i + 2] == theirs[j : j + 2][::-1] and _movable(mine[i]) and _movable(mine[i + 1]):
            found.append((_SWAP, 6))
        return found

    def plain_cost(self) -> int:
        """Returns the cost of reading as common only words that are the same, each in the first place that it can."""
        cost, at = sum(self.my_gaps) + sum(self.their_gaps), 0
        for word, gap in zip(self.mine, self.my_gaps, strict=True):
            if word in self.theirs[at:]:
                at = self.theirs.index(word, at) + 1
                cost -= 2 * gap
        return cost

    def straight_cost(self) -> int:
        """Returns the cost of reading as common only what both titles begin and end with."""
        shorter = min(len(self.mine), len(self.theirs))
        head = next((n for n in range(shorter) if self.mine[n] != self.theirs[n]), shorter)
        rest = shorter - head
        tail = next((n for n in range(rest) if self.mine[-1 - n] != self.theirs[-1 - n]), rest)
        mine, theirs = self.my_gaps[head : len(self.mine) - tail], self.their_gaps[head : len(self.theirs) - tail]
        return sum(mine) + sum(theirs)


def _cheapest(mine: Sequence[str], theirs: Sequence[str], own: frozenset[int]) -> Alignment:
    """Returns the cheapest alignment; of several, the one whose steps are found first.

    Paths that cost more than a known alignment are not followed, so that similar titles take few steps.
    """
    titles = _Titles(mine, theirs, own, [_gap(word) for word in mine], [_gap(word) for word in theirs])
    most = min(titles.straight_cost(), titles.plain_cost())
    best: dict[tuple[int, int], tuple[int, _Step | None]] = {(0, 0): (0, None)}
    for at in product(range(len(mine) + 1), range(len(theirs) + 1)):
        if at not in best:
            continue
        i, j = at
        cost = best[at][0]
        for step, price in titles.steps(i, j):
            to, through = (i + step.mine, j + step.theirs), cost + price
            if through <= most and (to not in best or through < best[to][0]):
                best[to] = (through, step)
    return _read_back(mine, theirs, best)


def _gap(word: str) -> int:
    return _GAP if weight(word) else _GAP // 2


def _joined(mine: Sequence[str], theirs: Sequence[str], i: int, j: int, step: _Step) -> bool:
    ours, others = mine[i : i + step.mine], theirs[j : j + step.theirs]
    if len(ours) < step.mine or len(others) < step.theirs:
        return False
    item, other = "".join(ours), "".join(others)
    if item == other or _is_acronym(ours, others) or _is_acronym(others, ours):
        return not _splits_opposite(ours) and not _splits_opposite(others)
    if step.mine + step.theirs != 3 or min(len(item), len(other)) < _SHORTEST_JOINED:
        return False
    if len(ours) > 1 and all(len(word) == 1 or is_word(word) for word in ours):
        return False
    whole, parts = (item, others) if len(ours) == 1 else (other, ours)
    if any(_changes_meaning(word) or opposed(word, whole) for word in (*parts, whole)) or _splits_opposite(parts):
        return False
    return slipped_apart(item, other)


def _splits_opposite(words: Sequence[str]) -> bool:
    """Returns whether joining the words would reverse the meaning: "in dependence" is not "independence"."""
    return len(words) == 2 and words[0] in ("in", "a", "an") and is_word(words[1]) and is_word("".join(words))


def _is_acronym(short: Sequence[str], long: Sequence[str]) -> bool:
    """Returns whether one word is the initials of several: `cnns` of `convolutional neural networks`."""
    if len(short) != 1 or len(long) < 2 or short[0][0] != long[0][0] or are_numerals(short[0], long[0]):
        return False
    initials = "".join(word[0] for word in long)
    return short[0] == initials or (len(initials) > 2 and short[0] == initials + "s" and long[-1].endswith("s"))


def _proof(kind: str, words: Sequence[str]) -> int:
    """Returns what the candidate's words prove that the mention has in this way."""
    if kind == "rival":
        return 0
    if kind == "misread":
        return proof_of_misreading(words[0])
    if kind == "typo":
        return max(0, weight(words[0]) - 1) if len(words[0]) >= 5 else 0
    return sum(map(weight, words))


def proof_of_misreading(word: str) -> int:
    """Returns what a word proves where the other title has what may be another word."""
    return max(0, weight(word) - 2) if len(word) >= 7 else 0


def _movable(word: str) -> bool:
    """Returns whether a word may change places without changing what the title says."""
    return word not in LINKING and not _changes_meaning(word)


def _changes_meaning(word: str) -> bool:
    return word in QUESTIONS or word in NEGATIONS or word in SEQUELS or number_in(word) is not None


def _read_back(
    mine: Sequence[str], theirs: Sequence[str], best: dict[tuple[int, int], tuple[int, _Step | None]]
) -> Alignment:
    extra: list[int] = []
    missing: list[int] = []
    pairs: dict[str, list[tuple[int, int]]] = {"misread": [], "rival": []}
    shared = 0
    counts = dict.fromkeys((*_COST, "joined", "swapped"), 0)
    i, j = len(mine), len(theirs)
    while (step := best[i, j][1]) is not None:
        i, j = i - step.mine, j - step.theirs
        if step.kind == "extra":
            extra.append(i)
        elif step.kind == "missing":
            missing.append(j)
        else:
            shared += _proof(step.kind, theirs[j : j + step.theirs])
            counts[step.kind] += 1
            if step.kind in pairs:
                pairs[step.kind].append((i, j))
    return Alignment(
        extra=tuple(reversed(extra)),
        missing=tuple(reversed(missing)),
        shared=shared,
        typos=counts["typo"],
        misread=tuple(reversed(pairs["misread"])),
        inflected=counts["inflected"],
        rivals=tuple(reversed(pairs["rival"])),
        variants=counts["variant"] + counts["joined"],
        swaps=counts["swapped"],
    )


def are_contrary(title: TitleWords, other: TitleWords, links: Sequence[str], others: Sequence[str]) -> bool:
    """Returns whether two titles of much the same words say the contrary.

    Small words may do that, as "from" and "to"; the order of words that a hyphen or a slash joins, as in French-German
    and German-French; and signs, as of the two mirror images of a molecule.

    Args:
        title: One title.
        other: The other title.
        links: The small words that only `title` has.
        others: Those that only `other` has.
    """
    if not DIRECTIONS.isdisjoint(links) and not DIRECTIONS.isdisjoint(others):
        return True
    if title.signs and other.signs and title.signs != other.signs:
        return True
    mine, theirs = _halves(title), _halves(other)
    return any((second, first) in theirs for first, second in mine - theirs if first != second)


def _halves(title: TitleWords) -> set[tuple[str, str]]:
    return {(title.words[at - 1], title.words[at]) for at in title.joined if at}

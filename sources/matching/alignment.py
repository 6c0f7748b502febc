"""Two titles laid side by side, word by word: what is common, what only one of them says. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from sources.matching.wording import (
    LINKING,
    NEGATIONS,
    QUESTIONS,
    SEQUELS,
    compare_words,
    is_familiar,
    number_in,
    weight,
)

_MOST_WORDS = 80
_GAP = 10
_SHORTEST_JOINED = 8
_COST = {"same": 0, "variant": 1, "typo": 3, "misread": 5}


@dataclass(frozen=True, slots=True)
class Alignment:
    """What two titles share.

    Attributes:
        extra: Indices of the words that only the mention has.
        missing: Indices of the words that only the candidate has.
        shared: Summed weight of the candidate's words that the mention has; of those mistyped or misread only longer
            ones count, and less.
        typos: How many words match but for a slip.
        misread: How many differ by a letter and may be another word.
        variants: How many words match but for spelling, number or spacing.
        swaps: How many neighbouring words stand in the other order.
    """

    extra: tuple[int, ...]
    missing: tuple[int, ...]
    shared: int
    typos: int = 0
    misread: int = 0
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
_JOINS = tuple(_Step(mine, theirs, "joined") for mine, theirs in ((2, 1), (1, 2), (3, 1), (1, 3), (2, 2)))
_SWAP = _Step(2, 2, "swapped")


def align(mine: Sequence[str], theirs: Sequence[str], *, coined: frozenset[int] = frozenset()) -> Alignment:
    """Returns the cheapest way to read the mention's words as the candidate's.

    Words match as they are, as variants, mistyped, run together or apart, or with a neighbour in the other order.

    Args:
        mine: The mention's words.
        theirs: The candidate's words.
        coined: Indices of the mention's words that are made up, and so hardly mistyped.
    """
    mine, theirs = mine[:_MOST_WORDS], theirs[:_MOST_WORDS]
    return _contained(mine, theirs) or _cheapest(mine, theirs, coined)


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


def _cheapest(mine: Sequence[str], theirs: Sequence[str], coined: frozenset[int]) -> Alignment:
    best: dict[tuple[int, int], tuple[int, _Step | None]] = {(0, 0): (0, None)}
    for i, j in product(range(len(mine) + 1), range(len(theirs) + 1)):
        if (i, j) not in best:
            continue
        cost = best[i, j][0]
        for step, price in _steps(mine, theirs, (i, j), coined=i in coined):
            to = (i + step.mine, j + step.theirs)
            if to not in best or cost + price < best[to][0]:
                best[to] = (cost + price, step)
    return _read_back(mine, theirs, best)


def _steps(mine: Sequence[str], theirs: Sequence[str], at: tuple[int, int], *, coined: bool) -> list[tuple[_Step, int]]:
    i, j = at
    if i == len(mine):
        return [(_SKIP_THEIRS, _gap(theirs[j]))] if j < len(theirs) else []
    if j == len(theirs):
        return [(_SKIP_MINE, _gap(mine[i]))]
    if mine[i] == theirs[j]:
        return [(_Step(1, 1, "same"), 0), (_SKIP_MINE, _gap(mine[i])), (_SKIP_THEIRS, _gap(theirs[j]))]
    found = [(_SKIP_MINE, _gap(mine[i])), (_SKIP_THEIRS, _gap(theirs[j]))]
    if kind := compare_words(mine[i], theirs[j], coined=coined):
        found.append((_Step(1, 1, kind), _COST[kind]))
    found.extend((step, 1) for step in _JOINS if _joined(mine, theirs, i, j, step))
    if mine[i : i + 2] == theirs[j : j + 2][::-1] and _movable(mine[i]) and _movable(mine[i + 1]):
        found.append((_SWAP, 6))
    return found


def _gap(word: str) -> int:
    return _GAP if weight(word) else _GAP // 2


def _joined(mine: Sequence[str], theirs: Sequence[str], i: int, j: int, step: _Step) -> bool:
    ours, others = mine[i : i + step.mine], theirs[j : j + step.theirs]
    if len(ours) < step.mine or len(others) < step.theirs:
        return False
    one, other = "".join(ours), "".join(others)
    if _splits_opposite(ours) or _splits_opposite(others):
        return False
    if one == other or _is_acronym(ours, others) or _is_acronym(others, ours):
        return True
    if step.mine + step.theirs != 3 or min(len(one), len(other)) < _SHORTEST_JOINED:
        return False
    return not any(map(_turning, (*ours, *others))) and compare_words(one, other) == "typo"


def _splits_opposite(words: Sequence[str]) -> bool:
    """Returns whether words run together would turn what they say: "in dependence" is not "independence"."""
    return len(words) == 2 and words[0] in ("in", "a") and is_familiar(words[1]) and is_familiar("".join(words))


def _is_acronym(short: Sequence[str], long: Sequence[str]) -> bool:
    """Returns whether one word is the initials of several: `cnns` of `convolutional neural networks`."""
    if len(short) != 1 or len(long) < 2:
        return False
    initials = "".join(word[0] for word in long)
    return short[0] == initials or (len(initials) > 2 and short[0] == initials + "s" and long[-1].endswith("s"))


def _proof(kind: str, words: Sequence[str]) -> int:
    """Returns what the candidate's words prove that the mention has in this way."""
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
    return word not in LINKING and not _turning(word)


def _turning(word: str) -> bool:
    return word in QUESTIONS or word in NEGATIONS or word in SEQUELS or number_in(word) is not None


def _read_back(
    mine: Sequence[str], theirs: Sequence[str], best: dict[tuple[int, int], tuple[int, _Step | None]]
) -> Alignment:
    extra: list[int] = []
    missing: list[int] = []
    shared = 0
    counts = dict.fromkeys(("variant", "typo", "misread", "joined", "swapped"), 0)
    i, j = len(mine), len(theirs)
    while (step := best[i, j][1]) is not None:
        i, j = i - step.mine, j - step.theirs
        if step.kind == "extra":
            extra.append(i)
        elif step.kind == "missing":
            missing.append(j)
        else:
            shared += _proof(step.kind, theirs[j : j + step.theirs])
            counts[step.kind] = counts.get(step.kind, 0) + 1
    return Alignment(
        extra=tuple(reversed(extra)),
        missing=tuple(reversed(missing)),
        shared=shared,
        typos=counts["typo"],
        misread=counts["misread"],
        variants=counts["variant"] + counts["joined"],
        swaps=counts["swapped"],
    )

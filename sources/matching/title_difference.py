"""What only one of two titles says, by where it stands: a name before, a tail behind, or words inside. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sources.bibliography.titles import TitleWords
from sources.matching.word_match import ARTICLES, LINKING, is_familiar, weight

_COINED = re.compile(r"[a-z][A-Z]|[A-Z]{2}|[A-Za-z]\d|\d[A-Za-z]")
LONGEST_NAME = 3
"""Words that a system's name before a title has at most."""


@dataclass(frozen=True, slots=True)
class Residue:
    """The words that only one of two titles has, by the place where they stand.

    Attributes:
        name: A system's name before the title.
        tail: Words after everything that is common.
        at_cut: Whether the tail begins a part of its own.
        inside: Words before or between what is common, articles aside.
        links: Of these, the small words that join others.
    """

    name: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    at_cut: bool = False
    inside: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    @property
    def gap(self) -> int:
        """Returns how many telling words there are, a system's name aside."""
        return sum(weight(word) > 0 for word in self.inside + self.tail)

    def __bool__(self) -> bool:
        return bool(self.name or self.tail or self.inside or self.links)


def residue_of(title: TitleWords, unmatched: Sequence[int], name_ends: AbstractSet[int]) -> Residue:
    """Returns a title's unmatched words by the place where they stand; a name may end at one of `name_ends`."""
    if not unmatched:
        return Residue()
    name = _name_length(title, unmatched, name_ends)
    tail = _tail_start(title, unmatched)
    inside = [title.words[index] for index in unmatched if name <= index < tail and title.words[index] not in ARTICLES]
    front = title.words[unmatched[0]] if unmatched[0] == 0 and not name else ""
    turning = [word for word in inside if word not in LINKING or (word == front == "on")]
    return Residue(
        name=title.words[:name],
        tail=title.words[tail:],
        at_cut=tail in title.cuts,
        inside=tuple(turning),
        links=tuple(word for word in inside if word not in turning),
    )


def _name_length(title: TitleWords, unmatched: Sequence[int], ends: AbstractSet[int]) -> int:
    """Returns how many unmatched words at the front are a system's name: a short first part, or a coined word."""
    run = _leading(unmatched)
    if run and run in ends and run <= LONGEST_NAME:
        return run
    coined = run == 1 and len(title.words) > 1 and is_coined(title.raw[0], title.words[0])
    return 1 if coined else 0


def is_coined(raw: str, word: str) -> bool:
    """Returns whether a word looks made up for one system: capitals or digits inside, and no word of other titles."""
    return not is_familiar(word) and _COINED.search(raw) is not None


def _tail_start(title: TitleWords, unmatched: Sequence[int]) -> int:
    """Returns where the unmatched words that end the title begin; the title's length where it ends matched.

    Of a tail that begins within a part no word is left out, not even an article.
    """
    start = len(title.words)
    for index in reversed(unmatched):
        if index != start - 1:
            break
        start = index
    return start if start else len(title.words)


def without_idle(title: TitleWords, unmatched: Sequence[int], idle: frozenset[str]) -> tuple[int, ...]:
    """Returns the unmatched words without idle ones at the front and at the end."""
    start = _tail_start(title, unmatched)
    front = _leading(unmatched)
    remaining = [index for index in unmatched if front <= index < start]
    tail = [index for index in unmatched if index >= start]
    head = [index for index in unmatched if index < front]
    return (*_unless_idle(title, head, idle), *remaining, *_unless_idle(title, tail, idle))


def _leading(unmatched: Sequence[int]) -> int:
    run = 0
    while run < len(unmatched) and unmatched[run] == run:
        run += 1
    return run


def _unless_idle(title: TitleWords, run: Iterable[int], idle: frozenset[str]) -> list[int]:
    indices = list(run)
    words = [title.words[index] for index in indices]
    proves_nothing = any(word in idle for word in words) and all(word in idle or word in LINKING for word in words)
    return [] if proves_nothing else indices

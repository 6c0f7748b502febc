"""Mentions that a parser found, paired with those that a person labelled, and what that is worth.

A mention is a label's if it stands within two lines of it and has its identifier, its link or nearly its title. Each
is paired once, as many as can be. A pair counts only if its title is the label's and no longer, or its identifier is,
or the list has no title but an address, and it is that.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from sources.records import Mention

Label = dict[str, Any]

_LINES = 2
_ALIKE = 88
_NEUTRAL = frozenset({"book", "resource", "name_only"})


@dataclass(frozen=True, slots=True)
class Score:
    """What a parser made of labelled lists: right pairs, labels that count, mentions that count."""

    right: int
    labels: int
    mentions: int

    def __add__(self, other: Score) -> Score:
        return Score(self.right + other.right, self.labels + other.labels, self.mentions + other.mentions)

    @property
    def strict_f1(self) -> float:
        return 2 * self.right / (self.labels + self.mentions) if self.right else 0.0


def read_labels(path: Path) -> list[Label]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def paired(labels: Sequence[Label], mentions: Sequence[Mention]) -> dict[int, int]:
    """Returns index of label -> index of its mention, papers before what is neutral."""
    near = [[n for n, mention in enumerate(mentions) if _is_of(mention, label)] for label in labels]
    for number, found in enumerate(near):
        found.sort(
            key=lambda n, label=labels[number]: (-_is_right(mentions[n], label), abs(mentions[n].line - label["line"]))
        )
    owner: dict[int, int] = {}

    def take(number: int, tried: set[int]) -> bool:
        for n in near[number]:
            if n not in tried:
                tried.add(n)
                if n not in owner or (_counts(labels[owner[n]]) and take(owner[n], tried)):
                    owner[n] = number
                    return True
        return False

    for number in sorted(range(len(labels)), key=lambda n: not _counts(labels[n])):
        take(number, set())
    return {number: n for n, number in owner.items()}


def score(labels: Sequence[Label], mentions: Sequence[Mention]) -> Score:
    pairs = paired(labels, mentions)
    neutral = sum(not _counts(labels[number]) for number in pairs)
    right = sum(_counts(labels[number]) and _is_right(mentions[n], labels[number]) for number, n in pairs.items())
    return Score(right, sum(map(_counts, labels)), len(mentions) - neutral)


def facts(labels: Sequence[Label], mentions: Sequence[Mention]) -> Counter[str]:
    """Returns how many identifiers and years the mentions of labelled papers give, and how many of them are wrong.

    Identifiers count that can be read in the text, years that the list states.
    """
    found: Counter[str] = Counter()
    for number, n in paired(labels, mentions).items():
        label, mention = labels[number], mentions[n]
        if _counts(label):
            found += _compared("identifiers", label["arxiv_id"] if label["id_in_text"] else None, mention.arxiv_id)
            found += _compared("years", label["year_written"], mention.year)
    found["identifiers"] = sum(_counts(one) and one["id_in_text"] and one["arxiv_id"] is not None for one in labels)
    found["years"] = sum(_counts(one) and one["year_written"] is not None for one in labels)
    return found


def _compared(what: str, labelled: Any, read: Any) -> Counter[str]:
    if labelled is None or read is None:
        return Counter()
    return Counter([f"{what} {'found' if labelled == read else 'wrong'}"])


def sure(labels: Sequence[Label], mentions: Sequence[Mention], *, least: float) -> Counter[str]:
    """Returns how many mentions have at least that confidence, and how many of them are labelled."""
    paired_mentions = set(paired(labels, mentions).values())
    chosen = [n for n, mention in enumerate(mentions) if (mention.confidence or 0.0) >= least]
    return Counter(sure=len(chosen), right=sum(n in paired_mentions for n in chosen))


def _counts(label: Label) -> bool:
    return label["kind"] not in _NEUTRAL


def _is_of(mention: Mention, label: Label) -> bool:
    if abs(mention.line - label["line"]) > _LINES:
        return False
    same_id = label["arxiv_id"] is not None and mention.arxiv_id == label["arxiv_id"]
    same_url = label["url"] is not None and mention.url == label["url"]
    return same_id or same_url or any(_alike(mention.title, name) for name in _names(label))


def _is_right(mention: Mention, label: Label) -> bool:
    if label["arxiv_id"] is not None and mention.arxiv_id == label["arxiv_id"]:
        return True
    title, named = _words(mention.title or ""), [_words(name) for name in _names(label)]
    if not title and mention.url is not None and mention.url == label["url"] and fuzz.ratio(*named) < _ALIKE:
        return True  # the list has an address, or people and year, and no title
    return any(fuzz.ratio(title, name) >= _ALIKE for name in named)


def _names(label: Label) -> tuple[str, str]:
    return label["title"], label["as_written"]


def _alike(title: str | None, name: str) -> bool:
    words, others = _words(title or "").split(), _words(name).split()
    near = min(len(words), len(others)) >= 2 and fuzz.token_set_ratio(" ".join(words), " ".join(others)) >= _ALIKE
    return near or (words == others and bool(words))  # Chinese titles, and some others, are one word


def _words(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).lower()))

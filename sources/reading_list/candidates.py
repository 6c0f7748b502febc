"""The stretches of an entry that may be its title, and what is observed of each.

An entry is cut at every delimiter and edge of mark-up; a candidate is one piece or a few in a row. It is described by
its words, its mark-up and what stands before and behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from string import ascii_letters
from typing import NamedTuple

from sources.reading_list.drafts import Draft
from sources.reading_list.fields.citation_parts import GAP
from sources.reading_list.fields.titles import clean_title
from sources.reading_list.pieces import Cut, delimiter_before, delimiter_behind, joint_of, piece_key
from sources.reading_list.title_model import odds_in_turn, title_odds

_MOST_JOINED = 4
_IN = re.compile(r"(?:[.,;]\s+|\)\s*|^)[iI]n:?\s")
"""What introduces the proceedings or the book that a paper is in."""
_LETTERS = ascii_letters.encode()
_SENTENCE = re.compile(r"(?:\s[\w,()-]+){4}[.!?]\s")
"""The end of a sentence of several words."""
Slot = tuple[str, str, str]
"""Mark-up of a title, what stands before it, and what behind it."""
Facts = tuple[int, ...]
"""What holds of a candidate, in the order of `FACTS`: 1 or 0, or how often."""
Form = tuple[int, int, int, bool, str | None]
"""How many words a candidate has, and at which piece it begins, up to a bound; how many words the first of several
pieces has, 0 where there is one; whether one of them reads like a title; and how it stands if it was read by rule."""
Features = dict[str, float]
"""What is observed, in words, and how much of it."""


class Candidate(NamedTuple):
    """A stretch that may be the title.

    Attributes:
        start: Where it starts in the text of the entry.
        end: Where it ends.
        title: Its words, cleaned.
        slot: Its mark-up and what stands before and behind it.
        numbers: What is measured of it, in the order of `NUMBERS`; empty for the only candidate of an entry.
        facts: What holds of it, in the order of `FACTS`; as the numbers.
        form: How many words it has, where it begins and what it is joined from; None for the only candidate.
        joints: What stands between its pieces.
    """

    start: int
    end: int
    title: str
    slot: Slot
    numbers: tuple[float, ...]
    facts: Facts
    form: Form | None
    joints: Sequence[str]

    @property
    def features(self) -> Features:
        """Returns all that is observed of it."""
        features = features_of_slot(self.slot)
        if self.form is not None:
            features |= {name: number for name, number in zip(NUMBERS, self.numbers, strict=True) if number}
            features |= {odds_as(self.slot): self.numbers[0]}
            features |= features_of_facts(self.facts) | features_of_form(self.form) | Counter(self.joints)
        return features


def candidates_of(draft: Draft, cut: Cut | None, recurring: Mapping[str, int]) -> list[Candidate]:
    """Returns the stretches of the draft's entry that may be its title.

    Args:
        draft: A draft as read by rule; the title that it has is among the candidates, if it is made of whole pieces.
        cut: The draft's entry, cut by `cut_entry`.
        recurring: How often each piece occurs in the list, by `recurring_pieces`.
    """
    if cut is None:
        return []
    stretches = _stretches(draft, cut)
    if len(stretches) == 1:
        ((first, last, title),) = stretches
        slot = _slot(cut, first, last, delimiter_before(cut, first), delimiter_behind(cut, last))
        return [Candidate(cut.pieces[first].start, cut.pieces[last].end, title, slot, (), (), None, ())]
    around = _around(cut, recurring)
    read, found = draft.title, []
    for (first, last, title), value in zip(stretches, _odds_of(stretches), strict=True):
        slot = _slot(cut, first, last, around.before[first], around.after[last])
        numbers = _numbers(around, (first, last), title, value)
        facts = _facts(around, (first, last), title)
        form = _form(around, (first, last), title, draft.citation.how if title == read else None)
        joints = around.joints[first:last]
        start, end = cut.pieces[first].start, cut.pieces[last].end
        found.append(Candidate(start, end, title, slot, numbers, facts, form, joints))
    return found


def _odds_of(stretches: Sequence[tuple[int, int, str]]) -> list[float]:
    """Returns the odds of the words of every stretch; those of single pieces are known from elsewhere."""
    joined = iter(odds_in_turn(title for first, last, title in stretches if first < last))
    return [next(joined) if first < last else title_odds(title) for first, last, title in stretches]


class _Around(NamedTuple):
    """What is known of the pieces of an entry, one after the other.

    Attributes:
        kinds: What kind of words each holds.
        odds: How much each reads like a title.
        recurs: Whether each recurs in the list, as labels and places do.
        before: What stands before each.
        after: What stands behind each.
        joints: What stands between each and the next.
        leads: How many words each has, 4 at most.
        length: How many characters they have together.
        sentence: Which piece is the first behind the end of a sentence; their number where none is.
    """

    kinds: list[str]
    odds: list[float]
    recurs: list[bool]
    before: list[str]
    after: list[str]
    joints: list[str]
    leads: list[int]
    length: int
    sentence: int


def _around(cut: Cut, recurring: Mapping[str, int]) -> _Around:
    count = range(len(cut.pieces))
    words = [cut.words(at) for at in count]
    kinds = [piece.kind for piece in cut.pieces]
    sentence = _SENTENCE.search(cut.entry.text, cut.start, cut.end)
    end = sentence.end() if sentence is not None else cut.end
    return _Around(
        kinds=kinds,
        odds=[
            title_odds(clean_title(text)) if kind == "words" else -8.0 for kind, text in zip(kinds, words, strict=True)
        ],
        recurs=[bool(key := piece_key(text)) and recurring.get(key, 0) >= 3 for text in words],
        before=[delimiter_before(cut, at) for at in count],
        after=[delimiter_behind(cut, at) for at in count],
        joints=[joint_of(cut.entry.text, *pair) for pair in pairwise(cut.pieces)],
        leads=[min(len(text.split()), 4) for text in words],
        length=sum(piece.end - piece.start for piece in cut.pieces),
        sentence=sum(piece.start < end for piece in cut.pieces),
    )


def _stretches(draft: Draft, cut: Cut) -> list[tuple[int, int, str]]:
    """Returns the first and the last piece of every stretch that may be the title, and its words."""
    text, pieces, read, found = cut.entry.text, cut.pieces, draft.title, []
    for first, piece in enumerate(pieces):
        if first > 0 and _IN.search(text, max(piece.start - 6, 0), piece.start + 4):
            continue
        kinds: set[str] = set()
        for last in range(first, min(first + _MOST_JOINED, len(pieces))):
            if last > first and GAP in text[pieces[last - 1].end : pieces[last].start]:
                break
            kinds.add(pieces[last].kind)
            if last > first and "words" not in kinds:
                continue
            title = clean_title(text[piece.start : pieces[last].end])
            people = kinds in ({"names"}, {"imprint"}) or len(kinds) > 2
            if _may_be_title(title) and not (people and title != read):
                found.append((first, last, title))
    return found


def _may_be_title(words: str) -> bool:
    """Returns whether `words` have the length of a title, and letters for half of their signs."""
    if not 3 <= len(words) <= 300:
        return False
    if words.isascii():  # what is left without letters is counted faster than letters are
        return 2 * len(words.encode().translate(None, _LETTERS)) <= len(words)
    return 2 * sum(map(str.isalpha, words)) >= len(words)


def _slot(cut: Cut, first: int, last: int, before: str, after: str) -> Slot:
    start, end = cut.pieces[first].start, cut.pieces[last].end
    how = "plain"
    for a, b, kind in cut.marks:
        if abs(a - start) <= 1 and abs(b - end) <= 1:
            return kind, before, after
        if (a < start < b - 1) or (a + 1 < end < b):
            how = "torn"
    return how, before, after


def features_of_slot(slot: Slot) -> Features:
    """Returns what is observed of a candidate's mark-up and of the delimiters around it."""
    how, before, after = slot
    names = (
        f"as {how}",
        f"behind {before}",
        f"before {after}",
        f"as {how} behind {before}",
        f"as {how} before {after}",
    )
    return dict.fromkeys(names, 1.0)


def odds_as(slot: Slot) -> str:
    """Returns what the odds of a candidate with the mark-up of `slot` are called in the models."""
    return f"as {slot[0]}: odds"


NUMBERS = ("odds", "odds below even", "covers", "better words elsewhere", "good words elsewhere")
"""What the numbers measured of every candidate are called in the models."""


def _numbers(around: _Around, bounds: tuple[int, int], title: str, value: float) -> tuple[float, ...]:
    (first, last), odds = bounds, around.odds
    value = max(-6.0, min(6.0, value))
    best = max([*odds[:first], *odds[last + 1 :], -8.0])
    return (
        value,
        min(value, 0.0),
        len(title) / max(around.length, 1),
        max(0.0, min(best - value, 8.0)),
        max(0.0, min(best, 6.0)),
    )


FACTS = (
    "first",
    "whole",
    "joined",
    "names in it",
    "nothing but names",
    "imprint in it",
    "nothing but imprint",
    "organisation in it",
    "small start",
    "open bracket",
    "begins with what recurs",
    "ends with what recurs",
    "nothing but what recurs",
    "behind what recurs",
    "before what recurs",
    "behind a sentence",
)
"""What the facts about every candidate are called in the models."""


def _facts(around: _Around, bounds: tuple[int, int], title: str) -> Facts:
    (first, last), recurs = bounds, around.recurs
    inner, count = around.kinds[first : last + 1], last + 1 - first
    names, imprints = inner.count("names"), inner.count("imprint")
    return (
        first == 0,
        first == 0 and last == len(recurs) - 1,
        last - first,
        names > 0,
        names == count,
        imprints > 0,
        imprints == count,
        "organisation" in inner,
        title[:1].islower(),
        title.count("(") != title.count(")"),
        recurs[first],
        recurs[last],
        all(recurs[first : last + 1]),
        first > 0 and recurs[first - 1],
        last + 1 < len(recurs) and recurs[last + 1],
        first >= around.sentence,
    )


def features_of_facts(facts: Facts) -> Features:
    """Returns what holds of a candidate, in words."""
    return {name: float(fact) for name, fact in zip(FACTS, facts, strict=True) if fact}


def _form(around: _Around, bounds: tuple[int, int], title: str, how: str | None) -> Form:
    (first, last), count = bounds, title.count(" ") + 1
    count = min(count, 5) if count < 23 else 23
    if first == last:
        return count, min(first, 4), 0, False, how
    return count, min(first, 4), around.leads[first], max(around.odds[first : last + 1]) > 1, how


def features_of_form(form: Form) -> Features:
    """Returns how many words a candidate has, where it begins and what it is joined from, in words."""
    count, first, lead, reads, how = form
    features = {f"words {count}": 1.0, f"piece {first}": 1.0}
    if lead:
        features[f"joined to a lead of {lead}"] = 1.0
    if reads:
        features["joined words that are a title"] = 1.0
    if how is not None:
        features |= {"as read by rule": 1.0, f"as read by rule: {how}": 1.0}
    return features

"""The stretches of an entry that may be its title, and what is observed of each.

An entry is cut at every delimiter and edge of mark-up; a candidate is one piece or a few in a row. It is described by
its words, its mark-up and what stands before and behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from string import ascii_letters
from typing import NamedTuple

from sources.reading_list.candidate_features import (
    BEHIND_A_SENTENCE,
    NUMBERS,
    OPEN_BRACKET,
    SMALL_START,
    WHOLE,
    Facts,
    Features,
    Form,
    Slot,
    facts_by_kinds,
    facts_by_recurring,
    features_of_facts,
    features_of_form,
    features_of_slot,
    odds_as,
)
from sources.reading_list.drafts import Draft
from sources.reading_list.fields.citation_parts import GAP
from sources.reading_list.fields.title_model import SURE, odds_in_turn, title_odds
from sources.reading_list.fields.titles import clean_title
from sources.reading_list.pieces import Cut, piece_key

_MOST_JOINED = 4
_APART = frozenset(("joint gap", "joint line", "joint ,", "joint .", "joint ;", "joint |"))
"""What stands between a title and words that do not go on from it."""
_PARTING = frozenset(("joint .", "joint -", "joint –", "joint —"))
_IN = re.compile(r"(?:[.,;]\s+|\)\s*|^)[iI]n:?\s")
"""What introduces the proceedings or the book that a paper is in."""
_NO_TITLES = ({"names"}, {"imprint"})
"""Kinds of pieces that make up no title by themselves."""
_LETTERS = ascii_letters.encode()
_SENTENCE = re.compile(r"(?:\s[\w,()-]++){4}[.!?]\s")
"""The end of a sentence of several words."""
_STOP = re.compile(r"[.!?]\s")


class Candidate(NamedTuple):
    """A stretch that may be the title.

    Attributes:
        start: Where it starts in the text of the entry.
        end: Where it ends.
        title: Its words, cleaned.
        slot: Its mark-up and what stands before and behind it.
        numbers: What is measured of it, in the order of `NUMBERS`; empty for the only candidate of an entry.
        facts: What holds of it.
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
    joints: tuple[str, ...]

    @property
    def features(self) -> Features:
        """Returns all that is observed of it."""
        features = features_of_slot(self.slot)
        if self.form is not None:
            features |= {name: number for name, number in zip(NUMBERS, self.numbers, strict=True) if number}
            features |= {odds_as(self.slot): self.numbers[0]}
            features |= features_of_facts(self.facts) | features_of_form(self.form) | Counter(self.joints)
        return features


def candidates_of(
    draft: Draft, cut: Cut | None, recurring: Mapping[str, int], *, every: bool = False
) -> list[Candidate]:
    """Returns the stretches of the draft's entry that may be its title.

    Args:
        draft: A draft as read by rule; the title that it has is among the candidates, if it is made of whole pieces.
        cut: The draft's entry, cut by `cut_entry`.
        recurring: How often each piece occurs in the list, by `recurring_pieces`.
        every: Whether other stretches count beside a title that leaves no doubt, as the model is taught.
    """
    if cut is None:
        return []
    stretches = (not every and _sure_title(draft, cut)) or _stretches(draft, cut)
    if not stretches:
        return []
    if len(stretches) == 1:
        ((first, last, title),) = stretches
        slot = _slot(cut, first, last)
        return [Candidate(cut.pieces[first].start, cut.pieces[last].end, title, slot, (), 0, None, ())]
    values = odds_in_turn([title for _, _, title in stretches])
    around = _around(cut, recurring, zip(stretches, values, strict=True))
    read, how = draft.title, draft.citation.how
    return [
        _candidate(cut, around, stretch, value, how if stretch[2] == read else None)
        for stretch, value in zip(stretches, values, strict=True)
    ]


class _Around(NamedTuple):
    """What is known of the pieces of an entry, one after the other.

    Attributes:
        kinds: What kind of words each holds, by its initial.
        recurs: 1 for each that recurs in the list, as labels and places do, and 0 for others and at both ends.
        odds: How much each reads like a title.
        best_before: The best odds of the pieces before each.
        best_behind: The best odds of each and those behind it.
        length: How many characters they have together.
        sentence: Which piece is the first behind the end of a sentence; their number where none is.
    """

    kinds: str
    recurs: str
    odds: list[float]
    best_before: list[float]
    best_behind: list[float]
    length: int
    sentence: int


def _around(cut: Cut, recurring: Mapping[str, int], known: Iterable[tuple[tuple[int, int, str], float]]) -> _Around:
    """Returns what is known of the pieces of `cut`, given the odds of stretches, of which most are a piece each."""
    pieces = cut.pieces
    alone = {first: odds for (first, last, _), odds in known if first == last}
    odds = [
        -8.0 if piece.kind != "words" else alone[at] if at in alone else title_odds(clean_title(cut.texts[at]))
        for at, piece in enumerate(pieces)
    ]
    recurs = ["1" if (key := piece_key(text)) and recurring.get(key, 0) >= 3 else "0" for text in cut.texts]
    text = cut.entry.text
    sentence = _SENTENCE.search(text, cut.start, cut.end) if _STOP.search(text, cut.start, cut.end) else None
    end = sentence.end() if sentence is not None else cut.end
    return _Around(
        kinds="".join([piece.kind[0] for piece in pieces]),
        recurs=f"0{''.join(recurs)}0",
        odds=odds,
        best_before=[*accumulate(odds, max, initial=-8.0)],
        best_behind=[*accumulate(reversed(odds), max, initial=-8.0)][::-1],
        length=sum([piece.end - piece.start for piece in pieces]),
        sentence=sum([piece.start < end for piece in pieces]),
    )


def _sure_title(draft: Draft, cut: Cut) -> list[tuple[int, int, str]]:
    """Returns the title as read by rule, if its mark-up and its words leave no doubt: no others are weighed then.

    It is marked up from end to end, a paper's link is on it or beside it, and no further words go on from it.
    """
    title, pieces = draft.title or "", cut.pieces
    if not draft.paper_links or title_odds(title) < SURE:
        return []
    for start, end, _ in cut.marks:
        inside = [at for at, piece in enumerate(pieces) if start <= piece.start and piece.end <= end]
        if inside and clean_title(cut.entry.text[pieces[inside[0]].start : pieces[inside[-1]].end]) == title:
            last = inside[-1]
            goes_on = last + 1 < len(pieces) and pieces[last + 1].kind == "words"
            whole = not goes_on or cut.parted.joints[last] in _APART
            return [(inside[0], last, title)] if whole else []
    return []


def _stretches(draft: Draft, cut: Cut) -> list[tuple[int, int, str]]:
    """Returns the first and the last piece of every stretch that may be the title, and its words.

    A title goes on behind a stop or a dash only where that read by rule does: of others hardly any ever did.
    """
    text, pieces, read, found = cut.entry.text, cut.pieces, draft.title, []
    inside = range(draft.citation.start, draft.citation.end)
    for first, piece in enumerate(pieces):
        start = max(piece.start - 6, 0)
        if first > 0 and "n" in text[start : piece.start + 4] and _IN.search(text, start, piece.start + 4):
            continue
        kinds: set[str] = set()
        for last in range(first, min(first + _MOST_JOINED, len(pieces))):
            if last > first:
                end = pieces[last - 1].end
                parted = cut.parted.joints[last - 1] in _PARTING and end not in inside
                if parted or GAP in text[end : pieces[last].start]:
                    break
            kinds.add(pieces[last].kind)
            if last > first and "words" not in kinds:
                continue
            title = clean_title(text[piece.start : pieces[last].end])
            people = len(kinds) > 2 or kinds in _NO_TITLES
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


def _slot(cut: Cut, first: int, last: int) -> Slot:
    start, end = cut.pieces[first].start, cut.pieces[last].end
    before, after = cut.parted.before[first], cut.parted.behind[last]
    how = "plain"
    for a, b, kind in cut.marks:
        if abs(a - start) <= 1 and abs(b - end) <= 1:
            return kind, before, after
        if (a < start < b - 1) or (a + 1 < end < b):
            how = "torn"
    return how, before, after


def _candidate(cut: Cut, around: _Around, stretch: tuple[int, int, str], value: float, how: str | None) -> Candidate:
    """Returns the candidate that a stretch is, whose words have the odds `value`; `how` it stands if read by rule."""
    first, last, title = stretch
    facts = facts_by_kinds[around.kinds[first : last + 1]] | facts_by_recurring[around.recurs[first : last + 3]]
    if first == 0:
        facts |= 1 | (last + 1 == len(around.kinds) and WHOLE)
    if title[0].islower():
        facts |= SMALL_START
    if ("(" in title or ")" in title) and title.count("(") != title.count(")"):
        facts |= OPEN_BRACKET
    if first >= around.sentence:
        facts |= BEHIND_A_SENTENCE
    value = -6.0 if value < -6.0 else 6.0 if value > 6.0 else value
    best = max(around.best_before[first], around.best_behind[last + 1])
    better = best - value
    numbers = (
        value,
        value if value < 0.0 else 0.0,
        len(title) / around.length,
        0.0 if better < 0.0 else 8.0 if better > 8.0 else better,
        0.0 if best < 0.0 else 6.0 if best > 6.0 else best,
    )
    count, lead, reads = title.count(" ") + 1, 0, False
    if first < last:
        lead = min(len(cut.texts[first].split()), 4)
        reads = max(around.odds[first : last + 1]) > 1
    form = count if count < 5 else 5 if count < 23 else 23, first if first < 4 else 4, lead, reads, how
    slot = _slot(cut, first, last)
    start, end = cut.pieces[first].start, cut.pieces[last].end
    return Candidate(start, end, title, slot, numbers, facts, form, cut.parted.joints[first:last])

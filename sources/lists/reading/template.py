"""Chooses the title of each entry among its candidates, weighed together over a run of entries.

Every candidate is weighed by a linear model. A second model also sees which slot (mark-up and delimiters) the other
entries of the run favour, so that siblings decide together. The weights are in data/template.json; `make model` learns
them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import accumulate
from operator import mul
from string import ascii_letters
from typing import NamedTuple

from sources.lists.reading.before_title import read_tail
from sources.lists.reading.citation_parts import GAP, Citation
from sources.lists.reading.document import Block
from sources.lists.reading.drafts import Draft, read_before
from sources.lists.reading.pieces import Cut, cut_entry, piece_key, recurring_pieces
from sources.lists.reading.title_model import LIKELY, NO_TITLE, SURE, clean_title, title_odds
from sources.text import counted

# What is observed of a stretch that may be a title: its slot, its pieces, its form, named as the models do.


Slot = tuple[str, str, str]  # mark-up of a title, what stands before it, and what behind it
# What holds of a candidate: a bit for each of `FACTS`, and above them how many pieces are joined to its first.
Facts = int
# How many words a candidate has, and at which piece it begins, up to a bound; how many words the first of several
# pieces has, 0 where there is one; whether one of them reads like a title; and how it stands if it was read by rule.
Form = tuple[int, int, int, bool, str | None]
Features = dict[str, float]  # what is observed, in words, and how much of it


def features_of_slot(slot: Slot) -> Features:
    """Returns what is observed of a candidate's mark-up and of the delimiters around it."""
    how, before, after = slot
    names = f"as {how}", f"behind {before}", f"before {after}", f"as {how} behind {before}", f"as {how} before {after}"
    return dict.fromkeys(names, 1.0)


def odds_as(slot: Slot) -> str:
    """Returns what the odds of a candidate with the mark-up of `slot` are called in the models."""
    return f"as {slot[0]}: odds"


# What the numbers measured of every candidate are called in the models.
NUMBERS = ("odds", "odds below even", "covers", "better words elsewhere", "good words elsewhere")


# What the facts about every candidate are called in the models.
FACTS = (
    "first",
    "whole",
    "small start",
    "open bracket",
    "behind a sentence",
    "names in it",
    "nothing but names",
    "imprint in it",
    "nothing but imprint",
    "organisation in it",
    "begins with what recurs",
    "ends with what recurs",
    "nothing but what recurs",
    "behind what recurs",
    "before what recurs",
)


# The bits of four of the facts.
WHOLE, SMALL_START, OPEN_BRACKET, BEHIND_A_SENTENCE = (1 << FACTS.index(name) for name in FACTS[1:5])
_OF_KINDS, _OF_RECURRING = FACTS.index("names in it"), FACTS.index("begins with what recurs")


@cache
def facts_by_kinds(kinds: str) -> Facts:
    """Returns what holds of a candidate whose pieces are of the `kinds`, given by their initials."""
    found = "n" in kinds, set(kinds) == {"n"}, "i" in kinds, set(kinds) == {"i"}, "o" in kinds
    return sum(holds << at for at, holds in enumerate(found, _OF_KINDS)) | (len(kinds) - 1) << len(FACTS)


@cache
def facts_by_recurring(recurs: str) -> Facts:
    """Returns what holds of a candidate, given which of its pieces and of those next to it recur."""
    inner = recurs[1:-1]
    found = (sign == "1" for sign in (inner[0], inner[-1], min(inner), recurs[0], recurs[-1]))
    return sum(holds << at for at, holds in enumerate(found, _OF_RECURRING))


def features_of_facts(facts: Facts) -> Features:
    """Returns what holds of a candidate, in words."""
    features = {name: 1.0 for at, name in enumerate(FACTS) if facts >> at & 1}
    return features | ({"joined": float(facts >> len(FACTS))} if facts >> len(FACTS) else {})


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


# The stretches of an entry that may be its title, and what is observed of each.
#
# An entry is cut at every delimiter and edge of mark-up; a candidate is one piece or a few in a row. It is
# described by its words, its mark-up and what stands before and behind it.


_MOST_JOINED = 4
# What stands between a title and words that do not go on from it.
_APART = frozenset(("joint gap", "joint line", "joint ,", "joint .", "joint ;", "joint |"))
_PARTING = frozenset(("joint .", "joint -", "joint –", "joint —"))
_IN = re.compile(r"(?:[.,;]\s+|\)\s*|^)[iI]n:?\s")  # what introduces the proceedings or the book that a paper is in
_NO_TITLES = ({"names"}, {"imprint"})  # kinds of pieces that make up no title by themselves
_LETTERS = ascii_letters.encode()
_SENTENCE = re.compile(r"(?:\s[\w,()-]++){4}[.!?]\s")  # the end of a sentence of several words
_STOP = re.compile(r"[.!?]\s")


class Candidate(NamedTuple):
    """A stretch that may be the title."""

    start: int  # where it starts in the text of the entry
    end: int  # where it ends
    title: str  # its words, cleaned
    slot: Slot  # its mark-up and what stands before and behind it
    # what is measured of it, in the order of `NUMBERS`; empty for the only candidate of an entry
    numbers: tuple[float, ...]
    facts: Facts  # what holds of it
    form: Form | None  # how many words it has, where it begins and what it is joined from; None for the only candidate
    joints: tuple[str, ...]  # what stands between its pieces

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
    values = [title_odds(title) for _, _, title in stretches]
    around = _around(cut, recurring, zip(stretches, values, strict=True))
    read, how = draft.title, draft.citation.how
    return [
        _candidate(cut, around, stretch, value, how if stretch[2] == read else None)
        for stretch, value in zip(stretches, values, strict=True)
    ]


class _Around(NamedTuple):
    """What is known of the pieces of an entry, one after the other."""

    kinds: str  # what kind of words each holds, by its initial
    recurs: str  # 1 for each that recurs in the list, as labels and places do, and 0 for others and at both ends
    odds: list[float]  # how much each reads like a title
    best_before: list[float]  # the best odds of the pieces before each
    best_behind: list[float]  # the best odds of each and those behind it
    length: int  # how many characters they have together
    sentence: int  # which piece is the first behind the end of a sentence; their number where none is


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
    facts = facts_by_kinds(around.kinds[first : last + 1]) | facts_by_recurring(around.recurs[first : last + 3])
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


_IN_PROSE = -2.0  # logarithm of the odds below which the words beside an identifier in prose are no title
_LONG = 8  # how many words, less one, are a stretch of prose and no short name


@dataclass(frozen=True, eq=False, slots=True)
class TemplateModel:
    """The weights of candidates by themselves, of candidates in their run, and what another title must be better by."""

    alone: Mapping[str, float]
    together: Mapping[str, float]
    margin: float


@lru_cache(maxsize=1)
def template_model() -> TemplateModel:
    """Returns the model in the package."""
    data = json.loads(resources.files("sources.lists.reading").joinpath("data/template.json").read_text("utf-8"))
    return TemplateModel(data["alone"], data["together"], data["margin"])


def choose_titles(
    blocks: Sequence[Block], drafts: Sequence[Sequence[Draft]], model: TemplateModel | None = None
) -> str | None:
    """Gives every draft the title that its run favours; returns the slot that most titles have, in words."""
    model = model or template_model()
    flat = [draft for some in drafts for draft in some]
    cuts = [cut_entry(draft) for draft in flat]
    recurring = recurring_pieces(cuts)
    found = [candidates_of(draft, cut, recurring) for draft, cut in zip(flat, cuts, strict=True)]
    weight_of = _weights(model).of
    weights = [[*map(weight_of, some)] for some in found]
    of_run = [model.together.get(name, 0.0) for name in OF_RUN]
    around = slot_features([run_of(blocks, draft) for draft in flat], found, [[own for own, _ in w] for w in weights])
    slots: Counter[Slot] = Counter()
    for draft, candidates, own, further in zip(flat, found, weights, around, strict=True):
        if candidates:
            scored = [mine + sum(map(mul, of_run, more)) for (_, mine), more in zip(own, further, strict=True)]
            slots[_choose(draft, candidates, scored, model.margin).slot] += 1
    if not slots:
        return None
    ((markup, before, after), count), *_ = slots.most_common(1)
    return f"title {markup}, behind {before}, before {after} ({count} of {counted(slots.total(), 'entry')})"


_bounded = lru_cache(maxsize=32768)


class _Weights:
    """What candidates weigh by a model. What a slot, facts or a form weigh is found out when they are first met."""

    def __init__(self, model: TemplateModel) -> None:
        self._model = model
        self._slots = _bounded(self._of_slot)
        self._facts = _bounded(lambda facts: self._both(features_of_facts(facts)))
        self._forms = _bounded(lambda form: self._both(features_of_form(form)))
        self._joints = _bounded(lambda some: self._both(Counter(some)))
        self._alone = [model.alone.get(name, 0.0) for name in NUMBERS]
        self._together = [model.together.get(name, 0.0) for name in NUMBERS]

    def of(self, candidate: Candidate) -> tuple[float, float]:
        """Returns the logarithms of the odds of `candidate` by itself and beside its run, each up to a constant."""
        _, _, _, slot, numbers, facts, form, joints = candidate
        if form is None:
            return 0.0, 0.0  # the only candidate of its entry
        slot_alone, slot_together, odds_alone, odds_together = self._slots(slot)
        facts_alone, facts_together = self._facts(facts)
        form_alone, form_together = self._forms(form)
        joints_alone, joints_together = self._joints(joints)
        alone = slot_alone + facts_alone + form_alone + joints_alone
        together = slot_together + facts_together + form_together + joints_together
        alone += odds_alone * numbers[0] + sum(map(mul, self._alone, numbers))
        return alone, together + odds_together * numbers[0] + sum(map(mul, self._together, numbers))

    def _of_slot(self, slot: Slot) -> tuple[float, float, float, float]:
        """Returns what `slot` weighs in both models, and what the odds weigh further in it."""
        return (*self._both(features_of_slot(slot)), *self._both({odds_as(slot): 1.0}))

    def _both(self, features: Mapping[str, float]) -> tuple[float, float]:
        return weighted(self._model.alone, features), weighted(self._model.together, features)


@lru_cache(maxsize=4)
def _weights(model: TemplateModel) -> _Weights:
    return _Weights(model)


def _choose(draft: Draft, candidates: Sequence[Candidate], scores: Sequence[float], margin: float) -> Candidate:
    """Returns the title that `draft` keeps or gets: another than that read by rule must be better by `margin`.

    An identifier in prose that holds nothing like a title has none.
    """
    best = max(range(len(scores)), key=scores.__getitem__)
    if draft.is_identified and _is_prose(draft) and title_odds(candidates[best].title) < _IN_PROSE:
        draft.citation.title = None
        return candidates[best]
    read = draft.title
    present = next((at for at, item in enumerate(candidates) if item.title == read), None)
    if draft.citation.in_lines or candidates[best].start < draft.authors_end:
        stays = True
    elif read is None:
        stays = title_odds(candidates[best].title) < LIKELY
    elif present is not None:
        stays = scores[best] - scores[present] < margin
    else:
        stays = title_odds(read) > NO_TITLE
    if stays:
        return candidates[present if present is not None else best]
    read_title(draft, candidates[best])
    return candidates[best]


def _is_prose(draft: Draft) -> bool:
    """Returns whether the title read by rule is a long stretch of words without mark-up, and no title at all."""
    words = draft.title or ""
    return draft.citation.how == "text" and words.count(" ") >= _LONG and title_odds(words) < NO_TITLE


def run_of(blocks: Sequence[Block], draft: Draft) -> tuple[int, str, int]:
    """Returns the run of siblings that a draft belongs to: entries of one kind and depth in one list or table."""
    block = blocks[draft.block]
    return block.group, block.kind, block.depth


def weighted(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Returns the weighted sum of `features`, whatever their order; a feature without weight counts nothing."""
    weight_of = weights.get
    return math.fsum([weight * value for name, value in features.items() if value and (weight := weight_of(name))])


# What the shares of a run that favour a slot, its beginning and its mark-up are called in the model.
OF_RUN = ("slot of the run", "slot and lead of the run", "mark-up of the run")

OfRun = tuple[float, ...]  # the shares, in the order of `OF_RUN`; empty where the run has no other entry


def slot_features(
    runs: Sequence[object], candidates: Sequence[Sequence[Candidate]], scores: Sequence[Sequence[float]]
) -> list[list[OfRun]]:
    """Returns for every candidate which share of the other entries of its run favours its slot."""
    numbers: dict[Sequence[str], int] = defaultdict(lambda: len(numbers))
    parts = {
        slot: (numbers[slot], numbers[slot[:2]], numbers[slot[:1]])  # a number is looked up faster than a tuple
        for slot in dict.fromkeys([candidate.slot for some in candidates for candidate in some])
    }
    places = [[parts[candidate.slot] for candidate in some] for some in candidates]
    shares = [_favoured(some, softmax(values)) for some, values in zip(places, scores, strict=True)]
    total: dict[object, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    count: Counter[object] = Counter(run for run, some in zip(runs, candidates, strict=True) if some)
    for run, mine in zip(runs, shares, strict=True):
        of_run = total[run]
        for part, share in mine.items():
            of_run[part] += share
    result: list[list[OfRun]] = []
    for run, some, own in zip(runs, places, shares, strict=True):
        others, of_run = count[run] - 1, total[run]
        if others <= 0:
            result.append([()] * len(some))
            continue
        of_others = {part: (of_run[part] - share) / (others + 2.0) for part, share in own.items()}
        result.append([(of_others[slot], of_others[lead], of_others[markup]) for slot, lead, markup in some])
    return result


def _favoured(places: Sequence[tuple[int, int, int]], shares: Sequence[float]) -> dict[int, float]:
    """Returns how far one entry favours each slot, and each beginning of a slot, by their numbers."""
    favoured: dict[int, float] = defaultdict(float)
    for (slot, lead, markup), share in zip(places, shares, strict=True):
        favoured[slot] += share
        favoured[lead] += share
        favoured[markup] += share
    return favoured


def softmax(values: Sequence[float]) -> list[float]:
    """Returns the shares that `values`, logarithms of odds, stand for."""
    if not values:
        return []
    highest = max(values)
    powers = [math.exp(value - highest) for value in values]
    total = sum(powers)
    return [power / total for power in powers]


def read_title(draft: Draft, candidate: Candidate) -> None:
    """Makes the stretch of `candidate` the title of `draft`, and reads what stands before and behind it afresh."""
    if draft.source is None:
        return
    entry, (start, end, _, _) = draft.source
    before = entry.text[start : candidate.start]
    old = draft.citation
    found = Citation(title=candidate.title, start=candidate.start, end=candidate.end, label=old.label)
    found.how = candidate.slot[0] if candidate.slot[0] not in ("plain", "torn") else "text"
    found.quoted, found.scheduled = found.how == "quoted", old.scheduled
    if before.strip(GAP + " \n"):
        read_before(before, found)
    words = candidate.title.lower()
    if not any(name.lower() in words for name in old.authors):
        found.authors = found.authors or old.authors
    found.year = found.year if found.year is not None else old.year
    found.venue = found.venue or (old.venue if old.venue and old.venue.lower() not in words else None)
    found.name = old.name if old.name and old.name.lower() not in words else None
    draft.citation = found
    read_tail(entry.text[:end], entry.marks, candidate.end, draft.citation)
    links = draft.all_links
    draft.title_link = next((link for link in links if link.own and link.start <= candidate.start < link.end), None)
    draft.links = [link for link in links if link is not draft.title_link]
    draft.line = entry.line_at(candidate.start)
    draft.first_line = min(draft.first_line, draft.line)
    draft.odds = title_odds(candidate.title)

"""Which words of an entry are the title: its candidates, weighed together over a run of entries.

Every candidate is weighed by a linear model. A second model also sees which slot (mark-up and delimiters) the other
entries of the run favour, so that siblings decide together. The weights are in data/template.json; `make model` learns
them.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from operator import mul

from sources.memory import Memory
from sources.reading_list.candidate_features import (
    NUMBERS,
    Facts,
    Form,
    Slot,
    features_of_facts,
    features_of_form,
    features_of_slot,
    odds_as,
)
from sources.reading_list.candidates import Candidate, candidates_of
from sources.reading_list.drafts import Draft, read_before
from sources.reading_list.fields.after_title import read_tail
from sources.reading_list.fields.citation_parts import GAP, Citation
from sources.reading_list.fields.title_model import LIKELY, NO_TITLE, title_odds
from sources.reading_list.markdown.document import Block
from sources.reading_list.pieces import cut_entry, recurring_pieces
from sources.text import counted

_IN_PROSE = -2.0
"""Logarithm of the odds below which the words beside an identifier in prose are no title."""
_LONG = 8
"""How many words, less one, are a stretch of prose and no short name."""


@dataclass(frozen=True, eq=False, slots=True)
class TemplateModel:
    """The weights of candidates by themselves, of candidates in their run, and what another title must be better by."""

    alone: Mapping[str, float]
    together: Mapping[str, float]
    margin: float


@lru_cache(maxsize=1)
def template_model() -> TemplateModel:
    """Returns the model in the package."""
    data = json.loads(resources.files("sources.reading_list").joinpath("data/template.json").read_text("utf-8"))
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


class _Weights:
    """What candidates weigh by a model. What a slot, facts or a form weigh is found out when they are first met."""

    def __init__(self, model: TemplateModel) -> None:
        self._model = model
        self._slots: Memory[Slot, tuple[float, float, float, float]] = Memory(self._of_slot)
        self._facts: Memory[Facts, tuple[float, float]] = Memory(lambda facts: self._both(features_of_facts(facts)))
        self._forms: Memory[Form, tuple[float, float]] = Memory(lambda form: self._both(features_of_form(form)))
        self._joints: Memory[tuple[str, ...], tuple[float, float]] = Memory(lambda some: self._both(Counter(some)))
        self._alone = [model.alone.get(name, 0.0) for name in NUMBERS]
        self._together = [model.together.get(name, 0.0) for name in NUMBERS]

    def of(self, candidate: Candidate) -> tuple[float, float]:
        """Returns the logarithms of the odds of `candidate` by itself and beside its run, each up to a constant."""
        _, _, _, slot, numbers, facts, form, joints = candidate
        if form is None:
            return 0.0, 0.0  # the only candidate of its entry
        slot_alone, slot_together, odds_alone, odds_together = self._slots[slot]
        facts_alone, facts_together = self._facts[facts]
        form_alone, form_together = self._forms[form]
        joints_alone, joints_together = self._joints[joints]
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


OF_RUN = ("slot of the run", "slot and lead of the run", "mark-up of the run")
"""What the shares of a run that favour a slot, its beginning and its mark-up are called in the model."""

OfRun = tuple[float, ...]
"""The shares, in the order of `OF_RUN`; empty where the run has no other entry."""


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
    draft.citation = _citation(draft.citation, candidate, before)
    read_tail(entry.text[:end], entry.marks, candidate.end, draft.citation)
    links = draft.all_links
    draft.title_link = next((link for link in links if link.own and link.start <= candidate.start < link.end), None)
    draft.links = [link for link in links if link is not draft.title_link]
    draft.line = entry.line_at(candidate.start)
    draft.first_line = min(draft.first_line, draft.line)
    draft.odds = title_odds(candidate.title)


def _citation(old: Citation, candidate: Candidate, before: str) -> Citation:
    """Returns what is known with the new title: what stands before it, and of the old what is not in the title."""
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
    return found

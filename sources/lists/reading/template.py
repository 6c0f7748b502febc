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

from sources.bibliography.titles import ends_with_part
from sources.lists.reading.before_title import read_tail
from sources.lists.reading.citation_parts import GAP, Citation
from sources.lists.reading.document import Block
from sources.lists.reading.drafts import Draft, read_before
from sources.lists.reading.pieces import Cut, cut_entry, piece_key, recurring_pieces
from sources.lists.reading.title_model import LIKELY, NO_TITLE, SURE, clean_title, title_odds
from sources.text import counted

# The stretches of an entry that may be its title, and what is observed of each, named as the models do: an entry is cut
# at every delimiter and edge of mark-up, and a candidate is one piece or a few in a row.

Slot = tuple[str, str, str]  # mark-up of a title, what stands before it, and what behind it
Features = dict[str, float]  # what is observed, in words, and how much of it
# What the numbers measured of every candidate are called in the models.
NUMBERS = ("odds", "odds below even", "covers", "better words elsewhere", "good words elsewhere")


@cache
def _facts_of_pieces(kinds: str, recurs: str) -> tuple[str, ...]:
    """Returns what holds of pieces of the `kinds`, by initials; `recurs` is of these and of those next to them."""
    inner = recurs[1:-1]
    facts = {
        "names in it": "n" in kinds,
        "nothing but names": set(kinds) == {"n"},
        "imprint in it": "i" in kinds,
        "nothing but imprint": set(kinds) == {"i"},
        "organisation in it": "o" in kinds,
        "begins with what recurs": inner[0] == "1",
        "ends with what recurs": inner[-1] == "1",
        "nothing but what recurs": "0" not in inner,
        "behind what recurs": recurs[0] == "1",
        "before what recurs": recurs[-1] == "1",
    }
    return *(name for name, holds in facts.items() if holds), *["joined"] * (len(kinds) - 1)


@lru_cache(maxsize=4096)
def _facts_of_place(slot: Slot, words: int, first: int, lead: int, read_as: str | None) -> tuple[str, ...]:
    """Returns what holds of a candidate of so many words from the piece `first` on, after a `lead` of so many words."""
    how, before, after = slot
    slots = f"as {how}", f"behind {before}", f"before {after}", f"as {how} behind {before}", f"as {how} before {after}"
    place = f"words {words if words < 5 else 5 if words < 23 else 23}", f"piece {min(first, 4)}"
    joined = [f"joined to a lead of {lead}"] if lead else []
    return *slots, *place, *joined, *(["as read by rule", f"as read by rule: {read_as}"] if read_as is not None else [])


_MOST_JOINED = 4
# What stands between a title and words that do not go on from it.
_APART = frozenset(("joint gap", "joint line", "joint ,", "joint .", "joint ;", "joint |"))
_PARTING = frozenset(("joint .", "joint -", "joint –", "joint —"))
_IN = re.compile(r"(?:[.,;]\s+|\)\s*|^)[iI]n:?\s")  # what introduces the proceedings or the book that a paper is in
_NO_TITLES = ({"names"}, {"imprint"})  # kinds of pieces that make up no title by themselves
_LETTERS = ascii_letters.encode()
_SENTENCE = re.compile(r"(?:\s[\w,()-]++){4}[.!?]\s")  # the end of a sentence of several words
_STOP = re.compile(r"[.!?]\s")


class TitleSpan(NamedTuple):
    """A stretch that may be the title."""

    start: int  # where it starts in the text of the entry
    end: int  # where it ends
    title: str  # its words, cleaned
    slot: Slot  # its mark-up and what stands before and behind it
    # what is measured of it, in the order of `NUMBERS`, and what holds of it, once or several times; both are empty for
    # the only candidate of an entry
    numbers: tuple[float, ...] = ()
    facts: tuple[str, ...] = ()

    @property
    def features(self) -> Features:
        """Returns all that is observed of it."""
        numbers = zip((*NUMBERS, f"as {self.slot[0]}: odds"), (*self.numbers, *self.numbers[:1]), strict=False)
        return dict(numbers) | dict(Counter(self.facts))


def candidates_of(
    draft: Draft, cut: Cut | None, recurring: Mapping[str, int], *, every: bool = False
) -> list[TitleSpan]:
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
        return [TitleSpan(cut.pieces[first].start, cut.pieces[last].end, title, _slot(cut, first, last))]
    values = [title_odds(title) for _, _, title in stretches]
    around = _facts_around(cut, recurring, zip(stretches, values, strict=True))
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


def _facts_around(
    cut: Cut, recurring: Mapping[str, int], known: Iterable[tuple[tuple[int, int, str], float]]
) -> _Around:
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
            whole = not goes_on or cut.joints[last] in _APART
            return [(inside[0], last, title)] if whole else []
    return []


def _stretches(draft: Draft, cut: Cut) -> list[tuple[int, int, str]]:
    """Returns the first and the last piece of every stretch that may be the title, and its words.

    A title goes on behind a stop or a dash only where that read by rule does, or behind a dash in small letters: of
    others hardly any ever did.
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
                joint, goes_on = cut.joints[last - 1], end in inside
                goes_on = goes_on or (joint != "joint ." and text[pieces[last].start].islower())
                if (joint in _PARTING and not goes_on) or GAP in text[end : pieces[last].start]:
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
    before, after = cut.before[first], cut.behind[last]
    how = "plain"
    for a, b, kind in cut.marks:
        if abs(a - start) <= 1 and abs(b - end) <= 1:
            return kind, before, after
        if (a < start < b - 1) or (a + 1 < end < b):
            how = "torn"
    return how, before, after


def _candidate(cut: Cut, around: _Around, stretch: tuple[int, int, str], value: float, how: str | None) -> TitleSpan:
    """Returns the candidate that a stretch is, whose words have the odds `value`; `how` it stands if read by rule."""
    first, last, title = stretch
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
    slot, lead = _slot(cut, first, last), min(len(cut.texts[first].split()), 4) if first < last else 0
    facts = (
        *_facts_of_pieces(around.kinds[first : last + 1], around.recurs[first : last + 3]),
        *_facts_of_place(slot, title.count(" ") + 1, first, lead, how),
        *cut.joints[first:last],
    )
    if first == 0:
        facts += ("first", "whole") if last + 1 == len(around.kinds) else ("first",)
    if title[0].islower():
        facts += ("small start",)
    if ("(" in title or ")" in title) and title.count("(") != title.count(")"):
        facts += ("open bracket",)
    if first >= around.sentence:
        facts += ("behind a sentence",)
    if first < last and max(around.odds[first : last + 1]) > 1:
        facts += ("joined words that are a title",)
    return TitleSpan(cut.pieces[first].start, cut.pieces[last].end, title, slot, numbers, facts)


_BY = re.compile(r"\b[Bb]y:?[\s*_]*$")  # before somebody's name
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
    weights = [[_weigh(model, candidate) for candidate in some] for some in found]
    of_run = [model.together.get(name, 0.0) for name in OF_RUN]
    around = slot_features(
        [run_of(blocks[draft.block]) for draft in flat], found, [[own for own, _ in w] for w in weights]
    )
    slots: Counter[Slot] = Counter()
    for draft, candidates, own, further in zip(flat, found, weights, around, strict=True):
        if candidates:
            scored = [mine + sum(map(mul, of_run, more)) for (_, mine), more in zip(own, further, strict=True)]
            slots[_choose(draft, candidates, scored, model.margin).slot] += 1
    if not slots:
        return None
    ((markup, before, after), count), *_ = slots.most_common(1)
    return f"title {markup}, behind {before}, before {after} ({count} of {counted(slots.total(), 'entry')})"


@lru_cache(maxsize=32768)
def _weight_of_facts(model: TemplateModel, facts: tuple[str, ...]) -> tuple[float, float]:
    alone, together = ([weights.get(fact, 0.0) for fact in facts] for weights in (model.alone, model.together))
    return math.fsum(alone), math.fsum(together)


@lru_cache(maxsize=64)
def _weights_of_numbers(model: TemplateModel, markup: str) -> tuple[list[float], list[float]]:
    alone, together = ([w.get(name, 0.0) for name in NUMBERS] for w in (model.alone, model.together))
    alone[0] += model.alone.get(f"as {markup}: odds", 0.0)
    together[0] += model.together.get(f"as {markup}: odds", 0.0)
    return alone, together


def _weigh(model: TemplateModel, candidate: TitleSpan) -> tuple[float, float]:
    """Returns the logarithms of the odds of `candidate` by itself and beside its run, each up to a constant."""
    if not candidate.facts:
        return 0.0, 0.0  # the only candidate of its entry
    alone, together = _weight_of_facts(model, candidate.facts)
    each_alone, each_together = _weights_of_numbers(model, candidate.slot[0])
    numbers = candidate.numbers
    return alone + sum(map(mul, each_alone, numbers)), together + sum(map(mul, each_together, numbers))


def _choose(draft: Draft, candidates: Sequence[TitleSpan], scores: Sequence[float], margin: float) -> TitleSpan:
    """Returns the title that `draft` keeps or gets: another than that read by rule must be better by `margin`.

    An identifier in prose that holds nothing like a title has none.
    """
    best = max(range(len(scores)), key=scores.__getitem__)
    words = draft.title or ""
    is_prose = draft.citation.how == "text" and words.count(" ") >= _LONG and title_odds(words) < NO_TITLE
    is_prose = is_prose and not (draft.citation.whole or draft.citation.authors)
    if draft.is_identified and is_prose and title_odds(candidates[best].title) < _IN_PROSE:
        draft.citation.title = None
        return candidates[best]
    read = draft.title
    present = next((at for at, item in enumerate(candidates) if item.title == read), None)
    start = candidates[best].start
    signed = draft.source is not None and _BY.search(draft.source[0].text, 0, start) is not None
    behind = start >= draft.citation.end and (draft.follows_year or signed)
    if draft.citation.whole or start < draft.authors_end or behind or _is_torn(draft, candidates[best]):
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


def _is_torn(draft: Draft, candidate: TitleSpan) -> bool:
    """Returns whether `candidate` parts what belongs together: a title and the name of its part, or its next line.

    So does one that takes the year in front of a title back into it.
    """
    read = draft.title or ""
    if ends_with_part(read) and read != candidate.title and read.startswith(candidate.title):
        return True
    if candidate.title == f"{draft.citation.year} {read}":
        return True  # the year in front is of the paper, and not of its title
    if draft.source is None or candidate.start != draft.citation.start or candidate.end >= draft.citation.end:
        return False
    behind = draft.source[0].text[candidate.end :]
    return behind[:1] == "\n" and draft.follows_year


def run_of(block: Block) -> tuple[int, str, int]:
    """Returns the run of siblings that a block belongs to: those of one kind and depth in one list or table."""
    return block.group, block.kind, block.depth


def weighted(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Returns the weighted sum of `features`, whatever their order; a feature without weight counts nothing."""
    weight_of = weights.get
    return math.fsum([weight * value for name, value in features.items() if value and (weight := weight_of(name))])


# What the shares of a run that favour a slot, its beginning and its mark-up are called in the model.
OF_RUN = ("slot of the run", "slot and lead of the run", "mark-up of the run")

OfRun = tuple[float, ...]  # the shares, in the order of `OF_RUN`; empty where the run has no other entry


def slot_features(
    runs: Sequence[object], candidates: Sequence[Sequence[TitleSpan]], scores: Sequence[Sequence[float]]
) -> list[list[OfRun]]:
    """Returns for every candidate which share of the other entries of its run favours its slot."""
    slots = {candidate.slot for some in candidates for candidate in some}
    parts_of: dict[Slot, tuple[Sequence[str], ...]] = {slot: (slot, slot[:2], slot[:1]) for slot in slots}
    places = [[parts_of[candidate.slot] for candidate in some] for some in candidates]
    count: Counter[object] = Counter(run for run, some in zip(runs, candidates, strict=True) if some)
    total: dict[object, dict[Sequence[str], float]] = defaultdict(lambda: defaultdict(float))
    favoured: list[dict[Sequence[str], float]] = []
    for run, some, values in zip(runs, places, scores, strict=True):
        mine: dict[Sequence[str], float] = defaultdict(float)
        for parts, share in zip(some, softmax(values), strict=True):
            for part in parts:
                mine[part] += share
        for part, share in mine.items():
            total[run][part] += share
        favoured.append(mine)
    result: list[list[OfRun]] = []
    for run, some, mine in zip(runs, places, favoured, strict=True):
        if count[run] < 2:
            result.append([()] * len(some))
            continue
        of_others = {part: (total[run][part] - share) / (count[run] + 1.0) for part, share in mine.items()}
        result.append([tuple(map(of_others.__getitem__, parts)) for parts in some])
    return result


def softmax(values: Sequence[float]) -> list[float]:
    """Returns the shares that `values`, logarithms of odds, stand for."""
    if not values:
        return []
    highest = max(values)
    powers = [math.exp(value - highest) for value in values]
    total = sum(powers)
    return [power / total for power in powers]


def read_title(draft: Draft, candidate: TitleSpan) -> None:
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
        found.fill(authors=old.authors)
    found.fill(old.venue if old.venue and old.venue.lower() not in words else None, old.year)
    found.name = old.name if old.name and old.name.lower() not in words else None
    draft.citation = found
    read_tail(entry.text[:end], entry.marks, candidate.end, draft.citation)
    links = draft.all_links
    draft.title_link = next((link for link in links if link.own and link.start <= candidate.start < link.end), None)
    draft.links = [link for link in links if link is not draft.title_link]
    draft.line = entry.line_at(entry.words_at(candidate.start))
    draft.first_line = min(draft.first_line, draft.line)
    draft.odds = title_odds(candidate.title)

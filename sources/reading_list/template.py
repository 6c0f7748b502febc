"""Which words of an entry are the title: candidate stretches, weighed together over a run of entries.

An entry is cut at every delimiter and edge of mark-up; a candidate is one piece or a few in a row. Every candidate is
described by its words, its mark-up and what stands before and behind it, and weighed by a linear model. A second
model also sees which slot (mark-up and delimiters) the other entries of the run favour, so that siblings decide
together. The weights are in data/template.json; `make model` learns them.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from operator import mul
from typing import NamedTuple

from sources.bibliography.names import is_organisation
from sources.reading_list.drafts import Draft, read_before
from sources.reading_list.entries import Entry
from sources.reading_list.fields.author_lists import SIGNED, only_authors
from sources.reading_list.fields.citation_parts import ABBREVIATION, BOUNDARY, GAP, Citation, read_tail, skip_marks
from sources.reading_list.fields.imprints import imprint_of
from sources.reading_list.fields.titles import clean_title, likeness
from sources.reading_list.markdown.document import Block
from sources.reading_list.title_model import title_odds
from sources.text import counted

_MOST_PIECES = 12
_MOST_JOINED = 4
_LONGEST = 900
_COLON = re.compile(r"(?<=\w)\s?[:：]\s?(?=\S)|\s[-–—|]+\s")
_INITIALS = re.compile(r"(?<=[a-z)])\s(?=(?:[A-Z]\.\s?){1,3}[A-Z][a-z])")
"""Where somebody's initials and family name follow a word with nothing between: "... of Networks N. Carlini"."""

_QUOTES = re.compile('["“”„«»「」『』《》]')
_NAME = re.compile(r"([A-Z][\w.+-]*(?: [\w.+-]+){0,2})\s*[:：]")
_WORDS = re.compile(r"\w+")
_IN = re.compile(r"(?:[.,;]\s+|\)\s*|^)[iI]n:?\s")
"""What introduces the proceedings or the book that a paper is in."""

_GAPS = re.compile(f"[{GAP}\v]+")
_EDGES = GAP + ' \n\v.,;:|()[]*_-–—"“”'

Slot = tuple[str, str, str]
"""Mark-up of a title, what stands before it, and what behind it."""

Features = dict[str, float]
"""What is observed, in words, and how much of it."""


class Piece(NamedTuple):
    """A stretch between two cuts, and what kind of words it holds: words, names, imprint or organisation."""

    start: int
    end: int
    kind: str


class Cut(NamedTuple):
    """The part of an entry that is about one paper, cut into pieces; marked stretches come with the kind of mark."""

    entry: Entry
    start: int
    end: int
    marks: list[tuple[int, int, str]]
    pieces: list[Piece]

    def words(self, index: int) -> str:
        """Returns the text of the piece at `index`; empty where there is none."""
        if not 0 <= index < len(self.pieces):
            return ""
        return self.entry.text[self.pieces[index].start : self.pieces[index].end]


class Candidate(NamedTuple):
    """A stretch that may be the title.

    Attributes:
        start: Where it starts in the text of the entry.
        end: Where it ends.
        title: Its words, cleaned.
        slot: Its mark-up and what stands before and behind it.
        numbers: What is observed of its words and its place among the pieces, in the order of `NUMBERS`.
        names: What else is observed.
    """

    start: int
    end: int
    title: str
    slot: Slot
    numbers: tuple[float, ...]
    names: Features

    @property
    def features(self) -> Features:
        """Returns all that is observed of it."""
        numbers = {name: float(number) for name, number in zip(NUMBERS, self.numbers, strict=False) if number}
        return {**features_of_slot(self.slot), **numbers, **self.names}


class TemplateModel(NamedTuple):
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
    alone, together = _Weigher(model.alone), _Weigher(model.together)
    scores = [list(map(alone.weight, some)) if len(some) > 1 else [0.0] * len(some) for some in found]
    around = slot_features([run_of(blocks, draft) for draft in flat], found, scores)
    slots: Counter[Slot] = Counter()
    for draft, candidates, further in zip(flat, found, around, strict=True):
        if candidates:
            scored = [
                together.weight(item) + weighted(model.together, more)
                for item, more in zip(candidates, further, strict=True)
            ]
            slots[_choose(draft, candidates, scored, model.margin).slot] += 1
    if not slots:
        return None
    ((markup, before, after), count), *_ = slots.most_common(1)
    return f"title {markup}, behind {before}, before {after} ({count} of {counted(slots.total(), 'entry')})"


class _Weigher:
    """Weighs candidates by one model; what a slot weighs is found out when the list first has it."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._numbers = [weights.get(name, 0.0) for name in NUMBERS]
        self._slots: dict[Slot, float] = {}

    def weight(self, candidate: Candidate) -> float:
        """Returns the logarithm of the odds of `candidate`, up to a constant."""
        slot = self._slots.get(candidate.slot)
        if slot is None:
            slot = self._slots[candidate.slot] = weighted(self._weights, features_of_slot(candidate.slot))
        numbers: float = sum(map(mul, self._numbers, candidate.numbers))
        return slot + numbers + weighted(self._weights, candidate.names)


def _choose(draft: Draft, candidates: Sequence[Candidate], scores: Sequence[float], margin: float) -> Candidate:
    """Returns the title that `draft` keeps or gets: another than that read by rule must be better by `margin`."""
    best = max(range(len(scores)), key=scores.__getitem__)
    present = next((at for at, item in enumerate(candidates) if item.title == draft.title), None)
    if present is None or scores[best] - scores[present] < margin:
        return candidates[present if present is not None else best]
    read_title(draft, candidates[best])
    return candidates[best]


def run_of(blocks: Sequence[Block], draft: Draft) -> tuple[int, str, int]:
    """Returns the run of siblings that a draft belongs to: entries of one kind and depth in one list or table."""
    block = blocks[draft.block]
    return block.group, block.kind, block.depth


def weighted(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Returns the weighted sum of `features`, whatever their order; a feature without weight counts nothing."""
    return math.fsum([weights[name] * value for name, value in features.items() if name in weights])


def cut_entry(draft: Draft) -> Cut | None:
    """Returns the draft's entry cut into pieces; None where its title is not the entry's own words."""
    if draft.source is None or draft.title is None or draft.citation.how == "file":
        return None
    entry, (start, end, _, _) = draft.source
    marks = _marks(entry, start, end)
    read = (draft.citation.start, draft.citation.end)
    return Cut(entry, start, end, marks, _pieces(entry.text, (start, min(end, start + _LONGEST)), marks, read))


def _marks(entry: Entry, start: int, end: int) -> list[tuple[int, int, str]]:
    """Returns the stretches of an entry that are marked up, with the kind of mark."""
    marks = [
        (mark.start, mark.end, mark.kind)
        for mark in entry.marks
        if mark.kind in ("bold", "italic", "struck") and start <= mark.start and mark.end <= end
    ]
    marks += [(link.start, link.end, "link") for link in entry.links if link.own and start <= link.start < end]
    quotes = [match.start() for match in _QUOTES.finditer(entry.text, start, end)]
    marks += [(a, b + 1, "quoted") for a, b in zip(quotes[::2], quotes[1::2], strict=False) if b - a > 6]
    return [mark for mark in marks if entry.text[mark[0] : mark[1]].strip(GAP + " \n\v")]


def _pieces(
    text: str, bounds: tuple[int, int], marks: Sequence[tuple[int, int, str]], read: tuple[int, int]
) -> list[Piece]:
    """Returns the pieces between `bounds`; the title as read by rule, which stands at `read`, is one or a few whole."""
    start, end = bounds
    cuts = {skip_marks(text, start), end, *read}
    for match in (*BOUNDARY.finditer(text, start, end), *_COLON.finditer(text, start, end)):
        if match[0][:1] == "." and ABBREVIATION.search(text[max(start, match.start() - 8) : match.start()]):
            continue
        cuts.update(match.span())
    for match in _GAPS.finditer(text, start, end):
        cuts.update(match.span())
    for pattern in (_INITIALS, SIGNED):
        cuts.update(match.start() for match in pattern.finditer(text, start, end))
    for mark in marks:
        cuts.update(mark[:2])
    pieces = []
    for a, b in pairwise(sorted(cut for cut in cuts if start <= cut <= end)):
        words = text[a:b].strip(_EDGES)
        if any(map(str.isalnum, words)):
            pieces.append(Piece(a, b, _kind(words)))
            if len(pieces) == _MOST_PIECES:
                break
    return pieces


@lru_cache(maxsize=4096)
def _kind(words: str) -> str:
    if imprint_of(words):
        return "imprint"
    if only_authors(words) or SIGNED.match(f" {words}"):
        return "names"
    return "organisation" if is_organisation(words) else "words"


def recurring_pieces(cuts: Iterable[Cut | None]) -> Counter[str]:
    """Returns how often each piece of up to five words occurs in the list: what recurs is a label, not a title."""
    count: Counter[str] = Counter()
    for cut in cuts:
        if cut is not None:
            count.update({_key(cut.words(index)) for index in range(len(cut.pieces))})
    return count


@lru_cache(maxsize=8192)
def _key(text: str) -> str:
    words = _WORDS.findall(text.lower())
    return " ".join(words) if len(words) <= 5 else ""


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
        slot = _slot(cut, first, last, _before(cut, first), _after(cut, last))
        return [Candidate(cut.pieces[first].start, cut.pieces[last].end, title, slot, (), {})]
    around = _around(cut, recurring)
    found = []
    for first, last, title in stretches:
        slot = _slot(cut, first, last, around.before[first], around.after[last])
        value = max(-6.0, min(6.0, title_odds(title)))
        names = _names(around, (first, last), title)
        names[f"as {slot[0]}: odds"] = value
        if draft.title == title:
            names |= {"as read by rule": 1.0, f"as read by rule: {draft.citation.how}": 1.0}
        numbers = _numbers(around, (first, last), title, value)
        found.append(Candidate(cut.pieces[first].start, cut.pieces[last].end, title, slot, numbers, names))
    return found


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
    """

    kinds: list[str]
    odds: list[float]
    recurs: list[bool]
    before: list[str]
    after: list[str]
    joints: list[str]
    leads: list[int]
    length: int


def _around(cut: Cut, recurring: Mapping[str, int]) -> _Around:
    count = range(len(cut.pieces))
    words = [cut.words(at) for at in count]
    kinds = [piece.kind for piece in cut.pieces]
    return _Around(
        kinds=kinds,
        odds=[
            title_odds(clean_title(text)) if kind == "words" else -8.0 for kind, text in zip(kinds, words, strict=True)
        ],
        recurs=[bool(key := _key(text)) and recurring.get(key, 0) >= 3 for text in words],
        before=[_before(cut, at) for at in count],
        after=[_after(cut, at) for at in count],
        joints=[_joint(cut.entry.text, *pair) for pair in pairwise(cut.pieces)],
        leads=[min(len(text.split()), 4) for text in words],
        length=sum(piece.end - piece.start for piece in cut.pieces),
    )


def _stretches(draft: Draft, cut: Cut) -> list[tuple[int, int, str]]:
    """Returns the first and the last piece of every stretch that may be the title, and its words."""
    text, pieces, found = cut.entry.text, cut.pieces, []
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
            people = kinds == {"names"} or len(kinds) > 2
            if _may_be_title(title) and not (people and title != draft.title):
                found.append((first, last, title))
    return found


def _may_be_title(words: str) -> bool:
    """Returns whether `words` have the length of a title, and letters for half of their signs."""
    return 3 <= len(words) <= 300 and 2 * sum(map(str.isalpha, words)) >= len(words)


def _slot(cut: Cut, first: int, last: int, before: str, after: str) -> Slot:
    start, end = cut.pieces[first].start, cut.pieces[last].end
    how = "plain"
    for a, b, kind in cut.marks:
        if abs(a - start) <= 1 and abs(b - end) <= 1:
            return kind, before, after
        if (a < start < b - 1) or (a + 1 < end < b):
            how = "torn"
    return how, before, after


def _before(cut: Cut, first: int) -> str:
    text, pieces = cut.entry.text, cut.pieces
    if first == 0:
        return "mark" if text[cut.start : pieces[0].start].strip(GAP + " \n\v") else "start"
    end = pieces[first - 1].end
    sign = _sign(text[end : pieces[first].start]) or _sign(text[max(end - 1, 0) : end]) or "edge"
    return f"{pieces[first - 1].kind} {_plain(sign)}"


def _after(cut: Cut, last: int) -> str:
    text, pieces = cut.entry.text, cut.pieces
    if last == len(pieces) - 1:
        return "end with links" if GAP in text[pieces[last].end : cut.end] else "end"
    start = pieces[last + 1].start
    sign = _sign(text[pieces[last].end : start]) or _sign(text[start : start + 1]) or "edge"
    return f"{pieces[last + 1].kind} {_plain(sign)}"


def _sign(between: str) -> str:
    """Returns what stands between two pieces: a removed stretch, a line break, a mark, a blank or nothing."""
    if GAP in between:
        return "gap"
    if "\v" in between or "\n" in between:
        return "line"
    return between.strip()[:1] or ("blank" if between else "")


def _plain(sign: str) -> str:
    return sign if not sign.isalnum() or sign in ("gap", "line", "blank") else "edge"


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


NUMBERS = (
    "odds",
    "odds below even",
    "covers",
    "first",
    "whole",
    "joined",
    "names in it",
    "nothing but names",
    "imprint in it",
    "nothing but imprint",
    "organisation in it",
    "better words elsewhere",
    "good words elsewhere",
    "small start",
    "open bracket",
    "begins with what recurs",
    "ends with what recurs",
    "nothing but what recurs",
    "behind what recurs",
    "before what recurs",
)
"""What the numbers observed of every candidate are called in the models."""


def _numbers(around: _Around, bounds: tuple[int, int], title: str, value: float) -> tuple[float, ...]:
    """Returns the numbers observed of a candidate whose words have the odds `value`."""
    (first, last), odds, recurs = bounds, around.odds, around.recurs
    inner, recurring = around.kinds[first : last + 1], recurs[first : last + 1]
    elsewhere = odds[:first] + odds[last + 1 :]
    best = max(elsewhere) if elsewhere else -8.0
    return (
        value,
        min(value, 0.0),
        len(title) / max(around.length, 1),
        first == 0,
        first == 0 and last == len(odds) - 1,
        last - first,
        "names" in inner,
        inner.count("names") == len(inner),
        "imprint" in inner,
        inner.count("imprint") == len(inner),
        "organisation" in inner,
        max(0.0, min(best - value, 8.0)),
        max(0.0, min(best, 6.0)),
        title[:1].islower(),
        title.count("(") != title.count(")"),
        recurring[0],
        recurring[-1],
        all(recurring),
        first > 0 and recurs[first - 1],
        last + 1 < len(recurs) and recurs[last + 1],
    )


def _names(around: _Around, bounds: tuple[int, int], title: str) -> Features:
    """Returns how many words a candidate has, where it begins, and what stands between its pieces."""
    (first, last), count = bounds, title.count(" ") + 1
    names = {f"words {min(count, 5) if count < 23 else 23}": 1.0, f"piece {min(first, 4)}": 1.0}
    for joint in around.joints[first:last]:
        names[joint] = names.get(joint, 0.0) + 1.0
    if last > first:
        names[f"joined to a lead of {around.leads[first]}"] = 1.0
        if max(around.odds[first : last + 1]) > 1:
            names["joined words that are a title"] = 1.0
    return names


def _joint(text: str, piece: Piece, following: Piece) -> str:
    between = text[piece.end : following.start] or text[piece.end - 2 : piece.end]
    return f"joint {_sign(between) or 'edge'}"


def slot_features(
    runs: Sequence[object], candidates: Sequence[Sequence[Candidate]], scores: Sequence[Sequence[float]]
) -> list[list[Features]]:
    """Returns for every candidate which share of the other entries of its run favours its slot."""
    shares = [_favoured(some, softmax(values)) for some, values in zip(candidates, scores, strict=True)]
    total: dict[object, float] = defaultdict(float)
    count: Counter[object] = Counter(run for run, some in zip(runs, candidates, strict=True) if some)
    for run, mine in zip(runs, shares, strict=True):
        for slot, share in mine.items():
            total[run, slot] += share
    result = []
    for run, some, own in zip(runs, candidates, shares, strict=True):
        others = count[run] - 1
        rows: list[Features] = []
        for candidate in some:
            parts = {
                "slot of the run": candidate.slot,
                "slot and lead of the run": candidate.slot[:2],
                "mark-up of the run": candidate.slot[:1],
            }
            rows.append(
                {name: (total[run, part] - own[part]) / (others + 2.0) for name, part in parts.items()}
                if others > 0
                else {}
            )
        result.append(rows)
    return result


def _favoured(candidates: Sequence[Candidate], shares: Sequence[float]) -> dict[tuple[str, ...], float]:
    """Returns how far one entry favours each slot, and each beginning of a slot."""
    favoured: dict[tuple[str, ...], float] = defaultdict(float)
    for candidate, share in zip(candidates, shares, strict=True):
        for length in (1, 2, 3):
            favoured[candidate.slot[:length]] += share
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
    draft.like = likeness(candidate.title)


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
    lead = _NAME.fullmatch(before.strip(GAP + " \n*"))
    found.name = old.name if old.name and old.name.lower() not in words else (lead[1] if lead else None)
    return found

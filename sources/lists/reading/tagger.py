"""Finds the title in an entry: every word of it stands before the title, in it or behind it.

A conditional random field, whose three states come in this order, weighs each word with the signs and the mark-up
around it, and where the rules have read a title. Entries of a run are then weighed once more, each with what stands
before and behind the titles of the others, so that siblings decide together. The weights are in data/tagger.bin, one
signed byte each; `make model` learns them.
"""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from itertools import accumulate, pairwise
from operator import add
from typing import NamedTuple
from zlib import crc32

from sources.lists.reading.author_lists import word_odds

BUCKETS = 1 << 15  # how many weights there are of each state, of beginnings and of ends
STEP = 1 / 32  # what one unit of a stored weight is worth, in natural logarithms of the odds
_UNIT = 1 << 24  # more than any sum of weights
STATES = 3  # before, in and behind the title

# What of an entry's run counts: how much all of it, how much the rules beside the model, and how little tells nothing.
_OF_RUN, _OF_RULES, _UNTOLD = 1.0, 0.5, 0.1
_FEWEST_SIBLINGS, _ROUNDS, _HARDLY = 3, 2, 1e-3
_MARGIN, _CANDIDATES = 5.0, 8  # by how much, in logarithms, a title may be worse than the best; the most titles
_IMPOSSIBLE = -1e9
_NEAR = 12  # how many words and signs behind a title tell whether numbers follow it

_CJK = "\u3040-\u30ff\u3400-\u9fff"  # no blanks part these words: each sign is one
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:[-'’][^\W_{_CJK}]+)*|\x1d+|\S|[\n\v]")
_UNSEEN = {"\x1d": "gap", "\n": "line", "\v": "line"}  # what stands for something else
_QUOTATION = frozenset("\"'“”„«»‘’*_")
_OPENING, _CLOSING = frozenset("([{（【［"), frozenset(")]}）】］")
_OPENS_TITLE = {"(": ")", "[": "]", "（": "）", "【": "】", "¿": "?", "¡": "!"}  # by what closes it
_CLOSES_TITLE = {closing: opening for opening, closing in _OPENS_TITLE.items() if closing not in "?!"}
_FIRST_YEAR, _LAST_YEAR = 1500, 2035
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_RANGE = re.compile(r"\d+[-–]\d+")


class Tokens(NamedTuple):
    """An entry as the model sees it: its words and signs, and what holds of each."""

    spans: list[tuple[int, int]]  # where each begins and ends in the entry
    shapes: list[str]
    keys: list[str]  # the words in small letters, numbers by their shape
    inside: list[str]  # the mark-up that each is in, by initials
    opened: list[str]  # the mark-up that begins before each, and behind the last
    closed: list[str]  # the mark-up that ends there
    depth: list[int]  # how many brackets each is in
    words: list[str]
    read: tuple[int, int] | None  # the first word of the title as read by rule, and the one behind it
    how: str  # how that title stands, empty where none was read


Mark = tuple[int, int, str]  # where mark-up begins and ends, and its kind


def tokens_of(text: str, marks: Sequence[Mark], read: tuple[str, int, int] | None = None) -> Tokens:
    """Returns the words and signs of `text`.

    Args:
        text: The entry.
        marks: Its mark-up.
        read: How the title as read by rule stands, where it begins and where it ends; None without such a title.
    """
    # No word goes on over the edges of mark-up, or of the title.
    edges = sorted({0, len(text), *(read or ())[1:]}.union(*(mark[:2] for mark in marks)))
    spans = [match.span() for a, b in pairwise(edges) for match in _TOKEN.finditer(text, a, b)]
    words = [text[start:end] for start, end in spans]
    shapes = list(map(_shape, words))
    keys = [shape if _stands_for_words(shape) else word.lower() for shape, word in zip(shapes, words, strict=True)]
    inside, opened, closed = [""] * len(words), [""] * (len(words) + 1), [""] * (len(words) + 1)
    for start, end, kind in sorted(marks):
        edge, initial = (1, "q") if kind == "quoted" else (0, kind[0])
        within = [at for at, (a, b) in enumerate(spans) if start - edge <= a and b <= end + edge]
        if within:
            opened[within[0]] += initial
            closed[within[-1] + 1] += initial
            for at in within:
                inside[at] += initial
    depth, depths = 0, []
    for word in words:
        depth += word[0] in _OPENING
        depths.append(depth)
        depth -= word[0] in _CLOSING and depth > 0
    title = None
    if read is not None:
        _, start, end = read
        within = [at for at, (a, b) in enumerate(spans) if start <= a and b <= end and words[at][0].isalnum()]
        title = (within[0], within[-1] + 1) if within else None
    how = read[0] if read is not None and title else ""
    return Tokens(spans, shapes, keys, inside, opened, closed, depths, words, title, how)


@lru_cache(maxsize=16384)
def _shape(word: str) -> str:
    """Returns what kind of word, number or sign it is; a sign stands for itself."""
    first = word[0]
    if first in _UNSEEN:
        return _UNSEEN[first]
    if first.isdecimal():
        return _shape_of_number(word)
    return _shape_of_word(word) if first.isalnum() else first


def _shape_of_number(word: str) -> str:
    if word.isdecimal():
        return "year" if len(word) == 4 and _FIRST_YEAR <= int(word) <= _LAST_YEAR else f"d{min(len(word), 5)}"
    return "date" if _DATE.fullmatch(word) else "d-d" if _RANGE.fullmatch(word) else "da"


def _shape_of_word(word: str) -> str:
    first = word[0]
    if "\u3040" <= first <= "\u9fff":
        return "kana" if first <= "\u30ff" else "han"
    if len(word) == 1:
        return "X" if first.isupper() else "x"
    if first.isupper():
        return "Xx" if word[1:].islower() else "XxX" if not word.isupper() else "XX" if len(word) <= 5 else "XXXXXX"
    return "xx" if word.islower() else "xX"


def _stands_for_words(shape: str) -> bool:
    """Returns whether the model sees nothing of a word but its shape."""
    return shape in ("gap", "line", "year", "date", "d-d") or (shape[0] == "d" and shape[1:].isdigit())


# What the model sees, by name: of a word by itself, of a word where it stands, and where a title begins and ends.


@lru_cache(maxsize=16384)
def names_of_word(word: str) -> tuple[str, ...]:
    """Returns what is observed of a word wherever it stands."""
    shape, low = _shape(word), word.lower()
    if _stands_for_words(shape):
        return (f"s:{shape}",)
    if not word[0].isalnum():
        return (f"w:{word[0]}",)
    names = [f"w:{low}", f"s:{shape}"]
    if len(low) > 2:
        names += [f"p:{low[:3]}", f"e:{low[-3:]}", f"s:{shape} {low[-2:]}"]
    if "-" in low:
        names += [f"w:{part}" for part in (low.partition("-")[0], low.rpartition("-")[2])]
    if word[0].isalpha():
        odds = max(-5, min(5, round(word_odds(word))))
        names.append(f"name:{odds} {word[0].isupper()}")
    return tuple(names)


def names_at(tokens: Tokens) -> Iterator[tuple[str, ...]]:
    """Yields what is observed of each word and sign beside those around it."""
    years = 0
    shapes, keys = ("^", "^", *tokens.shapes, "$", "$"), ("^", *tokens.keys, "$")
    first, last = tokens.read or (0, 0)
    around = zip(shapes, shapes[1:], shapes[2:], shapes[3:], shapes[4:], strict=False)
    beside = zip(keys, keys[1:], keys[2:], strict=False)
    marked = zip(tokens.inside, tokens.opened, tokens.closed, tokens.depth, strict=False)
    for at, ((earlier, before, own, behind, later), (left, key, right), (inside, opened, closed, depth)) in enumerate(
        zip(around, beside, marked, strict=True)
    ):
        edge = f"edge:{closed}/{opened}"
        yield (
            f"-1:{left}",
            f"+1:{right}",
            f"-:{earlier} {before} {own}",
            f"+:{own} {behind} {later}",
            f"-w:{left} {key}",
            f"in:{inside} {own}",
            f"depth:{min(depth, 2)} {own}",
            f"place:{at if at < 4 else 4 if at < 10 else 5 if at < 30 else 6}",
            f"years:{years} {own}",
            f"{edge} {left}",
            edge,
            "rule:none" if tokens.read is None else "rule:in" if first <= at < last else "rule:out",
        )
        years = min(years + (own == "year"), 2)


def names_at_starts(tokens: Tokens) -> Iterator[tuple[str, ...]]:
    """Yields what is observed of a title that begins with each word; nothing for signs, with which none begins."""
    shapes, keys = ("^", "^", "^", "^", *tokens.shapes, "$"), ("^", "^", *tokens.keys)
    first = tokens.read[0] if tokens.read else -1
    year = tokens.shapes.index("year") if "year" in tokens.shapes else len(tokens.shapes)
    for at, word in enumerate(tokens.words):
        if not word[0].isalnum():
            yield ()
            continue
        fourth, third, second, before, own, behind = shapes[at : at + 6]
        earlier, left, key = keys[at : at + 3]
        opened = tokens.opened[at]
        rule = "none" if tokens.read is None else f"here {tokens.how}" if first == at else "elsewhere"
        yield (
            f"a:{second} {left} {own}",
            f"b:{earlier} {left}",
            f"c:{left} {key}",
            f"d:{fourth} {third} {second} {before}",
            f"e:{opened} {left}",
            f"f:{opened} {tokens.inside[at]}",
            f"g:{own} {behind}",
            f"h:{min(at, 3)} {year < at} {left}",
            f"i:{tokens.closed[at]} {left}",
            f"j:{tokens.depth[at]}",
            f"k:{key}",
            f"rule:{rule}",
        )


def names_at_ends(tokens: Tokens) -> Iterator[tuple[str, ...]]:
    """Yields what is observed of a title that ends with each word; nothing for signs."""
    shapes, keys = (*tokens.shapes, "$", "$", "$", "$", "$"), (*tokens.keys, "$", "$", "$")
    last = tokens.read[1] - 1 if tokens.read else -1
    years = [at for at, shape in enumerate(tokens.shapes) if shape == "year"]
    numbers = [at for at, shape in enumerate(tokens.shapes) if shape[0] == "d"]
    last_year = years[-1] if years else -1
    for at, word in enumerate(tokens.words):
        if not word[0].isalnum():
            yield ()
            continue
        own, second, third, fourth, fifth, sixth = shapes[at : at + 6]
        key, right, later, latest = keys[at : at + 4]
        closed = tokens.closed[at + 1]
        rule = "none" if tokens.read is None else f"here {tokens.how}" if last == at else "elsewhere"
        number = bisect_left(numbers, at + 1)
        numbered = number < len(numbers) and numbers[number] <= at + _NEAR
        yield (
            f"a:{right} {later}",
            f"b:{right} {later} {latest}",
            f"c:{right} {third} {fourth} {fifth}",
            f"d:{key} {right}",
            f"e:{closed} {right}",
            f"f:{closed} {tokens.inside[at]}",
            f"g:{tokens.opened[at + 1]} {right}",
            f"h:{last_year > at} {numbered} {right}",
            f"i:{own} {right}",
            f"j:{second} {third} {fourth} {fifth} {sixth}",
            f"k:{key}",
            f"rule:{rule}",
        )


def bucket(name: str) -> int:
    """Returns which of the weights is that of what is observed by this name."""
    return crc32(name.encode("utf-8", "replace")) % BUCKETS


@lru_cache(maxsize=1)
def _weights() -> array[int]:
    return array("b", resources.files("sources.lists.reading").joinpath("data/tagger.bin").read_bytes())


@lru_cache(maxsize=65536)
def _of_states(name: str) -> int:
    """Returns the weights of the three states in one number, so that they are added up together."""
    weights, at = _weights(), bucket(name)
    return weights[at] + _UNIT * (weights[BUCKETS + at] + _UNIT * weights[2 * BUCKETS + at])


def _apart(sums: int) -> tuple[int, int, int]:
    """Returns the three sums that are in one number."""
    before = (sums + _UNIT // 2) % _UNIT - _UNIT // 2
    rest = (sums - before) // _UNIT
    within = (rest + _UNIT // 2) % _UNIT - _UNIT // 2
    return before, within, (rest - within) // _UNIT


@lru_cache(maxsize=16384)
def _of_word(word: str) -> int:
    return sum(map(_of_states, names_of_word(word)))


@lru_cache(maxsize=65536)
def _of_start(name: str) -> int:
    return _weights()[STATES * BUCKETS + bucket(name)]


@lru_cache(maxsize=65536)
def _of_end(name: str) -> int:
    return _weights()[(STATES + 1) * BUCKETS + bucket(name)]


def forget() -> None:
    """Clears the caches, after the weights have been written anew."""
    for cache in (_weights, _of_states, _of_word, _of_start, _of_end):
        cache.cache_clear()


class _Scores(NamedTuple):
    """How well a title may begin and end where words do: a title from a to b has the sum of both, a logarithm."""

    starts: list[float]  # by word
    ends: list[float]  # by word, the title's last


def _scores(tokens: Tokens) -> _Scores:
    sums = [
        _of_word(word) + sum(map(_of_states, names)) for word, names in zip(tokens.words, names_at(tokens), strict=True)
    ]
    until = list(map(_apart, accumulate(sums, initial=0)))
    all_behind = until[-1][2]
    starts, ends = [], []
    for names, (before, within, _) in zip(names_at_starts(tokens), until, strict=False):
        starts.append(STEP * (before - within + sum(map(_of_start, names))) if names else _IMPOSSIBLE)
    for names, (_, within, behind) in zip(names_at_ends(tokens), until[1:], strict=True):
        ends.append(STEP * (within + sum(map(_of_end, names)) + all_behind - behind) if names else _IMPOSSIBLE)
    return _Scores(starts, ends)


def _nearly_best(scores: _Scores) -> list[tuple[float, int, int]]:
    """Returns the best titles, best first: the score of each, its first word and the one behind its last."""
    until, behind = list(accumulate(scores.starts, max)), list(accumulate(reversed(scores.ends), max))[::-1]
    least = max(map(add, scores.starts, behind)) - _MARGIN
    starts = [at for at, (begins, ends) in enumerate(zip(scores.starts, behind, strict=True)) if begins + ends >= least]
    ends = [at for at, (begins, ends) in enumerate(zip(until, scores.ends, strict=True)) if begins + ends >= least]
    pairs = (
        (scores.starts[first] + scores.ends[last], first, last + 1)
        for first in starts
        for last in ends
        if first <= last
    )
    return sorted((pair for pair in pairs if pair[0] >= least), reverse=True)[:_CANDIDATES]


def _chances(scores: _Scores) -> tuple[list[float], list[float], float]:
    """Returns how likely the title begins and ends with each word, and the logarithm of the sum of all titles."""
    until = list(accumulate(scores.starts, _log_sum))
    behind = list(accumulate(reversed(scores.ends), _log_sum))[::-1]
    total = _IMPOSSIBLE
    for begins, rest in zip(scores.starts, behind, strict=True):
        total = _log_sum(total, begins + rest)
    starts = [math.exp(min(value + rest - total, 0.0)) for value, rest in zip(scores.starts, behind, strict=True)]
    ends = [math.exp(min(value + rest - total, 0.0)) for value, rest in zip(scores.ends, until, strict=True)]
    return starts, ends, total


def _log_sum(left: float, right: float) -> float:
    high, low = (left, right) if left > right else (right, left)
    return high + math.log1p(math.exp(low - high)) if high - low < 40 else high


# What titles of a run have in common: the mark-up and the words or signs on either side.

_Sides = tuple[tuple[str, ...], tuple[str, ...]]


def _sides(tokens: Tokens, at: int, step: int) -> _Sides:
    """Returns what stands before the word `at`, with a `step` of -1, or behind the word before it, with 1."""
    near = at - 1 if step < 0 else at
    while 0 <= near < len(tokens.words) and tokens.words[near][0] in _QUOTATION:
        near += step
    first, second = (_coarse(tokens, near + step * far) for far in (0, 1))
    marks = tokens.opened[at] if step < 0 else tokens.closed[at]
    return (str(step), marks, first), (str(step), first, second)


def _coarse(tokens: Tokens, at: int) -> str:
    """Returns a sign or a small word as it is, and the shape of others."""
    if not 0 <= at < len(tokens.words):
        return "^" if at < 0 else "$"
    word = tokens.words[at]
    return tokens.keys[at] if not word[0].isalpha() or (len(word) < 5 and word.islower()) else tokens.shapes[at]


class Found(NamedTuple):
    """What may be the title of an entry: where it begins and ends in it, and how well that fits its words."""

    start: int
    end: int
    score: float  # logarithm of its share among all that the title could be
    is_read: bool  # whether it is that read by rule


def find_titles(entries: Sequence[Tokens], runs: Sequence[object], sure: Sequence[bool]) -> list[list[Found]]:
    """Returns what may be the title of each entry, best first; nothing where what is read by rule leaves no doubt.

    Args:
        entries: The entries.
        runs: The run of siblings that each belongs to.
        sure: Whether the title that the rules have read leaves no doubt; siblings are then told by it.
    """
    found: list[list[Found]] = [[] for _ in entries]
    together: defaultdict[object, tuple[list[int], list[Tokens]]] = defaultdict(lambda: ([], []))
    for at, (tokens, run, known) in enumerate(zip(entries, runs, sure, strict=True)):
        if known:
            together[run][1].append(tokens)
        elif any(word[0].isalnum() for word in tokens.words):
            together[run][0].append(at)
    for some, known_siblings in together.values():
        doubtful = [entries[at] for at in some]
        settled = _beside_siblings(doubtful, [_scores(tokens) for tokens in doubtful], known_siblings)
        for at, own in zip(some, settled, strict=True):
            found[at] = _found(entries[at], own)
    return found


def _found(tokens: Tokens, scores: _Scores) -> list[Found]:
    total, found = _chances(scores)[2], []
    best = _nearly_best(scores)
    if tokens.read is not None:
        first, last = tokens.read
        best.append((scores.starts[first] + scores.ends[last - 1], first, last))
    for score, first, last in dict.fromkeys(best):
        start, end = _with_signs(tokens.words, first, last)
        is_read = (first, last) == tokens.read
        found.append(Found(tokens.spans[start][0], tokens.spans[end - 1][1], score - total, is_read))
    return found


def _with_signs(words: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """Returns the first word and the one behind the last with the signs around them that belong to the title."""
    title = "".join(words[start:end])
    if (
        start > 0
        and words[start - 1] in _OPENS_TITLE
        and title.count(_OPENS_TITLE[words[start - 1]]) > title.count(words[start - 1])
    ):
        start -= 1
    while end < len(words) and (
        words[end] in "?!" or title.count(_CLOSES_TITLE.get(words[end], "\0")) > title.count(words[end])
    ):
        title, end = title + words[end], end + 1
    return start, end


def _beside_siblings(entries: Sequence[Tokens], scores: Sequence[_Scores], known: Sequence[Tokens]) -> list[_Scores]:
    """Returns the scores of the entries of a run, to which comes what the others have beside their titles."""
    others = len(entries) + len(known) - 1
    if others + 1 < _FEWEST_SIBLINGS:
        return list(scores)
    of_known: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for tokens in known:
        first, last = tokens.read or (0, 1)
        for side in (*_sides(tokens, first, -1), *_sides(tokens, last, 1)):
            of_known[side] += 1.0
    sides = [
        (
            [_sides(tokens, at, -1) if value > _IMPOSSIBLE else None for at, value in enumerate(own.starts)],
            [_sides(tokens, at + 1, 1) if value > _IMPOSSIBLE else None for at, value in enumerate(own.ends)],
        )
        for tokens, own in zip(entries, scores, strict=True)
    ]
    current = list(scores)
    for _ in range(_ROUNDS):
        shares = [_shares(*each) for each in zip(entries, current, sides, strict=True)]
        total = of_known.copy()
        for share in shares:
            for side, value in share.items():
                total[side] += value
        current = [
            _Scores(*(_with_run(*each, total, share, others) for each in zip(own, of, strict=True)))
            for own, of, share in zip(scores, sides, shares, strict=True)
        ]
    return current


def _shares(
    tokens: Tokens, scores: _Scores, sides: tuple[Sequence[_Sides | None], Sequence[_Sides | None]]
) -> dict[tuple[str, ...], float]:
    """Returns how likely each thing stands beside the title of an entry."""
    *chances, _ = _chances(scores)
    trust = 1.0 - _OF_RULES if tokens.read else 1.0
    shares: dict[tuple[str, ...], float] = defaultdict(float)
    for values, places in zip(chances, sides, strict=True):
        for value, place in zip(values, places, strict=True):
            if place is not None and value > _HARDLY:
                for side in place:
                    shares[side] += trust * value
    if tokens.read:
        for at, places in zip((tokens.read[0], tokens.read[1] - 1), sides, strict=True):
            for side in places[at] or ():
                shares[side] += _OF_RULES
    return shares


def _with_run(
    values: Sequence[float],
    places: Sequence[_Sides | None],
    total: Mapping[tuple[str, ...], float],
    own: Mapping[tuple[str, ...], float],
    others: int,
) -> list[float]:
    bonus: dict[_Sides | None, float] = {None: 0.0}
    for place in places:
        if place is not None and place not in bonus:
            shares = (max(total[side] - own.get(side, 0.0), 0.0) / others for side in place)
            bonus[place] = _OF_RUN * sum([math.log(_UNTOLD + (1.0 - _UNTOLD) * share) for share in shares])
    return [value + bonus[place] for value, place in zip(values, places, strict=True)]

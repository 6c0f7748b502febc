"""How much a stretch of text reads like the title of a paper: a small linear model learnt from real titles.

The weights are in data/titles.bin, one signed byte a bucket; `python -m benchmarks.model` learns them. The text is
described by its words, their beginnings and endings, the small words between them and its outward form, so that
titles of a field or language that the model has not met still have features it knows.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

BUCKETS = 1 << 17
"""How many weights there are."""

_MASK = BUCKETS - 1

STEP = 0.05
"""What one unit of a stored weight is worth, in natural logarithms of the odds."""

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MARKS = re.compile(r"[^\w\s]")
_LONGEST = 400
_SMALL = frozenset(
    "a an the of for in on to with and or by from at as via is are be its their into over under between through using "
    "without within across against how what when why where who not do does can it this that de la el los las del y en "
    "para con por un una le les des du et pour dans der die das und für mit von im zur auf в на для с по и о из".split()
)
"""Words that hold titles together in several languages; the words between them stand for any."""

_PLAIN = str.maketrans({"：": ": ", "’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "‑": "-"})
"""Marks of one meaning, as most titles write them."""

_OTHER_MARKS = re.compile("[" + "".join(map(chr, _PLAIN)) + "]")
_IN_WORDS = ("-", "'", "’")
"""What may join two words to one."""


def title_features(text: str) -> Iterator[str]:
    """Yields the features of `text` by name, as the model is taught them; `title_odds` adds up their weights."""
    text = _plain(text)
    yield "bias"
    words = [_word(word) for word in _WORD.findall(text)]
    before, frame, older = "^", "^", "^"
    for word in words:
        yield from _features_of_word(word.low)
        yield f"b:{before} {word.low}"
        yield f"k:{older} {frame} {word.place}"
        if before == "^":
            yield f"first:{word.place}"
            yield f"1:{word.low}"
        before, older, frame = word.low, frame, word.place
    yield f"e:{before}"
    yield f"k:{older} {frame} $"
    yield from _features_of_counts(len(words), sum(w.content for w in words), sum(w.capital for w in words))
    yield f"mean:{sum(w.length for w in words) // max(len(words), 1)}"
    yield from _features_of_marks(text)
    if not text.isascii():
        yield from _features_of_signs(text)


class _Word(NamedTuple):
    """A word of a text.

    Attributes:
        low: The word in lower case.
        place: What stands for it where the order of words counts: itself where it is small, otherwise its shape.
        length: How many characters it has.
        content: 1 where it carries meaning, 0 where it holds others together.
        capital: 1 where it carries meaning and does not begin with a small letter.
        weight: What it weighs by itself.
        code: The word in lower case, encoded.
        ahead: The checksum of the pair that it begins, which goes on with the code of the next word.
    """

    low: str
    place: str
    length: int
    content: int
    capital: int
    weight: int
    code: bytes
    ahead: int


@lru_cache(maxsize=32768)
def _word(word: str) -> _Word:
    low = word.lower()
    small = low in _SMALL
    code = low.encode("utf-8", "replace")
    return _Word(
        low=low,
        place=low if small else _shape(word),
        length=len(word),
        content=int(not small),
        capital=int(not small and not word[0].islower()),
        weight=_weight_of_word(low) if "-" in low or not low.isascii() else _weight_of_plain_word(code, small=small),
        code=code,
        ahead=crc32(code + b" ", _PAIR),
    )


def _shape(word: str) -> str:
    if word[0].isdigit():
        return "0"
    if word.isupper() and len(word) > 1:
        return "AA"
    return ("X" if word[0].isupper() else "x") + ("-" if "-" in word else "")


def _features_of_word(low: str) -> Iterator[str]:
    yield f"w:{low}"
    if low not in _SMALL:
        yield f"p:{low[:4]}"
        yield f"s:{low[-4:]}"
        if "-" in low:
            for part in low.split("-"):
                yield f"w:{part}"


def _features_of_counts(count: int, content: int, capitals: int) -> Iterator[str]:
    yield f"n:{count if count < 8 else min(count, 40) // 3 * 3}"
    yield f"cap:{min(content, 6)}:{4 * capitals // content if content else 9}"
    yield f"n-small:{min(count, 8)}:{min(count - content, 3)}"


def _features_of_marks(text: str) -> Iterator[str]:
    for mark in set(_MARKS.findall(text)):
        yield f"m:{mark}"
    yield f"end:{_end(text)}"
    if ": " in text:
        yield "colon:{}:{}".format(*_around_colon(text))


def _end(text: str) -> str:
    last = text[-1:]
    return "a" if last.isalnum() else last


def _around_colon(text: str) -> tuple[int, int]:
    """Returns how many words stand before the first colon of `text`, and how many behind it."""
    head, _, rest = text.partition(": ")
    return min(len(head.split()), 6), min(len(rest.split()), 5)


def _features_of_signs(text: str) -> Iterator[str]:
    """Yields what is observed of Chinese, Japanese and Korean signs, where words are not parted by blanks."""
    signs = _CJK.findall(text)
    yield f"cjk:{4 * len(signs) // max(len(text), 1)}"
    for first, second in pairwise(signs):
        yield f"c:{first}{second}"


@lru_cache(maxsize=1)
def _weights() -> array[int]:
    return array("b", resources.files("sources.reading_list").joinpath("data/titles.bin").read_bytes())


def _weight(feature: str) -> int:
    return _weights()[crc32(feature.encode("utf-8", "replace")) & _MASK]


_WHOLE, _BEGINNING, _ENDING, _PAIR = (crc32(name) for name in (b"w:", b"p:", b"s:", b"b:"))
"""What the names of features of words begin with: a checksum goes on from that of its first part."""


def _weight_of_plain_word(code: bytes, *, small: bool) -> int:
    """Returns what `_weight_of_word` does, of a word whose signs are bytes; most are met for the first time."""
    weights = _weights()
    weight = weights[crc32(code, _WHOLE) & _MASK]
    if small:
        return weight
    return weight + weights[crc32(code[:4], _BEGINNING) & _MASK] + weights[crc32(code[-4:], _ENDING) & _MASK]


def _weight_of_word(low: str) -> int:
    return sum(map(_weight, _features_of_word(low)))


@lru_cache(maxsize=16384)
def _weight_of_frame(older: str, frame: str, place: str) -> int:
    return _weight(f"k:{older} {frame} {place}")


@lru_cache(maxsize=16384)
def _weight_of_first(place: str, low: str) -> int:
    return _weight(f"first:{place}") + _weight(f"1:{low}")


@lru_cache(maxsize=16384)
def _weight_of_counts(count: int, content: int, capitals: int) -> int:
    return _weight("bias") + sum(map(_weight, _features_of_counts(count, content, capitals)))


@lru_cache(maxsize=16384)
def _weight_of_feature(name: str, value: str | int) -> int:
    return _weight(f"{name}:{value}")


@lru_cache(maxsize=16384)
def title_odds(text: str) -> float:
    """Returns the logarithm of the odds that `text`, met in a reading list, is a paper's title; 0 is even."""
    if not text:
        return -8.0
    text = _plain(text)
    return _odds(text, _with_words(_NO_WORDS, _WORD.findall(text)))


def odds_in_turn(texts: Iterable[str]) -> list[float]:
    """Returns the odds of `texts`, of which most begin with the one before, whose words are then not read again."""
    found: list[float] = []
    before, total = "", _NO_WORDS
    for each in texts:
        text = _plain(each)
        following = text[len(before) : len(before) + 1]
        if not text.startswith(before) or following.isalnum() or following in _IN_WORDS:
            before, total = "", _NO_WORDS
        total = _with_words(total, _WORD.findall(text, len(before)))
        found.append(_odds(text, total) if text else -8.0)
        before = text
    return found


def _plain(text: str) -> str:
    return text[:_LONGEST].translate(_PLAIN) if _OTHER_MARKS.search(text) else text[:_LONGEST]


class _Total(NamedTuple):
    """What the words of a text come to.

    Attributes:
        weight: What they weigh by themselves, in their pairs and in their frames.
        number: How many they are.
        content: How many carry meaning.
        capitals: How many of those have a capital.
        length: How many characters they have.
        first: The first of them.
        last: The last in lower case, what stands for it and for the one before it, and the checksum that it begins.
    """

    weight: int
    number: int
    content: int
    capitals: int
    length: int
    first: _Word | None
    last: tuple[str, str, str, int]


_NO_WORDS = _Total(0, 0, 0, 0, 0, None, ("^", "^", "^", crc32(b"^ ", _PAIR)))


def _with_words(so_far: _Total, further: list[str]) -> _Total:
    """Returns what the words of a text come to with those that follow."""
    if not further:
        return so_far
    words = list(map(_word, further))
    total, number, content, capitals, length, first, (before, frame, older, ahead) = so_far
    weights = _weights()
    for low, place, size, full, capital, weight, code, following in words:
        content += full
        capitals += capital
        length += size
        # weights[...] is _weight(f"b:{before} {low}"): the checksum goes on from that of its first half
        total += weight + weights[crc32(code, ahead) & _MASK] + _weight_of_frame(older, frame, place)
        before, older, frame, ahead = low, frame, place, following
    number, first = number + len(words), first or words[0]
    return _Total(total, number, content, capitals, length, first, (before, frame, older, ahead))


def _odds(text: str, words: _Total) -> float:
    """Returns the odds of `text`, given what its words come to."""
    total, number, content, capitals, length, first, (before, frame, older, _) = words
    total += _weight_of_counts(number, content, capitals) + _weight_of_feature("mean", length // max(number, 1))
    total += _weight_of_first(first.place, first.low) if first else 0
    total += _weight_of_feature("e", before) + _weight_of_frame(older, frame, "$")
    total += _weight_of_feature("end", _end(text))
    if marks := _MARKS.findall(text):
        total += sum([_weight_of_feature("m", mark) for mark in set(marks)])
        if ": " in text:
            total += _weight_of_feature("colon", "{}:{}".format(*_around_colon(text)))
    if not text.isascii():
        signs = _CJK.findall(text)
        total += _weight_of_feature("cjk", 4 * len(signs) // len(text))
        total += sum([_weight_of_feature("c", first + second) for first, second in pairwise(signs)])
    return total * STEP


def forget() -> None:
    """Forgets what was read from the weights, for who has just written others."""
    for cached in (_weights, _word, _weight_of_frame, _weight_of_first, _weight_of_counts, _weight_of_feature):
        cached.cache_clear()
    title_odds.cache_clear()

"""How much a stretch of text reads like the title of a paper: a small linear model learnt from real titles.

The weights are in data/titles.bin, one signed byte a bucket; `python -m benchmarks.model` learns them. The text is
described by its words, their beginnings and endings, the small words between them and its outward form, so that
titles of a field or language that the model has not met still have features it knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from zlib import crc32

BUCKETS = 1 << 17
"""How many weights there are."""

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


def title_features(text: str) -> Iterator[str]:
    """Yields the features of `text` by name, as the model is taught them; `title_odds` adds up their weights."""
    text = text[:_LONGEST].translate(_PLAIN)
    yield "bias"
    words = _WORD.findall(text)
    before, frame, older = "^", "^", "^"
    for word in words:
        low = word.lower()
        yield from _features_of_word(low)
        yield f"b:{before} {low}"
        place = low if low in _SMALL else _shape(word)
        yield f"k:{older} {frame} {place}"
        if before == "^":
            yield f"first:{place}"
            yield f"1:{low}"
        before, older, frame = low, frame, place
    yield f"e:{before}"
    yield f"k:{older} {frame} $"
    yield from _form_features(text, words)
    if not text.isascii():
        signs = _CJK.findall(text)
        for first, second in pairwise(signs):
            yield f"c:{first}{second}"


def _features_of_word(low: str) -> Iterator[str]:
    yield f"w:{low}"
    if low not in _SMALL:
        yield f"p:{low[:4]}"
        yield f"s:{low[-4:]}"
        if "-" in low:
            for part in low.split("-"):
                yield f"w:{part}"


def _shape(word: str) -> str:
    if word[0].isdigit():
        return "0"
    if word.isupper() and len(word) > 1:
        return "AA"
    return ("X" if word[0].isupper() else "x") + ("-" if "-" in word else "")


def _form_features(text: str, words: list[str]) -> Iterator[str]:
    count = len(words)
    yield f"n:{count if count < 8 else min(count, 40) // 3 * 3}"
    content = [word for word in words if word.lower() not in _SMALL]
    capitals = sum(not word[0].islower() for word in content)
    yield f"cap:{min(len(content), 6)}:{4 * capitals // len(content) if content else 9}"
    yield f"n-small:{min(count, 8)}:{min(count - len(content), 3)}"
    yield f"mean:{sum(map(len, words)) // max(count, 1)}"
    for mark in set(_MARKS.findall(text)):
        yield f"m:{mark}"
    yield f"end:{text[-1:] if not text[-1:].isalnum() else 'a'}"
    head, colon, rest = text.partition(": ")
    if colon:
        yield f"colon:{min(len(head.split()), 6)}:{min(len(rest.split()), 5)}"
    if not text.isascii():
        yield f"cjk:{4 * len(_CJK.findall(text)) // max(len(text), 1)}"


@lru_cache(maxsize=1)
def _weights() -> memoryview:
    data = resources.files("sources.reading_list").joinpath("data/titles.bin").read_bytes()
    return memoryview(data).cast("b")


def _weight(feature: str) -> int:
    return _weights()[crc32(feature.encode("utf-8", "replace")) & (BUCKETS - 1)]


@lru_cache(maxsize=32768)
def _weight_of_word(low: str) -> int:
    return sum(map(_weight, _features_of_word(low)))


@lru_cache(maxsize=16384)
def _weight_of_form(feature: str) -> int:
    return _weight(feature)


@lru_cache(maxsize=16384)
def title_odds(text: str) -> float:
    """Returns the logarithm of the odds that `text`, met in a reading list, is a paper's title; 0 is even."""
    if not text:
        return -8.0
    text = text[:_LONGEST].translate(_PLAIN)
    words = _WORD.findall(text)
    total = _weight_of_form("bias")
    before, frame, older = "^", "^", "^"
    for word in words:
        low = word.lower()
        place = low if low in _SMALL else _shape(word)
        total += _weight_of_word(low) + _weight(f"b:{before} {low}") + _weight_of_form(f"k:{older} {frame} {place}")
        if before == "^":
            total += _weight_of_form(f"first:{place}") + _weight(f"1:{low}")
        before, older, frame = low, frame, place
    total += _weight(f"e:{before}") + _weight_of_form(f"k:{older} {frame} $")
    total += sum(map(_weight_of_form, _form_features(text, words)))
    if not text.isascii():
        total += sum(_weight(f"c:{first}{second}") for first, second in pairwise(_CJK.findall(text)))
    return total * STEP


def forget() -> None:
    """Forgets what was read from the weights, for who has just written others."""
    for cached in (_weights, _weight_of_word, _weight_of_form, title_odds):
        cached.cache_clear()

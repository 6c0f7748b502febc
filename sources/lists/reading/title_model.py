"""How much a stretch of text reads like the title of a paper: a small linear model learnt from real titles.

The weights are in data/titles.bin, one signed byte a bucket; `python -m benchmarks.model` learns them. The text is
described by its words, their beginnings and endings, the small words between them and its outward form, so that
titles of a field or language that the model has not met still have features it knows.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from itertools import chain, pairwise
from operator import add
from string import ascii_letters, digits, whitespace
from zlib import crc32

from sources.memory import Memory

# Titles as written -> titles as one line of words, without marks, quotes and brackets around them.


_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EDGES = " \t\n\v\x1d\ufffc.,;:*_|-–—=~<>→#^·•、，。：；\u2022"
_OPENING, _CLOSING = "\"“”„«‹'‘’`「『《〈【", "\"“”»›'‘’`」』》〉】"
_LAST_QUOTES = tuple('"”»」』》')
"""What closes a quotation whose beginning is no part of the words."""
_EMOJI = re.compile(
    r"^(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\ufe0f\u20e3\u3030]|:[a-z0-9_+-]{2,30}:|\s)+"
)
_TAIL_EMOJI = re.compile(r"(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|:[a-z][a-z0-9_+]{2,30}:|\s)+$")
_PARTICLES = re.compile(r"[をはがに、，。]|です|ます|する|した|れる|了|这|是|我")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_WRAPPERS = frozenset(_OPENING + "([{")
_BRACKET = re.compile(r"[()\[\]{}（）【】]")
_ENDINGS = (".pdf", ".PDF", ".ps", ".djvu")
_HYPHENS = re.compile(r"\S+(?:-\S+){4,}")
"""Words joined by hyphens in place of blanks."""
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,30}\]")
_WORDS_ALONE = f"{ascii_letters}{digits} .,;:'*_|~<>#^+/&?!%$@-".encode()
"""Signs of text that needs nothing but to be stripped."""
_FILE_NAME = re.compile(r"\.(?:pdf|ps|djvu)$", re.IGNORECASE)


@lru_cache(maxsize=8192)
def clean_title(text: str) -> str:
    """Returns `text` as a title: one line, without marks, quotes, emoji and sentence marks around it."""
    if text.isascii() and "  " not in text and text.count(":") < 2 and not text.encode().translate(None, _WORDS_ALONE):
        plain = text.strip(_EDGES)
        if " " in plain and plain[0] != "'" and not plain.endswith(_ENDINGS):
            return plain
    text = " ".join(text.split())
    if "[^" in text:
        text = _FOOTNOTE_MARK.sub("", text)
    if not text.isascii() or text.count(":") > 1:
        text = text if text[:1].isalpha() else _EMOJI.sub("", text)
        text = text if text[-1:].isalpha() else _TAIL_EMOJI.sub("", text)
    text = text.strip(_EDGES)
    while text and text[0] in _WRAPPERS:
        shorter = _unwrapped(text).strip(_EDGES)
        if shorter == text:
            break
        text = shorter
    if " " not in text or text.endswith(_ENDINGS):
        text = _spelt_out(text)
    if text[-1:] in _LAST_QUOTES and not any(mark in text[:-1] for mark in _OPENING):
        text = text[:-1].rstrip(_EDGES)
    return _balanced(text) if _BRACKET.search(text) else text


def _unwrapped(text: str) -> str:
    """Returns `text` without the quotes or brackets around the whole of it."""
    if text[0] in _OPENING and text[-1] in _CLOSING and _wraps(text):
        return text[1:-1]
    if len(text) > 2 and (text[0], text[-1]) in _PAIRS and _wraps(text):
        return text[1:-1]
    return text


def _spelt_out(text: str) -> str:
    """Returns the name of a file as words: A_Title_in_a_File.pdf, or a title with hyphens for blanks."""
    bare = _FILE_NAME.sub("", text) if text.endswith(_ENDINGS) else text
    if " " not in bare and (bare.count("_") >= 2 or bare.count("-") >= 4):
        words = bare.replace("_", " ") if "_" in bare else bare
        return " ".join(_HYPHENS.sub(lambda match: match[0].replace("-", " "), words).split())
    return bare


def is_foreign_prose(text: str) -> bool:
    """Returns whether `text` is a sentence in Chinese, Japanese or Korean and not a title in one of them."""
    if text.isascii() or 3 * len(_CJK.findall(text)) <= len(text):
        return False
    return len(text) > 40 or _PARTICLES.search(text) is not None


def _wraps(text: str) -> bool:
    """Returns whether the first and last character of `text` belong together."""
    inner, first, last = text[1:-1], text[0], text[-1]
    if first in "([{":
        return first not in inner and last not in inner
    return not any(mark in inner for mark in (first, last) if mark not in "'’‘`")


def _balanced(text: str) -> str:
    """Returns `text` without a bracket at its edge that has no partner."""
    for opening, closing in ("()", "[]", "{}", "（）", "【】"):
        if opening not in text and closing not in text:
            continue
        if text.endswith(opening) or (text.count(opening) > text.count(closing) and opening in text[-2:]):
            text = text.rstrip(opening + " ")
        if text.count(closing) > text.count(opening) and text.endswith(closing):
            text = text[:-1].rstrip(" .,;:")
        if text.count(closing) > text.count(opening) and text.startswith(closing):
            text = text[1:].lstrip(" .,;:")
        if text.count(opening) > text.count(closing) and text.startswith(opening):
            text = text[1:].lstrip()
    return text


FUNCTION_WORDS = frozenset(
    "a an the of for in on to with and or by from at as via is are be its their into over under between through "
    "using towards toward without within across against "
    "de la el los las del y en para con por un una le les des du et pour dans der die das und für mit von im zur "
    "и в на для с по".split()
)
"""Small words that hold titles together."""


BUCKETS = 1 << 17
"""How many weights there are."""

_MASK = BUCKETS - 1

STEP = 0.05
"""What one unit of a stored weight is worth, in natural logarithms of the odds."""

SURE, LIKELY, EVEN, UNLIKELY, NO_TITLE = 2.0, 1.0, 0.0, -3.0, -4.0
"""Logarithms of the odds: from `SURE` words in mark-up are a title, from `LIKELY` any words by themselves; between
`UNLIKELY` and `EVEN` something else has to say so; below `NO_TITLE` words are hardly one, whatever stands there."""
WORDLESS = -8.0
"""What stands for the odds of a text without a word."""

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_MARKS = re.compile(r"[^\w\s]")
_STRETCHES = bytes(sign if chr(sign).isalnum() or chr(sign) in "-'" else 32 for sign in range(128)).ljust(256)
"""Puts a blank for every sign that parts words, in a text whose signs are bytes."""
_NO_MARKS = f"{ascii_letters}{digits}_{whitespace}\x1c\x1d\x1e\x1f".encode()
_LONGEST = 400
_LAST = 0xFFFF
"""The last 16 bits of a tally."""
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
    words = _words_of(text)
    before, frame, older = "^", "^", "^"
    for place, _, _, code, _ in words:
        low = code.decode()
        yield from _features_of_word(low)
        yield f"b:{before} {low}"
        yield f"k:{older} {frame} {place}"
        if before == "^":
            yield f"first:{place}"
            yield f"1:{low}"
        before, older, frame = low, frame, place
    yield f"e:{before}"
    yield f"k:{older} {frame} $"
    tally = sum(size for _, size, _, _, _ in words)
    yield from _features_of_counts(tally >> 16)
    yield f"mean:{(tally & _LAST) // max(len(words), 1)}"
    yield from _features_of_marks(text)
    if not text.isascii():
        yield from _features_of_signs(text)


_Word = tuple[str, int, int, bytes, int]
"""A word: what stands for it where the order of words counts (itself where it is small, otherwise its shape); its tally
(one word, whether it carries meaning, whether with a capital, and its length, in 16 bits each); what it weighs by
itself; its code, which is itself in lower case; the checksum of the pair that it begins, which goes on with the code of
the next word.
"""


def _word(word: str) -> _Word:
    low = word.lower()
    code = low.encode("utf-8", "replace")
    ahead, weights = crc32(b" ", crc32(code, _PAIR)), _weights()
    weight = weights[crc32(code, _WHOLE) & _MASK]
    if low in _SMALL:
        return low, 1 << 48 | len(word), weight, code, ahead
    beginning, ending = code[:4], code[-4:]
    if len(code) != len(low):
        beginning, ending = (part.encode("utf-8", "replace") for part in (low[:4], low[-4:]))
    weight += weights[crc32(beginning, _BEGINNING) & _MASK] + weights[crc32(ending, _ENDING) & _MASK]
    if "-" in low:
        weight += sum([weights[crc32(part.encode("utf-8", "replace"), _WHOLE) & _MASK] for part in low.split("-")])
    return _shape(word), (1 << 16 | (not word[0].islower())) << 16 | 1 << 48 | len(word), weight, code, ahead


def _words_in(stretch: str) -> tuple[_Word, ...]:
    """Returns the words of a stretch without blanks."""
    return (_word(stretch),) if stretch.isalnum() else tuple([_word(word) for word in _WORD.findall(stretch)])


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


def _features_of_counts(counts: int) -> Iterator[str]:
    """Yields what is observed of the numbers of words, of those with meaning and of those with a capital."""
    count, content, capitals = counts >> 32, counts >> 16 & _LAST, counts & _LAST
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
    return array("b", resources.files("sources.lists.reading").joinpath("data/titles.bin").read_bytes())


def _weight(feature: str) -> int:
    return _weights()[crc32(feature.encode("utf-8", "replace")) & _MASK]


_WHOLE, _BEGINNING, _ENDING, _PAIR, _FIRST, _END = map(crc32, (b"w:", b"p:", b"s:", b"b:", b"1:", b"e:"))
_START = crc32(b"^ ", _PAIR)
"""What the names of features of words begin with: a checksum goes on from that of its first part."""


class _State(dict[str, tuple[int, "_State"]]):
    """What stands for the two words before a place. By what stands there: what the three weigh, and the next state."""

    def __init__(self, older: str, frame: str) -> None:
        super().__init__()
        self._older, self._frame = older, frame

    def __missing__(self, place: str) -> tuple[int, _State]:
        weight = _weight(f"k:{self._older} {self._frame} {place}")
        found = self[place] = weight, _states[self._frame, place]
        return found


_words = Memory(_words_in)
_states: Memory[tuple[str, str], _State] = Memory(lambda frames: _State(*frames))
_firsts: Memory[str, int] = Memory(lambda place: _weight(f"first:{place}"))
_counts: Memory[int, int] = Memory(lambda counts: sum(map(_weight, ["bias", *_features_of_counts(counts)])))
_means: Memory[int, int] = Memory(lambda mean: _weight(f"mean:{mean}"))
_ends: Memory[str, int] = Memory(lambda sign: _weight(f"end:{_end(sign)}"))
_marks: Memory[str, int] = Memory(lambda marks: sum([_weight(f"m:{mark}") for mark in set(marks)]))
_colons: Memory[tuple[int, int], int] = Memory(lambda around: _weight("colon:{}:{}".format(*around)))
_signs: Memory[str, int] = Memory(lambda pair: _weight(f"c:{pair}"))
_shares: Memory[int, int] = Memory(lambda share: _weight(f"cjk:{share}"))


class _Reading:
    """Texts read in turn: where one goes on from that before it, the words of that one are not read again."""

    __slots__ = ("_ahead", "_before", "_first", "_last", "_state", "_tally", "_weight")

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._before, self._first, self._last = "", 0, b"^"
        self._weight, self._tally, self._ahead, self._state = 0, 0, _START, _states["^", "^"]

    def odds(self, text: str) -> float:
        """Returns the odds of `text`."""
        text = _plain(text)
        if not text:
            return WORDLESS
        done = len(self._before)
        following = text[done : done + 1]
        if done and (not text.startswith(self._before) or following.isalnum() or following in _IN_WORDS):
            self._begin()
            done = 0
        self._before = text
        if further := _words_of(text[done:]):
            self._read(further)
        tally = self._tally
        weight = self._weight + self._first + _counts[tally >> 16] + _means[(tally & _LAST) // ((tally >> 48) or 1)]
        weight += _weights()[crc32(self._last, _END) & _MASK] + self._state["$"][0] + _ends[text[-1]]
        return STEP * (weight + _weight_of_marks(text))

    def _read(self, words: list[_Word]) -> None:
        """Adds what `words` weigh by themselves, in their pairs and in their frames."""
        weights, total, tally, ahead, state = _weights(), self._weight, self._tally, self._ahead, self._state
        if not tally:
            self._first = _firsts[words[0][0]] + weights[crc32(words[0][3], _FIRST) & _MASK]
        for place, size, weight, code, following in words:
            of_frame, state = state[place]
            # weights[...] is _weight(f"b:{before} {low}"): the checksum goes on from that of its first half
            total += weight + of_frame + weights[crc32(code, ahead) & _MASK]
            tally += size
            ahead = following
        self._weight, self._tally, self._ahead, self._state, self._last = total, tally, ahead, state, code


def _words_of(text: str) -> list[_Word]:
    """Returns the words of `text`, which may begin within a text and end where a word does."""
    stretches = text.encode().translate(_STRETCHES).decode().split() if text.isascii() else _WORD.findall(text)
    return [*chain.from_iterable(map(_words.__getitem__, stretches))]


def _weight_of_marks(text: str) -> int:
    """Returns what the marks in `text` weigh, and its Chinese, Japanese and Korean signs."""
    if text.isascii():
        marks = text.encode().translate(None, _NO_MARKS).decode()
        weight = _marks[marks] if marks else 0
    else:
        marks = "".join(_MARKS.findall(text))
        signs = _CJK.findall(text)
        pairs = map(add, signs, signs[1:])
        weight = _marks[marks] + _shares[4 * len(signs) // len(text)] + sum(map(_signs.__getitem__, pairs))
    return weight + _colons[_around_colon(text)] if ": " in text else weight


_odds: Memory[str, float] = Memory(lambda text: _Reading().odds(text))


def title_odds(text: str) -> float:
    """Returns the logarithm of the odds that `text`, met in a reading list, is a paper's title; 0 is even."""
    return _odds[text]


def odds_in_turn(texts: Iterable[str]) -> list[float]:
    """Returns the odds of `texts`, of which most begin with the one before, whose words are then not read again."""
    reading, found = _Reading(), []
    for text in texts:
        odds = _odds.get(text)
        if odds is None:
            odds = _odds.remember(text, reading.odds(text))
        found.append(odds)
    return found


def _plain(text: str) -> str:
    plain = text.isascii() or not _OTHER_MARKS.search(text)
    return text[:_LONGEST] if plain else text[:_LONGEST].translate(_PLAIN)


def forget() -> None:
    """Forgets what was read from the weights, for who has just written others."""
    _weights.cache_clear()
    for memory in vars(sys.modules[__name__]).values():
        if isinstance(memory, Memory):
            memory.cache_clear()

"""Scores how much a text reads like the title of a paper, and decides which language a list or its words are in.

The weights of two linear models learnt from real titles are in data/titles.bin, one signed byte a bucket; `python -m
benchmarks.model` learns them: one for texts in Chinese, Japanese or Korean, one for all others. A text is described by
its words, their beginnings and endings, the small words between them and its outward form, so that titles of a field or
language that the model has not met have features it knows.

Most papers have English titles. In a list whose remarks are in another language, English words are titles more often
than not, and words of the list's own language are remarks, whatever else is known about them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from string import ascii_letters, digits
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from sources.lists.reading.document import Block

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EDGES = " \t\n\v\x1d\ufffc.,;:*_|-–—=~<>→#^·•、，。：；\u2022"
_OPENING, _CLOSING = "\"“”„«‹'‘’`「『《〈【", "\"“”»›'‘’`」』》〉】"
_LAST_QUOTES = tuple('"”»」』》')  # what closes a quotation whose beginning is no part of the words
_FIRST_QUOTES = tuple("“„«「『《")  # the same for one whose end is none
# Quotation marks -> what closes them.
QUOTES = {
    '"': '"”“',
    "“": '”"',
    "”": "”",
    "„": "“”",
    "«": "»",
    "「": "」",
    "『": "』",
    "《": "》",
    "‘": "’",
    "`": "'`",
    "〈": "〉",
}
_QUOTABLE = r"[^“”«»„「」『』《》\"\x1d\n]"
# Words in quotation marks, in which others may stand that are told from them; the last group that matched holds them.
LONG_QUOTE = re.compile(
    rf"«((?:[^«»\x1d\n]|«[^«»\x1d\n]*»){{12,250}})»|“((?:[^“”\x1d\n]|“[^“”\x1d\n]*”){{12,250}})”"
    rf"|[“«„「『《\"]({_QUOTABLE}{{12,250}})[”»“」』》\"]"
)
_EMOJI = re.compile(
    r"^(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2190-\u21ff\ufe0f\u20e3\u3030]|:[a-z0-9_+-]{2,30}:|\s)+"
)
_TAIL_EMOJI = re.compile(r"(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f]|:[a-z][a-z0-9_+]{2,30}:|\s)+$")
_PARTICLES = re.compile(r"[をはがに、，。]|です|ます|する|した|れる|了|这|是|我")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_WRAPPERS = frozenset(_OPENING + "([{")
_BRACKET = re.compile(r"[()\[\]{}（）【】]")
_ENDINGS = (".pdf", ".PDF", ".ps", ".djvu")
_HYPHENS = re.compile(r"\S+(?:-\S+){4,}")  # words joined by hyphens in place of blanks
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,30}\]")
# Signs of text that needs nothing but to be stripped.
_WORDS_ALONE = f"{ascii_letters}{digits} .,;:'*_|~<>#^+/&?!%$@-".encode()
_QUOTATION_MARK = re.compile('["“”„«»「」『』《》]')
_FILE_NAME = re.compile(r"\.(?:pdf|ps|djvu)$", re.IGNORECASE)


def outermost_quotations(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Returns where quotations begin and end in `text` between `start` and `end`, without those inside others."""
    opened: list[int] = []
    closed: list[tuple[int, int]] = []
    for match in _QUOTATION_MARK.finditer(text, start, end):
        if opened and match[0] in QUOTES[text[opened[-1]]]:
            first = opened.pop()
            while closed and closed[-1][0] > first:
                closed.pop()
            closed.append((first, match.end()))
        elif match[0] in QUOTES:
            opened.append(match.start())
    return closed


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
    while text and text[0] in _WRAPPERS and _wraps_whole(text):
        text = text[1:-1].strip(_EDGES)
    if " " not in text or text.endswith(_ENDINGS):
        text = _spelt_out(text)
    if text[-1:] in _LAST_QUOTES and not any(mark in text[:-1] for mark in _OPENING):
        text = text[:-1].rstrip(_EDGES)
    if text[:1] in _FIRST_QUOTES and not any(mark in text[1:] for mark in _CLOSING):
        text = text[1:].lstrip(_EDGES)
    return _without_unpaired_brackets(text) if _BRACKET.search(text) else text


def _spelt_out(text: str) -> str:
    """Returns the name of a file as words: A_Title_in_a_File.pdf, or a title with hyphens for blanks."""
    bare = _FILE_NAME.sub("", text) if text.endswith(_ENDINGS) else text
    if " " not in bare and (bare.count("_") >= 2 or bare.count("-") >= 4):
        words = bare.replace("_", " ") if "_" in bare else bare
        return " ".join(_HYPHENS.sub(lambda match: match[0].replace("-", " "), words).split())
    return bare


def is_foreign_prose(text: str) -> bool:
    """Returns whether `text` is a sentence in Chinese, Japanese or Korean and not a title in one of them."""
    if text.isascii() or 3 * len(CJK.findall(text)) <= len(text):
        return False
    return len(text) > 40 or _PARTICLES.search(text) is not None


def _wraps_whole(text: str) -> bool:
    inner, first, last = text[1:-1], text[0], text[-1]
    if first in "([{":
        return len(text) > 2 and (first, last) in _PAIRS and first not in inner and last not in inner
    return last in _CLOSING and not any(mark in inner for mark in (first, last) if mark not in "'’‘`")


def _without_unpaired_brackets(text: str) -> str:
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


# Small words that hold titles together.
FUNCTION_WORDS = frozenset(
    "a an the of for in on to with and or by from at as via is are be its their into over under between through "
    "using towards toward without within across against "
    "de la el los las del y en para con por un una le les des du et pour dans der die das und für mit von im zur "
    "и в на для с по".split()
)


BUCKETS = 1 << 17  # how many weights there are of texts in other languages than the Asian ones
ASIAN_BUCKETS = 1 << 15  # how many there are of texts in those, behind the others

STEP = 0.05  # what one unit of a stored weight is worth, in natural logarithms of the odds

# Logarithms of the odds: from `SURE` words in mark-up are a title, from `LIKELY` any words by themselves; between
# `UNLIKELY` and `EVEN` something else has to say so; below `NO_TITLE` words are hardly one, whatever stands there.
SURE, LIKELY, EVEN, UNLIKELY, NO_TITLE = 2.0, 1.0, 0.0, -3.0, -4.0
WORDLESS = -8.0  # what stands for the odds of a text without a word

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
# Words where no blanks part them: two signs of Chinese or Japanese stand for one.
_SIGNS = r"\u3040-\u30ff\u3400-\u9fff"
_WORD_OR_SIGNS = re.compile(rf"[{_SIGNS}]{{1,2}}|[^\W_{_SIGNS}]+(?:[-'’][^\W_{_SIGNS}]+)*")
_MARKS = re.compile(r"[^\w\s]")
_LONGEST = 400
_LONGEST_ASIAN = 100  # signs of Chinese, Japanese or Korean beyond which words are no title; of 422 the longest has 87
# Words that hold titles together in several languages; the words between them stand for any.
_SMALL = frozenset(
    "a an the of for in on to with and or by from at as via is are be its their into over under between through using "
    "without within across against how what when why where who not do does can it this that de la el los las del y en "
    "para con por un una le les des du et pour dans der die das und für mit von im zur auf в на для с по и о из".split()
)

# Marks of one meaning, as most titles write them.
_PLAIN = str.maketrans({"：": ": ", "’": "'", "‘": "'", "“": '"', "”": '"', "‐": "-", "‑": "-"})


class _Word(NamedTuple):
    """A word as the model sees it, and the names of its features."""

    low: str
    place: str  # itself where it is small, else its shape
    is_small: bool
    is_capital: bool
    features: tuple[str, ...]


@lru_cache(maxsize=16384)
def _word(word: str) -> _Word:
    low = word.lower()
    if low in _SMALL:
        return _Word(low, low, is_small=True, is_capital=False, features=(f"w:{low}",))
    parts = [f"w:{part}" for part in low.split("-")] if "-" in low else []
    features = f"w:{low}", f"p:{low[:4]}", f"s:{low[-4:]}", *parts
    return _Word(low, _shape_of_word(word), is_small=False, is_capital=not word[0].islower(), features=features)


def is_asian(text: str) -> bool:
    """Returns whether signs of Chinese, Japanese or Korean stand in `text`."""
    return not text.isascii() and CJK.search(text) is not None


def title_features(text: str) -> Iterator[str]:
    """Yields the features of `text` by name; `title_odds` adds up their weights."""
    text, words = _words_of(text)
    for word in words:
        yield from _word(word).features
    yield from _features_between(text, words)


def _words_of(text: str) -> tuple[str, list[str]]:
    """Returns as much of `text` as counts, its marks written in one way, and its words."""
    text = text[:_LONGEST].translate(_PLAIN) if not text.isascii() else text[:_LONGEST]
    return text, (_WORD_OR_SIGNS if is_asian(text) else _WORD).findall(text)


def _features_between(text: str, words: Sequence[str]) -> Iterator[str]:
    """Yields the features of `text` that no word of it has by itself."""
    yield "bias"
    before, frame, older = "^", "^", "^"
    content = capitals = 0
    count, length = len(words), sum(map(len, words))
    for low, place, is_small, is_capital, _ in map(_word, words):
        if not is_small:
            content, capitals = content + 1, capitals + is_capital
        yield f"b:{before} {low}"
        yield f"k:{older} {frame} {place}"
        if before == "^":
            yield f"first:{place}"
            yield f"1:{low}"
        before, older, frame = low, frame, place
    yield f"e:{before}"
    yield f"k:{older} {frame} $"
    yield f"n:{count if count < 8 else min(count, 40) // 3 * 3}"
    yield f"cap:{min(content, 6)}:{4 * capitals // content if content else 9}"
    yield f"n-small:{min(count, 8)}:{min(count - content, 3)}"
    yield f"mean:{length // max(count, 1)}"
    for mark in set(_MARKS.findall(text)):
        yield f"m:{mark}"
    last = text[-1:]
    yield f"end:{'a' if last.isalnum() else last}"
    head, colon, rest = text.partition(": ")
    if colon:
        yield f"colon:{min(len(head.split()), 6)}:{min(len(rest.split()), 5)}"
    if not text.isascii():
        signs = CJK.findall(text)  # no blanks part the words
        yield f"cjk:{4 * len(signs) // max(len(text), 1)}"
        yield from (f"c:{first}{second}" for first, second in pairwise(signs))


def _shape_of_word(word: str) -> str:
    if word[0].isdigit():
        return "0"
    if word.isupper() and len(word) > 1:
        return "AA"
    return ("X" if word[0].isupper() else "x") + ("-" if "-" in word else "")


@lru_cache(maxsize=1)
def _weights() -> array[int]:
    return array("b", resources.files("sources.lists.reading").joinpath("data/titles.bin").read_bytes())


@lru_cache(maxsize=32768)
def title_odds(text: str) -> float:
    """Returns the logarithm of the odds that `text`, met in a reading list, is a paper's title; 0 is even."""
    if not text:
        return WORDLESS
    if is_asian(text):
        if len(CJK.findall(text)) > _LONGEST_ASIAN:
            return WORDLESS
        return STEP * _weight(title_features(text), first=BUCKETS, count=ASIAN_BUCKETS)
    text, words = _words_of(text)
    return STEP * (sum(map(_weight_of_word, words)) + _weight(_features_between(text, words)))


@lru_cache(maxsize=16384)
def _weight_of_word(word: str) -> int:
    return _weight(_word(word).features)


def _weight(features: Iterable[str], first: int = 0, count: int = BUCKETS) -> int:
    """Returns the sum of the weights of `features`, which are among the `count` from the `first` on."""
    weights = _weights()
    return sum([weights[first + bucket_of(name, count)] for name in features])


def bucket_of(name: str, count: int) -> int:
    """Returns which of `count` weights is that of a feature."""
    return crc32(name.encode("utf-8", "replace")) % count


def forget() -> None:
    """Clears the caches, after the weights have been written anew."""
    _weights.cache_clear()
    _weight_of_word.cache_clear()
    title_odds.cache_clear()


# Whether a list, or words of it, are in another language than English.

_ADDRESS = re.compile(r"://|\.(?:com|org|net|io|html)")
_LETTERS = re.compile(r"[^\W\d_]+")
# Puts a blank for every sign that is no letter, in a text whose signs are bytes.
_LETTERS_ALONE = bytes(sign if chr(sign).isalpha() else 32 for sign in range(128)).ljust(256)
_CYRILLIC = re.compile(r"[Ѐ-ӿ]")
_ENGLISH = frozenset(
    "the of and for in on with to from by is are an via at as using how what when why it this that be its their or not "
    "you we".split()
)
# Small words of Spanish, Portuguese, French, Italian and German that English does not have.
_ELSEWHERE = frozenset(
    "el los las del y en que para por una lo es sobre pero como más muy les pour dans est une sur au qui mais avec il "
    "di della che gli nel sono um uma na da dos das em ao à é não mais der und für mit zur auf ist ein eine nicht wir "
    "zum den dem bei als auch sich "
    "le con dell dello delle degli dei alla allo questo questa ho avec chez leur cette ces dont où aux hay este esta "
    "entre sin desde hasta wird werden sind wie oder nach ich".split()
)

# How many words a small one stands for, and how many signs of Chinese, Japanese or Korean are a word.
_WORDS_A_SMALL_WORD, _SIGNS_A_WORD = 2.5, 2.0

# Which share of the words of a list, and how many, are in another language where the list is.
_SHARE, _FEWEST = 0.25, 15

_MOST_BLOCKS, _MOST_SIGNS = 400, 4_000


def words_in(text: str) -> list[str]:
    """Returns the words of `text`, which here are nothing but letters."""
    if text.isascii():
        return text.encode().translate(_LETTERS_ALONE).decode().split()
    return _LETTERS.findall(text)


def is_in_other_language(blocks: Sequence[Block]) -> bool:
    """Returns whether a good part of a list is in another language than English; it looks at some of a long one."""
    other = total = 0.0
    for block in blocks[:: len(blocks) // _MOST_BLOCKS + 1]:
        text = block.rich.text[:_MOST_SIGNS]
        if _ADDRESS.search(text):
            text = " ".join([piece for piece in text.split() if not _ADDRESS.search(piece)])
        words = words_in(text.lower()) if text.isascii() else list(map(str.lower, words_in(text)))
        asian = 0 if text.isascii() else len(CJK.findall(text)) / _SIGNS_A_WORD
        small = sum(map(_ELSEWHERE.__contains__, words))
        other += _WORDS_A_SMALL_WORD * small + _cyrillic(text, words) + asian
        total += len(words) + asian
    return other > _SHARE * total and other > _FEWEST


def language_of(title: str) -> str:
    """Returns in which language a title is that stands in a list of another language than English, in words."""
    words = [word.lower() for word in _LETTERS.findall(title)]
    own: float = sum(word in _ELSEWHERE for word in words) + _cyrillic(title, words)
    own += 0 if title.isascii() else len(CJK.findall(title)) / 3
    if not own:
        return "in another language than the list"
    english = sum(word in _ENGLISH for word in words)
    return "in the list's own language" if own > english else "partly in the list's own language"


def is_remark(text: str, title: str) -> bool:
    """Returns whether `text`, which follows `title` behind a comma, is in another language than English, and it not."""
    words = text.lower().split()
    return not _ELSEWHERE.isdisjoint(words) and _ELSEWHERE.isdisjoint(title.lower().split()) and title.isascii()


def _cyrillic(text: str, words: Sequence[str]) -> int:
    if text.isascii() or not _CYRILLIC.search(text):
        return 0
    return sum(_CYRILLIC.match(word) is not None for word in words)

"""Decides whether a list, or words of it, are in another language than English.

Most papers have English titles. In a list whose remarks are in another language, English words are titles more often
than not, and words of the list's own language are remarks, whatever else is known about them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sources.lists.reading.document import Block

_ADDRESS = re.compile(r"://|\.(?:com|org|net|io|html)")
_WORD = re.compile(r"[^\W\d_]+")
# Puts a blank for every sign that is no letter, in a text whose signs are bytes.
_LETTERS_ALONE = bytes(sign if chr(sign).isalpha() else 32 for sign in range(128)).ljust(256)
_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
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
    return _WORD.findall(text)


def is_in_other_language(blocks: Sequence[Block]) -> bool:
    """Returns whether a good part of a list is in another language than English; it looks at some of a long one."""
    other = total = 0.0
    for block in blocks[:: len(blocks) // _MOST_BLOCKS + 1]:
        text = block.rich.text[:_MOST_SIGNS]
        if _ADDRESS.search(text):
            text = " ".join([piece for piece in text.split() if not _ADDRESS.search(piece)])
        words = words_in(text.lower()) if text.isascii() else list(map(str.lower, words_in(text)))
        asian = 0 if text.isascii() else len(_ASIAN.findall(text)) / _SIGNS_A_WORD
        small = sum(map(_ELSEWHERE.__contains__, words))
        other += _WORDS_A_SMALL_WORD * small + _cyrillic(text, words) + asian
        total += len(words) + asian
    return other > _SHARE * total and other > _FEWEST


def language_of(title: str) -> str:
    """Returns in which language a title is that stands in a list of another language than English, in words."""
    words = [word.lower() for word in _WORD.findall(title)]
    own: float = sum(word in _ELSEWHERE for word in words) + _cyrillic(title, words)
    own += 0 if title.isascii() else len(_ASIAN.findall(title)) / 3
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

"""Titles as written -> titles as one line of words, without marks, quotes and brackets around them."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters, digits

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

"""Normalises titles to keys and words, without their typography. Pure, linear, total."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

# Characters of a title that are read as words; what is longer is no title, and comparing must stay cheap.
MAX_TITLE = 1000

_LETTER_COMMANDS = {"o": "o", "l": "l", "i": "i", "j": "j", "ss": "ss", "ae": "ae", "oe": "oe", "aa": "a"}
_STYLES = frozenset(
    "emph text textbf textit textsc texttt textrm textsf textnormal textsuperscript textsubscript mathcal mathbf "
    "mathrm mathit mathbb mathsf mathfrak mathtt bm boldsymbol bf it rm em sc tt sf left right operatorname "
    "ensuremath mbox hbox protect uppercase lowercase".split()
)
_ACCENT = re.compile(r"\\[`'^\"~=.]\s*\{?\s*\\?([A-Za-z])\s*\}?")
_LETTER_ACCENT = re.compile(r"\\[cvuHkrbdt](?:\s*\{\s*\\?([A-Za-z])\s*\}|\s+([A-Za-z])\b)")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?\s*")

_GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi "
        "chi psi omega".split(),
        strict=True,
    )
)
_LETTERS = str.maketrans(
    {**_GREEK, "ø": "o", "đ": "d", "ð": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ħ": "h", "×": "x"}
)
_MARKS = re.compile("[\u0300-\u036f\ufe00-\ufe0f]")

_PLUS_PLUS = re.compile(r"(?<=[^\W_])\+\+")
_PLUS = re.compile(r"(?<=[^\W_])\+(?![\w+])")
_SHARP = re.compile(r"(?<=\b[a-z])#")
_AMPERSAND = re.compile(r"(?<=\s)&(?=\s)")
_SPECIAL = frozenset("\\$&+#{}")

_APOSTROPHES = re.compile("['\u2019\u2018\u02bc`\u00b4]")
_WORD = re.compile(r"[^\W_]+")
_SIGN = re.compile(r"[(\[]([+\u00b1\u2010-\u2013\u2212-]|\+/-)[)\]]")
_MINUS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_GLUE = re.compile(r"([\s/\u2010-\u2013-]+)")
_ASCII_REST = re.compile(r"[^a-z0-9]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CUT = re.compile(r"\s*[:;?!\u2014\u2015|]+\s*|\s+[-\u2010-\u2013~]+\s+|\s+[(\[]|(?<=\w{3})\.+\s+|\.{3,}\s*")


@dataclass(frozen=True, slots=True)
class TitleWords:
    """A title as words, with the places where a colon, a dash, a bracket or a full stop parts it.

    Attributes:
        words: Folded words, in order.
        raw: The same words as written, with their capitals.
        cuts: Indices of the words that begin a new part; 0 is never among them.
        commas: Indices of the words that follow a comma.
        joined: Indices of the words that a hyphen or a slash joins to the one before.
        signs: Plus and minus signs in brackets, as chemists write them, in order.
        cut_off: Whether the title ends in an ellipsis.
    """

    words: tuple[str, ...]
    raw: tuple[str, ...]
    cuts: frozenset[int] = frozenset()
    commas: frozenset[int] = frozenset()
    joined: frozenset[int] = frozenset()
    signs: tuple[str, ...] = ()
    cut_off: bool = False

    @property
    def head(self) -> int:
        """Returns the length of the first part, 0 where the title has only one."""
        return min(self.cuts, default=0)


def plain(text: str) -> str:
    """Returns `text` without TeX, HTML entities, accents and compatibility forms; capitals and punctuation stay."""
    if text.isascii() and _SPECIAL.isdisjoint(text):
        return text
    composed = unicodedata.normalize("NFKC", _without_tex(html.unescape(text)))
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", composed)))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """Returns `text` in lower case without TeX, HTML entities, accents and ligatures; punctuation stays."""
    bare = plain(text)
    return bare.lower() if bare.isascii() else _lowered(bare)


@lru_cache(maxsize=65536)
def title_key(title: str) -> str:
    """Returns the key under which equal titles meet: letters and digits of the folded title, nothing else.

    Cheap, total and idempotent; empty where the title holds neither letter nor digit, and an empty key equals nothing.
    """
    folded = _spelled_out(fold(title))
    if folded.isascii():
        return _ASCII_REST.sub("", folded)
    return "".join(
        character for character in folded if (character.isalnum() or unicodedata.category(character) in ("Mn", "Mc"))
    )


def title_keys(title: str) -> tuple[str, ...]:
    """Returns the keys to look a title up by, the most trusted first: whole, without system name, without subtitle.

    Only the first is the title itself; what the others find must still be judged.
    """
    bare = plain(title)
    variants = [bare, *_tails(bare), *_heads(bare)]
    keys = [title_key(variant) for variant in variants]
    whole = [key for key in keys[:1] if key]
    return tuple(dict.fromkeys(whole + [key for key in keys[1:] if len(key) >= 12]))


@lru_cache(maxsize=8192)
def title_words(title: str) -> TitleWords:
    """Returns the title as words; ideographs and kana, which are written without spaces, are words of one character."""
    words: list[str] = []
    raw: list[str] = []
    cuts: list[int] = []
    commas: list[int] = []
    joined: list[int] = []
    bare = plain(title[:MAX_TITLE]).strip()
    for part in _CUT.split(bare):
        before = len(words)
        for written, word, is_joined in _words_of(part):
            if raw and raw[-1].endswith(","):
                commas.append(len(words))
            if is_joined:
                joined.append(len(words))
            words.append(word)
            raw.append(written)
        if before and len(words) > before:
            cuts.append(before)
    return TitleWords(
        tuple(words),
        tuple(raw),
        cuts=frozenset(cuts),
        commas=frozenset(commas),
        joined=frozenset(joined),
        signs=tuple(sign.translate(_MINUS) for sign in _SIGN.findall(bare)),
        cut_off=bare.endswith("..."),
    )


def _words_of(part: str) -> Iterator[tuple[str, str, bool]]:
    """Yields each word as it is written and folded, and whether a hyphen or a slash joins it to the one before."""
    before, *pieces = _GLUE.split(part)
    for glue, chunk in zip(("", *pieces[::2]), (before, *pieces[1::2]), strict=True):
        folded = _APOSTROPHES.sub("", _spelled_out(fold(chunk)))
        is_joined = bool(glue) and not glue.isspace()
        for word in _WORD.findall(folded):
            letters = list(word) if _UNSPACED.search(word) else [word]
            for piece in letters:
                yield chunk, piece, is_joined
                is_joined = False


def _spelled_out(folded: str) -> str:
    """Returns folded text with the marks that tell one system from another ("C++", "PointNet++") as words."""
    if "+" in folded:
        folded = _PLUS.sub(" plus ", _PLUS_PLUS.sub(" plusplus ", folded))
    if "&" in folded:
        folded = _AMPERSAND.sub("and", folded)
    return _SHARP.sub(" sharp ", folded) if "#" in folded else folded


def _lowered(text: str) -> str:
    bare = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text.casefold()))
    folded = unicodedata.normalize("NFD", bare)
    return unicodedata.normalize("NFKC", _MARKS.sub("", folded).translate(_LETTERS)).casefold()


def _without_tex(text: str) -> str:
    if "\\" in text:
        text = _ACCENT.sub(r"\1", text)
        text = _LETTER_ACCENT.sub(lambda match: match[1] or match[2], text)
        text = _COMMAND.sub(_command, text)
    return text.replace("$", "").replace("{", "").replace("}", "").replace("\\", "")


def _command(match: re.Match[str]) -> str:
    name = match[1]
    if name in _STYLES:
        return ""
    return _LETTER_COMMANDS.get(name, f"{name} " if match[0][-1].isspace() else name)


def _tails(title: str) -> Iterator[str]:
    """Yields the title without its first part where that is short enough to be a system's name."""
    match = _CUT.search(title)
    if match and 0 < len(title[: match.start()].split()) <= 3:
        yield title[match.end() :]


def _heads(title: str) -> Iterator[str]:
    """Yields the title up to each place that parts it, the longest first."""
    for match in reversed(list(_CUT.finditer(title))[:6]):
        if match.start() > 0 and match.end() < len(title):
            yield title[: match.start()]

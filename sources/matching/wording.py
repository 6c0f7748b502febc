"""Single words of titles: what each proves, and when two spellings are one word. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from rapidfuzz.distance import OSA

from sources.matching.vocabulary import COMMON, FAMILIAR, VERY_COMMON

WordMatch = Literal["same", "variant", "typo", "misread"]

ARTICLES = frozenset({"a", "an", "the"})

LINKING = ARTICLES | frozenset(
    "of in for and with by from via using to on at as into over through its their or that we our within s".split()
)
"""Words that join others; alone they prove nothing."""

NEGATIONS = frozenset(
    "not no non without never cannot cant dont doesnt isnt arent wont neither nor nothing none against anti un beyond "
    "considered harmful fails failure myth".split()
)
"""Words that turn a title into its opposite, or into an answer to it."""

QUESTIONS = frozenset(
    "is are was were be do does did can could should would will may might how why what when where which who whether "
    "if than versus vs".split()
)
"""Words that make a question or a comparison of a title."""

SEQUELS = frozenset(
    "survey surveys review reviews reviewed overview tutorial primer introduction benchmark benchmarks revisit "
    "revisits revisiting revisited rethink rethinks rethinking rethought reconsidering reconsidered reexamining "
    "reassessing reloaded comment comments commentary reply replies response rebuttal discussion remark remarks note "
    "notes correction corrections corrigendum erratum errata addendum retraction retracted supplement supplementary "
    "supplemental appendix replication replicating replicability reproducing reproducibility reproduction critique "
    "critical rejoinder summary amended abridged keynote invited panel letter session criticism editorial preface "
    "foreword workshop proceedings thesis dissertation poster demo part volume ii iii iv plus plusplus sharp xl "
    "strikes".split()
)
"""Words by which another work is made out of a paper: surveys, replies, sequels, replications; wherever they stand."""

EDITIONS = frozenset("extended abstract full long short version edition technical report preprint tr".split())
"""Words that name another edition of a paper, which only its authors' names can tell from another paper."""

EVENTS = frozenset("challenge competition contest task track workshop".split())
"""Words in which titles of events end: what follows a colon then is a contribution to it, not its subtitle."""

SHIFTS = SEQUELS | frozenset(
    "reviewing introductory benchmarking towards toward improving improved improves improvement improvements "
    "enhancing enhanced extending extended extension extensions perspective perspectives position viewpoint "
    "comparison comparative comparing evaluation evaluating assessment understanding analyzing analysis explaining "
    "demystifying investigating investigation study case report lessons challenge competition demonstration summary "
    "variant variants alternative beating faster better deeper generalized generalizing accelerating accelerated "
    "speeding scaling scalable simplifying simplified lite mini tiny pro max turbo next embedded efficient fast".split()
)
"""Words that inside a title, or before it, make another title of it; in a subtitle they may be its own."""

_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {
    word: str(number)
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
}
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_VERSION = re.compile(r"v(?:er|ersion)?(\d+)")
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+")
_SPELLINGS = (
    (re.compile(r"is(e|es|ed|er|ers|ing|ation|ations|able)$"), r"iz\1"),
    (re.compile(r"ys(e|es|ed|er|ers|ing)$"), r"yz\1"),
    (re.compile(r"our(s|ed|ing|al|able|hood)?$"), r"or\1"),
    (re.compile(r"(?<=[bdt])re(s|d)?$"), r"er\1"),
    (re.compile(r"(?<=[aeiou])ll(ed|er|ers|ing|ings)$"), r"l\1"),
    (re.compile(r"ogue(s)?$"), r"og\1"),
    (re.compile(r"ence(s)?$"), r"ense\1"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"^artefact"), "artifact"),
    (re.compile(r"^programme$"), "program"),
)
FARTHEST = 3
"""Letters by which a word may be off and still be the other one mistyped."""
_OPPOSING = frozenset("un non in im dis de a anti counter inter intra over under sub re".split())


@lru_cache(maxsize=65536)
def weight(word: str) -> int:
    """Returns what a word proves, 0 to 4: nothing for `of`, most for a word that few titles hold."""
    if word in LINKING or word in QUESTIONS:
        return 0
    if word in VERY_COMMON or (len(word) == 1 and not word.isdigit()):
        return 1
    if word in COMMON or len(word) == 2:
        return 2
    return 3 if is_familiar(word) else 4


@lru_cache(maxsize=65536)
def is_familiar(word: str) -> bool:
    """Returns whether the word is known from other titles, and so is no slip of the pen."""
    return word in FAMILIAR or word in COMMON or word in VERY_COMMON or word in LINKING or word in QUESTIONS


@lru_cache(maxsize=65536)
def number_in(word: str) -> str | None:
    """Returns the number that a word states (`2nd`, `two`, `II`, `v2`: `2`), None for words without one."""
    if value := _NUMBER_WORDS.get(word) or _ROMAN.get(word):
        return value
    if match := _ORDINAL.fullmatch(word) or _VERSION.fullmatch(word):
        return match[1]
    return word if _DIGIT.search(word) else None


@lru_cache(maxsize=65536)
def compare_words(written: str, true: str, *, coined: bool = False) -> WordMatch | None:
    """Returns how two words are one: the same, a variant (spelling, plural, inflection, number form), a typo; or None.

    A slip is a slip only where the word written is no word of its own: `unsupervised` is not `supervised` mistyped,
    nor a coined `DRQN` a mistyped `DQN`. `misread` is a word that differs by a letter and may be another: that it is
    not is for the rest of the title to prove.
    """
    if written == true:
        return "same"
    if (number := number_in(written)) or number_in(true):
        return "variant" if number == number_in(true) else None
    if _root(written) == _root(true):
        return "variant"
    if abs(len(written) - len(true)) > FARTHEST:
        return None
    shorter, longer = sorted((written, true), key=len)
    if _opposed(shorter, longer):
        return None
    return _slip(written, true, len(shorter), coined=coined)


@lru_cache(maxsize=65536)
def _root(word: str) -> str:
    return _stem(_spelling(word))


def _spelling(word: str) -> str:
    if len(word) < 4:
        return word
    for pattern, replacement in _SPELLINGS:
        word = pattern.sub(replacement, word)
    return word


def _stem(word: str) -> str:
    """Returns the word without plural and verb endings; only for comparing two words that are otherwise alike."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) >= len(ending) + 4 and word.endswith(ending):
            word = word[: -len(ending)]
            return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _slip(written: str, true: str, length: int, *, coined: bool) -> WordMatch | None:
    """Returns whether `written` is `true` mistyped; how far it may be from it depends on what kind of word it is."""
    distance = OSA.distance(written, true, score_cutoff=FARTHEST)
    if distance > FARTHEST or (length < 4 and written[0] != true[0]):
        return None
    if is_familiar(written) or coined:
        return "misread" if distance <= 1 <= length - 4 else None
    if distance <= _letters_off(true, length):
        return "typo"
    # Of four letters another one makes another word (BART and BERT), a lost or moved one does not.
    replaced = len(written) == len(true) and sorted(written) != sorted(true)
    if length >= 6:
        return "misread" if distance <= 2 else None
    return "misread" if distance == 1 and length > (4 if replaced else 3) else None


def _letters_off(true: str, length: int) -> int:
    """Returns how many letters a word that is none of its own may be off `true`, the shorter being `length` long."""
    if length < 5:
        return 1 if true in LINKING or true in COMMON or true in VERY_COMMON else 0
    if is_familiar(true):
        return 1 if length < 6 else 2 if length < 10 else 3
    return 0 if length < 6 else 1 if length < 9 else 2


def near_name(one: str, other: str) -> bool:
    """Returns whether one of two systems' names may be the other mistyped; it must then be told by the rest alone.

    A digit, and what a sequel is marked by, is never a slip: YOLOv3 is not YOLOv4.
    """
    if _DIGITS.findall(one) != _DIGITS.findall(other) or _opposed(*sorted((one, other), key=len)):
        return False
    allowed = 1 if min(len(one), len(other)) < 6 else 2
    return OSA.distance(one, other, score_cutoff=allowed) <= allowed


def _opposed(shorter: str, longer: str) -> bool:
    """Returns whether a prefix that changes the meaning is all that tells the two words apart."""
    return (longer.endswith(shorter) and longer.removesuffix(shorter) in _OPPOSING) or (
        shorter[-5:] == longer[-5:] and {shorter[:5], longer[:5]} in ({"inter", "intra"}, {"homog", "heter"})
    )

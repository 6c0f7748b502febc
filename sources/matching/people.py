"""Names of authors: whether those a list names are those of a paper. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sources.matching.titles import fold

Agreement = Literal["agree", "weak", "conflict", "unknown"]

_COMMON_SURNAMES = frozenset(
    "wang li zhang liu chen yang zhao huang wu zhou xu sun ma zhu hu lin guo he gao luo zheng liang xie tang han cao "
    "deng feng peng zeng xiao tian pan dong yuan cai jiang yu du ye cheng wei su lu ding ren shen yao lee kim park "
    "choi jung kang cho smith johnson brown jones miller singh kumar sharma gupta nguyen tran le martin garcia tanaka "
    "sato suzuki yamamoto ng fan cui tan song shi jin he fu".split()
)
_NO_PERSON = frozenset(
    "university institute research laboratory laboratories lab labs google deepmind microsoft facebook meta openai "
    "nvidia amazon apple ibm intel baidu tencent alibaba huawei team group inc ltd corporation company department "
    "college school foundation consortium collaboration project anonymous unknown authors author various berkeley "
    "stanford mit cmu tsinghua uber twitter adobe samsung brain fair press".split()
)
_PARTICLES = frozenset("van von de der den del della di da dos du la le el al bin ibn ten ter zu zur st".split())
_SUFFIXES = frozenset("jr sr ii iii iv phd dr prof".split())
_ET_AL = re.compile(r"\b(?:et\.?\s*al\b\.?|and others|and colleagues|u\.?\s*a\.)", re.IGNORECASE)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_PIECE = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Name:
    """A person's name, as far as it can be compared.

    Attributes:
        surname: Folded family name without particles, as its spellings.
        given: Folded given names and initials, in order.
    """

    surname: frozenset[str]
    given: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuthorEvidence:
    """What the authors say for or against a candidate.

    Attributes:
        agreement: `agree`; `weak` where one widespread surname is all that agrees; `conflict` where nobody named is
            among the candidate's authors; `unknown` where one side names nobody.
        matched: How many of the persons named are among the candidate's authors.
        named: How many persons the mention names.
    """

    agreement: Agreement
    matched: int = 0
    named: int = 0


def compare_authors(written: Sequence[str], true: Sequence[str]) -> AuthorEvidence:
    """Returns whether the persons whom the mention names are authors of the candidate, in whatever order and spelling.

    "Y. LeCun", "LeCun, Yann", "LeCun et al." and "Yann Lecun" are one person; "K. He" and "Di He" are not. Names of
    organisations say nothing.
    """
    mine = [name for text in written if (name := parse_name(text))]
    theirs = [name for text in true if (name := parse_name(text))]
    if not mine or not theirs:
        return AuthorEvidence("unknown", 0, len(mine))
    matched = [name for name in mine if any(same_person(name, other) for other in theirs)]
    if not matched:
        return AuthorEvidence("conflict", 0, len(mine))
    if 2 * len(matched) < len(mine):
        return AuthorEvidence("weak", len(matched), len(mine))
    telling = len(matched) > 1 or _is_telling(matched[0])
    return AuthorEvidence("agree" if telling else "weak", len(matched), len(mine))


@lru_cache(maxsize=16384)
def parse_name(text: str) -> Name | None:
    """Returns the name of a person, None where the text names nobody."""
    text = _ET_AL.sub(" ", text[:200]).strip(" ,;.&")
    last, comma, first = text.partition(",")
    surname, given = (_words(last), _words(first)) if comma else _split(_words(text))
    if not surname or not _NO_PERSON.isdisjoint(map(fold, surname + given)):
        return None
    pieces = [fold(piece) for word in given if word not in _PARTICLES for piece in _PIECE.findall(word)]
    return Name(_spellings(surname), tuple(pieces))


def same_person(one: Name, other: Name) -> bool:
    """Returns whether two names may be one person's: a surname in common and no given name against it."""
    if one.surname & other.surname:
        return _given_agree(one.given, other.given)
    swapped = {*one.given}, {*other.given}
    return bool(one.surname & swapped[1] and other.surname & swapped[0])


def _words(text: str) -> list[str]:
    words = [word.strip(".;") for word in text.replace("’", "").replace("'", "").replace(".", ". ").split()]
    return [word for word in words if _PIECE.search(word) and fold(word) not in _SUFFIXES]


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Returns surname and given names; initials behind the name ("Krizhevsky A", "LeCun YL") are given names."""
    if len(words) < 2:
        return words, []
    if len(words[-1]) <= 2 and words[-1].isupper() and len(words[0]) > 2:
        return words[:-1], list(words[-1])
    return words[-1:], words[:-1]


def _spellings(surname: list[str]) -> frozenset[str]:
    """Returns the folded surname whole, its parts where a hyphen joins two, and with umlauts written as two letters."""
    core = [word for word in surname if fold(word) not in _PARTICLES] or surname
    pieces = [piece for word in core for piece in _PIECE.findall(word)]
    joined = "".join(pieces)
    return frozenset(map(fold, (joined, pieces[0], pieces[-1], joined.lower().translate(_UMLAUTS))))


def _given_agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Returns whether some given name of one begins like one of the other's; always where one side has none."""
    if not one or not other:
        return True
    return any(mine[0] == theirs[0] and _begins(mine, theirs) for mine in one for theirs in other)


def _begins(one: str, other: str) -> bool:
    """Returns whether one is the other's initial, short form, or near enough to it for a transliteration."""
    return min(len(one), len(other)) <= 2 or one[:2] == other[:2]


def _is_telling(name: Name) -> bool:
    return len(name.given) > 0 or name.surname.isdisjoint(_COMMON_SURNAMES)

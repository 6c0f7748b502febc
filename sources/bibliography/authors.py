"""Whether two names may be one person's, and two lists of authors those of one paper. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from sources.bibliography.names import (
    COMMON_SURNAMES,
    PARTICLES,
    SUFFIXES,
    is_group,
    is_initials,
    split_name,
    without_others,
)
from sources.bibliography.titles import fold

Agreement = Literal["agree", "weak", "conflict", "unknown"]
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_APOSTROPHES = re.compile("['’‘]")
_PIECE = re.compile(r"[^\W\d_]+")


class Person(NamedTuple):
    """A person's name, as far as it can be compared.

    Attributes:
        surname: Folded family name without particles, as its spellings.
        given: Folded given names and initials, in order.
    """

    surname: frozenset[str]
    given: tuple[str, ...]


class AuthorEvidence(NamedTuple):
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


def same_people(names: Sequence[str], others: Sequence[str]) -> bool:
    """Returns whether two lists of authors are of the same people; not where nobody is named."""
    if not names or len(names) != len(others):
        return False
    if sorted(map(fold, names)) == sorted(map(fold, others)):
        return True
    there, back = compare_authors(names, others), compare_authors(others, names)
    return there.matched == there.named == back.matched == back.named == len(names)


@lru_cache(maxsize=16384)
def parse_name(text: str) -> Person | None:
    """Returns the name of a person, None where the text names nobody."""
    text = without_others(text[:200]).strip(" ,;.&")
    name = split_name(text)
    if is_group(text):
        return None
    *given, family = [name.given, name.family] if name.family else name.literal.rsplit(maxsplit=1) or [""]
    surname = [word for word in _APOSTROPHES.sub("", family).replace(".", "").split() if _PIECE.search(word)]
    return Person(_spellings(surname), tuple(_given_names(" ".join(given)))) if surname else None


def same_person(person: Person, other: Person) -> bool:
    """Returns whether two names may be one person's: a surname in common and no given name against it.

    Of a name that is initials alone ("M. M", for "Manjunath M") nobody knows which is the surname.
    """
    if _is_initials_alone(person) or _is_initials_alone(other):
        return _initials(person) == _initials(other)
    if person.surname & other.surname:
        return _given_agree(person.given, other.given)
    swapped = {*person.given}, {*other.given}
    return bool(person.surname & swapped[1] and other.surname & swapped[0])


def _given_names(text: str) -> Iterator[str]:
    """Yields folded given names and initials one by one, without particles."""
    for word in _APOSTROPHES.sub("", text).replace(".", ". ").split():
        if is_initials(word):
            yield from map(fold, _PIECE.findall(" ".join(word)))
        elif word not in PARTICLES and fold(word) not in SUFFIXES:
            yield from map(fold, _PIECE.findall(word))


def _spellings(surname: list[str]) -> frozenset[str]:
    """Returns the folded surname whole, each part where there are several, and with umlauts written as two letters."""
    core = [word for word in surname if fold(word) not in PARTICLES] or surname
    pieces = [[part for part in parts if fold(part) not in PARTICLES] or parts for parts in map(_PIECE.findall, core)]
    joined = ["".join(parts) for parts in pieces]
    whole = "".join(joined)
    return frozenset(map(fold, (whole, *joined, pieces[0][0], pieces[-1][-1], whole.lower().translate(_UMLAUTS))))


def _given_agree(item: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Returns whether some given name of one begins like one of the other's; always where one side has none."""
    if not item or not other:
        return True
    return any(mine[0] == theirs[0] and _begins(mine, theirs) for mine in item for theirs in other)


def _begins(text: str, other: str) -> bool:
    """Returns whether one is the other's initial, short form, or near enough to it for a transliteration."""
    return min(len(text), len(other)) <= 2 or text[:2] == other[:2]


def _is_initials_alone(person: Person) -> bool:
    return all(len(name) == 1 and name.upper() != name for name in (*person.surname, *person.given))


def _initials(person: Person) -> list[str]:
    return sorted(name[0] for name in (min(person.surname, key=len), *person.given))


def _is_telling(person: Person) -> bool:
    if _is_initials_alone(person):
        return False
    return len(person.given) > 0 or person.surname.isdisjoint(COMMON_SURNAMES)

"""Names of authors: person or group, and the parts of a name. Pure.

Words stay in the order in which a source gives them. Of a name without a comma the last word is the family name, with
the particles before it; names in Chinese, Japanese or Korean letters are not taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from sources.bibliography.titles import fold

Agreement = Literal["agree", "weak", "conflict", "unknown"]
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_APOSTROPHES = re.compile("['’‘]")
_PIECE = re.compile(r"[^\W\d_]+")


class Person(NamedTuple):
    """A person's name, as far as it can be compared."""

    surname: frozenset[str]  # folded family name without particles, as its spellings
    given: tuple[str, ...]  # folded given names and initials, in order


class AuthorEvidence(NamedTuple):
    """What the authors say for or against a candidate."""

    # `agree`; `weak` where one widespread surname is all that agrees; `conflict` where nobody named is among the
    # candidate's authors; `unknown` where one side names nobody
    agreement: Agreement
    matched: int = 0  # how many of the persons named are among the candidate's authors
    named: int = 0  # how many persons the mention names


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
    first, *others = matched
    telling = others or first.given or first.surname.isdisjoint(COMMON_SURNAMES)
    telling = telling and (others or not _is_initials_alone(first))
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
    if not surname:
        return None
    # The surname counts whole, by each part where there are several, and with umlauts written as two letters.
    core = [word for word in surname if fold(word) not in PARTICLES] or surname
    pieces = [[part for part in parts if fold(part) not in PARTICLES] or parts for parts in map(_PIECE.findall, core)]
    joined = ["".join(parts) for parts in pieces]
    whole = "".join(joined)
    spellings = (whole, *joined, pieces[0][0], pieces[-1][-1], whole.lower().translate(_UMLAUTS))
    folded: list[str] = []
    for word in _APOSTROPHES.sub("", " ".join(given)).replace(".", ". ").split():
        if is_initials(word):
            folded += map(fold, _PIECE.findall(" ".join(word)))
        elif word not in PARTICLES and fold(word) not in SUFFIXES:
            folded += map(fold, _PIECE.findall(word))
    return Person(frozenset(map(fold, spellings)), tuple(folded))


def same_person(person: Person, other: Person) -> bool:
    """Returns whether two names may be one person's: a surname in common and no given name against it.

    Of a name that is initials alone ("M. M", for "Manjunath M") nobody knows which is the surname.
    """
    if _is_initials_alone(person) or _is_initials_alone(other):
        return _initials(person) == _initials(other)
    if person.surname & other.surname:
        if not person.given or not other.given:
            return True
        return any(mine[0] == theirs[0] and _alike(mine, theirs) for mine in person.given for theirs in other.given)
    swapped = {*person.given}, {*other.given}
    return bool(person.surname & swapped[1] and other.surname & swapped[0])


def _alike(text: str, other: str) -> bool:
    return min(len(text), len(other)) <= 2 or text[:2] == other[:2]


def _is_initials_alone(person: Person) -> bool:
    return all(len(name) == 1 and name.upper() != name for name in (*person.surname, *person.given))


def _initials(person: Person) -> list[str]:
    return sorted(name[0] for name in (min(person.surname, key=len), *person.given))


# Words that no person is called by: a name that begins with one is an organisation's, whatever follows.
_COMPANIES = frozenset(
    "google deepmind microsoft facebook openai nvidia baidu tencent alibaba huawei bytedance ibm samsung databricks "
    "salesforce huggingface anthropic qualcomm linkedin netflix pinterest yahoo deepseek "
    "inria epfl kaist ethz llnl".split()
)
# The same, but lists name systems so as well: NASA is "Neural Articulated Shape Approximation" too.
_BODIES = frozenset("nasa cern bigscience laion spotify xai".split())
# Names that lists put where authors stand. Some are surnames too, so they count as a whole text only.
_ORGANISATIONS = _COMPANIES | frozenset(
    "google brain|google deepmind|microsoft research|msr|facebook ai|fair|meta|meta ai|uber|amazon|apple|ibm research|"
    "intel|adobe|stanford|stanford university|uc berkeley|u berkeley|berkeley|mit|cmu|carnegie mellon|"
    "carnegie mellon university|princeton|harvard|oxford|cambridge|eth zurich|tsinghua|tsinghua university|"
    "ucla|ucsd|nyu|google research|cohere|mistral|mistral ai|hugging face|allen ai|ai2|amd|arm|twitter|snap|"
    "yahoo research|xerox parc|bell labs|google-brain|google ai|waymo|tesla|qwen|moonshot|moonshot ai|stability ai|"
    "zhipu ai|ai21 labs|scale ai|together ai|shanghai ai lab".split("|")
)
_INSTITUTE = re.compile(
    r"(?:the )?(?:(?:[\w.-]+ ){0,4}(?:university|institute|laboratory|college|(?<=uc )berkeley)|"
    r"(?:[\w.-]+ ){0,2}(?:labs?|research))(?: of(?: [\w-]+){1,3}| [\w-]+)?"
)
# The words in small letters that a name of more than two words may hold: "Assessing the quality of research" is none.
_SMALL = frozenset("of the and for at de la di von".split())
# The words of which such a name holds one: to look for them costs less than to match the name.
_INSTITUTES = frozenset("university institute laboratory lab labs research college berkeley".split())
# Words that the names of groups hold, and those that join several people.
_GROUP = frozenset(
    "collaboration collaborations team teams group groups consortium consortia project projects community committee "
    "committees institut institute institutes institution university universite universita universitat universidad "
    "universidade universiteit laboratory laboratories lab labs research researchers foundation organization "
    "organisation association society network department corporation inc ltd llc gmbh company council agency ministry "
    "initiative alliance federation partnership investigators contributors academy program programme center centre "
    "anonymous unknown various author authors & and und".split()
)
_JOINED = re.compile(r"[&@]|[a-z]AI$|\set\s(?!al\b)|^(?i:for the|on behalf of)\s")
# Words that follow an organisation's name without making it a person's: Meta AI, MIT CSAIL.
_UNITS = frozenset("ai brain research labs lab nlp ml csail uk china asia".split())
# Words of a group's name that do not tell it from another group.
_GENERIC = frozenset(
    "the a an of for and on in behalf collaboration collaborations team teams group groups consortium consortia "
    "project projects scientific science working research researchers network international national european society "
    "association institute university college laboratory laboratories lab labs foundation organisation organization "
    "committee community department inc ltd llc gmbh company corporation council initiative authors author "
    "contributors investigators program programme center centre task force".split()
)

COMMON_SURNAMES = frozenset(
    "wang li zhang liu chen yang zhao huang wu zhou xu sun ma zhu hu lin guo he gao luo zheng liang xie tang han cao "
    "deng feng peng zeng xiao tian pan dong yuan cai jiang yu du ye cheng wei su lu ding ren shen yao lee kim park "
    "choi jung kang cho smith johnson brown jones miller singh kumar sharma gupta nguyen tran le martin garcia tanaka "
    "sato suzuki yamamoto ng fan cui tan song shi jin he fu".split()
)
# Surnames beside which "Van" is a middle name and no particle.
_VIETNAMESE = frozenset(
    "nguyen tran le pham hoang huynh phan vu vo dang bui do ho ngo duong ly truong dinh doan luong mai trinh".split()
)
PARTICLES = frozenset(
    "van von de der den dem della degli di da das dos du del la le el al bin ibn ten ter zu zum zur st af av "
    "'t ’t t".split()
)
_JOINTS = frozenset({"y", "i"})  # words between two family names: Ramón y Cajal, Puig i Cadafalch
SUFFIXES = frozenset("jr sr ii iii iv".split())
_TITLES = frozenset("dr prof professor".split())
_DEGREES = _TITLES | frozenset("phd md msc dphil esq".split())
_ET_AL = re.compile(r"\b(?:et\.?\s*al\b\.?|and others|and colleagues|u\.?\s*a\.)", re.IGNORECASE)
# What stands behind a name and is none of it: a remark, a footnote's mark, DBLP's number of a namesake.
_REMARK = re.compile(r"\s*\([^()]*\)\s*$|[\s*†‡§¶∗]+$|\s\d{4}$")
_RUN_ON_INITIAL = re.compile(r"(?<=\b[^\W\d_]\.)(?=[^\W\d_]{2})")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_PARTS = re.compile(r"[,/&]| and ")
_ODD = re.compile(r"[{}\\\d]")


class Name(NamedTuple):
    """A name in its parts, as written; or `literal` alone, where it is a group's or is not to be taken apart."""

    literal: str = ""
    given: str = ""
    particle: str = ""
    family: str = ""
    suffix: str = ""


@lru_cache(maxsize=8192)
def is_organisation(text: str) -> bool:
    """Returns whether `text` names only organisations that publish papers."""
    if len(text) > 120:
        return False
    for part in _PARTS.split(text):
        name = part.strip(" .'’").removesuffix("'s").removesuffix("’s").lower()
        if name in _ORGANISATIONS:
            continue
        if _INSTITUTES.isdisjoint(name.split(" ")) or _INSTITUTE.fullmatch(name) is None:
            return False
        words = part.split()
        if len(words) >= 3 and any(word.islower() and word not in _SMALL for word in words):
            return False
    return True


@lru_cache(maxsize=8192)
def is_group(name: str) -> bool:
    """Returns whether the name of an author is not one person's: a company, a collaboration, a team, several people."""
    folded = fold(name)
    words = _WORD.findall(folded)
    if not words:
        return False
    tokens = {token.strip(".,;:()") for token in folded.split()}
    if not _GROUP.isdisjoint(tokens) or not (_COMPANIES | _BODIES).isdisjoint(words) or _JOINED.search(name):
        return True
    if words[0] == "the" and len(words) > 1:
        return words[-1] not in COMMON_SURNAMES | _VIETNAMESE
    if words[0] in _ORGANISATIONS and (name.split(maxsplit=1)[0].isupper() or _UNITS.issuperset(words[1:])):
        return True
    return is_organisation(name)


@lru_cache(maxsize=8192)
def split_name(text: str) -> Name:
    """Returns the parts of one author's name: "John Smith Jr.", "Smith, Jr., John" and "Smith Jr., John" are one."""
    bare = _REMARK.sub("", _RUN_ON_INITIAL.sub(" ", " ".join(text.split()))) or text
    if is_group(bare) or _ODD.search(bare) or _UNSPACED.search(bare) or " " not in bare:
        return Name(literal=bare)
    first, *others = (piece for piece in map(str.strip, bare.split(",")) if piece and _plain(piece) not in _DEGREES)
    suffix = next((piece for piece in others if _plain(piece) in SUFFIXES), "")
    others = [piece for piece in others if piece != suffix]
    if len(others) > 1:
        return Name(literal=bare)
    if others:
        family, own = _without_suffix(first.split(), shortest=1)
        given, other = _without_suffix(others[0].split(), shortest=1)
        start = next((at for at in range(len(given)) if at and _is_small(given[at:])), len(given))
        particle, family = _without_particle(given[start:] + family)
        return _named(given[:start], particle, family, suffix or own or other)
    return _forward(first.split(), suffix) if " " in first else Name(family=first, suffix=suffix)


def distinctive_name(text: str) -> str:
    """Returns what a bibliography calls an author by: a family name, or the word that tells a group from others."""
    name = split_name(without_others(text))
    if not name.literal:
        words = name.family.split()
        return " ".join(word for word in words if fold(word) not in PARTICLES) or name.family
    words = name.literal.split()
    if not is_group(name.literal):
        return words[-1] if words else ""
    telling = [word for word in words if not {*_WORD.findall(fold(word))} <= _GENERIC] or words[-1:]
    return " ".join(telling[: 2 if telling[0].isdecimal() else 1])


def without_others(text: str) -> str:
    """Returns the name without an "et al." or the like."""
    return " ".join(_ET_AL.sub(" ", text).split()).strip(" ,;&") if _ET_AL.search(text) else text


def _plain(word: str) -> str:
    return fold(word).replace(".", "").strip(" ,;")


def _forward(words: list[str], suffix: str) -> Name:
    """Returns the parts of a name without a comma; initials behind the name ("Krizhevsky A") are given names."""
    while len(words) > 1 and _plain(words[0]) in _TITLES:
        words = words[1:]
    while len(words) > 2 and _plain(words[-1]) in _DEGREES:
        words = words[:-1]
    words, own = _without_suffix(words, shortest=1 if words[-1][-1:].islower() or "." in words[-1] else 2)
    end = len(words)
    while end > 1 and is_initials(words[end - 1]):
        end -= 1
    if end < len(words) and not is_initials(words[0]):
        return _named(words[end:], *_without_particle(words[:end]), suffix or own)
    # The family name begins at the first particle in small letters, else at those before the last word.
    last = len(words) - 1
    joint = next((at for at in range(2, last) if words[at] in _JOINTS), 0)
    small = next((at for at in range(last) if _is_small(words[at : at + 1])), last)
    start = min(joint - 1 if joint else last, small)
    if start >= last and _VIETNAMESE.isdisjoint(map(fold, (words[0], words[-1]))):
        while start > 1 and fold(words[start - 1]) in PARTICLES:
            start -= 1
    return _named(words[:start], *_without_particle(words[start:]), suffix or own)


def _named(given: list[str], particle: list[str], family: list[str], suffix: str) -> Name:
    parts = (" ".join(words) for words in (given, particle, family))
    return Name(**dict(zip(("given", "particle", "family"), parts, strict=True)), suffix=suffix)


def _without_particle(words: list[str]) -> tuple[list[str], list[str]]:
    """Returns the particles in small letters that begin a family name, and the rest of it."""
    end = next((at for at, word in enumerate(words[:-1]) if not _is_small([word])), max(len(words) - 1, 0))
    return words[:end], words[end:]


def _without_suffix(words: list[str], *, shortest: int) -> tuple[list[str], str]:
    if len(words) > shortest and _plain(words[-1]) in SUFFIXES:
        return words[:-1], words[-1]
    return words, ""


def _is_small(words: list[str]) -> bool:
    return all(word.islower() and word in PARTICLES for word in words)


def is_initials(word: str) -> bool:
    """Returns whether a word is one or two initials: "J", "J.-P."."""
    bare = word.replace(".", "").replace("-", "")
    return 0 < len(bare) <= 2 and bare.isalpha() and bare.isupper()

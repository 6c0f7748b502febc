"""Author lists as they are written: "J Dean, S Ghemawat.", "Dean, J., & Ghemawat, S. (2004)", "Dean et al."..."""

from __future__ import annotations

import re
from typing import NamedTuple

from sources.reading_list.words import TITLE_WORDS


class Authors(NamedTuple):
    """Names read from the start of a text, where they end in it, and how sure it is that these are names."""

    names: tuple[str, ...]
    end: int
    sure: bool
    others: bool


_UPPER = r"A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİĶĹĻĽŁŃŅŇŌŐŒŔŘŚŞŠŢŤŪŮŰŹŻŽΑ-ΩА-Я"
_LOWER_PART = r"(?:van|von|der|den|de|la|di|da|dos|del|le|ten|ter|bin|ibn|al|el|zu|und|y)"
_WORD = rf"[{_UPPER}][^\W\d_]+(?:['’–-][^\W\d_]+)*|[{_UPPER}]['’][{_UPPER}][^\W\d_]+"
_INITIALS = rf"[{_UPPER}][hu]?\.(?:[ ]?-?[{_UPPER}][hu]?\.)*|[{_UPPER}]{{1,3}}(?![^\W\d_'’])"
_PART = rf"(?:{_INITIALS}|{_WORD}|Jr\.?|Sr\.?|III?)"
_FORWARD = rf"(?:{_PART}|{_LOWER_PART}[ ])(?:[ ]?(?:{_LOWER_PART}[ ]|(?<=[ .])){_PART}|[ ]{_PART}|[ ]{_LOWER_PART}(?=[ ])){{0,5}}"
_INVERTED = (
    rf"(?:{_LOWER_PART}[ ]){{0,2}}(?:{_WORD})(?:[ -](?:{_WORD}|{_LOWER_PART})){{0,2}},[ ]?"
    rf"(?:[{_UPPER}][hu]?\.(?:[ ]?-?[{_UPPER}][hu]?\.)*)(?![^\W\d_])"
)
_NAME = re.compile(rf"(?:{_INVERTED}|{_FORWARD})")
_SEPARATOR = re.compile(
    r"\s*(?:,\s*(?:and|&|und|et|y|и)\s|;\s*(?:and\s|&\s)?|,\s*|\s(?:and|und|et|y|и)\s|\s?&\s?|、|，|；)\s*"
)
_AND = re.compile(r"\s(?:and|&|et|und|y)\s")
_OTHERS = re.compile(
    r"\s*,?\s*(?:(?:and|&)\s+)?(?:et\.?,?\s*al\b\.?,?|e al\.|и др\.|等人?(?:著)?|(?:and\s)?others\b|…|\.\.\.)",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:$|[.:(\[“\"「《«\n\v\x1d,]|[-–—|]\s)")
_INITIAL = re.compile(rf"(?<![^\W\d_])(?:[{_UPPER}]\.|[{_UPPER}]{{1,2}}(?=[ ,.]|$))")
_ORGANISATIONS = frozenset(
    "google brain|google|google deepmind|deepmind|openai|microsoft|microsoft research|msr|facebook|facebook ai|fair|meta|meta ai|nvidia|baidu|uber|amazon|apple|ibm|ibm research|intel|alibaba|tencent|bytedance|huawei|samsung|adobe|"
    "stanford|stanford university|uc berkeley|u berkeley|berkeley|mit|cmu|carnegie mellon|carnegie mellon university|princeton|harvard|oxford|cambridge|eth zurich|ethz|tsinghua|tsinghua university|ucla|ucsd|nyu|llnl|databricks|google research|salesforce|"
    "anthropic|cohere|mistral|hugging face|huggingface|allen ai|ai2|qualcomm|amd|arm|twitter|linkedin|netflix|pinterest|snap|yahoo|yahoo research|xerox parc|bell labs|inria|epfl|kaist|google-brain|google ai|waymo|tesla|deepseek|qwen|moonshot".split(
        "|"
    )
)


_INSTITUTE = re.compile(
    r"(?:the )?(?:[\w.-]+ ){0,4}(?:university|institute|laboratory|labs?|research|college|berkel(?:e)?y)(?: of(?: [\w-]+){1,3}| [\w-]+)?"
)


def read_authors(text: str, start: int = 0) -> Authors | None:
    """Returns the author list that starts at `start`; None where none does.

    Two capitalised words may be a name or a short title; `sure` says that initials, "et al." or several names tell.
    """
    names: list[str] = []
    position, others, initials = start, False, False
    while (match := _NAME.match(text, position)) and len(names) < 200:
        name = match[0]
        if not _is_name(name):
            break
        names.append(name)
        initials = initials or _INITIAL.search(name) is not None
        position = match.end()
        if found := _OTHERS.match(text, position):
            position, others = found.end(), True
            break
        separator = _SEPARATOR.match(text, position)
        if separator is None:
            break
        following = _NAME.match(text, separator.end())
        if following is None or not _is_name(following[0]):
            if found := _OTHERS.match(text, separator.end()):
                position, others = found.end(), True
            break
        position = separator.end()
    return _judged(text, names, position, others=others, initials=initials) if names else None


def only_authors(text: str) -> tuple[str, ...]:
    """Returns the names that `text` consists of, empty where it holds anything else."""
    text = text.strip(" \t\n.,;:()[]*_-–—|")
    found = read_authors(text)
    if found is None or not found.sure or text[found.end :].strip(" .,;:*†‡§∗"):
        return ()
    return found.names


def is_organisation(text: str) -> bool:
    """Returns whether `text` names only organisations that publish papers."""
    parts = [
        part.strip(" .'’").removesuffix("'s").removesuffix("’s").lower() for part in re.split(r"[,/&]| and ", text)
    ]
    return bool(parts) and all(part in _ORGANISATIONS or _INSTITUTE.fullmatch(part) for part in parts)


def _judged(text: str, names: list[str], position: int, *, others: bool, initials: bool) -> Authors | None:
    if not others and not _ENDS.match(text, position):
        return None
    several = len(names) > 1
    words = [len(re.findall(r"[^\W\d_]{2,}", name)) for name in names]
    if not others and not initials and (any(count < 2 for count in words) and not _short_pair(names, text, position)):
        return None
    sure = others or (initials and (several or _plain_initials(names[0]))) or several
    return Authors(tuple(" ".join(name.split()) for name in names), position, sure, others)


def _short_pair(names: list[str], text: str, position: int) -> bool:
    """Returns whether surnames alone can be meant: two of them joined by "and" before a year, colon or link."""
    joined = len(names) == 2 and _AND.search(text, max(0, position - len(names[1]) - 8), position) is not None
    return (
        joined
        and all(name.istitle() for name in names)
        and text[position : position + 2].strip()[:1] in ("(", "\x1d", "")
    )


def _plain_initials(name: str) -> bool:
    return (
        re.match(rf"(?:[{_UPPER}]\.|[B-HJ-Z]{{1,2}}[ ])", name) is not None
        or re.search(r" [A-Z]\.", name) is not None
        or ", " in name
    )


def _is_name(name: str) -> bool:
    words = re.findall(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", name)
    if not words or len(words) > 7:
        return False
    if not any(len(word) > 1 and not word.isupper() for word in words) and len(words) < 2:
        return False
    return not any(word.lower() in TITLE_WORDS for word in words if len(word) > 2)

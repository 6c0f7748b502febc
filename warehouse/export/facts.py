"""What every bibliography needs of a paper: names in their parts, its address, text without control characters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bibtexparser.middlewares.names import InvalidNameError, parse_single_name_into_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]+")
_GROUP = re.compile(
    r"\b(collaborations?|team|group|consortium|project|community|committee|institute|university|laborator(y|ies)|labs?|"
    r"research|foundation|organi[sz]ation|association|society|network|working group)\b|^the\s|\bet al\b|\band\b|&",
    re.IGNORECASE,
)
_ODD = re.compile(r"[{}\\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name in its parts; or `literal` alone, where it is a group's or has no parts."""

    literal: str = ""
    given: str = ""
    particle: str = ""
    family: str = ""
    suffix: str = ""


def names(authors: Iterable[str]) -> Iterator[Name]:
    """Yields the parts of each name, passing over empty ones."""
    for author in authors:
        text = plain_text(author)
        if text:
            yield _parts(text)


def link(paper: Mapping[str, Any]) -> str | None:
    """Returns the address of the paper's own page: the publisher's, else arXiv's, else Semantic Scholar's."""
    if paper["doi"]:
        return f"https://doi.org/{paper['doi']}"
    if paper["arxiv_id"]:
        return f"https://arxiv.org/abs/{paper['arxiv_id']}"
    if paper["s2_paper_id"]:
        return f"https://www.semanticscholar.org/paper/{paper['s2_paper_id']}"
    return None


def plain_text(text: str) -> str:
    """Returns `text` on one line, without control characters and runs of blanks."""
    return " ".join(_CONTROL.sub(" ", text).split())


def _parts(name: str) -> Name:
    if _GROUP.search(name) or _ODD.search(name) or " " not in name:
        return Name(literal=name)
    try:
        told = parse_single_name_into_parts(name)
    except InvalidNameError:
        return Name(literal=name)
    if not told.last:
        return Name(literal=name)
    given, particle, family, suffix = (" ".join(part) for part in (told.first, told.von, told.last, told.jr))
    return Name(given=given, particle=particle, family=family, suffix=suffix)

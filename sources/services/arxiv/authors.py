r"""Splits arXiv's one text of authors into names. Pure.

What people type there: https://info.arxiv.org/help/prep.html#author . Names stand apart by commas or "and", accents are
TeX's (`Rold\'an`), affiliations are in parentheses, and a collaboration may stand before a colon or behind "for the".
"""

from __future__ import annotations

import re

from pylatexenc.latex2text import LatexNodes2Text

from sources.bibliography.names import without_others
from sources.bounds import LONGEST_NAME, cut

_TEX = LatexNodes2Text()
# What stands beside a name and is none of it: a footnote's number or text.
_MARK = re.compile(r"\$[^$]*\$|\\(?:inst|thanks|footnote\w*|affil\w*|altaffil\w*|email)\b\s*(?:\{[^{}]*\})?")
_GROUP = r"(?:[Cc]ollaborations?|[Cc]onsortium|[Tt]eams?|[Gg]roups?|[Pp]roject|[Nn]etwork)\b"
_BEHALF = re.compile(rf"\b(?:on behalf of|representing|for)\s+(?=(?:the\s+)?[^,;:]*{_GROUP})", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\s*(?:[,;:]\s*(?:and|&)\s|[,;:]|\s(?:and|&)\s|\bwith (?:an? )?(?:appendix|appendices) by\s)\s*", re.IGNORECASE
)
_SUFFIX = re.compile(r"(?:[JS]r\.?|I{1,3}|I?V)")
_AROUND = " *+†‡§¶∗"  # marks of footnotes around a name


def parse_authors(text: str) -> tuple[str, ...]:
    """Returns the names of people and groups in their order, without affiliations and "et al."."""
    plain = _without_parentheses(_decoded(" ".join(text.split())))
    names: list[str] = []
    for piece in _BETWEEN.split(_BEHALF.sub(", ", plain)):
        if names and _SUFFIX.fullmatch(piece.strip()):
            names[-1] += f" {piece.strip()}"
            continue
        name = " ".join(without_others(piece).removeprefix("and ").strip(_AROUND).split())
        if any(map(str.isalpha, name)):
            names.append(cut(name, LONGEST_NAME) or name)
    return tuple(names)


def _decoded(text: str) -> str:
    """Returns the text with letters in the place of TeX's commands for them."""
    if not any(mark in text for mark in "\\{$~"):
        return text
    bare = _MARK.sub(" ", text).replace("%", r"\%")
    return " ".join(str(_TEX.latex_to_text(bare)).split())


def _without_parentheses(text: str) -> str:
    """Returns the text without what stands in parentheses, which may be nested; one never closed reaches to the end."""
    depth = 0
    outside = []
    for character in text:
        depth += character == "("
        outside.append(character if depth == 0 else "")
        depth -= character == ")" and depth > 0
    return "".join(outside).replace(")", " ")

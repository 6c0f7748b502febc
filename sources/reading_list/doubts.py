"""Mentions -> mentions with a doubtful identifier turned into a finding.

An entry is often copied from the one above it, and then its link is forgotten: two papers, one link. The earlier entry
keeps the identifier; the later one gets a finding, because a wrong paper is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sources.reading_list.words import FUNCTION_WORDS
from sources.records import Finding, Mention

_NEAR = 3
"""How many mentions back an entry may have been copied from."""

_WORD = re.compile(r"[^\W_]+")


def without_copied_links(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Returns the mentions; where a link repeats that of another title close above, its identifiers are withheld."""
    kept: list[Mention] = []
    for mention in mentions:
        original = next((other for other in reversed(kept[-_NEAR:]) if _is_copied(mention, other)), None)
        kept.append(mention if original is None else _withheld(mention, original))
    return tuple(kept)


def _is_copied(mention: Mention, other: Mention) -> bool:
    if mention.arxiv_id is None or mention.arxiv_id != other.arxiv_id or mention.section != other.section:
        return False
    mine, theirs = _words(mention), _words(other)
    if min(len(mine), len(theirs)) < 4 or (mention.name and mention.name == other.name):
        return False
    return 4 * len(mine & theirs) < min(len(mine), len(theirs))


def _words(mention: Mention) -> set[str]:
    words = _WORD.findall((mention.title or "").lower())
    return {word for word in words if word not in FUNCTION_WORDS}


def _withheld(mention: Mention, original: Mention) -> Mention:
    finding = Finding(
        code="link-repeated-under-another-title",
        message=f"Line {original.line} has the same link under another title; one of the two links is wrong.",
        value=mention.url,
    )
    own = tuple(identifier for identifier in mention.identifiers if identifier not in original.identifiers)
    return replace(
        mention,
        arxiv_id=None,
        arxiv_version=None,
        doi=next((identifier.value for identifier in own if identifier.scheme == "doi"), None),
        identifiers=own,
        findings=(*mention.findings, finding),
    )

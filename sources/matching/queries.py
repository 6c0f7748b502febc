"""The titles worth asking a service for. Pure."""

from __future__ import annotations

import re

from sources.matching.people import parse_name
from sources.matching.residue import is_coined
from sources.matching.titles import MAX_TITLE, TitleWords, plain, title_words
from sources.matching.wording import weight
from sources.records import Mention

_NO_TITLE = re.compile(r"https?://|www\.|\.(?:pdf|html?)\b", re.IGNORECASE)
_TRAILING = re.compile(r"[\s.,;:\u2026]+$")


def search_titles_for(mention: Mention) -> tuple[str, ...]:
    """Returns the titles to ask for, the most promising first; empty where an answer could settle nothing.

    The second, where there is one, is the title without a system's name before it. A nickname alone ("YOLO") is asked
    for only where authors, or year and venue, stand beside it: else no answer could be told from its namesakes.
    """
    title = _TRAILING.sub("", " ".join(plain((mention.title or mention.name or "")[:MAX_TITLE]).split()))
    if not title or _NO_TITLE.search(title):
        return ()
    words = title_words(title)
    if not _searchable(words, mention):
        return ()
    bare = _without_name(title, words)
    return (title, bare) if bare else (title,)


def _searchable(words: TitleWords, mention: Mention) -> bool:
    proof = sum(map(weight, words.words))
    if len(words.words) >= 3 and proof >= 3:
        return True
    named = any(map(parse_name, mention.authors)) or bool(mention.year and mention.venue)
    if len(words.words) == 2:
        return proof >= 5 or named or mention.year is not None
    return named and len(words.words) == 1 and is_coined(words.raw[0], words.words[0])


def _without_name(title: str, words: TitleWords) -> str | None:
    """Returns the title after its first part where that is short enough for a name and the rest proves enough."""
    rest = words.words[words.head :]
    if not 0 < words.head <= 3 or len(rest) < 3 or sum(map(weight, rest)) < 3:
        return None
    match = re.search(r"[:\u2014\u2013|]\s*|\s-+\s", title)
    return title[match.end() :].strip() or None if match else None

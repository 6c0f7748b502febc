"""Chooses what to search for at a service to find a mention: whole titles, or pieces of them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from sources.bibliography.lexicon import is_word
from sources.bibliography.names import parse_name
from sources.bibliography.titles import MAX_TITLE, TitleWords, plain, title_words
from sources.http.queries import GAP, phrase
from sources.matching.evidence import has_hint, is_nickname, title_in_link
from sources.matching.word_match import is_coined, is_familiar, weight
from sources.records import Mention

_NO_TITLE = re.compile(r"https?://|www\.|\.(?:pdf|html?)\b", re.IGNORECASE)
_LONG_NAME = 6
_CONTENT_WORDS = 3
_PROOF = 7
# What the words of one query, or of each of three, must prove; with less, a query finds far too much. Of 493,000
# titles, such words find hardly any but their own.
_PROOF_OF_EACH = 9
_TRAILING = re.compile(r"[\s.,;:\u2026]+$")


def search_titles_for(mention: Mention, *, together: bool = False) -> tuple[str, ...]:
    """Returns the titles to search for, the most promising first; empty where an answer could settle nothing.

    Searched for `together` with other titles, which costs no request of its own, a coined name that no dictionary has
    is worth it for the candidates.

    The second, where there is one, is the title without a system's name before it. A nickname alone ("YOLO") is
    searched for only with authors or with year and venue, a longer one also with a day or somebody's repository:
    otherwise the paper could be any of that name. If its link spells out a title, that is used.
    """
    title = _TRAILING.sub("", " ".join(plain((mention.title or mention.name or "")[:MAX_TITLE]).split()))
    if is_nickname(mention) and (spelt_out := title_in_link(mention)):
        return (spelt_out,)
    if not title or _NO_TITLE.search(title):
        return ()
    words = title_words(title)
    if not _searchable(words, mention):
        is_coined_name = len(words.words) == 1 and is_coined(words.raw[0], words.words[0])
        if not (together and is_coined_name and not is_word(words.words[0])):
            return ()
    # The first part is left out where it is short enough for a name and the rest proves enough.
    rest = words.words[words.head :]
    if not 0 < words.head <= 3 or len(rest) < 3 or sum(map(weight, rest)) < 3:
        return (title,)
    match = re.search(r"[:\u2014\u2013|]\s*|\s-+\s", title)
    bare = title[match.end() :].strip() if match else ""
    return (title, bare) if bare else (title,)


def is_telling(title: str) -> bool:
    """Returns whether the words are more than a common phrase: three of them or more must be distinctive.

    "Neural Networks and Deep Learning" is a paper's title, but more often the name of a chapter, a course or a book.
    """
    proofs = [weight(word) for word in title_words(title).words]
    return sum(proof > 0 for proof in proofs) >= _CONTENT_WORDS and sum(proofs) >= _PROOF


@dataclass(frozen=True, slots=True)
class Pieces:
    """A title with gaps, in several ways."""

    ways: tuple[str, ...] = ()  # the queries; none where the title is too short
    thorough: bool = False  # whether a service that listed everything for these queries has no better match


def pieces_for(mention: Mention) -> Pieces:
    """Returns queries for pieces of the title, for when the whole title finds nothing.

    A typing error hardly ever makes a word that other titles have. So one query leaves out the unfamiliar words, and
    finds the paper however many of them are mistyped. Where the list has other words than the paper, the title is also
    cut in three, of which any two are searched for, and a system's name is searched for with the word behind it.
    """
    titles = search_titles_for(mention)
    if not titles:
        return Pieces()
    words = (phrase(titles[0]) or "").split()
    sure = [(word, is_familiar(word.lower()) or word.isdigit()) for word in words]
    parted, thirds = not all(known for _, known in sure), _two_of_three(words)
    telling = _proof(word for word, known in sure if known) >= _PROOF
    certain: list[str] = []
    others = [number for number, (_, known) in enumerate(sure) if not known]
    if parted and telling:
        certain = [_with_gaps(sure)]
    elif len(others) > 1:  # with one of the others each, as not all of those can be mistyped
        ways = ([(word, known or at == item) for at, (word, known) in enumerate(sure)] for item in others)
        enough = (way for way in ways if _proof(word for word, chosen in way if chosen) >= _PROOF)
        certain = [*map(_with_gaps, enough)]
    # The coined name before a title, with the word behind it.
    title = title_words(titles[0])
    coined = title.head == 1 and is_coined(title.raw[0], title.words[0]) and len(title.words[0]) > 3
    named = (" ".join(title.words[:2]),) if coined and weight(title.words[1]) else ()
    return Pieces(tuple(dict.fromkeys((*certain, *thirds, *named))), thorough=telling and (parted or len(thirds) == 3))


def _two_of_three(words: Sequence[str]) -> tuple[str, ...]:
    """Returns the words without each third of them, by what they prove, where the others prove enough."""
    total, before = _proof(words), 0
    thirds = []
    for word in words:
        thirds.append(min(2, 3 * (2 * before + _proof([word])) // (2 * total)) if total else 0)
        before += _proof([word])
    ways = [[(word, third != left_out) for word, third in zip(words, thirds, strict=True)] for left_out in range(3)]
    if len(set(thirds)) < 3:
        return ()
    return tuple(
        _with_gaps(way) for way in ways if _proof(word for word, is_chosen in way if is_chosen) >= _PROOF_OF_EACH
    )


def _with_gaps(words: Iterable[tuple[str, bool]]) -> str:
    """Returns the chosen words, with a gap wherever others are left out; runs of small words alone are left out too."""
    runs = ([word for word, _ in run] for is_chosen, run in groupby(words, key=itemgetter(1)) if is_chosen)
    return f" {GAP} ".join(" ".join(run) for run in runs if _proof(run))


def _proof(words: Iterable[str]) -> int:
    return sum(weight(word.lower()) for word in words)


def _searchable(words: TitleWords, mention: Mention) -> bool:
    proof = sum(map(weight, words.words))
    if len(words.words) >= 3 and proof >= 3:
        return True
    named = any(map(parse_name, mention.authors)) or bool(mention.year and mention.venue)
    if len(words.words) == 2:
        return proof >= 5 or named or mention.year is not None or has_hint(mention)
    named = named or (len(words.words[0]) >= _LONG_NAME and has_hint(mention)) if words.words else named
    return named and len(words.words) == 1 and is_coined(words.raw[0], words.words[0])

"""Titles as services are asked for them: phrases, in both query languages, and what one request may hold. Pure.

Quotes, brackets and operators would change the query; a hyphen excludes in arXiv's language
(https://github.com/arXiv/arxiv-search/issues/322) and parts words in both; TeX is indexed in ways nobody documents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote_plus

_TEX = re.compile(r"\$[^$]{0,200}\$|\\[A-Za-z]+\s*|\\.")
_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u00b4": "'", "`": "'"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+|(?<=\d)\.(?=\d)\d+)*")
_LONGEST_PHRASE_WORDS = 24
GAP = "\u2026"
"""Stands in a title for words left out; the parts around it must all be there, in whatever order."""
_SURE_WORDS = 4


def phrase(title: str) -> str | None:
    r"""Returns the longest run of plain words in `title`, None where there is none.

    A run ends at TeX. Words with letters beyond ASCII end it too where four or more plain words stand together, as
    arXiv has `Poincar\'e` where a list has `Poincaré`.
    """
    text = _plain(title)
    runs = [_WORD.findall(run.replace("{", "").replace("}", "")) for run in _TEX.split(text)]
    plain = [run for words in runs for run in _ascii_runs(words)]
    best = max(plain, key=_weight, default=[])
    if len(best) < _SURE_WORDS:
        best = max(runs, key=_weight, default=[])
    return " ".join(best[:_LONGEST_PHRASE_WORDS]) or None


def phrases(title: str) -> tuple[str, ...]:
    """Returns the phrase of each part of `title` between gaps: one for a title without gaps, none without words."""
    return tuple(words for part in title.split(GAP) if (words := phrase(part)))


def plain_words(text: str) -> str:
    """Returns every word of `text` in lower case, one blank apart."""
    return " ".join(_WORD.findall(_plain(text))).casefold()


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


def _weight(words: list[str]) -> tuple[int, int]:
    return len(words), sum(map(len, words))


def _ascii_runs(words: list[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for word in words:
        if word.isascii():
            run.append(word)
        else:
            yield run
            run = []
    yield run


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRules:
    """What one request to a service may hold.

    Attributes:
        most_ids: Identifiers.
        most_titles: Titles: alternatives few enough for one page to hold every hit.
        room: Characters of a title search in the address.
        term: A phrase in the query language.
        both: Stands between terms that must all be there.
        either: Stands between terms of which one is enough.
    """

    most_ids: int
    most_titles: int = 40
    room: int = 6_000
    term: str
    both: str
    either: str

    def titles_query(self, titles: Sequence[str]) -> str:
        """Returns `titles` in the query language: quoted phrases, any of which will do."""
        terms = ([self.term.format(words) for words in phrases(title)] for title in titles)
        return self.either.join(
            f"({self.both.join(parts)})" if len(parts) > 1 else parts[0] for parts in terms if parts
        )

    def room_taken(self, title: str) -> int:
        """Returns how many characters of the address a title takes."""
        return len(quote_plus(self.titles_query([title]) + self.either))


ARXIV = QueryRules(most_ids=100, term='ti:"{}"', both=" AND ", either=" OR ")
"""arXiv states no limit of identifiers, and 642 in one address were too many (HTTP 414). Servers of this kind take
8,000 characters of address. The language: https://info.arxiv.org/help/api/user-manual.html#query_details ."""

S2 = QueryRules(most_ids=500, term='"{}"', both=" + ", either=" | ")
"""Semantic Scholar's batches: https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data . Its gateway takes about
8,000 characters of address, and a page of its bulk search 1,000 hits. The language:
https://api.semanticscholar.org/api-docs/graph#tag/Paper-Data/operation/get_graph_paper_bulk_search ."""

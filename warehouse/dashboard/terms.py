"""Terms of titles and abstracts whose share of the papers rises or falls over the years.

A term is a word of a title, or two that stand beside each other, as long as no word that only joins others is part of
it; which terms matter is judged by the years alone, so that no list of a field's words is needed. A paper has a term if
its title or its abstract has it.

The test is Cochran's and Armitage's for a trend in shares:
https://en.wikipedia.org/wiki/Cochran%E2%80%93Armitage_test_for_trend
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sources.matching.word_match import LINKING, NEGATIONS, QUESTIONS
from warehouse.dashboard.columns import query_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from duckdb import DuckDBPyConnection

_MOST_TERMS = 60
"""Terms that the page carries: of those it draws the ones in motion among what is chosen."""
_MOST_PAPERS = 20_000
"""Papers up to which abstracts are searched for the terms too; it takes seconds beyond."""

_TEXTS = """
    SELECT l.paper_id, lower(strip_accents(l.title)), lower(strip_accents($abstract))
    FROM listed AS l JOIN papers AS p USING (paper_id)
"""
_WORD = re.compile(r"[^\W_]+")
"""Letters and digits, as in the query."""
_BLANKS = {code: " " for code in range(128) if not chr(code).isalnum()}


def read_terms(connection: DuckDBPyConnection, papers: Sequence[str], *, with_abstracts: bool) -> dict[str, Any]:
    """Returns terms, the one with the clearest trend first, each with the numbers of the papers that have it.

    Args:
        connection: The lake, with the temporary table `listed`.
        papers: The papers of the page.
        with_abstracts: Whether abstracts may be looked into.
    """
    looked_into = with_abstracts and len(papers) <= _MOST_PAPERS
    joining = sorted(LINKING | NEGATIONS | QUESTIONS)
    rows = connection.execute(query_text("terms"), {"joining": joining, "most": _MOST_TERMS}).fetchall()
    terms = [term for (term,) in rows]
    texts = connection.execute(_TEXTS.replace("$abstract", "p.abstract" if looked_into else "NULL")).fetchall()
    having = _having(terms, texts)
    number = {paper: at for at, paper in enumerate(papers)}
    return {
        "term": terms,
        "papers": [sorted(number[paper] for paper in having[term]) for term in terms],
        "abstracts": looked_into,
    }


def _having(terms: Iterable[str], texts: Iterable[tuple[str, str, str | None]]) -> dict[str, list[str]]:
    """Returns term -> the papers that have it; `texts` are papers with their titles and abstracts in lower case."""
    words = {term for term in terms if " " not in term}
    pairs = {(first, second): term for term in terms for first, _, second in [term.partition(" ")] if second}
    begin = {first for first, _ in pairs}
    found = defaultdict(list)
    for paper, *parts in texts:
        of_paper: set[str] = set()
        for part in filter(None, parts):
            written = part.translate(_BLANKS).split() if part.isascii() else _WORD.findall(part)
            of_paper.update(words.intersection(written))
            of_paper.update(pairs[two] for two in pairwise(written) if two[0] in begin and two in pairs)
        for term in of_paper:
            found[term].append(paper)
    return found

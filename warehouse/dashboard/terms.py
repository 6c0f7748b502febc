"""Terms of titles and abstracts whose share of the papers rises or falls over the years.

A term is a word of a title, or two that stand beside each other, as long as no word that only joins others is part of
it; which terms matter is judged by the years alone, so that no list of a field's words is needed. A paper has a term if
its title or its abstract has it.

The test is Cochran's and Armitage's for a trend in shares:
https://en.wikipedia.org/wiki/Cochran%E2%80%93Armitage_test_for_trend
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sources.matching.word_meaning import LINKING, NEGATIONS, QUESTIONS
from warehouse.dashboard.columns import positions, query_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duckdb import DuckDBPyConnection

_MOST_TERMS = 60
"""Terms that the page carries: of those it draws the ones in motion among what is chosen."""
_MOST_PAPERS = 20_000
"""Papers up to which abstracts are searched for the terms too; it takes seconds beyond."""


def read_terms(connection: DuckDBPyConnection, papers: Sequence[str], *, with_abstracts: bool) -> dict[str, Any]:
    """Returns terms, the one with the clearest trend first, each with the numbers of the papers that have it.

    Args:
        connection: The lake, with the temporary table `listed`.
        papers: The papers of the page.
        with_abstracts: Whether abstracts may be looked into.
    """
    looked_into = with_abstracts and len(papers) <= _MOST_PAPERS
    joining = sorted(LINKING | NEGATIONS | QUESTIONS)
    abstract = "p.abstract" if looked_into else "NULL::VARCHAR"
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE texts AS SELECT l.paper_id, l.year, l.title, "
        f"{abstract} AS abstract FROM listed AS l JOIN papers AS p USING (paper_id)"
    )
    rows = connection.execute(query_text("terms"), {"joining": joining, "most": _MOST_TERMS}).fetchall()
    return {
        "term": [term for term, _ in rows],
        "papers": [sorted(positions(having, papers)) for _, having in rows],
        "abstracts": looked_into,
    }

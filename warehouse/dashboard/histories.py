"""The counts of the papers over time, as the page carries them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from warehouse.dashboard.columns import query_columns, query_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from duckdb import DuckDBPyConnection

_TABLES = ("followed", "counted", "counted_days")
"""Queries that follow from each other; each becomes a temporary table."""
_ZERO = 64
"""The character of a step that added nothing is `@`; the next one stands for one citation more."""
_UNCOUNTED = "_"
_SIGNS = {change: chr(_ZERO + change) for change in range(-16, 63) if chr(_ZERO + change) not in (_UNCOUNTED, "\\")}


def read_history(connection: DuckDBPyConnection, papers: Sequence[str], *, counted_by: str) -> dict[str, Any]:
    """Returns the counts by paper and step; `first` and `added` have a value for each paper, None where it has none.

    `added` has a character for each step from the first on: what the step added to the count last known, `@` for
    nothing and the characters around it for a little more or less, `(123)` for any other number, `_` where there was no
    count. Steps at the very end that added nothing are left out.

    Args:
        connection: The lake, with the temporary tables `numbered` and `recounts`; the tables made here stay.
        papers: The papers of the page.
        counted_by: The source whose counts the page draws.
    """
    source = {"source": counted_by}
    for name in _TABLES:
        query = query_text(name)
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {query}", source if "$source" in query else {})
    days = connection.execute("SELECT max(day) FROM counted_days GROUP BY step ORDER BY step").fetchall()
    first: list[int | None] = [None] * len(papers)
    added: list[str | None] = [None] * len(papers)
    for paper, steps, changes in _changes(connection.execute(query_text("history")).to_arrow_table()):
        first[paper] = steps[0]
        added[paper] = _written(steps, changes, len(days))
    return {
        "days": [day for (day,) in days],
        "first": first,
        "added": added,
        "recounts": query_columns(connection, "recounts", source),
    }


def _changes(rows: pa.Table) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yields a paper, the steps in which it was counted, its first count, and what each further step added to it.

    All numbers are turned into Python's at once, as there are millions.
    """
    if not rows.num_rows:
        return
    counts = pa.concat_arrays(rows["counts"].chunks)
    steps, citations = (counts.values.field(name) for name in ("step", "citations"))
    changes = [0, *pc.subtract(citations[1:], citations[:-1]).to_pylist()]
    ordinals, starts = steps.to_pylist(), counts.offsets[:-1]
    firsts = citations.take(starts).to_pylist()
    spans = pairwise(counts.offsets.to_pylist())
    for paper, (begin, end), count in zip(rows["paper"].to_pylist(), spans, firsts, strict=True):
        yield paper, ordinals[begin:end], [count, *changes[begin + 1 : end]]


def _written(steps: Sequence[int], changes: Sequence[int], step_count: int) -> str:
    """Returns what each step added, as `read_history` says."""
    signs = [_SIGNS.get(change) or f"({change})" for change in changes]
    if step_count - steps[0] > len(steps):
        by_step = dict(zip(steps, signs, strict=True))
        return "".join([by_step.get(step, _UNCOUNTED) for step in range(steps[0], step_count)])
    return signs[0] + "".join(signs[1:]).rstrip(_SIGNS[0])

"""The views at 100,000 papers with 52 weekly counts each, through the connection that `paperlake sql` uses.

    python -m benchmarks.views [--full]

Each view is asked as people ask: for some rows, for the first page in an order that its readers want, and for all of
it, worked out within DuckDB to the last column and then dropped; the slowest of the three counts. Beside it stands a
floor: DuckDB counting and grouping the plain Parquet files behind the view, without DuckLake. What it takes on top to
hand over the widest view, row by row as Arrow, is told by itself, for that grows with what is asked for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb

from benchmarks import invented
from benchmarks.figure import Figure, medians, run
from warehouse.lake.place import LakePlace
from warehouse.query.read_only import ask, open_for_questions

BAR_MS = 300
PAGE = 20
WIDEST = "catalog"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a view is asked, and what it is held against.

    Attributes:
        order: What its first page is ordered by.
        table: The table behind it that a plain query must group to say anything of the kind.
        by: The column to group by.
    """

    order: str
    table: str
    by: str


VIEWS = {
    "catalog": Asked(order="citation_count DESC NULLS LAST", table="mentions", by="list_id"),
    "unresolved": Asked(order="list, line", table="mentions", by="status"),
    "rising": Asked(order="gained_per_week DESC", table="citation_counts", by="paper_id"),
    "trend_by_year": Asked(order="year DESC", table="mentions", by="paper_id"),
    "trend_by_section": Asked(order="papers DESC", table="mentions", by="list_id"),
    "top_cited": Asked(order='"rank"', table="papers", by="citation_count"),
    "list_overlap": Asked(order="papers_in_common DESC", table="mentions", by="paper_id"),
    "coverage": Asked(order="percent_resolved", table="mentions", by="list_id"),
}


def figures(*, full: bool) -> Iterator[Figure]:
    number = 100_000 if full else 20_000
    with tempfile.TemporaryDirectory() as folder:
        place = invented.make_lake(Path(folder) / "lake", number, weeks=52)
        with closing(open_for_questions(place)) as connection, closing(duckdb.connect()) as plain:
            for view, asked in VIEWS.items():
                *ours, floor = medians(
                    5,
                    lambda view=view: ask(connection, f"FROM {view} LIMIT {PAGE}"),
                    lambda view=view, asked=asked: ask(connection, f"FROM {view} ORDER BY {asked.order} LIMIT {PAGE}"),
                    lambda view=view: ask(connection, f"EXPLAIN ANALYZE FROM {view}"),
                    lambda asked=asked: plain.execute(_grouped(place, asked)).fetchall(),
                )
                yield Figure(
                    name=f"view {view} at {number:,} papers with 52 counts each",
                    value=max(ours) * 1000,
                    unit="ms",
                    beside=f"grouping the plain Parquet of {asked.table}",
                    plain=floor * 1000,
                    bar=BAR_MS,
                    bar_on="value",
                )
            (handed,) = medians(5, lambda: ask(connection, f"FROM {WIDEST}"))
            yield Figure(
                name=f"all {number:,} rows of view {WIDEST} handed over as Arrow", value=handed * 1000, unit="ms"
            )


def _grouped(place: LakePlace, asked: Asked) -> str:
    files = f"{place.data}main/{asked.table}/*.parquet"
    return f"SELECT count(*) FROM (SELECT {asked.by}, count(*) FROM read_parquet('{files}') GROUP BY ALL)"


if __name__ == "__main__":
    run(figures, __doc__)

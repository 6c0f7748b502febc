"""The views at 100,000 papers with 52 weekly counts each, through the connection that `paperlake sql` uses.

    python -m benchmarks.views [--full]

Each view is asked for its first hundred rows and for a sum over all of it; the slower of the two counts. Beside it
stands a floor: DuckDB counting and summing the plain Parquet files behind the view, without DuckLake.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb

from benchmarks import invented
from benchmarks.figure import Figure, medians, run
from warehouse.lake import LakePlace
from warehouse.query import ask, open_for_questions

BAR_MS = 300
FLOORS = {
    "catalog": ("mentions", "list_id"),
    "unresolved": ("mentions", "status"),
    "rising": ("citation_counts", "paper_id"),
    "trend_by_year": ("mentions", "paper_id"),
    "trend_by_section": ("mentions", "list_id"),
    "top_cited": ("papers", "citation_count"),
    "list_overlap": ("mentions", "paper_id"),
    "coverage": ("mentions", "list_id"),
}
"""View -> the table and column behind it that a plain query must group by to say anything of the kind."""


def figures(*, full: bool) -> Iterator[Figure]:
    number = 100_000 if full else 20_000
    with tempfile.TemporaryDirectory() as folder:
        place = invented.make_lake(Path(folder) / "lake", number, weeks=52)
        with closing(open_for_questions(place)) as connection, closing(duckdb.connect()) as plain:
            for view, (table, column) in FLOORS.items():
                first, whole, floor = medians(
                    5,
                    lambda view=view: ask(connection, f"SELECT * FROM {view} LIMIT 100"),
                    lambda view=view: ask(connection, f"SELECT count(*), bit_xor(hash(v)) FROM {view} AS v"),
                    lambda table=table, column=column: plain.execute(_grouped(place, table, column)).fetchall(),
                )
                yield Figure(
                    name=f"view {view} at {number:,} papers with 52 counts each",
                    value=max(first, whole) * 1000,
                    unit="ms",
                    beside=f"grouping the plain Parquet of {table}",
                    plain=floor * 1000,
                    bar=BAR_MS,
                    bar_on="value",
                )


def _grouped(place: LakePlace, table: str, column: str) -> str:
    files = f"{place.data}main/{table}/*.parquet"
    return f"SELECT count(*) FROM (SELECT {column}, count(*) FROM read_parquet('{files}') GROUP BY ALL)"


if __name__ == "__main__":
    run(figures, __doc__)

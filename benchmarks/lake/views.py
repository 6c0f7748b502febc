"""The views at 100,000 papers with 52 weekly counts each, through the connection that `paperlake sql` uses.

    python -m benchmarks.lake.views [--full]

Each view is asked as people ask: for some rows, for the first page in an order that its readers want, and for all of
it, worked out within DuckDB to the last column and then dropped; the slowest of the three counts. Beside it stands
the same over plain Parquet files of the tables' rows, without DuckLake, together with the least that DuckLake takes for
no row of three tables. What it takes on top to hand over the widest view, row by row as Arrow, is told by itself, for
that grows with what is asked for.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from benchmarks.figure import Figure, medians, run
from benchmarks.lake import invented
from warehouse.lake.migrations import macro_files, view_files
from warehouse.lake.session import open_lake
from warehouse.query.read_only import ask
from warehouse.tables.declarations import TABLES

BAR = 4
PAGE = 20
LEAST = "SELECT 1 FROM mentions, papers, reading_lists LIMIT 0"
WIDEST = "catalog"


ORDERS = {
    "catalog": "citation_count DESC NULLS LAST",
    "unresolved": "list, line",
    "rising": "gained_per_week DESC",
    "rising_by_year": "percentile DESC",
    "trend_by_year": "year DESC",
    "trend_by_section": "papers DESC",
    "top_cited": '"rank"',
    "list_overlap": "papers_in_common DESC",
    "coverage": "percent_resolved",
    "citations_within": "cited_year DESC",
    "missing_papers": "score DESC",
}
"""View -> what its first page is ordered by."""


def figures(*, full: bool) -> Iterator[Figure]:
    number = 100_000 if full else 20_000
    with tempfile.TemporaryDirectory() as folder:
        place = invented.make_lake(Path(folder) / "lake", number, weeks=52, whole=True)
        with closing(open_lake(place)) as connection, closing(duckdb.connect()) as plain:
            _make_views(plain, connection, Path(folder))
            (least,) = medians(5, lambda: ask(connection, LEAST))
            for view, order in ORDERS.items():
                taken = []
                page = f"FROM {view} LIMIT {PAGE}", f"FROM {view} ORDER BY {order} LIMIT {PAGE}"
                for query in (*page, f"EXPLAIN ANALYZE FROM {view}"):
                    ours = partial(ask, connection, query)
                    taken.append(medians(5, ours, lambda query=query: plain.execute(query).fetchall()))
                slowest, beside = max(taken)
                yield Figure(
                    name=f"view {view} at {number:,} papers with 52 counts each",
                    value=slowest * 1000,
                    unit="ms",
                    beside="the same over plain Parquet files, and no row from DuckLake",
                    plain=(beside + least) * 1000,
                    bar=BAR,
                )
            (handed,) = medians(5, lambda: ask(connection, f"FROM {WIDEST}"))
            yield Figure(
                name=f"all {number:,} rows of view {WIDEST} handed over as Arrow", value=handed * 1000, unit="ms"
            )


def _make_views(plain: duckdb.DuckDBPyConnection, connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Makes the lake's views over copies of its tables, one plain Parquet file each."""
    for table in TABLES:
        file = folder / f"{table.name}.parquet"
        pq.write_table(ask(connection, f"FROM {table.name}"), file)
        plain.execute(f"CREATE VIEW {table.name} AS FROM read_parquet('{file}')")
    for statement in macro_files():
        plain.execute(statement)
    for name, sql in view_files():
        plain.execute(f'CREATE VIEW "{name}" AS {sql}')


if __name__ == "__main__":
    run(figures, __doc__)

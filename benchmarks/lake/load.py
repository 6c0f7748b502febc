"""Loading papers and observations in bulk, beside a plain DuckDB `COPY ... TO parquet` of the same Arrow tables.

    python -m benchmarks.lake.load

Ours is the product's own way, `warehouse.loading.commit.load` into a new lake: rows compared with what the lake has,
checked for keys and references, and committed as one snapshot.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import duckdb

from benchmarks.figure import Figure, medians, run
from benchmarks.lake import invented
from standins.trials.rows import run_row
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing
from warehouse.loading.commit import Harvest, load

WEEKS = 10


def figures(*, full: bool) -> Iterator[Figure]:  # noqa: ARG001 - a minute at its one size
    number = 1_000_000
    harvest = Harvest(papers=invented.papers(number, weeks=WEEKS), citation_counts=invented.counts(number, weeks=WEEKS))
    with tempfile.TemporaryDirectory() as folder:
        lakes = (Path(folder) / f"lake{n}" for n in count())
        ours, plain = medians(3, lambda: _load(next(lakes), harvest), lambda: _copy(Path(folder), harvest))
    yield Figure(
        name=f"load of {number:,} papers and {number * WEEKS:,} observations",
        value=ours,
        unit="s",
        beside="DuckDB's COPY TO parquet",
        plain=plain,
        bar=2,
    )


def _load(folder: Path, harvest: Harvest) -> None:
    with writing(LakePlace.of(folder)) as connection:
        load(connection, harvest, run_row())


def _copy(folder: Path, harvest: Harvest) -> None:
    with closing(duckdb.connect()) as db:
        for name in ("papers", "citation_counts"):
            db.register(name, getattr(harvest, name))
            db.execute(f"COPY {name} TO '{folder / name}.parquet' (FORMAT parquet)")


if __name__ == "__main__":
    run(figures, __doc__)

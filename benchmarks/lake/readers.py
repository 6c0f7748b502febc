"""Eight readers that query in a loop while thirty refreshes commit, and two refreshes started together.

    python -m benchmarks.lake.readers [--full]

The refreshes are the product's own way from list to commit, against the stand-ins; the list changes before each, and
the counts go up. A reader opens the lake as `paperlake sql` does and asks three tables in one query each what the
newest run did; a reader that saw half a run would find them at odds with that run's own figures. Beside a refresh with
readers stands one without, and beside a long query, open all the while, stands none: no reader holds up a commit.
"""

from __future__ import annotations

import multiprocessing
import statistics
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Self

from benchmarks.figure import Figure, run, seconds
from benchmarks.lake import invented
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.settings import Settings
from standins import StandIns
from warehouse.lake.place import LakePlace
from warehouse.lake.session import open_lake
from warehouse.query.read_only import run_query

READERS = 8
PAPERS = 40
_AT_ODDS = """
WITH newest AS (SELECT * FROM runs ORDER BY finished_at DESC LIMIT 1),
standing AS (SELECT * FROM mentions WHERE removed_at IS NULL)
SELECT (SELECT count(*) FROM standing) AS mentions_found, (SELECT mentions FROM newest) AS mentions_told,
    (SELECT count(*) FROM standing WHERE status = 'resolved') AS resolved_found,
    (SELECT resolved FROM newest) AS resolved_told,
    (SELECT count(*) FROM papers WHERE merged_into IS NULL) AS papers_found,
    (SELECT papers FROM newest) AS papers_told,
    (SELECT count(*) FROM citation_counts) AS counts_found,
    (SELECT sum(counts_written)::BIGINT FROM runs) AS counts_told
"""


def figures(*, full: bool) -> Iterator[Figure]:
    yield from measure(30 if full else 8, READERS)


def measure(refreshes: int, number: int) -> Iterator[Figure]:
    """Yields the figures for `number` readers during some refreshes."""
    with tempfile.TemporaryDirectory() as folder, StandIns() as standins:
        standins.add(invented.facts(PAPERS + 2 * refreshes, weeks=1))
        told = {key.removeprefix("PAPERLAKE_").lower(): value for key, value in standins.env().items()}
        alone = Settings(lake=Path(folder) / "alone", max_age=timedelta(milliseconds=1), **told)
        crowded = Settings(lake=Path(folder) / "crowded", max_age=timedelta(milliseconds=1), **told)
        quiet = [seconds(lambda n=n: _refresh(alone, n)) for n in range(refreshes + 1)][1:]
        _refresh(crowded, 0)
        long_reader = open_lake(crowded.place)
        long_reader.execute("BEGIN")
        before = long_reader.execute("SELECT count(*) FROM runs").fetchone()
        with _Readers(crowded.place, number) as readers:
            busy = [seconds(lambda n=n: _refresh(crowded, n)) for n in range(1, refreshes + 1)]
        assert long_reader.execute("SELECT count(*) FROM runs").fetchone() == before, "a snapshot moved under a reader"
        together = _two_at_once(crowded, refreshes)
    yield Figure(
        name=f"errors and half runs seen by {number} readers in a loop during {refreshes} refreshes",
        value=len(readers.troubles),
        unit="troubles",
        bar=0,
        bar_on="value",
    )
    yield Figure(name="runs lost of two started together", value=2 - together, unit="runs", bar=0, bar_on="value")
    yield Figure(
        name=f"a refresh with {number} readers beside it, and one in the middle of a query all the while",
        value=statistics.median(busy),
        unit="s",
        beside="the same without readers",
        plain=statistics.median(quiet),
    )


class _Readers:
    """Reading processes, for as long as the block lasts; `queries` and `troubles` tell what they saw."""

    def __init__(self, place: LakePlace, number: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._ends = context.Event()
        self._results = context.Queue()
        self._processes = [
            context.Process(target=_read, args=(place, self._ends, self._results)) for _ in range(number)
        ]
        self.queries = 0
        self.troubles: list[str] = []

    def __enter__(self) -> Self:
        for process in self._processes:
            process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        for _process in self._processes:
            queries, troubles = self._results.get()
            self.queries += queries
            self.troubles += troubles
        for process in self._processes:
            process.join()
        print(f"the readers looked {self.queries:,} times")
        for trouble in self.troubles[:5]:
            print(trouble)


def _read(place: LakePlace, ends: Event, results: multiprocessing.Queue) -> None:
    queries, troubles = 0, []
    while not ends.is_set():
        queries += 1
        try:
            (seen,) = run_query(place, _AT_ODDS).to_pylist()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a trouble
            troubles.append(repr(error))
            continue
        if any(seen[f"{what}_found"] != seen[f"{what}_told"] for what in ("mentions", "resolved", "papers", "counts")):
            troubles.append(f"half a run: {seen}")
    results.put((queries, troubles))


def _two_at_once(settings: Settings, number: int) -> int:
    """Returns how many of two refreshes of two lists, started together, are in the lake afterwards."""
    context = multiprocessing.get_context("spawn")
    before = _runs(settings)
    both = [context.Process(target=_refresh, args=(settings, number, f"list{n}.md")) for n in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0], "a refresh failed"
    return _runs(settings) - before


def _runs(settings: Settings) -> int:
    return int(run_query(settings.place, "SELECT count(*) AS n FROM runs").to_pylist()[0]["n"])


def _refresh(settings: Settings, number: int, name: str = "list.md") -> None:
    """Refreshes a list that has two papers more than the last time, and lacks its first one."""
    list_file = settings.lake.parent / settings.lake.name / name
    list_file.parent.mkdir(exist_ok=True)
    facts = invented.facts(PAPERS + 2 * number, weeks=1)[number:]
    list_file.write_text("".join(f"- [{one['title']}](https://arxiv.org/abs/{one['arxiv_id']})\n" for one in facts))
    parsed = read_and_parse([str(list_file)], settings.place)
    refresh_lake(parsed, settings, run_batch=lambda _, call: call(), report=Silent(), clock=Stopwatch())


if __name__ == "__main__":
    run(figures, __doc__)

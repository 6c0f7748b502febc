"""A refresh that adds 100 observations, on a small lake and on one a hundred times larger.

    python -m benchmarks.lake.growth [--full]

Both lakes hold 52 weekly counts a paper. The refresh is the whole way of `paperlake refresh` without Prefect's own
part, which is the same on both: a list of 100 papers read, compared and harvested from the stand-ins, and committed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from benchmarks.figure import Figure, medians, run
from benchmarks.lake import invented
from flows.progress import Silent, Stopwatch
from flows.refresh.pipeline import refresh_lake
from flows.refresh.reading import read_and_parse
from flows.settings import Settings
from standins import StandIns

OBSERVATIONS = 100
WEEKS = 52
ROUNDS = 5


def figures(*, full: bool) -> Iterator[Figure]:
    small = 1_000 if full else 500
    large = 100 * small
    with tempfile.TemporaryDirectory() as folder, StandIns() as standins:
        facts = invented.facts(OBSERVATIONS, weeks=WEEKS)
        standins.add(facts)
        list_file = Path(folder) / "list.md"
        list_file.write_text("".join(f"- [{one['title']}](https://arxiv.org/abs/{one['arxiv_id']})\n" for one in facts))
        told = {key.removeprefix("PAPERLAKE_").lower(): value for key, value in standins.env().items()}
        lakes = []
        for number in (small, large):
            place = invented.make_lake(Path(folder) / f"lake{number}", number, weeks=WEEKS)
            lakes.append(Settings(lake=place.folder, max_age=timedelta(milliseconds=1), **told))
            _refresh(lakes[-1], list_file)
        on_small, on_large = medians(ROUNDS, *(lambda lake=lake: _refresh(lake, list_file) for lake in lakes))
    yield Figure(
        name=f"a refresh that adds {OBSERVATIONS} observations to a lake of {large:,} papers with {WEEKS} each",
        value=on_large,
        unit="s",
        beside=f"the same on a lake of {small:,} papers",
        plain=on_small,
        bar=1.5,
    )


def _refresh(settings: Settings, list_file: Path) -> None:
    parsed = read_and_parse([str(list_file)], settings.place)
    summary = refresh_lake(parsed, settings, run_batch=lambda _, call: call(), report=Silent(), clock=Stopwatch())
    assert summary.counts_written == OBSERVATIONS


if __name__ == "__main__":
    run(figures, __doc__)

"""A refresh killed at any moment costs one batch at the most. `benchmarks.faults.kill` does it a hundred times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sources.errors import UsageError
from standins import StandIns
from standins.fault_trials.kills import FirstRefreshes, Killing
from standins.trials.bench import Bench
from tests.matrices import first_each_push
from warehouse.lake.session import open_lake
from warehouse.loading.checks import check
from warehouse.tables.declarations import TABLES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def killing(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Killing:
    return Killing(_small_process, tmp_path_factory.mktemp("killing"), size=48)


@pytest.fixture(scope="module")
def first_refreshes() -> Iterator[FirstRefreshes]:
    with FirstRefreshes() as refreshes:
        yield refreshes


@pytest.mark.nightly
@pytest.mark.parametrize("after_ms", [0, 50, 150, 300, 500])
def test_a_first_refresh_killed_while_it_makes_the_lake_is_made_up_for_by_the_next(
    first_refreshes: FirstRefreshes, tmp_path: Path, after_ms: int
):
    bench = Bench(tmp_path, {})
    path = bench.write("- [Fast R-CNN](https://arxiv.org/abs/1504.08083)\n- Mixed Precision Training (2017)\n")
    assert first_refreshes.killed(path, bench.place.folder, after_ms / 1000) or after_ms > 150
    if bench.place.exists:
        open_lake(bench.place).close()
    else:
        with pytest.raises(UsageError, match="no lake at"):
            open_lake(bench.place)
    assert bench.refresh(path, offline=True).mentions == 2
    connection = open_lake(bench.place)
    check(connection, [table.name for table in TABLES])
    connection.close()
    assert len(bench.rows("FROM mentions")) == 2


@pytest.mark.parametrize(
    ("stage", "fraction"),
    first_each_push([("load", 0.7), ("resolve", 0.6), ("harvest", 0.5), ("load", 0.95)], count=2),
)
def test_killed_in_any_stage_the_lake_is_the_old_or_the_new_one_and_the_next_run_ends_the_same(
    killing: Killing, stage: str, fraction: float
):
    cell = killing.kill(stage, fraction)
    assert cell.wrong == ()

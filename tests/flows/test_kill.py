"""A refresh killed at any moment costs one batch at the most. `benchmarks.faults.kill` does it a hundred times."""

from __future__ import annotations

import pytest

from standins import StandIns
from standins.fault_trials.kills import Killing

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def killing(_small_process: StandIns, tmp_path_factory: pytest.TempPathFactory) -> Killing:
    return Killing(_small_process, tmp_path_factory.mktemp("killing"), size=48)


@pytest.mark.parametrize(
    ("stage", "fraction"), [("resolve", 0.6), ("harvest", 0.5), ("load", 0.3), ("load", 0.7), ("load", 0.95)]
)
def test_killed_in_any_stage_the_lake_is_the_old_or_the_new_one_and_the_next_run_ends_the_same(
    killing: Killing, stage: str, fraction: float
):
    cell = killing.kill(stage, fraction)
    assert cell.wrong == ()

"""The lake that tests of refreshes use."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from standins import StandIns
from standins.trials.bench import Bench
from warehouse.lake.place import LakePlace
from warehouse.lake.session import writing


@pytest.fixture(scope="session")
def _lake_without_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a lake without rows. Making one takes as long as a refresh, so tests copy it."""
    place = LakePlace.of(tmp_path_factory.mktemp("new") / "lake")
    with writing(place):
        return place.folder


@pytest.fixture(scope="session")
def empty_lake(_lake_without_rows: Path) -> Callable[[Path], LakePlace]:
    """Makes a lake without rows in a folder that is not there yet, by copying one."""

    def copied(folder: Path) -> LakePlace:
        shutil.copytree(_lake_without_rows, folder)
        return LakePlace.of(folder)

    return copied


@pytest.fixture
def bare_bench(tmp_path: Path, standins: StandIns) -> Bench:
    """A place where there is no lake yet."""
    return Bench(tmp_path, standins.env())


@pytest.fixture
def bench(tmp_path: Path, standins: StandIns, _lake_without_rows: Path) -> Bench:
    shutil.copytree(_lake_without_rows, tmp_path / "lake")
    return Bench(tmp_path, standins.env())


@pytest.fixture
def openalex_bench(bench: Bench, standins: StandIns) -> Bench:
    """`bench` where OpenAlex is asked, too."""
    return Bench(bench.folder, standins.env(openalex=True))

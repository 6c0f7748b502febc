"""A lake for each test. It is made once and copied, which also shows that a lake may be moved."""

from __future__ import annotations

import shutil

import pytest

from warehouse.lake import LakePlace, open_lake, writing


@pytest.fixture(scope="session")
def _new_lake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("template") / "lake"
    with writing(LakePlace.of(folder)):
        pass
    return folder


@pytest.fixture
def place(tmp_path, _new_lake):
    """A lake that has its tables and views and no row."""
    folder = tmp_path / "lake"
    shutil.copytree(_new_lake, folder)
    return LakePlace.of(folder)


@pytest.fixture
def lake(place):
    """The connection that may write to `place`."""
    with writing(place) as connection:
        yield connection


@pytest.fixture(scope="session")
def new_lake(_new_lake):
    """A read-only connection to a lake without rows, shared by all tests."""
    connection = open_lake(LakePlace.of(_new_lake))
    yield connection
    connection.close()

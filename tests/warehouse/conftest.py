"""A lake for each test. It is made once and copied, which also shows that a lake may be moved.

Tests marked `both_backends` run a second time on PostgreSQL and S3, but for those marked `sqlite`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.backends import Backend, Local, Shared
from warehouse.lake import open_lake, writing


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marks = metafunc.definition
    if "backend" in metafunc.fixturenames:
        both = marks.get_closest_marker("both_backends") and not marks.get_closest_marker("sqlite")
        metafunc.parametrize("backend", ["local", "shared"] if both else ["local"], indirect=True, scope="session")


@pytest.fixture(scope="session")
def backend(request) -> Iterator[Backend]:
    """Where the test's lakes are kept."""
    if request.param == "local":
        yield Local()
        return
    s3 = request.getfixturevalue("s3")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3.env.items():
            patch.setenv(name, value)
        yield Shared(request.getfixturevalue("postgres"), s3)


@pytest.fixture(scope="session")
def _new_lake(backend, tmp_path_factory):
    place = backend.new(tmp_path_factory.mktemp("template") / "lake")
    with writing(place):
        pass
    return place


@pytest.fixture
def place(tmp_path, backend, _new_lake):
    """A lake that has its tables and views and no row."""
    return backend.copy(_new_lake, tmp_path / "lake")


@pytest.fixture
def lake(place):
    """The connection that may write to `place`."""
    with writing(place) as connection:
        yield connection


@pytest.fixture(scope="session")
def new_lake(_new_lake):
    """A read-only connection to a lake without rows, shared by all tests."""
    connection = open_lake(_new_lake)
    yield connection
    connection.close()

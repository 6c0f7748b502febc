"""A lake for each test. It is made once and copied, which also shows that a lake may be moved.

Tests marked `both_backends` run a second time on PostgreSQL and S3, but for those marked `sqlite`; those marked
`servers` run there only. The second runs are for the night, but for those marked `both_backends("each push")`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from standins.trials.browser import chromium, visit
from standins.trials.rows import fill, list_row
from tests.backends import Backend, Local, Shared
from warehouse.dashboard.page import publish
from warehouse.lake.session import open_lake, writing


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" not in metafunc.fixturenames:
        return
    marked = {mark.name: mark for mark in metafunc.definition.iter_markers()}
    local = [] if "servers" in marked else ["local"]
    on_servers = "servers" in marked or ("both_backends" in marked and "sqlite" not in marked)
    each_push = "servers" in marked or (on_servers and "each push" in marked["both_backends"].args)
    mark = pytest.mark.slow if each_push else pytest.mark.nightly
    shared = [pytest.param("shared", marks=mark)] if on_servers else []
    metafunc.parametrize("backend", [*local, *shared], indirect=True, scope="session")


@pytest.fixture(scope="session")
def shared(postgres, s3) -> Iterator[Backend]:
    """PostgreSQL and S3, which the environment leads to."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in s3.env.items():
            patch.setenv(name, value)
        yield Shared(postgres, s3)


@pytest.fixture(scope="session")
def backend(request) -> Backend:
    """Where the test's lakes are kept."""
    return Local() if request.param == "local" else request.getfixturevalue("shared")


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
def new_lake(backend, _new_lake, tmp_path_factory):
    """A read-only connection to a lake without rows, shared by all tests."""
    connection = open_lake(backend.copy(_new_lake, tmp_path_factory.mktemp("new") / "lake"))
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def published(empty_lake):
    """Returns the page of a lake of some rows, made in a folder; by default its one list is `l1`."""

    def of_rows(folder: Path, **rows) -> Path:
        place = empty_lake(folder / "lake")
        fill(place, **{"reading_lists": [list_row()], **rows})
        return publish(place, folder / "out").page

    return of_rows


@pytest.fixture(scope="module")
def browser():
    """Chromium for the tests of one module."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def _open_pages(browser):
    with ExitStack() as stack:
        pages = {}

        def opened(file):
            if file not in pages:
                pages[file] = stack.enter_context(visit(browser, file, reduced_motion="reduce"))
            return pages[file]

        yield opened


@pytest.fixture
def at(_open_pages):
    """Returns the page of a file, opened once for all tests, at what follows `#` in its address.

    It may say nothing and ask for nothing but itself.
    """
    visits = {}

    def go(file, address=""):
        visited = visits[file] = _open_pages(file)
        if visited.page.evaluate("decodeURIComponent(location.hash.slice(1))") != address:
            with visited.redrawn():
                visited.page.evaluate("address => { location.hash = address; }", address)
        return visited

    yield go
    assert {file: visited.said for file, visited in visits.items()} == {file: [] for file in visits}
    assert [visited.asked for visited in visits.values()] == [[file.as_uri()] for file in visits]
